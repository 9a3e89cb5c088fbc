import {
  type Answer,
  type Channel,
  checkAnswerRule,
  DENY,
  EndedElsewhere,
  endText,
  isTerminal,
  printable,
  QuestionQueue,
  said,
  TerminalClient,
  TerminalDevice,
  who,
} from "@assent/guard/approve";
import {
  announceApprover,
  askerText,
  answerQuestion,
  choicesOf,
  noteSignOfLife,
  openQuestions,
  type QueueChange,
  type QueuedQuestion,
  readNotify,
  watchQuestions,
} from "@assent/guard/approve/queue";
import { POINTS } from "@assent/core/data";
import { type Machine, messageOf, thisMachine } from "@assent/guard/state";
import { writeJson } from "./json.ts";
import { complain, failing } from "./policy-target.ts";
import { readLength } from "./since.ts";
import { writeStdout } from "./stdio.ts";
import { noPerson } from "./terminal.ts";

const COMMAND = "approvals";
const fail = failing(COMMAND);

/** What a question has to have been shown, so that an answer means it. Milliseconds. */
const SEEN_MS = 150;

export interface ApprovalsOptions {
  readonly json?: boolean;
  /** In a popup of tmux: over when nothing is open any more. */
  readonly popup?: boolean;
}

/** `assent approvals`: shows what waits for an answer, at a terminal, and takes answers. Exit 0; 1 where nobody can be asked. */
export async function approvals(options: ApprovalsOptions): Promise<number> {
  if (options.json === true) return listApprovals({ json: true });
  const machine = thisMachine();
  const nobody = noPerson(machine.env);
  if (nobody !== undefined) return fail(nobody, "use a terminal of your own");
  if (!isTerminal("/dev/tty")) return fail("this is not a terminal", "`assent approvals list` shows what waits for an answer");
  try {
    return await new Promise<number>((resolve) => new ApprovalsTerminal(machine, options.popup === true, resolve).begin());
  } catch (error) {
    return fail(printable(messageOf(error)));
  }
}

interface OpenHere {
  queued: QueuedQuestion;
  /** How many alike had been shown long enough. */
  seen: number;
  readonly abort: AbortController;
}

/** The questions of all askers at one terminal. */
class ApprovalsTerminal {
  readonly #machine: Machine;
  readonly #channel: Channel;
  readonly #end: (status: number) => void;
  readonly #terminal: TerminalClient;
  readonly #queue: QuestionQueue;
  readonly #open = new Map<string, OpenHere>();
  #watching: { close(): void } | undefined;
  #there: { close(): void } | undefined;
  #idle = false;

  constructor(machine: Machine, popup: boolean, end: (status: number) => void) {
    this.#machine = machine;
    this.#channel = popup ? "popup" : "terminal";
    this.#end = end;
    const options = { checkRule: checkAnswerRule, onNotice: (text: string) => this.#say(text) };
    this.#terminal = new TerminalClient(new TerminalDevice("/dev/tty"), {
      ...options,
      env: machine.env,
      home: machine.home,
      onInterrupt: () => this.#leave(),
    });
    this.#queue = new QuestionQueue({ ...options, several: true }, [this.#terminal]);
  }

  begin(): void {
    this.#there = announceApprover(this.#machine, this.#channel);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => this.#leave());
    this.#watching = watchQuestions(this.#machine, (change) => this.#changed(change));
  }

  #changed({ open, ended }: QueueChange): void {
    for (const { queued, end } of ended) {
      const here = this.#open.get(queued.id);
      this.#open.delete(queued.id);
      here?.abort.abort(new EndedElsewhere(end));
    }
    const news = open.filter(({ id }) => !this.#open.has(id));
    for (const queued of open) this.#show(queued);
    if (news.length > 0) this.#ring(open.length);
    if (open.length > 0) this.#idle = false;
    else if (this.#channel === "popup") this.#leave();
    else if (!this.#idle) {
      this.#idle = true;
      this.#say("no questions; new ones appear here, Ctrl-C leaves");
    }
  }

  #show(queued: QueuedQuestion): void {
    const known = this.#open.get(queued.id);
    const here: OpenHere = known ?? { queued, seen: queued.alike, abort: new AbortController() };
    here.queued = queued;
    // What has come since is seen a moment later.
    if (known !== undefined) setTimeout(() => (here.seen = queued.alike), SEEN_MS);
    if (known !== undefined) return this.#terminal.changed();
    this.#open.set(queued.id, here);
    const { question, point } = queued;
    const choices = choicesOf(queued);
    void this.#queue
      .ask(question, here.abort.signal, () => ({
        alike: here.queued.others,
        hidden: Math.max(0, here.queued.alike - 1 - here.queued.others.length),
        about: aboutLine(here.queued, this.#machine),
        choices,
      }))
      .then((answer) => {
        if (here.abort.signal.aborted || !this.#open.delete(queued.id)) return;
        // What ends a run ends no run where there is none.
        const given: Answer = answer.answer === "quit" && POINTS[point].ofRun !== true ? DENY : answer;
        const outcome = answerQuestion(this.#machine, queued.id, given, this.#channel, here.seen);
        if (outcome.is === "late") this.#say(`too late: ${endText(outcome.end)}`);
        if (outcome.is === "gone") this.#say("too late: whoever asked is gone");
      })
      .catch((error: unknown) => this.#say(`the answer could not be given: ${printable(messageOf(error))}`));
  }

  /** The terminal itself tells the desktop, and tmux and others mark its window (OSC 9, OSC 777, BEL). */
  #ring(count: number): void {
    if (readNotify(this.#machine)?.terminal !== true) return;
    const text = count === 1 ? "1 question waits for you" : `${count} questions wait for you`;
    writeStdout(`\u0007\u001b]9;Assent: ${text}\u0007\u001b]777;notify;Assent;${text}\u0007`);
  }

  #say(text: string): void {
    if (!this.#terminal.tell(text)) writeStdout(`assent: ${text}\n`);
  }

  /** Whatever is open stays open for others. */
  #leave(): void {
    this.#watching?.close();
    this.#there?.close();
    for (const { abort } of this.#open.values()) abort.abort();
    this.#open.clear();
    void this.#queue.close(0).then(() => this.#end(0));
  }
}

/** `claude, confined, in ~/project; waits until 14:03:20`. */
function aboutLine(queued: QueuedQuestion, { home }: Machine): string {
  const { until } = queued;
  return `${askerText(queued, home)}${until === undefined ? "" : `; waits until ${new Date(until).toTimeString().slice(0, 8)}`}`;
}

/** `assent approvals list` */
export function listApprovals({ json }: { readonly json?: boolean }): number {
  const machine = thisMachine();
  const open = openQuestions(machine);
  if (json === true) {
    const questions = open.map(({ asked, until, ...rest }) => ({
      ...rest,
      asked: new Date(asked).toISOString(),
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    }));
    return writeJson({ questions });
  }
  for (const queued of open) {
    const { id, question, alike } = queued;
    const [rule] = question.difference === undefined ? question.proposals : [];
    writeStdout(`${id}  ${who(question)} wants to ${printable(question.what)}\n`);
    writeStdout(`          ${printable(aboutLine(queued, machine))}\n`);
    writeStdout(`          asked because: ${printable(question.reason, 400)}\n`);
    for (const line of question.difference ?? []) writeStdout(`          │ ${printable(line, 400)}\n`);
    if (alike > 1) writeStdout(`          and ${alike - 1} more like this\n`);
    if (rule !== undefined) writeStdout(`          always writes: ${printable(rule.rule, 400)}\n`);
  }
  writeStdout(open.length === 0 ? "no questions\n" : "\nanswer: assent approvals answer ID yes|no, or assent approvals\n");
  return 0;
}

export interface AnswerOptions {
  readonly session?: boolean;
  readonly trust?: boolean;
  readonly for?: string;
  /** The rule; true: the narrowest that is proposed. */
  readonly always?: string | true;
  readonly note?: string;
}

/** `assent approvals answer ID yes|no`. Exit 0 when the answer was taken, 1 when it came too late, 2 wrong usage, and where nobody asks that. */
export function answerApproval(id: string, word: string, options: AnswerOptions): number {
  const machine = thisMachine();
  const nobody = noPerson(machine.env);
  if (nobody !== undefined) return fail(nobody, "answer in a terminal of your own");
  const queued = openQuestions(machine).find((one) => one.id === id);
  const answer = givenAnswer(word, options, queued);
  if ("wrong" in answer) {
    complain(COMMAND, printable(answer.wrong), answer.help);
    return 2;
  }
  noteSignOfLife(machine);
  try {
    const outcome = answerQuestion(machine, id, answer, "terminal");
    if (outcome.is === "gone") {
      complain(COMMAND, `no question ${printable(id, 40)} waits for an answer`, "`assent approvals list` shows those that do");
      return 2;
    }
    if (outcome.is === "late") return fail(`too late: ${endText(outcome.end)}`);
    writeStdout(`${said(answer)}\n`);
    return 0;
  } catch (error) {
    return fail(printable(messageOf(error)));
  }
}

type WrongAnswer = { readonly wrong: string; readonly help?: string };

function givenAnswer(word: string, options: AnswerOptions, queued: QueuedQuestion | undefined): Answer | WrongAnswer {
  const { session, trust, for: length, always, note } = options;
  if (word !== "yes" && word !== "no") return { wrong: `\`${word}\` is not an answer`, help: "assent approvals answer ID yes, or no" };
  if ([session, trust, length, always].filter((one) => one !== undefined).length > 1)
    return { wrong: "an answer reaches as far as one of --session, --trust, --for and --always says" };
  if (word === "no" && (session === true || trust === true || length !== undefined))
    return { wrong: "a no is for once, or --always", help: "assent approvals answer ID no" };
  if (word === "yes" && note !== undefined) return { wrong: "--note is for a no: the agent reads it with the refusal" };
  if (always !== undefined) {
    const rule = always === true ? queued?.question.proposals[0]?.rule : always;
    if (rule === undefined) return { wrong: "no rule is proposed", help: "--always RULE" };
    const wrong = checkAnswerRule(rule);
    if (wrong !== undefined) return { wrong };
    const scope = "always";
    return word === "yes" ? { answer: "allow", scope, rule } : { answer: "deny", scope, rule, ...(note === undefined ? {} : { note }) };
  }
  if (word === "no") return { answer: "deny", scope: "once", ...(note === undefined ? {} : { note }) };
  if (length !== undefined) {
    const lasts = readLength(length);
    if (typeof lasts !== "number") return { wrong: lasts.wrong };
    const minutes = Math.ceil(lasts / 60_000);
    return minutes > 7 * 1440
      ? { wrong: "an answer lasts 7 days at most", help: "for longer: --always" }
      : { answer: "allow", scope: "time", minutes };
  }
  return { answer: "allow", scope: trust === true ? "tree" : session === true ? "session" : "once" };
}
