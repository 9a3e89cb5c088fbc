import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { endOfLog } from "@assent/guard/audit";
import { keyIdOf } from "@assent/guard/signature";
import { type Machine, stateFolder } from "@assent/guard/state";
import { askServer, readServerUrl } from "./client.ts";
import { readFleetFile } from "./fleet/file.ts";
import { fleetFile, fleetMark, readJoining } from "./fleet/index.ts";
import type { SentLevel } from "./level.ts";
import { forgetTeam, type TeamMembership, writeMembership } from "./membership.ts";
import { fetchTeamPolicy, type PolicyFetched, writePin } from "./policy.ts";
import { EnrolState, Left, PROTOCOL } from "./protocol/index.ts";
import { chooseProxy } from "./proxy/choose.ts";

declare const ASSENT_VERSION: string | undefined;
const VERSION = typeof ASSENT_VERSION === "string" ? ASSENT_VERSION : "0.0.0-source";

/** What a name may hold: one line that can be shown. */
export const labelOf = (text: string): string =>
  text
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, 128);

/** A machine that is about to join. */
export interface NewMember {
  readonly at: { readonly url: string; readonly ca: string | undefined; readonly proxy: string | undefined };
  readonly label: string;
  /** That was asked for: of the server's word only the key and the least version are taken. */
  readonly group: string;
  /** The id of the key that it has to be. */
  readonly policyKey: string | undefined;
  readonly level: SentLevel | undefined;
}

/** Whether a machine joined. */
export type Joined =
  | {
      readonly is: "joined";
      readonly member: NewMember;
      readonly machine: string;
      /** Of the team's key for policies. */
      readonly keyId: string | undefined;
      readonly policy: PolicyFetched;
    }
  /** `away`: nobody has said no. `proxy`: the one that is named cannot be used. */
  | { readonly is: "away" | "refused" | "proxy"; readonly why: string; readonly retryAfterMs?: number | undefined };

/** Each try lets a machine in and out again, which the key of a fleet counts. */
const WRONG_KEY_MS = 6 * 3_600_000;

const refused = (why: string): Joined => ({ is: "refused", why });

/** Keeps what the server said as it let this machine in, and fetches the policy. */
export async function becomeMember(
  machine: Machine,
  member: NewMember,
  state: Extract<EnrolState, { readonly is: "joined" }>,
): Promise<Joined> {
  const { at, label, group, policyKey, level } = member;
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
    const why = `the team's key is ${keyId ?? "not there yet"}, not ${policyKey}: this machine did not join`;
    return { is: "refused", why, retryAfterMs: WRONG_KEY_MS };
  }
  // Of the server's word only the key and the least version are taken. The group is the one that was asked for.
  const pin = { v: 1, organisation: state.organisation, group, keys: key === undefined ? [] : [{ key, last: null }] } as const;
  const problem = writePin(machine, { ...pin, least: least ?? { version: 0, hash: null } }) ?? writeMembership(machine, membership);
  if (problem !== undefined) {
    forgetTeam(machine);
    return refused(problem);
  }
  return { is: "joined", member, machine: state.machine, keyId, policy: await fetchTeamPolicy(machine, membership) };
}

const TRIES = 3;

/** From which a machine's token follows: an answer that is lost can be asked for again. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** Joins by what lets this machine in at once: a key, or a token. */
export async function joinWith(
  machine: Machine,
  path: string,
  member: NewMember,
  by: Readonly<Record<string, string>>,
  secret = newSecret(),
): Promise<Joined> {
  const { at, label, group } = member;
  const message = {
    v: PROTOCOL,
    name: label,
    platform: `${process.platform} ${process.arch}`,
    version: VERSION,
    group,
    ...by,
    secret,
  };
  for (let tries = 1; ; tries++) {
    const asked = await askServer(at, "POST", path, EnrolState, message);
    if (asked.is === "answered")
      return asked.message.is === "joined"
        ? await becomeMember(machine, member, asked.message)
        : refused(`${at.url}: this machine was not let in`);
    const why = `${at.url}: ${asked.why}`;
    if (asked.is === "refused") return refused(why);
    if (tries === TRIES) return { is: "away", why, retryAfterMs: asked.retryAfterMs };
  }
}

/** By which it was asked before, and perhaps answered, though nobody heard it. */
function askedSecret(machine: Machine): string {
  const joining = readJoining(machine);
  return joining !== undefined && joining.mark === fleetMark(machine) && joining.secret !== "" ? joining.secret : newSecret();
}

/** What a person says in the place of the file. */
export interface FleetWishes {
  readonly name?: string | undefined;
  readonly proxy?: string | undefined;
  readonly level?: SentLevel | undefined;
}

/** Joins by the key that root wrote beside the managed policy. A machine that is many at once, or is asked twice, is one. */
export async function joinByFleetFile(machine: Machine, { name, proxy, level }: FleetWishes): Promise<Joined> {
  const file = fleetFile(machine);
  const fleet = readFleetFile(machine);
  if (fleet === undefined) return refused(`say which server, or let root write ${file} (docs/team.md)`);
  if ("problem" in fleet) return refused(fleet.problem);
  const server = readServerUrl(fleet.url);
  if ("problem" in server) return refused(`${file}: ${fleet.url} ${server.problem}`);
  const label = labelOf(name ?? hostname());
  if (label === "") return refused("this machine has no name: give it one by `assent team join --name NAME`");
  const way = chooseProxy(server.url, machine.env, proxy ?? fleet.proxy);
  if ("problem" in way) return { is: "proxy", why: way.problem };
  const at = { url: server.url, ca: fleet.ca === undefined ? undefined : resolve(dirname(file), fleet.ca), proxy: way.proxy };
  const member = { at, label, group: fleet.group, policyKey: fleet.policyKey, level: level ?? fleet.level };
  return joinWith(machine, "/v1/enrol/fleet", member, { key: fleet.key }, askedSecret(machine));
}
