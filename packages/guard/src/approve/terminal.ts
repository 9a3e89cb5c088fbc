import { errorCode } from "../state/index.ts";
import { DENY } from "./answer.ts";
import { withOthers } from "./extent.ts";
import { printable } from "./printable.ts";
import { type CheckRule, type Choice, choicesFor } from "./prompt.ts";
import { endText, said } from "./answer-text.ts";
import type { Client, QuestionQueue, Waiting } from "./questions.ts";
import { type PromptContent, whoBriefly } from "./render.ts";
import { type Device, type ForegroundControl, isTerminal, TerminalDevice } from "./tty.ts";
import type { Answer, Channel, Question, QueueEnd } from "./types.ts";
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
  /** The way that its answers name. */
  readonly by?: Channel | undefined;
  readonly foreground?: ForegroundControl | undefined;
  /** Why something cannot be asked, in one line. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** The terminal is gone: nothing can be asked any more. */
  readonly onGone?: (() => void) | undefined;
  /** By default the controlling terminal. */
  readonly path?: string | undefined;
  /** An agent started what asks: it reads what is said with a no. */
  readonly ofAgent?: boolean | undefined;
  /** Ctrl-C calls this and answers nothing. */
  readonly onInterrupt?: (() => void) | undefined;
}

/** Asks a person on the terminal. Undefined where there is none. */
export function terminalClient(options: TerminalOptions): Client | undefined {
  const path = options.path ?? "/dev/tty";
  return isTerminal(path) ? new TerminalClient(new TerminalDevice(path, options.foreground), options) : undefined;
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

export class TerminalClient implements Client {
  readonly atTerminal = true;
  readonly #device: Device;
  readonly #view: PromptView;
  readonly #home: string | undefined;
  readonly #ofAgent: boolean;
  readonly #notice: (text: string) => void;
  readonly #by: Channel | undefined;
  #queue: QuestionQueue | undefined;
  /** What is on the terminal, and was there long enough for what is typed to mean it. */
  readonly #visible = new WeakMap<Waiting, "drawn" | "seen">();
  readonly #timer = new InputTimer();
  /** What is on the terminal. `deaf`: keys do not count yet; calling it forgets when they would have. */
  #prompt: { readonly first: Waiting; deaf: (() => void) | undefined; early: boolean } | undefined;
  #redraw: NodeJS.Timeout | undefined;
  /** A shell has the terminal for itself; it was said that a question waits. */
  #behind: NodeJS.Timeout | undefined;
  #saidBehind = false;
  readonly #onGone: (() => void) | undefined;
  #isGone = false;
  /** It is this terminal that answers. */
  #answers = false;
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
    this.#by = options.by;
    this.#notice = options.onNotice ?? (() => undefined);
  }

  begin(queue: QuestionQueue): void {
    this.#queue = queue;
  }

  show(): boolean {
    this.#guarded(() => this.#refresh());
    return true;
  }

  drop(gone: readonly Waiting[], end: QueueEnd | undefined): void {
    if (this.#answers) return;
    const shown = gone.find((one) => one === this.#prompt?.first);
    this.#guarded(() => this.#refresh(shown === undefined || end === undefined ? undefined : recordOf(shown.question, endText(end))));
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
    if (this.#isGone) return;
    const isOver = this.#queue?.isOver === true;
    const isThere = !isOver && this.#device.isThere?.() === true;
    if (isThere) this.#notice(`the terminal could not be asked (${why}): this is denied`);
    else if (!isOver) this.#notice(`the terminal cannot be asked any more (${why}): what would be asked is denied`);
    this.#isGone = !isThere;
    this.#prompt = undefined;
    clearTimeout(this.#behind);
    clearTimeout(this.#redraw);
    this.#redraw = undefined;
    this.#timer.clear();
    try {
      this.#device.close();
    } catch {
      // It is gone already, or opened anew.
    }
    if (isThere) {
      this.#answer(this.#shown()?.first, DENY);
      setImmediate(() => this.#guarded(() => this.#refresh()));
    } else {
      if (!isOver) this.#onGone?.();
      this.#queue?.end(DENY);
    }
  }

  /** Makes the terminal show what is open now. */
  #refresh(record?: string): void {
    const current = this.#shown();
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

  /** The oldest question, the others of its group, and how many of other groups wait. */
  #shown(): { readonly first: Waiting; readonly alike: readonly Waiting[]; readonly waiting: number } | undefined {
    const [first, ...rest] = this.#queue?.open ?? [];
    if (first === undefined) return undefined;
    const alike = rest.filter(({ question }) => question.group === first.question.group);
    return { first, alike, waiting: rest.length - alike.length };
  }

  #current(): PromptContent {
    const current = this.#shown();
    if (current === undefined) throw new Error("no question is open");
    const { first, alike, waiting } = current;
    const setting = first.shown?.();
    const settings = [setting, ...alike.map((open) => open.shown?.())];
    const others = [...(setting?.alike ?? []), ...alike.flatMap((open) => [open.question, ...(open.shown?.().alike ?? [])])];
    return {
      question: withOthers(first.question, others, this.#home),
      alike: others,
      hidden: settings.reduce((sum, one) => sum + (one?.hidden ?? 0), 0),
      ...(setting?.about === undefined ? {} : { about: setting.about }),
      choices: setting?.choices ?? this.#choices(first.question),
      waiting,
    };
  }

  #choices({ difference }: Question): readonly Choice[] {
    return choicesFor({ session: "run", time: false, tree: true, quit: true, word: this.#ofAgent, once: difference !== undefined });
  }

  #seen(): void {
    const current = this.#shown();
    const drawn = current === undefined ? [] : [current.first, ...current.alike].filter((one) => !this.#visible.has(one));
    if (drawn.length === 0) return;
    for (const open of drawn) this.#visible.set(open, "drawn");
    this.#timer.after(SEE_MS, () => {
      for (const open of drawn) this.#visible.set(open, "seen");
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
    if (answer !== undefined) this.#answered(prompt.first, answer);
  }

  #answered(first: Waiting, answer: Answer): void {
    const count = this.#answer(first, answer);
    const others = count > 1 ? ` (${count} questions)` : "";
    this.#refresh(recordOf(first.question, `${said(answer)}${others}`));
  }

  /** What is shown, and all it serves. */
  #answer(first: Waiting | undefined, answer: Answer): number {
    if (first === undefined) return 0;
    this.#answers = true;
    const given = this.#by === undefined ? answer : { ...answer, by: this.#by };
    const count = this.#queue?.answer(first, given, (one) => this.#visible.get(one) === "seen") ?? 0;
    this.#answers = false;
    return count;
  }
}

/** The line that stays. */
const recordOf = (question: Question, text: string): string =>
  `${text}: ${whoBriefly(question)} wanted to ${printable(question.what, 400)}`;
