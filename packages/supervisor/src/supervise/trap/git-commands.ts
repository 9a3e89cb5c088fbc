import { lstatSync, rmSync } from "node:fs";
import { quote, sayAction, visible } from "@assent/core/action";
import { baseName, joinPath } from "@assent/core/path";
import type { Verdict } from "@assent/core/policy";
import { messageOf, topOf } from "@assent/guard/state";
import { CheckedIn, sizeOf } from "./checked-in.ts";
import { type ForeseenFile, GitForesight, isSame } from "./git-foreseen.ts";
import { GitObjects } from "./git-objects.ts";
import { type ForeseenChange, foreseenChange, isGit, isSystemGit, leavesTree, SETTINGS, wordsOf } from "./git-question.ts";
import type { Caller } from "../judge/types.ts";
import { TOOL_SERVICE, isChange } from "../judge/verdicts.ts";
import { bytesAt, type KeepResult, type NotUndone, UndoPart } from "../undo/index.ts";
import { actionOf } from "./record.ts";
import { type DecodedCall, type DecodedExec, isExec } from "./operation.ts";
import type { TrapOptions, Tell } from "./options.ts";
import { endProcesses, isBelow, isOver, parentOf, programOf, startOf } from "./processes.ts";
import type { Task } from "./tasks.ts";

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** A command of git that changes a working tree, with everything that it starts. */
interface GitCommand {
  readonly pid: number;
  readonly start: string;
  /** Whom its end is told, and when that one began. */
  readonly parent: readonly [pid: number, start: string | undefined];
  readonly words: string;
  readonly part: UndoPart;
  /** The program is the system's git. */
  readonly trusted: boolean;
  /** Protected files that it may put as the repository held them before. */
  readonly files: Map<string, PutAs>;
  /** Files that a person has looked at as they are to become. */
  readonly agreed: Map<string, ForeseenFile>;
  /** The one of them that it is at, and since when, in milliseconds. */
  at: { readonly path: string; readonly since: number } | undefined;
}

/** As the repository held it before; as the repository's own working tree has it; as a person has agreed to. */
type PutAs = "held" | "twin" | "agreed";

function toldOf(pid: number): GitCommand["parent"] {
  const parent = parentOf(pid) ?? process.pid;
  return [parent, startOf(parent)];
}

/** What a person has agreed to is for the command and the gits that it starts itself, and for no git of a hook. */
function isGitUpTo(pid: number, above: number): boolean {
  for (let at: number | undefined = pid, depth = 0; at !== undefined && at > 1 && depth < 64; at = parentOf(at), depth++) {
    if (!isSystemGit(programOf(at) ?? "")) return false;
    if (at === above) return true;
  }
  return false;
}

/** Nobody needs so long to write one file. */
const LONGEST_MS = 2000;
const LENT: ReadonlySet<string> = new Set(["protect.secrets", "protect.steering", SETTINGS]);
const OTHER = (path: string, as: PutAs): string =>
  as === "agreed"
    ? `${visible(path)} would not be as it was shown (a filter, or ends of lines, have a part in it); make the change yourself`
    : as === "held"
      ? `${visible(path)} would not be as this repository held it before; if it holds no secret, allow it by name: assent allow ${quote(`Write(${path})`)}`
      : `${visible(path)} would not be as it is in the repository's own working tree; look at the difference, and make this one yourself`;

/**
 * Commands of git that change a working tree go through whole, or leave everything as it was: where something is refused to one in the
 * middle, git would go on and say that all went well. INVARIANT: from that moment on it does nothing more, and what it has done is taken
 * back before anybody else is served.
 */
export class GitCommands {
  readonly #options: TrapOptions;
  readonly #tell: Tell;
  readonly #open = new Set<GitCommand>();
  readonly #of = new WeakMap<Task, GitCommand>();
  #begun = 0;
  #before: CheckedIn | undefined;
  readonly #foresight: GitForesight;
  /** What a person has said yes to, of commands that are about to be started. */
  readonly #consents = new WeakMap<DecodedExec, readonly ForeseenFile[]>();

  constructor(options: TrapOptions, tell: Tell) {
    this.#options = options;
    this.#tell = tell;
    this.#foresight = new GitForesight(`${options.parts}/foresight`);
  }

  /** Before a git is started: what it is about to put into settings of agents, or a policy. Undefined: nothing, as far as can be told. */
  foresees(task: Task, exec: DecodedExec, caller: Caller, cwd: string): ForeseenChange | undefined {
    const { action, chain, programs = [] } = exec;
    if (this.#options.observes || this.#options.tried || action?.kind !== "exec" || action.program !== "git" || !action.trusted)
      return undefined;
    if (!isSystemGit(chain[0].path) || leavesTree(programs)) return undefined;
    const above = this.#commandOf(task);
    const isAsked = (path: string): boolean => {
      const { decision, builtin } = this.#options.judge.wouldWrite(path, caller);
      return decision === "ask" && builtin === SETTINGS;
    };
    // What git starts by itself is that of the command.
    const command = { argv: chain[0].argv, cwd, words: above?.words ?? wordsOf(chain[0].argv) };
    let found: ForeseenChange | undefined;
    this.#tell(() => {
      found = foreseenChange(this.#foresight, command, isAsked, ({ path, after }) => isAgreed(above?.agreed.get(path), after));
    });
    return found;
  }

  /** A person has seen the difference, and said yes. */
  agree(exec: DecodedExec, { files }: ForeseenChange): void {
    this.#consents.set(exec, files);
  }

  /** A program was started. `isItself`: it runs no code of somebody else. */
  started(pid: number, exec: DecodedExec, isItself: boolean): void {
    const { chain, action, programs = [] } = exec;
    const { parts, observes, tried } = this.#options;
    const agreed = new Map(this.#consents.get(exec)?.map((file) => [file.path, file]));
    this.#close();
    if (observes || tried || !chain.some(({ path, word }) => isGit(path) || isGit(word)) || leavesTree(programs)) return;
    const start = startOf(pid);
    const above = [...this.#open].find((command) => isBelow(pid, command.pid));
    for (const [path, file] of above === undefined ? [] : agreed) above?.agreed.set(path, file);
    if (start === undefined || above !== undefined) return;
    const trusted = isItself && action?.kind === "exec" && action.trusted && action.program === "git";
    const words = wordsOf(chain[0].argv);
    this.#tell((run) => {
      try {
        const part = new UndoPart(`${parts}/${++this.#begun}`);
        this.#open.add({ pid, start, parent: toldOf(pid), words, part, trusted, files: new Map(), agreed, at: undefined });
      } catch (error) {
        run.notice(`${words}: where something is refused to it, it cannot be taken back: ${messageOf(error)}`);
      }
    });
  }

  /**
   * A git takes a protected file away, or makes it anew: a verdict where it may put it as the repository held it before the session, which
   * is looked at afterwards. It changes nothing that is there in any other way, and reads what is so. Settings of agents it only puts into
   * another working tree, as they are in the repository's own.
   */
  lets(task: Task, work: DecodedCall, caller: Caller): Verdict | undefined {
    const command = this.#commandOf(task);
    const [path] = work.call.args;
    if (typeof path !== "string" || !isSystemGit(programOf(task.tgid) ?? "")) return undefined;
    const agreed = command?.agreed.has(path) === true && isGitUpTo(task.tgid, command.pid);
    if (this.#options.refs === undefined && !agreed) return undefined;
    let isSettings = false;
    for (const action of work.actions) {
      const { decision, builtin = "" } = this.#options.judge.call([action], caller);
      const isFile = action.kind === "file" && action.target.kind === "path" && action.target.path === path;
      if (decision !== "allow" && !(isFile && LENT.has(builtin))) return undefined;
      isSettings ||= decision !== "allow" && builtin === SETTINGS;
    }
    // Whoever may read the repository has read it already.
    if (work.call.name === "open" && work.actions.every((action) => action.kind === "file" && action.operation === "read"))
      return (command?.trusted ?? caller.programs().includes("git")) && this.#isCheckedIn((before) => before.holds(path))
        ? TOOL_SERVICE
        : undefined;
    const isNew = work.call.name === "open" && work.makes !== undefined && work.note === "new file";
    if (command?.trusted !== true || !(isNew || (work.call.name === "delete" && (agreed || !isSettings)))) return undefined;
    // Where nothing may be written, neither may this.
    if (this.#options.judge.wouldWrite(joinPath(topOf(path) ?? "/", "#"), caller).decision !== "allow") return undefined;
    const isKnown = (before: CheckedIn): boolean => before.knows(path) && (!isSettings || before.twinOf(path) !== undefined);
    if (!agreed && !this.#isCheckedIn(isKnown)) return undefined;
    command.files.set(path, agreed ? "agreed" : isSettings ? "twin" : "held");
    command.at = { path, since: Date.now() };
    return TOOL_SERVICE;
  }

  /** Before a call is done. "ended": it is not done, for its command was taken back. */
  keep(task: Task, { save, call }: DecodedCall): { readonly cancel: () => void } | "ended" | undefined {
    const command = save === undefined ? undefined : this.#commandOf(task);
    // What a shell does itself, behind a git that has ended.
    if (command === undefined && save !== undefined && this.waits && this.#closedOver(task)) return "ended";
    if (command === undefined || save === undefined) return undefined;
    const { part, at } = command;
    // What it was at is done.
    if (at !== undefined && at.path !== call.args[0] && this.#isAmiss(command, "there")) return "ended";
    const kept: KeepResult = part.keep(save);
    return { cancel: () => part.cancel(kept) };
  }

  /** Before a program is started: what git starts finds nothing that was not looked at. False: its command was taken back. */
  mayStart(task: Task): boolean {
    if (this.#closedOver(task)) return false;
    const command = this.#commandOf(task);
    return command === undefined || !this.#isAmiss(command, "there");
  }

  /** A command has ended otherwise than it said, and this task with whoever was told. */
  #closedOver = (task: Task): boolean => this.#close() && isOver(task.tgid, startOf(task.tgid) ?? "");

  /** Some file is to be looked at before long. */
  get waits(): boolean {
    return [...this.#open].some(({ files }) => files.size > 0);
  }

  tick(): void {
    this.#close();
    for (const command of this.#open)
      if (command.at !== undefined && Date.now() - command.at.since > LONGEST_MS) this.#isAmiss(command, "there");
  }

  /** `there`: what is gone may yet come back. */
  #isAmiss(command: GitCommand, which: "there" | "all"): boolean {
    command.at = undefined;
    const isAsBefore = ([path, as]: readonly [string, PutAs]): boolean =>
      as === "agreed"
        ? this.#isAsAgreed(command.agreed.get(path))
        : this.#isCheckedIn((before) => before.holds(path) && (as === "held" || before.twinOf(path) === "same"));
    const wrong = [...command.files].find((file) => (which === "all" || isThere(file[0])) && !isAsBefore(file));
    if (wrong !== undefined) this.#takeBack(command, OTHER(...wrong));
    return wrong !== undefined;
  }

  /** As it was shown, or as it was before. */
  #isAsAgreed(file: ForeseenFile | undefined): boolean {
    if (file === undefined) return false;
    let now: Buffer | undefined;
    this.#tell(() => (now = isThere(file.path) ? bytesAt(file.path) : undefined));
    if (now === undefined) return !isThere(file.path) && (file.after === undefined || file.before === undefined);
    return [file.after, file.before].some((bytes) => bytes?.equals(now ?? Buffer.alloc(0)) === true);
  }

  #isCheckedIn(ask: (before: CheckedIn) => boolean): boolean {
    const { refs, parts } = this.#options;
    if (refs === undefined) return false;
    let found = false;
    this.#tell(() => {
      this.#before ??= new CheckedIn(refs, new GitObjects(refs.common, `${parts}/git`, sizeOf(refs)));
      found = ask(this.#before);
    });
    return found;
  }

  /** A call has succeeded. */
  done(task: Task, { done }: DecodedCall, result: number): void {
    if (done !== undefined) this.#commandOf(task)?.part.done((undo) => done(undo, result));
  }

  /** A call is refused, and not answered yet. A git that may not change something, or start something, is ended. */
  refused(task: Task, work: DecodedCall | DecodedExec, { reason }: Verdict): void {
    const command = this.#commandOf(task);
    const program = baseName(programOf(task.tgid) ?? "");
    // What speaks to a remote looks for logins by itself.
    if (command === undefined || !isGit(program) || /^git-(?:remote|http|credential)/.test(program)) return;
    const actions = isExec(work) ? [] : work.actions;
    // A file of the tree that it cannot read is one that it leaves out.
    const counts = (path: string, changes: boolean): boolean => changes || topOf(path) !== undefined;
    const told = actions.some(
      (action) => action.kind === "file" && action.target.kind === "path" && counts(action.target.path, isChange(action)),
    );
    if (!isExec(work) && (!told || work.quiet === true)) return;
    const what = sayAction(actionOf(work));
    this.#takeBack(command, reason.startsWith(what) ? reason : `${what}: ${reason}`);
  }

  /** All of them are ended, whatever they do. */
  endAll(why: string): void {
    this.#close();
    for (const command of this.#open) this.#takeBack(command, why);
  }

  /** As it was before it began. */
  #takeBack(command: GitCommand, why: string): void {
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

  /**
   * Those that have ended by themselves. Whoever was told that all went well goes on with what is not so (`git switch a && make`): it is
   * ended, but where a person sits there and reads it. True: somebody was.
   */
  #close(): boolean {
    let ended = false;
    for (const command of this.#open) {
      if (!isOver(command.pid, command.start)) continue;
      if (this.#isAmiss(command, "all")) {
        const [parent, since] = command.parent;
        if (parent === process.pid || since === undefined || startOf(parent) !== since || this.#options.asks()) continue;
        endProcesses(parent);
        ended = true;
        continue;
      }
      this.#open.delete(command);
      this.#tell(() => command.part.end());
    }
    return ended;
  }

  /** Nothing of the tree is left. */
  close(): void {
    this.#close();
    this.#tell(() => rmSync(this.#options.parts, { recursive: true, force: true }));
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

const isAgreed = (file: ForeseenFile | undefined, after: Buffer | undefined): boolean => file !== undefined && isSame(file.after, after);
