import { CARRIER, INTERPRETER } from "#knowledge/traits";
import { isOneOf } from "@assent/core/policy";
import { lstatSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Action, type FileAction, type FileOperation, printAction, visible, type World } from "@assent/core/action";
import { baseName, isWithin } from "@assent/core/path";
import type { RunEvent } from "@assent/supervisor/supervise";
import { Habits, speaksFor, WHOLE } from "./known.ts";
import type { ScratchPlace } from "./place.ts";
import { changesBeside, covering, type Prediction, programOf, startOf, intoFolder } from "./predict.ts";
import type { ObservedEffect } from "./types.ts";

/** A program that was started. */
interface ObservedStart {
  readonly name: string;
  readonly path: string;
  readonly words: readonly string[];
}

/** What was made during the run, and by which call. */
interface MadeFile {
  readonly operation: FileOperation;
  readonly program: string;
  /** It is there no longer: removed, or moved away. */
  gone: boolean;
}

/**
 * Holds what happened against what was predicted. Each effect is told once.
 *
 * - What the run itself made it may read, change and remove: only that it is made at all needs a prediction.
 * - A file that is made beside a predicted change, or among temporary files, and is gone at the end is a way of writing.
 * - What is removed and there again at the end was replaced, which a predicted write covers.
 */
export class Comparison {
  readonly #predictions: readonly Prediction[];
  readonly #place: ScratchPlace;
  readonly #world: World;
  readonly #habits: Habits;
  readonly #effects = new Map<string, ObservedEffect>();
  readonly #made = new Map<string, MadeFile>();
  /** Removed, though it was there before. */
  readonly #removed = new Map<string, string>();
  /** What each process has started last. */
  readonly #last = new Map<number, ObservedStart>();
  /** Symbolic links that the run made, and what they lead to. */
  readonly #links = new Map<string, string>();
  #begun = false;
  #pid = 0;
  /** Where anything may be different now: in what can be made anew, or beyond it. */
  changed: "nowhere" | "scratch" | "beyond" = "nowhere";

  /** The words of the line behind the first. */
  readonly #words: readonly string[];

  constructor(line: string, predictions: readonly Prediction[], place: ScratchPlace, world: World) {
    this.#words = line.split(/[\s;|&<>()'"`$]+/).slice(1);
    this.#predictions = predictions;
    this.#place = place;
    this.#world = world;
    this.#habits = new Habits(place, world, predictions);
  }

  add(event: RunEvent): void {
    const { call, action, more = [] } = event;
    if (call.name === "exec") return this.#started(event);
    const program = this.#last.get(event.process.pid)?.name ?? event.process.name;
    this.#pid = event.process.pid;
    const isDone = event.outcome === "done" || event.outcome === "passed";
    if (call.name === "rename" && isDone) return this.#renamed(event, program);
    if (call.name === "symlink" && isDone) this.#linked(call.args);
    for (const one of [action, ...more]) {
      if (one.kind === "file") this.#file(one, program, isDone, call);
      else if (one.kind === "net") this.#net(one, program);
    }
  }

  /** Once everything has ended. */
  effects(): readonly ObservedEffect[] {
    for (const [path, { operation, program, gone }] of this.#made) {
      const found = covering(this.#predictions, operation, path);
      if (found !== undefined) this.#tell(operation, path, program, seen(found));
      else if (gone) this.#tell(operation, path, program, this.#passing(path, program));
      else this.#tell(operation, path, program, this.#habits.change(program, operation, path));
    }
    for (const [path, program] of this.#removed) {
      const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
      const found = covering(this.#predictions, "delete", path) ?? (isThere ? covering(this.#predictions, "write", path) : undefined);
      this.#tell("delete", path, program, found === undefined ? this.#habits.change(program, "delete", path) : seen(found));
    }
    return [...this.#effects.values()];
  }

  /** Why something that came and went needs no prediction. */
  #passing(path: string, program: string): string | undefined {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (isWithin(path, this.#place.temp) || isWithin(path, "/dev/shm")) return "a temporary file, gone at the end";
    const beside = changesBeside(this.#predictions, folder);
    if (beside !== undefined) return `beside ${beside.text}, gone at the end`;
    return this.#habits.change(program, "write", path);
  }

  #tell(what: FileOperation, path: string, program: string, expected: string | undefined): void {
    if (expected !== undefined && this.#links.size > 0) this.#through(what, path);
    this.#note(`${what} ${visible(path)}`, program, expected);
  }

  /** Each once; that it was not predicted one time is what counts. */
  #note(text: string, program: string, expected: string | undefined): void {
    const before = this.#effects.get(text);
    if (before === undefined || (before.expected !== undefined && expected === undefined))
      this.#effects.set(text, { text, program, expected });
  }

  #started({ call, process: { pid }, ancestry = [], outcome }: RunEvent): void {
    const [path, words] = call.args;
    if (typeof path !== "string" || words === undefined || typeof words === "string") return;
    const last = this.#last.get(pid);
    const parent = (last ?? this.#caller(ancestry))?.name ?? "";
    const byFirstLine = last !== undefined && this.#isFirstLine(words, last);
    const part = this.#habits.part(parent, path, words);
    // A program may be many by the name it is called (busybox), and a script is not its interpreter.
    const own = this.#predictedName(path, words) ?? baseName(words[0] ?? path).replace(/^-/, "");
    const name = byFirstLine ? last.name : part !== undefined && (speaksFor(own) || WHOLE.has(parent)) ? parent : own;
    if (!byFirstLine) this.#last.set(pid, { name, path, words });
    // The shell that was given the line.
    if (!this.#begun) {
      this.#begun = true;
      return;
    }
    if (outcome === "failed" || byFirstLine) return;
    const text = `exec ${visible(words.join(" "))}`;
    const found = startOf(this.#predictions, path, words, this.#world);
    const expected =
      found === undefined
        ? (part ??
          this.#standIn(last ?? this.#caller(ancestry), path, words) ??
          this.#ofTheSystem(last ?? this.#caller(ancestry), path, words))
        : seen(found);
    const known = expected === undefined && programOf(this.#predictions, path, words, this.#world) !== undefined;
    this.#note(known ? `${text} (predicted with other words)` : text, parent, expected);
  }

  /** Who has not started anything since it was forked is still the program it was forked from. */
  #caller(ancestry: NonNullable<RunEvent["ancestry"]>): ObservedStart | undefined {
    return ancestry.map((one) => this.#last.get(one.pid)).find((one) => one !== undefined);
  }

  /** `#!/usr/bin/env node`: env(1) starts the interpreter with the script. */
  #isFirstLine(words: readonly string[], last: ObservedStart): boolean {
    const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
    if (at < 1 || this.#world.canonical(words[at] ?? "") !== last.path || !isRest(words.slice(at + 1), last.words.slice(1))) return false;
    return firstWords(last.path).includes(baseName(words[0] ?? ""));
  }

  /**
   * A program of the system's starts another that nothing in the line names: it is made of it, and what that one does is looked at.
   * An interpreter that is handed a word of the line may run it, which is no part.
   */
  #ofTheSystem(last: ObservedStart | undefined, path: string, words: readonly string[]): string | undefined {
    if (last === undefined || !isSystems(path) || !isSystems(last.path)) return undefined;
    const names = [baseName(path), baseName(words[0] ?? "")];
    if (this.#words.some((word) => names.includes(baseName(word.replace(/^-+[\w-]*=/, ""))))) return undefined;
    const operands = this.#words.filter((word) => word !== "" && !word.startsWith("-"));
    const script = firstWords(last.path).length > 0 ? readFileSync(last.path, "utf8") : "";
    const isHanded = words
      .slice(1)
      // What stands in the script as it is, blanks and all, is its own, whichever words it has in common with the line.
      .filter((word) => !(/\s/.test(word.trim()) && script.includes(word)))
      .some(
        (word) =>
          word.includes(this.#place.base) ||
          operands.some((one) => word.split(/\W/).includes(one) || (one.length > 2 && word.includes(one))),
      );
    return isHanded && names.some((name) => isOneOf(INTERPRETER, name) || isOneOf(CARRIER, name))
      ? undefined
      : "a program of the system's that the line does not name; what it does is looked at";
  }

  /** A wrapper of the system's that starts the program of the same name with the same words. */
  #standIn(last: ObservedStart | undefined, path: string, words: readonly string[]): string | undefined {
    if (last === undefined || !/^\/(?:usr|opt)\//.test(path) || !/^\/(?:usr|opt)\//.test(last.path)) return undefined;
    const isSame = baseName(path).replace(/\.(?:bin|real)$/, "") === last.name && isRest(words.slice(1), last.words.slice(1));
    return isSame ? "the program itself, which a wrapper of the same name starts" : undefined;
  }

  #predictedName(path: string, words: readonly string[]): string | undefined {
    const found = programOf(this.#predictions, path, words, this.#world);
    return found?.action.kind === "exec" ? found.action.program : undefined;
  }

  #net(action: Extract<Action, { kind: "net" }>, program: string): void {
    const found = this.#predictions.find(
      ({ action: other }) =>
        (other.kind === "net" &&
          (other.host === undefined || other.host === action.host) &&
          (other.operation === "listen") === (action.operation === "listen")) ||
        (other.kind === "remote" && action.operation !== "listen"),
    );
    this.#note(printAction(action), program, found === undefined ? this.#habits.socket(program, action) : seen(found));
  }

  #file({ operation, target }: FileAction, program: string, isDone: boolean, call: RunEvent["call"]): void {
    if (target.kind !== "path" && target.kind !== "tree") return;
    const { path } = target;
    // Pipes and sockets without a name; files that never get one; what the kernel says about a process to itself.
    if (!path.startsWith("/") || path.endsWith("/#tmpfile") || path.startsWith(`/proc/${this.#pid}/`)) return;
    const isLook = operation === "read" || operation === "list";
    if (call.name === "link" && path === call.args[0]) return this.#named(path, program);
    if (!isLook && isDone) this.#changes(path);
    if (this.#isMade(path)) {
      const made = this.#made.get(path);
      if (operation === "delete" && isDone && made !== undefined) made.gone = true;
      this.#confirm(operation, path, program);
      return;
    }
    if (!isLook && makes(operation, call)) {
      if (isDone) this.#made.set(path, { operation, program, gone: false });
      else this.#check(operation, path, program);
      return;
    }
    if (operation === "delete" && isDone) {
      this.#removed.set(path, program);
      return;
    }
    // Where it went is told as what is made there.
    this.#check(operation, path, program);
  }

  /** link(2) gives a file another name, through which it can be read and changed: told as one effect on the file. */
  #named(path: string, program: string): void {
    const found = covering(this.#predictions, "link", path);
    if (this.#isMade(path) && found === undefined) return;
    this.#tell("link", path, program, found === undefined ? this.#habits.link(program, path) : seen(found));
  }

  /** What it leads to is nothing that making it looks at: that it was told has come true. */
  #linked([text, path]: RunEvent["call"]["args"]): void {
    if (typeof text !== "string" || typeof path !== "string") return;
    const to = resolve(path, "..", text);
    this.#links.set(path, to);
    for (const at of [to, this.#world.canonical(to)]) {
      const found = covering(this.#predictions, "read", at);
      if (found !== undefined) found.seen = true;
    }
  }

  /** What was predicted by the name of a link has come true, too, where what it leads to was predicted. */
  #through(operation: FileOperation, path: string): void {
    for (const [link, to] of this.#links) {
      if (!isWithin(path, to)) continue;
      const found = covering(this.#predictions, operation, `${link}${path.slice(to.length)}`);
      if (found !== undefined) found.seen = true;
    }
  }

  /** Devices are as they are. */
  #changes(path: string): void {
    const isAnew = [this.#place.home, this.#place.temp].some((folder) => path !== folder && isWithin(path, folder));
    if (!isAnew && !this.#place.devices.has(path)) this.changed = "beyond";
    else if (this.changed === "nowhere" && isAnew) this.changed = "scratch";
  }

  #check(operation: FileOperation, path: string, program: string): void {
    const found = covering(this.#predictions, operation, path);
    const own = (): string | undefined =>
      operation === "read" || operation === "list"
        ? this.#habits.look(program, operation, path)
        : this.#habits.change(program, operation, path);
    this.#tell(operation, path, program, found === undefined ? own() : seen(found));
  }

  /** What needs no prediction may have one all the same, and then that has come true. */
  #confirm(operation: FileOperation, path: string, program: string): void {
    const into = intoFolder(this.#predictions, operation, path);
    if (into !== undefined) into.seen = true;
    const found = covering(this.#predictions, operation, path) ?? into;
    if (found !== undefined) this.#tell(operation, path, program, seen(found));
  }

  #isMade(path: string): boolean {
    for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) if (this.#made.get(at)?.gone === false) return true;
    return false;
  }

  /** What it replaces is removed first; then what the run made goes by another name. */
  #renamed({ call, action, more = [] }: RunEvent, program: string): void {
    const [from, to] = call.args;
    if (typeof from !== "string" || typeof to !== "string") return;
    const wasMade = this.#isMade(from);
    const all = [action, ...more].filter((one): one is FileAction => one.kind === "file");
    for (const one of all) if (one.operation === "delete") this.#file(one, program, true, call);
    this.#moved(from, to);
    for (const one of all) {
      if (one.operation === "delete") continue;
      if (wasMade && one.operation === "rename") this.#confirm("rename", from, program);
      else this.#file(one, program, true, call);
    }
  }

  #moved(from: string, to: string): void {
    for (const [path, made] of this.#made) {
      if (made.gone || !isWithin(path, from)) continue;
      this.#made.set(`${to}${path.slice(from.length)}`, { ...made });
      made.gone = true;
    }
  }
}

const isSystems = (path: string): boolean => /^\/(?:usr\/(?!local\/)|bin\/|sbin\/|lib\/|lib64\/)/.test(path);

/** What the first line of a script starts. */
function firstWords(file: string): readonly string[] {
  const [line = ""] = readFileSync(file, "latin1").split("\n", 1);
  return line.startsWith("#!")
    ? line
        .slice(2)
        .trim()
        .split(/[ \t]+/)
        .map(baseName)
    : [];
}

const isRest = (words: readonly string[], of: readonly string[]): boolean =>
  words.length === of.length && words.every((word, at) => word === of[at]);

function seen(prediction: Prediction): string {
  prediction.seen = true;
  return prediction.text;
}

/** True when the call makes something new; an open that only changes what is there does not. */
function makes(operation: FileOperation, { name, args }: RunEvent["call"]): boolean {
  if (operation === "mkdir" || operation === "link") return true;
  if (operation !== "write") return false;
  return name !== "open" || (typeof args[1] === "string" && args[1].startsWith("create"));
}
