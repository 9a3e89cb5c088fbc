import type { Action, FileAction } from "@assent/core/action";
import { compareStrictness, type Verdict } from "@assent/core/policy";
import type { ProtectedObjects } from "./objects.ts";
import type { CallSubject } from "./types.ts";
import { ALLOWED, isMeant, TOO_LARGE } from "./verdicts.ts";

/** What would be said of a file. */
export const probe = (operation: FileAction["operation"], path: string): FileAction => ({
  kind: "file",
  operation,
  target: { kind: "path", path },
  origin: { by: "tool" },
  call: { name: "open", args: [path, operation === "read" ? "read" : "write"] },
});

/** What judging moved folders needs of the run's judge. */
export interface MoveContext {
  readonly objects: ProtectedObjects;
  /** `anybody`: whoever calls. */
  readonly file: (action: FileAction, anybody?: true) => Verdict;
  readonly isOwnPlace: (path: string) => boolean;
}

/** What a folder brings along to its new place is written there. */
export function judgeMove({ objects, file }: MoveContext, from: string, to: string, sockets?: string[]): Verdict {
  let strictest: Verdict = ALLOWED;
  const complete = objects.moved(from, to, (path, before, isSocket) => {
    if (isSocket && path !== to) sockets?.push(before);
    const written = probe("write", path);
    // What is moved by itself arrives by the call itself; what lies in it, by any.
    const verdict = file(path === to ? { ...written, call: { name: "rename", args: [from, to] } } : written);
    if (!isMeant(verdict) || compareStrictness(verdict, strictest) <= 0) return;
    const was = file(probe("write", before));
    if (was.decision !== verdict.decision || was.builtin !== verdict.builtin || was.rule !== verdict.rule) strictest = verdict;
  });
  return complete ? strictest : TOO_LARGE;
}

/**
 * A folder that is moved within the own places, in which everything is protected by its name, there as it was here
 * (`.git`, `.env`): moving it takes no protection away.
 */
export function keepsInside({ objects, file, isOwnPlace }: MoveContext, action: Action, moves: CallSubject["moves"] = []): boolean {
  if (action.kind !== "file" || action.target.kind !== "tree") return false;
  const { path } = action.target;
  const [from = "", to = ""] = moves.find(([before]) => before === path) ?? [];
  if (from === "" || !isOwnPlace(from) || !isOwnPlace(to)) return false;
  const about = (inside: string): string =>
    (["read", "edit"] as const)
      .map((operation) => file(probe(operation, inside), true))
      .map((verdict) => (isMeant(verdict) ? `${verdict.decision} ${verdict.builtin} ${verdict.rule?.file}:${verdict.rule?.text}` : ""))
      .join();
  let keeps = true;
  const complete = objects.within(from, (inside) => {
    keeps &&= about(from + inside) === about(to + inside);
  });
  return keeps && complete;
}
