import { errorCode, type Machine } from "../../state/index.ts";
import { type Covers, serve } from "../alike.ts";
import { DENY, NOBODY, untilSettled, wrongRuleIn } from "../answer.ts";
import { withOthers } from "../extent.ts";
import type { CheckRule } from "../prompt.ts";
import { printable } from "../printable.ts";
import { type Answer, answeredElsewhere, type AnsweredElsewhere, type Approver, type Question } from "../types.ts";
import { noteUnanswered } from "./folder.ts";
import { isAnybodyReached, isSomebodyThere } from "./presence.ts";
import { notify } from "./notify.ts";
import { dropQuestion, endQuestion, putQuestion, readEnd, writeQuestion } from "./store.ts";
import type { QueuedQuestion, QueueEnd, QueuePoint } from "./types.ts";
import { watchFolder } from "./watch.ts";

export interface QueueOptions {
  readonly machine: Machine;
  readonly point: QueuePoint;
  /** The host agent, and its session. */
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  /** So long it waits for an answer; absent: as long as somebody is there. Milliseconds. */
  readonly patience?: number | undefined;
  readonly checkRule: CheckRule;
  /** By default a rule that was just written answers only the question it was written for. */
  readonly covers?: Covers | undefined;
  /** One line for people. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** An approver whose questions anybody answers who is there, in another terminal or on the page. */
export interface QueueApprover extends Approver {
  readonly isThere: NonNullable<Approver["isThere"]>;
  /** As `ask`, for whoever asks somebody else as well: undefined where nobody answers here. */
  readonly tryAsk: (question: Question, signal: AbortSignal, alone?: boolean) => Promise<Answer | undefined>;
}

/** Questions in the queue of this user's machine. */
export const queueApprover = (options: QueueOptions): QueueApprover => new FolderQueue(options);

/** Where inotify is silent, an answer is found this soon. Milliseconds. */
const POLL_MS = 100;
/** Questions alike that come together are written together. */
const TOGETHER_MS = 40;
/** The page was loaded anew, a terminal opened again: whoever comes back so soon was never gone. */
const GONE_MS = 10_000;
/** Others that are shown with a question. */
const MOST_SHOWN = 10;

interface Member {
  readonly question: Question;
  readonly resolve: (answer: Answer | undefined) => void;
  /** Nobody else is asked. */
  readonly alone: boolean;
}

/** A question in the folder, and all that its answer serves. */
interface Post {
  queued: QueuedQuestion;
  members: Member[];
  writing: NodeJS.Timeout | undefined;
}

class FolderQueue implements QueueApprover {
  readonly #options: QueueOptions;
  readonly #posts = new Map<string, Post>();
  #watching: { close(): void } | undefined;
  /** Since when nobody is there. Milliseconds of a steady clock. */
  #alone: number | undefined;
  #looked = 0;
  #closed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  isThere = (): boolean => {
    try {
      return !this.#closed && isSomebodyThere(this.#options.machine);
    } catch {
      return false;
    }
  };

  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    return this.isThere() ? ((await this.tryAsk(question, signal, true)) ?? NOBODY) : NOBODY;
  }

  tryAsk = (question: Question, signal: AbortSignal, alone = false): Promise<Answer | undefined> => {
    if (this.#closed || signal.aborted) return Promise.resolve(undefined);
    return untilSettled(signal, (resolve) => {
      const member: Member = { question, alone, resolve };
      const post = [...this.#posts.values()].find(({ queued }) => queued.question.group === question.group);
      post?.members.push(member);
      if (post === undefined) this.#put([member]);
      else post.writing ??= setTimeout(() => this.#write(post), TOGETHER_MS);
      return () => this.#withdraw(member, answeredElsewhere(signal));
    });
  };

  close(): Promise<void> {
    this.#closed = true;
    for (const post of this.#posts.values()) this.#end(post, { is: "withdrawn", at: Date.now() });
    return Promise.resolve();
  }

  #put(members: Member[]): void {
    const [first] = members;
    if (first === undefined) return;
    const { machine, point, agent, session, patience } = this.#options;
    const asked = Date.now();
    try {
      const queued = putQuestion(machine, {
        asked,
        ...(patience === undefined ? {} : { until: asked + patience }),
        point,
        ...(agent === undefined ? {} : { agent }),
        ...(session === undefined ? {} : { session }),
        ...shownOf(members, this.#options.machine.home),
      });
      this.#posts.set(queued.id, { queued, members, writing: undefined });
      this.#watching ??= watchFolder(machine, () => this.#look(), POLL_MS);
      // Who has answered before we looked.
      notify(machine, this.#posts.size);
    } catch (error) {
      this.#options.onNotice?.(`a question cannot be put where others could answer it: ${errorCode(error)}`);
      for (const { resolve } of members) resolve(undefined);
    }
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

  #look(): void {
    const { machine } = this.#options;
    for (const post of this.#posts.values()) {
      const found = readEnd(machine, post.queued.id);
      if (found !== undefined) this.#ended(post, found.end, found.seen);
      else if (Date.now() >= (post.queued.until ?? Infinity)) {
        noteUnanswered(machine);
        this.#end(post, { is: "expired", at: Date.now() });
      }
    }
    if (this.#posts.size > 0) this.#lookWhoIsThere();
  }

  /** Whoever waits here alone, and was left, waits no longer. */
  #lookWhoIsThere(): void {
    const now = performance.now();
    if (now - this.#looked < 1000) return;
    this.#looked = now;
    if (isAnybodyReached(this.#options.machine)) this.#alone = undefined;
    else if (now - (this.#alone ??= now) > GONE_MS)
      for (const post of this.#posts.values())
        if (post.members.every(({ alone }) => alone)) this.#end(post, { is: "expired", at: Date.now() });
  }

  /** We end it, unless somebody has answered meanwhile. */
  #end(post: Post, end: QueueEnd): void {
    let before: QueueEnd | undefined;
    try {
      before = endQuestion(this.#options.machine, post.queued.id, end);
    } catch {
      // A full disk: without its question nobody can answer any more.
    }
    this.#ended(post, before ?? end, post.members.length);
  }

  #ended(post: Post, end: QueueEnd, seen: number): void {
    const { machine } = this.#options;
    this.#forget(post);
    dropQuestion(machine, post.queued.id);
    if (end.is !== "answered") {
      for (const { resolve } of post.members) resolve(end.is === "expired" ? undefined : NOBODY);
      return;
    }
    const answer = this.#checked({ ...end.answer, by: end.by });
    const { covers } = this.#options;
    const { question: first } = post.members[0] ?? post.queued;
    const left = serve(post.members, first, answer, (_, at) => at < seen, covers);
    if (left.length > 0) this.#put(left);
    // An answer may be meant for other open questions, too.
    for (const other of this.#posts.values()) {
      const before = other.members.length;
      other.members = serve(other.members, first, answer, () => false, covers);
      if (other.members.length < before) this.#shrink(other, end);
    }
  }

  #withdraw(member: Member, elsewhere: AnsweredElsewhere | undefined): void {
    const post = [...this.#posts.values()].find(({ members }) => members.includes(member));
    member.resolve(DENY);
    if (post === undefined) return;
    post.members = post.members.filter((other) => other !== member);
    const at = Date.now();
    this.#shrink(
      post,
      elsewhere !== undefined ? { is: "answered", answer: elsewhere.answer, by: elsewhere.by, at } : { is: "withdrawn", at },
    );
  }

  /** Some of its members need no answer any more. */
  #shrink(post: Post, end: QueueEnd): void {
    if (post.members.length > 0) return this.#write(post);
    this.#forget(post);
    try {
      endQuestion(this.#options.machine, post.queued.id, end);
    } catch {
      // A full disk: it is gone all the same.
    }
    dropQuestion(this.#options.machine, post.queued.id);
  }

  #forget(post: Post): void {
    clearTimeout(post.writing);
    this.#posts.delete(post.queued.id);
    if (this.#posts.size > 0) return;
    this.#watching?.close();
    this.#watching = undefined;
    this.#alone = undefined;
  }

  #checked(answer: Answer): Answer {
    const wrong = wrongRuleIn(answer, this.#options.checkRule);
    if (wrong === undefined) return answer;
    const rule = "rule" in answer ? printable(answer.rule, 200) : "";
    this.#options.onNotice?.(`denied, and nothing is remembered: \`${rule}\` is not a rule: ${printable(wrong, 400)}`);
    return answer.by === undefined ? DENY : { ...DENY, by: answer.by };
  }
}

function shownOf(members: readonly Member[], home: string): Pick<QueuedQuestion, "question" | "alike" | "others"> {
  const [first, ...others] = members;
  if (first === undefined) throw new Error("a question without anybody who asks");
  const shown = others.map(({ question }) => question);
  return { question: withOthers(first.question, shown, home), alike: members.length, others: shown.slice(0, MOST_SHOWN) };
}
