import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Action } from "../../action/index.ts";
import { type Question, respond, wait } from "../../approve/index.ts";
import type { RequestVerdict } from "../../policy/index.ts";
import { openState, thisMachine } from "../../state/index.ts";
import { probeSandbox } from "../approve/index.ts";
import { ask, type OnAsk } from "../ask.ts";
import { LIBRARY } from "../library.ts";
import { policyTextOf, type Ruleset } from "../rules/ruleset.ts";
import type { Start } from "./command.ts";

/**
 * Commands under `assent run`: what they really do is judged by the kernel's own account, under the ruleset and the
 * policy files. The supervisor is a process of its own, so that what the command writes can be told from what we write.
 */
export class Supervision {
  readonly #policy: string;
  readonly #policyFiles: readonly string[];
  readonly #onAsk: OnAsk | undefined;

  constructor(ruleset: Ruleset, policyFiles: readonly string[], onAsk: OnAsk | undefined) {
    this.#onAsk = onAsk;
    this.#policy = policyTextOf(ruleset);
    this.#policyFiles = policyFiles;
  }

  async start(
    argv: readonly string[],
    cwd: string,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<{ readonly start: Start; readonly clean: () => void } | { readonly problem: string }> {
    if (!(await probeSandbox(cwd))) return { problem: "commands cannot be supervised on this machine (`assent doctor` says why)" };
    const program = supervisor();
    if (program === undefined) return { problem: "the supervisor is not installed with this library" };
    const machine = thisMachine();
    // Whoever could write there could answer: no run can, neither this one nor another.
    const state = openState({ ...machine, env, home: env["HOME"] ?? machine.home });
    if ("problem" in state) return state;
    const folder = mkdtempSync(join(state.folder, "library-"));
    const file = join(folder, "policy.jsonc");
    writeFileSync(file, this.#policy, { mode: 0o600 });
    const policies = [file, ...this.#policyFiles].flatMap((path) => ["--policy", path]);
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
}

/** `assent` itself, next to the library. */
function supervisor(): string | undefined {
  const [own = ""] = LIBRARY.own;
  return [join(own, "bin.cjs"), join(own, "../../dist/bin.cjs")].find((file) => existsSync(file));
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
      const said = isApproverQuestion(question) ? await ask(onAsk, askedOf(question)) : "refused";
      event = await respond(folder, seq, said === "approved" ? "approve" : "deny", undefined, options);
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

function askedOf({ action, what, reason, process: { name }, basis = "default", rule, help }: Question): Parameters<typeof ask>[1] {
  const verdict: RequestVerdict = {
    decision: "ask",
    basis,
    reason,
    ...(rule === undefined ? {} : { rule }),
    ...(help === undefined ? {} : { help }),
    actions: [],
    unknowns: [],
  };
  return {
    operation: operationOf(action),
    target: `${name}: ${what}`,
    reason: "",
    verdict: { ...verdict, actions: [{ action, verdict }] },
  };
}

const operationOf = (action: Action): string =>
  action.kind === "file" ? action.operation : action.kind === "exec" ? "execute" : action.kind;
