import { errorCode } from "../state/index.ts";
import { type Covers, serve, type Waiting } from "./alike.ts";
import { DENY, untilSettled } from "./answer.ts";
import { withOthers } from "./extent.ts";
import { printable } from "./printable.ts";
import { type CheckRule, runChoices } from "./prompt.ts";
import { said, saidElsewhere } from "./answer-text.ts";
import { type ShownQuestion, whoBriefly } from "./render.ts";
import { type Device, type ForegroundControl, isTerminal, TerminalDevice } from "./tty.ts";
import { type Answer, answeredElsewhere, type Approver, type Question } from "./types.ts";
import { BlockView, LineView, type PromptView, type ViewOptions } from "./views.ts";

/**
 * Calls back when a person has had `ms` milliseconds to see something, and everything typed until then was read.
 * INVARIANT: a clock alone would not do. When this process was held up, keys from before wait in the kernel; a timer's
 * callback comes before they are read, an immediate's after (the event loop's phases: timers, poll, check).
 */
class InputTimer {
  readonly #cancels = new Set<() => void>();

  after(ms: number, work: () => void): () => void {
    let immediate: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      immediate = setImmediate(() => {
        this.#cancels.delete(cancel);
        work();
      });
    }, ms);
    const cancel = (): void => {
      clearTimeout(timer);
      clearImmediate(immediate);
      this.#cancels.delete(cancel);
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  clear(): void {
    for (const cancel of this.#cancels) cancel();
  }
}

export interface TerminalOptions {
  /** `TERM` and `NO_COLOR` are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shown as `~`. */
  readonly home?: string | undefined;
  readonly checkRule: CheckRule;
  /** By default a rule that was just written answers only the question it was written for. */
  readonly covers?: Covers | undefined;
  readonly foreground?: ForegroundControl | undefined;
  /** Why something cannot be asked, in one line. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** The terminal is gone: nothing can be asked any more. */
  readonly onGone?: (() => void) | undefined;
  /** By default the controlling terminal. */
  readonly path?: string | undefined;
  /** An agent started what asks: it reads what is said with a no. */
  readonly ofAgent?: boolean | undefined;
  /** The questions are of several runs: Ctrl-C calls this and answers nothing, and who ends one run ends no other. */
  readonly onInterrupt?: (() => void) | undefined;
}

/** What is shown with a question that stands for others. */
type ShownWith = Omit<ShownQuestion, "question" | "waiting">;

/** Asks a person on the terminal. Undefined where there is none. */
export function terminalApprover(options: TerminalOptions): Approver | undefined {
  const path = options.path ?? "/dev/tty";
  return isTerminal(path) ? new TerminalApprover(new TerminalDevice(path, options.foreground), options) : undefined;
}

/** Nobody answers a question within this time of its first sight: what comes was meant for something else. Milliseconds. */
const SEE_MS = 150;
/** Who was typing when the question came is still typing: this long a pause must follow. Milliseconds. */
const PAUSE_MS = 400;
/** Milliseconds between two looks whether we are in the foreground again. */
const BEHIND_MS = 200;
/** A burst of questions is drawn at most this often. Milliseconds. */
const REDRAW_MS = 50;

const INTERRUPT = "\u0003";

export class TerminalApprover implements Approver {
  readonly atTerminal = true;
  readonly #device: Device;
  readonly #view: PromptView;
  readonly #covers: Covers | undefined;
  readonly #home: string | undefined;
  readonly #ofAgent: boolean;
  readonly #notice: (text: string) => void;
  readonly #queue = new PromptQueue();
  readonly #timer = new InputTimer();
  /** What is on the terminal. `deaf`: keys do not count yet; calling it forgets when they would have. */
  #prompt: { readonly first: Prompted; deaf: (() => void) | undefined; early: boolean } | undefined;
  #redraw: NodeJS.Timeout | undefined;
  /** A shell has the terminal for itself; it was said that a question waits. */
  #behind: NodeJS.Timeout | undefined;
  #saidBehind = false;
  readonly #onGone: (() => void) | undefined;
  /** What every further question is answered: the terminal is gone, or the run ends. */
  #over: Answer | undefined;
  readonly #onInterrupt: (() => void) | undefined;

  constructor(device: Device, options: TerminalOptions) {
    this.#device = device;
    this.#onInterrupt = options.onInterrupt;
    this.#onGone = options.onGone;
    const { env } = options;
    this.#home = options.home;
    this.#ofAgent = options.ofAgent === true;
    const view: ViewOptions = { home: options.home, checkRule: options.checkRule };
    this.#view =
      env["TERM"] === "dumb" || env["TERM"] === undefined
        ? new LineView(device, view)
        : new BlockView(device, (env["NO_COLOR"] ?? "") === "", view);
    this.#covers = options.covers;
    this.#notice = options.onNotice ?? (() => undefined);
  }

  /** `setting`: what is shown with it, as it is now. */
  ask(question: Question, signal: AbortSignal, setting?: () => ShownWith): Promise<Answer> {
    if (this.#over !== undefined) return Promise.resolve(this.#over);
    if (signal.aborted) return Promise.resolve(DENY);
    return untilSettled(signal, (resolve) => {
      const open: Prompted = { question, resolve, visibility: "none", setting };
      this.#queue.add(open);
      this.#guarded(() => this.#refresh());
      return () => {
        this.#queue.remove(open);
        open.resolve(DENY);
        const elsewhere = answeredElsewhere(signal);
        const reason: unknown = signal.reason;
        const why = elsewhere === undefined ? (typeof reason === "string" ? reason : undefined) : saidElsewhere(elsewhere);
        this.#guarded(() => this.#refresh(why === undefined ? undefined : recordOf(question, why)));
      };
    });
  }

  /** A line that stays, above the question that is shown. False: none is shown, and it was not written. */
  tell(text: string): boolean {
    if (this.#prompt === undefined) return false;
    this.#prompt = undefined;
    this.#guarded(() => {
      this.#view.end(text);
      this.#refresh();
    });
    return true;
  }

  /** What is shown with questions has changed. */
  changed(): void {
    this.#guarded(() => this.#refresh());
  }

  close(): Promise<void> {
    this.#over ??= DENY;
    this.#queue.end(DENY);
    this.#guarded(() => this.#refresh());
    return Promise.resolve();
  }

  /** INVARIANT: a terminal that fails answers deny; one that is gone, for the rest of the run. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failed(errorCode(error));
    }
  }

  /** A read or write that failed says nothing about the next question. */
  #failed(why: string): void {
    if (this.#over !== undefined || this.#device.isThere?.() !== true) return this.#gone(why);
    this.#notice(`the terminal could not be asked (${why}): this is denied`);
    this.#prompt = undefined;
    this.#timer.clear();
    try {
      this.#device.close();
    } catch {
      // It is opened anew.
    }
    this.#queue.answer(DENY, this.#covers);
    setImmediate(() => this.#guarded(() => this.#refresh()));
  }

  #gone(why: string): void {
    if (this.#over === undefined) {
      this.#notice(`the terminal cannot be asked any more (${why}): what would be asked is denied`);
      this.#onGone?.();
    }
    clearTimeout(this.#behind);
    this.#over ??= DENY;
    this.#prompt = undefined;
    clearTimeout(this.#redraw);
    this.#timer.clear();
    try {
      this.#device.close();
    } catch {
      // It is gone already.
    }
    this.#queue.end(this.#over);
  }

  /** Makes the terminal show what is open now. */
  #refresh(record?: string): void {
    const current = this.#queue.current();
    const before = this.#prompt;
    if (before !== undefined && current?.first !== before.first) {
      this.#prompt = undefined;
      this.#view.end(record);
    }
    if (current === undefined) {
      clearTimeout(this.#redraw);
      clearTimeout(this.#behind);
      this.#redraw = undefined;
      this.#timer.clear();
      if (before !== undefined) this.#device.close();
      return;
    }
    if (this.#prompt !== undefined) {
      this.#redraw ??= setTimeout(() => this.#guarded(() => this.#update()), REDRAW_MS);
      return;
    }
    if (before === undefined && this.#device.isOurs?.() === false) return this.#wait();
    this.#saidBehind = false;
    if (before === undefined) {
      this.#device.open({
        input: (text) => this.#guarded(() => this.#input(text)),
        closed: () => this.#failed("closed"),
        resized: () => this.#guarded(() => this.#resized()),
      });
    }
    this.#prompt = { first: current.first, deaf: undefined, early: false };
    this.#listenAfter(SEE_MS);
    this.#view.begin(this.#current());
    this.#seen();
  }

  /** Another of the shell's jobs has the terminal: the question waits until `fg`, and nothing is stopped meanwhile. */
  #wait(): void {
    if (!this.#saidBehind) this.#device.tell?.(() => this.#notice("a question waits until this job is in the foreground (fg)"));
    this.#saidBehind = true;
    clearTimeout(this.#behind);
    this.#behind = setTimeout(() => this.#guarded(() => this.#refresh()), BEHIND_MS);
  }

  #update(): void {
    this.#redraw = undefined;
    if (this.#prompt !== undefined && this.#view.update(this.#current())) this.#seen();
  }

  #resized(): void {
    if (this.#prompt !== undefined) this.#view.resized();
  }

  #current(): ShownQuestion {
    const current = this.#queue.current();
    if (current === undefined) throw new Error("no question is open");
    const { first, alike, waiting } = current;
    const setting = first.setting?.();
    const settings = [setting, ...alike.map((open) => open.setting?.())];
    const others = [...(setting?.alike ?? []), ...alike.flatMap((open) => [open.question, ...(open.setting?.().alike ?? [])])];
    return {
      question: withOthers(first.question, others, this.#home),
      alike: others,
      hidden: settings.reduce((sum, one) => sum + (one?.hidden ?? 0), 0),
      ...(setting?.about === undefined ? {} : { about: setting.about }),
      choices: setting?.choices ?? runChoices({ agent: this.#ofAgent, once: first.question.difference !== undefined }),
      waiting,
    };
  }

  #seen(): void {
    const current = this.#queue.current();
    const drawn = current === undefined ? [] : [current.first, ...current.alike].filter(({ visibility }) => visibility === "none");
    if (drawn.length === 0) return;
    for (const open of drawn) open.visibility = "drawn";
    this.#timer.after(SEE_MS, () => {
      for (const open of drawn) open.visibility = "seen";
    });
  }

  #listenAfter(ms: number): void {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    prompt.deaf?.();
    prompt.deaf = this.#timer.after(ms, () => {
      prompt.deaf = undefined;
    });
  }

  #input(text: string): void {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    if (text === INTERRUPT && this.#onInterrupt !== undefined) return this.#onInterrupt();
    if (prompt.deaf !== undefined && text !== INTERRUPT) {
      this.#listenAfter(PAUSE_MS);
      if (!prompt.early) this.#view.early();
      prompt.early = true;
      return;
    }
    const answer = this.#view.input(text);
    if (answer !== undefined) this.#answered(prompt.first.question, answer);
  }

  #answered(question: Question, answer: Answer): void {
    if (answer.answer === "quit" && this.#onInterrupt === undefined) this.#over = answer;
    const count = this.#queue.answer(answer, this.#covers);
    const others = count > 1 ? ` (${count} questions)` : "";
    this.#refresh(recordOf(question, `${said(answer)}${others}`));
  }
}

/** The line that stays. */
const recordOf = (question: Question, text: string): string =>
  `${text}: ${whoBriefly(question)} wanted to ${printable(question.what, 400)}`;

/** An open question. */
interface Prompted extends Waiting {
  /** Whether it is on the terminal, and whether it was there long enough for what is typed to mean it. */
  visibility: "none" | "drawn" | "seen";
  readonly setting: (() => ShownWith) | undefined;
}

/** Open questions in the order they came. The first one and all of its group are shown together. */
class PromptQueue {
  #open: Prompted[] = [];

  add(open: Prompted): void {
    this.#open.push(open);
  }

  remove(open: Prompted): void {
    this.#open = this.#open.filter((other) => other !== open);
  }

  /** What is shown: the oldest question, the others of its group, and how many of other groups wait. */
  current(): { readonly first: Prompted; readonly alike: readonly Prompted[]; readonly waiting: number } | undefined {
    const [first, ...rest] = this.#open;
    if (first === undefined) return undefined;
    const alike = rest.filter(({ question }) => question.group === first.question.group);
    return { first, alike, waiting: rest.length - alike.length };
  }

  /**
   * Gives the answer to the first question and to all others it is meant for; returns how many it answered.
   * An answer for once does not serve a question that nobody has seen.
   */
  answer(answer: Answer, covers: Covers | undefined): number {
    const first = this.#open[0];
    if (first === undefined) return 0;
    const before = this.#open.length;
    this.#open = serve(this.#open, first.question, answer, ({ visibility }) => visibility === "seen", covers);
    return before - this.#open.length;
  }

  /** Gives everything that is open one answer. */
  end(answer: Answer): void {
    const open = this.#open;
    this.#open = [];
    for (const { resolve } of open) resolve(answer);
  }
}
