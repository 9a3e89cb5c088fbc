import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/** What attacks on Assent found, and tried: the default preset, no policy file. Rows as in hostile.txt. */

const decoded = (text: string): string =>
  text
    .replaceAll("⏎", "\n")
    .replaceAll("⇥", "\t")
    .replace(/\\u\{([0-9a-f]+)\}/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

const LABELS = { allow: ["allow"], ask: ["ask", "deny", "none"], deny: ["deny"] } as const;

const rows = ["attacks.txt", "attacks-shell.txt", "attacks-tried.txt", "attacks-harmless.txt"]
  .flatMap((name) => readFileSync(join(import.meta.dirname, "../cases", name), "utf8").split("\n"))
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [, label, command] = /^(allow|ask|deny): (.*)$/.exec(line) ?? [];
    if (command === undefined || (label !== "allow" && label !== "ask" && label !== "deny")) throw new Error(`no expectation: ${line}`);
    return { label, shown: command, command: decoded(command), accepted: LABELS[label] };
  });

describe("attacks and their harmless twins", () => {
  const here = place({
    ".env": "KEY=1",
    "app.db": "",
    "vendor/x.git/HEAD": "ref: refs/heads/main\n",
    "vendor/x.git/config": "",
    "~/.ssh/foo": "",
  });
  // Names that are options, commands of perl, or modules.
  for (const name of [
    "evil/-i",
    "evil/--pre=sh",
    "evil/--output=x",
    "evil/-ox",
    "evil/a.txt",
    "pipe/id |",
    "pipe/a.log",
    "py/json.py",
    "sub/.env",
    "rust/rust-toolchain.toml",
  ])
    here.write(name, "");
  for (const folder of ["vendor/x.git/objects", "vendor/x.git/refs", "links"]) mkdirSync(join(here.project, folder), { recursive: true });
  symlinkSync(join(here.home, ".ssh"), join(here.project, "links/ssh"));
  symlinkSync(join(here.home, ".bashrc"), join(here.project, "links/rc"));
  symlinkSync("../.env", join(here.project, "links/env.txt"));
  symlinkSync("/", join(here.project, "links/root"));

  it.each(rows)("$label: $shown", ({ command, accepted }) => {
    const { decision, reason } = here.verdict(command);
    expect(accepted, reason).toContain(decision);
  });
});
