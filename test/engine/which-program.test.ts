import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeOnly } from "@assent/page/preview";
import { scratch } from "../scratch.ts";

/** A name is judged as the program that it is here: told by the file that its links lead to, without running it. */
describe("which program a name is", () => {
  /** `links`: from a path in the scratch place to another; what none leads to is a program. `~`: home, `/`: the place's root. */
  function decisionOn(line: string, links: Readonly<Record<string, string>>, path = "/usr/bin"): string {
    const { root, home, project, machine, write } = scratch();
    const at = (name: string): string => (name.startsWith("~/") ? join(home, name.slice(2)) : join(root, name));
    for (const [name, to] of Object.entries(links)) {
      mkdirSync(dirname(at(name)), { recursive: true });
      if (to === "") chmodSync(write(at(name), "#!/bin/sh\n"), 0o755);
      else symlinkSync(/^[/~]/.test(to) ? at(to) : to, at(name));
    }
    for (const name of ["a.txt", ".env", "src/.env"]) write(name, "");
    const PATH = path
      .split(":")
      .map((folder) => (folder.startsWith("/") || folder.startsWith("~") ? at(folder) : folder))
      .join(":");
    return judgeOnly({ tool: "Bash", input: { command: line }, cwd: project }, { ...machine, env: { ...machine.env, PATH } }, []).verdict
      .decision;
  }

  const TOYBOX = {
    "/usr/bin/toybox": "",
    "/usr/bin/tac": "toybox",
    "/usr/bin/dos2unix": "toybox",
    "/usr/bin/unix2dos": "toybox",
    "/usr/bin/ls": "toybox",
  };
  const ALTERNATIVE = { "/opt/t/toybox": "", "/etc/alternatives/tac": "/opt/t/toybox", "/usr/bin/tac": "/etc/alternatives/tac" };
  const GNU = { "/usr/bin/tac": "", "/usr/bin/dos2unix": "", "/usr/bin/grep": "", "/usr/bin/ls": "" };
  const UGREP = { "/usr/bin/ugrep": "", "/usr/bin/grep": "ugrep", "/usr/bin/egrep": "/usr/bin/ugrep", "/usr/bin/ls": "" };
  const BUSYBOX = { "/usr/bin/busybox": "", "/usr/bin/ls": "busybox", "/usr/bin/grep": "/usr/bin/busybox", "/usr/bin/tac": "busybox" };
  const UUTILS = {
    "/usr/bin/coreutils": "",
    "/usr/lib/u/ls": "/usr/bin/coreutils",
    "/usr/bin/ls": "../lib/u/ls",
    "/usr/bin/tac": "../lib/u/tac",
    "/usr/lib/u/tac": "/usr/bin/coreutils",
  };

  it.each<readonly [line: string, links: Readonly<Record<string, string>>, decision: string]>([
    ["tac -s .env a.txt", TOYBOX, "deny"],
    ["tac --separator .env a.txt", TOYBOX, "deny"],
    ["tac -bs .env", TOYBOX, "deny"],
    ["x=.env; tac -s $x a.txt", TOYBOX, "deny"],
    ["cat a.txt | tac -s .env -", TOYBOX, "deny"],
    ["sh -c 'tac -s .env a.txt'", TOYBOX, "deny"],
    ["env tac -s .env a.txt", TOYBOX, "deny"],
    ["tac -s .env a.txt", ALTERNATIVE, "deny"],
    ["dos2unix -i a.txt", TOYBOX, "ask"],
    ["unix2dos --info=h a.txt", TOYBOX, "ask"],
    ["tac a.txt", TOYBOX, "allow"],
    ["ls -la | tac", TOYBOX, "allow"],
    ["tac -s x a.txt", GNU, "allow"],
    ["dos2unix -i a.txt", GNU, "allow"],
    ["grep -1 foo", UGREP, "ask"],
    ["grep -2n foo", UGREP, "ask"],
    ["grep foo src", UGREP, "ask"],
    ["egrep 'a|b' .", UGREP, "ask"],
    ["grep --group-separator .env foo a.txt", UGREP, "deny"],
    ["grep --group-sep=x foo a.txt", UGREP, "ask"],
    ["grep foo a.txt", UGREP, "allow"],
    ["ls -a | grep -v foo", UGREP, "allow"],
    ["grep -A3 -n foo a.txt", UGREP, "allow"],
    ["grep -1 foo a.txt", GNU, "allow"],
    ["grep foo src", GNU, "allow"],
    ["ls -la | grep -c foo", BUSYBOX, "allow"],
    ["tac a.txt", BUSYBOX, "allow"],
    ["ls -la; tac a.txt", UUTILS, "allow"],
  ])("%s", (line, links, decision) => {
    expect(decisionOn(line, links)).toBe(decision);
  });

  it.each<readonly [what: string, line: string, links: Readonly<Record<string, string>>, path: string]>([
    ["a program of the project", "./node_modules/.bin/ls", { "~/project/node_modules/.bin/ls": "" }, "/usr/bin"],
    ["the same without a dot", "node_modules/.bin/ls a.txt", { "~/project/node_modules/.bin/ls": "" }, "/usr/bin"],
    ["its folder first in PATH", "ls", { ...GNU, "~/project/node_modules/.bin/ls": "" }, "~/project/node_modules/.bin:/usr/bin"],
    ["a folder of temporary files first in PATH", "ls", { ...GNU, "/tmp/ls": "" }, "/tmp:/usr/bin"],
    ["the working folder first in PATH", "ls", { ...GNU, "~/project/ls": "" }, ".:/usr/bin"],
    ["an empty entry first in PATH", "ls", { ...GNU, "~/project/ls": "" }, ":/usr/bin"],
    ["a link that leads into the project", "ls", { "~/project/evil/ls": "", "/usr/bin/ls": "~/project/evil/ls" }, "/usr/bin"],
    ["a link to another name in the project", "ls", { "~/project/busybox": "", "/usr/bin/ls": "~/project/busybox" }, "/usr/bin"],
    [
      "a link over a link into temporary files",
      "ls",
      { "/tmp/ls": "", "/etc/alternatives/ls": "/tmp/ls", "/usr/bin/ls": "/etc/alternatives/ls" },
      "/usr/bin",
    ],
    ["another PATH in front of it", "PATH=~/project/bin ls", { ...GNU, "~/project/bin/ls": "" }, "/usr/bin"],
  ])("%s is not taken for the system's", (_, line, links, path) => {
    expect(decisionOn(line, links, path)).not.toBe("allow");
  });
});
