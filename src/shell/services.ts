import type { DangerId } from "../action/index.ts";
import { toolOf } from "./danger-words.ts";
import type { HandingCall } from "./handed-commands.ts";
import { argumentOf } from "./program.ts";
import { entriesBelow, entryFor, type KnowledgeEntry } from "./knowledge/entries.ts";
import { literal, NOTHING, textOf, type Value } from "./value.ts";

const SERVICE: ReadonlySet<DangerId> = new Set(["publish", "remote-destroy", "data-wipe"]);

/**
 * What a tool does for all to see, or for good, it does whoever starts it, and whatever the package is called: `yarn vercel --prod`,
 * `nvm exec 20 npm publish`, `npx aws-cdk destroy`. Nothing else is taken from its table: which code runs nobody has seen. A word of
 * `folders` is no tool's name.
 */
export function noteServices(call: HandingCall, words: readonly Value[], exec: number, folders: readonly Value[] = []): void {
  const { cx } = call;
  // Whoever tries a command looks at each of its words.
  if (cx.triesTool) return;
  for (const [at, word] of words.entries()) {
    if (folders.includes(word)) continue;
    const tool = toolOf(textOf(word) ?? "");
    const entry = entryFor(tool);
    if (entry === undefined || !servesOthers(entry)) continue;
    const rest = words.slice(at + 1);
    noteService(call, [literal(tool), ...rest], exec);
    // npm and pnpm take one away, of whatever they start.
    const dashes = rest.findIndex((one) => textOf(one) === "--");
    if (dashes >= 0) noteService(call, [literal(tool), ...rest.toSpliced(dashes, 1)], exec);
  }
}

function noteService({ cx, state, run }: HandingCall, words: readonly Value[], exec: number): void {
  const dangers = cx.rehearse(() => {
    const from = cx.actions.length;
    cx.triesTool = true;
    run.argv(cx, state.fork(), words, NOTHING, exec);
    cx.triesTool = false;
    return cx.actions.slice(from).flatMap((action) => (action.kind === "exec" ? (action.dangers ?? []) : []));
  });
  for (const danger of dangers) if (SERVICE.has(danger)) cx.addDanger(exec, danger);
}

const serving = new WeakMap<KnowledgeEntry, boolean>();

function servesOthers(entry: KnowledgeEntry): boolean {
  const known = serving.get(entry);
  if (known !== undefined) return known;
  const told = [entry.effects, entry.rows.options, entry.dangers, entry.otherwise, entry.stranger].join("\n");
  const serves = /\b(?:publish|remote-destroy|data-wipe)\b/.test(told) || entriesBelow(entry).some((below) => servesOthers(below.entry));
  serving.set(entry, serves);
  return serves;
}

/** The package, module or path that a runner is given is a program of another name: rules that deny or ask speak of that, too. */
export function noteRenamed({ cx }: Pick<HandingCall, "cx">, words: readonly Value[], package_: Value, exec: number): void {
  const name = textOf(package_) ?? "";
  const tool = toolOf(name);
  if (tool === name || entryFor(tool) === undefined) return;
  const at = words.indexOf(package_);
  const argv = [{ known: true as const, text: tool }, ...words.slice(at + 1).map((word) => argumentOf(cx, word))];
  cx.refineExec(exec, { elsewhere: [{ argv, at, certain: true }] });
}
