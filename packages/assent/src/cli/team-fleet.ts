import { userInfo } from "node:os";
import { visible } from "@assent/core/action";
import { isGroupName } from "@assent/guard/signature";
import { JSON_VERSION, writeJson } from "./json.ts";
import { complain, refuseUse } from "./policy-target.ts";
import { readLength } from "./since.ts";
import { writeStdout } from "./stdio.ts";
import type { DatabaseFlags } from "./team-package.ts";
import { withOperator } from "./team-records.ts";

export interface FleetKeyFlags extends DatabaseFlags {
  readonly group: string;
  readonly name?: string;
  readonly uses: number;
  readonly expires: string;
  readonly json?: boolean;
}

const who = (): string => `the server, ${userInfo().username}`;

/** `assent team fleet key`: 0 made, 1 not, 2 wrong usage. */
export async function fleetKey(flags: FleetKeyFlags): Promise<number> {
  const COMMAND = "team fleet key";
  const { group, name = group, uses, json } = flags;
  if (!isGroupName(group)) return refuseUse(COMMAND, "a group's name has a-z, 0-9 and -");
  const lasts = readLength(flags.expires);
  if (typeof lasts === "object") return refuseUse(COMMAND, lasts.wrong);
  return withOperator(COMMAND, flags, async (team) => {
    const expires = Date.now() + lasts;
    const key = await team.makeFleetKey({ name, group, uses, expires }, who());
    writeStdout(
      json === true
        ? `${JSON.stringify({ v: JSON_VERSION, name, group, uses, expires: new Date(expires).toISOString(), key })}\n`
        : `The key lets ${uses} machine${uses === 1 ? "" : "s"} into ${group}. It is shown once; root writes it into /etc/assent/team.json of each:\n` +
            `${JSON.stringify({ v: 1, url: "https://…", group, key })}\n`,
    );
    return 0;
  });
}

/** `assent team fleet list`: 0. */
export async function fleetList(flags: DatabaseFlags & { readonly json?: boolean }): Promise<number> {
  return withOperator("team fleet list", flags, async (team) => {
    const keys = await team.fleetKeys();
    if (flags.json === true) writeJson({ keys });
    else if (keys.length === 0) writeStdout("No key was made yet (assent team fleet key --group NAME).\n");
    for (const { id, name, group, uses, used, machines, expires, revoked } of flags.json === true ? [] : keys)
      writeStdout(
        `${id}  ${visible(name)}  ${group}  ${used} of ${uses} used, ${machines} machines there, ` +
          `${revoked === null ? `until ${expires.slice(0, 16)}` : `revoked ${revoked.slice(0, 16)}`}\n`,
      );
    return 0;
  });
}

/** `assent team fleet revoke ID`: 0 done, 1 not. */
export async function fleetRevoke(id: string, flags: DatabaseFlags & { readonly machines?: boolean }): Promise<number> {
  return withOperator("team fleet revoke", flags, async (team) => {
    const gone = await team.revokeFleetKey(id, flags.machines === true, who());
    if (gone === undefined) {
      complain("team fleet revoke", `no key has the id ${visible(id)}`, "assent team fleet list");
      return 1;
    }
    writeStdout(
      `The key lets nobody in any more${flags.machines === true ? `; ${gone} machine${gone === 1 ? "" : "s"} sent away` : ""}.\n`,
    );
    return 0;
  });
}
