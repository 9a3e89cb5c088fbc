import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Run, type Scratch, scratch } from "../scratch.ts";
import type { EnginePlace } from "./place.ts";

/** A project where a person has chosen sandbox-runtime, with a secret in it and one at home. */
export interface Held extends Scratch {
  readonly engine: EnginePlace;
  readonly env: Readonly<Record<string, string>>;
}

export function heldPlace(engine: EnginePlace, base?: string): Held {
  const made = scratch(base === undefined ? {} : { base });
  made.write("~/.local/state/assent/engine", "sandbox-runtime\n");
  made.write("~/.ssh/id_rsa", "KEY");
  made.write(".env", "TOKEN=1");
  mkdirSync(join(made.project, ".git/hooks"), { recursive: true });
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: made.home, NO_COLOR: "1", ASSENT_ENGINE: "sandbox-runtime" };
  return { ...made, engine, env };
}

export const runHeld = (made: Held, script: string, words: readonly string[] = []): Run =>
  commandIn(made, ["run", "-P", ...words, "--", "/bin/sh", "-c", script]);

export function commandIn({ engine: { node, bin }, project, env }: Held, words: readonly string[]): Run {
  const { status, stdout, stderr } = spawnSync(node, [bin, ...words], { cwd: project, input: "", env, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** The newest run that is recorded, an undo among them. */
export function lastRun(made: Held): string {
  const { stdout } = commandIn(made, ["receipt", "--list", "--json"]);
  const ids = [...stdout.matchAll(/"id":"(\d{8}-\d{6}-[0-9a-f]{6})"/g)].map(([, id]) => id);
  return ids.at(-1) ?? "";
}
