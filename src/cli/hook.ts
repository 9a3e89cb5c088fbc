import type { PolicyReader } from "../guard/index.ts";
import { answer, check } from "./check.ts";

// Entry of dist/hook.cjs: `assent check` and nothing else; load-hook.ts loads it. The reader of policy files lies beside it in a bundle of its own.
declare const require: (id: string) => PolicyReader;
declare const __dirname: string;

const engine = { reader: () => require("./reader.cjs"), own: [__dirname] };

export function main(argv: readonly string[]): void {
  process.exitCode = check(argv, engine);
}

/** Judges one envelope as `main` would: the build warms the code cache with it. */
export function rehearse(envelope: string): void {
  answer({ agent: "claude", event: "PreToolUse", policyFiles: [] }, { text: envelope }, engine);
}
