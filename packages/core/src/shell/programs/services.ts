import type { DangerId } from "../../action/index.ts";
import { toolOf } from "./danger-words.ts";
import type { HandingCall, KnownCommand } from "./handed-commands.ts";
import { argumentOf } from "./program.ts";
import { entriesBelow, entryFor, type KnowledgeEntry } from "../knowledge/entries.ts";
import { literal, NOTHING, textOf, type Value } from "../words/value.ts";

/** So many words that may be tools are tried, with so many words behind them in all. */
const MOST = 40;
const MOST_WORDS = 50_000;
const SERVICE: ReadonlySet<DangerId> = new Set(["publish", "remote-destroy", "data-wipe"]);

/**
 * What a tool does for all to see, or for good, it does whoever starts it, and whatever the package is called: `yarn vercel --prod`,
 * `nvm exec 20 npm publish`, `npx aws-cdk destroy`. Nothing else is taken from its table: which code runs nobody has seen. Words that
 * `known` says are folders are no tool's name.
 */
export function noteServices(call: HandingCall, words: readonly Value[], exec: number, known?: KnownCommand): void {
  const { cx } = call;
  // Whoever tries a command looks at each of its words.
  if (cx.triesTool) return;
  let tried = 0;
  let behind = 0;
  for (const [at, word] of words.entries()) {
    if (known?.folders.includes(word) === true) continue;
    const text = textOf(word) ?? "";
    const tool = toolOf(text);
    const entry = entryFor(tool);
    if (entry === undefined || !servesOthers(entry)) continue;
    behind += words.length - at;
    if (++tried > MOST || behind > MOST_WORDS) {
      cx.unknown("the command has too many words that may be programs which it starts");
      return;
    }
    // A name alone may be that of a package, or of a file: `npm i -D gh-pages`, `pytest tests/np`.
    if ((known?.installs === true || isFile(text)) && servicesOf(call, [literal(tool)], exec).length > 0) continue;
    const rest = words.slice(at + 1);
    noteService(call, [literal(tool), ...rest], exec);
    // npm and pnpm take one away, of whatever they start.
    const dashes = rest.findIndex((one) => textOf(one) === "--");
    if (dashes >= 0) noteService(call, [literal(tool), ...rest.toSpliced(dashes, 1)], exec);
  }
}

const isFile = (text: string): boolean => text.includes("/") && !/[@#:]|(?:^|\/)\.?bin\//.test(text);

function noteService(call: HandingCall, words: readonly Value[], exec: number): void {
  for (const danger of servicesOf(call, words, exec)) call.cx.addDanger(exec, danger);
}

function servicesOf({ cx, state, run }: HandingCall, words: readonly Value[], exec: number): readonly DangerId[] {
  return cx.rehearse(() => {
    const from = cx.actions.length;
    cx.triesTool = true;
    run.argv(cx, state.fork(), words, NOTHING, exec);
    cx.triesTool = false;
    const dangers = cx.actions.slice(from).flatMap((action) => (action.kind === "exec" ? (action.dangers ?? []) : []));
    return dangers.filter((danger) => SERVICE.has(danger));
  });
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
