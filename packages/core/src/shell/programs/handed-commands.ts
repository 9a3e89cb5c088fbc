import { INTERPRETER, RUINS, RUNNER } from "#knowledge/traits";
import { isOneOf, PROMPTED_PROGRAMS } from "../../policy/index.ts";
import type { CodeAction } from "../../action/index.ts";
import type { Context } from "../words/context.ts";
import { noteHandedDangers } from "./danger-words.ts";
import { readElsewhere } from "./elsewhere.ts";
import { entryFor } from "../knowledge/entries.ts";
import type { CommandRunner } from "./invocation.ts";
import type { ShellState } from "../words/state.ts";
import { literal, type Stream, textOf, type Value } from "../words/value.ts";
import { sharedInput } from "../words/input.ts";
import { noteServices } from "./services.ts";

export interface HandingCall {
  readonly cx: Context;
  readonly state: ShellState;
  readonly run: CommandRunner;
  readonly stdin: Stream;
}

/** Programs that ruin what they are pointed at, and packages that do the same. */
const RUINS_IN_PLACE = [...RUINS].map((name) => (name === "mkfs" ? String.raw`mkfs(?:\.\w+)?` : name)).join("|");
const RUINER = new RegExp(`^(?:${RUINS_IN_PLACE})$`);
const REMOVERS = /^(?:npm:)?(?:rimraf|del|del-cli|premove|rmrf)(?:@[\w.^~-]+)?$/;
/** How code is given to programs that run it from their command line. */
const INLINE = /^(?:-[A-Za-z]*[cemprx]|--?(?:eval|print|execute|command|exec|module|Command)(?:=.*)?|eval)$/s;
const EVALUATES = /^(?:-[A-Za-z]*[cex]|--?(?:eval|execute|command|exec)|runner)=/;
/** `rm -rf ~` written into one word. */
const LINE = new RegExp(String.raw`^\s*(?:sudo\s+)?(?:${RUINS_IN_PLACE}|rimraf|del-cli)\s[^]*(?:[\s=][/~]|\$\{?HOME)`);

/** Where so many words stand behind those that may be programs, they are no command that anybody writes. */
const MOST_BEHIND = 20_000;

/** A longer text is not searched: there may be a rule for each of its words. */
const MOST_UNREAD = 16_384;

/** What its entry in the tables says of the command that starts them. */
export interface KnownCommand {
  readonly id: string | undefined;
  /** It runs code of the project. */
  readonly runs: boolean;
  readonly understood: boolean;
  /** Not for code that it runs: what is written has something that is in no table. */
  readonly doubted: boolean;
  readonly values: readonly Value[];
  /** Values of options that are folders: `make -C docker push`. */
  readonly folders: readonly Value[];
  /** It writes files itself: words may be names of packages. */
  readonly installs: boolean;
}

/**
 * Words behind a program that may start them: where one of them and what follows would ruin something outside the project,
 * it is judged as if it ran. Nothing is found by it that a person could mean inside the project.
 */
export function readHandedCommands(
  call: HandingCall,
  name: string,
  words: readonly Value[],
  applied: KnownCommand | undefined,
  exec: number,
): void {
  const known = applied !== undefined;
  const elsewhere = known ? entryFor(name)?.elsewhere : undefined;
  // What a shell runs was judged by itself where all of it was read, and no script or module in it gets the words.
  const isRead = known && applied.understood && call.cx.actions.slice(exec + 1).every(({ kind }) => kind !== "code");
  const isUnread = !known || applied.id === undefined || (isOneOf(INTERPRETER, name) && !isRead);
  if (isUnread || RUNNER.has(name) || elsewhere !== undefined) noteHandedDangers(call.cx, words, exec);
  if (!known || !applied.understood) noteServices(call, words, exec, applied);
  if (elsewhere !== undefined && readElsewhere(call, elsewhere, words, exec)) return;
  if (!known && PROMPTED_PROGRAMS.includes(name)) return;
  const open = applied?.id === undefined;
  // Of a script, or a package's program, nobody knows its words.
  const from = !known ? 1 : open && applied.runs ? 2 : words.length + 1;
  const texts = words.map((word) => textOf(word));
  const codes = codeOf(call, exec);
  const isDoubted = known && applied.doubted;
  if (open || isDoubted || codes.length > 0) call.cx.refineExec(exec, { handed: from });
  const input = call.stdin.is === "text" ? textOf(call.stdin.value) : undefined;
  // Of a language that is read it is what was not understood.
  const isCode = codes.some(({ source }) => source === "inline");
  // What code that lies elsewhere makes of its input is in no table, either.
  const runsInput = codes.some(({ source }) => source !== "inline");
  const isSearched = isCode || isDoubted || RUNNER.has(name);
  const unread = [
    ...(input !== undefined && isSearched ? [{ text: input, isCode }] : []),
    // Who may as well take it for a text starts what stands at a beginning.
    ...(input !== undefined && !isSearched && (open || runsInput) ? [{ text: input, isCode: false, begins: true }] : []),
    ...(runsInput ? words.flatMap((word, at) => inlineIn(word, words[at - 1])) : []),
    ...(isCode || isDoubted ? [{ text: words.map((word) => wordOf(word, applied?.values)).join(" "), isCode: false }] : []),
  ];
  if (unread.some(({ text }) => text.length > MOST_UNREAD))
    call.cx.unknown("a text that may have commands in it is too long to look for them", { help: "put it into a file" });
  else if (unread.length > 0) call.cx.refineExec(exec, { unread });
  if (known && !RUNNER.has(name)) return;
  if (!known && REMOVERS.test(name) && leavesProject(call, texts)) judge(call, words, ["rm", "-rf"], exec);
  // Looked for once: each word is asked what stands behind it.
  const lastInline = texts.findLastIndex((text) => text !== undefined && INLINE.test(text));
  const lastOutside = texts.findLastIndex((text) => leavesProject(call, [text]));
  let behind = 0;
  texts.forEach((text, at) => {
    if (text === undefined) return;
    const line = text.replace(/^--?[\w-]+=/, "");
    // `npm:tsx`, `tsx@4`, `@scope/tsx`, `nixpkgs#python3`.
    const packaged = text.replace(/^(?:npm:|[^#\s]*#)?(?:@[\w.-]+\/)?/, "").replace(/@[^@]*$/, "");
    const ruins = at < lastOutside && (RUINER.test(text) || REMOVERS.test(text));
    const interprets = at < lastInline && isOneOf(INTERPRETER, packaged);
    if ((ruins || interprets) && (behind += words.length - at) > MOST_BEHIND)
      call.cx.unknown("the command has too many words that may be programs which it starts");
    else if (interprets) judgeOnce(call, words.slice(at + 1), packaged, exec);
    else if (ruins && REMOVERS.test(text)) judge(call, words.slice(at + 1), ["rm", "-rf"], exec);
    else if (ruins) judgeOnce(call, words.slice(at + 1), text, exec);
    else if (LINE.test(line))
      call.run.script(
        call.cx,
        call.state.fork(),
        literal(line.replace(/^\s*(?:rimraf|del-cli)\s/, "rm -rf ")),
        sharedInput(call.cx.stdin),
        {},
      );
  });
}

/** `ghci -e CODE`, `artisan tinker --execute=CODE`, `rails runner CODE`: code for what is known to run code. */
function inlineIn(word: Value, before: Value | undefined): readonly { readonly text: string; readonly isCode: true }[] {
  const text = textOf(word) ?? "";
  const isBehind = EVALUATES.test(`${before === undefined ? "" : textOf(before)}=`);
  return isBehind || EVALUATES.test(text) ? [{ text, isCode: true }] : [];
}

/** A word among the others. The value of an option begins no command with what follows: `npm -w docker run build`. */
const wordOf = (word: Value, values: readonly Value[] = []): string => {
  const text = textOf(word) ?? ";";
  return values.includes(word) ? ` ;${/\s/.test(text) ? text : ""}; ` : text;
};

/** The code that it runs; what that does with the words is in no table. */
const codeOf = ({ cx }: HandingCall, exec: number): readonly CodeAction[] =>
  cx.actions
    .slice(exec + 1)
    .flatMap((action) => (action.kind === "code" && action.origin.by === "command" && action.origin.exec === exec ? [action] : []));

/** A program that is handed on with its words, unless the table has started it with just these already. */
function judgeOnce(call: HandingCall, rest: readonly Value[], program: string, exec: number): void {
  const words = textOf(rest[0] ?? literal("")) === "--" ? rest.slice(1) : rest;
  const texts = words.map((word) => textOf(word));
  const isStarted = call.cx.actions
    .slice(exec + 1)
    .some(
      (action) =>
        action.kind === "exec" &&
        action.program === program &&
        action.argv.length === words.length + 1 &&
        action.argv.slice(1).every((word, at) => word.known && word.text === texts[at]),
    );
  if (!isStarted) judge(call, words, [program], exec);
}

function judge({ cx, state, run }: HandingCall, rest: readonly Value[], program: readonly string[], exec: number): void {
  run.argv(cx, state.fork(), [...program.map(literal), ...rest], sharedInput(cx.stdin), exec);
}

function leavesProject({ cx }: HandingCall, texts: readonly (string | undefined)[]): boolean {
  const { projectRoot, temp } = cx.world;
  return texts.some((text) => {
    const path = text?.replace(/^of=/, "") ?? "";
    return path.startsWith("/") && !path.startsWith("/dev/null") && ![projectRoot, ...temp].some((root) => path.startsWith(`${root}/`));
  });
}
