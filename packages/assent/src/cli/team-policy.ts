import { parseJson } from "@assent/core/data";
import { visible } from "@assent/core/action";
import { readPolicyText } from "@assent/guard/policy-edit";
import {
  hashStatement,
  isGroupName,
  isSignedBy,
  isSignedPolicy,
  keyIdOf,
  type KeyChange,
  MOST_POLICY_BYTES,
  type PolicyVersion,
  type Signed,
  signStatement,
} from "@assent/guard/signature";
import { readRegular, thisMachine, writeAtomic } from "@assent/guard/state";
import { askServer, fetchTeamPolicy, readMembership, readTeamPin, writePin } from "@assent/team/team";
import { GROUP_OF_ALL, PolicyAnswer, type PolicyGroup } from "@assent/team/team/protocol";
import { fileDiff } from "./file-diff.ts";
import { JSON_VERSION } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { complain, showProblems } from "./policy-target.ts";
import { readLength } from "./since.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import {
  type AtServer,
  defaultKeyFile,
  isClosedName,
  type TeamFailure,
  KeyedServer,
  makeTeamKey,
  readTeamKey,
  type TeamKey,
  writeTeamKey,
} from "./team-key.ts";

export interface Keyed extends AtServer {
  readonly key?: string;
}
interface Grouped extends Keyed {
  readonly group?: string;
  readonly json?: boolean;
}

function failed(command: string, { problem, help }: TeamFailure): number {
  complain(`team policy ${command}`, visible(problem), help);
  return 1;
}

const printed = (text: string, json: boolean | undefined, facts: object): void =>
  writeStdout(json === true ? `${JSON.stringify({ v: JSON_VERSION, ...facts })}\n` : text);

export interface KeyFlags extends AtServer {
  readonly out?: string;
  readonly after?: string;
  readonly json?: boolean;
}

/** `assent team policy key`: a new key in a file; with `--after` the one that follows an older one. */
export async function policyKey({ out, after, json, ...at }: KeyFlags): Promise<number> {
  const file = out === undefined ? defaultKeyFile() : absolute(out);
  if (after === undefined) {
    const key = makeTeamKey([]);
    const problem = writeTeamKey(file, key);
    if (problem !== undefined) return failed("key", { problem });
    printed(
      `${visible(file)} has the team's key now: keep a copy where no server and no agent can read it.\n${openName(file)}` +
        `  public key  ${key.public}\n  its id      ${key.id}\nAn administrator types the public key at the server's page, under Policies.\n`,
      json,
      { file, public: key.public, id: key.id },
    );
    return 0;
  }
  const at_ = await KeyedServer.open({ ...at, key: after });
  if ("problem" in at_) return failed("key", at_);
  const listed = await at_.ask("list");
  if ("problem" in listed) return failed("key", listed);
  const groups = listed.is === "list" ? listed.groups : [];
  const key = makeTeamKey([...at_.key.before, at_.key.public]);
  const statement: KeyChange = {
    is: "key",
    organisation: at_.head.organisation,
    from: at_.key.public,
    to: key.public,
    last: Object.fromEntries(groups.flatMap(({ group, versions }) => (versions[0] === undefined ? [] : [[group, versions[0].version]]))),
    made: new Date().toISOString(),
  };
  const problem = writeTeamKey(file, key);
  if (problem !== undefined) return failed("key", { problem });
  const signed = signStatement(statement, pairOf(at_.key));
  const change = { ...signed, proof: signStatement(statement, pairOf(key)).signature };
  const told = await at_.ask("rotate", { about: hashStatement(statement) }, { change });
  if ("problem" in told)
    return failed("key", { ...told, help: `the new key in ${visible(file)} counts nowhere: remove it, and try again` });
  const last = Object.entries(statement.last);
  printed(
    `${visible(file)} has the team's key now, ${key.id}; the old one, ${at_.key.id}, signs nothing more.\n${openName(file)}` +
      (last.length === 0
        ? ""
        : `What it signed counts up to ${last.map(([group, version]) => `version ${version} of ${group}`).join(", ")}.\n`),
    json,
    { file, public: key.public, id: key.id, before: at_.key.id, last: statement.last },
  );
  return 0;
}

const openName = (file: string): string =>
  isClosedName(file) ? "" : "Agents on this machine may read a file of that name: call it team-policy-key.json, in whatever folder.\n";

const pairOf = (key: TeamKey): { readonly publicKey: string; readonly privateKey: string } => ({
  publicKey: key.public,
  privateKey: key.private,
});

export interface SignFlags extends Grouped {
  readonly expires: string;
  readonly renew: string;
  readonly previous?: string;
  readonly out?: string;
}

/** `assent team policy sign FILE`: 0 signed, 1 not, 2 wrong usage. */
export async function policySign(file: string, flags: SignFlags): Promise<number> {
  const { group = GROUP_OF_ALL, out, json } = flags;
  const [expires, renew] = [lengthOf(flags.expires), lengthOf(flags.renew)];
  if (typeof expires === "object" || typeof renew === "object" || !isGroupName(group)) {
    const wrong =
      typeof expires === "object" ? expires.wrong : typeof renew === "object" ? renew.wrong : "a group's name has a-z, 0-9 and -";
    complain("team policy sign", wrong);
    return 2;
  }
  const path = absolute(file);
  const found = readRegular(path, MOST_POLICY_BYTES);
  if (found.is !== "text") return failed("sign", { problem: `${file} ${found.is === "missing" ? "does not exist" : found.why}` });
  const read = readPolicyText({ layer: "user", file: path }, found.text, () => ({ why: "a team's policy names no files as packs" }));
  if (!read.ok) {
    showProblems(read.problems, (name) => visible(shorten(name, absolute("."), thisMachine().home)));
    return failed("sign", { problem: `${file} has mistakes: nothing is signed` });
  }
  const before = await previousOf(flags, group);
  if ("problem" in before) return failed("sign", before);
  const { key, organisation, heartbeat, previous } = before;
  const made = new Date();
  const after = (milliseconds: number): string => new Date(made.getTime() + milliseconds).toISOString();
  const statement: PolicyVersion = {
    is: "policy",
    organisation,
    group,
    version: (previous?.statement.version ?? 0) + 1,
    previous: previous === undefined ? null : hashStatement(previous.statement),
    made: made.toISOString(),
    expires: expires === undefined ? null : after(expires),
    renewal: expires === undefined || renew === undefined || heartbeat === undefined ? null : { key: heartbeat, until: after(renew) },
    policy: found.text,
  };
  const signed = signStatement(statement, pairOf(key));
  if (!isSignedPolicy(signed)) return failed("sign", { problem: `${file} holds signs that no text has` });
  const text = `${JSON.stringify(signed)}\n`;
  if (out === undefined) writeStdout(text);
  else {
    try {
      writeAtomic(absolute(out), text, 0o644);
    } catch (error) {
      return failed("sign", { problem: `${out} cannot be written: ${String(error)}` });
    }
    printed(
      `Version ${statement.version} of ${group}, signed by ${key.id}, is in ${visible(out)}: \`assent team policy push ${visible(out)}\`\n`,
      json,
      {
        version: statement.version,
        group,
        key: key.id,
        hash: hashStatement(statement),
        expires: statement.expires,
        out,
      },
    );
  }
  return 0;
}

/** Milliseconds; undefined: never, or none. */
const lengthOf = (text: string): number | undefined | { readonly wrong: string } =>
  text === "never" || text === "none" ? undefined : readLength(text);

interface Before {
  readonly key: TeamKey;
  readonly organisation: string;
  readonly heartbeat: string | undefined;
  readonly previous: Signed<PolicyVersion> | undefined;
}

/** What the new version follows: a file, or what the server has. Either is believed by its signature only. */
async function previousOf(flags: SignFlags, group: string): Promise<Before | TeamFailure> {
  if (flags.previous !== undefined) {
    const key = readTeamKey(flags.key);
    if ("problem" in key) return key;
    const previous = readSignedFile(flags.previous);
    if ("problem" in previous) return previous;
    const { statement } = previous;
    if (statement.group !== group) return { problem: `${flags.previous} is of the group ${statement.group}` };
    if (!isOurs(previous, key)) return { problem: `${flags.previous} is not signed by this key` };
    return { key, organisation: statement.organisation, heartbeat: statement.renewal?.key, previous };
  }
  const at = await KeyedServer.open(flags);
  if ("problem" in at) return at;
  const listed = await at.ask("list", { group });
  if ("problem" in listed) return listed;
  const previous = listed.is === "list" ? listed.signed : undefined;
  if (
    previous !== undefined &&
    (previous.statement.group !== group || previous.statement.organisation !== at.head.organisation || !isOurs(previous, at.key))
  )
    return { problem: "what the server says was signed last is not signed by this key, nor by one before it" };
  return { key: at.key, organisation: at.head.organisation, heartbeat: at.head.heartbeat, previous };
}

const isOurs = (signed: Signed<PolicyVersion>, key: TeamKey): boolean => [key.public, ...key.before].some((one) => isSignedBy(signed, one));

function readSignedFile(file: string): Signed<PolicyVersion> | TeamFailure {
  const found = readRegular(absolute(file), 2 * MOST_POLICY_BYTES);
  if (found.is !== "text") return { problem: `${file} ${found.is === "missing" ? "does not exist" : found.why}` };
  const value = parseJson(found.text);
  if (isSignedPolicy(value)) return value;
  return { problem: `${file} is not what \`assent team policy sign\` writes` };
}

/** `assent team policy push FILE`: hands a signed version in; nobody has it before it is released. */
export async function policyPush(file: string, flags: Keyed & { readonly json?: boolean }): Promise<number> {
  const signed = readSignedFile(file);
  if ("problem" in signed) return failed("push", signed);
  const at = await KeyedServer.open(flags);
  if ("problem" in at) return failed("push", at);
  const told = await at.ask("push", { about: hashStatement(signed.statement) }, { signed });
  if ("problem" in told) return failed("push", told);
  const { version, group } = signed.statement;
  printed(
    `Version ${version} of ${group} is on the server. \`assent team policy release ${version}${ofGroup(group)}\` gives it to machines.\n`,
    flags.json,
    {
      version,
      group,
    },
  );
  return 0;
}

const ofGroup = (group: string): string => (group === GROUP_OF_ALL ? "" : ` --group ${group}`);

/** `assent team policy release VERSION`: to so many machines of a hundred, or all. */
export async function policyRelease(version: number, flags: Grouped & { readonly percent: number }): Promise<number> {
  const { group = GROUP_OF_ALL, percent, json } = flags;
  const at = await KeyedServer.open(flags);
  if ("problem" in at) return failed("release", at);
  const signed = await versionAt(at, group, version);
  if ("problem" in signed) return failed("release", signed);
  const told = await at.ask("release", { group, version, percent, about: hashStatement(signed.statement) });
  if ("problem" in told) return failed("release", told);
  printed(`Version ${version} of ${group} goes to ${percent === 100 ? "all its machines" : `${percent} of 100 of its machines`}.\n`, json, {
    version,
    group,
    percent,
  });
  return 0;
}

/** A version as the server has it, held against the key. */
export async function versionAt(at: KeyedServer, group: string, version: number | null): Promise<Signed<PolicyVersion> | TeamFailure> {
  const listed = await at.ask("list", { group, version });
  if ("problem" in listed) return listed;
  const signed = listed.is === "list" ? listed.signed : undefined;
  if (signed === undefined || signed.statement.group !== group || (version !== null && signed.statement.version !== version))
    return { problem: `the server has no ${version === null ? "policy" : `version ${version}`} of ${group}` };
  return isOurs(signed, at.key)
    ? signed
    : { problem: `what the server has as version ${signed.statement.version} is not signed by the team's key` };
}

/** `assent team policy list`: groups, versions, who has which. */
export async function policyList(flags: Keyed & { readonly json?: boolean }): Promise<number> {
  const at = await KeyedServer.open(flags);
  if ("problem" in at) return failed("list", at);
  const listed = await at.ask("list");
  if ("problem" in listed) return failed("list", listed);
  const groups = listed.is === "list" ? listed.groups : [];
  printed(groups.map(groupText).join("\n"), flags.json, { groups });
  return 0;
}

function groupText({ group, versions, all, some, machines }: PolicyGroup): string {
  const rows = versions
    .slice(0, 20)
    .map(
      ({ version, made, key, percent }) =>
        `  ${String(version).padStart(5)}  ${made.slice(0, 16).replace("T", " ")}  ${key}  ` +
        `${percent === null ? "not released" : version === all ? "all" : `${percent} of 100`}\n`,
    );
  const have = machines.map(
    (one) => `${one.machines} ${one.machines === 1 ? "has" : "have"} ${one.version === null ? "none" : `version ${one.version}`}`,
  );
  const out = all === null ? "nothing is out to all" : `version ${all} is out to all`;
  const staged = some === null ? "" : `, version ${some.version} to ${some.percent} of 100`;
  return `${visible(group)}: ${out}${staged}${have.length === 0 ? "" : `; of its machines ${have.join(", ")}`}\n${rows.join("")}`;
}

/** `assent team policy show [VERSION]`: the text of a version, the newest where none is named. */
export async function policyShow(version: number | undefined, flags: Grouped): Promise<number> {
  const at = await KeyedServer.open(flags);
  if ("problem" in at) return failed("show", at);
  const signed = await versionAt(at, flags.group ?? GROUP_OF_ALL, version ?? null);
  if ("problem" in signed) return failed("show", signed);
  printed(signed.statement.policy, flags.json, { signed });
  return 0;
}

/** The two versions that are compared: named ones, else what is out to all and the newest. */
export async function versionsToCompare(
  at: KeyedServer,
  group: string,
  from: number | undefined,
  to: number | undefined,
): Promise<{ readonly before: PolicyVersion | undefined; readonly after: PolicyVersion } | TeamFailure> {
  const listed = await at.ask("list");
  if ("problem" in listed) return listed;
  const all = (listed.is === "list" ? listed.groups : []).find((one) => one.group === group)?.all ?? undefined;
  const after = await versionAt(at, group, to ?? null);
  if ("problem" in after) return after;
  const old = from ?? all;
  if (old === undefined) return { before: undefined, after: after.statement };
  const before = await versionAt(at, group, old);
  return "problem" in before ? before : { before: before.statement, after: after.statement };
}

/** `assent team policy diff [FROM] [TO]`. */
export async function policyDiff(from: number | undefined, to: number | undefined, flags: Grouped): Promise<number> {
  const at = await KeyedServer.open(flags);
  if ("problem" in at) return failed("diff", at);
  const group = flags.group ?? GROUP_OF_ALL;
  const found = await versionsToCompare(at, group, from, to);
  if ("problem" in found) return failed("diff", found);
  const { before, after } = found;
  if (flags.json === true) printed("", true, { group, before: before ?? null, after });
  else if (before?.policy === after.policy) writeStderr("the two say the same\n");
  else writeStdout(fileDiff(`${group}, version ${before?.version ?? 0} to ${after.version}`, before?.policy, after.policy));
  return 0;
}

/** `assent team policy trust KEY`: takes a team's first key, and no other; it is there already where this machine has asked since. */
export async function policyTrust(id: string): Promise<number> {
  const machine = thisMachine();
  const membership = readMembership(machine);
  const pin = readTeamPin(machine);
  if (typeof membership === "string" || pin === undefined)
    return failed("trust", { problem: "this machine belongs to no team", help: "assent team join https://…" });
  if (pin.keys.length > 0 && keyIdOf(pin.keys.at(-1)?.key ?? "") === id) {
    writeStdout(`This machine takes policies that ${id} signs.\n`);
    return 0;
  }
  if (pin.keys.length > 0)
    return failed("trust", {
      problem: "this machine knows its team's key already; each key names the one that follows it",
      help: "to begin anew: assent team leave, then join",
    });
  const asked = await askServer(membership, "POST", "/v1/policy", PolicyAnswer, { v: 1 });
  if (asked.is !== "answered") return failed("trust", { problem: `${membership.url}: ${asked.why}` });
  const { key } = asked.message;
  if (key === undefined || keyIdOf(key) !== id)
    return failed("trust", { problem: `the team's key is ${key === undefined ? "not there yet" : keyIdOf(key)}, not ${id}` });
  const problem = writePin(machine, { ...pin, keys: [{ key, last: null }] });
  if (problem !== undefined) return failed("trust", { problem });
  const fetched = await fetchTeamPolicy(machine, membership);
  writeStdout(
    `This machine takes policies that ${id} signs${fetched.version === undefined ? "" : `; it has version ${fetched.version} now`}.\n`,
  );
  if (fetched.problem !== undefined) return failed("trust", { problem: fetched.problem });
  return 0;
}
