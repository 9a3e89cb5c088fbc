// oxlint-disable vitest/no-standalone-expect -- what the rows of attack.test.ts hold
import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Ran, Suite } from "../../supervise/programs/place.ts";
import { treeOf, type TryPlace } from "../place.ts";

/** A program of a tried run that tries to change something outside of its view, to read a secret, to live on, or to get applied what may not be. */
export interface Attack {
  /** In the table of attacks on the prototype; siblings have none. */
  readonly number?: number;
  readonly name: string;
  /** `held`: nothing of it is applied. `stopped`: what is dangerous in it fails; no secret is printed or applied, and home is as before. */
  readonly is: "held" | "stopped";
  readonly command: string;
  /** Before: beside the project, in home. */
  readonly prepare?: (place: TryPlace) => void;
  /** Meanwhile, or afterwards. */
  readonly outside?: (place: TryPlace) => Promise<void>;
  /** It ends with that. */
  readonly status?: number;
  readonly then?: (place: TryPlace, ran: Ran) => void;
  /** Where only root, or only somebody without rights, can begin it. */
  readonly only?: "root" | "nobody";
}

/** An attack that takes more than one command. */
export interface Played {
  readonly number?: number;
  readonly name: string;
  readonly play: (place: TryPlace, suite: Suite) => Promise<void>;
}

export const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
export const own = (place: TryPlace, ...paths: readonly string[]): void => {
  if (place.user === "nobody") for (const path of paths) chownSync(path, 65_534, 65_534);
};
export const inHome = (place: TryPlace, name: string): string => join(place.place.home, name);

function putAt(place: TryPlace, path: string, text: string, mode: number): void {
  const folder = path.slice(0, path.lastIndexOf("/"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text, { mode });
  own(place, folder, path);
}
export const put = (place: TryPlace, name: string, text: string, mode = 0o600): void => putAt(place, inHome(place, name), text, mode);
/** Into the project. */
export const putIn = (place: TryPlace, name: string, text: string, mode = 0o644): void => putAt(place, join(place.cwd, name), text, mode);

export const SECRET = "swordfish";
export const says = (ran: Ran): string => ran.stdout + ran.stderr;
export const python = (code: string): string => `python3 - <<'END'\n${code}\nEND`;
export const assentOf = (suite: Suite): string => `"${process.execPath}" "${suite.command}"`;
export const lastTry = async (place: TryPlace): Promise<string> => (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";

export function secrets(place: TryPlace): void {
  put(place, ".ssh/id_rsa", SECRET);
  putIn(place, ".env", `TOKEN=${SECRET}\n`, 0o600);
}

/** A process outside, which nothing may be done to. */
export const victim: ChildProcess = spawn("sleep", ["600"], { stdio: "ignore" });

/** Nothing of the secrets is in what was applied, and they are where they were. */
export function expectSecretsKept(place: TryPlace): void {
  const holding = treeOf(place.cwd).filter((line) => line.includes(SECRET));
  expect(holding.every((line) => line.startsWith(".env "))).toBe(true);
}
