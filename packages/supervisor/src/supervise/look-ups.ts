import { type Action, quote } from "@assent/core/action";
import { type Answer, ofTeam, type ProcessInfo, type Question } from "@assent/guard/approve";
import { type AnswerableRemote, verdictOf } from "@assent/core/policy";
import { answeredFields } from "./given-answer.ts";
import type { GrantingJudge } from "./judge/granting-judge.ts";
import type { GivenAnswer, RunEvent } from "./types.ts";

interface LookUpOptions {
  readonly judge: Pick<GrantingJudge, "mayLookUp" | "asksAboutHost">;
  readonly told: (event: RunEvent) => void;
  /** Somebody would answer; `afar`: people of the team may. */
  readonly isThere: (afar?: AnswerableRemote) => boolean;
  /** Whether they may. */
  readonly afar?: (action: Action) => AnswerableRemote | undefined;
  /** Puts a question; `answer` is called with its number. Numbers of look-ups are negative. */
  readonly ask: (question: Question) => void;
  /** A person has said yes to the host: connections to it are none of a question more. */
  readonly consent: (host: string, lasts: number) => void;
  readonly about: Pick<Question, "run" | "profile" | "cwd" | "command">;
  /** Who asks for names is not known: the program of the run. */
  readonly program: () => ProcessInfo;
}

/** Names that were refused and told. */
const MOST_NAMES = 200;
/** A program that makes names up is not asked about for ever. */
const MOST_ASKED = 20;

/**
 * Which names a run of an agent may look up: the question itself goes to whoever serves the name's zone, and carries data there.
 * Each that is refused is told once. Where somebody is there to answer, a name that a rule would only ask about is asked about,
 * once in a run, together with the connections to it.
 */
export class LookUps {
  readonly #options: LookUpOptions;
  readonly #refused = new Set<string>();
  readonly #allowed = new Set<string>();
  readonly #asked = new Map<string, Promise<boolean>>();
  readonly #open = new Map<number, { readonly name: string; readonly resolve: (allowed: boolean) => void }>();

  constructor(options: LookUpOptions) {
    this.#options = options;
  }

  allow(name: string | undefined): boolean | Promise<boolean> {
    const asked = name?.toLowerCase().replace(/\.$/, "");
    if (asked === undefined) return this.#refuse("a name that cannot be read");
    const { judge } = this.#options;
    if (this.#allowed.has(asked) || judge.mayLookUp(asked)) return true;
    // `localhost` with a search domain behind it (resolv.conf(5)): the name itself has been answered.
    if (asked.startsWith("localhost.")) return false;
    if (this.#refused.has(asked)) return false;
    const open = this.#asked.get(asked);
    if (open !== undefined) return open;
    // With the names of search domains behind it (resolv.conf(5)) it is the same question again.
    const isAgain = [...this.#refused].some((other) => asked.startsWith(`${other}.`));
    if (isAgain || this.#asked.size >= MOST_ASKED || !judge.asksAboutHost(asked)) return this.#refuse(asked);
    const afar = this.#options.afar?.(actionOf(asked));
    if (!this.#options.isThere(afar)) return this.#refuse(asked);
    const answer = new Promise<boolean>((resolve) => this.#put(asked, afar, resolve));
    this.#asked.set(asked, answer);
    return answer;
  }

  #put(name: string, afar: AnswerableRemote | undefined, resolve: (allowed: boolean) => void): void {
    const { about, program, ask } = this.#options;
    const what = `look up ${name} and connect to it, at any port`;
    const seq = -1 - this.#asked.size;
    this.#open.set(seq, { name, resolve });
    ask({
      ...about,
      seq,
      process: program(),
      ancestry: [],
      call: callOf(name),
      action: actionOf(name),
      what,
      reason: "no rule allows it, and looking the name up tells its owner",
      basis: "default",
      proposals: [{ rule: `Net(${name})`, covers: "this host, at any port" }],
      group: `look up ${name}`,
      ...(afar === undefined ? {} : { afar: { ...afar, what, parts: ["look up", name, about.cwd, about.command, about.profile] } }),
    });
  }

  /** What was said to a question of ours. */
  answer(seq: number, answer: Exclude<Answer, { readonly answer: "quit" }>, given: GivenAnswer): void {
    const open = this.#open.get(seq);
    if (open === undefined) return;
    this.#open.delete(seq);
    const { name, resolve } = open;
    if (answer.answer === "allow") {
      const lasts = answer.scope === "time" ? 60_000 * answer.minutes : Number.POSITIVE_INFINITY;
      this.#allowed.add(name);
      if (Number.isFinite(lasts)) setTimeout(() => this.#allowed.delete(name), lasts).unref();
      this.#options.consent(name, lasts);
      this.#tell(name, "done", given);
    } else this.#refuse(name, given);
    resolve(answer.answer === "allow");
  }

  #refuse(name: string, given?: GivenAnswer): false {
    if (this.#refused.has(name) || this.#refused.size >= MOST_NAMES) return false;
    this.#refused.add(name);
    this.#tell(name, "refused", given);
    return false;
  }

  #tell(name: string, outcome: "refused" | "done", given: GivenAnswer | undefined): void {
    const rule = quote(`Net(${name})`);
    const help = {
      person: `to allow it: assent allow ${rule}`,
      model: `go on without it, or ask the user to allow it: assent allow ${rule}`,
    };
    this.#options.told({
      time: Date.now(),
      process: { pid: 0, name: "a program of the run", argv: [] },
      call: callOf(name),
      action: actionOf(name),
      verdict:
        outcome === "done"
          ? verdictOf("allow", "unreachable-name", {
              reason: given?.person === undefined ? "you allowed it" : `${ofTeam(given.person)} allowed it`,
            })
          : verdictOf("deny", "unreachable-name", { help }),
      outcome,
      ...(outcome === "refused" ? { errno: "ENOENT" } : {}),
      ...(given === undefined ? {} : answeredFields(given)),
    });
  }
}

const callOf = (name: string): RunEvent["call"] => ({ name: "connect", args: [name, "0"] });

const actionOf = (name: string): RunEvent["action"] => ({
  kind: "net",
  operation: "connect",
  host: name,
  port: undefined,
  origin: { by: "tool" },
  call: callOf(name),
});
