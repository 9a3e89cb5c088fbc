import type { Action } from "@assent/core/action";
import type { Decision } from "@assent/core/policy";

/**
 * A check of a user's own, in `~/.config/assent/extensions` (docs/extensions.md). It can only tighten: what it has no
 * answer to stays as it was judged.
 *
 * ```ts
 * import type { Extension } from "assent";
 *
 * const extension: Extension = {
 *   check: ({ actions }) =>
 *     actions.some((action) => action.kind === "exec" && action.program === "terraform")
 *       ? { decision: "ask", reason: "terraform only with a person watching" }
 *       : undefined,
 * };
 * export default extension;
 * ```
 */
export interface Extension {
  readonly check: (question: ExtensionQuestion) => ExtensionAnswer | Promise<ExtensionAnswer>;
}

/** Nothing: no objection. A reason is one line for a person, and for the model. */
export type ExtensionAnswer = undefined | null | { readonly decision: "ask" | "deny"; readonly reason: string };

/** What an extension is asked: plain data, frozen. */
export interface ExtensionQuestion {
  readonly version: 1;
  /** The call as it arrived. */
  readonly request: {
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly cwd: string;
    readonly sessionRoot?: string;
    /** Where it is judged: `hook`, `explain`, `library`, `mcp`, … */
    readonly point: string;
    readonly agent: string;
    readonly subagent?: string;
    readonly session?: string;
    readonly event?: string;
    readonly mode?: string;
  };
  /** What it would do. */
  readonly actions: readonly Action[];
  /** What could not be known, and why. */
  readonly unknowns: readonly { readonly reason: string }[];
  /** What Assent says so far; never `deny`, which nothing could tighten. */
  readonly verdict: { readonly decision: Decision; readonly reason: string };
  readonly home: string;
  readonly projectRoot: string;
}
