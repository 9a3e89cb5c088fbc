import assert from "node:assert/strict";
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide } from "@assent/guard/engine";
import { type Decision, isConfined } from "@assent/core/policy";
import { listRuns, runsFolder } from "@assent/supervisor/supervise/undo";
import { here, type Here } from "../cli/run-place.ts";
import { assent, engine, run } from "../scratch.ts";

/**
 * The threat model of docs/confine.md as a state machine: an agent's commands and edits, a person's undo, edits and changes of
 * the policy, in any order. `SEQUENCE_STEPS` (by default 160) and `FUZZ_SEED` say how many and which; `npm run sequences`.
 */
const STEPS = Number(process.env["SEQUENCE_STEPS"] ?? 160);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
/** A project of its own for each: what one leaves behind hides nothing of another. */
const LENGTH = 40;

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

const FILES = ["a.txt", "b.txt", "run.sh", "lib.sh", "Makefile", "src/c.txt"] as const;
const CONTROLLING = [".vscode/tasks.json", "mise.toml", ".npmrc", ".git/hooks/pre-commit", ".envrc", ".idea/x.xml"] as const;
/** What a person has closed, while they have: the agent tries it in every way. */
const CLOSED = "closed.txt";
const KEY = "the key of a person";

type Content = string | undefined;
type Tree = ReadonlyMap<string, Content>;

interface Run {
  readonly id: string;
  readonly line: string;
  readonly before: Tree;
  readonly after: Tree;
}

class Machine {
  readonly place: Here;
  readonly #next: () => number;
  readonly #runs: Run[] = [];
  /** Touched since by somebody else: undo may leave it alone. */
  readonly #touched = new Map<string, Set<string>>();
  readonly #persons = new Map<string, string>();
  #confines = true;
  #closed = true;
  #allows = true;
  #count = 0;
  readonly story: string[] = [];

  constructor(next: () => number) {
    this.#next = next;
    this.place = here();
    rmSync(join(this.place.project, ".git"), { recursive: true });
    run("git", ["init", "-q", "-b", "main", "."], this.place.project);
    this.place.write("~/.ssh/id_rsa", KEY);
    for (const file of [...FILES, CLOSED]) this.#write(file, file === "Makefile" ? "all:\n\tsh run.sh\n" : `# ${file}, by the person\n`);
    this.#policy();
  }

  /** One step, and what must hold after it. */
  step(): void {
    this.#count += 1;
    // Off for a few steps, not for most of a session.
    if (!this.#confines && this.#next() < 0.4) this.#switch("confines");
    const before = this.#tree();
    this.#pick<() => void>([
      () => this.#command(this.#writing()),
      () => this.#command(this.#writing()),
      () => this.#command(this.#leaving()),
      () => this.#command(this.#pick(["sh run.sh", "make", "bash lib.sh", "ls -la", "git status", "cat a.txt", "./run.sh", "git add -A"])),
      () => this.#edit(),
      () => this.#undo(),
      () => this.#editOutside(),
      () => this.#changePolicy(),
    ])();
    this.#holds(before);
  }

  #pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    const found = from[Math.floor(this.#next() * from.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  }

  /** Says that it ran where only a bare command may write. */
  #payload(): string {
    return `echo "step ${this.#count}" >> ${this.place.outside}/ran`;
  }

  #writing(): string {
    const file = this.#pick(FILES);
    const other = this.#pick(FILES);
    const text = file === "Makefile" ? `all:\\n\\t${this.#payload()}\\n` : `${this.#payload()}\\n`;
    return this.#pick([
      `printf '${text}' > ${file}`,
      `printf '${text}' >> ${file}`,
      `printf '${text}' > new-${this.#count}.sh && mv new-${this.#count}.sh ${file}`,
      `rm -f ${file}`,
      `cp ${other} ${file}; true`,
      `mv ${other} ${file}; true`,
      `chmod +x ${file}; true`,
      `python3 -c 'open("${file}", "a").write("${this.#count}")'`,
      `mkdir -p d${this.#count % 5} && printf '${text}' > d${this.#count % 5}/x.sh`,
      `rm -rf d${this.#count % 5}`,
    ]);
  }

  /** Ways out of the policy. */
  #leaving(): string {
    const controlling = this.#pick(CONTROLLING);
    return this.#pick([
      this.#payload(),
      `sh -c '${this.#payload()}'`,
      `cat ~/.ssh/id_rsa > leak.txt`,
      `cp ~/.ssh/id_rsa leak.txt`,
      `ln ~/.ssh/id_rsa leak.txt; ln -s ~/.ssh/id_rsa leak2.txt; cat leak2.txt > leak.txt`,
      `mkdir -p $(dirname ${controlling}) && echo x > ${controlling}`,
      `echo x > t && mkdir -p $(dirname ${controlling}) && mv t ${controlling}`,
      `echo x > ${CLOSED}`,
      `echo x > t && mv t ${CLOSED}`,
      `ln ${CLOSED} other.txt && echo x > other.txt`,
      `ln -sf ${CLOSED} link.txt && echo x > link.txt`,
      `python3 -c 'open("${CLOSED}", "w").write("x")'`,
      `rm -f ${CLOSED}`,
      `git config core.fsmonitor ./run.sh`,
      `echo '{}' > ~/.agent-permissions.jsonc`,
      `rm -rf ~/.local/state/assent`,
      `sh run.sh & wait`,
      `env -i /bin/sh run.sh`,
    ]);
  }

  #told(tool: string, input: Readonly<Record<string, unknown>>): Decision | "confined" {
    const facts = Object.hasOwn(claude.tools, tool) ? claude.tools[tool] : undefined;
    const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
    const request = { tool, facts, input, cwd: this.place.project, host, point: "test", agent: "claude", session: "s1" };
    const { verdict } = decide(request, { machine: this.place.machine, ...engine, audit: false });
    return isConfined(verdict) ? "confined" : verdict.decision;
  }

  /** What the host does with a command: starts it, starts it confined, or asks a person, who says no. */
  #command(line: string): void {
    const told = this.#told("Bash", { command: line });
    this.story.push(`${told}: ${line}`);
    if (told === "allow") {
      const before = this.#tree();
      assentless(this.place, line);
      this.#changedBetween(before, undefined);
      return;
    }
    if (told !== "confined") return;
    const before = this.#tree();
    const known = new Set(this.#recorded());
    assent(this.place, ["run", "--confined", "0000000000000000", "--", line], "", { OUT: this.place.outside });
    const id = this.#recorded().find((one) => !known.has(one));
    if (id === undefined) return;
    const made: Run = { id, line, before, after: this.#tree() };
    this.#changedBetween(before, id);
    this.#runs.push(made);
  }

  #recorded(): readonly string[] {
    return listRuns(runsFolder(this.place.machine)).map(({ id }) => id);
  }

  /** A person accepts edits; those that are asked about in so many words they refuse. */
  #edit(): void {
    const file = this.#pick([...FILES, ...CONTROLLING, CLOSED]);
    const told = this.#told("Write", { file_path: join(this.place.project, file), content: `${this.#payload()}\n` });
    this.story.push(`${told}: Write ${file}`);
    const isPlain = FILES.some((name) => name === file);
    // What only rests on a default the host accepts by itself; of the rest nothing is written.
    if (told === "allow" || (isPlain && told !== "deny")) {
      const before = this.#tree();
      this.place.write(file, `${this.#payload()}\n`);
      this.#changedBetween(before, undefined);
    }
  }

  #undo(): void {
    const chosen = this.#runs.length === 0 ? undefined : this.#pick(this.#runs);
    if (chosen === undefined) return;
    const current = this.#tree();
    const { status } = assent(this.place, ["undo", chosen.id, "--yes"]);
    this.story.push(`undo of ${chosen.line}: ${status}`);
    const now = this.#tree();
    const touched = new Set(this.#touched.get(chosen.id));
    // A name cannot go back to where something else lies by now, so neither can what it had taken the place of.
    for (const [, ...ends] of chosen.line.matchAll(/\bmv (\S+) ([^\s;]+)/g))
      if (ends.some((path) => touched.has(path))) ends.forEach((path) => touched.add(path));
    for (const path of new Set([...chosen.before.keys(), ...chosen.after.keys(), ...current.keys(), ...now.keys()])) {
      const [was, left, here, is]: readonly Content[] = [chosen.before.get(path), chosen.after.get(path), current.get(path), now.get(path)];
      const isAgents = was !== left;
      // Nothing is lost where nothing lies any more.
      if (isAgents && here === undefined && is === was) continue;
      // What the run did not change, and what somebody changed since, stays.
      if (!isAgents || here !== left) assert.deepEqual([path, is], [path, here], this.#told_());
      else if (!touched.has(path)) assert.deepEqual([path, is], [path, was], this.#told_());
      else assert.equal([was, here].includes(is), true, `${path}\n${this.#told_()}`);
    }
    this.#changedBetween(current, chosen.id);
    this.#runs.splice(this.#runs.indexOf(chosen), 1);
    this.#persons.clear();
  }

  #editOutside(): void {
    const file = this.#pick([...FILES, CLOSED]);
    const text = file === "Makefile" ? `# ${this.#count}\nall:\n\tsh run.sh\n` : `# the person, step ${this.#count}\n`;
    const before = this.#tree();
    this.#write(file, text);
    this.story.push(`person: ${file}`);
    this.#changedBetween(before, undefined);
    this.#persons.set(file, text);
  }

  #changePolicy(): void {
    this.#switch(this.#pick(["rules", "closed", "confines"]));
  }

  #switch(what: string): void {
    if (what === "rules") this.#allows = !this.#allows;
    if (what === "closed") this.#closed = !this.#closed;
    if (what === "confines") this.#confines = !this.#confines;
    this.#policy();
    this.story.push(`policy: rules ${this.#allows}, closed ${this.#closed}, confines ${this.#confines}`);
  }

  #policy(): void {
    const allow = this.#allows ? ["Bash(sh run.sh:*)", "Bash(make:*)", "Bash(bash:*)", "Bash(./run.sh:*)", "Bash(git add:*)"] : [];
    const deny = this.#closed ? [`Write(${CLOSED})`] : [];
    const unknown = this.#confines ? { unknown: "confine" } : {};
    this.place.write("~/.agent-permissions.jsonc", JSON.stringify({ ...unknown, permissions: { allow, deny } }));
  }

  /** Whoever changed these: runs before it that changed the same are not the last any more. */
  #changedBetween(before: Tree, by: string | undefined): void {
    const now = this.#tree();
    for (const path of new Set([...before.keys(), ...now.keys()])) {
      if (before.get(path) === now.get(path)) continue;
      this.#persons.delete(path);
      for (const { id } of this.#runs) if (id !== by) this.#touched.set(id, (this.#touched.get(id) ?? new Set()).add(path));
    }
  }

  #write(file: string, text: string): void {
    this.place.write(file, text);
  }

  #tree(): Tree {
    const found = new Map<string, Content>();
    const walk = (folder: string): void => {
      for (const name of readdirSync(join(this.place.project, folder)).toSorted()) {
        const path = folder === "" ? name : `${folder}/${name}`;
        if (path === ".git") continue;
        const stats = lstatSync(join(this.place.project, path), { throwIfNoEntry: false });
        // Where it leads somebody else may have written.
        if (stats?.isSymbolicLink() === true) found.set(path, `leads to ${readlinkSync(join(this.place.project, path))}`);
        else if (stats?.isDirectory() === true) walk(path);
        else if (stats !== undefined) found.set(path, readFileSync(join(this.place.project, path), "utf8"));
      }
    };
    walk("");
    return found;
  }

  #told_(): string {
    return this.story.slice(-12).join("\n");
  }

  /** The promises of the threat model. */
  #holds(before: Tree): void {
    const why = this.#told_();
    const { project, outside, home } = this.place;
    const ran = join(outside, "ran");
    const now = this.#tree();
    // Nothing that the agent wrote ran without the sandbox: only bare it could have written there.
    if (this.#confines) assert.equal(existsSync(ran), false, why);
    // Without it a person's own rule let it run; that is no promise of this page.
    rmSync(ran, { force: true });
    if (this.#closed && !this.story.at(-1)?.startsWith("person")) {
      const changed = now.get(CLOSED) !== before.get(CLOSED);
      assert.equal(changed && this.story.at(-1)?.startsWith("undo") !== true, false, why);
    }
    for (const path of CONTROLLING) assert.equal(existsSync(join(project, path)), false, `${path}\n${why}`);
    for (const [path, text] of now) assert.equal(text?.includes(KEY), false, `${path}\n${why}`);
    assert.equal(readFileSync(join(home, ".ssh/id_rsa"), "utf8"), KEY, why);
    assert.doesNotMatch(readFileSync(join(project, ".git/config"), "utf8"), /fsmonitor/, why);
    assert.match(readFileSync(join(home, ".agent-permissions.jsonc"), "utf8"), /permissions/, why);
    for (const [path, text] of this.#persons) assert.deepEqual([path, now.get(path)], [path, text], why);
  }
}

/** As a host without Assent starts it. */
function assentless({ project, home }: Here, line: string): void {
  const script = join(home, "line.sh");
  writeFileSync(script, line);
  try {
    run("env", ["-i", "PATH=/usr/bin:/bin", `HOME=${home}`, "timeout", "10", "bash", script], project);
  } catch {
    // It may fail.
  }
}

describe("a session of steps in any order", () => {
  const sequences = Array.from({ length: Math.max(1, Math.ceil(STEPS / LENGTH)) }, (_, at) => SEED * 1000 + at);
  it.each(sequences)(
    "seed %i keeps every promise",
    (seed) => {
      const machine = new Machine(random(seed));
      for (let at = 0; at < Math.min(STEPS, LENGTH); at++) machine.step();
      // It was a session, and not a row of refusals.
      expect(machine.story.filter((line) => line.startsWith("confined")).length, machine.story.join("\n")).toBeGreaterThan(3);
    },
    600_000,
  );
});
