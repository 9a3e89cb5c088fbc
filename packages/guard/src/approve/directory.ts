import { watch, type FSWatcher } from "node:fs";
import { errorCode, messageOf } from "../state/index.ts";
import {
  actionWord,
  ExchangeFolder,
  ExchangeError,
  FILES,
  type FileFound,
  isDead,
  parseResponse,
  readRun,
  type Response,
} from "./exchange.ts";
import { DENY, untilSettled } from "./answer.ts";
import { ownLife } from "./life.ts";
import { printable } from "./printable.ts";
import type { Waiting } from "./alike.ts";
import type { CheckRule } from "./prompt.ts";
import { callText } from "./render.ts";
import type { Answer, Approver, Question } from "./types.ts";

export interface DirectoryOptions {
  /** Unguessable; tells this run's responses from another's. */
  readonly nonce: string;
  readonly checkRule: CheckRule;
  /** A response that was not taken as it was meant, in one line. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** Where inotify is silent (network file systems), responses are found this soon. Milliseconds. */
const POLL_MS = 40;
/** A client that writes in place is given this long to finish. Milliseconds. */
const UNFINISHED_MS = 250;

/**
 * Questions as files, for who answers from a program (`skill.ts` describes them). Throws `ExchangeError` when the folder
 * is not safe, or another run that is alive uses it.
 */
export function directoryApprover(path: string, options: DirectoryOptions): Approver {
  let exchange: ExchangeFolder;
  try {
    exchange = ExchangeFolder.create(path);
  } catch (error) {
    throw new ExchangeError(`\`${printable(path)}\` cannot be used for questions: ${messageOf(error)}`);
  }
  try {
    const other = readRun(exchange);
    if (other !== undefined && !isDead(other))
      throw new ExchangeError(
        `\`${printable(path)}\` is used by another run (process ${other.pid}): give each run a folder of its own; if that run is gone, remove run.json`,
      );
    // INVARIANT: nothing that an earlier run left behind answers for this one.
    exchange.clear();
    exchange.write(FILES.run, { nonce: options.nonce, ...ownLife() });
  } catch (error) {
    exchange.close();
    throw error instanceof ExchangeError ? error : new ExchangeError(`\`${printable(path)}\` cannot be written: ${errorCode(error)}`);
  }
  return new DirectoryApprover(exchange, options);
}

interface Filed extends Waiting {
  /** When its file was written. Nanoseconds since the epoch, by the file system's clock. */
  readonly written: bigint;
}

class DirectoryApprover implements Approver {
  readonly #exchange: ExchangeFolder;
  readonly #options: DirectoryOptions;
  readonly #open = new Map<number, Filed>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Since when the response is not JSON. Milliseconds of a steady clock. */
  #unfinished: number | undefined;
  #over: Answer | undefined;
  #closed = false;

  constructor(exchange: ExchangeFolder, options: DirectoryOptions) {
    this.#exchange = exchange;
    this.#options = options;
    try {
      this.#watcher = watch(exchange.at("."), { persistent: false }, () => this.#look());
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // Without: the timer looks often enough.
    }
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    if (this.#over !== undefined) return Promise.resolve(this.#over);
    if (signal.aborted) return Promise.resolve(DENY);
    return untilSettled(signal, (resolve) => {
      try {
        const name = fileOf(question.seq);
        // Nothing was asked: whatever is there cannot be meant for this question.
        if (this.#open.size === 0) this.#exchange.remove(FILES.response);
        this.#exchange.write(name, this.#pending(question));
        const found = this.#exchange.question(name);
        if (found.is !== "value") throw new Error(found.is === "broken" ? found.why : "is gone");
        this.#open.set(question.seq, { question, resolve, written: found.changed });
        this.#showOldest();
        this.#timer ??= setInterval(() => this.#look(), POLL_MS);
      } catch (error) {
        this.#open.delete(question.seq);
        this.#note(`denied, for the question cannot be put into ${this.#exchange.path}: ${errorCode(error)}`);
        resolve(DENY);
      }
      return () => this.#settle(question.seq, DENY);
    });
  }

  close(exit: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#end(DENY);
    this.#watcher?.close();
    try {
      this.#exchange.remove(FILES.response);
      this.#exchange.write(FILES.done, { exit_code: exit, nonce: this.#options.nonce });
    } catch (error) {
      this.#note(`the end of the run cannot be written into ${this.#exchange.path}: ${errorCode(error)}`);
    }
    this.#exchange.close();
    return Promise.resolve();
  }

  #pending(question: Question): Record<string, unknown> {
    return {
      seq: question.seq,
      description: callText(question),
      app_key: question.profile,
      pid: question.process.pid,
      status: "pending",
      nonce: this.#options.nonce,
      ...(question.call === undefined ? {} : { call: question.call }),
      question: { ...question, what: printable(question.what), reason: printable(question.reason) },
    };
  }

  /** `pending.json` holds the oldest open question. */
  #showOldest(): void {
    const [oldest] = this.#open.values();
    if (oldest === undefined) this.#exchange.remove(FILES.pending);
    else if (oldest.question.seq !== this.#shown) this.#exchange.write(FILES.pending, this.#pending(oldest.question));
    this.#shown = oldest?.question.seq;
  }
  #shown: number | undefined;

  #look(): void {
    if (this.#open.size === 0) return;
    try {
      if (!this.#exchange.exists) {
        this.#note(`${this.#exchange.path} was removed: nobody can answer any more`);
        this.#end(DENY);
        return;
      }
      const found = this.#exchange.response();
      if (found.is === "missing") return;
      if (found.is === "broken" && found.why === "is not JSON") {
        this.#unfinished ??= performance.now();
        if (performance.now() - this.#unfinished < UNFINISHED_MS) return;
      }
      this.#unfinished = undefined;
      this.#exchange.remove(FILES.response);
      this.#take(found);
    } catch (error) {
      this.#note(`denied, for ${this.#exchange.path} cannot be read: ${errorCode(error)}`);
      this.#end(DENY);
    }
  }

  #take(found: Exclude<FileFound, { readonly is: "missing" }>): void {
    const [oldest] = this.#open.values();
    const response = found.is === "value" ? parseResponse(found.value) : undefined;
    if (oldest === undefined) return;
    if (found.is === "broken" || response === undefined) {
      this.#note(`question ${oldest.question.seq} is denied: response.json ${found.is === "broken" ? found.why : "has no `seq`"}`);
      this.#settle(oldest.question.seq, DENY);
      return;
    }
    const open = this.#open.get(response.seq);
    if (open === undefined) this.#note(`a response to question ${response.seq} is ignored: it is not open`);
    else if (response.nonce !== undefined && response.nonce !== this.#options.nonce)
      this.#note(`a response to question ${response.seq} is ignored: it was meant for another run`);
    else if (found.changed < open.written) this.#note(`a response to question ${response.seq} is ignored: it is older than the question`);
    else this.#settle(response.seq, this.#answer(open.question, response));
  }

  #answer(question: Question, response: Response): Answer {
    const word = actionWord(response.action);
    switch (word) {
      case "approve":
        return { answer: "allow", scope: "once" };
      case "trust":
        return { answer: "allow", scope: "tree" };
      case "quit":
        return { answer: "quit" };
      case "deny":
        return DENY;
      case "pattern":
      case "deny_pattern": {
        const effect = word === "pattern" ? "allow" : "deny";
        const rule = response.pattern?.trim() ?? question.proposals[0]?.rule;
        const wrong = rule === undefined || rule === "" ? "it is empty" : this.#options.checkRule(rule, effect);
        if (rule !== undefined && wrong === undefined) return { answer: effect, scope: "always", rule };
        this.#note(
          `question ${question.seq} is denied, and nothing is remembered: \`${printable(rule ?? "", 200)}\` is not a rule: ${printable(wrong ?? "", 400)}`,
        );
        return DENY;
      }
      case undefined:
        this.#note(`question ${question.seq} is denied: \`${printable(response.action, 60)}\` is not an action`);
        return DENY;
    }
  }

  #settle(seq: number, answer: Answer): void {
    const open = this.#open.get(seq);
    if (open === undefined) return;
    if (answer.answer === "quit") {
      this.#end(answer);
      return;
    }
    this.#open.delete(seq);
    if (this.#open.size === 0) this.#rest();
    try {
      this.#exchange.remove(fileOf(seq));
      this.#showOldest();
    } catch (error) {
      this.#note(`${this.#exchange.path} cannot be written: ${errorCode(error)}`);
    }
    open.resolve(answer);
  }

  #end(answer: Answer): void {
    this.#over ??= answer;
    const open = [...this.#open.values()];
    this.#open.clear();
    this.#rest();
    try {
      for (const { question } of open) this.#exchange.remove(fileOf(question.seq));
      this.#showOldest();
    } catch {
      // The folder is gone.
    }
    for (const { resolve } of open) resolve(answer);
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #note(text: string): void {
    this.#options.onNotice?.(text);
  }
}

const fileOf = (seq: number): string => `${FILES.all}/${seq}.json`;
