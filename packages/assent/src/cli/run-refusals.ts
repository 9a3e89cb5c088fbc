import { adviceForPerson, type Action, brief, sayAction, quote, visible } from "@assent/core/action";
import { NOBODYS, ofTeam, WAITS } from "@assent/guard/approve";
import { LONGEST_NOTE } from "@assent/guard/approve/queue";
import { isWithin } from "@assent/core/path";
import { titleOf, type Verdict } from "@assent/core/policy";
import type { RunEvent } from "@assent/supervisor/supervise";

/** How refusals are told to whoever reads the output of the program alone: that says "permission denied" and no more. */
export interface RefusalWording {
  /** Most lines. */
  readonly most: number;
  /** Undefined: it is not told. */
  readonly line: (event: RunEvent) => string | undefined;
}

/** Milliseconds. What tries again sooner does one thing in two ways, by IPv4 and by IPv6, or is about to end. */
const SETTLES_IN = 1000;

interface Line {
  readonly text: string;
  readonly since: number;
  count: number;
  /** It is looked at again then. */
  timer?: NodeJS.Timeout | undefined;
  /** It was told while the program went on. */
  told: boolean;
}

/** Why calls were refused: each reason once, with how often. */
export class Refusals {
  readonly #wording: RefusalWording;
  readonly #lines = new Map<string, Line>();
  #tellNow: ((text: string) => boolean) | undefined;
  #more = 0;

  /** `tellNow`: tells what a program that goes on tries again; false, where it cannot be told now. By default all is told at the end. */
  constructor(wording: RefusalWording, tellNow?: (text: string) => boolean) {
    this.#wording = wording;
    this.#tellNow = tellNow;
  }

  add(event: RunEvent): void {
    if (isOwnCache(event.action)) return;
    const text = this.#wording.line(event);
    if (text === undefined) return;
    const line = this.#lines.get(text) ?? { text, since: performance.now(), count: 0, told: false };
    if (line.count === 0 && this.#lines.size >= this.#wording.most) {
      this.#more += 1;
      return;
    }
    this.#lines.set(text, line);
    line.count += 1;
    // Who has no connection waits before the next try (npm for ten seconds), without a word.
    if (line.count > 1 || event.action.kind === "net") this.#tellOf(line);
  }

  #tellOf(line: Line): void {
    if (this.#tellNow === undefined || line.told || line.timer !== undefined) return;
    const wait = line.since + SETTLES_IN - performance.now();
    if (wait <= 0) line.told = this.#tellNow(`refused: ${line.text}`);
    else
      line.timer = setTimeout(() => {
        line.timer = undefined;
        this.#tellOf(line);
      }, wait).unref();
  }

  /** The program has ended: what was not told yet. Of what it left behind nothing is told. */
  end(): readonly string[] {
    this.#tellNow = undefined;
    return this.lines;
  }

  get lines(): readonly string[] {
    const open = [...this.#lines.values()].filter(({ told }) => !told);
    const shown = open.map(({ text, count }) => `refused: ${text}${count > 1 ? ` (${count} times)` : ""}`);
    return this.#more === 0 ? shown : [...shown, `refused: ${this.#more} more`];
  }
}

/** An Assent inside the run would keep what it has compiled, and goes on without. */
export const isOwnCache = (action: Action): boolean =>
  action.kind === "file" && action.target.kind === "path" && /\/assent\/policy-[\da-f]{8}\.json[^/]*$/.test(action.target.path);

const LONGEST_REASON = 400;

/** With `-q`, too. */
export function forPeople(quiet: boolean): RefusalWording {
  return {
    most: 3,
    line: ({ action, verdict, answer, answeredPerson, note }) => {
      // What a person refused needs no reason but the person's own.
      if (answer !== undefined && answer !== NOBODYS && answer !== WAITS)
        return note === undefined ? undefined : `${sayAction(action)}: ${refusedBy(answeredPerson, note)}`;
      // What has no way back is said at once, where anything is.
      const isSaid = verdict.builtin === "undo.too-large" || verdict.builtin === "undo.failed";
      if (!quiet && isSaid) return undefined;
      const way = answer === WAITS ? `; ${WAITS}` : verdict.help === undefined ? "" : `; ${adviceForPerson(verdict.help)}`;
      const what = sayAction(action);
      const text = `${verdict.reason.startsWith(what) ? "" : `${what}: `}${verdict.reason}${way}`;
      return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text;
    },
  };
}

/** Characters of what was refused, as the program named it. */
const LONGEST_OBJECT = 120;

/**
 * For the model whose command was confined. INVARIANT: of what the program chose there is only the object, quoted, without
 * a line break and cut; the rest is Assent's or a rule's own.
 */
export const forModels = (cwd: string, home: string): RefusalWording => ({
  most: 7,
  line: ({ action, more = [], verdict, answer, answeredPerson, note }) => {
    const [said, ...objects] = spoken(action, more);
    const verb = verdict.builtin === "unreachable-name" ? "look up" : said;
    if (answer === WAITS) return `${verb} ${objects.map(quoted).join(" to ")}: ${WAITS}. Way out: ${LATER}`;
    if (answer !== undefined && answer !== NOBODYS) {
      return `${verb} ${objects.map(quoted).join(" to ")}: ${refusedBy(answeredPerson, note)}. Way out: go on without it`;
    }
    const [why, way] = verdict.builtin === "run.outside" && isWithin(home, cwd) ? IN_HOME : [whyOf(verdict), wayOut(action, verdict, cwd)];
    return `${verb} ${objects.map(quoted).join(" to ")}: ${why}. Way out: ${way}`;
  },
});

function refusedBy(person: string | undefined, note: string | undefined): string {
  const words = note === undefined ? "" : `, and says: ${brief(note, LONGEST_NOTE)}`;
  return `${person === undefined ? "the user" : ofTeam(person)} was asked and said no${words}`;
}

/** INVARIANT: no control character, and no `"` but escaped: what is quoted ends where the quotes do. */
function quoted(text: string): string {
  return `"${brief(text.replaceAll("\\", "\\\\").replaceAll('"', '\\"'), LONGEST_OBJECT)}"`;
}

const VERBS: Readonly<Partial<Record<string, string>>> = {
  list: "list the folder",
  execute: "start",
  mkdir: "create the folder",
  metadata: "change the permissions, owner or times of",
  connect: "connect to",
  listen: "accept connections on",
};

/** What it is about, without more than the kind of thing it is. */
function spoken(action: Action, more: readonly Action[]): readonly [verb: string, ...objects: string[]] {
  switch (action.kind) {
    case "file": {
      const { target, operation, call } = action;
      const at = target.kind === "path" || target.kind === "tree" ? target.path : target.kind === "glob" ? target.pattern : "?";
      const verb = call?.name === "connect" ? "connect to the socket" : (VERBS[operation] ?? operation);
      // A rename, or another name, arrives somewhere, too.
      const others = more.flatMap((one) =>
        one.kind === "file" && one.target.kind === "path" && one.target.path !== at ? [one.target.path] : [],
      );
      return [verb, at, ...others.slice(0, 1)];
    }
    case "net":
      return [VERBS[action.operation] ?? action.operation, `${action.host ?? "?"}${action.port === undefined ? "" : `:${action.port}`}`];
    case "exec":
      return ["run", action.argv.map((word) => (word.known ? word.text : "…")).join(" ")];
    case "process":
      return [action.operation, `process ${action.target}`];
    default:
      return ["do", sayAction(action)];
  }
}

/** Why, without the particulars that the program chose. */
export function whyOf({ rule, untrusted, builtin, reason, basis }: Verdict): string {
  // What a project's policy says of itself is for people.
  if (rule !== undefined)
    return untrusted === true ? "a rule of the project's policy" : `the rule ${quoted(rule.text)} (${visible(rule.file)}:${rule.line})`;
  // Of these the title leaves out what keeps it from being kept, which is Assent's own word.
  const title =
    builtin === "undo.too-large" || builtin === "undo.failed"
      ? brief(reason)
      : (titleOf(builtin) ?? (basis === "default" ? "no rule allows it" : brief(reason)));
  return builtin === undefined ? title : `${title} [${visible(builtin)}]`;
}

const LATER = "go on with something else, and run exactly the same again later";

/** Where nothing that the model may do helps. */
export const PERSON = "ask the user to run it in their own terminal";

/** Where it was started in the home folder, or above it: that is nobody's project. */
const IN_HOME = [
  "the home folder itself is not a project: a sandboxed command changes nothing in it",
  `work in a folder of its own below it, or ${PERSON}`,
] as const;

/** What the model itself may do next. */
function wayOut(action: Action, { rule, basis, builtin, decision }: Verdict, cwd: string): string {
  const id: string = builtin ?? "";
  if (id === "floor.runs" || id === "protect.secrets") return `go on without it, or ${PERSON}`;
  if (basis === "floor") return "leave it as it is, or ask the user to make the change";
  if (id === "loopback-address")
    return `start that server by a command of this session, or ask the user to add the rule ${netRule(action)}`;
  if (action.kind === "net")
    return rule !== undefined && decision === "deny"
      ? `go on without it, or ${PERSON}`
      : `go on without it, or ask the user to add the rule ${netRule(action)}`;
  if (id === "run.outside") return `write below ${quoted(cwd)} or a temporary folder, or ${PERSON}`;
  if (id === "danger.persistence" || id === "protect.git-config") return "leave it out, or ask the user to make the change";
  if (id === "undo.too-large") return `leave it as it is, do it in smaller parts, or ${PERSON}`;
  if (id === "run.large-move") return `do it in smaller parts, or ${PERSON}`;
  if (action.kind === "exec") {
    const words = action.argv.map((word) => (word.known ? quote(word.text) : "…")).join(" ");
    return words.length <= LONGEST_OBJECT ? `ask the user to run: ${visible(words)}` : PERSON;
  }
  return `go on without it, or ${PERSON}`;
}

const netRule = (action: Action): string =>
  action.kind === "net" && action.host !== undefined && /^[\w.:[\]-]{1,100}$/.test(action.host)
    ? `\`Net(${action.host}${action.port === undefined ? "" : `:${action.port}`})\``
    : "`Net(HOST:PORT)`";
