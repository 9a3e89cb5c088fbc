import type { Action, DangerId } from "../../action/index.ts";
import type { Invocation } from "./invocation.ts";
import { readDry } from "../knowledge/read-spec.ts";
import type { GivenOption } from "./options.ts";
import { textOf, type Value } from "../words/value.ts";

/** These words ask for the dry run that the table names, and nothing in them takes it back, or may. */
export function isDryRun(inv: Invocation, text: string): boolean {
  const dry = readDry(text);
  const given = inv.args.options.map(spellings);
  if (given.some((names) => names.some((name) => dry.unless.includes(name) || dry.unless.includes(stem(name))))) return false;
  const asked = given.filter((names) => names.some((name) => dry.names.some((one) => stem(one) === stem(name))));
  const isOne = asked.length > 0 && asked.every((names) => names.some((name) => dry.names.includes(name)));
  return isOne && !inv.words.some((word, at) => takesBack(textOf(word), inv.words[at - 1]));
}

const stem = (name: string): string => name.split("=", 1)[0] ?? "";

/** By all its names, with the value. */
function spellings({ option, value, written }: GivenOption): readonly string[] {
  const said = value === undefined ? "" : `=${textOf(value) ?? ""}`;
  return (option?.names ?? [written]).map((name) => `${name}${said}`);
}

/** `--dry-run false`: where a switch takes the next word, this one ends the dry run. */
const takesBack = (text: string | undefined, before: Value | undefined): boolean =>
  before !== undefined && textOf(before)?.startsWith("--") === true && (text === undefined || /^(?:false|0|no|off|none|null)$/i.test(text));

/** Where a program works says its words, whatever it then does there. */
const STAYS: ReadonlySet<DangerId> = new Set(["foreign-repository", "privilege"]);

/** What it would change it only looks at, but for what its options themselves write. */
export function settleDryRun({ cx, exec }: Invocation, from: number): void {
  cx.actions.forEach((action, at) => {
    if (at === exec && action.dangers !== undefined) cx.actions[at] = { ...action, dangers: action.dangers.filter((id) => STAYS.has(id)) };
    else if (at >= from && action.origin.by === "command" && action.origin.exec === exec) cx.actions[at] = asLook(action);
  });
}

function asLook(action: Action): Action {
  const { dangers: _, ...plain } = action;
  if (plain.kind === "remote") return { ...plain, operation: "read" };
  if (plain.kind === "file" && plain.operation !== "read") return { ...plain, operation: "list" };
  return action.kind === "system" ? { kind: "remote", service: action.area, operation: "read", origin: action.origin } : action;
}
