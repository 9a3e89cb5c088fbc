import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { scratch } from "../scratch.ts";

/** What the process does, and how it ends: a call may last for 200 ms. */
const CASES: readonly (readonly [string, string, { readonly signal: string | null; readonly status: number | null }])[] = [
  ["a call that hangs ends the process", "watchdog.start(); for (;;);", { signal: "SIGKILL", status: null }],
  [
    "one that hangs after many that did not",
    "for (let call = 0; call < 1000; call++) { watchdog.start(); watchdog.stop(); } await pause(500); watchdog.start(); for (;;);",
    { signal: "SIGKILL", status: null },
  ],
  [
    "many short ones for longer than one may last do not",
    "const start = performance.now(); while (performance.now() - start < 900) { watchdog.start(); watchdog.stop(); await pause(1); } process.exit(7);",
    { signal: null, status: 7 },
  ],
  ["none at all does not, and nothing is waited for", "process.exitCode = 7;", { signal: null, status: 7 }],
];
it.each(CASES)("%s", async (_what, code, end) => {
  const { root } = scratch();
  const outfile = join(root, "watchdog.mjs");
  const contents = `import { Watchdog } from "./watchdog.ts"; const pause = (ms) => new Promise((go) => setTimeout(go, ms)); const watchdog = new Watchdog(200); await pause(100); ${code}`;
  const resolveDir = join(import.meta.dirname, "../../packages/assent/src/resident");
  await build({
    stdin: { contents, resolveDir, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "silent",
  });
  const { signal, status } = spawnSync(process.execPath, [outfile], { timeout: 30_000, killSignal: "SIGTERM" });
  expect({ signal, status }).toEqual(end);
});
