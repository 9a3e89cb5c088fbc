import type { ToolEffects } from "../create-guard/effects.ts";
import type { OnToolAsk } from "../ask.ts";
import type { OpenedGuard } from "../guard/open-guard.ts";
import type { AdapterOptions } from "./judge.ts";

/** A guard of `createGuard`, as adapters take it: the same from whichever copy of this package. */
export const OPENED: unique symbol = Symbol.for("assent.guard");

/** What an adapter needs of a guard that is made in code. */
export interface GuardInCode {
  [OPENED](effects?: ToolEffects): { readonly guard: OpenedGuard; readonly onAsk: OnToolAsk | undefined };
}

/** A guard of `createGuard`, or one of `openGuard`. */
export type AnyGuard = OpenedGuard | GuardInCode;

/** The two kinds of guards as one. A guard that is made in code answers its own questions, unless the adapter is told who does. */
export function adapted<Told extends Pick<AdapterOptions, "effects">>(
  guard: AnyGuard,
  options: Told & { readonly onAsk?: unknown },
): { readonly guard: OpenedGuard; readonly options: Told } {
  if (!(OPENED in guard)) return { guard, options };
  const { guard: opened, onAsk } = guard[OPENED](options.effects);
  return { guard: opened, options: options.onAsk !== undefined || onAsk === undefined ? options : { ...options, onAsk } };
}
