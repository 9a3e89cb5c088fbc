import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { shellPrefix } from "@assent/core/action";
import { changeConsent } from "@assent/guard/state";
import { assent, run, scratch, type Scratch } from "../scratch.ts";
import { picture, touch } from "../supervise/undo/driver.ts";

/**
 * A session of an agent as it comes to Assent: the envelopes of Claude Code 2.1.330 for its tools, which then write by themselves, and
 * commands started as that host starts them. In the end all of it is taken back as one. `SESSION_STEPS` and `FUZZ_SEED` say how long and
 * which.
 */
const STEPS = Number(process.env["SESSION_STEPS"] ?? 100);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);

function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;
const NOTEBOOK = JSON.stringify({ cells: [{ cell_type: "code", source: ["1\n"], metadata: {} }], metadata: {}, nbformat: 4 });
/** What `npm ci` leaves: many files, programs, links to them. */
const INSTALL = `const fs = require("fs");
for (const name of ["left", "right", "middle"]) {
  fs.mkdirSync("vendor/" + name + "/lib", { recursive: true });
  for (let at = 0; at < 12; at++) fs.writeFileSync("vendor/" + name + "/lib/" + at + ".js", "module.exports = " + at + "\\n".repeat(process.hrtime()[1] % 50));
  fs.writeFileSync("vendor/" + name + "/cli.js", "#!/usr/bin/env node\\n", { mode: 0o755 });
  fs.mkdirSync("vendor/.bin", { recursive: true });
  try { fs.unlinkSync("vendor/.bin/" + name); } catch {}
  fs.symlinkSync("../" + name + "/cli.js", "vendor/.bin/" + name);
}
`;

interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the host does when it is allowed; absent: it starts the command. */
  readonly does?: () => void;
}

class Session {
  readonly place: Scratch;
  readonly story: string[] = [];
  readonly #next: () => number;
  #count = 0;

  constructor(next: () => number) {
    this.#next = next;
    this.place = scratch();
    const { place } = this;
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ unknown: "confine", mode: "full-auto" }));
    rmSync(join(place.project, ".git"), { recursive: true });
    for (const name of FILES) place.write(name, `the first\n${name}\nfile\n`);
    place.write("book.ipynb", NOTEBOOK);
    place.write("install.js", INSTALL);
    place.write("tool.sh", "#!/bin/sh\necho tool >> made/by-tool.txt\n");
    chmodSync(this.at("tool.sh"), 0o755);
    chmodSync(this.at("src/b.txt"), 0o640);
    symlinkSync("src/b.txt", this.at("link"));
    linkSync(this.at("a.txt"), this.at("second-name.txt"));
    for (const words of ["init -q -b main .", "config user.name T", "config user.email t@example.org", "add -A", "commit -qm first"])
      run("git", words.split(" "), place.project);
    let second = 1_600_000_000;
    for (const line of picture(place.project)) {
      const [, path = ""] = /^"([^"]*)"/.exec(line) ?? [];
      if (!path.startsWith("/.git/")) touch(`${place.project}${path}`, ++second, 123_456_789);
    }
    // A person agreed, at the terminal.
    assert.equal(
      changeConsent(place.machine, (said) => ({ ...said, modes: new Date().toISOString() })),
      undefined,
    );
    assert.equal(assent(place, ["install", "--agent", "claude", "--yes"]).status, 0);
  }

  at(path: string): string {
    return join(this.place.project, path);
  }

  #pick<T>(from: readonly T[]): T {
    const found = from[Math.floor(this.#next() * from.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  }

  step(): void {
    this.#count += 1;
    const step = this.#pick([
      () => this.#edit(),
      () => this.#edit(),
      () => this.#command(),
      () => this.#command(),
      () => this.#command(),
    ])();
    this.take(step);
  }

  /** One call, as the host goes about it. What is not allowed a person refuses. */
  take({ tool, input, does }: Step, id = "s-1"): void {
    const { place } = this;
    const env = { CLAUDE_CODE_SHELL_PREFIX: shellPrefix(place.home, "claude") };
    const payload = {
      session_id: id,
      cwd: place.project,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      tool_name: tool,
      tool_input: input,
      tool_use_id: `toolu_${this.#count}`,
    };
    const { stdout } = assent(place, ["check", "--agent", "claude"], JSON.stringify(payload), env);
    const said = JSON.parse(stdout) as { readonly hookSpecificOutput?: { readonly permissionDecision?: string } };
    const decision = said.hookSpecificOutput?.permissionDecision ?? "silence";
    const command = String(input["command"] ?? input["file_path"] ?? input["notebook_path"]);
    this.story.push(`${decision} ${tool} ${command.slice(0, 150)}`);
    if (does !== undefined) {
      if (decision === "allow") does();
      return;
    }
    if (decision !== "allow" && decision !== "silence") return;
    const text =
      `source ${place.home}/.claude/shell-snapshots/snapshot-bash-1-a.sh 2>/dev/null || true && ` +
      `eval ${quoted(command)} < /dev/null && pwd -P >| ${place.root}/tmp/claude-ab12-cwd`;
    spawnSync(shellPrefix(place.home, "claude"), [text], {
      cwd: place.project,
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", HOME: place.home, SHELL: "/bin/bash", CLAUDE_CODE_SESSION_ID: id },
    });
    rmSync(join(place.root, "tmp/claude-ab12-cwd"), { force: true });
  }

  /** As hosts write: into the file, or another one that takes its place. */
  #writes(path: string, text: () => string): () => void {
    return () => {
      mkdirSync(dirname(this.at(path)), { recursive: true });
      if (this.#next() < 0.5) writeFileSync(this.at(path), text());
      else {
        const mode = existsSync(this.at(path)) ? { mode: 0o600 } : {};
        writeFileSync(`${this.at(path)}.tmp`, text(), mode);
        renameSync(`${this.at(path)}.tmp`, this.at(path));
      }
    };
  }

  #edit(): Step {
    const there = [...FILES].filter((name) => existsSync(this.at(name)));
    const file = this.#pick([...there, ...there, `new/${this.#count % 7}.txt`]);
    const file_path = this.at(file);
    const text = `${"line\n".repeat(this.#count % 9)}${this.#count}\n`;
    const old = (): string => (existsSync(file_path) ? readFileSync(file_path, "utf8") : "");
    if (!existsSync(file_path) || this.#next() < 0.3)
      return { tool: "Write", input: { file_path, content: text }, does: this.#writes(file, () => text) };
    if (this.#next() < 0.15) {
      const cells = NOTEBOOK.replace("1\\n", `${this.#count}\\n`);
      const input = { notebook_path: this.at("book.ipynb"), new_source: String(this.#count), cell_number: 0 };
      return { tool: "NotebookEdit", input, does: this.#writes("book.ipynb", () => cells) };
    }
    const edit = { old_string: "line", new_string: `line ${this.#count}` };
    return this.#next() < 0.6
      ? { tool: "Edit", input: { file_path, ...edit }, does: this.#writes(file, () => `${old()}${text}`) }
      : { tool: "MultiEdit", input: { file_path, edits: [edit, edit] }, does: this.#writes(file, () => `${text}${old()}`) };
  }

  #command(): Step {
    const [file, other] = [this.#pick(FILES), this.#pick(FILES)];
    const [folder, name] = [`d${this.#count % 3}`, `made/${this.#count % 5}.txt`];
    const command = this.#pick([
      `sed -i 's/line/LINE/; s/first/last/' ${file}`,
      `mv ${file} ${other}`,
      `mv ${file} ${name}`,
      `mkdir -p ${folder}/deep && cp -a src ${folder}/ && mv ${folder}/src/b.txt ${folder}/deep/`,
      `rm -rf ${folder} && mkdir ${folder} && echo x > ${folder}/x`,
      `cp -a ${file} ${name}`,
      `mkdir -p made && cat ${file} ${other} > made/joined.txt`,
      `ln -f ${file} made/hard.txt; ln -sfn ../${other} made/soft`,
      `ln -sfn ${folder} link`,
      `chmod ${this.#pick(["600", "755", "444"])} ${file}`,
      `touch -d '2020-01-02 03:04:05' ${file} ${other}`,
      `python3 -c 'open("${file}", "a").write("by python\\n")'`,
      `python3 -c 'import os; os.truncate("${file}", 3)'`,
      `node install.js`,
      `rm -rf vendor/left && node install.js`,
      `mkdir -p made && ./tool.sh`,
      `git add -A && git commit -qm 'step ${this.#count}'`,
      `git checkout -q -b b${this.#count} && echo on a branch > ${name} && git add -A && git commit -qm branch`,
      `git stash -q; git stash pop -q`,
      `git mv ${file} ${folder}.txt`,
      `rm -f ${file} ${name}`,
      `tar -cf made/all.tar src && tar -xf made/all.tar -C made`,
      `find src -name '*.txt' -exec sed -i 1d {} +`,
      `echo x | tee ${name} >> ${file}`,
      `cd src && echo "$PWD" > where.txt; cd .. && rm -f src/where.txt`,
    ]);
    return { tool: "Bash", input: { command } };
  }

  /** The tree without git's own folder, which goes back as a repository does. */
  tree(): readonly string[] {
    return picture(this.place.project).filter((line) => !line.startsWith('"/.git'));
  }

  repository(): string {
    const git = (...words: readonly string[]) => run("git", ["-C", this.place.project, ...words], "/");
    return [git("symbolic-ref", "HEAD"), git("for-each-ref"), git("status", "--porcelain"), git("diff", "--cached", "--name-only")].join(
      "--\n",
    );
  }
}

const FILES = ["a.txt", "src/b.txt", "src/c.txt", "src/deep/d.txt", "e.txt"] as const;

/** Without the time of the top folder, in which a host may make its own. */
const bare = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line.startsWith('""') ? line.replace(/ \d{15,} /, " ") : line));

describe("a session of mixed edits and commands", () => {
  const seeds = [...new Set([1, SEED])];

  it.each(seeds)(
    "seed %i: is undone as a whole: bytes, modes, links, times and the repository are what they were",
    (seed) => {
      const session = new Session(random(seed));
      const [tree, repository] = [session.tree(), session.repository()];
      for (let at = 0; at < STEPS; at += 1) session.step();
      const story = session.story.join("\n");
      // It was a session, and not a row of questions.
      expect(session.story.filter((line) => /^(?:allow|silence Bash)/.test(line)).length, story).toBeGreaterThan(STEPS * 0.9);
      const { status, stdout, stderr } = assent(session.place, ["undo", "--session", "--yes"]);
      expect(bare(session.tree()), `${stdout}${stderr}${story}`).toEqual(bare(tree));
      expect(session.repository(), story).toBe(repository);
      expect(status, `${stdout}${stderr}`).toBe(0);
    },
    600_000,
  );

  it("one path alone goes back; what a person changed since stays when the rest does", () => {
    const session = new Session(random(SEED + 7));
    const { place } = session;
    const plain = "plain/kept.txt";
    place.write(plain, "as it was\n");
    place.write("plain/theirs.txt", "as it was\n");
    const before = session.tree();
    const edit = (path: string, text: string): void => {
      const does = () => void place.write(path, text);
      session.take({ tool: "Write", input: { file_path: session.at(path), content: text }, does });
    };
    edit(plain, "by the agent\n");
    for (let at = 0; at < STEPS / 2; at += 1) session.step();
    session.take({ tool: "Bash", input: { command: `sed -i 's/agent/command/' ${plain}; cp ${plain} plain/made.txt` } });
    edit("plain/theirs.txt", "by the agent\n");
    expect(readFileSync(session.at(plain), "utf8")).toBe("by the command\n");
    const others = (): readonly string[] => session.tree().filter((line) => !/^"(?:\/plain(?:\/kept.txt)?)?"/.test(line));
    const rest = others();
    expect(assent(place, ["undo", "--session", "--yes", "s-1", plain])).toMatchObject({ status: 0 });
    expect(readFileSync(session.at(plain), "utf8")).toBe("as it was\n");
    expect(others()).toEqual(rest);
    place.write("plain/theirs.txt", "by the agent\nand a person\n");
    place.write("plain/new.txt", "a person's\n");
    const { status, stdout, stderr } = assent(place, ["undo", "--session", "--yes"]);
    expect(status).toBe(1);
    expect(stderr).toContain("plain/theirs.txt");
    expect(readFileSync(session.at("plain/theirs.txt"), "utf8")).toBe("by the agent\nand a person\n");
    expect(readFileSync(session.at("plain/new.txt"), "utf8")).toBe("a person's\n");
    const theirs = (lines: readonly string[]) => bare(lines).filter((line) => !/^"\/plain(?:\/theirs.txt|\/new.txt)?"/.test(line));
    expect(theirs(session.tree()), `${stdout}${session.story.join("\n")}`).toEqual(theirs(before));
  }, 600_000);

  it.each([
    ["the later one first", [1, 0], [0, 0]],
    ["the earlier one first, which leaves the file alone until the later one is undone", [0, 1, 0], [1, 0, 0]],
  ])("two runs over one file, by two sessions: %s", (_, order, statuses) => {
    const session = new Session(random(SEED));
    const { place } = session;
    const before = session.tree();
    session.take({ tool: "Bash", input: { command: "sed -i s/first/second/ e.txt; echo one > one.txt" } });
    session.take({ tool: "Bash", input: { command: "sed -i s/second/third/ e.txt; echo two > two.txt" } }, "s-2");
    expect(readFileSync(session.at("e.txt"), "utf8")).toContain("third");
    const ids = ["s-1", "s-2"];
    const done = order.map((at) => assent(place, ["undo", "--yes", "--session", ids[at] ?? ""]));
    expect(
      done.map(({ status }) => status),
      JSON.stringify(done),
    ).toEqual(statuses);
    expect(bare(session.tree())).toEqual(bare(before));
  });

  it("edits that come as patches go back, too", () => {
    const session = new Session(random(SEED));
    const { place } = session;
    const before = session.tree();
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.txt",
      "@@",
      "-the first",
      "+the second",
      "*** Add File: new/one.txt",
      "+one",
      "*** Update File: src/c.txt",
      "@@",
      "-file",
      "+text",
      "*** End Patch",
      "",
    ].join("\n");
    const payload = {
      session_id: "s-1",
      turn_id: "t-1",
      cwd: place.project,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      tool_name: "apply_patch",
      tool_input: { command: patch },
    };
    const said = assent(place, ["check", "--agent", "codex", "--event", "PreToolUse"], JSON.stringify(payload)).stdout;
    // This host has no word for an allow.
    expect(said).toBe("{}\n");
    place.write("a.txt", "the second\na.txt\nfile\n");
    place.write("new/one.txt", "one\n");
    place.write("src/c.txt", "the first\nsrc/c.txt\ntext\n");
    expect(assent(place, ["undo", "--session", "--yes"])).toMatchObject({ status: 0 });
    expect(bare(session.tree())).toEqual(bare(before));
  });
});
