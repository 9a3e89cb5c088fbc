import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DIST, scratch } from "../scratch.ts";

it.each([[["install", "--yes"]], [["install", "--managed"]], [["install", "--agent", "claude", "--dry-run"]]])(
  "on Windows `assent %s` names WSL, ends with 1 and writes nothing",
  (args) => {
    const place = scratch();
    place.write("~/.claude/keep", "");
    place.write("windows.cjs", 'Object.defineProperty(process, "platform", { value: "win32" });');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--require", join(place.project, "windows.cjs"), join(DIST, "bin.cjs"), ...args],
      { cwd: place.project, env: { HOME: place.home, PATH: process.env["PATH"] }, encoding: "utf8" },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "",
      stderr: "assent install: Windows is not supported\n  use WSL 2, with your agent and Assent inside it: docs/how-to/wsl.md\n",
    });
    expect(existsSync(join(place.home, ".claude/settings.json"))).toBe(false);
  },
);
