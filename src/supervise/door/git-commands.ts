import { brief, quote, sayAction, visible } from "../../action/index.ts";
import { baseName } from "../../path/index.ts";
import type { Verdict } from "../../policy/index.ts";
import { messageOf } from "../../state/index.ts";
import { isChange } from "../judge/index.ts";
import { type KeepResult, type NotUndone, UndoPart, type UndoStore } from "../undo/index.ts";
import { actionOf } from "./record.ts";
import { type DecodedCall, type DecodedExec, isExec } from "./operation.ts";
import type { DoorOptions, Tell } from "./options.ts";
import { endProcesses, isBelow, isOver, programOf, startOf } from "./processes.ts";
import type { Task } from "./tasks.ts";

/** These leave the working tree alone, or change one thing. A word that nobody knows may be another name for any (git-config(1), alias.*). */
const APART = new RegExp(
  "^git (?:add|annotate|archive|blame|branch|bundle|cat-file|check-(?:attr|ignore|mailmap|ref-format)|cherry|column|commit|commit-(?:graph|tree)|" +
    "config|count-objects|credential\\S*|describe|diff|diff-(?:files|index|tree)|fast-export|fetch|fetch-pack|fmt-merge-msg|for-each-ref|" +
    "format-patch|fsck|gc|get-tar-commit-id|grep|hash-object|help|index-pack|init|interpret-trailers|log|ls-(?:files|remote|tree)|mailinfo|" +
    "mailsplit|maintenance|merge-(?:base|tree)|mktag|mktree|multi-pack-index|name-rev|notes|pack-objects|pack-refs|patch-id|prune|push|" +
    "range-diff|receive-pack|reflog|remote|repack|replace|rerere|rev-list|rev-parse|send-pack|shortlog|show|show-branch|show-index|show-ref|" +
    "status|stripspace|symbolic-ref|tag|unpack-objects|update-index|update-ref|upload-archive|upload-pack|var|verify-(?:commit|pack|tag)|" +
    "version|whatchanged|write-tree)$",
);

const isGit = (path: string): boolean => /^git(?:-|$)/.test(baseName(path));

/** A command of git that changes a working tree, with everything that it starts. */
interface GitCommand {
  readonly pid: number;
  readonly start: string;
  readonly words: string;
  readonly part: UndoPart;
}

/** What was ended, and why. */
export interface TakenBack {
  readonly words: string;
  readonly why: string;
  /** Not as it was. */
  readonly left: readonly NotUndone[];
}

/**
 * Commands of git that change a working tree go through whole, or leave everything as it was: where something is refused to one in the
 * middle, git would go on and say that all went well. INVARIANT: from that moment on it does nothing more, and what it has done is taken
 * back before anybody else is served.
 */
export class GitCommands {
  readonly #options: DoorOptions;
  readonly #tell: Tell;
  readonly #open = new Set<GitCommand>();
  readonly #of = new WeakMap<Task, GitCommand>();
  #begun = 0;

  constructor(options: DoorOptions, tell: Tell) {
    this.#options = options;
    this.#tell = tell;
  }

  /** A program was started. */
  started(pid: number, { chain, programs = [] }: DecodedExec): void {
    const { parts, observes } = this.#options;
    this.#close();
    if (observes || !chain.some(({ path, word }) => isGit(path) || isGit(word)) || programs.some((name) => APART.test(name))) return;
    const start = startOf(pid);
    if (start === undefined || [...this.#open].some((command) => isBelow(pid, command.pid))) return;
    const words = brief(visible(chain[0].argv.map(quote).join(" ")));
    this.#tell((run) => {
      try {
        this.#open.add({ pid, start, words, part: new UndoPart(`${parts}/${++this.#begun}`) });
      } catch (error) {
        run.notice(`${words}: where something is refused to it, it cannot be taken back: ${messageOf(error)}`);
      }
    });
  }

  /** Nothing is kept before this is done. */
  goesUnpinned(task: Task, isKnown: (undo: UndoStore) => boolean): boolean {
    return this.#commandOf(task)?.part.knows(isKnown) !== false;
  }

  /** Before a call is done. */
  keep(task: Task, { save }: DecodedCall): { readonly cancel: () => void } | undefined {
    const part = save === undefined ? undefined : this.#commandOf(task)?.part;
    if (part === undefined || save === undefined) return undefined;
    const kept: KeepResult = part.keep(save);
    return { cancel: () => part.cancel(kept) };
  }

  /** A call has succeeded. */
  done(task: Task, { done }: DecodedCall, result: number): void {
    if (done !== undefined) this.#commandOf(task)?.part.done((undo) => done(undo, result));
  }

  /** A call is refused, and not answered yet. A git that may not change something, or start something, is ended. */
  refused(task: Task, work: DecodedCall | DecodedExec, { reason }: Verdict): void {
    const command = this.#commandOf(task);
    if (command === undefined || !isGit(programOf(task.tgid) ?? "")) return;
    const actions = isExec(work) ? [] : work.actions;
    const changes = actions.some((action) => action.kind === "file" && isChange(action));
    // What git is told to write about itself (GIT_TRACE) is nothing that it does.
    if (!isExec(work) && (!changes || work.quiet === true)) return;
    this.takeBack(command, `${sayAction(actionOf(work))}: ${reason}`);
  }

  /** All of them are ended, whatever they do. */
  endAll(why: string): void {
    this.#close();
    for (const command of this.#open) this.takeBack(command, why);
  }

  takeBack(command: GitCommand, why: string): void {
    endProcesses(command.pid);
    this.#open.delete(command);
    this.#tell((run) => {
      let left: readonly NotUndone[];
      try {
        left = command.part.takeBack(this.#options.undo);
      } catch (error) {
        left = [{ path: command.words, why: messageOf(error) }];
      }
      run.takenBack({ words: command.words, why, left });
    });
  }

  /** Those that have ended by themselves. */
  #close(): void {
    for (const command of this.#open) {
      if (!isOver(command.pid, command.start)) continue;
      this.#open.delete(command);
      this.#tell(() => command.part.end());
    }
  }

  /** Nothing of the tree is left. */
  close(): void {
    this.#close();
  }

  #commandOf(task: Task): GitCommand | undefined {
    if (this.#open.size === 0) return undefined;
    const known = this.#of.get(task);
    if (known !== undefined && this.#open.has(known)) return known;
    const found = [...this.#open].find(({ pid }) => isBelow(task.tgid, pid));
    if (found !== undefined) this.#of.set(task, found);
    return found;
  }
}
