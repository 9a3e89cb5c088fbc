import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { forgetFindings, realWorld } from "@assent/guard/engine";
import { Resolver } from "../../packages/guard/src/engine/canonical-paths.ts";
import { physicalPath } from "@assent/core/request";
import { normalise } from "@assent/core/path";
import { scratch, type Scratch } from "../scratch.ts";

const worldOf = (place: Scratch, path?: string): ReturnType<typeof realWorld> =>
  realWorld(path === undefined ? place.machine : { ...place.machine, env: { PATH: path } }, place.project, undefined);

function program(path: string): void {
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
}

describe("normalise", () => {
  it.each([
    ["/", "/"],
    ["/a/./b//c/", "/a/b/c"],
    ["/a/../../b", "/b"],
    ["/a/...", "/a/..."],
    ["/a/.b", "/a/.b"],
    ["/..", "/"],
  ])("%s is %s", (given, expected) => expect(normalise(given)).toBe(expected));
});

describe("canonical", () => {
  it("resolves links, dangling ones to where writing would create the file", () => {
    const place = scratch();
    symlinkSync("/etc", join(place.project, "link"));
    symlinkSync("../target-that-is-not", join(place.project, "dangling"));
    symlinkSync("loop", join(place.project, "loop"));
    symlinkSync("link/../usr/bin", join(place.project, "through"));
    symlinkSync("/proc/self/cwd/src", join(place.project, "mine"));
    const { canonical } = worldOf(place);
    expect(canonical(`${place.project}/link/passwd`)).toBe("/etc/passwd");
    expect(canonical(`${place.project}/link/no/such`)).toBe("/etc/no/such");
    expect(canonical(`${place.project}/dangling`)).toBe(`${place.home}/target-that-is-not`);
    expect(canonical(`${place.project}/dangling/x`)).toBe(`${place.home}/target-that-is-not/x`);
    expect(canonical(`${place.project}/loop`)).toContain("loop");
    // The link's own `..` leaves the folder that its first part leads to.
    expect(canonical(`${place.project}/through/sh`)).toMatch(/^\/usr\/bin\//);
    expect(canonical(`${place.project}/mine/x`)).toBe(`${place.project}/src/x`);
    expect(canonical(`${place.project}/new/file`)).toBe(`${place.project}/new/file`);
  });

  it("takes /proc/self for the command's process", () => {
    const place = scratch();
    const { canonical } = worldOf(place);
    expect(canonical("/proc/self/cwd/src")).toBe(`${place.project}/src`);
    expect(canonical("/proc/self/root/etc/passwd")).toBe("/etc/passwd");
    expect(canonical("/dev/stdin")).toBe("/dev/stdin");
    expect(canonical("/proc/self/fd/0")).toBe("/proc/self/fd/0");
  });

  it("knows where `link/..` leads", () => {
    const place = scratch();
    symlinkSync("/usr/lib", join(place.project, "link"));
    const resolver = new Resolver(place.project);
    expect(physicalPath(`${place.project}/link/../x`, resolver)).toBe("/usr/x");
    expect(physicalPath(`${place.project}/src/../x`, resolver)).toBeUndefined();
    expect(physicalPath(`${place.project}/x`, resolver)).toBeUndefined();
  });
});

describe("the project", () => {
  it("is the git top level of the session, or the folder itself", () => {
    const place = scratch();
    expect(realWorld(place.machine, join(place.project, "src"), undefined).projectRoot).toBe(place.project);
    expect(realWorld(place.machine, join(place.home, ".ssh"), undefined).projectRoot).toBe(join(place.home, ".ssh"));
    expect(realWorld(place.machine, place.home, place.project).projectRoot).toBe(place.project);
    // A worktree has a file.
    const worktree = place.write("~/worktree/.git", "gitdir: x").replace("/.git", "");
    expect(realWorld(place.machine, worktree, undefined).projectRoot).toBe(worktree);
  });
});

describe("who a program is, in a process that has judged before", () => {
  afterEach(() => void vi.restoreAllMocks());

  /** Between two decisions; `first` comes before `second` in PATH, where `mine` was found. */
  const CHANGES: readonly (readonly [what: string, change: (first: string, second: string) => void, found: string | undefined])[] = [
    ["nothing", () => {}, "second/mine"],
    ["puts a program in front of it", (first) => program(join(first, "mine")), "first/mine"],
    ["puts a link in front of it", (first) => symlinkSync("/bin/sh", join(first, "mine")), "first/mine"],
    ["renames one to it", (first) => renameSync(join(first, "other"), join(first, "mine")), "first/mine"],
    [
      "puts another folder in front of it",
      (first) => {
        renameSync(first, `${first}.away`);
        mkdirSync(first);
        program(join(first, "mine"));
      },
      "first/mine",
    ],
    [
      "puts a program in front of it, and sets the folder's times back",
      (first) => {
        program(join(first, "mine"));
        utimesSync(first, new Date(0), new Date(0));
      },
      "first/mine",
    ],
    ["takes it away", (_, second) => rmSync(join(second, "mine")), undefined],
    ["takes its rights away", (_, second) => chmodSync(join(second, "mine"), 0o644), undefined],
  ];

  it.each(CHANGES)("is looked for again when somebody %s", (_, change, found) => {
    const place = scratch();
    const [first, second, none] = ["first", "second", "none"].map((name) => join(place.home, name)) as [string, string, string];
    for (const folder of [first, second]) mkdirSync(folder);
    for (const file of ["first/other", "second/mine", "second/one"]) program(join(place.home, file));
    // All of it has lain there for a while.
    const now = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => now + 3_600_000);
    const look = (): string | undefined => {
      forgetFindings();
      const { lookup } = worldOf(place, `${none}:${first}:${second}`);
      lookup("one");
      return lookup("mine").path;
    };
    for (let times = 0; times < 5; times += 1) expect(look()).toBe(join(second, "mine"));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    change(first, second);
    expect(look()).toBe(found === undefined ? undefined : join(place.home, found));
  });
});

describe("who a program is", () => {
  it("trusts system folders, and names that are not found", () => {
    const { lookup } = worldOf(scratch());
    expect(lookup("sh")).toMatchObject({ trusted: true });
    expect(lookup("sh").path).toMatch(/\/sh$/);
    expect(lookup("no-such-program-anywhere")).toEqual({ path: undefined, trusted: true });
  });

  it("distrusts folders in the project, temporary ones, relative ones and those others may write", () => {
    const place = scratch();
    const open = join(place.home, "open");
    for (const folder of [join(place.project, "bin"), join(place.root, "tmp/bin"), open, join(place.home, "tools")]) {
      mkdirSync(folder, { recursive: true });
      program(join(folder, "mine"));
    }
    chmodSync(open, 0o777);
    const trusts = (path: string): boolean => worldOf(place, path).lookup("mine").trusted;
    expect(trusts(join(place.home, "tools"))).toBe(true);
    for (const path of [join(place.project, "bin"), join(place.root, "tmp/bin"), open, "", ".", "bin:/usr/bin", `:${place.home}/tools`])
      expect([path, trusts(path)]).toEqual([path, false]);
  });

  it("looks where a link leads", () => {
    const place = scratch();
    const tools = join(place.home, "tools");
    mkdirSync(tools);
    program(join(place.project, "evil"));
    symlinkSync(join(place.project, "evil"), join(tools, "ls"));
    expect(worldOf(place, `${tools}:/usr/bin`).lookup("ls")).toEqual({
      path: join(tools, "ls"),
      trusted: false,
      real: join(place.project, "evil"),
    });
  });

  it("a name with a slash must be a program in a place programs are run from", () => {
    const place = scratch();
    program(place.write("ls", ""));
    program(place.write("~/somewhere/ls", ""));
    const { trustedProgram } = worldOf(place);
    expect(trustedProgram("/bin/sh")).toBe(true);
    expect(trustedProgram(join(place.project, "ls"))).toBe(false);
    expect(trustedProgram(join(place.home, "somewhere/ls"))).toBe(false);
    expect(trustedProgram("/usr/bin/no-such-program")).toBe(false);
    expect(trustedProgram("/usr/bin")).toBe(false);
  });

  it("home as the session's root leaves system and tool folders trusted, nothing else", () => {
    const place = scratch();
    for (const folder of [".cargo/bin", "bin"]) program(place.write(`~/${folder}/mine`, ""));
    const at = (folder: string): boolean =>
      realWorld({ ...place.machine, env: { PATH: join(place.home, folder) } }, place.home, undefined).lookup("mine").trusted;
    expect(at(".cargo/bin")).toBe(true);
    expect(at("bin")).toBe(false);
  });
});

describe("find", () => {
  it("finds the nearest, does not follow links, says when it did not look everywhere", () => {
    const place = scratch();
    place.write("a/b/c/.env", "");
    place.write("node_modules/x/key.pem", "");
    symlinkSync("/etc", join(place.project, "link"));
    const { find } = worldOf(place);
    const named = (name: string) => (path: string) => path.endsWith(`/${name}`);
    expect(find(place.project, named(".env"))).toEqual({ found: `${place.project}/a/b/c/.env`, complete: true });
    // Published packages hold no secret of this user's, and would use up every walk.
    expect(find(place.project, named("key.pem"))).toEqual({ found: undefined, complete: true });
    expect(find(place.project, named("passwd"))).toEqual({ found: undefined, complete: true });
    expect(find(place.project, named(".env"), 2)).toEqual({ found: undefined, complete: true });
    expect(find(place.project, named("project"))).toEqual({ found: place.project, complete: true });
    expect(find("/no/such", named("x"))).toEqual({ found: undefined, complete: true });
  });

  it("knows from the index which files git tracks", () => {
    const place = scratch();
    for (const file of ["a/x.ts", "x.ts", ".npmrc", "b/.npmrc", "loose"]) place.write(file, "x");
    const git = (...args: string[]) => execFileSync("git", ["-C", place.project, ...args], { stdio: "ignore" });
    git("init", "-q");
    git("add", "a/x.ts", "b/.npmrc");
    const { tracked } = worldOf(place);
    const answers = ["a/x.ts", "x.ts", ".npmrc", "b/.npmrc", "loose"].map((file) => tracked(join(place.project, file)));
    expect(answers).toEqual([true, false, false, true, false]);
    expect(tracked("/etc/passwd")).toBeUndefined();
  });

  it("is bounded", () => {
    const place = scratch();
    mkdirSync(join(place.project, "many"));
    for (let at = 0; at <= 20_000; at += 1) writeFileSync(join(place.project, "many", `f${at}`), "");
    place.write("many/d/x", "");
    expect(worldOf(place).find(place.project, () => false)).toEqual({ found: undefined, complete: false });
    const { names, exhausted } = worldOf(place);
    expect(names(join(place.project, "src"))).toEqual([]);
    expect(names(join(place.project, "no-such"))).toBeUndefined();
    expect([exhausted?.(), names(join(place.project, "many")), exhausted?.()]).toEqual([false, undefined, true]);
    // What was listed before is still known, nothing else is.
    expect([names(join(place.project, "src")), names(place.project)]).toEqual([[], undefined]);
  });

  it("T4: all folders of a request together", () => {
    const place = scratch();
    for (let folder = 0; folder < 9; folder += 1)
      for (let at = 0; at < 2500; at += 1) {
        if (at === 0) mkdirSync(join(place.project, `f${folder}`));
        writeFileSync(join(place.project, `f${folder}`, `x${at}`), "");
      }
    const { find, names } = worldOf(place);
    const complete = (folder: number): boolean => find(join(place.project, `f${folder}`), () => false).complete;
    expect(Array.from({ length: 9 }, (_, folder) => complete(folder))).toEqual([true, true, true, true, true, true, true, false, false]);
    // The same folder again costs nothing.
    expect([complete(0), names(join(place.project, "f0"))?.length, names(join(place.project, "f8"))]).toEqual([true, 2500, undefined]);
  });
});

describe("environment and kinds", () => {
  it("vouches for few variables", () => {
    const place = scratch({ env: { FOO: "x", USER: "me" } });
    const { env } = worldOf(place);
    expect([env("HOME"), env("PWD"), env("USER"), env("FOO"), env("PATH")]).toEqual([
      place.home,
      place.project,
      "me",
      undefined,
      undefined,
    ]);
  });

  it("tells kinds", () => {
    const place = scratch();
    place.write("f", "");
    const { kind } = worldOf(place);
    expect(["f", "src", "no", "f/x"].map((name) => kind(join(place.project, name)))).toEqual(["file", "directory", "missing", "missing"]);
    expect(kind("/dev/null")).toBe("other");
  });
});
