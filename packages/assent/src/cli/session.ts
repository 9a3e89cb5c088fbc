import { realpathSync } from "node:fs";
import { visible } from "@assent/core/action";
import { agentNamed } from "@assent/hosts/agents";
import { shellControl, controlOf } from "@assent/hosts/agents/install";
import { POLICY_NAME, projectOf } from "@assent/guard/engine";
import { isTrusted, type Machine, readRegular, readTrust, hexDigest } from "@assent/guard/state";

const MOST_SAID = 6;
const LONGEST = 300;
const MOST_POLICY = 1 << 20;

/** What the person is told at the start of a session: what in this folder switches hooks off, controls them or skips questions. */
export function sessionWarning(id: string, machine: Machine, folder: string): string | undefined {
  try {
    const said = [weakening(id, machine, folder), repositoryPolicy(machine, folder)].filter((text) => text !== undefined);
    return said.length === 0 ? undefined : said.join("\n");
  } catch (error) {
    // A warning: nothing that goes wrong here stops a session.
    return `Assent could not look at the settings here: ${visible(String(error)).slice(0, 200)}`;
  }
}

/** A repository's policy that nobody here has agreed to as it is: its refusals hold, its allow rules do not. */
function repositoryPolicy(machine: Machine, folder: string): string | undefined {
  if (!folder.startsWith("/")) return undefined;
  const file = `${projectOf(realpathSync(folder), machine)}/${POLICY_NAME}`;
  // The person's own policy lies in home under the same name.
  if (file === `${realpathSync(machine.home)}/${POLICY_NAME}`) return undefined;
  const found = readRegular(file, MOST_POLICY);
  if (found.is === "missing") return undefined;
  if (found.is !== "text") return `Assent: this repository has a policy, ${POLICY_NAME}, which ${found.why}: \`assent lint\` says more.`;
  const trust = readTrust(machine);
  if (isTrusted(trust, file, found.text, hexDigest)) return undefined;
  const [state, way] = trust.pins.has(file)
    ? ["changed since you said yes to it", "shows the difference, and asks you"]
    : ["has not been agreed to by you", "shows what they allow, and asks you"];
  return `Assent: this repository has a policy, ${POLICY_NAME}, which ${state}. Its refusals hold, its allow rules do not: \`assent trust\` ${way}.`;
}

function weakening(id: string, machine: Machine, folder: string): string | undefined {
  const setup = agentNamed(id)?.setup;
  if (setup === undefined || !folder.startsWith("/")) return undefined;
  const top = projectOf(folder, machine);
  const found = [...controlOf(setup, machine, folder, top), ...shellControl(machine, folder, top)].filter(
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
