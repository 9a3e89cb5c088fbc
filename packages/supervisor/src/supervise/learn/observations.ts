import { FILE_RULE } from "@assent/core/policy";
import { type ExecAction, type FileAction, type NetAction, sayAction } from "@assent/core/action";
import type { Answer, Approver, Extent, Question } from "@assent/guard/approve";
import { baseName } from "@assent/core/path";
import { escapeSegment } from "@assent/core/pattern";
import type { RunEvent } from "../types.ts";

/** What learning needs of an event. */
export type Observed = Pick<RunEvent, "action" | "more" | "verdict" | "outcome"> & {
  /** It was asked about: what a yes covers is what is learnt. */
  readonly question?: Partial<Pick<Question, "extent" | "proposals">>;
};

/** The rule that a change of a file needs: `Write` also covers what `Edit` and `Delete` do. */
export type FileRule = (typeof FILE_RULE)[FileAction["operation"]];

export interface SeenPath {
  readonly rule: FileRule;
  readonly count: number;
  readonly action: FileAction;
}

export interface SeenAction<A> {
  readonly action: A;
  readonly count: number;
}

/** Something no rule is proposed for. */
export interface Aside {
  readonly what: string;
  readonly why: string;
  readonly count: number;
}

/** More different things than this are counted, not kept: a run may touch any number. */
const MOST = 100_000;

interface CountedAside<T> {
  value: T;
  count: number;
}

/** What a run did, sorted: what a policy asked about and let happen, and what it refused. Bounded in memory. */
export class Observations {
  /** Changes and other operations of one path, with the rule each needs. */
  private readonly files = new Map<string, CountedAside<FileAction>>();
  private readonly hosts = new Map<string, CountedAside<NetAction>>();
  private readonly commands = new Map<string, CountedAside<ExecAction>>();
  private readonly no = new Map<string, CountedAside<string>>();
  /** Rules of questions about more than a file, with what they cover. */
  private readonly rules = new Map<string, CountedAside<Extent>>();
  private readonly other = new Map<string, CountedAside<string>>();
  private readonly guarded = new Set<string>();
  /** Events that found no room. */
  dropped = 0;

  /** @returns what became of the event; `covered`: it was allowed without anybody being asked. */
  add({ action, more = [], verdict, outcome, question }: Observed): "learnt" | "covered" | "aside" {
    for (const other of more) this.add({ action: other, verdict, outcome });
    if (outcome === "refused" || verdict.decision === "deny") {
      this.guard(action);
      this.count(this.no, sayAction(action), verdict.reason);
      return "aside";
    }
    if (verdict.decision === "allow") return "covered";
    // What a rule, a protection or the floor asks is asked again: an allow rule would not answer it, or should not.
    if (verdict.basis === "rule" || verdict.basis === "protection" || verdict.basis === "floor") {
      this.guard(action);
      this.count(this.other, sayAction(action), `stays a question: ${verdict.reason}`);
      return "aside";
    }
    switch (action.kind) {
      case "file":
        if (action.target.kind !== "path") break;
        if (question?.proposals !== undefined && action.operation !== "read" && action.operation !== "list")
          return this.#said(action, question);
        this.count(this.files, `${FILE_RULE[action.operation]} ${action.target.path}`, action);
        return "learnt";
      case "net":
        if (action.host === undefined) break;
        this.count(this.hosts, `${action.host} ${action.port ?? 0}`, action);
        return "learnt";
      case "exec":
        this.count(this.commands, JSON.stringify([action.resolved, ...action.argv.map((word) => (word.known ? word.text : null))]), action);
        return "learnt";
      default:
        break;
    }
    this.count(this.other, sayAction(action), "no rule can name it");
    return "aside";
  }

  #said(action: FileAction, { extent = [], proposals = [] }: Exclude<Observed["question"], undefined>): "learnt" {
    const [narrowest] = proposals;
    const isPlain =
      extent.length > 0 &&
      extent.every(({ below, path, name = escapeSegment(baseName(path)) }) => below !== true && name === escapeSegment(baseName(path)));
    if (!isPlain && narrowest !== undefined) this.count(this.rules, narrowest.rule, extent);
    for (const { does, path } of isPlain ? extent : [])
      this.count(this.files, `${FILE_RULE[does]} ${path}`, { ...action, operation: does, target: { kind: "path", path } });
    return "learnt";
  }

  private guard(action: Observed["action"]): void {
    if (action.kind === "file" && action.target.kind === "path" && this.guarded.size < MOST) this.guarded.add(action.target.path);
  }

  private count<T>(map: Map<string, CountedAside<T>>, key: string, value: T): void {
    const entry = map.get(key);
    if (entry !== undefined) entry.count++;
    else if (map.size < MOST) map.set(key, { value, count: 1 });
    else this.dropped++;
  }

  paths(): readonly SeenPath[] {
    return [...this.files.values()].map(({ value, count }) => ({ rule: FILE_RULE[value.operation], count, action: value }));
  }

  net(): readonly SeenAction<NetAction>[] {
    return [...this.hosts.values()].map(({ value, count }) => ({ action: value, count }));
  }

  execs(): readonly SeenAction<ExecAction>[] {
    return [...this.commands.values()].map(({ value, count }) => ({ action: value, count }));
  }

  /** Rules as they stand, with what they cover. */
  said(): readonly { readonly rule: string; readonly extent: Extent; readonly count: number }[] {
    return [...this.rules].map(([rule, { value, count }]) => ({ rule, extent: value, count }));
  }

  /** Paths that were refused or stay a question: no learnt folder may hold one. */
  protectedPaths(): ReadonlySet<string> {
    return this.guarded;
  }

  refused(): readonly Aside[] {
    return asides(this.no);
  }

  aside(): readonly Aside[] {
    return asides(this.other);
  }
}

function asides(map: ReadonlyMap<string, CountedAside<string>>): readonly Aside[] {
  return [...map].map(([what, { value, count }]) => ({ what, why: value, count }));
}

/**
 * Answers while learning: what is only not allowed yet goes ahead, once each, and is learnt. What a rule, a protection or
 * the floor asks is put to `person`, and denied where there is none. Denies hold without being asked.
 */
export function learningApprover(person: Approver | undefined, seen: Observations): Approver {
  return {
    ...(person?.atTerminal === true ? { atTerminal: true } : {}),
    ask: async (question, signal): Promise<Answer> => {
      const { action, reason, basis = "default" } = question;
      const verdict = { decision: "ask", basis, reason } as const;
      if (basis !== "rule" && basis !== "protection" && basis !== "floor") {
        seen.add({ action, verdict, outcome: "done", question });
        return { answer: "allow", scope: "once" };
      }
      const answer: Answer = person === undefined ? { answer: "deny", scope: "once" } : await person.ask(question, signal);
      // A refusal is an event of its own.
      if (answer.answer === "allow") seen.add({ action, verdict, outcome: "done" });
      return answer;
    },
    close: async (exit) => person?.close(exit),
  };
}
