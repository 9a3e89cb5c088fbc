import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allCommands, commandTable } from "../../packages/assent/src/cli/command-table.ts";
import { completionScript, SHELLS } from "../../packages/assent/src/cli/completion.ts";
import { manPage } from "../../packages/assent/src/cli/man-page.ts";
import { program } from "../../packages/assent/src/cli/program.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";

const table = commandTable(program());
const rows = allCommands(table);
const has = (name: string): boolean => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

/** `path`: folders in front of the machine's own. */
function shell(name: string, args: readonly string[], place: Scratch, path = ""): string {
  const { status, stdout, stderr } = spawnSync(name, args, {
    cwd: place.project,
    encoding: "utf8",
    env: { PATH: `${path}${process.env["PATH"] ?? ""}`, HOME: place.home, XDG_CONFIG_HOME: join(place.root, "config") },
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

/** A machine on which there is something of each kind that is offered by name. */
function furnished(): Scratch {
  const place = scratch();
  const run = "20261121-061530-4f2a9c00";
  const meta = {
    id: run,
    argv: ["make"],
    cwd: place.project,
    started: 1,
    ended: 2,
    edit: { agent: "claude", session: "s-17", tool: "Edit" },
  };
  place.write(`~/.local/state/assent/runs/${run}/meta.json`, JSON.stringify(meta));
  place.write("~/.local/state/assent/profiles/builder.jsonc", "{}");
  place.write("~/bin/assent", `#!/bin/sh\nexec '${process.execPath}' '${join(DIST, "bin.cjs")}' "$@"\n`);
  chmodSync(join(place.home, "bin/assent"), 0o755);
  // A program of the project by that name.
  place.write("assent", "#!/bin/sh\necho ran >> ran\n");
  chmodSync(join(place.project, "assent"), 0o755);
  return place;
}

/** What is typed, and which name of that machine must be offered. */
const LISTED_NAMES: readonly (readonly [typed: readonly string[], wanted: string])[] = [
  [["receipt", ""], "20261121-061530-4f2a9c00"],
  [["undo", ""], "20261121-061530-4f2a9c00"],
  [["undo", "--session", ""], "s-17"],
  [["install", "--agent", ""], "claude"],
  [["profile", "show", ""], "builder"],
];

/** What is typed, and what must be offered (and what must not). */
const OFFERS: readonly (readonly [typed: readonly string[], wanted: readonly string[], not?: readonly string[]])[] = [
  [["assent", ""], ["explain", "lint", "test", "rules", "completion"], ["--json"]],
  [["assent", "exp"], ["explain"], ["lint"]],
  [["assent", "explain", "--"], ["--policy", "--json", "--diff"], ["--follow"]],
  [["assent", "log", "--"], ["--follow", "--lines"], ["--diff"]],
  [["assent", "completion", ""], ["bash", "zsh", "fish"], ["explain"]],
];

describe("assent completion", () => {
  it("prints a script for each shell", () => {
    const place = scratch();
    for (const name of SHELLS) expect(assent(place, ["completion", name]).stdout).toBe(completionScript(name, table));
    expect(assent(place, ["completion", "tcsh"]).status).toBe(2);
    expect(assent(place, ["completion"]).status).toBe(2);
  });

  it.each(SHELLS)("%s: names every command and option", (name) => {
    const script = completionScript(name, table);
    for (const { path, options } of rows) {
      expect(script).toContain(path);
      for (const one of options) for (const flag of one.names) expect(script).toContain(name === "fish" ? flag.replace(/^-+/, "") : flag);
    }
  });

  it.runIf(has("bash"))("works in bash", () => {
    const place = scratch();
    const file = place.write("complete.bash", completionScript("bash", table));
    place.write("my policy.jsonc", "{}");
    const ask = (typed: readonly string[]): readonly string[] => {
      const words = typed.map((text) => `'${text}'`).join(" ");
      const script = `source '${file}'; complete -p assent >/dev/null || exit 1; COMP_WORDS=(${words}); COMP_CWORD=${typed.length - 1}; _assent; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return shell("bash", ["--norc", "-c", script], place).split("\n");
    };
    for (const [typed, wanted, not = []] of OFFERS) {
      const offered = ask(typed);
      expect(offered).toEqual(expect.arrayContaining([...wanted]));
      for (const other of not) expect(offered).not.toContain(other);
    }
    expect(ask(["assent", "explain", "--policy", "my"])).toContain("my policy.jsonc");
    expect(ask(["assent", "lint", "my"])).toContain("my policy.jsonc");
    expect(ask(["assent", "explain", "--cwd", ""])).toEqual(expect.arrayContaining(["src"]));
    expect(ask(["assent", "explain", "--cwd", ""])).not.toContain("my policy.jsonc");
    expect(ask(["assent", "explain", "--tool", ""]).join("")).toBe("");
    expect(ask(["assent", "run", "bas"])).toContain("bash");
  });

  it.runIf(has("bash"))("offers in bash what there is on the machine", () => {
    const place = furnished();
    const file = place.write("complete.bash", completionScript("bash", table));
    for (const [typed, wanted] of LISTED_NAMES) {
      const words = ["./assent", ...typed];
      const quoted = words.map((text) => `'${text}'`).join(" ");
      const script = `source '${file}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _assent; printf '%s\\n' "\${COMPREPLY[@]}"`;
      expect(shell("bash", ["--norc", "-c", script], place, `${place.home}/bin:`).split("\n")).toContain(wanted);
    }
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });

  it.runIf(has("zsh"))("works in zsh", () => {
    const place = scratch();
    const file = place.write("complete.zsh", completionScript("zsh", table));
    const stubs = "_describe() { print -l -- ${(P)${@[-1]}} }; _files() { print FILES $* }";
    const ask = (typed: readonly string[]): readonly string[] => {
      const words = typed.map((text) => `'${text}'`).join(" ");
      const script = `autoload -Uz compinit && compinit -D -u; source '${file}'; [[ $_comps[assent] == _assent ]] || exit 1; ${stubs}; words=(${words}); CURRENT=${typed.length}; _assent`;
      return shell("zsh", ["-f", "-c", script], place)
        .split("\n")
        .map((line) => line.replace(/:.*/, ""));
    };
    for (const [typed, wanted, not = []] of OFFERS) {
      // zsh itself keeps what does not begin with what is typed from being shown.
      const offered = ask(typed);
      expect(offered).toEqual(expect.arrayContaining([...wanted]));
      for (const other of not.filter((text) => typed.at(-1) === "" || text.startsWith("-"))) expect(offered).not.toContain(other);
    }
    expect(ask(["assent", "explain", "--policy", ""])).toContain("FILES");
    expect(ask(["assent", "explain", "--cwd", ""])).toContain("FILES -/");
  });

  it.runIf(has("zsh"))("offers in zsh what there is on the machine", () => {
    const place = furnished();
    const file = place.write("complete.zsh", completionScript("zsh", table));
    for (const [typed, wanted] of LISTED_NAMES) {
      const words = ["./assent", ...typed];
      const quoted = words.map((text) => `'${text}'`).join(" ");
      const script = `autoload -Uz compinit && compinit -D -u; source '${file}'; _describe() { print -l -- \${(P)\${@[-1]}} }; words=(${quoted}); CURRENT=${words.length}; _assent`;
      expect(shell("zsh", ["-f", "-c", script], place, `${place.home}/bin:`).split("\n")).toContain(wanted);
    }
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });

  it.runIf(has("fish"))("works in fish", () => {
    const place = scratch();
    const file = place.write("complete.fish", completionScript("fish", table));
    const ask = (typed: readonly string[]): readonly string[] =>
      shell("fish", ["--no-config", "-c", `source '${file}'; complete -C '${typed.join(" ")}'`], place)
        .split("\n")
        .map((line) => line.split("\t")[0] ?? "");
    for (const [typed, wanted, not = []] of OFFERS) {
      const offered = ask(typed);
      expect(offered).toEqual(expect.arrayContaining([...wanted]));
      for (const other of not) expect(offered).not.toContain(other);
    }
  });

  it.runIf(has("fish"))("offers in fish what there is on the machine", () => {
    const place = furnished();
    const file = place.write("complete.fish", completionScript("fish", table));
    for (const [typed, wanted] of LISTED_NAMES) {
      const script = `set -x PATH '${join(place.home, "bin")}' $PATH; source '${file}'; complete -C '${["assent", ...typed].join(" ")}'`;
      expect(
        shell("fish", ["--no-config", "-c", script], place)
          .split("\n")
          .map((line) => line.split("\t")[0]),
      ).toContain(wanted);
    }
  });
});

describe("man/assent.1", () => {
  const file = join(import.meta.dirname, "../../man/assent.1");

  it("is up to date (`npm run generate`)", () => {
    expect(readFileSync(file, "utf8")).toBe(manPage(table));
  });

  it.runIf(has("groff"))("renders without warnings, with every command and option", () => {
    const { status, stdout, stderr } = spawnSync("groff", ["-man", "-Tascii", "-ww", "-P-c", "-P-b", "-P-o", "-P-u", file], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    // Lines may be broken at a dash.
    const text = stdout.replace(/[-\u2010]\n\s+/g, "-").replace(/\s+/g, " ");
    for (const row of rows.slice(1)) {
      if (row.commands.length === 0) expect(text).toContain(row.path);
      for (const { names } of row.options) if (!names.includes("--help")) for (const name of names) expect(text).toContain(name);
    }
  });

  // As it is packed.
  it.runIf(has("man"))("opens with man", () => {
    const { status, stdout, stderr } = spawnSync("man", ["--warnings", "-l", join(DIST, "assent.1.gz")], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], MANWIDTH: "100", LC_ALL: "C" },
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("EXIT STATUS");
  });
});

describe("docs/cli.md", () => {
  it("names every command", () => {
    const text = readFileSync(join(import.meta.dirname, "../../docs/cli.md"), "utf8");
    const missing = table.commands.filter(({ path }) => !path.endsWith(" help") && !text.includes(`\`${path}`));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });
});
