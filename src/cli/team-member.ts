import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { visible } from "../action/index.ts";
import { endOfLog } from "../audit/index.ts";
import { keyIdOf } from "../seal/index.ts";
import { type Machine, stateFolder } from "../state/index.ts";
import {
  askServer,
  chooseProxy,
  fetchTeamPolicy,
  fleetFile,
  forgetTeam,
  readFleetFile,
  readServerUrl,
  type SentLevel,
  type TeamMembership,
  writeMembership,
  writePin,
} from "../team/index.ts";
import { EnrolState, Left, PROTOCOL } from "../team/protocol/index.ts";
import { startDaemon } from "./daemon.ts";
import { JSON_VERSION } from "./json.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { VERSION } from "./program-frame.ts";
import { writeStdout } from "./stdio.ts";

/** For who has one that cannot be used. */
export const NAME_A_PROXY = "--proxy http://HOST:PORT names another one, --proxy none goes without";

/** What a name may hold: one line that can be shown. */
export const labelOf = (text: string): string =>
  text
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, 128);

export interface NewMember {
  readonly at: { readonly url: string; readonly ca: string | undefined; readonly proxy: string | undefined };
  readonly label: string;
  /** That was asked for: of the server's word only the key and the least version are taken. */
  readonly group: string;
  /** The id of the key that it has to be. */
  readonly policyKey: string | undefined;
  readonly level: SentLevel | undefined;
  readonly json: boolean | undefined;
}

/** Keeps what the server said as it let this machine in, and fetches the policy. 0 joined, 1 not. */
export async function becomeMember(
  machine: Machine,
  { at, label, group, policyKey, level, json }: NewMember,
  state: Extract<EnrolState, { readonly is: "joined" }>,
): Promise<number> {
  const membership: TeamMembership = {
    v: 1,
    url: at.url,
    machine: state.machine,
    organisation: state.organisation,
    name: label,
    token: state.token,
    salt: randomBytes(32).toString("base64url"),
    ...(at.ca === undefined ? {} : { ca: at.ca }),
    ...(at.proxy === undefined ? {} : { proxy: at.proxy }),
    ...(level === undefined ? {} : { level }),
    joined: new Date().toISOString(),
    from: endOfLog(stateFolder(machine)),
  };
  const { key, least } = state.policy ?? {};
  const keyId = key === undefined ? undefined : keyIdOf(key);
  if (policyKey !== undefined && keyId !== policyKey) {
    await askServer({ ...at, token: state.token }, "POST", "/v1/leave", Left);
    return failed("join", `the team's key is ${keyId ?? "not there yet"}, not ${policyKey}: this machine did not join`);
  }
  // Of the server's word only the key and the least version are taken. The group is the one that was asked for.
  const pin = { v: 1, organisation: state.organisation, group, keys: key === undefined ? [] : [{ key, last: null }] } as const;
  const problem = writePin(machine, { ...pin, least: least ?? { version: 0, hash: null } }) ?? writeMembership(machine, membership);
  if (problem !== undefined) {
    forgetTeam(machine);
    return failed("join", problem);
  }
  const fetched = await fetchTeamPolicy(machine, membership);
  const sends = startDaemon(machine)
    ? "The judge that stays sends what is decided from now on."
    : "What is decided from now on is sent by: assent team send --follow (or `assent daemon on`)";
  if (json === true) {
    const policy = { group, key: keyId ?? null, version: fetched.version ?? null, problem: fetched.problem };
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, is: "joined", url: at.url, machine: state.machine, name: label, policy })}\n`);
  } else {
    writeStdout(`This machine joined, as ${visible(label)}. ${sends}\n`);
    if (keyId !== undefined)
      writeStdout(
        `Its policies are those that ${keyId} signs: compare this with the team's key.` +
          `${fetched.version === undefined ? "" : ` It has version ${fetched.version} of ${group} now.`}\n`,
      );
  }
  if (fetched.problem !== undefined) complain("team join", visible(fetched.problem), "assent team send fetches the policy again");
  return 0;
}

export interface FleetJoinFlags {
  readonly name?: string | undefined;
  readonly proxy?: string | undefined;
  readonly level?: SentLevel | undefined;
  readonly json?: boolean | undefined;
}

/** Joins by the key that root wrote beside the managed policy. A machine that is many at once, or is asked twice, is one. */
export async function joinByFleet(machine: Machine, { name, proxy, level, json }: FleetJoinFlags): Promise<number> {
  const fleet = readFleetFile(machine);
  if (fleet === undefined) return failed("join", `say which server, or let root write ${fleetFile(machine)} (docs/team.md)`);
  if ("problem" in fleet) return failed("join", fleet.problem);
  const server = readServerUrl(fleet.url);
  if ("problem" in server) return failed("join", `${fleetFile(machine)}: ${fleet.url} ${server.problem}`);
  const label = labelOf(name ?? hostname());
  if (label === "") return failed("join", "this machine has no name", "give it one by --name");
  const way = chooseProxy(server.url, machine.env, proxy ?? fleet.proxy);
  if ("problem" in way) return failed("join", way.problem, NAME_A_PROXY);
  const at = { url: server.url, ca: fleet.ca === undefined ? undefined : absolute(fleet.ca), proxy: way.proxy };
  const member = { at, label, group: fleet.group, policyKey: fleet.policyKey, level: level ?? fleet.level, json };
  return joinWith(machine, "/v1/enrol/fleet", member, { key: fleet.key });
}

/** Joins by what lets this machine in at once: a key, or a token. */
export async function joinWith(machine: Machine, path: string, member: NewMember, by: Readonly<Record<string, string>>): Promise<number> {
  const { at, label, group } = member;
  const message = {
    v: PROTOCOL,
    name: label,
    platform: `${process.platform} ${process.arch}`,
    version: VERSION,
    group,
    ...by,
    // Its token follows from it: an answer that is lost can be asked for again.
    secret: randomBytes(32).toString("base64url"),
  };
  for (let tries = 1; ; tries++) {
    const asked = await askServer(at, "POST", path, EnrolState, message);
    if (asked.is === "answered" && asked.message.is === "joined") return becomeMember(machine, member, asked.message);
    if (asked.is !== "away" || tries === TRIES)
      return failed("join", `${at.url}: ${asked.is === "answered" ? "this machine was not let in" : asked.why}`);
  }
}

const TRIES = 3;

function failed(command: string, message: string, help?: string): number {
  complain(`team ${command}`, visible(message), help);
  return 1;
}
