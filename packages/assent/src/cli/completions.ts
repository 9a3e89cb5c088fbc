import { visible } from "@assent/core/action";
import { AGENTS } from "@assent/hosts/agents";
import { listProfiles, type Machine, thisMachine } from "@assent/guard/state";
import { listRuns, listSessions, runsFolder } from "@assent/supervisor/supervise/undo";
import type { ListedKind } from "./command-table.ts";
import { grantIds } from "./grants.ts";
import { writeStdout } from "./stdio.ts";
import { launchers } from "./wrap-launcher.ts";

/** More than anybody looks through. */
const MOST = 200;

const NAMES: Readonly<Record<ListedKind, (machine: Machine) => readonly string[]>> = {
  run: (machine) =>
    listRuns(runsFolder(machine))
      .map(({ id }) => id)
      .toReversed(),
  session: (machine) =>
    listSessions(listRuns(runsFolder(machine)))
      .map(({ session }) => session)
      .toReversed(),
  profile: (machine) => listProfiles(machine).map(({ name }) => name),
  grant: grantIds,
  host: () => AGENTS.flatMap(({ id, setup }) => (setup === undefined ? [] : [id])),
  wrapped: (machine) => launchers(machine).all.map(({ name }) => name),
};

/** `assent completions KIND`: for the scripts of `assent completion`, one name a line. Names that a shell would read otherwise are left out. */
export function listNames(kind: ListedKind): number {
  const names = NAMES[kind](thisMachine()).filter((name) => /^[\w@%+:,./-]+$/.test(name));
  writeStdout(
    names
      .slice(0, MOST)
      .map((name) => `${visible(name)}\n`)
      .join(""),
  );
  return 0;
}
