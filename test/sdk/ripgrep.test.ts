import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LocalBackend, type LocalBackendOptions } from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../scratch.ts";

/** Whether ripgrep helps or not, the same is found; and it is given nothing that a model could make an option of (YW8). */

const backendIn = (place: Scratch, options: Partial<LocalBackendOptions> = {}): LocalBackend =>
  new LocalBackend({
    root: place.project,
    permissions: { preset: "permissive" },
    machine: place.machine,
    audit: false,
    files: "none",
    ...options,
  });

/** A stand-in that writes down how it was called, then searches as the real one would. */
function standIn(
  place: Scratch,
  script = 'exec grep -rlZaF -- "$needle" .',
): { readonly env: Record<string, string>; readonly calls: () => string } {
  const folder = join(place.root, "bin");
  const log = join(place.root, "calls");
  mkdirSync(folder);
  const text = `#!/bin/bash
printf '%s\\n' "$@" "env: $(/usr/bin/env | /usr/bin/sort | /usr/bin/tr '\\n' ' ')" >> ${log}
PATH=/usr/bin:/bin
for arg; do case $arg in --regexp=*) needle=\${arg#--regexp=};; esac; done
${script}
`;
  writeFileSync(join(folder, "rg"), text, { mode: 0o755 });
  return {
    env: { PATH: `${folder}:/usr/bin:/bin`, RIPGREP_CONFIG_PATH: "/evil" },
    calls: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
  };
}

const withEnv = (place: Scratch, env: Record<string, string>): Scratch => ({
  ...place,
  machine: { ...place.machine, env: { ...place.machine.env, ...env } },
});

describe("ripgrep", () => {
  it.each([
    ["--pre=./x.sh", { literal: true }, "--regexp=--pre=./x.sh"],
    ["--pre=./x.sh", {}, "--regexp=--pre="],
    ["needle.*(a+)+$", {}, "--regexp=needle"],
    ["(?i)NeeDle", {}, "--ignore-case"],
  ])("is given %j as a text, after its options, without configuration", async (pattern, options, expected) => {
    const place = scratch();
    const { env, calls } = standIn(place);
    expect(await backendIn(withEnv(place, env)).grep(pattern, options)).toMatchObject({ ok: true });
    const lines = calls().trimEnd().split("\n");
    expect(lines).toContain(expected);
    expect(lines.slice(0, 2)).toEqual(["--no-config", "--no-follow"]);
    expect(lines.slice(-3, -1)).toEqual(["--", "."]);
    expect(lines.at(-1)).not.toMatch(/RIPGREP|HOME/);
    expect(lines.filter((line) => line.startsWith("--pre"))).toEqual([]);
  });

  it("is not asked where it could not help, where the agent could have put it, or where it is not wanted", async () => {
    const place = scratch();
    const { env, calls } = standIn(place);
    await backendIn(withEnv(place, env)).grep("[a-z]+");
    await backendIn(withEnv(place, env), { ripgrep: false }).grep("needle");
    await backendIn(withEnv(place, env), { allowedDirectories: [place.root] }).grep("needle");
    chmodSync(join(place.root, "bin/rg"), 0o777);
    await backendIn(withEnv(place, env)).grep("needle");
    expect(calls()).toBe("");
  });

  it.each([["exit 2"], ["echo x; exit 2"], ["kill -9 $$"]])("that fails (%s) takes nothing away", async (script) => {
    const place = scratch();
    place.write("a", "needle");
    const { env } = standIn(place, script);
    expect(await backendIn(withEnv(place, env)).grep("needle")).toMatchObject({ matches: [{ line: 1, text: "needle" }] });
  });

  it("that names more than it should shows no more", async () => {
    const place = scratch();
    place.write(".env", "needle=1");
    place.write("a", "nothing");
    writeFileSync(join(place.root, "outside"), "needle");
    symlinkSync(join(place.root, "outside"), join(place.project, "link"));
    const { env } = standIn(place, "printf '.env\\0a\\0link\\0../../outside\\0'");
    expect(await backendIn(withEnv(place, env)).grep("needle", { hidden: true })).toEqual({ ok: true, matches: [], truncated: false });
  });

  it("finds what is found without it", async () => {
    const place = scratch();
    const names = ["a", "b/c", "b/.hidden", "node_modules/x", ".git/y", "d e/f", "b/ignored", "u", "--pre=x"];
    const words = ["needle", "NEEDLE", "need", "le", "a.b", "--pre", "k", "\u212a", "\u017f", "", "\r", "nee\ndle"];
    place.write(".gitignore", "ignored");
    place.write("binary", "needle\0needle");
    place.write("b/utf16", "\ufeffneedle");
    // The real one where it is installed, else grep in its place.
    const env = existsSync("/usr/bin/rg") ? { PATH: "/usr/bin" } : standIn(place).env;
    const pattern = fc.constantFrom(
      "needle",
      "need.*le",
      "(nee)+dle",
      "needle|x",
      "^need",
      "le$",
      "a\\.b",
      "--pre",
      "\\w+dle",
      "[n]eedle",
      "nee?dle",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...names), fc.array(fc.constantFrom(...words), { maxLength: 6 })), { maxLength: 6 }),
        pattern,
        existsSync("/usr/bin/rg") ? fc.boolean() : fc.constant(false),
        fc.boolean(),
        fc.boolean(),
        async (files, wanted, ignoreCase, literal, hidden) => {
          for (const [name, parts] of files) place.write(name, parts.join(" "));
          const found = await backendIn(withEnv(place, env)).grep(wanted, { ignoreCase, literal, hidden });
          expect(found).toEqual(await backendIn(place, { ripgrep: false }).grep(wanted, { ignoreCase, literal, hidden }));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a pattern that takes long elsewhere", () => {
  it.each(["(a+)+$", "(a|a)*b", "(.*)*x", "(a?){50}a{50}", "([a-z]+)*\\d"])("%s does not here", async (pattern) => {
    const place = scratch();
    place.write("a", "a".repeat(20_000));
    expect(await backendIn(place).grep(pattern)).toMatchObject({ ok: true });
  });
  it.each(["((a{1000}){1000}){1000}", "(?=a)a", "(a)\\1", "(".repeat(2000)])("%s is refused", async (pattern) => {
    expect(await backendIn(scratch()).grep(pattern)).toMatchObject({ ok: false, code: "pattern" });
  });
});
