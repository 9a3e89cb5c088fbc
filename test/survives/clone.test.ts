import { spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { scratch, type Scratch } from "../scratch.ts";

/** What README has said to type in a clone, today and before. */

const ROOT = join(import.meta.dirname, "../..");
const PARTS = ["bin", "dist", "docs", "examples", "schema", "scripts", "packages", "man", "stubs"];
const FILES = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.types.json", "README.md", "SECURITY.md", "LICENSE"];

let place: Scratch;
let clone: string;
beforeAll(() => {
  place = scratch({ keep: true });
  clone = join(place.root, "clone");
  mkdirSync(clone);
  for (const part of [...PARTS, ...FILES]) cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  // Links: whatever npm does to this folder, it does to none of ours.
  mkdirSync(join(clone, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (!name.startsWith(".")) symlinkSync(join(ROOT, "node_modules", name), join(clone, "node_modules", name));
});

function type(line: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line], {
    cwd: clone,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place.home,
      npm_config_offline: "true",
      npm_config_audit: "false",
      npm_config_fund: "false",
    },
    encoding: "utf8",
    timeout: 550_000,
  });
  return { status, stdout, stderr };
}

describe("typed in a clone", () => {
  it("npx assent demo", { timeout: 300_000 }, () => {
    expect(type("node bin/assent.cjs demo")).toMatchObject({ status: 0, stdout: expect.stringMatching(/deny|refused/) as unknown });
  });

  it("nothing is built or started by an installation alone", () => {
    const { scripts, workspaces } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
      readonly workspaces: readonly string[];
    };
    expect(scripts).toMatchObject({ test: expect.stringContaining("vitest") as unknown, setup: expect.any(String) as unknown });
    // What runs where an archive is unpacked, or a clone is installed for good.
    expect(["prepare", "install", "postinstall", "preinstall"].filter((name) => name in scripts)).toEqual([]);
    for (const folder of workspaces) expect(existsSync(join(ROOT, folder, "package-lock.json"))).toBe(false);
  });

  it("npm run setup, the first thing that is typed: a copy, which works without the clone", { timeout: 600_000 }, () => {
    rmSync(join(clone, "dist"), { recursive: true, force: true });
    expect(type(`npm run -s setup -- "$HOME/.local"`)).toMatchObject({ status: 0 });
    const command = join(place.home, ".local/bin/assent");
    expect(realpathSync(command).startsWith(`${realpathSync(place.home)}/`)).toBe(true);
    const { stdout, status } = spawnSync(command, ["explain", "--json", "rm -rf ~"], {
      cwd: place.project,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: place.home },
    });
    expect([status === null, JSON.parse(stdout)]).toMatchObject([false, { verdict: "deny" }]);
  });

  it("npm install -g --prefix, as README had it: a link, which goes on with what is pulled", { timeout: 300_000 }, () => {
    const prefix = join(place.home, "prefix");
    expect(type(`npm install -g --ignore-scripts --prefix '${prefix}' .`)).toMatchObject({ status: 0 });
    expect(lstatSync(join(prefix, "lib/node_modules/assent")).isSymbolicLink()).toBe(true);
    const { stdout } = spawnSync(join(prefix, "bin/assent"), ["explain", "--json", "rm -rf ~"], {
      cwd: place.project,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: place.home },
    });
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "deny" });
  });
});
