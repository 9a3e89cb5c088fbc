import { lutimesSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DIST, run, scratch, type Scratch } from "../scratch.ts";

// Code caches that a Node keeps for itself in the state folder: an update of Node or of Assent leaves none behind for good.

const BUILD = "0123456789abcdef";
const KEEP = `
const module_ = { exports: {} };
new Function("return " + require("node:fs").readFileSync(process.argv[1], "utf8"))()["start.own-caches"](module_.exports, require, module_, "", "");
const { ownCaches } = module_.exports;
const caches = ownCaches("");
caches.compile("hook", Buffer.from("text"), () => undefined, () => ({ cache: () => Buffer.from("new") }));
caches.keep();
`;

const stateOf = ({ home }: Scratch): string => join(home, ".local/state/assent");

/** A cache of the hook is kept in the state folder, where `old` lie, the first the oldest. Returns what lies there then. */
function keepBeside(old: readonly string[], prepare?: (state: string) => void): string[] {
  const place = scratch();
  const state = stateOf(place);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  for (const [at, name] of old.entries()) {
    place.write(join(state, name), "old");
    utimesSync(join(state, name), 1_000 + at, 1_000 + at);
  }
  prepare?.(state);
  run("env", ["-u", "XDG_STATE_HOME", `HOME=${place.home}`, process.execPath, "-e", KEEP, join(DIST, "start.cjs")], place.project);
  return readdirSync(state).sort();
}

const NOW = new RegExp(`^hook-[0-9a-f]{16}-${process.version}-${process.arch}\\.cache$`);
const named = (part: string, node: string): string => `${part}-${BUILD}-${node}-x64.cache`;

it("two older ones of the same part stay, for another Node or another copy of Assent; what is older goes", () => {
  const kept = keepBeside(["v20.1.0", "v20.2.0", "v22.0.0", "v24.0.0"].map((node) => named("hook", node)));
  expect(kept.filter((name) => !NOW.test(name))).toEqual([named("hook", "v22.0.0"), named("hook", "v24.0.0")]);
  expect(kept.filter((name) => NOW.test(name))).toHaveLength(1);
});

it("caches of other parts, and what only looks like a cache, stay", () => {
  const others = [
    ...["v20.1.0", "v20.2.0", "v22.0.0", "v24.0.0"].map((node) => named("shell", node)),
    named("agent-hook", "v20.1.0"),
    "hook-mine.cache",
    `hook-${BUILD}-v20.1.0-x64.cache.txt`,
    `hook-${BUILD}-20.1.0-x64.cache`,
  ];
  expect(keepBeside(others).filter((name) => !NOW.test(name))).toEqual([...others].sort());
});

it("a link of that name goes and what it leads to stays; a folder of that name stays and hides nothing behind it", () => {
  const [oldest, folder, ...newer] = ["v18.0.0", "v18.1.0", "v20.1.0", "v20.2.0", "v22.0.0"].map((node) => named("hook", node));
  const names = keepBeside(newer, (state) => {
    mkdirSync(join(state, "kept"));
    symlinkSync("kept", join(state, oldest ?? ""));
    lutimesSync(join(state, oldest ?? ""), 1, 1);
    mkdirSync(join(state, folder ?? ""));
  });
  expect(names.filter((name) => !NOW.test(name))).toEqual([folder ?? "", ...newer.slice(1), "kept"].sort());
});

it("what was just kept stays, whatever times the others have", () => {
  const names = keepBeside(
    ["v20.1.0", "v20.2.0", "v22.0.0"].map((node) => named("hook", node)),
    (state) => {
      for (const name of readdirSync(state)) utimesSync(join(state, name), 4e9, 4e9);
    },
  );
  expect(names).toHaveLength(3);
  expect(names.filter((name) => NOW.test(name))).toHaveLength(1);
});
