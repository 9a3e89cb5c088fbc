import { attempt } from "@assent/core/data";
import type { Machine } from "../../state/index.ts";
import { withOthers } from "../extent.ts";
import { type AskOptions, type Client, QuestionQueue, type Waiting } from "../questions.ts";
import type { QueueEnd } from "../types.ts";
import { noteUnanswered } from "./folder.ts";
import { isAnybodyReached, isSomebodyThere } from "./presence.ts";
import { notify } from "./notify.ts";
import { dropQuestion, endQuestion, putQuestion, readEnd, writeQuestion } from "./store.ts";
import type { QueuedQuestion, QueuePoint } from "./types.ts";
import { watchFolder } from "./watch.ts";

export interface QueueOptions extends AskOptions {
  readonly machine: Machine;
  readonly point: QueuePoint;
  /** The host agent, and its session. */
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  /** So long it waits for an answer; absent: as long as somebody is there. Milliseconds. */
  readonly patience?: number | undefined;
}

/** Questions that anybody answers who is there, in another terminal or on the page, and these clients. */
export const queueApprover = (options: QueueOptions, ...clients: readonly Client[]): QuestionQueue =>
  new QuestionQueue(options, [...clients, folderClient(options)]);

/** Whoever is there, in another terminal or on the page. */
export const folderClient = (options: QueueOptions): Client => new FolderClient(options);

/** Where inotify is silent, an answer is found this soon. Milliseconds. */
const POLL_MS = 100;
/** Questions alike that come together are written together. */
const TOGETHER_MS = 40;
/** The page was loaded anew, a terminal opened again: whoever comes back so soon was never gone. */
const GONE_MS = 10_000;
/** Others that are shown with a question. */
const MOST_SHOWN = 10;

/** A question in the folder, and all that its answer serves. */
interface Post {
  queued: QueuedQuestion;
  members: readonly Waiting[];
  writing: NodeJS.Timeout | undefined;
}

/** The folder of the questions of this user's machine. */
class FolderClient implements Client {
  readonly #options: QueueOptions;
  readonly #posts = new Map<string, Post>();
  #queue: QuestionQueue | undefined;
  #watching: { close(): void } | undefined;
  /** Since when nobody is there. Milliseconds of a steady clock. */
  #alone: number | undefined;
  #looked = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  begin(queue: QuestionQueue): void {
    this.#queue = queue;
  }

  isThere = (): boolean => attempt(() => isSomebodyThere(this.#options.machine), false);

  show(waiting: Waiting): boolean {
    if (this.#queue?.isAlone === true && !this.isThere()) return false;
    const post = [...this.#posts.values()].find(({ queued }) => queued.question.group === waiting.question.group);
    if (post === undefined) this.#put([waiting]);
    else {
      post.members = [...post.members, waiting];
      post.writing ??= setTimeout(() => this.#write(post), TOGETHER_MS);
    }
    return true;
  }

  drop(gone: readonly Waiting[], end: QueueEnd | undefined): void {
    for (const post of this.#posts.values()) {
      const members = post.members.filter((member) => !gone.includes(member));
      if (members.length === post.members.length) continue;
      post.members = members;
      if (members.length > 0) this.#write(post);
      else {
        this.#forget(post);
        this.#tellEnd(post, end ?? { is: "withdrawn", at: Date.now() });
        dropQuestion(this.#options.machine, post.queued.id);
      }
    }
  }

  /** Throws where it cannot be put. */
  #put(members: readonly Waiting[]): void {
    const { machine, point, agent, session, patience } = this.#options;
    const asked = Date.now();
    const queued = putQuestion(machine, {
      asked,
      ...(patience === undefined ? {} : { until: asked + patience }),
      point,
      ...(agent === undefined ? {} : { agent }),
      ...(session === undefined ? {} : { session }),
      ...shownOf(members, machine.home),
    });
    this.#posts.set(queued.id, { queued, members, writing: undefined });
    this.#watching ??= watchFolder(machine, () => this.look(), POLL_MS);
    // Who has answered before we looked.
    notify(machine, this.#posts.size);
  }

  /** What is alike has become more, or less. */
  #write(post: Post): void {
    clearTimeout(post.writing);
    post.writing = undefined;
    if (!this.#posts.has(post.queued.id)) return;
    post.queued = { ...post.queued, ...shownOf(post.members, this.#options.machine.home) };
    try {
      writeQuestion(this.#options.machine, post.queued);
    } catch {
      // It is shown as it was: those that came since are asked about later, or by their own asker.
    }
  }

  look(): void {
    const { machine } = this.#options;
    for (const post of this.#posts.values()) {
      const found = readEnd(machine, post.queued.id);
      if (found !== undefined) this.#ended(post, found.end, found.seen);
      else if (Date.now() >= (post.queued.until ?? Infinity)) {
        noteUnanswered(machine);
        this.#expire(post);
      }
    }
    if (this.#posts.size > 0) this.#lookWhoIsThere();
  }

  /** Whoever waits here alone, and was left, waits no longer. */
  #lookWhoIsThere(): void {
    const now = performance.now();
    if (this.#queue?.isAlone !== true || now - this.#looked < 1000) return;
    this.#looked = now;
    if (isAnybodyReached(this.#options.machine)) this.#alone = undefined;
    else if (now - (this.#alone ??= now) > GONE_MS) for (const post of this.#posts.values()) this.#expire(post);
  }

  /** We end it, unless somebody has answered meanwhile. */
  #expire(post: Post): void {
    const end: QueueEnd = { is: "expired", at: Date.now() };
    this.#ended(post, this.#tellEnd(post, end) ?? end, post.members.length);
  }

  /** Undefined: done; else how it had ended before. */
  #tellEnd({ queued }: Post, end: QueueEnd): QueueEnd | undefined {
    // A full disk: without its question nobody can answer any more.
    return attempt(() => endQuestion(this.#options.machine, queued.id, end), undefined);
  }

  #ended(post: Post, end: QueueEnd, seen: number): void {
    this.#forget(post);
    dropQuestion(this.#options.machine, post.queued.id);
    const { members } = post;
    const [first] = members;
    if (end.is !== "answered" || first === undefined) for (const member of members) this.#queue?.decline(member, this);
    else this.#answered(members, first, end, seen);
  }

  #answered(members: readonly Waiting[], first: Waiting, { answer, by }: QueueEnd & { readonly is: "answered" }, seen: number): void {
    this.#queue?.answer(first, { ...answer, by }, (one) => members.indexOf(one) < seen && members.includes(one));
    const open = this.#queue?.open ?? [];
    const left = members.filter((member) => open.includes(member));
    if (left.length === 0) return;
    try {
      this.#put(left);
    } catch {
      for (const member of left) this.#queue?.decline(member, this);
    }
  }

  #forget(post: Post): void {
    clearTimeout(post.writing);
    this.#posts.delete(post.queued.id);
    if (this.#posts.size > 0) return;
    this.#watching?.close();
    this.#watching = undefined;
    this.#alone = undefined;
  }
}

function shownOf(members: readonly Waiting[], home: string): Pick<QueuedQuestion, "question" | "alike" | "others"> {
  const [first, ...others] = members;
  if (first === undefined) throw new Error("a question without anybody who asks");
  const shown = others.map(({ question }) => question);
  return { question: withOthers(first.question, shown, home), alike: members.length, others: shown.slice(0, MOST_SHOWN) };
}
