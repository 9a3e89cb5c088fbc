import * as v from "valibot";
import { readRegular, type Machine } from "@assent/guard/state";
import { fleetFile } from "./index.ts";
import { SENT_LEVELS } from "../level.ts";
import { GroupName } from "../protocol/policy.ts";

const FleetFile = v.strictObject({
  v: v.literal(1),
  url: v.string(),
  key: v.pipe(v.string(), v.regex(/^[\w-]{43}$/)),
  group: v.optional(GroupName, "default"),
  /** The id of the team's key for policies; without it the server's word is taken. */
  policyKey: v.optional(v.string()),
  /** A file with certificates that vouch for the server. */
  ca: v.optional(v.string()),
  /** What leads to the server: an address, `none` or `environment`, which it is without a word. */
  proxy: v.optional(v.string()),
  /** How much of each decision is sent. */
  level: v.optional(v.picklist(SENT_LEVELS)),
});

/** How the machines of a fleet let themselves into a team. */
export type FleetFile = v.InferOutput<typeof FleetFile>;

/** What root wrote beside the managed policy; undefined: nothing. Whoever else could write it could name a server of their own. */
export function readFleetFile(machine: Machine): FleetFile | { readonly problem: string } | undefined {
  const file = fleetFile(machine);
  const found = readRegular(file, 16_384);
  if (found.is === "missing") return undefined;
  if (found.is === "broken") return { problem: `${file} ${found.why}` };
  if (found.stats.uid !== 0 || (found.stats.mode & 0o022) !== 0)
    return { problem: `${file} can be written by others than root: it does not count` };
  try {
    const read = v.safeParse(FleetFile, JSON.parse(found.text));
    return read.success ? read.output : { problem: `${file}: \`${v.getDotPath(read.issues[0]) ?? "it"}\` is not as it should be` };
  } catch {
    return { problem: `${file} is not JSON` };
  }
}
