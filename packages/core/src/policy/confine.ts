import { confineAll, type ConfineContext } from "./confine-all.ts";
import type { Policy } from "./match/types.ts";
import { type RequestVerdict, verdictOf } from "./match/verdict.ts";

/** After judging: what is confined where something can be, and what is asked about where nothing can. */
export function confine(found: RequestVerdict, policy: Policy, context: ConfineContext): RequestVerdict {
  if (!confinesAnything(policy)) return found;
  return context.confines === true ? confineAll(found, policy, context) : askedUnseen(found, policy, context);
}

/** Where nothing can be confined, a person is asked about what would be for the sake of such a file. */
function askedUnseen(found: RequestVerdict, { settings }: Policy, { unseen }: ConfineContext): RequestVerdict {
  const why = found.decision === "allow" && settings.unknown !== "confine-log" ? unseen?.(found) : undefined;
  if (why === undefined) return found;
  const { actions, unknowns } = found;
  return { ...verdictOf("ask", "confine.unseen", { reason: why }), actions, unknowns };
}

/** A run allows less by itself under the stricter presets: what these ask about stays a question. */
export function confinesAnything({ settings, broken }: Policy): boolean {
  const { preset, unknown, mode } = settings;
  const wanted = unknown === "confine" || unknown === "confine-log" || (mode === "full-auto" && unknown !== "deny");
  return wanted && broken === undefined && (preset === "default" || preset === "permissive");
}
