import { ticketOfConfined, visible } from "@assent/core/action";
import { isAgentId } from "@assent/hosts/agents";
import { protocolOf } from "@assent/hosts/agents/protocols";
import { isObject } from "@assent/core/data";
import { type ConfinedReport, endSession, readReport, reportIdOf, thisMachine } from "@assent/guard/state";
import { isInside } from "@assent/supervisor/supervise/outer";
import { readStdin, writeStdout } from "./stdio.ts";

// `assent ended --agent NAME --event EVENT`, which a host's hook calls when a command or a session has ended.

/**
 * What a confined command was refused goes to the host's model by the host's own channel, and one line to the person; what a session
 * left running ends with it. Nothing is decided here, so whatever goes wrong is silence: the receipt has it all.
 */
export function main(): void {
  try {
    const [, agent = "", , event = ""] = process.argv.slice(3);
    const stdin = readStdin();
    // There everything is the run's, and what it refuses its own to tell.
    if (!isAgentId(agent) || "problem" in stdin || isInside()) return;
    const { ends } = protocolOf(agent);
    const payload: unknown = JSON.parse(stdin.text);
    const ended = isObject(payload) ? ends?.read(payload) : undefined;
    if (ends === undefined || ended === undefined) return;
    const machine = thisMachine();
    if (ended.is === "session") {
      endSession(machine, agent, ended.session);
      return;
    }
    const { session, toolUse, command } = ended;
    const ids = [toolUse === undefined ? undefined : reportIdOf(session, toolUse), ticketOfConfined(machine.home, command)];
    for (const id of ids) {
      const report = id === undefined ? undefined : readReport(machine, id);
      if (report === undefined) continue;
      writeStdout(`${JSON.stringify(ends.tell(event, forModel(report), forPerson(report, ends.rewinds)))}\n`);
      return;
    }
  } catch {
    // A hook that fails here would only be noise.
  }
}

/** At most ten lines, safe to show already (confined-reports.ts). */
const forModel = ({ lines }: ConfinedReport): string | undefined =>
  lines.length === 0 ? undefined : lines.map((line) => `Assent: ${visible(line)}`).join("\n");

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** One line, as short as it goes: what it did is in the receipt, which `assent undo` shows before it asks. `rewinds`: the host's own way back. */
function forPerson({ run, changed, refused, left }: ConfinedReport, rewinds: string | undefined): string {
  const did = [
    changed === undefined ? "changed more than could be counted" : `changed ${counted(changed, "file or folder", "files and folders")}`,
    ...(refused === 0 ? [] : [`was refused ${counted(refused, "call", "calls")}`]),
    ...(left.length === 0 ? [] : [`left ${counted(left.length, "program", "programs")} running`]),
  ];
  const ways = [
    ...(changed === 0 ? [] : [`\`assent undo ${run}\` takes it back${rewinds === undefined ? "" : ` (${rewinds} does not)`}`]),
    ...(did.length === 1 && changed !== 0 ? [] : [`\`assent receipt ${run}\` shows it`]),
  ];
  return visible(`Assent: sandboxed, ${did.join(", ")}: ${ways.join(", ")}`);
}
