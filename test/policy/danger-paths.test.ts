import { describe, expect, test } from "vitest";
import type { FileAction, World } from "@assent/core/action";
import { pathDangers } from "../../packages/core/src/policy/path-class.ts";
import { spell } from "../../packages/core/src/policy/targets.ts";
import { file } from "./language.ts";
import { machine } from "./machine.ts";

const EXISTS = machine(["/srv/data/x", "/home/me/other/x", "/home/me/repo/src/a.ts"]);

function dangers(action: FileAction, world: World = EXISTS): readonly string[] {
  return pathDangers(action, spell(action, world).compared, world);
}

const recursive = { recursive: true };

describe("recursive delete", () => {
  test.each([
    ["/", "delete-outside"],
    ["/home", "delete-outside"],
    ["/home/me", "delete-outside"],
    ["/home/me/repo", "delete-outside"],
    ["/home/me/other", "delete-outside"],
    ["/srv/data", "delete-outside"],
    ["/tmp", "delete-outside"],
    ["/tmp/build", "delete-recursive"],
    ["build", "delete-recursive"],
    ["node_modules", "delete-recursive"],
    // What was made to be made again, but not all of it.
    ["/home/me/.cache/foo", "delete-recursive"],
    ["/home/me/.cache/foo/bar", "delete-recursive"],
    ["/home/me/.cache", "delete-outside"],
    ["/home/me/.cache/*", "delete-outside"],
    ["/home/me/.cache/../Documents", "delete-outside"],
    ["/home/me/.cached/foo", "delete-outside"],
    ["/home/me/other/.cache/foo", "delete-outside"],
    ["/home/other/.cache/foo", "delete-outside"],
    // A glob of nothing but wildcards means the folder it looks in.
    ["/*", "delete-outside"],
    ["/home/me/*", "delete-outside"],
    ["/home/me/.*", "delete-outside"],
    ["/home/me/repo/*", "delete-outside"],
    ["/home/*/*", "delete-outside"],
    ["/tmp/*", "delete-outside"],
    ["build/*", "delete-recursive"],
    ["*.o", "delete-recursive"],
    // One that could mean home.
    ["/h*", "delete-outside"],
    ["/home/me/re*", "delete-outside"],
    ["?", "delete-recursive"],
    ["src/?", "delete-recursive"],
    ["/srv/data/?", "delete-outside"],
  ])("%s: %s", (path, expected) => {
    expect(dangers(file(`delete ${path}`, recursive))).toEqual([expected]);
  });

  test("a tree is recursive by itself; one file is not", () => {
    expect(dangers(file("delete /home/me/**"))).toEqual(["delete-outside"]);
    expect(dangers(file("delete /home/me/notes.txt"))).toEqual([]);
    expect(dangers(file("delete *.o"))).toEqual([]);
  });

  test("a walk for some names means what it finds", () => {
    const walk = (path: string, only: string): FileAction => file("delete x", { target: { kind: "tree", path, filter: { only: [only] } } });
    expect(dangers(walk("/home/me/repo", "*.o"))).toEqual(["delete-recursive"]);
    expect(dangers(walk("/home/me/repo", "*"))).toEqual(["delete-outside"]);
    expect(dangers(walk("/home/me", "*.o"))).toEqual(["delete-outside"]);
    expect(dangers(walk("/", "*.o"))).toEqual(["delete-outside"]);
  });

  test("a link in the project that points at home is home", () => {
    const linked = machine([], { links: { "/home/me/repo/link": "/home/me" } });
    expect(dangers(file("delete link", recursive), linked)).toEqual(["delete-outside"]);
    expect(dangers(file("metadata link", recursive), linked)).toEqual(["delete-outside"]);
  });

  test("`link/..` leads where the link leads", () => {
    const linked = machine([], { links: { "/home/me/repo/link": "/home/me/x" } });
    expect(dangers(file("delete build", { recursive: true, asGiven: "link/.." }), linked)).toEqual(["delete-outside"]);
  });

  test("the home folder is compared as the disk compares", () => {
    expect(dangers(file("delete /HOME/me", recursive), machine([], { foldsCase: true }))).toEqual(["delete-outside"]);
  });

  test("a session started in / or home has no project there", () => {
    const atRoot = machine([], { projectRoot: "/", cwd: "/" });
    expect(dangers(file("delete /srv/data", recursive), atRoot)).toEqual(["delete-outside"]);
  });

  test("a project below a temp folder", () => {
    const inTemp = machine([], { projectRoot: "/tmp/p", cwd: "/tmp/p" });
    expect(dangers(file("delete /tmp/p", recursive), inTemp)).toEqual(["delete-outside"]);
    expect(dangers(file("delete /tmp/*", recursive), inTemp)).toEqual(["delete-outside"]);
    expect(dangers(file("delete /tmp/p*", recursive), inTemp)).toEqual(["delete-outside"]);
    expect(dangers(file("delete /tmp/q", recursive), inTemp)).toEqual(["delete-recursive"]);
  });
});

describe("recursive overwrite and chmod", () => {
  test.each([
    ["metadata /home/me", "delete-outside"],
    ["metadata /", "delete-outside"],
    ["metadata /home/me/repo", "delete-outside"],
    ["metadata /srv/data", "delete-outside"],
    ["metadata src", undefined],
    ["write /home/me", "delete-outside"],
    ["write /srv/data", "delete-outside"],
    // Making something new overwrites nothing.
    ["write /srv/new", undefined],
    // Unpacking into the project is everyday work; what it reaches is judged file by file.
    ["write /home/me/repo", undefined],
    ["write vendor", undefined],
    ["edit /home/me/**", "delete-outside"],
  ])("%s: %s", (text, expected) => {
    expect(dangers(file(text, recursive))).toEqual(expected === undefined ? [] : [expected]);
  });
});

test("moving home or the project away is losing it", () => {
  expect(dangers(file("rename /home/me"))).toEqual(["delete-outside"]);
  expect(dangers(file("rename /home/me/repo/*"))).toEqual(["delete-outside"]);
  expect(dangers(file("rename src"))).toEqual([]);
});

test("persistence and raw devices", () => {
  expect(dangers(file("write /home/me/.bashrc"))).toEqual(["persistence"]);
  expect(dangers(file("link .git/hooks/pre-commit"))).toEqual(["persistence"]);
  expect(dangers(file("write /dev/sda"))).toEqual(["raw-device"]);
  expect(dangers(file("mkdir /home/me/.local/bin"))).toEqual([]);
  expect(dangers(file("read /home/me/.bashrc"))).toEqual([]);
  const linked = machine([], { links: { "/home/me/repo/rc": "/home/me/.bashrc" } });
  expect(dangers(file("write rc"), linked)).toEqual(["persistence"]);
});
