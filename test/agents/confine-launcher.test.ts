import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { confineLauncher } from "@assent/core/action";
import { confineProgram, ensureConfineLauncher, type LauncherArchitecture } from "@assent/hosts/agents/install";
import { scratch, type Scratch } from "../scratch.ts";
import { HERE, STUBS, WAYS } from "./stubs.ts";

/** What a program in the place of Assent's sees of its words and of its environment, as bytes. */
const SHOWS = `const { readFileSync, writeSync } = require("node:fs");
writeSync(1, JSON.stringify({ words: process.argv.slice(2), environ: readFileSync("/proc/self/environ").toString("latin1") }));
process.exit(Number(process.argv.at(-1)) || 0);`;

function placed(architecture: LauncherArchitecture): { readonly place: Scratch; readonly file: string } {
  const place = scratch();
  place.write(join(place.root, "dist/bin.cjs"), SHOWS);
  const file = place.write(join(place.root, "confine"), "");
  writeFileSync(
    file,
    confineProgram(architecture, { node: process.execPath, folder: join(place.root, "dist"), from: STUBS }, place.machine),
  );
  chmodSync(file, 0o755);
  return { place, file };
}

/** As its caller would have it: names with the first byte changed back. */
const changedBack = (entry: string): string => String.fromCharCode(entry.charCodeAt(0) ^ 0x40) + entry.slice(1);

describe.each(WAYS)("the launcher, started by %s (%s)", (_, architecture, front) => {
  const start = (file: string, args: readonly string[], env: Record<string, string>, shell = "") => {
    const words = [...front, file, ...args];
    const { stdout, stderr, status } =
      shell === ""
        ? spawnSync(words[0] ?? "", words.slice(1), { env, encoding: "utf8" })
        : spawnSync("/bin/bash", ["-c", `${shell} exec "$@"`, "sh", ...words], { env, encoding: "utf8" });
    const seen = stdout === "" ? undefined : (JSON.parse(stdout) as { readonly words: readonly string[]; readonly environ: string });
    return { words: seen?.words, entries: seen?.environ.split("\0").slice(0, -1) ?? [], stderr, status };
  };
  const theirs = (entries: readonly string[]): readonly string[] =>
    entries
      .filter((entry) => !/^(?:HOME|XDG_STATE_HOME|ASSENT_CALLER)=/.test(entry))
      .map(changedBack)
      .toSorted();

  it("starts a run of the command with the ticket, and ends as it does", () => {
    const { file } = placed(architecture);
    expect(start(file, ["t1", "echo 'a b' $x\n"], {}).words).toEqual(["run", "--confined", "t1", "--", "echo 'a b' $x\n"]);
    expect(start(file, ["t1", "7"], {}).status).toBe(7);
    expect(start(file, ["t1", "a", "b"], {}).words).toEqual(["run", "--confined", "t1", "--", "a", "b"]);
    expect(start(file, ["", ""], {}).words).toEqual(["run", "--confined", "", "--", ""]);
  });

  it.each([[[]], [["t1"]]])("says how it is used with too few words: %j", (args) => {
    const { file } = placed(architecture);
    const { status, stderr } = start(file, args, {});
    expect([status, stderr]).toEqual([125, "assent: this starts a command confined: confine TICKET COMMAND\n"]);
  });

  it("says so when Assent is gone", () => {
    const place = scratch();
    const file = place.write(join(place.root, "confine"), "");
    writeFileSync(file, confineProgram(architecture, { node: "/nowhere/node", folder: "/nowhere", from: STUBS }, place.machine));
    chmodSync(file, 0o755);
    const { status, stderr } = start(file, ["t", "x"], {});
    expect([status, stderr]).toEqual([125, "assent: this command was not started, because Assent could not be; run: assent doctor\n"]);
  });

  const ENVIRONMENTS: readonly (readonly [string, Record<string, string>])[] = [
    ["what steers node", { NODE_OPTIONS: "--require=/nowhere.js", NODE_PATH: "/x", NODE_EXTRA_CA_CERTS: "/x", NODE_V8_COVERAGE: "/x" }],
    [
      "what steers libraries",
      { OPENSSL_CONF: "/x", GCONV_PATH: "/x", TZ: ":/x", GLIBC_TUNABLES: "x", UV_THREADPOOL_SIZE: "1", ICU_DATA: "/" },
    ],
    ["what steers Assent", { HOME: "/evil", XDG_STATE_HOME: "/evil", ASSENT_CALLER: "none", ASSENT_POLICY: "/evil" }],
    ["small letters, underscores, digits, functions", { http_proxy: "x", _: "/y", __x: "", A1: "=", "BASH_FUNC_f%%": "() {  :\n}" }],
    ["an empty value, and lines", { EMPTY: "", LINES2: "a\nb=c\n" }],
    [
      "a value of 100 KB, and 3000 others",
      { BIG: "x".repeat(100_000), ...Object.fromEntries(Array.from({ length: 3000 }, (_each, at) => [`N${at}`, "v"])) },
    ],
  ];
  it.each(ENVIRONMENTS)("hands on %s as data", (_what, env) => {
    const { place, file } = placed(architecture);
    const { entries, words } = start(file, ["t", "x"], env);
    expect(words).toEqual(["run", "--confined", "t", "--", "x"]);
    expect(theirs(entries)).toEqual(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    );
    expect(entries.filter((entry) => /^[A-Za-z_]/.test(entry)).toSorted()).toEqual(["ASSENT_CALLER=renamed", `HOME=${place.home}`]);
  });

  it("hands on bytes that are not text, and leaves out names that no shell has", () => {
    const { file } = placed(architecture);
    const shell = String.raw`set -- env -i RAW=$'a\xff\xc3(\x80' 1x=1 .y=2 "$@";`;
    const { entries } = start(file, ["t", "x"], { PATH: "/usr/bin:/bin" }, shell);
    expect(theirs(entries)).toEqual(["RAW=a\xff\xc3(\x80"]);
  });
});

describe("writing it", () => {
  const program = { node: process.execPath, folder: "/opt/assent/dist", from: STUBS };
  const rows: readonly (readonly [string, (file: string, place: Scratch) => void])[] = [
    ["is missing", () => undefined],
    ["is another", (file, place) => place.write(file, "#!/bin/sh\n")],
    ["cannot be started", (file, place) => (ensureConfineLauncher(place.machine, program), chmodSync(file, 0o600))],
    ["can be written by others", (file, place) => (ensureConfineLauncher(place.machine, program), chmodSync(file, 0o777))],
    ["is a link", (file, place) => (mkdirSync(dirname(file), { recursive: true }), symlinkSync(place.write("x", "x"), file))],
    ["starts Assent where it was", (_file, place) => ensureConfineLauncher(place.machine, { ...program, folder: "/opt/old" })],
  ];
  it.skipIf(HERE === undefined).each(rows)("it is written where it %s", (_what, spoil) => {
    const place = scratch();
    const file = confineLauncher(place.home);
    spoil(file, place);
    expect(ensureConfineLauncher(place.machine, program)).toEqual({ file });
    expect(readFileSync(file).equals(confineProgram(HERE ?? "x64", program, place.machine))).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    const { ino } = statSync(file);
    expect(ensureConfineLauncher(place.machine, program)).toEqual({ file });
    expect(statSync(file).ino).toBe(ino);
  });

  it("knows where state lies", () => {
    const place = scratch({ env: { XDG_STATE_HOME: "/s" } });
    expect(confineProgram("x64", program, place.machine).toString("latin1")).toContain("\0XDG_STATE_HOME=/s\0");
  });

  it("says why it cannot be", () => {
    const { machine, write } = scratch();
    expect(ensureConfineLauncher({ ...machine, platform: "darwin" }, program)).toEqual({
      problem: "commands are sandboxed on Linux (x86-64, arm64) alone",
    });
    write("~/.local/share", "a file");
    expect(ensureConfineLauncher(machine, program)).toHaveProperty("problem");
    expect(existsSync(confineLauncher(machine.home))).toBe(false);
  });
});
