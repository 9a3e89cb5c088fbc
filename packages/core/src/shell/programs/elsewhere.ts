import type { Argument, DangerId, ElsewhereCommand } from "../../action/index.ts";
import { toolOf } from "./danger-words.ts";
import type { HandingCall } from "./handed-commands.ts";
import { entryFor } from "../knowledge/entries.ts";
import { literal, textOf, type Value } from "../words/value.ts";

/** So many words that may be programs are judged as if they were started. */
const MOST = 40;
const DESTROYS: ReadonlySet<DangerId> = new Set(["remote-destroy", "data-destroy", "data-wipe"]);

/**
 * A command that runs in another place (`CommandSpec.elsewhere`): a client destroys there what it would destroy here, and rules that deny or
 * ask speak about it. False where no such command stands among the words.
 */
export function readElsewhere(call: HandingCall, verbs: string, words: readonly Value[], exec: number): boolean {
  const { cx } = call;
  const texts = words.map((word) => textOf(word));
  const start = startOf(verbs, texts);
  const begins = start === undefined ? undefined : beginning(texts, start, verbs === "*");
  // What a program that is known does with its words it does there, too.
  const isKnown = begins !== undefined && entryFor(toolOf(texts[begins] ?? "")) !== undefined;
  const dangers = new Set<DangerId>();
  const commands: ElsewhereCommand[] = [];
  const argv = argvOf(call, exec);
  const entry = texts.findIndex((text) => text !== undefined && /^--entrypoint(?:=|$)/.test(text));
  if (entry >= 0 && begins !== undefined)
    commands.push({ argv: [...entrypoint(argv, entry), ...argv.slice(begins)], at: entry, certain: true });
  const judgeThere = (what: string | readonly Value[], at: number, counts: boolean, certain: boolean): void => {
    const { found, started } = rehearse(call, what, exec);
    for (const danger of found) dangers.add(danger === "data-destroy" ? "remote-destroy" : danger);
    if (counts) for (const one of started) commands.push({ argv: one, at, certain });
  };
  // Without a command a shell may wait there for its lines.
  const input = call.stdin.is === "text" && start !== undefined && texts[begins ?? -1] === undefined ? textOf(call.stdin.value) : undefined;
  if (input !== undefined) judgeThere(input, 0, true, false);
  let judged = 0;
  for (const [at, text] of texts.entries()) {
    if (text === undefined) continue;
    const isLine = /\s/.test(text);
    const certain = at === begins || IS_COMMAND.test(/^--[\w-]+=/.test(text) ? text : (texts[at - 1] ?? ""));
    const counts = start !== undefined && (isKnown ? certain : at >= start);
    // ssh(1) joins its words: a shell reads them there.
    const joined = at === begins && verbs === "*" ? joinedFrom(texts, at) : undefined;
    const line = joined ?? (isLine ? text.replace(/^--?[\w-]+=/, "") : undefined);
    if (counts && line === undefined && !text.startsWith("-")) commands.push({ argv: argv.slice(at), at, certain });
    if (line === undefined && entryFor(toolOf(text)) === undefined) continue;
    if (++judged > MOST) {
      // No rule for the program answers that: a denied command may stand among the words that are left.
      cx.unknown("the command has too many words that may be programs which it starts elsewhere");
      break;
    }
    judgeThere(line ?? words.slice(at), at, counts, certain);
  }
  for (const danger of dangers) cx.addDanger(exec, danger);
  if (commands.length > 0) cx.refineExec(exec, { elsewhere: commands });
  return start !== undefined;
}

function argvOf({ cx }: HandingCall, exec: number): readonly Argument[] {
  const action = cx.actions[exec];
  return action?.kind === "exec" ? action.argv.slice(1) : [];
}

/** `--entrypoint git`, `--entrypoint=git`. */
function entrypoint(argv: readonly Argument[], at: number): readonly Argument[] {
  const word = argv[at];
  const name = word?.known === true ? /^--entrypoint=(.*)$/s.exec(word.text)?.[1] : undefined;
  return name === undefined ? argv.slice(at + 1, at + 2) : [{ known: true, text: name }];
}

function rehearse({ cx, state, run, stdin }: HandingCall, what: string | readonly Value[], exec: number): Rehearsed {
  return cx.rehearse(() => {
    const from = cx.actions.length;
    if (typeof what === "string") run.script(cx, state.fork(), literal(what), stdin, {});
    else run.argv(cx, state.fork(), [literal(toolOf(textOf(what[0] ?? literal("")) ?? "")), ...what.slice(1)], stdin, exec);
    const actions = cx.actions.slice(from);
    return {
      found: actions.flatMap(({ dangers = [] }) => dangers.filter((id) => DESTROYS.has(id))),
      started: actions.flatMap((action) => (action.kind === "exec" && action.builtin !== true ? [action.argv] : [])),
    };
  });
}

interface Rehearsed {
  readonly found: readonly DangerId[];
  readonly started: readonly (readonly Argument[])[];
}

/** Where the first word stands that may belong to the command. */
function startOf(verbs: string, texts: readonly (string | undefined)[]): number | undefined {
  if (verbs === "*") return 0;
  const names = verbs.split(" ");
  const at = texts.findIndex((text) => text !== undefined && names.includes(text));
  return at < 0 ? undefined : at + 1;
}

/** An option whose value is the command, as a line. */
const IS_COMMAND = /^--(?:command|cmd|script)s?(?:=|$)/;

/** Options of ssh(1), and of those that start a command in a container. */
const SSH = { flag: /^-[46AaCfGgKkMNnqsTtVvXxYy]+$|^-[BbcDEeFIiJLlmOoPpRSWw]./s, value: /^-[BbcDEeFIiJLlmOoPpRSWw]$/ };
const CONTAINER = {
  flag: /^(?:-[itTdq]+|--(?:rm|init|tty|stdin|interactive|detach|quiet|no-deps|no-TTY|privileged|read-only|[\w-]+=.*))$/s,
  value: new RegExp(
    "^(?:-[uewnchvpml]|--(?:user|env|env-file|workdir|namespace|container|name|volume|mount|publish|network|net|entrypoint|hostname|" +
      "label|memory|cpus|platform|pull|context|image|zone|project|gpus|shm-size|index))$",
  ),
};

/** Where the command itself begins, if that is certain: behind `--`, or behind the one word that says where it runs. */
function beginning(texts: readonly (string | undefined)[], start: number, isSsh: boolean): number | undefined {
  const dashes = texts.indexOf("--", start);
  if (dashes >= 0 && !isSsh) return dashes + 1;
  const { flag, value } = isSsh ? SSH : CONTAINER;
  let host = false;
  for (let at = start; at < texts.length; at++) {
    const text = texts[at];
    if (text === undefined) return undefined;
    // OpenSSH's ssh.c reads options behind the host, too.
    if (isSsh && text === "--") return at + (host ? 1 : 2);
    if (value.test(text)) at++;
    else if (!flag.test(text)) {
      if (text.startsWith("-")) return undefined;
      if (!isSsh) return at + 1;
      if (host) return at;
      host = true;
    }
  }
  return undefined;
}

function joinedFrom(texts: readonly (string | undefined)[], at: number): string | undefined {
  const rest = texts.slice(at);
  return rest.includes(undefined) ? undefined : rest.join(" ");
}
