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
import { DENY } from "./answer.ts";
import { ownLife } from "./life.ts";
import { printable } from "./printable.ts";
import type { Client, QuestionQueue, Waiting } from "./questions.ts";
import { callText } from "./render.ts";
import type { Answer, Channel, Question } from "./types.ts";

export interface DirectoryOptions {
  /** Unguessable; tells this run's responses from another's. */
  readonly nonce: string;
  /** The way that its answers name. */
  readonly by?: Channel;
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
export function directoryClient(path: string, options: DirectoryOptions): Client {
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
  return new DirectoryClient(exchange, options);
}

class DirectoryClient implements Client {
  readonly #exchange: ExchangeFolder;
  readonly #options: DirectoryOptions;
  /** When the files of questions were written. Nanoseconds since the epoch, by the file system's clock. */
  readonly #written = new Map<Waiting, bigint>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Since when the response is not JSON. Milliseconds of a steady clock. */
  #unfinished: number | undefined;
  #queue: QuestionQueue | undefined;
  #shown: number | undefined;

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

  begin(queue: QuestionQueue): void {
    this.#queue = queue;
  }

  show(waiting: Waiting): boolean {
    const { seq } = waiting.question;
    try {
      // Nothing was asked: whatever is there cannot be meant for this question.
      if (this.#written.size === 0) this.#exchange.remove(FILES.response);
      this.#exchange.write(fileOf(seq), this.#pending(waiting.question));
      const found = this.#exchange.question(fileOf(seq));
      if (found.is !== "value") throw new Error(found.is === "broken" ? found.why : "is gone");
      this.#written.set(waiting, found.changed);
      this.#showOldest();
      this.#timer ??= setInterval(() => this.#look(), POLL_MS);
    } catch (error) {
      this.#written.delete(waiting);
      this.#note(`denied, for the question cannot be put into ${this.#exchange.path}: ${errorCode(error)}`);
      this.#queue?.answer(waiting, this.#from(DENY));
    }
    return true;
  }

  drop(gone: readonly Waiting[]): void {
    const filed = gone.filter((waiting) => this.#written.delete(waiting));
    try {
      for (const { question } of filed) this.#exchange.remove(fileOf(question.seq));
      this.#showOldest();
    } catch (error) {
      if (this.#exchange.exists) this.#note(`${this.#exchange.path} cannot be written: ${errorCode(error)}`);
    }
    if (this.#written.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(exit: number): void {
    this.#watcher?.close();
    try {
      this.#exchange.remove(FILES.response);
      this.#exchange.write(FILES.done, { exit_code: exit, nonce: this.#options.nonce });
    } catch (error) {
      this.#note(`the end of the run cannot be written into ${this.#exchange.path}: ${errorCode(error)}`);
    }
    this.#exchange.close();
  }

  #from(answer: Answer): Answer {
    return this.#options.by === undefined ? answer : { ...answer, by: this.#options.by };
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
    const [oldest] = this.#written.keys();
    if (oldest === undefined) this.#exchange.remove(FILES.pending);
    else if (oldest.question.seq !== this.#shown) this.#exchange.write(FILES.pending, this.#pending(oldest.question));
    this.#shown = oldest?.question.seq;
  }

  #look(): void {
    if (this.#written.size === 0) return;
    try {
      if (!this.#exchange.exists) {
        this.#note(`${this.#exchange.path} was removed: nobody can answer any more`);
        this.#queue?.end(DENY);
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
      this.#queue?.end(DENY);
    }
  }

  #take(found: Exclude<FileFound, { readonly is: "missing" }>): void {
    const [oldest] = this.#written.keys();
    const response = found.is === "value" ? parseResponse(found.value) : undefined;
    if (oldest === undefined) return;
    if (found.is === "broken" || response === undefined) {
      this.#note(`question ${oldest.question.seq} is denied: response.json ${found.is === "broken" ? found.why : "has no `seq`"}`);
      this.#queue?.answer(oldest, this.#from(DENY));
      return;
    }
    const [open, written = 0n] = [...this.#written].find(([{ question }]) => question.seq === response.seq) ?? [];
    if (open === undefined) this.#note(`a response to question ${response.seq} is ignored: it is not open`);
    else if (response.nonce !== undefined && response.nonce !== this.#options.nonce)
      this.#note(`a response to question ${response.seq} is ignored: it was meant for another run`);
    else if (found.changed < written) this.#note(`a response to question ${response.seq} is ignored: it is older than the question`);
    else this.#queue?.answer(open, this.#from(this.#answer(open.question, response)));
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
        const rule = response.pattern?.trim() ?? question.proposals[0]?.rule ?? "";
        return { answer: effect, scope: "always", rule };
      }
      case undefined:
        this.#note(`question ${question.seq} is denied: \`${printable(response.action, 60)}\` is not an action`);
        return DENY;
    }
  }

  #note(text: string): void {
    this.#options.onNotice?.(text);
  }
}

const fileOf = (seq: number): string => `${FILES.all}/${seq}.json`;
