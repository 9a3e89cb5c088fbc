import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Action } from "@assent/core/action";
import { type Question, respond, wait } from "@assent/guard/approve";
import type { RequestVerdict } from "@assent/core/policy";
import { definedVariables, type Machine, messageOf, openState, thisMachine } from "@assent/guard/state";
import { sandboxIsKnown, UNSUPERVISED } from "../common/sandbox.ts";
import { ask, isPlainYes, type OnAsk, verdictOfQuestion } from "../common/ask.ts";
import { assentProgram, judgeVariables, supervisorStart } from "../confined/run.ts";
import type { RunOrder } from "@assent/supervisor/supervise/control-channel";
import type { Start } from "./command.ts";

/** How a backend's commands are started under supervision; `words` is what a shell was told. */
export interface Supervising {
  /** Where every command is. */
  readonly start: StartsRun;
  /** One that nobody can know. */
  readonly confine: StartsRun;
}

type StartsRun = (
  argv: readonly [string, ...string[]],
  place: ConfinedPlace,
  words: CommandWords,
) => RunStart | { readonly problem: string };

/** As far as it is known yet. */
export function whyNotSupervised(): string | undefined {
  if (assentProgram() === undefined) return "the supervisor is not installed with this library";
  return sandboxIsKnown() ? undefined : UNSUPERVISED;
}

/** How a run is ordered that is told nothing but its command: who wants it, and by which policy files. */
export function orderedStart(
  argv: readonly [string, ...string[]],
  { machine, cwd, env }: ConfinedPlace,
  more: Pick<RunOrder, "policyFiles" | "policies" | "asks" | "confined">,
): Start | { readonly problem: string } {
  const supervisor = supervisorStart(machine);
  if ("problem" in supervisor) return supervisor;
  const order: RunOrder = { argv, cwd, env: definedVariables(env), judge: judgeVariables(machine), profile: "confined", ...more };
  return { ...supervisor, cwd, supervises: true, order };
}

/** A command as it was asked about, and why the agent wants it. */
export interface CommandWords {
  readonly line: string;
  readonly reason: string;
}

/**
 * Commands under `assent run`: what they really do is judged by the kernel's own account, under the ruleset and the
 * policy files. The supervisor is a process of its own, so that what the command writes can be told from what we write.
 */
export class Supervision implements Supervising {
  readonly #policy: string;
  readonly #policyFiles: readonly string[];
  readonly #onAsk: OnAsk | undefined;

  /** Of the commands that this backend confines. */
  readonly #session = randomUUID();

  /** `policy` is the text of a policy file. */
  constructor(policy: string, policyFiles: readonly string[], onAsk: OnAsk | undefined) {
    this.#onAsk = onAsk;
    this.#policy = policy;
    this.#policyFiles = policyFiles;
  }

  start(argv: readonly string[], { cwd, env }: ConfinedPlace): RunStart | { readonly problem: string } {
    const program = assentProgram();
    if (program === undefined) return { problem: "the supervisor is not installed with this library" };
    const machine = thisMachine();
    const made = this.#makeFolder({ ...machine, env, home: env["HOME"] ?? machine.home });
    if ("problem" in made) return made;
    const { folder } = made;
    const policies = made.policyFiles.flatMap((path) => ["--policy", path]);
    const onAsk = this.#onAsk;
    const questions = join(folder, "questions");
    const asks = onAsk === undefined ? ["--no-prompt"] : ["--background-dir", questions];
    const args = [program, "run", ...asks, "--quiet", ...policies, "--", ...argv];
    const over = onAsk === undefined ? undefined : answerQuestions(questions, onAsk);
    return {
      start: { file: process.execPath, args, cwd, env, supervises: true },
      clean: () => {
        over?.();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }

  /** A folder for one run, with the ruleset as a policy file. */
  #makeFolder(machine: Machine): { readonly folder: string; readonly policyFiles: readonly string[] } | { readonly problem: string } {
    // Whoever could write there could answer: no run can, neither this one nor another.
    const state = openState(machine);
    if ("problem" in state) return state;
    try {
      const folder = mkdtempSync(join(state.folder, "library-"));
      const file = join(folder, "policy.jsonc");
      writeFileSync(file, this.#policy, { mode: 0o600 });
      return { folder, policyFiles: [file, ...this.#policyFiles] };
    } catch (error) {
      return { problem: `the ruleset cannot be handed on: ${messageOf(error)}` };
    }
  }

  /** A command under a run that asks nobody: its supervisor, and the order for it. */
  confine(
    argv: readonly [string, ...string[]],
    place: ConfinedPlace,
    { line: command }: Pick<CommandWords, "line">,
  ): RunStart | { readonly problem: string } {
    const made = this.#makeFolder(place.machine);
    if ("problem" in made) return made;
    const clean = (): void => rmSync(made.folder, { recursive: true, force: true });
    const confined = { agent: "library", session: this.#session, command };
    const start = orderedStart(argv, place, { policyFiles: made.policyFiles, confined });
    if (!("problem" in start)) return { start, clean };
    clean();
    return start;
  }
}

/** Where a confined command runs, and by whose policy. */
export interface ConfinedPlace {
  readonly machine: Machine;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A confined command about to be started. */
export interface RunStart {
  readonly start: Start;
  readonly clean: () => void;
}

const LOOK_EVERY_MS = 20;
/** How long a supervisor may take to come up. */
const PATIENCE_MS = 30_000;

/**
 * Puts the questions of a supervised command, which come through a folder, to `onAsk`, one after the other; each waits for
 * its answer, other calls of the command do not. Gives back how to stop.
 */
function answerQuestions(folder: string, onAsk: OnAsk): () => void {
  const state = { over: false };
  const answer = async (): Promise<void> => {
    const options = { pollMs: LOOK_EVERY_MS, patienceMs: PATIENCE_MS, over: (): boolean => state.over };
    for (let event = await wait(folder, options); event.is === "pending" && !state.over;) {
      const { question } = event.pending;
      const seq = event.pending["seq"];
      if (typeof seq !== "number") return;
      const isYes = isApproverQuestion(question) && isPlainYes(await ask(onAsk, askedOf(question)));
      event = await respond(folder, seq, isYes ? "approve" : "deny", undefined, options);
    }
  };
  // A folder that cannot be read answers nothing, and what is not answered is refused.
  void answer().catch(() => undefined);
  return () => void (state.over = true);
}

/** The supervisor's own words: it wrote the folder. */
function isApproverQuestion(value: unknown): value is Question {
  return typeof value === "object" && value !== null && "what" in value && "action" in value && "process" in value && "reason" in value;
}

function askedOf(question: Question): Parameters<typeof ask>[1] {
  const { action, what, process } = question;
  const verdict = verdictOfQuestion(question);
  const whole: RequestVerdict = { ...verdict, actions: [{ action, verdict }], unknowns: [] };
  return { operation: operationOf(action), target: `${process.name}: ${what}`, reason: "", verdict: whole };
}

const operationOf = (action: Action): string =>
  action.kind === "file" ? action.operation : action.kind === "exec" ? "execute" : action.kind;
