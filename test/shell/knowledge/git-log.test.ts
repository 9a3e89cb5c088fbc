import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lowerShell } from "@assent/core/shell";
import { readOptionLine } from "../../../packages/core/src/shell/knowledge/read-spec.ts";
import { readTables } from "../../../packages/core/src/shell/knowledge/read-table.ts";
import { smallWorld } from "../world.ts";
import { tableFiles } from "./table-files.ts";

/** `git log -- FILE` tells of a file's history. Which options show what the file held is asked of git itself, for each of the entry. */
const folder = mkdtempSync(join(tmpdir(), "assent-log-"));
const git = (...args: readonly string[]): string =>
  spawnSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    encoding: "utf8",
    timeout: 20_000,
    input: "",
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
  }).stdout;

beforeAll(() => {
  git("init", "-q", "-b", "main");
  const commit = (text: string): void => {
    writeFileSync(join(folder, "f"), text);
    git("add", "f");
    git("commit", "-qm", "one");
  };
  commit("HIDDENTEXT 1\n");
  commit("HIDDENTEXT 1 \nHIDDENTEXT 2\n");
  git("checkout", "-qb", "side");
  commit("HIDDENTEXT 1 side\nHIDDENTEXT 2\n");
  git("checkout", "-q", "main");
  commit("HIDDENTEXT 1\nHIDDENTEXT 2 main\n");
  git("merge", "-q", "--no-commit", "side");
  commit("HIDDENTEXT both\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const options = Object.entries(
  readTables(tableFiles()).entries.find(({ spec }) => spec.names.split(" ").includes("git"))?.spec.subcommands ?? {},
)
  .filter(([names]) => names.split("|").some((name) => name.trim() === "log"))
  .flatMap(([, spec]) => (spec.options ?? "").split("\n"))
  .filter((row) => row.trim() !== "")
  .map(readOptionLine);

const VALUES = ["1", "on", "log", "color", "HIDDEN", "1,9:f"];

it("what of git log shows content is known for each of its options", () => {
  const rows = options.flatMap(({ names, argument }) =>
    names.flatMap((name) => {
      const values = argument === "none" ? [] : VALUES.map((value) => (name.startsWith("--") ? `${name}=${value}` : `${name}${value}`));
      return argument === "required" ? values : [name, ...values];
    }),
  );
  expect(rows.length).toBeGreaterThan(300);
  const showing = rows.filter((option) => git("log", "--format=%h", option, "--", "f").includes("HIDDENTEXT"));
  expect(showing).toContain("-p");
  expect(showing).toContain("--cc");
  const unread = showing.filter(
    (option) =>
      !lowerShell(`git log ${option} -- f`, { world: smallWorld({}) }).actions.some(
        (action) =>
          (action.kind === "file" && action.operation === "read" && action.target.kind === "path" && action.target.path.endsWith("/f")) ||
          action.kind === "code",
      ),
  );
  expect(unread).toEqual([]);
}, 120_000);
