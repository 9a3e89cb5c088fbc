import { execFileSync } from "node:child_process";

/** The suites that start processes run what is built: build it once, from what is there now. */
export default function buildOnce(): void {
  execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
}
