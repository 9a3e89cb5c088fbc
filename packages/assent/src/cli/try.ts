import { visible } from "@assent/core/action";
import { shellWord } from "@assent/core/data";
import { definedVariables, type Machine, thisMachine } from "@assent/guard/state";
import { HeldTry, Keeping, NotTried, type OfTry, STARTED_ANEW, takeOver, tryRun } from "@assent/supervisor/supervise/try";
import { engine } from "@assent/page/preview";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { type Plain, readPlain, STATUS } from "./run-options.ts";
import { findProgram } from "./run-program.ts";
import { endTried, manageTried, type TryFlags } from "./try-end.ts";

export { probeTried } from "@assent/supervisor/supervise/try";

const COMMAND = "try";
/** Options without a value, as commander reads them (program.ts; a test holds the two together). */
const SWITCHES: Readonly<Record<string, Partial<TryFlags>>> = { "--apply": { apply: true }, "--json": { json: true } };
export const plainTry = (given: readonly string[]): Plain<TryFlags> | undefined => readPlain(given, { policy: [] }, SWITCHES);

const MANAGING = ["list", "show", "apply", "drop"] as const;

/** `assent try`. `literal`: `--` stood in front of the words, so that the first one is a program whatever its name. */
export async function tryCommand(words: readonly string[], flags: TryFlags, literal: boolean): Promise<number> {
  const machine = thisMachine();
  const of: OfTry = { machine, own: engine.own };
  const [first, ...rest] = words;
  const verb = literal ? undefined : MANAGING.find((one) => one === first);
  if (verb !== undefined) return manageTried(verb, rest, flags, of);
  if (first === undefined) {
    complain(COMMAND, "say which command to try", "assent try -- npm install left-pad");
    return STATUS.wrongUsage;
  }
  return start([first, ...rest], flags, of);
}

async function start([program, ...args]: readonly [string, ...string[]], flags: TryFlags, of: OfTry): Promise<number> {
  const { machine } = of;
  const [, how, id] = STARTED_ANEW.exec(process.argv0) ?? [];
  const keeping = how === undefined ? keepingOf(machine) : undefined;
  const cwd = absolute(".");
  const found = findProgram(program, machine.env["PATH"], cwd);
  if (found.is === "none") {
    complain(COMMAND, `${visible(program)}: ${found.why}`);
    return found.status;
  }
  const [path = program, ...more] = found.start;
  let held: Awaited<ReturnType<typeof tryRun>>;
  try {
    const env = definedVariables(machine.env);
    const policyFiles = flags.policy.map((file) => absolute(file, cwd));
    const word = more.length === 0 ? program : path;
    const options = { ...of, cwd, argv: [path, ...more, ...args], word, env, policyFiles, keeping } as const;
    held = how === undefined || id === undefined ? await tryRun(options) : await takeOver(options, id, how);
  } catch (error) {
    if (!(error instanceof NotTried)) throw error;
    complain(
      COMMAND,
      `this cannot be tried: ${visible(error.message)}`,
      `assent run -- ${visible([program, ...args].map(shellWord).join(" "))}`,
    );
    return STATUS.cannotSupervise;
  }
  if (!(held instanceof HeldTry)) {
    complain(COMMAND, held.why);
    return held.status;
  }
  if (held.isUntouched && !held.hasTalked) {
    held.discard();
    return held.status;
  }
  return endTried(held, flags, of, program);
}

/** The words are those that try-kept.ts looks for. Options of Node would be missing. */
function keepingOf(machine: Machine): Keeping | undefined {
  const [folder] = engine.own;
  if (process.platform !== "linux" || process.execArgv.length > 0 || folder === undefined) return undefined;
  return new Keeping(machine, engine.own, [`${folder}/bin.cjs`, ...process.argv.slice(2)]);
}
