import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { rememberInProfile } from "@assent/guard/policy-edit";
import { clearProfile, findProfile, listProfiles, profileFile, profilesFolder, programProfile, readProfile } from "@assent/guard/state";
import { scratch } from "../scratch.ts";

const ODD = [
  "/usr/bin/npm",
  "_usr_bin_npm",
  "usr-bin-npm",
  "/usr/bin/npm ",
  "/usr/bin/NPM",
  "..",
  ".",
  "",
  "../../../../etc/passwd",
  "/",
  "\n",
  "a\nb",
  "a\u0000b",
  "\u001b[31m",
  "ci",
  "CI",
  "ci.jsonc",
  "ci@0123",
  "x".repeat(5000),
  `${"x".repeat(5000)}y`,
  "\udcff",
  "\udcfe",
  "\u202e",
  "con",
  "-rf",
];

test("any name is a file of its own in the folder, with a plain name", () => {
  const { machine } = scratch();
  const files = ODD.map((name) => profileFile(machine, name));
  expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(ODD.length);
  for (const file of files) {
    expect(dirname(file)).toBe(profilesFolder(machine));
    expect(basename(file)).toMatch(/^[A-Za-z0-9_@][A-Za-z0-9@._-]*\.jsonc$/);
    expect(basename(file).length).toBeLessThan(130);
  }
  expect(basename(profileFile(machine, "ci"))).toBe("ci.jsonc");
  expect(basename(profileFile(machine, "/usr/bin/npm"))).toMatch(/^usr-bin-npm@[0-9a-f]{24}\.jsonc$/);
});

test("two names share no file, whatever they are", () => {
  const { machine } = scratch();
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[a-c@./-]{0,6}$/)), (name) => {
      const file = profileFile(machine, name).toLowerCase();
      expect(seen.get(file) ?? name).toBe(name);
      seen.set(file, name);
    }),
    { numRuns: 2000 },
  );
});

test("a profile is made, found by its own name, listed and cleared", () => {
  const { machine, project } = scratch();
  const names = ODD.filter((name) => name.trim() !== "" && !/\p{Cs}/u.test(name));
  for (const name of names)
    expect(rememberInProfile(machine, name, "allow", "open(/a, _)", "a test")).toMatchObject({ is: "done", added: 1, created: true });
  expect(statSync(profilesFolder(machine)).mode & 0o777).toBe(0o700);
  for (const file of readdirSync(profilesFolder(machine))) expect(statSync(join(profilesFolder(machine), file)).mode & 0o777).toBe(0o600);
  expect(listProfiles(machine).map(({ name }) => name)).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)));
  for (const name of names) {
    expect(readProfile(machine, name)).toMatchObject({ name, content: { is: "text" } });
    expect(findProfile(name, machine, project)?.name).toBe(name);
    expect(clearProfile(machine, name)).toBe("done");
    expect(clearProfile(machine, name)).toBe("missing");
  }
  expect(listProfiles(machine)).toEqual([]);
});

test("bytes that are no UTF-8 are shown in the list, and still name a profile of their own", () => {
  const { machine } = scratch();
  for (const name of ["/tmp/\udcff", "/tmp/\udcfe"]) rememberInProfile(machine, name, "allow", "open('/tmp/\\xff', _)", "a test");
  expect(listProfiles(machine).map(({ name }) => name)).toEqual(["/tmp/\\xfe", "/tmp/\\xff"]);
  expect(clearProfile(machine, "/tmp/\udcff")).toBe("done");
  expect(listProfiles(machine)).toHaveLength(1);
});

test("no name, no profile", () => {
  const { machine } = scratch();
  for (const name of ["", " ", "\n"])
    expect(rememberInProfile(machine, name, "allow", "Read", "a test")).toMatchObject({ is: "failed", why: "a profile needs a name" });
  expect(existsSync(profilesFolder(machine))).toBe(false);
});

test("P12: a program's profile is its path, found as the shell finds it", () => {
  const place = scratch();
  const bin = join(place.root, "bin");
  const real = join(place.root, "real");
  for (const folder of [bin, real]) mkdirSync(folder);
  writeFileSync(join(real, "tool.js"), "", { mode: 0o755 });
  writeFileSync(join(real, "plain"), "", { mode: 0o644 });
  symlinkSync("../real/tool.js", join(bin, "tool"));
  symlinkSync("real", join(place.root, "link"));
  const machine = { ...place.machine, env: { PATH: `${join(place.root, "missing")}:${join(place.root, "link")}:${bin}` } };
  const of = (word: string): string => programProfile(word, machine, place.root);
  expect(of("tool")).toBe(join(bin, "tool"));
  expect(of("tool.js")).toBe(join(real, "tool.js"));
  expect(of("link/tool.js")).toBe(join(real, "tool.js"));
  expect(of("./bin/../link/tool.js")).toBe(join(real, "tool.js"));
  expect(of(join(place.root, "link/tool.js"))).toBe(join(real, "tool.js"));
  expect(of("plain")).toBe("plain");
  expect(of("no-such-tool")).toBe("no-such-tool");
  expect(of("nowhere/tool")).toBe("nowhere/tool");
  expect(of("")).toBe("");
  rememberInProfile(machine, of("tool"), "allow", "Read", "a test");
  expect(findProfile("tool", machine, place.root)?.name).toBe(join(bin, "tool"));
  expect(findProfile("bin/tool", machine, place.root)?.name).toBe(join(bin, "tool"));
  expect(findProfile("other", machine, place.root)).toBeUndefined();
});
