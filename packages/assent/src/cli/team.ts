import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { visible } from "@assent/core/action";
import { endOfLog } from "@assent/guard/audit";
import { isGroupName } from "@assent/guard/signature";
import { type Machine, stateFolder, thisMachine } from "@assent/guard/state";
import { isTeamReached } from "@assent/team/team/remote";
import {
  askServer,
  becomeMember,
  changeMembership,
  chooseProxy,
  fetchTeamPolicy,
  fleetMark,
  type FleetProgress,
  fleetProgress,
  followTeam,
  forgetTeam,
  type HeldPolicy,
  joinWith,
  labelOf,
  lastSent,
  noteLeft,
  proxyHost,
  policyWaiting,
  type PolicyWaiting,
  readHeld,
  readMembership,
  readProgress,
  readSender,
  readServerUrl,
  type SentLevel,
  sendToTeam,
  senderText,
  type TeamMembership,
  type TeamSender,
} from "@assent/team/team";
import { EnrolStarted, EnrolState, GROUP_OF_ALL, Left, MachineState, PROTOCOL } from "@assent/team/team/protocol";
import { writeJson } from "./json.ts";
import { absolute } from "./place.ts";
import { complain, refuseUse } from "./policy-target.ts";
import { jobName, jobToken } from "./team-ci.ts";
import { LEVEL_TEXTS } from "./team-level.ts";
import { joinByFleet, joiningText, NAME_A_PROXY, sayJoined } from "./team-member.ts";
import { VERSION } from "./program-frame.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

const POLL_MS = 2000;

export interface TeamJoinFlags {
  readonly name?: string;
  readonly ca?: string;
  /** An address, `none` or `environment`. */
  readonly proxy?: string;
  readonly group?: string;
  readonly policyKey?: string;
  readonly level?: SentLevel;
  /** By the token of a job. */
  readonly ci?: boolean;
  readonly json?: boolean;
}

/** `assent team join`: 0 joined, 1 not, 2 wrong usage. */
export async function teamJoin(
  address: string | undefined,
  { name, ca, proxy, group = GROUP_OF_ALL, policyKey, level, ci, json }: TeamJoinFlags,
): Promise<number> {
  const machine = thisMachine();
  const there = readMembership(machine);
  if (there !== "missing")
    return failed(
      "join",
      typeof there === "string" ? "what is known of a team is damaged" : `this machine belongs to ${there.url} already`,
      "assent team leave",
    );
  if (address === undefined && ci === true) return refuseUse("team join", "say which server: assent team join --ci https://…");
  if (address === undefined) return joinByFleet(machine, { name, proxy, level, json });
  const server = readServerUrl(address);
  if ("problem" in server) {
    complain("team join", visible(`${address} ${server.problem}`));
    return 2;
  }
  if (!isGroupName(group)) return refuseUse("team join", "a group's name has a-z, 0-9 and -");
  const label = labelOf(name ?? (ci === true ? jobName(machine) : undefined) ?? hostname());
  if (label === "") return failed("join", "this machine has no name", "give it one by --name");
  const way = chooseProxy(server.url, machine.env, proxy);
  if ("problem" in way) {
    complain("team join", way.problem, NAME_A_PROXY);
    return 2;
  }
  const at = { url: server.url, ca: ca === undefined ? undefined : absolute(ca), proxy: way.proxy };
  if (ci === true) {
    const job = await jobToken(machine, server.url);
    if ("problem" in job) return failed("join", job.problem, job.help);
    return sayJoined(machine, await joinWith(machine, "/v1/enrol/ci", { at, label, group, policyKey, level }, { token: job.token }), json);
  }
  const asked = await askServer(at, "POST", "/v1/enrol", EnrolStarted, {
    v: PROTOCOL,
    name: label,
    platform: `${process.platform} ${process.arch}`,
    version: VERSION,
    ...(group === GROUP_OF_ALL ? {} : { group }),
  });
  if (asked.is !== "answered") return failed("join", `${server.url}: ${asked.why}`);
  const { id, secret, code, expiresIn } = asked.message;
  const minutes = Math.round(expiresIn / 60_000);
  if (json !== true)
    writeStdout(`The code of this machine is  ${code}\nAn administrator types it at ${server.url} within ${minutes} minutes.\n`);
  else writeJson({ is: "waiting", code, url: server.url, expiresIn });
  const state = await untilDecided(at, id, secret, performance.now() + expiresIn);
  if (state.is !== "joined")
    return failed("join", state.is === "waiting" ? "nobody confirmed the code in time" : "this machine was not let in");
  return sayJoined(machine, await becomeMember(machine, { at, label, group, policyKey, level }, state), json);
}

async function untilDecided(at: Parameters<typeof askServer>[0], id: string, secret: string, until: number): Promise<EnrolState> {
  for (;;) {
    const asked = await askServer(at, "POST", "/v1/enrol/poll", EnrolState, { v: PROTOCOL, id, secret });
    if (asked.is === "answered" && asked.message.is !== "waiting") return asked.message;
    if (asked.is === "refused") return { v: PROTOCOL, is: "refused" };
    // A little longer: the last answer may be on its way.
    if (performance.now() > until + 2 * POLL_MS) return { v: PROTOCOL, is: "waiting" };
    await pause(POLL_MS);
  }
}

/** `assent team send`: 0 all of it was sent, 1 not all. */
export async function teamSend({ follow = false }: { readonly follow?: boolean }): Promise<number> {
  const machine = thisMachine();
  const progress = fleetProgress(machine);
  // A machine of a fleet joins by itself; one that is called so waits until it is let in.
  const joins = progress !== undefined && progress.is !== "left";
  if (joins && !follow) await joinByFleet(machine, {});
  const membership = readMembership(machine);
  if (typeof membership === "string" && !(joins && follow)) return noTeam("send", membership);
  const notice = (text: string): void => writeStderr(`assent team send: ${visible(text)}\n`);
  const count = (records: number): void => writeStderr(`${records} record${records === 1 ? "" : "s"} sent\n`);
  if (follow || typeof membership === "string") {
    count(await followTeam({ machine, by: "command", notice, signal: interrupted() }));
    return typeof readMembership(machine) === "string" ? 1 : 0;
  }
  const policy = await fetchTeamPolicy(machine, membership);
  if (policy.is === "changed") notice(`version ${policy.version} of the team's policy holds now`);
  if (policy.problem !== undefined) notice(policy.problem);
  // Another process may send the same at this moment: the server has it once.
  const { records, problem } = await sendToTeam({ machine, membership, follow, ended: () => Promise.resolve(true), notice });
  if (problem !== undefined) complain("team send", visible(problem), "the log keeps what is not sent; call this again");
  count(records);
  return problem === undefined && policy.problem === undefined ? 0 : 1;
}

/** Raised by the first signal, which ends it in order; the second one ends it at once. */
function interrupted(): AbortSignal {
  const over = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => over.abort());
  return over.signal;
}

/** `assent team status`: 0, or 1 where the server is away or does not know this machine. */
export async function teamStatus({ json, sent: showsSent }: { readonly json?: boolean; readonly sent?: boolean }): Promise<number> {
  const machine = thisMachine();
  const membership = readMembership(machine);
  if (membership === "broken") return noTeam("status", membership);
  if (membership === "missing") return sayNoMember(fleetProgress(machine), json);
  const { url, name, joined } = membership;
  const asked = await askServer(membership, "GET", "/v1/machine", MachineState);
  const sent = readProgress(machine)?.marks.at(-1);
  const last = endOfLog(stateFolder(machine)).seq;
  const unsent = Math.max(0, last - (sent?.place.seq ?? membership.from.seq));
  const known =
    asked.is === "answered"
      ? { state: "known", head: asked.message.head, forks: asked.message.forks }
      : { state: asked.is, why: asked.why };
  const sender = senderNow(machine);
  const held = readHeld(machine);
  const waiting = asked.is === "answered" ? await policyWaiting(machine, membership) : undefined;
  const policy =
    held === undefined
      ? { problem: "what it is held against is damaged: assent team leave --offline, then join again" }
      : { ...held, until: held.until === undefined ? undefined : new Date(held.until).toISOString() };
  if (json === true) {
    const shown = showsSent === true ? { sent: lastSent(machine, membership, SHOWN) } : {};
    const proxy = membership.proxy === undefined ? null : proxyHost(membership.proxy);
    const level = membership.level ?? "full";
    const team = {
      url,
      proxy,
      name,
      machine: membership.machine,
      joined,
      level,
      unsent,
      sender: sender ?? null,
      policy,
      waiting: waiting ?? null,
      server: known,
      ...shown,
    };
    writeJson({ team });
  } else {
    writeStdout(`${url}\n  as ${visible(name)}, since ${joined}\n`);
    if (membership.proxy !== undefined) writeStdout(`  through the proxy ${visible(proxyHost(membership.proxy))}\n`);
    writeStdout(`  ${LEVEL_TEXTS[membership.level ?? "full"]} (assent team level)\n`);
    if (asked.is === "answered") {
      const { head, forks } = asked.message;
      writeStdout(
        `  the server has ${head === undefined ? "no record" : `${head.seq} record${head.seq === 1 ? "" : "s"}`} of this machine's chain\n`,
      );
      if (forks > 0) writeStdout(`  and ${forks} that contradict it: a copy of this machine may have sent them\n`);
    } else writeStdout(`  ${asked.is === "away" ? "the server is away" : "the server refuses"}: ${visible(asked.why)}\n`);
    writeStdout(`  ${policyText(held)}\n`);
    if (waiting !== undefined) writeStdout(`  ${waitingText(waiting, held?.group)}\n`);
    const key = held?.keys.at(-1);
    if (key !== undefined) writeStdout(`  its policies are those that ${key} signs: compare this with the team's key\n`);
    writeStdout(`  ${sender === undefined ? NOBODY_SENDS : `${senderText(sender)}${sender.connected ? "" : ", and is not connected"}`}\n`);
    writeStdout(
      unsent === 0 ? "  everything was sent\n" : `  ${unsent} record${unsent === 1 ? " was" : "s were"} not sent yet (assent team send)\n`,
    );
    if (showsSent === true) sayLastSent(lastSent(machine, membership, SHOWN));
  }
  return asked.is === "answered" ? 0 : 1;
}

/** It belongs to no team, or to none yet. */
function sayNoMember(joining: FleetProgress | undefined, json: boolean | undefined): number {
  if (json === true) writeJson({ team: null, joining: joining ?? null });
  else
    writeStdout(
      joining === undefined
        ? "This machine belongs to no team (assent team join https://…).\n"
        : `This machine belongs to no team${joining.is === "left" ? " any more" : " yet"}: ${visible(joiningText(joining))}.\n`,
    );
  return joining?.is === "away" || joining?.is === "refused" ? 1 : 0;
}

const NOBODY_SENDS = "nobody sends by itself: `assent daemon on`, or `assent team send --follow`";

/** Who sends, and whether the server hears it: questions are answered remotely only then. */
function senderNow(machine: Machine): (Pick<TeamSender, "by" | "pid"> & { since: string; connected: boolean }) | undefined {
  const sender = readSender(machine);
  if (sender === undefined) return undefined;
  const { by, pid, since } = sender;
  return { by, pid, since: new Date(since).toISOString(), connected: isTeamReached(machine) };
}

const SHOWN = 20;

/** Word for word: what people would like to know is what others can read. */
function sayLastSent({ records, questions }: ReturnType<typeof lastSent>): void {
  writeStdout(`\nThe last records that were sent:\n${records.length === 0 ? "  none\n" : ""}`);
  for (const record of records) writeStdout(`  ${visible(record)}\n`);
  writeStdout(`\nQuestions that the team can see or has answered:\n${questions.length === 0 ? "  none\n" : ""}`);
  for (const { asked, answer, isOver } of questions) {
    const said = answer === undefined ? (isOver ? "needs no answer any more" : "waits") : `${answer.answer}, by ${answer.by.join(" and ")}`;
    writeStdout(`  ${new Date(asked.asked).toISOString()}  ${visible(said)}  ${visible(JSON.stringify(asked.about))}\n`);
  }
}

/** What the team has and this machine does not, and what is typed. */
function waitingText({ version, why }: PolicyWaiting, group: string | undefined): string {
  const what = `version ${version} of the policy${group === undefined ? "" : ` for ${group}`}`;
  return why === undefined
    ? `${what} waits for this machine: assent team send fetches it`
    : `${what} is not taken here, as it ${visible(why)}: ask who has the team's key`;
}

function policyText(held: HeldPolicy | undefined): string {
  if (held === undefined) return "what its policies are held against is damaged: until it joins again, what would be allowed asks";
  const { version, group, until, problem, keys } = held;
  if (problem !== undefined)
    return `the team's policy ${visible(problem)}: until it is fetched, what would be allowed asks (assent team send)`;
  if (version === undefined) return keys.length === 0 ? "the team has no key for policies yet" : `no policy for ${group} yet`;
  if (until === undefined) return `version ${version} of the policy for ${group} holds`;
  const time = new Date(until).toISOString().slice(0, 16).replace("T", " ");
  return until > Date.now()
    ? `version ${version} of the policy for ${group} holds, without news until ${time} UTC`
    : `version ${version} of the policy for ${group} holds, and what is unknown asks: there was no news in time (${time} UTC)`;
}

/** `assent team proxy`: 0 the server is reached in this way from now on, 1 it is not, and nothing was changed, 2 wrong usage. */
export async function teamProxy(address: string): Promise<number> {
  const machine = thisMachine();
  const membership = readMembership(machine);
  if (typeof membership === "string") return noTeam("proxy", membership);
  const way = chooseProxy(membership.url, machine.env, address);
  if ("problem" in way) {
    complain("team proxy", way.problem);
    return 2;
  }
  const { proxy: _, ...rest } = membership;
  const changed: TeamMembership = way.proxy === undefined ? rest : { ...rest, proxy: way.proxy };
  const asked = await askServer(changed, "GET", "/v1/machine", MachineState);
  if (asked.is === "away") return failed("proxy", `${membership.url}: ${asked.why}`, "nothing was changed");
  const problem = changeMembership(machine, changed);
  if (problem !== undefined) return failed("proxy", problem);
  writeStdout(
    way.proxy === undefined
      ? `${membership.url} is reached without a proxy.\n`
      : `${membership.url} is reached through the proxy ${visible(proxyHost(way.proxy))}.\n`,
  );
  return 0;
}

/** `assent team leave`: 0 left, 1 not. */
export async function teamLeave({ offline }: { readonly offline?: boolean }): Promise<number> {
  const machine = thisMachine();
  const membership = readMembership(machine);
  if (membership === "missing" || (membership === "broken" && offline !== true)) return noTeam("leave", membership);
  if (typeof membership !== "string" && offline !== true) {
    const { url } = membership;
    const asked = await askServer(membership, "POST", "/v1/leave", Left);
    // One that does not know the token has nothing to forget.
    if (asked.is === "away" || (asked.is === "refused" && asked.status !== 401))
      return failed(
        "leave",
        `${url} could not be told: ${asked.why}`,
        "--offline leaves all the same; an administrator can remove the machine there",
      );
  }
  forgetTeam(machine);
  noteLeft(machine);
  const again = fleetMark(machine) === "" ? "" : " It does not join by itself again (assent team join).";
  writeStdout(`This machine belongs to no team any more. What was sent stays on the server.${again}\n`);
  return 0;
}

function noTeam(command: string, membership: "missing" | "broken"): number {
  return membership === "missing"
    ? failed(command, "this machine belongs to no team", "assent team join https://…")
    : failed(command, "what is known of the team is damaged", "assent team leave --offline, then join again");
}

function failed(command: string, message: string, help?: string): number {
  complain(`team ${command}`, visible(message), help);
  return 1;
}
