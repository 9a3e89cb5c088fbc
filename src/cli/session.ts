import { visible } from "../action/index.ts";
import { agentNamed } from "../agents/index.ts";
import { shellSteering, steeringOf } from "../agents/install/index.ts";
import { projectOf } from "../engine/index.ts";
import type { Machine } from "../state/index.ts";

// Entry of dist/session.cjs, which the hook loads when a session starts.

const MOST_SAID = 6;
const LONGEST = 300;

/** What the person is told at the start of a session: what in this folder switches hooks off, steers them or waives questions. */
export function sessionWarning(id: string, machine: Machine, folder: string): string | undefined {
  try {
    return weakening(id, machine, folder);
  } catch (error) {
    // A warning: nothing that goes wrong here stops a session.
    return `Assent could not look at the settings here: ${visible(String(error)).slice(0, 200)}`;
  }
}

function weakening(id: string, machine: Machine, folder: string): string | undefined {
  const setup = agentNamed(id)?.setup;
  if (setup === undefined || !folder.startsWith("/")) return undefined;
  const top = projectOf(folder, machine);
  const found = [...steeringOf(setup, machine, folder, top), ...shellSteering(machine, folder, top)].filter(
    ({ does, told }) => does !== "starts" || told === true,
  );
  if (found.length === 0) return undefined;
  const short = (file: string): string => (file.startsWith(`${machine.home}/`) ? `~${file.slice(machine.home.length)}` : file);
  const said = found.slice(0, MOST_SAID).map(({ file, what }) => `- ${visible(`${short(file)}: ${what}`).slice(0, LONGEST)}`);
  const more = found.length > MOST_SAID ? [`- and ${found.length - MOST_SAID} more`] : [];
  return [
    "Assent: settings here weaken what protects you:",
    ...said,
    ...more,
    "Take them out if you did not put them there; `assent doctor` says more.",
  ].join("\n");
}
