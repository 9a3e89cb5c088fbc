import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratch } from "../../scratch.ts";

const WORLD = join(import.meta.dirname, "world");
const ASSENT = join(import.meta.dirname, "../../../dist/bin.cjs");
const PYTHON = "/usr/bin/python3";
const isRoot = process.getuid?.() === 0;
const UNSHARE = ["unshare", "-nmp", "--fork", "--kill-child", "--mount-proc", ...(isRoot ? [] : ["-r"])];
/** In the small world, which root makes, the program runs as anybody. */
const AS_USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const canNest =
  spawnSync("unshare", ["-nmp", "--fork", "--kill-child", "--mount-proc", ...(isRoot ? [] : ["-r"]), "ip", "link", "set", "lo", "up"])
    .status === 0;

/** What each probe of same.py prints, by its name. */
function said(policy: object | undefined, user: boolean): Readonly<Record<string, unknown>> {
  const { root, write, project } = scratch();
  const folder = join(root, "probe");
  mkdirSync(folder);
  const file = write("~/p.jsonc", JSON.stringify({ permissions: policy ?? {} }));
  const become = user ? AS_USER : [];
  if (user) spawnSync("chown", ["-R", "65534:65534", root]);
  const supervised = policy === undefined ? [] : [process.execPath, ASSENT, "run", "-P", "-q", "--policy", file, "--"];
  const command = [...become, ...supervised, PYTHON, join(WORLD, "same.py"), folder];
  const args = [...UNSHARE.slice(1), "sh", join(WORLD, "world.sh"), join(root, "log"), ...command];
  const env = { PATH: process.env.PATH, HOME: join(root, "home"), XDG_STATE_HOME: join(root, "state") };
  const { stdout, stderr } = spawnSync("unshare", args, { cwd: project, env, encoding: "utf8", timeout: 100_000, killSignal: "SIGKILL" });
  const lines = stdout.trim().split("\n");
  if (lines.length < 20) throw new Error(`${stdout}\n${stderr}`);
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]));
}

/** The machine's own address counts as this machine. */
const EVERYTHING = {
  allow: [
    "Net(localhost)",
    "Net(127.0.0.1)",
    "Net([::1])",
    "Net(203.0.113.1)",
    "Net([2001:db8::1])",
    "Net(0.0.0.0)",
    "Net([::])",
    "Net(*)",
  ],
};

describe.runIf(canNest)("sockets say of themselves what they say without supervision", () => {
  const who: readonly (readonly [who: string, user: boolean])[] = [["root", false], ...(isRoot ? [["a user", true] as const] : [])];
  it.each(who)("as %s, where nothing is allowed and where everything is", (_, user) => {
    const bare = said(undefined, user);
    expect(said({}, user)).toEqual(bare);
    expect(said(EVERYTHING, user)).toEqual(bare);
  });
});
