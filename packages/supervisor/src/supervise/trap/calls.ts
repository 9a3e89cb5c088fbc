import { adviceForPerson } from "@assent/core/action";
import { messageOf } from "@assent/guard/state";
import { type AnswerableRemote, stricterOf, type Verdict, verdictOf } from "@assent/core/policy";
import type { Answer } from "@assent/guard/approve";
import type { CommandPlan } from "../services/plans.ts";
import { answerableCall, answerableStart } from "../judge/remote-approval.ts";
import type { Caller } from "../judge/types.ts";
import { ERRNO, errorName, sys, SYSCALLS } from "../kernel/index.ts";
import { givenAnswer } from "../given-answer.ts";
import type { GivenAnswer, RunEvent } from "../types.ts";
import { type FileKind, type KeepResult, kindOf } from "../undo/index.ts";
import { CreatedFilesJudge } from "./judge-created-files.ts";
import { questionOf, RunConsent } from "./questions.ts";
import { GitCommands } from "./git-commands.ts";
import type { ForeseenChange } from "./git-question.ts";
import { handlerTable } from "./handlers.ts";
import { OtherNames, PARTED } from "./other-names.ts";
import { ProcessTree } from "./process-tree.ts";
import type { SeccompTrap } from "./listener.ts";
import { AGAIN, closeAll, type DecodedCall, type DecodedExec, isExec, LATER, PASS, type TaskAccess } from "./operation.ts";
import type { TrapOptions, Tell } from "./options.ts";
import { connectInner, isOuter } from "./outer.ts";
import { killTree } from "./processes.ts";
import { actionOf, type Recorder } from "./record.ts";
import { PlainReads } from "./reads.ts";
import { Starts } from "./starts.ts";
import { RESTART, type Task } from "./tasks.ts";
import { wouldFail } from "./would-fail.ts";

/** By a link, too, others find a socket. */
const LEADS_ON: ReadonlySet<FileKind> = new Set(["socket", "symlink"]);
/** The objects of a call changed so often between looking and doing that it is given up. */
const MOST_TRIES = 8;
/** Calls that could not be judged and are said: whoever finds a way to make them does not fill the terminal. */
const MOST_UNJUDGED = 5;
/** Refusals for want of a way back that are said at once; the receipt has them all. */
const MOST_SAID = 5;
/** linux/errno.h, of the kernel's own. */
const ERESTARTSYS = 512;
/** A program is told so as without supervision: it, or who reads its message, is to make room. */
const FULL: ReadonlySet<number> = new Set([ERRNO.ENOSPC, ERRNO.EDQUOT]);

/** Paths lead elsewhere from then on: a folder was moved, with what lies in it, or a link was made or moved. */
const leadsOn = ({ call, places = [] }: DecodedCall): boolean =>
  call.name === "symlink" ||
  (call.name === "rename" && places.some(({ object }) => object !== undefined && kindOf(object.mode) !== "file"));

/** A call that was decoded and judged: from here on it is asked about, performed, started or refused. */
interface JudgedCall<Work extends DecodedCall | DecodedExec = DecodedCall | DecodedExec> {
  readonly trap: SeccompTrap;
  readonly task: Task;
  readonly work: Work;
  readonly verdict: Verdict;
  /** It is done even where what it destroys cannot be kept. */
  readonly anyway: boolean;
  /** What a person said. */
  readonly answer: GivenAnswer | undefined;
  /** It goes ahead by a person's word: to this call, or to what the run makes where it lies. */
  readonly consent?: "asked" | "covered";
  /** What a person is shown, and agrees to with the start of a program. */
  readonly foreseen?: ForeseenChange | undefined;
}

/** A question is open. */
interface AskedCall extends JudgedCall {
  readonly state: "asked";
  readonly seq: number;
  readonly group: string;
  /** What was asked about as a whole. */
  readonly plan: CommandPlan | undefined;
}

/** It is allowed and not done yet: the other side is not there (LATER). */
interface PerformingCall extends JudgedCall<DecodedCall> {
  readonly state: "performing";
}

type PendingCall = AskedCall | PerformingCall;

/**
 * What becomes of the trapped calls of the tree: the states that each goes through, and what may follow on each.
 *
 * - `received` (which task, which call): decoded; refused, where nobody knows it.
 * - `decoded` (a handler has read the arguments and pinned what they name; believed only when the kernel says that the call still
 *   waits): judged; passed, for the kernel to do it where the sandbox bounds it; answered, with a result or an errno of its own; dropped.
 * - `judged` (by the policy, or a person's word for calls alike): performing; asked; refused.
 * - `asked` (it stays open, its objects stay pinned, others are served meanwhile): performing; refused; dropped.
 * - `performing` (what would be lost is kept, then it is done on the task's behalf): answered; performing again a moment later (LATER);
 *   decoded again, where the objects changed between looking and doing (AGAIN); asked or refused, where it could not be undone; dropped.
 * - `answered`, `passed`, `refused` (an errno), `dropped` (nobody waits for the answer any more): the end.
 *
 * The start of a program is the one call that the kernel must do itself: from `judged` on it goes the way of starts.ts.
 *
 * INVARIANT: whatever goes wrong in here, the call is refused.
 */
export class Calls {
  readonly #options: TrapOptions;
  readonly #access: TaskAccess;
  readonly #record: Recorder;
  readonly #tell: Tell;
  readonly #handlers: ReturnType<typeof handlerTable>;
  readonly #processTree = new ProcessTree();
  readonly #consent: RunConsent;
  readonly #own: CreatedFilesJudge;
  readonly #starts: Starts;
  readonly #reads: PlainReads;
  readonly #git: GitCommands;
  readonly #names: OtherNames;
  readonly #pending = new Set<PendingCall>();
  /** How many of them wait for a person. */
  #asked = 0;
  #seq = 0;
  /** A person has ended the run. */
  #quits = false;
  #unjudged = 0;
  readonly #said = new Set<string>();

  /** `ended`: a task has ended meanwhile, with this wait(2) status. */
  constructor(options: TrapOptions, access: TaskAccess, record: Recorder, tell: Tell, ended: (tid: number, status: number) => void) {
    this.#options = options;
    this.#access = access;
    this.#record = record;
    this.#tell = tell;
    this.#handlers = handlerTable(options.net.handlers, options.signals, options.tried);
    this.#consent = new RunConsent(this.#processTree, options);
    this.#own = new CreatedFilesJudge(options);
    this.#reads = new PlainReads(access, options, record);
    this.#git = new GitCommands(options, tell);
    this.#names = new OtherNames(options);
    this.#starts = new Starts(options, access.listener, this.#processTree, record, {
      tell,
      ended,
      began: (pid, exec, isItself) => this.#git.started(pid, exec, isItself),
    });
  }

  /** Received. INVARIANT: what cannot be judged is refused. */
  receive(trap: SeccompTrap): void {
    try {
      this.#decode(trap);
    } catch (error) {
      this.#access.listener.answer(trap, -ERRNO.EACCES);
      const why = messageOf(error);
      if (++this.#unjudged <= MOST_UNJUDGED) this.#tell((run) => run.notice(`a call was refused, for Assent failed to judge it: ${why}`));
    } finally {
      this.#reads.release();
    }
  }

  /** Received to decoded: what the call would do, over pinned objects. */
  #decode(trap: SeccompTrap): void {
    const { tasks, listener } = this.#access;
    tasks.calls(trap.tid);
    const met = tasks.met(trap.tid);
    if (met !== undefined && this.#reads.serve(trap, met)) return;
    const task = tasks.get(trap.tid);
    if (task === undefined) return void listener.answer(trap, -ERRNO.ESRCH);
    if (isOuter(trap, this.#access)) return this.#meet(trap, task);
    const handler = this.#handlers.get(trap.nr);
    if (handler === undefined) return void listener.answer(trap, -ERRNO.EPERM);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const decoded = handler(trap, task, this.#access);
      if (decoded === PASS) return void listener.pass(trap);
      if (typeof decoded === "number") return void listener.answer(trap, decoded);
      if (!listener.valid(trap)) return closeAll(decoded.pinned);
      if (isExec(decoded)) return this.#judgeStart(trap, task, decoded);
      if (this.#judge(trap, task, decoded) !== "again") return;
    }
    listener.answer(trap, -ERRNO.EACCES);
  }

  /** A program of this package gets a socket to the supervisor. */
  #meet(trap: SeccompTrap, task: Task): void {
    const { fd, cwd } = connectInner(trap, task, this.#access);
    const leaveAlone = this.#processTree.leavingAlone(task.tgid);
    if (fd >= 0) this.#tell((run) => run.inner(fd, { cwd: cwd ?? this.#options.cwd, leaveAlone }));
  }

  /** Decoded to judged. */
  #judge(trap: SeccompTrap, task: Task, work: DecodedCall): "again" | undefined {
    let verdict = this.#verdict(work, this.#processTree.caller(task));
    if (verdict.decision === "allow" && !this.#options.judge.take()) verdict = this.#verdict(work, this.#processTree.caller(task));
    const call: JudgedCall<DecodedCall> = { trap, task, work, verdict, anyway: false, answer: undefined };
    // A rule is a person's word, and covers what an answer to the question would have.
    if (verdict.decision === "allow" && (verdict.basis === "rule" || verdict.basis === "grant"))
      return this.#perform({ ...call, consent: "asked" });
    if (verdict.decision === "allow" || this.#options.observes) return this.#perform(call);
    const put = this.#git.lets(task, work, this.#processTree.caller(task));
    if (put !== undefined && this.#options.judge.take()) return this.#perform({ ...call, verdict: put });
    const failure = verdict.decision === "deny" ? 0 : wouldFail(work);
    if (failure < 0) return this.#fail(call, failure);
    if (verdict.decision !== "deny" && work.quiet !== true) {
      const waived: Verdict = { ...verdict, decision: "allow" };
      const covered = this.#own.covers(work, verdict, this.#processTree.caller(task), this.#processTree.plans(task.tgid), task.tgid);
      if (covered !== undefined)
        return this.#perform({ ...call, verdict: { ...waived, basis: "grant" }, consent: covered === "said" ? "covered" : "asked" });
      const skips = this.#consent.skips(task, work.actions[0], work.call, verdict);
      if (skips !== undefined) return this.#perform({ ...call, verdict: waived, ...(skips === "alike" ? { consent: "asked" } : {}) });
      const afar = answerableCall(this.#options.judge, { ...work, verdict, caller: this.#processTree.caller(task) });
      if (this.#consent.asks(task, afar)) {
        const end = this.#own.refusedInTheEnd(work, verdict, this.#processTree.caller(task));
        return end === undefined ? this.#ask(call, afar) : this.#refuse({ ...call, verdict: end });
      }
    }
    return this.#refuse(call);
  }

  #verdict({ actions, about, judge, places = [] }: DecodedCall, caller: Caller): Verdict {
    const sockets = places.filter(({ object }) => object !== undefined && LEADS_ON.has(kindOf(object.mode))).map(({ path }) => path);
    const subject = about?.moves === undefined ? about : { ...about, sockets };
    const verdict = judge?.(caller) ?? this.#options.judge.call(actions, caller, subject);
    return sockets.reduce((strictest, path) => stricterOf(strictest, this.#options.net.judgeFile(path, caller) ?? strictest), verdict);
  }

  #judgeStart(trap: SeccompTrap, task: Task, exec: DecodedExec): void {
    if (!this.#git.mayStart(task)) return closeAll(exec.pinned);
    const { judged, verdict, allowed } = this.#starts.judge(exec, task);
    const call: JudgedCall<DecodedExec> = { trap, task, work: judged, verdict, anyway: false, answer: undefined };
    if (verdict.decision !== "deny") {
      const cwd = this.#access.paths.workingFolder(task) ?? this.#options.cwd;
      const foreseen = this.#git.foresees(task, judged, this.#processTree.caller(task), cwd);
      if (foreseen?.verdict !== undefined) {
        // One yes is for both: the person reads why the program itself is asked about, too.
        const reason = verdict.decision === "ask" ? `${foreseen.verdict.reason}; ${verdict.reason}` : foreseen.verdict.reason;
        return this.#askFirst({ ...call, foreseen, verdict: { ...foreseen.verdict, reason } });
      }
      if (foreseen !== undefined) this.#git.agree(judged, foreseen);
    }
    if (allowed) return this.#start(call);
    if (verdict.decision !== "deny") {
      if (this.#consent.skips(task, judged.action, judged.call, verdict) !== undefined) return this.#start(call);
      const isAlone = judged.chain.length === 1 && judged.loads.length === 0 && judged.maps.every(({ loaded }) => loaded === "loader");
      const afar = answerableStart(this.#options.judge, { action: judged.action, verdict, isAlone });
      if (this.#consent.asks(task, afar)) return this.#ask(call, afar);
    }
    this.#refuseStart(call);
  }

  #askFirst(call: JudgedCall<DecodedExec>): void {
    if (this.#consent.asks(call.task)) this.#ask(call);
    else this.#refuseStart(call);
  }

  #refuseStart(call: JudgedCall<DecodedExec>): void {
    const { reason, help } = call.verdict;
    const way = help === undefined ? "" : `; ${adviceForPerson(help)}`;
    this.#starts.refused(call.work, `may not be started: ${reason}${way}`);
    this.#refuse(call);
  }

  /** Judged to the states of starts.ts; refused, where nobody could look at what would be started. */
  #start(call: JudgedCall<DecodedExec>): void {
    const unverified = this.#starts.start(call.trap, call.task, call.work, call.verdict, call.answer);
    if (unverified !== undefined) this.#refuse({ ...call, verdict: unverified });
  }

  /** Judged to answered: no yes would let it through. Whose run it is has rights that its programs have not: that is said. */
  #fail(call: JudgedCall<DecodedCall>, errno: number): undefined {
    if (process.geteuid?.() === 0 && errno !== -ERRNO.EROFS)
      return this.#refuse({ ...call, verdict: verdictOf("deny", "run.no-root") }, -errno);
    this.#access.listener.answer(call.trap, errno);
    closeAll(call.work.pinned);
  }

  /** Judged to performing; "again": the objects changed between looking and doing. */
  #perform(call: JudgedCall<DecodedCall>): "again" | undefined {
    const { task, work, anyway } = call;
    const { undo } = this.#options;
    const names = this.#names.spare(work, call.verdict);
    if (names === "again") {
      this.#record.note(task, work, PARTED, "done");
      closeAll(work.pinned);
      return "again";
    }
    if (names !== "alone") return this.#refuse({ ...call, verdict: names });
    let kept: KeepResult | undefined;
    if (undo !== undefined && work.save !== undefined) {
      kept = work.save(undo, anyway);
      if (!kept.kept) return this.#goWithout(call, kept);
    }
    const part = this.#git.keep(task, work);
    if (part === "ended") {
      if (kept !== undefined) undo?.cancel(kept);
      closeAll(work.pinned);
      return undefined;
    }
    const result = work.perform();
    if (result < 0 && kept !== undefined) undo?.cancel(kept);
    if (result < 0) part?.cancel();
    if (result === AGAIN) {
      closeAll(work.pinned);
      return "again";
    }
    if (result === LATER) this.#wait({ ...call, state: "performing", trap: call.trap.copy() });
    else this.#finish(call, result);
    return undefined;
  }

  /** What the call destroys could not be kept: a person may say to go on all the same. */
  #goWithout(call: JudgedCall<DecodedCall>, kept: Exclude<KeepResult, { kept: true }>): "again" | undefined {
    const { task, work } = call;
    const why = kept.ask
      ? verdictOf("ask", "undo.too-large", { reason: `this cannot be undone: ${kept.why}` })
      : verdictOf("deny", "undo.failed", { reason: kept.why });
    if (kept.ask && (this.#options.observes || this.#consent.skipsAlike(task, work.actions[0], work.call, why)))
      return this.#perform({ ...call, anyway: true, answer: undefined });
    if (kept.ask && this.#consent.asks(task)) return this.#ask({ ...call, verdict: why, anyway: true });
    this.#sayUnkept(work, kept);
    return this.#refuse({ ...call, verdict: why, answer: undefined }, !kept.ask && FULL.has(kept.errno) ? kept.errno : undefined);
  }

  /** All that the program is told is an error number. */
  #sayUnkept({ call, actions }: DecodedCall, { why, ask }: Exclude<KeepResult, { kept: true }>): void {
    const [action] = actions;
    const path = action?.kind === "file" && action.target.kind === "path" ? action.target.path : undefined;
    const what = `${call.name === "open" ? "write to" : call.name} ${path ?? "a file"}`;
    if (this.#said.has(what) || this.#said.size >= MOST_SAID) return;
    this.#said.add(what);
    this.#options.outside.unkept(
      `refused to ${what}${ask ? ", which could not be undone" : ""}: ${why}${ask ? "; with `assent run --no-undo` it goes on without a way back" : ""}`,
    );
  }

  /** Performing to answered. */
  #finish({ trap, task, work, verdict, answer, consent }: JudgedCall<DecodedCall>, result: number): void {
    const { listener } = this.#access;
    if (result >= 0 && consent !== undefined)
      this.#own.done(work, result, consent, this.#processTree.caller(task), this.#processTree.plans(task.tgid), task.tgid);
    if (result >= 0 && this.#options.undo !== undefined) work.done?.(this.#options.undo, result);
    if (result >= 0) this.#git.done(task, work, result);
    if (result >= 0) this.#names.done(work);
    if (result >= 0 && leadsOn(work)) this.#processTree.ledOn(task.tgid);
    let outcome: RunEvent["outcome"] = result < 0 && result !== -ERRNO.EINPROGRESS ? "failed" : "done";
    if (result >= 0 && work.gives !== undefined) {
      const installed = listener.give(trap, result, work.gives.closeOnExec);
      sys(SYSCALLS.close, result);
      if (installed < 0 && installed !== -ERRNO.ENOENT) {
        outcome = "failed";
        listener.answer(trap, installed);
      }
    } else if (work.leaves === true) listener.pass(trap);
    else listener.answer(trap, result === RESTART ? -ERESTARTSYS : result);
    // One that is made again is noted then.
    if (result !== RESTART) this.#record.note(task, work, verdict, outcome, result < 0 ? errorName(-result) : undefined, answer);
    closeAll(work.pinned);
  }

  /** Judged, or asked, to refused. */
  #refuse({ trap, task, work, verdict, answer }: JudgedCall, errno: number = ERRNO.EACCES): undefined {
    const plans = this.#processTree.plans(task.tgid);
    const extent =
      answer === undefined ? this.#own.otherwiseCalled(work, verdict, this.#processTree.caller(task), plans, task.tgid) : undefined;
    if (isExec(work) || work.quiet !== true) this.#record.note(task, work, verdict, "refused", errorName(errno), answer, extent);
    this.#git.refused(task, work, verdict);
    this.#access.listener.answer(trap, -errno);
    closeAll(work.pinned);
  }

  /** Judged to asked. */
  #ask(call: JudgedCall, afar?: AnswerableRemote): undefined {
    const { task, work, verdict } = call;
    const { run, profile, home, cwd, env, command } = this.#options;
    const seq = ++this.#seq;
    const note = isExec(work) ? undefined : work.note;
    const where = this.#access.paths.workingFolder(task) ?? cwd;
    const caller = this.#processTree.caller(task);
    const plan = this.#own.planOf(work, verdict, caller, this.#processTree.plans(task.tgid), task.tgid);
    const extent = this.#own.extentOf(work, plan, caller);
    const difference = call.foreseen?.difference;
    const about = { pid: task.tgid, cwd: where, call: work.call, action: actionOf(work), note, verdict, plan, extent, afar, difference };
    const question = questionOf({ seq, run, profile, home, env, command, ...about });
    this.#wait({ ...call, state: "asked", trap: call.trap.copy(), answer: undefined, seq, group: question.group, plan });
    this.#tell((outside) => outside.ask(question));
  }

  /** What was said to a question. */
  answer(seq: number, answer: Answer, grant: string | undefined): void {
    const asked = this.#allAsked().find((one) => one.seq === seq);
    if (answer.answer === "quit") {
      if (!this.#quits) {
        killTree();
        this.#git.endAll("the run was ended");
      }
      this.#quits = true;
      return;
    }
    if (asked === undefined) return;
    if (answer.answer === "allow" && answer.scope === "session") this.#consent.allow(asked.group, grant);
    if (answer.answer === "allow" && answer.scope === "time") this.#consent.allow(asked.group, grant, 60_000 * answer.minutes);
    if (answer.answer === "allow" && answer.scope === "tree") this.#consent.trust(asked.task.tgid, grant);
    if (answer.answer === "allow") this.#consent.connected(asked.task, actionOf(asked.work), asked.work.call, asked.verdict);
    // Remotely one call was seen, not all that it is a part of.
    if (answer.answer === "allow" && asked.plan !== undefined && answer.by !== "team") this.#own.consentTo(asked.plan);
    this.#settle(asked, answer.answer === "allow", givenAnswer(answer), "asked");
    if (answer.answer === "allow") this.rejudge();
  }

  /** Connections to it need no question more, for so many milliseconds. */
  consentToHost(host: string, lasts: number): void {
    this.#consent.allowHost(host, lasts);
    this.rejudge();
  }

  /** A remembered answer, or a rule written meanwhile, may settle open questions. */
  rejudge(): void {
    for (const asked of this.#allAsked()) {
      if (asked.anyway || isExec(asked.work)) continue;
      const verdict = this.#verdict(asked.work, this.#processTree.caller(asked.task));
      if (verdict.decision === "allow" && !this.#options.judge.take()) continue;
      const plans = this.#processTree.plans(asked.task.tgid);
      const covered = this.#own.covers(asked.work, verdict, this.#processTree.caller(asked.task), plans, asked.task.tgid);
      const skips = this.#consent.skips(asked.task, actionOf(asked.work), asked.work.call, verdict);
      const waived = verdict.decision === "ask" && (covered !== undefined || skips !== undefined);
      if (verdict.decision !== "allow" && verdict.decision !== "deny" && !waived) continue;
      this.#drop(asked);
      const consent = covered === "said" ? "covered" : skips === "trusted" && covered === undefined ? undefined : "asked";
      this.#settle(asked, verdict.decision !== "deny", { text: "settled by another answer" }, consent);
    }
  }

  /** Asked to performing, or to refused. */
  #settle(asked: AskedCall, allowed: boolean, answer: GivenAnswer, consent: JudgedCall["consent"]): void {
    this.#forget(asked);
    const { trap, task, work, verdict, anyway, foreseen } = asked;
    if (!this.#access.listener.valid(trap)) return closeAll(work.pinned);
    if (!allowed) return this.#refuse({ ...asked, answer });
    const granted: Verdict = { ...verdict, decision: "allow", basis: "grant" };
    if (isExec(work) && foreseen !== undefined) this.#git.agree(work, foreseen);
    if (isExec(work)) return this.#start({ trap, task, work, verdict: granted, anyway, answer });
    // What was asked about is not there any more: what is there now was not asked about.
    const call = { trap, task, work, verdict: granted, anyway, answer, ...(consent === undefined ? {} : { consent }) };
    if (this.#perform(call) === "again") this.receive(trap);
  }

  /** Tries again what could not be done yet, and drops what nobody waits for any more. */
  tick(): void {
    this.#git.tick();
    if (this.#asked > 0 && this.#options.judge.hasNews) this.rejudge();
    const pending = [...this.#pending];
    for (const call of pending) {
      if (!this.#access.listener.valid(call.trap)) {
        this.#forget(call);
        closeAll(call.work.pinned);
        if (call.state === "asked") this.#drop(call);
        continue;
      }
      if (call.state === "asked") continue;
      const result = call.work.perform();
      if (result === LATER) continue;
      this.#forget(call);
      this.#finish(call, result);
    }
  }

  /** Nothing of the tree is left. */
  close(): void {
    this.#git.close();
  }

  /** What calls wait for: a person, or something else, which is then looked for more often. */
  get waitsFor(): "a person" | "a look" | "the other side" | undefined {
    if (this.#pending.size === 0) return this.#git.waits ? "a look" : undefined;
    return this.#pending.size > this.#asked ? "the other side" : "a person";
  }

  #wait(call: PendingCall): void {
    call.task.waiting += 1;
    if (call.state === "asked") this.#asked += 1;
    this.#pending.add(call);
  }

  #forget(call: PendingCall): void {
    if (!this.#pending.delete(call)) return;
    call.task.waiting -= 1;
    if (call.state === "asked") this.#asked -= 1;
  }

  #allAsked(): readonly AskedCall[] {
    return [...this.#pending].filter((call) => call.state === "asked");
  }

  /** The question is void. */
  #drop({ seq }: AskedCall): void {
    this.#tell((outside) => outside.drop(seq));
  }
}
