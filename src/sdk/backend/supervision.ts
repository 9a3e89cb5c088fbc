import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { probeSandbox } from "../approve/index.ts";
import { ENGINE } from "../engine.ts";
import { policyTextOf } from "../rules/read.ts";
import type { Ruleset } from "../rules/ruleset.ts";
import type { Start } from "./command.ts";

/**
 * Commands under `assent run`: what they really do is judged by the kernel's own account, under the ruleset and the
 * policy files. The supervisor is a process of its own, so that what the command writes can be told from what we write.
 */
export class Supervision {
  readonly #policy: string;
  readonly #policyFiles: readonly string[];

  constructor(ruleset: Ruleset, policyFiles: readonly string[]) {
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
    const folder = mkdtempSync(join(tmpdir(), "assent-ruleset-"));
    const file = join(folder, "policy.jsonc");
    writeFileSync(file, this.#policy, { mode: 0o600 });
    const policies = [file, ...this.#policyFiles].flatMap((path) => ["--policy", path]);
    const args = [program, "run", "--no-prompt", "--quiet", ...policies, "--", ...argv];
    return {
      start: { file: process.execPath, args, cwd, env },
      clean: () => rmSync(folder, { recursive: true, force: true }),
    };
  }
}

/** `assent` itself, next to the library. */
function supervisor(): string | undefined {
  const [own = ""] = ENGINE.own;
  return [join(own, "bin.cjs"), join(own, "../../dist/bin.cjs")].find((file) => existsSync(file));
}
