import type { Action, FileOperation, InTwo } from "@assent/core/action";
import { isConfined, type RequestVerdict } from "@assent/core/policy";
import type { Request } from "@assent/core/request";
import { inTwo } from "@assent/core/shell";

/** Who starts a line in two; elsewhere it is one, or none. */
const POINTS: ReadonlySet<string> = new Set(["hook", "shell", "explain", "replay", "bench", "test"]);

/**
 * A line that would fail confined for the sake of a part that only looks, at the beginning: that part goes first, as it is, and the
 * rest confined. INVARIANT: each of the two is judged as a line of its own, the first is allowed as it is, and the rest is what would
 * have been confined without it.
 */
export function goInTwo(
  { facts, input, point }: Request,
  verdict: RequestVerdict,
  judge: (line: string) => RequestVerdict,
): RequestVerdict | undefined {
  if (verdict.builtin !== "confine.fails" || facts?.does !== "shell" || facts.list === true || !POINTS.has(point)) return undefined;
  if (!verdict.actions.some(({ action }) => action.kind === "exec" && action.needs !== undefined)) return undefined;
  const line = input[facts.field];
  if (typeof line !== "string") return undefined;
  for (const cut of inTwo(line)) {
    const [rest, first] = [judge(cut.rest.join("(exit 1)")), judge(cut.first)];
    // A longer first part does not become one that only looks.
    if (!isAsItIs(first)) return undefined;
    if (isConfined(rest)) return { ...rest, actions: verdict.actions, unknowns: verdict.unknowns, confined: plain(verdict), ...said(cut) };
  }
  return undefined;
}

/** What an agent changes outside of a run is written down (`noteChange`), and a confined line is not: the first part changes no file. */
const isAsItIs = ({ decision, confined, actions }: RequestVerdict): boolean =>
  decision === "allow" && confined === undefined && !actions.some(({ action }) => isChange(action));

const LOOKS: ReadonlySet<FileOperation> = new Set(["read", "list"]);
const isChange = (action: Action): boolean => action.kind === "file" && action.upkeep !== true && !LOOKS.has(action.operation);

const plain = ({
  actions: _actions,
  unknowns: _unknowns,
  confined: _confined,
  ...verdict
}: RequestVerdict): NonNullable<RequestVerdict["confined"]> => verdict;

const said = (cut: InTwo): Pick<RequestVerdict, "reason" | "inTwo"> => ({
  reason: "its first part only looks, and goes first; the rest goes ahead sandboxed",
  inTwo: cut,
});
