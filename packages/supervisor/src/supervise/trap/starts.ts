import type { GivenAnswer } from "../types.ts";
import { CONFINED_NEEDS } from "@assent/core/action";
import { baseName } from "@assent/core/path";
import { stricterOf, type Verdict, verdictOf } from "@assent/core/policy";
import { messageOf } from "@assent/guard/state";
import { type ToolService, isHelper, isToolItself, loadedBy, NO_TOOL_SERVICE } from "../services/services.ts";
import { historyOf } from "../services/history.ts";
import type { Started } from "../judge/types.ts";
import { wordsOf } from "../judge/commands.ts";
import {
  alloc,
  ERRNO,
  errorName,
  lastingAddressOf,
  O_CLOEXEC,
  O_PATH,
  pathBytes,
  pathText,
  readProc,
  SIGKILL,
  SIGNAL,
  sys,
  SYSCALLS,
} from "../kernel/index.ts";
import { checksForLeaks, LEAK_CHECK_OFF } from "../leak-check.ts";
import { statFd } from "../undo/index.ts";
import { yamaProblem, yamaScope } from "../sandbox/yama.ts";
import { type ProcessTree, NOTHING } from "./process-tree.ts";
import type { Listener, SeccompTrap } from "./listener.ts";
import { closeAll, type DecodedExec } from "./operation.ts";
import type { TrapOptions, Lack, Tell } from "./options.ts";
import type { Recorder } from "./record.ts";
import { readsTerminal } from "./processes.ts";
import { type RunOrigin, type Controlling, controlledBy } from "./controlled.ts";
import { shortName, type Task } from "./tasks.ts";

/** A program that tries it again and again does not fill the terminal. */
const MOST_SAID = 3;
const MORE = " (the next ones are only in the receipt)";

/** What judging the start of a program found. */
interface JudgedStart {
  readonly judged: DecodedExec;
  readonly verdict: Verdict;
  /** It may be started, whether or not the policy by itself allows it. */
  readonly allowed: boolean;
}

/** Who hears of starts. */
interface StartsHeard {
  readonly tell: Tell;
  /** A task has ended meanwhile, with this wait(2) status. */
  readonly ended: (tid: number, status: number) => void;
  /** A program runs. `isItself`: no code of somebody else. */
  readonly began: (pid: number, exec: DecodedExec, isItself: boolean) => void;
}

/**
 * Starts of programs: the one call that the kernel must do itself. The states that each goes through, and what may follow on each.
 *
 * - `seen` (decoded, as every other call, by exec.ts), then `judged`: held; asked or refused, as every other call (calls.ts).
 * - `held` (the task is seized, so that it stops before the first instruction of the new program): let go; refused, where that is not
 *   possible; dropped, where the task is gone.
 * - `let go` (the kernel does the call): stopped; failed, where the kernel started nothing; gone, where the task died in it.
 * - `stopped` (what was started cannot be changed any more): verified; killed, where it is not what was judged.
 * - `verified`: running.
 */
export class Starts {
  readonly #options: TrapOptions;
  readonly #listener: Listener;
  readonly #processTree: ProcessTree;
  readonly #record: Recorder;
  readonly #tell: Tell;
  readonly #ended: StartsHeard["ended"];
  readonly #began: StartsHeard["began"];
  readonly #origin: RunOrigin;
  /** The program's own exec has come by. */
  #begun = false;
  /** Some program runs. */
  #started = false;
  #killed = 0;
  readonly #hinted = new Set<string>();
  readonly #looked = new Set<string>();

  constructor(options: TrapOptions, listener: Listener, processTree: ProcessTree, record: Recorder, { tell, ended, began }: StartsHeard) {
    this.#options = options;
    this.#listener = listener;
    this.#processTree = processTree;
    this.#record = record;
    this.#tell = tell;
    this.#ended = ended;
    this.#began = began;
    const { env, typed, home, judge } = options;
    this.#origin = { env, typed, home, couldWrite: (path) => judge.couldWrite(path) };
  }

  /** Seen to judged. */
  judge(exec: DecodedExec, task: Task): JudgedStart {
    const options = this.#options;
    const processTree = this.#processTree;
    const chain = [...exec.chain, ...exec.loads, ...exec.maps];
    const before = processTree.program(task.tgid);
    const caller = processTree.caller(task, before);
    const settled = this.#settled(task.tgid);
    let found = options.judge.exec(chain, exec.call, caller);
    if (found.verdict.decision === "allow" && !options.judge.take()) found = options.judge.exec(chain, exec.call, caller);
    const { action, programs, logins } = found;
    // The command itself, or one that it says it starts, started by it and by nobody else.
    const [first] = exec.chain;
    const isOfLine = !this.#begun || before.says.includes(wordsOf(first.argv));
    // Who is asked when the agent is, says yes or no then; where nobody is, git would only fail, perhaps half way.
    const signs = isOfLine && !options.asks() ? found.signs : undefined;
    const verdict = signs === undefined ? found.verdict : stricterOf(found.verdict, SIGNS(signs));
    const helps = before.programs.some((client) => isHelper(client, first.path, first.argv));
    const lent = before.programs.some((client) => isToolItself(client, first.path, first.argv)) ? before.logins : [];
    const kept =
      this.#begun || !options.typed || programs.length === 0 || !readsTerminal(task.tgid)
        ? []
        : historyOf(baseName(first.path), first.argv, options.home);
    const own = { ...found.toolService, writes: [...found.toolService.writes, ...kept] };
    const toolService = helps ? joinToolServices(own, before.toolService) : own;
    // A program that becomes the one it stands for (psql of Debian, a proxy) connects where it might have itself.
    const becomes = before.named.length > 0 && before.programs.includes(baseName(first.path));
    const named = [...(isOfLine ? (options.typed ? found.named : found.ruled) : []), ...(helps || becomes ? before.named : [])];
    const judged: DecodedExec = {
      ...exec,
      action,
      toolService,
      programs,
      logins: [...logins, ...lent, ...kept],
      settled: settled?.(programs),
      helps,
      named,
      says: isOfLine ? found.says : [],
    };
    // What a person types is not asked about again; where nobody could be asked, it sets nothing that outlasts the run.
    const typed =
      options.typed &&
      !this.#begun &&
      signs === undefined &&
      verdict.decision === "ask" &&
      verdict.basis !== "floor" &&
      (options.asks() || !found.lasts);
    this.#begun = true;
    return { judged, verdict, allowed: verdict.decision === "allow" || typed || options.observes };
  }

  /**
   * From now on, for a tool that would load code of the project: whether it is as it was judged. An agent could change it, and change it
   * back, while the tool starts; and a folder that is moved, or a link, leads to other files.
   */
  #settled(pid: number): ((programs: readonly string[]) => (() => boolean) | undefined) | undefined {
    const watch = this.#options.watchesFiles?.();
    if (watch === undefined) return undefined;
    const turns = this.#processTree.turnsBeside(pid);
    return (programs) => {
      const names = new Set(programs.flatMap((program) => loadedBy(program)).map(([name]) => baseName(name)));
      // They write that one themselves.
      names.delete("package.json");
      if (names.size === 0) return undefined;
      let isSettled = true;
      return () => {
        isSettled &&= this.#processTree.turnsBeside(pid) === turns && !watch((path) => names.has(baseName(path)));
        return isSettled;
      };
    };
  }

  /** Tells that the program of the run is not started, where this is it. */
  refused({ chain: [{ path }] }: DecodedExec, why: string): void {
    if (!this.#started) this.#tell((run) => run.refused(`${path} ${why}`));
  }

  /** Judged to running or killed. A verdict: nobody could look at what would be started, and it is to be refused. */
  start(trap: SeccompTrap, task: Task, exec: DecodedExec, verdict: Verdict, answer: GivenAnswer | undefined): Verdict | undefined {
    const held = holdExec(trap.tid);
    if (held < 0) {
      // It was killed meanwhile.
      if (!this.#listener.valid(trap)) {
        closeAll(exec.pinned);
        return undefined;
      }
      const why = UNVERIFIED(errorName(-held));
      this.refused(exec, `is not started: ${why.reason}`);
      return why;
    }
    this.#listener.pass(trap);
    const end = verifyExec(exec, task, this.#origin, this.#ended);
    closeAll(exec.pinned);
    if (end.is === "started") this.#running(task, exec, verdict, answer, end);
    else if (end.is === "tampered") {
      const why = TAMPERED(end.what);
      this.#record.note(task, exec, why, "refused", "EACCES", answer);
      if (++this.#killed <= MOST_SAID) {
        const more = this.#killed < MOST_SAID ? "" : MORE;
        this.#tell((run) => run.notice(`killed ${exec.chain[0].path}: ${why.reason}${more}`));
      }
      this.#ended(end.pid, SIGKILL);
    } else {
      this.#record.note(task, exec, verdict, "failed", undefined, answer);
      if (end.is === "gone") this.#ended(end.pid, end.status);
    }
    return undefined;
  }

  #running(
    task: Task,
    exec: DecodedExec,
    verdict: Verdict,
    answer: GivenAnswer | undefined,
    { pid, controlled }: Extract<ExecEnd, { is: "started" }>,
  ): void {
    const first = !this.#started;
    this.#started = true;
    const { programs = [], logins = [], toolService = NO_TOOL_SERVICE, named = [], says = [], settled } = exec;
    // Told by its environment to load other code, it is that code.
    if (controlled === "code") this.#processTree.started(pid, NOTHING);
    else {
      const own = controlled === "logins" ? [] : logins;
      // Settings may name code that it loads, or what it sends beside the address.
      const doubtful =
        controlled === "logins" && programs.some((program) => loadedBy(program).length > 0 || /^(?:curl|wget2?)$/.test(program));
      const open = doubtful ? { ...toolService, hosts: [] } : toolService;
      const trail = own.length === 0 ? {} : { trail: { at: "start" as const } };
      this.#processTree.started(pid, { programs, logins: own, ...trail, toolService: open, named, says, settled });
    }
    this.#tell((run) => run.runs?.(controlled === "code" ? NO_TOOL_SERVICE : toolService));
    this.#began(pid, exec, controlled !== "code");
    this.#record.note(task, exec, verdict, "passed", undefined, answer);
    if (first) this.#tell((run) => run.started());
    this.#hint(exec, pid);
  }

  /** Once for each program. */
  #hint(exec: DecodedExec, pid: number): void {
    const lack = lackOf(exec) ?? this.#leakCheckOf(exec, pid);
    if (lack === undefined || this.#hinted.has(lack.name)) return;
    this.#hinted.add(lack.name);
    this.#tell((run) => run.lacks(lack));
  }

  /** Programs of the system have none. Each is looked at once. */
  #leakCheckOf({ action, chain: [{ id, path }] }: DecodedExec, pid: number): Lack | undefined {
    if (action?.kind !== "exec" || action.trusted || id === "" || this.#looked.has(id)) return undefined;
    this.#looked.add(id);
    return checksForLeaks(pid) ? { name: baseName(path), need: "looks for leaks (LeakSanitizer)", way: LEAK_CHECK_OFF } : undefined;
  }
}

const joinToolServices = (one: ToolService, other: ToolService): ToolService => ({
  writes: [...one.writes, ...other.writes],
  own: [...one.own, ...other.own],
  builds: [...one.builds, ...other.builds],
  hosts: [...one.hosts, ...other.hosts],
});

/** ptrace(2). */
const SEIZE = 0x4206;
const INTERRUPT = 0x4207;
const GETEVENTMSG = 0x4201;
const CONT = 7;
const DETACH = 17;
const O_TRACEEXEC = 0x10;
const EVENT_EXEC = 4;
const SANDBOX = 0x40000000;

/** How an exec ended. `gone`: the task died in it. */
type ExecEnd =
  | { readonly is: "started"; readonly pid: number; readonly controlled: Controlling }
  | { readonly is: "failed" }
  | { readonly is: "gone"; readonly pid: number; readonly status: number }
  | { readonly is: "tampered"; readonly what: string; readonly pid: number };

/** Nobody could look at what would be started. */
const UNVERIFIED = (errno: string): Verdict =>
  verdictOf("deny", "exec.unverified", {
    reason: `Assent could not look at the program before it starts (ptrace: ${errno}). ${unverifiedWhy(yamaScope())}`,
  });

/** What keeps Assent from looking at a program, and what to do about it. */
export const unverifiedWhy = (scope: number): string =>
  yamaProblem(scope) ?? "Another program may be tracing it, its file may not be readable, or a sandbox around this run forbids ptrace";

const SIGNS = (need: string): Verdict =>
  verdictOf("ask", "confine.fails", {
    reason: `git ${need}, and nobody is there who could be asked about that`,
    help: {
      person: "start it without `assent run`, or at a terminal without -P, where you are asked",
      model: "ask the user to run it, not supervised",
    },
  });

const TAMPERED = (what: string): Verdict =>
  verdictOf("deny", "exec.tampered", {
    reason: `${what}: the command was changed while Assent judged it, so the program was ended`,
  });

const status = alloc(4);
const statusAt = lastingAddressOf(status);
const messageAt = lastingAddressOf(alloc(8));

/** Takes hold of a task that waits in an exec. A negative errno where that is not possible. */
function holdExec(tid: number): number {
  const seized = sys(SYSCALLS.ptrace, SEIZE, tid, 0, O_TRACEEXEC);
  // Should the exec fail, the task stops on its way back instead, so that one of both stops always comes.
  return seized < 0 ? seized : sys(SYSCALLS.ptrace, INTERRUPT, tid, 0, 0);
}

/**
 * Waits for the exec to happen, and compares what the kernel started with what was judged: at this stop the old memory
 * is gone and the new program has not run an instruction, so nobody can change what is compared. A difference proves
 * that the arguments were changed between judging and starting; the program is killed before it begins.
 *
 * INVARIANT: runs on the thread that called `holdExec`, and the runtime waits for no process it has not started.
 */
function verifyExec(exec: DecodedExec, { tid: held, tgid }: Task, run: RunOrigin, reaped: Reaped): ExecEnd {
  // A thread that execs takes the number of its process over.
  const waitFor = (): number => waitForOne(held, tgid, reaped);
  const tid = waitFor();
  if (tid < 0) return { is: "gone", pid: held, status: 0 };
  const word = status.readInt32LE(0);
  if ((word & 0xff) !== 0x7f) return { is: "gone", pid: held, status: word };
  const isExec = word >> 8 === (SIGNAL.TRAP | (EVENT_EXEC << 8));
  if (!isExec) {
    const event = word >> 16;
    // A stop for a signal hands the signal on; the stop of INTERRUPT has nothing to hand on.
    sys(SYSCALLS.ptrace, DETACH, tid, 0, event === 0 ? (word >> 8) & 0xff : 0);
    return { is: "failed" };
  }
  let difference: string | undefined;
  let controlled: Controlling = "no";
  try {
    difference = differs(tid, exec);
    // Only a program that is trusted with something can be abused: a helper is, by whatever name it goes.
    const helper = exec.helps === true ? [baseName(exec.chain[0].path)] : [];
    if (difference === undefined) controlled = controlledBy(tid, [...(exec.programs ?? []), ...helper], exec.chain, run);
  } catch (error) {
    difference = `what was started could not be looked at (${messageOf(error)})`;
  }
  if (difference === undefined) {
    sys(SYSCALLS.ptrace, DETACH, tid, 0, 0);
    return { is: "started", pid: tid, controlled };
  }
  // What somebody has killed leaves its stop, and has no words and no memory any more: that accuses nobody. Nothing else takes it from there.
  const stood = sys(SYSCALLS.ptrace, GETEVENTMSG, tid, 0, messageAt) === 0;
  sys(SYSCALLS.kill, tid, SIGKILL);
  // Its parent hears of its end only after we have: until then it would be a zombie of ours.
  while (waitFor() >= 0 && (status.readInt32LE(0) & 0xff) === 0x7f) sys(SYSCALLS.ptrace, CONT, tid, 0, SIGKILL);
  return stood ? { is: "tampered", what: difference, pid: tid } : { is: "gone", pid: tid, status: SIGKILL };
}

/** A child of ours has ended meanwhile. wait(2) status. */
type Reaped = (pid: number, status: number) => void;

/** Waits for a task that is known by one of two numbers. The number it has, or a negative errno. */
function waitForOne(tid: number, tgid: number, reaped: Reaped): number {
  for (;;) {
    // Waiting for a number that it has given up would never end.
    const waited = sys(SYSCALLS.wait4, -1, statusAt, SANDBOX, 0);
    if (waited === tid || waited === tgid || (waited < 0 && waited !== -ERRNO.EINTR)) return waited;
    if (waited > 0) reaped(waited, status.readInt32LE(0));
  }
}

function differs(pid: number, { chain, maps }: DecodedExec): string | undefined {
  const last = chain[chain.length - 1] ?? chain[0];
  const fd = sys(SYSCALLS.openat, -100, shortName(`/proc/${pid}/exe`), O_PATH | O_CLOEXEC, 0);
  const stat = fd < 0 ? fd : statFd(fd);
  if (fd >= 0) sys(SYSCALLS.close, fd);
  if (typeof stat === "number") return "the program that was started cannot be seen";
  if (last.id !== "" && stat.id !== last.id) return `another program was started than ${last.path}`;
  const loaded = last.id === "" ? undefined : loadedElsewhere(readProc(`/proc/${pid}/maps`, true).toString("latin1"), [last, ...maps]);
  if (loaded !== undefined) return `${last.path} was started by ${loaded}`;
  const words = splitArguments(readProc(`/proc/${pid}/cmdline`));
  if (words.length === last.argv.length && words.every((word, at) => word === last.argv[at])) return undefined;
  return "other arguments were used than those that were judged";
}

/**
 * The first file in a list of proc_pid_maps(5) that is none of these. On btrfs and overlayfs the list names another device than statx(2),
 * and with layers on several disks the upper half of the inode's number differs, too: there the name has to be the same.
 */
export function loadedElsewhere(list: string, known: readonly Pick<Started, "id" | "path">[]): string | undefined {
  const ids = new Set(known.map(({ id }) => listedId(id)));
  let before = "";
  for (const line of list.split("\n")) {
    // Behind the addresses, the rights and the offset; a file has several lines.
    const file = line.slice(line.indexOf(" ", line.indexOf(" ") + 6) + 1);
    if (file === before) continue;
    before = file;
    const [device = "", inode = "0"] = file.split(" ", 2);
    // Stack and vDSO are no files.
    if (inode === "0" || ids.has(`${device} ${inode}`)) continue;
    const path = file.slice(device.length + inode.length + 1).trimStart();
    const low = String(BigInt.asUintN(32, BigInt(inode)));
    if (!known.some((one) => listedPath(one.path) === path && one.id.split(/[:.]/).at(-1) === low)) return path;
  }
  return undefined;
}

/** Device and inode as the list spells them. */
function listedId(id: string): string {
  const [major = "", minor = "", inode = ""] = id.split(":");
  const [high = "", low] = inode.split(".");
  const hex = [major, minor].map((part) => Number(part).toString(16).padStart(2, "0")).join(":");
  return `${hex} ${low === undefined ? inode : (BigInt(high) << 32n) + BigInt(low)}`;
}

const listedPath = (path: string): string => pathBytes(path).toString("latin1").replaceAll("\n", "\\012");

function splitArguments(bytes: Buffer): string[] {
  const words: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0, start);
    words.push(pathText(bytes.subarray(start, end < 0 ? bytes.length : end)));
    start = end < 0 ? bytes.length : end + 1;
  }
  return words;
}

const TRACES = CONFINED_NEEDS.tracing;
const NEVER_HAD = new Set<string>([TRACES, CONFINED_NEEDS.namespaces, CONFINED_NEEDS.rights, CONFINED_NEEDS.kernel]);

/** A program that would only fail with "operation not permitted", by what its words ask for. */
function lackOf({ action, chain: [{ path }] }: DecodedExec): Lack | undefined {
  const need = action?.kind === "exec" ? action.needs?.find((one) => NEVER_HAD.has(one)) : undefined;
  if (need === undefined) return undefined;
  const way =
    need === TRACES
      ? "start it without `assent run`. What the run itself does: `assent run --strace FILE`"
      : "leave it out, or start it without `assent run`";
  return { name: baseName(path), need, way };
}
