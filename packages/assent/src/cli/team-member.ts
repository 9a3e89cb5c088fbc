import { visible } from "@assent/core/action";
import type { Machine } from "@assent/guard/state";
import { type FleetProgress, type FleetWishes, joinByFleetFile, type Joined } from "@assent/team/team";
import { startDaemon } from "./daemon.ts";
import { writeJson } from "./json.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";

/** For who has one that cannot be used. */
export const NAME_A_PROXY = "--proxy http://HOST:PORT names another one, --proxy none goes without";

/** Says whether this machine joined. 0 joined, 1 not. */
export function sayJoined(machine: Machine, joined: Joined, json: boolean | undefined): number {
  if (joined.is !== "joined") {
    complain("team join", visible(joined.why), joined.is === "proxy" ? NAME_A_PROXY : undefined);
    return 1;
  }
  const { member, keyId, policy: fetched } = joined;
  const { at, label, group } = member;
  const sends = startDaemon(machine)
    ? "The daemon sends what is decided from now on."
    : "What is decided from now on is sent by: assent team send --follow (or `assent daemon on`)";
  if (json === true) {
    const policy = { group, key: keyId ?? null, version: fetched.version ?? null, problem: fetched.problem };
    writeJson({ is: "joined", url: at.url, machine: joined.machine, name: label, policy });
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

export interface FleetJoinFlags extends FleetWishes {
  readonly json?: boolean | undefined;
}

/** Joins by the key that root wrote beside the managed policy, because a person says so now. 0 joined, 1 not. */
export const joinByFleet = async (machine: Machine, { json, ...wishes }: FleetJoinFlags): Promise<number> =>
  sayJoined(machine, await joinByFleetFile(machine, wishes), json);

/** How it goes with joining by root's file, in words. */
export function joiningText({ file, is, tries, why, next }: FleetProgress): string {
  if (is === "left") return `it left the one that ${file} names; assent team join joins that again`;
  if (is === "new") return `${file} names one, which it joins with the next hook call or run (assent team join: now)`;
  if (is === "trying") return `it is being let in by ${file}`;
  const again = next === undefined ? "at the next hook call or run" : `after ${next.slice(0, 19).replace("T", " ")} UTC`;
  const count = tries === 1 ? "once" : `${tries} times`;
  return `by ${file} it tried ${count}, and ${is === "away" ? "the server is away" : "was refused"}: ${why ?? ""}; again ${again} (assent team join: now)`;
}
