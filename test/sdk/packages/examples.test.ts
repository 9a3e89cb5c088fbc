import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../../scratch.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Where an example finds Assent and the SDKs as a program of a user's does. */
const PROGRAM = join(import.meta.dirname, "node_modules/.program");

it.each(["ai-sdk.mjs", "openai-agents.mjs"])("examples/%s runs", (name) => {
  const { home } = scratch();
  rmSync(PROGRAM, { recursive: true, force: true });
  mkdirSync(join(PROGRAM, "node_modules"), { recursive: true });
  symlinkSync(ROOT, join(PROGRAM, "node_modules/assent"));
  copyFileSync(join(ROOT, "examples", name), join(PROGRAM, name));
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(PROGRAM, name)], {
    cwd: home,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: home },
  });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).not.toBe("");
});
