import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { probeSandbox } from "../approve/index.ts";
import { ENGINE } from "../engine.ts";
import { policyTextOf } from "../rules/read.ts";
import type { Ruleset } from "../rules/ruleset.ts";
import { openState, thisMachine } from "../../state/index.ts";
import type { OnAsk } from "../ask.ts";
import type { Start } from "./command.ts";
import { answerQuestions } from "./questions.ts";

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
  const [own = ""] = ENGINE.own;
  return [join(own, "bin.cjs"), join(own, "../../dist/bin.cjs")].find((file) => existsSync(file));
}
