import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import type { ToolFacts } from "@assent/guard/engine";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import type { ToolEffects } from "../create-guard/effects.ts";
import type { GuardInside } from "../create-guard/inside.ts";
import type { GuardAnswer } from "../create-guard/types.ts";
import type { AskQuestion } from "../common/ask.ts";
import type { AdaptedGuard } from "../common/adapted-guard.ts";
import type { AdapterOptions } from "./judge.ts";

/** A guard of `createGuard`, as adapters take it: the same from whichever copy of this package. */
export const OPENED: unique symbol = Symbol.for("assent.guard");

/** The inside of such a guard, for what does the work itself: backends, the gate of patches. */
export const INSIDE: unique symbol = Symbol.for("assent.guard.inside");

/** A guard that is made in code, as a backend takes it. */
export interface InsideGuard {
  [INSIDE](change?: { readonly cwd?: string }): GuardInside;
}

/** What an adapter needs of a guard that is made in code. */
export interface GuardInCode {
  [OPENED](effects?: ToolEffects): { readonly guard: AdaptedGuard; readonly onAsk: OnOpenedAsk | undefined };
}

/** Answers for such a guard, which keeps what the answer means for later. */
export type OnOpenedAsk = (question: AskQuestion) => Promise<GuardAnswer>;

/** A guard of `createGuard`, or one of `openGuard`. */
export type AnyGuard = AdaptedGuard | GuardInCode;

/** What every adapter takes. */
export const ADAPTER_OPTIONS = {
  facts: "object",
  effects: "object",
  onAsk: "function",
  subagent: "string",
  server: "string",
} satisfies Options<AdapterOptions>;

/**
 * The two kinds of guards as one. A guard that is made in code answers its own questions, unless the adapter is told who does. Throws
 * `TypeError` for what is no guard, and for options that are wrong or do not exist: `of` is who was given them.
 */
export function adapted<Told extends Pick<AdapterOptions, "effects">>(
  of: string,
  guard: AnyGuard,
  options: Told & { readonly onAsk?: unknown },
  known: Parameters<typeof checkOptions>[2] = ADAPTER_OPTIONS,
): { readonly guard: AdaptedGuard; readonly options: Told } {
  const given: unknown = guard;
  const isInCode = isObject(given) && OPENED in given;
  if (!isInCode && !(isObject(given) && typeof given["decide"] === "function"))
    throw new GuardOptionError("guard", `${of} takes a guard first: that of createGuard or of openGuard`);
  checkOptions(of, options, known);
  checkTools(of, options, isInCode);
  if (!(OPENED in guard)) return { guard, options };
  const { guard: opened, onAsk } = guard[OPENED](options.effects);
  return { guard: opened, options: options.onAsk !== undefined || onAsk === undefined ? options : { ...options, onAsk } };
}

/** What is said about tools: a mistake there would leave a tool to be judged by its name. */
function checkTools(of: string, { effects = {}, facts = {} }: Pick<AdapterOptions, "effects" | "facts">, isInCode: boolean): void {
  const names = Object.keys(effects);
  const wrong = names.find((name) => effects[name] !== "nothing" && typeof effects[name] !== "function");
  if (wrong !== undefined)
    throw new GuardOptionError("effects", `${of}: the effect of \`${visible(wrong)}\` must be "nothing" or a function of the input`);
  if (names.length > 0 && !isInCode)
    throw new GuardOptionError("effects", `${of}: \`effects\` need a guard of createGuard; openGuard's takes \`facts\``);
  const both = names.find((name) => Object.hasOwn(facts, name));
  if (both !== undefined) throw new GuardOptionError("effects", `${of}: \`${visible(both)}\` has an effect and facts: give one of them`);
  for (const [name, fact] of Object.entries<unknown>(facts))
    if (!isObject(fact) || !KINDS.some((kind) => kind === fact["does"]))
      throw new GuardOptionError("facts", `${of}: the facts of \`${visible(name)}\` must say what it does: ${KINDS.join(", ")}`);
}

const KINDS = ["shell", "argv", "file", "patch", "fetch", "tool", "opaque"] as const satisfies readonly ToolFacts["does"][];
