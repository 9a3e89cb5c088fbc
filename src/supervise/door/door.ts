import { receiveMessageOnPort, type MessagePort } from "node:worker_threads";
import type { Action, Call, Verdict } from "../../action/index.ts";
import type { Answer } from "../../guard/approve/index.ts";
import type { Caller, Errand, RunJudge } from "../judge/index.ts";
import { addressOf, alloc, ERRNO, errorName, sys, SYSCALLS, type SyscallName } from "../kernel/index.ts";
import { OUTER_PATH } from "../outer/index.ts";
import type { RunEvent } from "../types.ts";
import type { Kept, UndoStore } from "../undo/index.ts";
import { TRAPPED_PID_CALLS, TRAPPED_SIGNAL_CALLS } from "../wall/process-rules.ts";
import { decodeExec, type Exec } from "./exec.ts";
import { Lineage } from "./lineage.ts";
import { Listener, SEEN, Trap } from "./listener.ts";
import { Memory } from "./memory.ts";
import type { FromDoor, ToDoor } from "./messages.ts";
import { metadataHandlers } from "./metadata.ts";
import { nameHandlers } from "./names.ts";
import { openHandlers } from "./open.ts";
import { AGAIN, type Bench, type Handler, LATER, type Operation, PASS, RESTART } from "./operation.ts";
import { Paths } from "./paths.ts";
import { argvOf, describe, descendants, inTree } from "./processes.ts";
import { groupOf, questionOf } from "./question.ts";
import { type Task, Tasks } from "./tasks.ts";
import { type ExecEnd, holdExec, verifyExec } from "./verify.ts";

export interface DoorOptions {
  readonly listener: number;
  /** eventfd that says that a message waits. */
  readonly wake: number;
  readonly port: MessagePort;
  readonly judge: RunJudge;
  readonly undo: UndoStore | undefined;
  readonly run: string;
  readonly profile: string;
  readonly home: string;
  readonly cwd: string;
  /** As the program was given it. */
  readonly env: Readonly<Record<string, string>>;
  /** Observe: nothing is blocked. */
  readonly observes: boolean;
  /** Somebody answers questions. */
  readonly asks: boolean;
  /** Tell of every judged call, not only of what a receipt needs. */
  readonly tellsAll: boolean;
  /** What the typed command says it does. */
  readonly typed: Errand;
  /** Handlers of network calls. */
  readonly net: Readonly<Record<string, Handler>>;
}

/** A call whose answer takes time: a question is open, or the other side is not there yet. */
interface Pending {
  readonly trap: Trap;
  readonly task: Task;
  readonly work: Operation | Exec;
  readonly pid: number;
  readonly program: string;
  readonly group: string;
  verdict: Verdict;
  /** What was kept for undo already, and whether a person said to go on without. */
  anyway: boolean;
  /** Undefined: no question is open, it only waits. */
  readonly seq: number | undefined;
  /** What a person said. */
  readonly answer: string | undefined;
}

const MOST_TRIES = 8;
const FLUSH_AT = 64;
const TICK_ASKED = 200;
const TICK_WAITING = 2;
/** linux/errno.h, of the kernel's own. */
const ERESTARTSYS = 512;
const WNOHANG = 1;
const SIGKILL = 9;
const AF_UNIX = 1;
const SOCK_STREAM_CLOEXEC = 1 | 0o2000000;

/**
 * The door: every trapped call of the tree comes here, is decoded over pinned objects, judged, and answered.
 *
 * 1. `receive`: which task, which call; 2. a handler decodes it (`open.ts`, `names.ts`, `metadata.ts`, `exec.ts`, net);
 * 3. the judge; 4. deny: an errno; ask: a question, the call waits; allow: what would be lost is kept, then the call is
 * done on the task's behalf, or passed where the wall bounds it.
 *
 * INVARIANT: whatever goes wrong in here, the call is refused.
 */
export class Door {
  readonly #options: DoorOptions;
  readonly #listener: Listener;
  readonly #bench: Bench;
  readonly #handlers = new Map<number, Handler>();
  readonly #lineage: Lineage;
  readonly #trap = new Trap();
  readonly #pending = new Set<Pending>();
  readonly #allowedGroups = new Set<string>();
  readonly #events: RunEvent[] = [];
  readonly #status = alloc(4);
  /** Calls about other processes, and which arguments name them. */
  readonly #aboutProcesses = new Map<number, readonly number[]>();
  #seq = 0;
  #root = 0;
  /** The program's own exec has come by. */
  #begun = false;
  #rootEnded = false;
  #open = true;
  /** Nothing of the tree is left. */
  #empty = false;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.#lineage = new Lineage(options.typed);
    this.#listener = new Listener(options.listener, options.wake);
    const memory = new Memory();
    const tasks = new Tasks();
    this.#bench = { listener: this.#listener, memory, tasks, paths: new Paths(memory, tasks) };
    const all: Readonly<Record<string, Handler>> = { ...openHandlers, ...nameHandlers, ...metadataHandlers, ...options.net };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the tables are names of calls
    for (const [name, handler] of Object.entries(all)) this.#handlers.set(SYSCALLS[name as SyscallName], handler);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    for (const [name, at] of Object.entries(TRAPPED_PID_CALLS)) this.#aboutProcesses.set(SYSCALLS[name as SyscallName], at);
    for (const name of TRAPPED_SIGNAL_CALLS) if (name !== "pidfd_send_signal") this.#aboutProcesses.set(SYSCALLS[name], [0]);
  }

  /** Serves until nothing of the tree is left. */
  serve(): void {
    while (this.#open) {
      const seen = this.#listener.wait(this.#timeout());
      if ((seen & SEEN.message) !== 0) this.#messages();
      if ((seen & SEEN.call) !== 0) this.#receive();
      else {
        this.#flush();
        this.#tick();
      }
      if ((seen & SEEN.ended) !== 0) this.#ended();
      if ((seen & (SEEN.closed | SEEN.call)) === SEEN.closed) {
        this.#listener.leave();
        this.#empty = true;
      }
      // A short program may be over before we are told that it was started.
      if (this.#empty && this.#rootEnded) this.#open = false;
    }
    this.#flush();
    this.#bench.tasks.close();
  }

  /** How long to wait for the next call, in milliseconds; -1: for ever. */
  #timeout(): number {
    if (this.#pending.size > 0) return [...this.#pending].some(({ seq }) => seq === undefined) ? TICK_WAITING : TICK_ASKED;
    if (this.#events.length > 0) return 50;
    return this.#rootEnded ? 1000 : -1;
  }

  #receive(): void {
    const trap = this.#trap;
    if (!this.#listener.receive(trap)) return;
    try {
      this.#handle(trap);
    } catch (error) {
      this.#listener.answer(trap, -ERRNO.EACCES);
      this.#tell({
        kind: "notice",
        text: `a call was refused, for Assent failed to judge it: ${error instanceof Error ? error.message : String(error)}`,
      });
    }
  }

  #handle(trap: Trap): void {
    if (trap.nr === SYSCALLS.umask) {
      this.#bench.tasks.umaskChanges();
      return void this.#listener.pass(trap);
    }
    const task = this.#bench.tasks.get(trap.tid);
    if (task === undefined) return void this.#listener.answer(trap, -ERRNO.ESRCH);
    // The launcher's thread, before it starts the program.
    if (task.tgid === process.pid) return void this.#listener.pass(trap);
    if (trap.nr === SYSCALLS.execve || trap.nr === SYSCALLS.execveat) return this.#exec(trap, task);
    const targets = this.#aboutProcesses.get(trap.nr);
    if (targets !== undefined) return this.#aboutProcess(trap, task, targets);
    if (trap.nr === SYSCALLS.openat && this.#isOuter(trap, task)) return;
    const handler = this.#handlers.get(trap.nr);
    if (handler === undefined) return void this.#listener.answer(trap, -ERRNO.EPERM);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const decoded = handler(trap, task, this.#bench);
      if (decoded === PASS) return void this.#listener.pass(trap);
      if (typeof decoded === "number") return void this.#listener.answer(trap, decoded);
      if (!this.#listener.valid(trap)) return this.#letGo(decoded.pinned);
      if (this.#judge(trap, task, decoded) !== AGAIN) return;
    }
    this.#listener.answer(trap, -ERRNO.EACCES);
  }

  /** A program of this package asks whether it is supervised (outer/index.ts): the file it opens is a socket to us. */
  #isOuter(trap: Trap, task: Task): boolean {
    const { paths, tasks } = this.#bench;
    if ((trap.unsigned(2) & 3) !== 2 || paths.read(trap, 1) !== OUTER_PATH.length) return false;
    if (paths.bytes.toString("latin1", 0, paths.length) !== OUTER_PATH || !this.#listener.valid(trap)) return false;
    const pair = alloc(8);
    const made = sys(SYSCALLS.socketpair, AF_UNIX, SOCK_STREAM_CLOEXEC, 0, addressOf(pair));
    if (made < 0) return this.#listener.answer(trap, made) || true;
    const [ours, theirs] = [pair.readInt32LE(0), pair.readInt32LE(4)];
    const folder = tasks.cwd(task);
    const cwd = folder < 0 ? this.#options.cwd : paths.nameOf(folder);
    if (folder >= 0) sys(SYSCALLS.close, folder);
    this.#listener.give(trap, theirs, true);
    sys(SYSCALLS.close, theirs);
    this.#tell({ kind: "inner", fd: ours, cwd: typeof cwd === "string" ? cwd : this.#options.cwd });
    return true;
  }

  /** Priority, limits, affinity of another process: of the tree's own only. All arguments are registers. */
  #aboutProcess(trap: Trap, task: Task, targets: readonly number[]): void {
    const own = targets.every((at) => {
      const pid = trap.int(at);
      return pid === 0 || pid === task.tid || pid === task.tgid || (pid > 0 && inTree(pid));
    });
    if (own) this.#listener.pass(trap);
    else this.#listener.answer(trap, -ERRNO.EPERM);
  }

  #caller(task: Task): Caller {
    return {
      programs: () => this.#lineage.programs(task.tgid),
      errands: () => this.#lineage.errands(task.tgid),
      typed: () => this.#options.typed,
    };
  }

  #verdict({ actions, about, judge }: Operation, caller: Caller): Verdict {
    return judge?.(caller) ?? this.#options.judge.call(actions, caller, about);
  }

  /** AGAIN, where the objects changed between looking and doing. */
  #judge(trap: Trap, task: Task, operation: Operation): number {
    const verdict = this.#verdict(operation, this.#caller(task));
    return this.#decide(trap, task, operation, verdict);
  }

  #decide(trap: Trap, task: Task, operation: Operation, verdict: Verdict): number {
    if (verdict.decision === "allow" || this.#options.observes) return this.#perform(trap, task, operation, verdict, false);
    if (verdict.decision !== "deny" && operation.quiet !== true) {
      const [action] = operation.actions;
      if (action !== undefined && this.#waived(task, action, operation.call, verdict))
        return this.#perform(trap, task, operation, { ...verdict, decision: "allow" }, false);
      if (this.#options.asks) return this.#ask(trap, task, operation, verdict, false);
    }
    return this.#refuse(trap, task, operation, verdict, undefined);
  }

  /** A person has said so for this run. It is asked only where nothing denies; the floor is asked each time. */
  #waived(task: Task, action: Action, call: Call, verdict: Verdict): boolean {
    if (verdict.basis === "floor") return false;
    if (this.#lineage.isTrusted(task.tgid)) return true;
    return this.#allowedGroups.size > 0 && this.#allowedGroups.has(groupOf(describe(task.tgid).name, action, call));
  }

  #perform(trap: Trap, task: Task, operation: Operation, verdict: Verdict, anyway: boolean, answer?: string): number {
    const { undo } = this.#options;
    let kept: Kept | undefined;
    if (undo !== undefined && operation.save !== undefined) {
      kept = operation.save(undo, anyway);
      if (!kept.kept) return this.#unkept(trap, task, operation, verdict, kept);
    }
    const result = operation.perform();
    if (result < 0 && kept !== undefined) undo?.cancel(kept);
    if (result === AGAIN) {
      this.#letGo(operation.pinned);
      return AGAIN;
    }
    if (result === LATER) {
      this.#pending.add({
        trap: trap.copy(),
        task,
        work: operation,
        pid: task.tgid,
        program: "",
        group: "",
        verdict,
        anyway: true,
        seq: undefined,
        answer,
      });
      return 0;
    }
    return this.#finish(trap, task, operation, verdict, result, answer);
  }

  #finish(trap: Trap, task: Task, operation: Operation, verdict: Verdict, result: number, answer?: string): number {
    if (result >= 0 && this.#options.undo !== undefined) operation.done?.(this.#options.undo, result);
    let outcome: RunEvent["outcome"] = result < 0 && result !== -ERRNO.EINPROGRESS ? "failed" : "done";
    if (result >= 0 && operation.gives !== undefined) {
      const installed = this.#listener.give(trap, result, operation.gives.closeOnExec);
      sys(SYSCALLS.close, result);
      if (installed < 0 && installed !== -ERRNO.ENOENT) {
        outcome = "failed";
        this.#listener.answer(trap, installed);
      }
    } else this.#listener.answer(trap, result === RESTART ? -ERESTARTSYS : result);
    // One that is made again is noted then.
    if (result !== RESTART) this.#note(task, operation, verdict, outcome, result < 0 ? errorName(-result) : undefined, answer);
    this.#letGo(operation.pinned);
    return 0;
  }

  /** What the call destroys could not be kept: a person may say to go on all the same. */
  #unkept(trap: Trap, task: Task, operation: Operation, verdict: Verdict, kept: Exclude<Kept, { kept: true }>): number {
    const why: Verdict = {
      decision: kept.ask ? "ask" : "deny",
      basis: "protection",
      builtin: kept.ask ? "undo.too-large" : "undo.failed",
      reason: kept.ask ? `this cannot be undone: ${kept.why}` : kept.why,
      help: "run with --no-undo to go on without a way back",
    };
    if (kept.ask && (this.#options.observes || this.#waivedUndo(task, operation)))
      return this.#perform(trap, task, operation, verdict, true);
    if (kept.ask && this.#options.asks) return this.#ask(trap, task, operation, why, true);
    return this.#refuse(trap, task, operation, why, undefined);
  }

  #waivedUndo(task: Task, operation: Operation): boolean {
    const [action] = operation.actions;
    return action !== undefined && this.#allowedGroups.has(groupOf(describe(task.tgid).name, action, operation.call));
  }

  #refuse(trap: Trap, task: Task, work: Operation | Exec, verdict: Verdict, answer: string | undefined): number {
    this.#listener.answer(trap, -ERRNO.EACCES);
    if (!("quiet" in work && work.quiet === true)) this.#note(task, work, verdict, "refused", "EACCES", answer);
    this.#letGo(work.pinned);
    return 0;
  }

  #ask(trap: Trap, task: Task, work: Operation | Exec, verdict: Verdict, anyway: boolean): number {
    const { run, profile, home, cwd } = this.#options;
    const action = actionOf(work);
    const seq = ++this.#seq;
    const note = "note" in work ? work.note : undefined;
    const folder = this.#bench.tasks.cwd(task);
    const where = folder < 0 ? cwd : this.#bench.paths.nameOf(folder);
    if (folder >= 0) sys(SYSCALLS.close, folder);
    const question = questionOf({
      seq,
      run,
      profile,
      home,
      pid: task.tgid,
      cwd: typeof where === "string" ? where : cwd,
      call: work.call,
      action,
      note,
      verdict,
    });
    this.#pending.add({
      trap: trap.copy(),
      task,
      work,
      pid: task.tgid,
      program: question.process.name,
      group: question.group,
      verdict,
      anyway,
      seq,
      answer: undefined,
    });
    this.#tell({ kind: "ask", question });
    return 0;
  }

  /** Answers from the main thread. */
  #messages(): void {
    const counter = alloc(8);
    sys(SYSCALLS.read, this.#options.wake, addressOf(counter), 8);
    for (let got = receiveMessageOnPort(this.#options.port); got !== undefined; got = receiveMessageOnPort(this.#options.port)) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end of the port is the same program
      const message = got.message as ToDoor;
      if (message.kind === "program") this.#begins(message.pid);
      else if (message.kind === "answer") this.#answered(message.seq, message.answer);
      else if (message.kind === "reload") this.#reload();
      else if (message.kind === "kill") this.#killAll();
    }
  }

  /** The program was started: its first exec has been answered already. */
  #begins(pid: number): void {
    this.#root = pid;
    const pidfd = sys(SYSCALLS.pidfd_open, pid, 0);
    this.#listener.watch(pidfd);
    if (pidfd < 0) this.#ended();
  }

  #answered(seq: number, answer: Answer): void {
    const pending = [...this.#pending].find((one) => one.seq === seq);
    if (answer.answer === "quit") return this.#killAll();
    if (pending === undefined) return;
    if (answer.answer === "allow" && answer.scope === "session") this.#allowedGroups.add(pending.group);
    if (answer.answer === "allow" && answer.scope === "tree") this.#lineage.trust(pending.pid);
    this.#settle(pending, answer.answer === "allow", `${answer.answer} (${answer.scope})`);
    if (answer.answer === "allow" && answer.scope !== "once") this.#rejudge();
  }

  #reload(): void {
    this.#options.judge.reload();
    this.#rejudge();
  }

  /** A remembered answer may settle other open questions. */
  #rejudge(): void {
    for (const pending of this.#pending) {
      if (pending.seq === undefined || pending.anyway || "chain" in pending.work) continue;
      const verdict = this.#verdict(pending.work, this.#caller(pending.task));
      const waived = verdict.decision === "ask" && this.#waived(pending.task, actionOf(pending.work), pending.work.call, verdict);
      if (verdict.decision !== "allow" && verdict.decision !== "deny" && !waived) continue;
      this.#tell({ kind: "void", seq: pending.seq });
      this.#settle(pending, verdict.decision !== "deny", "settled by another answer");
    }
  }

  #settle(pending: Pending, allowed: boolean, answer: string): void {
    this.#pending.delete(pending);
    const { trap, task, work } = pending;
    const verdict: Verdict = { ...pending.verdict, decision: allowed ? "allow" : "deny", basis: allowed ? "grant" : pending.verdict.basis };
    if (!this.#listener.valid(trap)) return this.#letGo(work.pinned);
    if (!allowed) return void this.#refuse(trap, task, work, pending.verdict, answer);
    if ("chain" in work) return this.#start(trap, task, work, verdict, answer);
    if (this.#perform(trap, task, work, verdict, pending.anyway, answer) !== AGAIN) return;
    // What was asked about is not there any more.
    this.#listener.answer(trap, -ERRNO.EACCES);
  }

  /** Tries again what could not be done yet, and drops what nobody waits for any more. */
  #tick(): void {
    for (const pending of this.#pending) {
      if (!this.#listener.valid(pending.trap)) {
        this.#pending.delete(pending);
        this.#letGo(pending.work.pinned);
        if (pending.seq !== undefined) this.#tell({ kind: "void", seq: pending.seq });
        continue;
      }
      if (pending.seq !== undefined || "chain" in pending.work) continue;
      const result = pending.work.perform();
      if (result === LATER) continue;
      this.#pending.delete(pending);
      this.#finish(pending.trap, pending.task, pending.work, pending.verdict, result, pending.answer);
    }
    if (this.#rootEnded) this.#reap();
  }

  #exec(trap: Trap, task: Task): void {
    const exec = decodeExec(trap, task, this.#bench);
    if (typeof exec === "number") return void this.#listener.answer(trap, exec);
    if (!this.#listener.valid(trap)) return this.#letGo(exec.pinned);
    const { verdict, action, errand, programs } = this.#options.judge.exec(exec.loads === undefined ? exec.chain : [...exec.chain, exec.loads], exec.call, this.#caller(task));
    const judged: Exec = { ...exec, action, errand, programs };
    // What a person types is not asked about again (ledger P2).
    const typed = !this.#begun && verdict.decision === "ask" && verdict.basis !== "floor";
    this.#begun = true;
    if (verdict.decision === "allow" || typed || this.#options.observes) return this.#start(trap, task, judged, verdict, undefined);
    if (verdict.decision !== "deny") {
      if (this.#waived(task, action, exec.call, verdict)) return this.#start(trap, task, judged, verdict, undefined);
      if (this.#options.asks) return void this.#ask(trap, task, judged, verdict, false);
    }
    if (this.#root === 0) this.#tell({ kind: "notice", text: `refused to start ${exec.call.args[0] as string}: ${verdict.reason}` });
    this.#refuse(trap, task, judged, verdict, undefined);
  }

  /** Lets the kernel start the program, and looks at what it started before that runs. */
  #start(trap: Trap, task: Task, exec: Exec, verdict: Verdict, answer: string | undefined): void {
    const held = holdExec(trap.tid);
    if (held < 0) {
      const why: Verdict = {
        decision: "deny",
        basis: "protection",
        builtin: "exec.unverified",
        reason: `what is started could not be verified (${errorName(-held)}): a program that traces it, or may not be read, stands in the way`,
      };
      return void this.#refuse(trap, task, exec, why, answer);
    }
    this.#listener.pass(trap);
    const end: ExecEnd = verifyExec(exec, this.#options.env);
    this.#letGo(exec.pinned);
    if (end.is === "started") {
      this.#lineage.started(end.pid, end.steered ? [] : (exec.programs ?? []), exec.errand ?? { writes: [], hosts: [] });
      this.#note(task, exec, verdict, "passed", undefined, answer);
    } else if (end.is === "tampered") {
      const why: Verdict = {
        decision: "deny",
        basis: "floor",
        builtin: "exec.tampered",
        reason: `${end.what}: the arguments were changed while they were judged; the program was killed`,
      };
      this.#note(task, exec, why, "refused", "EACCES", answer);
      this.#tell({ kind: "notice", text: `killed ${exec.call.args[0] as string}: ${why.reason}` });
    } else if (end.is === "gone" && trap.tid === this.#root) this.#rootGone(end.status);
    else this.#note(task, exec, verdict, "failed", undefined, answer);
  }

  #ended(): void {
    if (this.#root === 0 || this.#rootEnded) return;
    const got = sys(SYSCALLS.wait4, this.#root, addressOf(this.#status), WNOHANG, 0);
    if (got === 0) return;
    this.#rootGone(got < 0 ? 0x7f00 : this.#status.readInt32LE(0));
  }

  #rootGone(status: number): void {
    if (this.#rootEnded) return;
    this.#rootEnded = true;
    this.#listener.watch(-1);
    this.#flush();
    this.#tell({ kind: "ended", status });
  }

  /** Orphans of the tree are our children (PR_SET_CHILD_SUBREAPER): nobody else fetches their status. */
  #reap(): void {
    while (sys(SYSCALLS.wait4, -1, addressOf(this.#status), WNOHANG, 0) > 0);
  }

  #killAll(): void {
    for (const pid of descendants()) sys(SYSCALLS.kill, pid, SIGKILL);
  }

  #letGo(pinned: readonly number[]): void {
    for (const fd of pinned) sys(SYSCALLS.close, fd);
  }

  #note(task: Task, work: Operation | Exec, verdict: Verdict, outcome: RunEvent["outcome"], errno?: string, answer?: string): void {
    const notable =
      this.#options.tellsAll || outcome === "refused" || answer !== undefined || "chain" in work || work.actions[0]?.kind === "net";
    if (!notable) return;
    this.#events.push({
      time: Date.now(),
      process: { pid: task.tgid, name: describe(task.tgid).name, argv: argvOf(task.tgid) },
      call: work.call,
      action: actionOf(work),
      verdict,
      outcome,
      ...(errno === undefined ? {} : { errno }),
      ...(answer === undefined ? {} : { answer }),
    });
    if (this.#events.length >= FLUSH_AT) this.#flush();
  }

  #flush(): void {
    if (this.#events.length > 0) this.#tell({ kind: "events", events: this.#events.splice(0) });
  }

  #tell(message: FromDoor): void {
    this.#options.port.postMessage(message);
  }
}

/** What stands for a call in questions and records. */
function actionOf(work: Operation | Exec): Action {
  const action = "chain" in work ? work.action : work.actions[0];
  return action ?? { kind: "process", operation: "trace", target: work.call.name, origin: { by: "tool" }, call: work.call };
}
