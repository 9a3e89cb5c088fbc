import { nextLogBatch } from "../audit/index.ts";
import { type Machine, stateFolder } from "../state/index.ts";
import { type KnownAfar, knownAfar } from "./afar/index.ts";
import { readProgress, type TeamMembership } from "./membership.ts";

/** What has left this machine, word for word. */
export interface LastSent {
  /** The newest records that the server has taken, as lines of the log, the oldest first. */
  readonly records: readonly string[];
  readonly questions: readonly KnownAfar[];
}

const READ = { lines: 1000, bytes: 4 << 20 };

/** The newest of what was sent to the team. */
export function lastSent(machine: Machine, membership: TeamMembership, most: number): LastSent {
  const marks = readProgress(machine)?.marks ?? [];
  const last = marks.at(-1);
  const questions = knownAfar(machine).slice(-most);
  if (last === undefined) return { records: [], questions };
  // A mark for each batch: some of them hold enough.
  const from = marks.findLast(({ seq }) => last.seq - seq >= most)?.place ?? membership.from;
  const { lines } = nextLogBatch(stateFolder(machine), from, READ);
  const sent = lines.filter(({ link }) => link === undefined || link.seq <= last.place.seq).map(({ text }) => text);
  return { records: sent.slice(-most), questions };
}
