import type { Json } from "@assent/core/edit/json5";
import type { Effect, OperationName } from "@assent/core/policy";

/** A rule of another program as it will stand in our policy. */
export interface Converted {
  readonly effect: Effect;
  readonly into: Into;
  readonly reason?: string;
  /** Inputs the native rule surely matches, and surely does not: our judge must agree before anything is written. */
  readonly match: readonly string[];
  readonly notMatch: readonly string[];
  /** The native rule's own examples: written beside the rule. */
  readonly keep?: { readonly match?: readonly string[]; readonly notMatch?: readonly string[] };
  /** The native rule. */
  readonly text: string;
  readonly line: number;
  /** The first that matches decides there: in a block of their own these rules keep their order. */
  readonly ordered?: true;
}

/** Where a rule goes. */
export type Into =
  /** One of the lists of `permissions`. */
  | {
      readonly list: "permissions";
      readonly rule: string;
      /** How it is written, where its text alone would say something else: about options, for some people, a tool nobody knows. */
      readonly written?: { readonly [key: string]: Json };
    }
  /** The ordered block `operations.NAME`: a pattern over paths, of `execute` over the text of one command. */
  | { readonly list: OperationName; readonly pattern: string }
  /** What holds where no rule speaks: `operations.NAME.default`. */
  | { readonly list: "default"; readonly operation: OperationName }
  /** A folder that `auto-edit` may write. */
  | { readonly list: "writableRoots"; readonly folder: string };

/** A native rule or setting that means nothing here, or something else. Nothing is written for it. */
export interface Lost {
  readonly text: string;
  readonly line: number;
  readonly effect?: Effect;
  readonly why: string;
  readonly help?: string;
}

/** What a native file says, in our words. */
interface Reading {
  readonly rules: readonly Converted[];
  readonly lost: readonly Lost[];
}

/** A file that cannot be read as what it should be. */
export interface Unreadable {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

export type NativeRead = Reading | Unreadable;

/** Whose rules a file holds: a person's, or those of one project. */
export type NativeScope = "user" | "project";

export interface NativeContext {
  readonly scope: NativeScope;
  readonly home: string;
  /** The project the rules would go to; undefined outside git. */
  readonly project: string | undefined;
}

/** Where a native rule stands. */
export interface NativeOrigin {
  readonly effect: Effect;
  readonly text: string;
  readonly line: number;
  readonly reason?: string;
}

/** Reads native rules one by one. */
export class Collector {
  readonly rules: Converted[] = [];
  readonly lost: Lost[] = [];

  keep(outcome: readonly Converted[] | Loss, origin: Omit<NativeOrigin, "effect"> & { readonly effect?: Effect }): void {
    if ("why" in outcome) this.lose(origin, outcome.why, outcome.help);
    else this.rules.push(...outcome);
  }

  lose(origin: Omit<NativeOrigin, "effect"> & { readonly effect?: Effect }, why: string, help?: string): void {
    const { text, line, effect } = origin;
    this.lost.push({ text, line, why, ...(effect === undefined ? {} : { effect }), ...(help === undefined ? {} : { help }) });
  }

  /** One native rule may be said in several of ours, and be lost for one reason several times. */
  result(): Reading {
    const lost = new Map(this.lost.map((one) => [`${one.line} ${one.text} ${one.why}`, one]));
    return { rules: this.rules, lost: [...lost.values()] };
  }
}

/** Why a rule could not be converted. */
export interface Loss {
  readonly why: string;
  readonly help?: string;
}
