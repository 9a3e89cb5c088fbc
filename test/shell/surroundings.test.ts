import { describe, expect, it } from "vitest";
import type { World } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "./world.ts";

const P = "/home/u/p";
const FILES = {
  [P]: "directory",
  [`${P}/a.txt`]: "file",
  [`${P}/data.json`]: "file",
  [`${P}/sub`]: "directory",
  [`${P}/sub/json.py`]: "file",
} as const;

/** True when some of what the line runs is code nobody has read. */
const isCode = (line: string, world: World): boolean => lowerShell(line, { world }).actions.some((action) => action.kind === "code");

describe("what an interpreter finds in its folder", () => {
  const world = smallWorld({ files: FILES });

  it.each([
    "python3 -c 'import json; print(json.dumps(1))'",
    "cat data.json | python3 -c 'import json,sys; print(json.load(sys.stdin))'",
    "cd sub && cd .. && python3 -c 'import json'",
    "timeout 5 python3 -c 'import re' 2>/dev/null | head -3",
    "node -p \"require('./data.json').name\"",
  ])("runs nothing else: %s", (line) => {
    expect(isCode(line, world)).toBe(false);
  });

  it.each([
    ["a module of that name", "cd sub && python3 -c 'import json'"],
    ["a folder known at run time only", "cd \"$X\" && python3 -c 'import json'"],
    ["a file written before", "echo 'import os' > json.py; python3 -c 'import json'"],
    ["a file written beside it", "python3 -c 'import time, json' | tee json.py"],
    ["a file written in the next turn", "for i in 1 2; do python3 -c 'import json'; cp a.txt json.py; done"],
    ["an unknown program before", "frobnicate; python3 -c 'import json'"],
    ["no file of that name", "node -p \"require('./other.json')\""],
    ["a folder of that name", "node -p \"require('./sub.json')\""],
  ])("may run code: %s", (_, line) => {
    expect(isCode(line, world)).toBe(true);
  });

  it("may run code where the folder cannot be listed", () => {
    expect(isCode("python3 -c 'import json'", smallWorld({ files: FILES, names: () => undefined }))).toBe(true);
  });

  it("goes by the name a link leads to", () => {
    const linked = smallWorld({ files: { ...FILES, [`${P}/x.js`]: "file" }, canonical: (path) => path.replace(/data\.json$/, "x.js") });
    expect(isCode("node -p \"require('./data.json')\"", linked)).toBe(true);
  });
});
