import { nextLogBatch } from "@assent/guard/audit";
import { type Machine, stateFolder } from "@assent/guard/state";
import { type KnownRemote, knownRemote } from "./remote/index.ts";
import { lineSent } from "./level.ts";
import { readProgress, type TeamMembership, type TeamProgress } from "./membership.ts";

/** What has left this machine, word for word. */
export interface LastSent {
  /** The newest records that the server has taken, as it has them, the oldest first. */
  readonly records: readonly string[];
  readonly questions: readonly KnownRemote[];
}

type Mark = TeamProgress["marks"][number];

const READ = { lines: 1000, bytes: 4 << 20 };

/** The newest of what was sent to the team. */
export function lastSent(machine: Machine, membership: TeamMembership, most: number): LastSent {
  const marks = readProgress(machine)?.marks ?? [];
  const last = marks.at(-1);
  const questions = knownRemote(machine).slice(-most);
  if (last === undefined) return { records: [], questions };
  // A mark for each batch: some of them hold enough.
  const from = marks.findLast(({ seq }) => last.seq - seq >= most)?.place ?? membership.from;
  const { lines } = nextLogBatch(stateFolder(machine), from, READ);
  const sent = lines.filter(({ link }) => link === undefined || link.seq <= last.place.seq).slice(-most);
  const levelOf = (seq = 0): Mark["level"] => (marks.find(({ place }) => place.seq >= seq) ?? last).level;
  return { records: sent.flatMap(({ text, link }) => lineSent(text, levelOf(link?.seq) ?? "full") ?? []), questions };
}
