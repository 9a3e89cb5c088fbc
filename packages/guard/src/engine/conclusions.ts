import type { Lowered, World } from "@assent/core/action";
import type { judge, JudgeContext, Policy, RequestVerdict } from "@assent/core/policy";
import type { Lowerable, lowerTool } from "@assent/core/request";
import type { lowerShell, LowerOptions } from "@assent/core/shell";
import {
  type Answers,
  type JudgeTerms,
  sameList,
  sameTerms,
  sameWorld,
  termsOf,
  type WorldTerms,
  worldTermsOf,
} from "./conclusion-terms.ts";
import { LookupsOfJudge, LookupsOfWorld } from "./lookups.ts";

/** How a request is lowered and judged: by `lowerTool` and `judge`, or by what stands for them. */
export interface Concluding {
  readonly lower: (request: Lowerable, world: World) => Lowered;
  readonly judge: typeof judge;
}

export interface Remembering extends Concluding {
  /** As `lowerShell`. */
  readonly lowerShell: (command: string, options: LowerOptions) => Lowered;
}

/** What concludes anew. Given, so that whoever loads this only when it is needed has it once. */
interface Anew {
  readonly lowerTool: typeof lowerTool;
  readonly lowerShell: typeof lowerShell;
  readonly judge: typeof judge;
}

interface Judged {
  readonly policy: Policy;
  readonly terms: JudgeTerms;
  readonly asked: Answers<JudgeContext>;
  readonly verdict: RequestVerdict;
  readonly size: number;
}

/** What a command is lowered by, besides the world. */
interface AskedCommand extends Pick<Lowerable, "facts" | "tool" | "cwd"> {
  readonly command: string;
  readonly shell: Lowerable["host"]["shell"];
}

interface Concluded extends AskedCommand {
  readonly terms: WorldTerms;
  readonly asked: Answers<World>;
  readonly lowered: Lowered;
  /** The newest first. */
  readonly judged: Judged[];
  size: number;
}

/** Longer commands seldom come again. */
const LONGEST = 4096;
/** What is remembered altogether, in characters and questions; some ten megabytes. */
const MOST = 2_000_000;
const MOST_COMMANDS = 1000;
/** The same command in several folders, the same actions under several policies. */
const MOST_ALIKE = 4;
/** Each action of what is remembered counts so much. */
const OF_ACTION = 500;

/**
 * Remembers, in a process that goes on, what was concluded from the machine's answers, and nothing of the machine: lowering and
 * judging ask a `World`, and conclude the same from the same answers. A command that comes again is asked about as before: every
 * question is put to the world of this request, in the order in which it was put first, and only when each answer is the same
 * does the conclusion stand. So nothing has to end the memory: what an agent changed in the meantime is another answer.
 *
 * INVARIANT: a conclusion may depend on nothing but its terms, compared as they are, and on answers, asked anew. What is thrown,
 * and whatever was concluded when looks were used up, is not remembered.
 */
class Conclusions implements Remembering {
  readonly #anew: Anew;
  /** By the whole command, the one asked about last at the end. */
  readonly #known = new Map<string, Concluded[]>();
  readonly #byLowered = new Map<Lowered, Concluded>();
  /** Commands that came once: most do not come again. */
  readonly #once = new Set<string>();
  #size = 0;

  constructor(anew: Anew) {
    this.#anew = anew;
  }

  readonly lower = (request: Lowerable, world: World): Lowered => {
    const { lowerTool: anew } = this.#anew;
    const { facts, tool, cwd, host } = request;
    const command = facts?.does === "shell" ? request.input[facts.field] : undefined;
    if (facts?.does !== "shell" || typeof command !== "string") return anew(request, world);
    const { shell } = host;
    // Only what is compared is given, so that nothing else can be concluded from.
    const given = { tool, facts, input: { [facts.field]: command }, cwd, host: { shell } };
    return this.#lower({ command, facts, tool, cwd, shell }, world, (noting) => anew(given, noting));
  };

  readonly lowerShell = (command: string, { world, shell = "any" }: LowerOptions): Lowered => {
    const { lowerShell: anew } = this.#anew;
    return this.#lower({ command, facts: undefined, tool: "", cwd: world.cwd, shell }, world, (noting) =>
      anew(command, { world: noting, shell }),
    );
  };

  readonly judge = (lowered: Lowered, policy: Policy, context: JudgeContext): RequestVerdict => {
    const { judge: anew } = this.#anew;
    const about = this.#byLowered.get(lowered);
    // An answer that was given once may be used up, and a system call is judged only once.
    if (about === undefined || context.grants !== undefined || context.matchCall !== undefined) return anew(lowered, policy, context);
    const { judged } = about;
    const at = judged.findIndex((one) => one.policy === policy && sameTerms(one.terms, context));
    const found = judged[at];
    if (found?.asked.hold(context) === true) return found.verdict;
    if (found !== undefined) this.#drop(about, at);
    const questions = new LookupsOfJudge();
    const verdict = anew(lowered, policy, questions.noting(context));
    const asked = questions.answers();
    if (asked === undefined) return verdict;
    if (judged.length >= MOST_ALIKE) this.#drop(about, judged.length - 1);
    const size = asked.size + lowered.actions.length * OF_ACTION;
    judged.unshift({ policy, terms: termsOf(context), asked, verdict, size });
    this.#grow(about, size);
    return verdict;
  };

  #drop(about: Concluded, at: number): void {
    for (const { size } of about.judged.splice(at, 1)) {
      about.size -= size;
      this.#size -= size;
    }
  }

  #lower(asked: AskedCommand, world: World, lower: (world: World) => Lowered): Lowered {
    const { command, facts, tool, cwd, shell } = asked;
    if (command.length > LONGEST) return lower(world);
    const known = this.#known.get(command);
    const found = known?.find(
      (one) => sameFacts(one.facts, facts) && one.tool === tool && one.cwd === cwd && one.shell === shell && sameWorld(one.terms, world),
    );
    if (known !== undefined && found?.asked.hold(world) === true) {
      this.#known.delete(command);
      this.#known.set(command, known);
      return found.lowered;
    }
    if (found !== undefined) this.#forget(found);
    if (known === undefined && !this.#cameBefore(command)) return lower(world);
    const questions = new LookupsOfWorld();
    const lowered = lower(questions.noting(world));
    const answers = questions.answers();
    if (answers === undefined) return lowered;
    const size = answers.size + command.length + cwd.length + (lowered.actions.length + lowered.unknowns.length) * OF_ACTION;
    this.#keep({ ...asked, terms: worldTermsOf(world), asked: answers, lowered, judged: [], size });
    return lowered;
  }

  #cameBefore(command: string): boolean {
    if (this.#once.delete(command)) return true;
    if (this.#once.size >= MOST_COMMANDS) this.#once.clear();
    this.#once.add(command);
    return false;
  }

  #keep(one: Concluded): void {
    const known = this.#known.get(one.command) ?? [];
    const oldest = known.length >= MOST_ALIKE ? known[0] : undefined;
    if (oldest !== undefined) this.#forget(oldest);
    known.push(one);
    this.#known.delete(one.command);
    this.#known.set(one.command, known);
    this.#byLowered.set(one.lowered, one);
    const { size } = one;
    one.size = 0;
    this.#grow(one, size);
  }

  /** The one that grew is the last to go, and goes, too, where it alone is too much. */
  #grow(one: Concluded, by: number): void {
    one.size += by;
    this.#size += by;
    for (const [command, known] of this.#known) {
      if (this.#size <= MOST && this.#known.size <= MOST_COMMANDS) return;
      for (const each of known.splice(0)) this.#forget(each);
      this.#known.delete(command);
    }
  }

  #forget(one: Concluded): void {
    if (!this.#byLowered.delete(one.lowered)) return;
    this.#size -= one.size;
    const known = this.#known.get(one.command);
    known?.splice(known.indexOf(one), 1);
  }
}

/** One memory: what lowers and judges by it. */
export function rememberConclusions(anew: Anew): Remembering {
  return new Conclusions(anew);
}

/** Whoever calls a guard has facts made for the call. */
function sameFacts(a: Lowerable["facts"], b: Lowerable["facts"]): boolean {
  if (a === b) return true;
  if (a?.does !== "shell" || b?.does !== "shell") return false;
  // Of a command that is one text nothing else is read.
  return a.field === b.field && sameList(a.patches, b.patches);
}
