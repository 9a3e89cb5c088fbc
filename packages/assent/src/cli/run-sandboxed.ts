import { visible } from "@assent/core/action";
import { queueApprover } from "@assent/guard/approve/queue";
import { QuestionQueue, terminalClient } from "@assent/guard/approve";
import { chooseEngine, EngineError, type EngineResult, openEngine, type RunEngine } from "@assent/supervisor/engines";
import { definedVariables, messageOf, thisMachine } from "@assent/guard/state";
import { isInside } from "@assent/supervisor/supervise/outer";
import { engine } from "@assent/page/preview";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { shortReceipt } from "./receipt.ts";
import { STATUS, type RunFlags } from "./run-options.ts";
import { findProgram } from "./run-program.ts";
import { writeStderr } from "./stdio.ts";

const COMMAND = "run";

/** What this engine does nothing for. */
const ONLY_OURS = [
  ["--log-only", "logOnly"],
  ["--json", "json"],
  ["--strace", "strace"],
  ["--summary", "summary"],
  ["--learn", "learn"],
  ["--background-dir", "backgroundDir"],
  ["--best-effort", "bestEffort"],
  ["--profile", "profile"],
] as const;

/** Undefined: the run is ours to hold. */
export async function runElsewhere(words: readonly string[], flags: RunFlags): Promise<number | undefined> {
  const manages = [flags.skill, flags.list, flags.rules, flags.clear, flags.backgroundWait, flags.backgroundRespond, flags.confined];
  // Inside a run of ours that run holds the program.
  if (isInside() || manages.some((flag) => flag !== undefined)) return undefined;
  try {
    const id = chooseEngine(thisMachine());
    return id === "assent" ? undefined : await runSandboxed(words, flags, await openEngine(id));
  } catch (error) {
    complain(COMMAND, visible(messageOf(error)));
    return STATUS.cannotSupervise;
  }
}

/** `assent run` where another library confines: on macOS, and on Linux where a person chose it. */
async function runSandboxed(words: readonly string[], flags: RunFlags, held: RunEngine): Promise<number> {
  const unknown = ONLY_OURS.find(([, key]) => flags[key] !== undefined && flags[key] !== false);
  if (unknown !== undefined) {
    complain(COMMAND, `\`${unknown[0]}\` works on Linux only`, "leave it out");
    return STATUS.wrongUsage;
  }
  const [program, ...args] = words;
  if (program === undefined) {
    complain(COMMAND, "say which program to run", "assent run -- npm test");
    return STATUS.wrongUsage;
  }
  const machine = thisMachine();
  const cwd = absolute(".");
  const found = findProgram(program, machine.env["PATH"], cwd);
  if (found.is === "none") {
    complain(COMMAND, `${visible(program)}: ${found.why}`);
    return found.status;
  }
  const say = (text: string): void => {
    if (flags.quiet !== true) writeStderr(`assent: ${visible(text)}\n`);
  };
  const wrong = (): string => "rules are written into a policy file here";
  const asks = { machine, point: "run", checkRule: wrong, onNotice: say } as const;
  const terminal = flags.prompt ? terminalClient({ env: machine.env, home: machine.home, checkRule: wrong, onNotice: say }) : undefined;
  const approver = !flags.prompt ? undefined : terminal === undefined ? queueApprover(asks) : new QuestionQueue(asks, [terminal]);
  const [first = "", ...rest] = found.start;
  try {
    const result = await held.run({
      argv: [first, ...rest, ...args],
      cwd,
      env: definedVariables(machine.env),
      machine,
      policyFiles: flags.policy.map((file) => absolute(file, cwd)),
      approver,
      undo: flags.undo,
      own: engine.own,
      onNotice: say,
    });
    if (flags.quiet !== true) writeStderr(`${receiptText(result, held)}${await shortReceipt(result.id, machine)}`);
    await approver?.close(result.status);
    return result.status;
  } catch (error) {
    complain(
      COMMAND,
      visible(messageOf(error)),
      error instanceof EngineError && error.code === "missing" ? "`assent doctor` says what is needed" : undefined,
    );
    await approver?.close(STATUS.cannotSupervise);
    return STATUS.cannotSupervise;
  }
}

/** Which hosts it asked for, and what nobody knows of it. */
export function receiptText({ hosts, id }: EngineResult, held: RunEngine): string {
  const lines = hosts.map(
    ({ host, port, outcome, why }) => `assent: ${outcome}: ${visible(host)}${port === undefined ? "" : `:${port}`} (${visible(why)})\n`,
  );
  return `${lines.join("")}assent: held by ${held.id}, of whose runs not all is known: assent receipt ${id}\n`;
}
