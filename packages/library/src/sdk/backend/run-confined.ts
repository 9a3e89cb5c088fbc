import { brief } from "@assent/core/action";
import { thisMachine } from "@assent/guard/state";
import { type AutoApproveOptions, canAutoApprove } from "../approve/can-auto-approve.ts";
import { probeSandbox } from "../common/sandbox.ts";
import { type ExecuteResult, refusedResult, runPrepared } from "./execute.ts";
import { Supervision } from "./supervision.ts";

/** How a command of `canAutoApprove` is run that goes ahead confined. */
export interface RunConfinedOptions extends Omit<AutoApproveOptions, "sandbox"> {
  /** Milliseconds; 120 000 by default. */
  readonly timeout?: number;
  /** Ends the command and all it has started. */
  readonly signal?: AbortSignal;
  /** Characters of its output that are kept; 100 000 by default. */
  readonly maxOutput?: number;
}

/**
 * Runs a command for which `canAutoApprove` says `runInSandbox`: under a supervised run that asks nobody, and in no other
 * way. It is judged once more before; what is not approved by itself is refused. In `full-auto`, too, it changes files in the
 * project and temporary folders only, and connects where rules allow it.
 *
 * ```ts
 * const said = canAutoApprove(argv, options);
 * if (said.type === "auto-approve" && said.runInSandbox) console.log((await runConfined(argv, options)).output);
 * ```
 */
export async function runConfined(argv: readonly string[], options: RunConfinedOptions): Promise<ExecuteResult> {
  const { timeout = 120_000, signal, maxOutput = 100_000, ...assessed } = options;
  const { workdir = process.cwd(), policyFiles = [], env = process.env } = assessed;
  await probeSandbox(workdir);
  const said = canAutoApprove(argv, assessed);
  const [program, ...words] = argv;
  const refuse = (why: string): ExecuteResult =>
    refusedResult(`Error: Permission denied for execute on '${brief(argv.join(" "), 400)}': ${why}`);
  if (said.type === "reject") return refuse(said.reason);
  if (said.type === "ask-user") return refuse(`approval required: ${said.reason}`);
  if (said.applyPatch !== undefined || program === undefined) return refuse("a patch is applied by whoever has it, and starts nothing");
  const own = options.machine ?? thisMachine();
  // The mode answers whether it goes ahead. Inside there is nobody to ask about places outside the project and the network.
  const supervision = new Supervision("{}", policyFiles, undefined);
  const made = supervision.confine([program, ...words], { machine: own, cwd: workdir, env }, { line: argv.join(" ") });
  if ("problem" in made) return refuse(`it could not be sandboxed: ${made.problem}`);
  const ran = await runPrepared({ ...made, supervised: true }, { timeout, signal, maxOutput }, () => undefined);
  return "problem" in ran ? refuse(`it could not be sandboxed: ${ran.problem}`) : ran;
}
