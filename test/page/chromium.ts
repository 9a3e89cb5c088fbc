import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const PROGRAMS = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** Debian's Chromium; nothing is downloaded. */
export function browserProgram(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no browser: apt-get install chromium (none of ${PROGRAMS.join(", ")} is in PATH)`);
  return found;
}

export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: browserProgram(), args: FLAGS, chromiumSandbox: process.getuid?.() !== 0 });
}
