import type { Action, ExecAction, World } from "@assent/core/action";
import { type ConsentEntry, type ConsentName, type Policy, type RequestVerdict, repositoriesAround } from "@assent/core/policy";
import { parentOf } from "@assent/core/path";
import type { Request } from "@assent/core/request";
import type { Machine } from "../../state/index.ts";

/** One of the kinds of consents, by its name. */
export type ConsentOf<Name extends ConsentName> = Extract<ConsentEntry, { readonly consent: Name }>;

/** What is asked, by whom and where. */
export interface ConsentRequest {
  readonly request: Request;
  readonly found: RequestVerdict;
  readonly policy: Policy;
  readonly world: World;
  readonly machine: Machine;
  readonly othersRun: boolean;
}

/** A question of a request. */
export interface AskedAction extends ConsentRequest {
  readonly action: Action;
  /** Its place among the actions of the request, and that of the command that does it. */
  readonly at: number;
  readonly exec: ExecAction;
  readonly execAt: number;
}

/** What a person would have to say yes to. */
export interface WantedConsent<Entry extends ConsentEntry> {
  readonly entry: Entry;
  /** Places of the actions that a yes lets go ahead, the command itself among them. */
  readonly covers: readonly number[];
  /** What a foreign repository could start was looked into. */
  readonly answersDanger?: true;
  /** Why what was said does not let it go ahead; undefined: it does. */
  readonly whyNot: (given: Entry) => string | undefined;
}

/** Why no consent lets it go ahead, for the person. */
export interface NoConsent {
  readonly why: string;
}

/** What is known of a command before a kind looks at it. */
export interface PlainAction extends AskedAction {
  /** All words behind the program, each written out. */
  readonly words: readonly string[];
  readonly repository: ConsentRepository;
}

/**
 * One kind of consent. INVARIANT: what is not understood, is only known at run time, or cannot be looked up is a `why`.
 */
export interface ConsentKind<Name extends ConsentName> {
  readonly name: Name;
  /** The one danger of the command that it looks into. */
  readonly answers?: string;
  isAbout(asked: AskedAction): boolean;
  wants(asked: PlainAction): WantedConsent<ConsentOf<Name>> | NoConsent;
  /** The sentence, and what is to be known before a yes. */
  sentence(entry: ConsentOf<Name>): string;
}

/** The same, with what is the same for all of them. */
export function readPlain(asked: AskedAction, answers?: string): PlainAction | NoConsent {
  const { exec } = asked;
  const why = whyNotPlain(exec, answers);
  if (why !== undefined) return { why };
  const words = literalWords(asked);
  if (words === undefined) return { why: "what it says is only known at run time" };
  const repository = repositoryOf(asked);
  return repository === undefined ? { why: "it is not known in which repository it works" } : { ...asked, words, repository };
}

/** `"$(cat <<'EOF' … EOF)"` as a word of its own: a text that is written out, whatever stands in it (bash(1), "Here Documents"). */
const WRITTEN_OUT = /(?<=\s)"\$\(cat <<(['"])(\w+)\1\n([^]*?)\n\2\n\s*\)"(?=\s|$)/g;

/** All words of the command, those written out in a here-document among them; undefined: one is only known at run time. */
function literalWords({ exec, request, found }: AskedAction): readonly string[] | undefined {
  const unknown = found.actions.flatMap(({ action }) => (action.kind === "exec" ? action.argv.filter((word) => !word.known) : []));
  const { facts, input } = request;
  const line = facts?.does === "shell" ? input[facts.field] : undefined;
  const written = unknown.length === 0 || typeof line !== "string" ? [] : [...line.matchAll(WRITTEN_OUT)];
  // INVARIANT: nothing else of the line makes a word, and no text ends before its end; so the words that are not known are these, in order.
  const isOpen = typeof line === "string" && /<<|\$\(|`/.test(line.replace(WRITTEN_OUT, " "));
  const endsBefore = written.some(([, , end = "", text = ""]) => text.split("\n").includes(end));
  const isThese = unknown.every((word) => !word.known && !word.many && word.prefix === "" && word.why.includes("$(cat <<"));
  if (unknown.length > 0 && (unknown.length !== written.length || isOpen || endsBefore || !isThese)) return undefined;
  return exec.argv.slice(1).map((word) => (word.known ? word.text : (written[unknown.indexOf(word)]?.[3] ?? "")));
}

/** What keeps a command from being the plain one that a sentence is about. */
function whyNotPlain({ env, trusted, pointed, dangers }: ExecAction, answers?: string): string | undefined {
  if (!trusted) return "it is not known which program it is";
  if (env.length > 0) return "variables in front of it may change where it goes";
  if (pointed !== undefined) return "an option says in which repository it works";
  return dangers?.some((id) => id !== answers) === true ? "it does more than that" : undefined;
}

export interface ConsentRepository {
  readonly root: string;
  readonly top: string;
  readonly common: string;
}

/** The one repository that a command works in; undefined where it is not clear which. */
export function repositoryOf({ exec, world }: Pick<AskedAction, "exec" | "world">): ConsentRepository | undefined {
  const folders = exec.folders ?? [world.cwd];
  const [folder] = folders;
  if (folder === undefined || folders.length !== 1) return undefined;
  const around = repositoriesAround(folder, world);
  const [one] = around;
  if (one === undefined || around.length !== 1 || one.foreign !== undefined) return undefined;
  const root = one.common.endsWith("/.git") ? parentOf(one.common) : one.top;
  return { root, top: one.top, common: one.common };
}

export interface ReadWords {
  readonly operands: readonly string[];
  /** By the name as the table has it; a switch has the value `""`. */
  readonly options: ReadonlyMap<string, readonly string[]>;
}

/** A table of options, each with what it stands for. */
export const optionsOf = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).flatMap(([kind, all]) => all.split(" ").map((name) => [name, kind])));

/**
 * Reads words by a table of options, names to what they stand for; those in `valued` take a value. Undefined: an option is not in it.
 * INVARIANT: a cluster or an abbreviation is none of them.
 */
export function readWords(
  words: readonly (string | undefined)[],
  known: Readonly<Record<string, string>>,
  valued: ReadonlySet<string>,
): ReadWords | undefined {
  const operands: string[] = [];
  const options = new Map<string, readonly string[]>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) return undefined;
    if (!word.startsWith("-")) {
      operands.push(word);
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const written = equals === -1 ? word : word.slice(0, equals);
    const name = Object.hasOwn(known, written) ? known[written] : undefined;
    if (name === undefined || (equals !== -1 && !valued.has(name))) return undefined;
    const value = !valued.has(name) ? "" : equals === -1 ? words[(at += 1)] : word.slice(equals + 1);
    if (value === undefined) return undefined;
    options.set(name, [...(options.get(name) ?? []), value]);
  }
  return { operands, options };
}
