import { visible } from "@assent/core/action";
import { packsNow, readPlace } from "@assent/guard/policy-edit";
import { POLICY_NAME, realWorld } from "@assent/guard/engine";
import { joinPath } from "@assent/core/path";
import type { PolicyFile } from "@assent/core/policy";
import { changePins, keepAgreed, readAgreed, readRegular, readTrust, thisMachine, hexDigest } from "@assent/guard/state";
import { askYes } from "./ask-yes.ts";
import { fileDiff } from "./file-diff.ts";
import { writeJson } from "./json.ts";
import { absolute } from "./place.ts";
import { complain, failing, showProblems, targetOf, type PolicyTarget } from "./policy-target.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

interface TrustOptions {
  /** The packs that the user's own policy names. */
  readonly global?: boolean;
  readonly list?: boolean;
  /** True: that of the project here. */
  readonly revoke?: string | true;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const COMMAND = "trust";
const fail = failing(COMMAND);
const MAX_BYTES = 1 << 20;

/** `assent trust`: lets the allow rules of this project's policy count, as long as its text stays as it is. */
export async function trust(options: TrustOptions): Promise<number> {
  if (options.list === true) return list(options);
  if (options.revoke !== undefined) return revoke(options.revoke, options);
  const target = targetOf(COMMAND, { local: options.global !== true });
  if (target === undefined) return 2;
  const { machine, place, short } = target;
  const named = new Map<string, string>();
  const found = readPlace(place, (name) => {
    const pack = packsNow(place)(name);
    if ("text" in pack) named.set(pack.file, pack.text);
    return pack;
  });
  if (found.is === "missing" && readTrust(machine).pins.has(place.file))
    return fail(`${short(place.file)} is gone; what you agreed to still forbids`, "`assent trust --revoke` ends that");
  if (found.is === "missing") return fail(`${short(place.file)} does not exist`, "`assent init --local` makes it");
  if (found.is === "unreadable") return fail(`${short(place.file)} ${visible(found.why)}`);
  if (!found.read.ok) {
    complain(COMMAND, `${short(place.file)} has mistakes and is not trusted`);
    showProblems(found.read.problems, short);
    return 1;
  }
  const { policy } = found.read;
  const hash = hexDigest(found.text);
  const grants = grantsOf(policy);
  const facts = {
    file: place.file,
    hash,
    trusted: true,
    allows: grants.map(({ text, line }) => ({ text: visible(text), line })),
    ...(named.size === 0 ? {} : { packs: [...named.keys()] }),
  };
  const texts = new Map([...(options.global === true ? [] : [[place.file, found.text] as const]), ...named]);
  if (texts.size === 0) return fail(`${short(place.file)} names no file as a pack`, "your own policy counts without your yes");
  const { pins } = readTrust(machine);
  const keep = (): boolean => [...texts.values()].every((text) => keepAgreed(machine, hexDigest(text), text));
  const changed = [...texts].filter(([file, text]) => pins.get(file) !== hexDigest(text));
  if (changed.length === 0) {
    keep();
    if (options.json === true) writeJson({ ...facts, changed: false });
    else writeStdout(`${[...texts.keys()].map(short).join(", ")} ${texts.size === 1 ? "is" : "are"} trusted already\n`);
    return 0;
  }
  const differences = changed.flatMap(([file, text]): readonly string[] => {
    const before = pins.get(file);
    const agreed = before === undefined ? undefined : readAgreed(machine, before, hexDigest);
    return agreed === undefined ? [] : [fileDiff(short(file), agreed, text)];
  });
  const shown = [
    options.global === true ? "" : page(target, { ...policy, rules: policy.rules.filter(({ source }) => !named.has(source.file)) }, grants),
    ...packPages(target, policy, [...named.keys()]),
    ...(differences.length === 0 ? [] : ["since your last yes:\n", ...differences]),
  ].join("");
  if (options.yes !== true) {
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      return fail("this is not a terminal, so nobody can be asked", "read the file, then say `assent trust --yes`");
    writeStderr(shown);
    if (!(await askYes("Trust it?"))) return fail("nothing is trusted");
  } else if (options.json !== true) writeStderr(shown);
  // What was shown is what is pinned: a file that has changed meanwhile has another hash.
  const problem = changePins(machine, (own) => changed.forEach(([file, text]) => own.set(file, hexDigest(text))));
  if (problem !== undefined) return fail(visible(problem));
  // Packs are read from what is kept.
  if (!keep() && named.size > 0) return fail("what you agreed to cannot be kept, so the packs do not count");
  if (options.json === true) writeJson({ ...facts, changed: true });
  else
    for (const [file] of changed)
      writeStdout(named.has(file) ? `${short(file)} counts as you were shown it\n` : `trusted ${short(file)} until it changes\n`);
  return 0;
}

interface TrustedRule {
  readonly text: string;
  readonly line: number;
}

/** What counts only when the file is trusted. */
function grantsOf({ rules, operations }: PolicyFile): readonly TrustedRule[] {
  const allows = [...rules, ...operations.flatMap((block) => block.rules)].filter(({ effect }) => effect === "allow");
  const defaults = operations.filter((block) => block.default === "allow");
  const all = [
    ...allows.map(({ source }): TrustedRule => ({ text: source.text, line: source.line })),
    ...defaults.map(({ operation, defaultSource }): TrustedRule => ({
      text: `${operation}: everything else`,
      line: defaultSource?.line ?? 1,
    })),
  ];
  // A block for `write` speaks for edits too, and is read twice.
  return [...new Map(all.map((grant) => [`${grant.line} ${grant.text}`, grant])).values()];
}

/** What each pack forbids. */
function packPages({ short }: PolicyTarget, { rules }: PolicyFile, packs: readonly string[]): readonly string[] {
  const style = styleFor(process.stderr, process.env);
  return packs.map((file) => {
    const own = rules.filter(({ source }) => source.file === file);
    const lines = own.map(({ source }) => `    ${style.verdict("deny")}  ${visible(source.text)}  ${style.dim(`line ${source.line}`)}\n`);
    return `${style.bold(short(file))}\n  is a pack, and forbids:\n${lines.join("")}`;
  });
}

function page({ place, short }: PolicyTarget, { settings, rules }: PolicyFile, grants: readonly TrustedRule[]): string {
  const style = styleFor(process.stderr, process.env);
  const out = [style.bold(short(place.file))];
  if (grants.length === 0) out.push("  allows nothing");
  else out.push(`  lets this go ahead inside ${visible(place.root ?? "the project")}:`);
  for (const { text, line } of grants) out.push(`    ${style.verdict("allow")}  ${visible(text)}  ${style.dim(`line ${line}`)}`);
  const keys = Object.keys(settings);
  if (keys.length > 0) out.push(`  makes settings stricter: ${keys.join(", ")}`);
  const others = rules.filter(({ effect }) => effect !== "allow").length;
  if (others > 0) out.push(`  ${others} ask and deny rule${others === 1 ? " counts" : "s count"} without trust`);
  return `${out.join("\n")}\n`;
}

function list({ json }: TrustOptions): number {
  const all = [...readTrust(thisMachine()).pins].map(([file, hash]) => {
    const found = readRegular(file, MAX_BYTES);
    const state = found.is === "missing" ? "missing" : found.is === "text" && hexDigest(found.text) === hash ? "valid" : "changed";
    return { file, hash, state };
  });
  if (json === true) writeJson({ projects: all });
  else if (all.length === 0) writeStdout("no project is trusted\n");
  else for (const { file, hash, state } of all) writeStdout(`${state.padEnd(7)}  ${hash.slice(0, 12)}  ${visible(file)}\n`);
  return 0;
}

/** The project may be gone: the path is looked for among those that are trusted, as given and canonical. */
function revoke(path: string | true, { json }: TrustOptions): number {
  const machine = thisMachine();
  let wanted: readonly string[];
  if (path === true) {
    const target = targetOf(COMMAND, { local: true });
    if (target === undefined) return 2;
    wanted = [target.place.file];
  } else {
    const given = absolute(path);
    const real = realWorld(machine, absolute("."), undefined).canonical(given);
    wanted = [given, real].flatMap((at) => [at, joinPath(at, POLICY_NAME)]);
  }
  const { pins } = readTrust(machine);
  const file = wanted.find((one) => pins.has(one));
  if (file === undefined) {
    complain(COMMAND, `${visible(wanted[0] ?? "")} is not trusted`, "`assent trust --list` shows what is");
    // A name that is not there is a wrong use; this folder, which nobody named, is only not trusted.
    return path === true ? 1 : 2;
  }
  const problem = changePins(machine, (own) => own.delete(file));
  if (problem !== undefined) return fail(visible(problem));
  if (json === true) writeJson({ revoked: file });
  else writeStdout(`no longer trusted: ${visible(file)}\n`);
  return 0;
}
