import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sealCache, unsealCache } from "../../packages/assent/src/cli/load-part.ts";
import { DIST, scratch } from "../scratch.ts";

describe("a sealed cache", () => {
  const source = Buffer.from(`(function(){return "${"text ".repeat(40)}"})`);
  const cache = Buffer.from(Array.from({ length: 403 }, (_, at) => (at * 31) & 0xff));
  const sealed = sealCache(source, cache);
  const flip = (bytes: Buffer, bit: number): Buffer => {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return flipped;
  };
  const bitsOf = (bytes: Buffer): readonly number[] => Array.from({ length: bytes.length * 8 }, (_, bit) => bit);

  it("is what was sealed", () => expect(unsealCache(source, sealed)).toEqual(cache));
  it("is not believed with any bit flipped", () => {
    expect(bitsOf(sealed).filter((bit) => unsealCache(source, flip(sealed, bit)) !== undefined)).toEqual([]);
  });
  it("is not believed for another text of the same length", () => {
    expect(bitsOf(source).filter((bit) => unsealCache(flip(source, bit), sealed) !== undefined)).toEqual([]);
  });
  it.each([0, 4, 16, 17, sealed.length - 4, sealed.length - 1])("is not believed cut off at %i", (length) => {
    expect(unsealCache(source, Buffer.from(sealed.subarray(0, length)))).toBeUndefined();
  });
  it("is not believed with something after it", () => {
    expect(unsealCache(source, Buffer.concat([sealed, Buffer.alloc(4)]))).toBeUndefined();
  });
});

describe("a hook with damaged caches", () => {
  const place = scratch({ keep: true });
  afterAll(() => rmSync(place.root, { recursive: true, force: true }));
  const dist = join(place.root, "dist");
  const state = join(place.home, ".local/state/assent");
  const caches = ["hook", "more", "shell"];
  const kept = (): readonly string[] => {
    const parts = new Set(caches);
    return listed(state)
      .map((file) => /^(.+)-[0-9a-f]{16}-v[^-]+-[^-]+\.cache$/.exec(file)?.[1] ?? "")
      .filter((part) => parts.has(part))
      .sort();
  };
  const ask = (command: string, options: readonly string[] = []): string => {
    const hook = [...options, join(dist, "bin.cjs"), "check", "--agent", "claude", "--event", "PreToolUse"];
    const input = JSON.stringify({
      session_id: "s",
      cwd: place.project,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command },
    });
    const { stdout, status } = spawnSync(process.execPath, hook, {
      env: { HOME: place.home, PATH: "/usr/bin:/bin" },
      input,
      encoding: "utf8",
    });
    expect(status).toBe(0);
    return /"permissionDecision":"(\w+)"/.exec(stdout)?.[1] ?? stdout;
  };
  const answersRightly = (): void => {
    expect(ask("rm -rf ~")).toBe("deny");
    expect(ask("ls -la")).toBe("allow");
  };
  const damage = (file: string): void => {
    const bytes = readFileSync(file);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    writeFileSync(file, bytes);
  };

  beforeAll(() => {
    cpSync(DIST, dist, { recursive: true });
  });

  it("whole ones are used", () => {
    answersRightly();
    expect(kept()).toEqual([]);
  });

  it.each(caches)("%s.cache with one bit flipped: not used", (part) => {
    rmSync(state, { recursive: true, force: true });
    damage(join(dist, `${part}.cache`));
    answersRightly();
    expect(kept()).toEqual([part]);
    copyFileSync(join(DIST, `${part}.cache`), join(dist, `${part}.cache`));
  });

  // An archive is built on one machine and installed on all: V8 believes the cache of another processor, and crashes in it.
  it.each([
    ["arch", "arm64"],
    ["arch", "x64"],
    ["platform", "darwin"],
  ])("those that were made where process.%s was not %s: not used", (name, value) => {
    rmSync(state, { recursive: true, force: true });
    const elsewhere = place.write("elsewhere.cjs", `Object.defineProperty(process, "${name}", { value: "${value}" })`);
    expect(ask("rm -rf ~", ["--require", elsewhere])).toBe("deny");
    expect(kept()).toEqual(Reflect.get(process, name) === value ? [] : caches);
  });

  it("two caches, each in the place of the other: not used", () => {
    rmSync(state, { recursive: true, force: true });
    renameSync(join(dist, "hook.cache"), join(dist, "other.cache"));
    renameSync(join(dist, "shell.cache"), join(dist, "hook.cache"));
    renameSync(join(dist, "other.cache"), join(dist, "shell.cache"));
    answersRightly();
    expect(kept()).toEqual(["hook", "shell"]);
  });

  it("the program's own caches in the state folder, with one bit flipped: made anew", () => {
    rmSync(state, { recursive: true, force: true });
    for (const part of caches) rmSync(join(dist, `${part}.cache`), { force: true });
    answersRightly();
    expect(kept()).toEqual(caches);
    const files = listed(state).filter((file) => file.endsWith(".cache"));
    for (const file of files) damage(join(state, file));
    const damaged = files.map((file) => readFileSync(join(state, file)).toString("hex"));
    answersRightly();
    expect(files.filter((file, at) => readFileSync(join(state, file)).toString("hex") === damaged[at])).toEqual([]);
  });
});

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
