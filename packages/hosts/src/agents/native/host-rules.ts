import { readdirSync } from "node:fs";
import type { Converted } from "@assent/import/import";
import type { Effect } from "@assent/core/policy";
import { errorCode, readRegular } from "@assent/guard/state";
import { rules as claude } from "../claude/rules.ts";
import { rules as codex } from "../codex/rules.ts";
import { rules as copilot } from "../copilot/rules.ts";
import { rules as cursor } from "../cursor/rules.ts";
import { rules as droid } from "../droid/rules.ts";
import { rules as gemini } from "../gemini/rules.ts";
import { openCodeRules, rules as opencode } from "../opencode/rules.ts";
import { rules as qwen } from "../qwen/rules.ts";
import { startObjection } from "../rules/host-start.ts";
import type { NativePlace, NativeRuleReader, NativeSurroundings, Speech } from "../rules/contract.ts";

/** The agents' own readers at once, for who cannot wait; a test holds them to what the agents declare. */
export const HOST_READERS: Readonly<Record<string, NativeRuleReader>> = {
  claude: claude.reader,
  codex: codex.reader,
  copilot: copilot.reader,
  cursor: cursor.reader,
  droid: droid.reader,
  gemini: gemini.reader,
  kilo: openCodeRules("kilo", ".kilo").reader,
  opencode: opencode.reader,
  qwen: qwen.reader,
};

const MAX_BYTES = 1 << 20;

/** A rule in a host's own settings. */
interface HostRule {
  readonly effect: Effect;
  /** As it stands there, for people. */
  readonly text: string;
  /** In our words; empty where it might speak of anything. */
  readonly about: string;
}

/** Why a command is not to be replaced by another one. */
export interface Objection {
  readonly why: string;
  /** The host may not hear the rule, so the command is a question of ours. */
  readonly asks?: true;
}

/**
 * Why a host's own deny or ask rules might speak about this command, so that another command in its place would take them away from
 * the user; undefined: they surely do not. A host matches words and patterns, so a rule of which some word does not occur speaks
 * about something else; what cannot be read might say anything.
 */
export function hostMightObject(
  agent: string,
  effects: readonly Effect[],
  command: string,
  around: NativeSurroundings,
): Objection | undefined {
  if (effects.length === 0) return undefined;
  const reader = HOST_READERS[agent];
  if (reader === undefined) return { why: "the host's own rules cannot be read" };
  const speech = (about: string): Speech => (reader.speaks ?? speechByWords)(about, command);
  const started = reader.start === undefined ? undefined : startObjection(reader.start, around.asker);
  if (started !== undefined) return { why: started };
  const read = reader.places(around).map((place) => ({ place, found: rulesIn(place, around) }));
  // Where the last rule that matches decides, a project's own allow may take back what is asked or denied before it.
  const isOverruled = read.some(({ place, found }) => place.scope === "project" && mightAllow(found, speech));
  for (const { place, found } of read) {
    const isProjects = place.scope === "project";
    // A host that is not known to trust a project reads none of its rules.
    const unheard = isOverruled || (isProjects && reader.trusts === true);
    const objection = (why: string, asks: boolean): Objection => ({ why, ...(asks ? { asks } : {}) });
    if ("problem" in found) return objection(`${place.path} ${found.problem}, and might hold rules of the host's`, isProjects);
    for (const { effect, text, about } of found.rules) {
      const spoken = !effects.includes(effect) ? "no" : about === "" ? "surely" : speech(about);
      if (spoken === "no") continue;
      const asks = (unheard || spoken === "perhaps") && reader.asksAnyway !== true;
      return objection(`a rule of the host's own may match it: ${effect} ${text}`, asks);
    }
  }
  return undefined;
}

type RulesFound = { readonly rules: readonly HostRule[] } | { readonly problem: string };

const mightAllow = (found: RulesFound, speech: (about: string) => Speech): boolean =>
  "rules" in found && found.rules.some(({ effect, about }) => effect === "allow" && (about === "" || speech(about) !== "no"));

function rulesIn(place: NativePlace, { home, project }: NativeSurroundings): RulesFound {
  const rules: HostRule[] = [];
  for (const file of filesOf(place)) {
    const found = readRegular(file, MAX_BYTES);
    if (found.is === "missing") continue;
    if (found.is === "broken") return { problem: found.why };
    const read = place.read(found.text, { scope: place.scope, home, project });
    if ("problem" in read) return { problem: `cannot be understood (${read.problem})` };
    for (const { effect, text, into } of read.rules) rules.push({ effect, text, about: aboutOf(into) });
    for (const { effect, text } of read.lost) {
      // In a folder of rules there is nothing else, so it could be a rule with any effect.
      if (effect === undefined && place.all !== undefined) return { problem: `cannot be understood (${text})` };
      if (effect !== undefined) rules.push({ effect, text, about: CALL.test(text) ? text : "" });
    }
  }
  return { rules };
}

/** A rule as Claude Code writes them. */
const CALL = /^[A-Za-z_][\w-]*(?:\(.*\))?$/s;

function aboutOf(into: Converted["into"]): string {
  switch (into.list) {
    case "permissions":
      return into.rule;
    case "default":
    case "writableRoots":
      return "";
    default:
      return into.pattern;
  }
}

/** The files of a place. */
export function filesOf({ path, all }: NativePlace): readonly string[] {
  if (all === undefined) return [path];
  try {
    return readdirSync(path)
      .filter((name) => name.endsWith(all))
      .map((name) => `${path}/${name}`);
  } catch (error) {
    // One that is there and cannot be listed is reported when it is read.
    return errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR" ? [] : [path];
  }
}

/** Tools besides the shell, whose rules no command of the shell is held to. */
const OTHER_TOOL = /^(?:mcp__|(?:WebFetch|WebSearch|Agent|Task|Skill|Glob|Grep|LS|PowerShell|SlashCommand|TodoWrite)\b)/;
const TOOL = /^[A-Za-z_][\w-]*\s*(?:(?=\()|$)/;

/** One simple command in which nothing is quoted, expanded, assigned or left out: every host reads it alike. */
const PLAIN = /^(?!\w+\+?=)[\w./@:=+,%-]+(?: [\w./@:=+,%-]+)*$/;

/**
 * By words, for a host of which it is not known how exactly it matches. `surely`: the command is nothing but the rule's words and further
 * ones. `perhaps`: every word of the rule occurs in it, be it in a comment.
 */
function speechByWords(about: string, command: string): Speech {
  if (OTHER_TOOL.test(about)) return "no";
  const body = about.replace(TOOL, "").replace(/^\((.*)\)$/s, "$1");
  if (!mightMatch(body, command)) return "no";
  const [, words = "", wild] = /^([\w./ -]*[\w./-])(:\*|\*| \*\*?)?$/.exec(body) ?? [];
  // Without a wildcard a rule is about these words alone, and of ` *` hosts differ in whether that is one word or any.
  const isSaid = command === words ? wild === undefined || wild !== " *" : wild !== undefined && command.startsWith(`${words} `);
  const isOneWord = wild !== " *" || !command.slice(words.length + 1).includes(" ");
  return words !== "" && PLAIN.test(command) && isSaid && isOneWord ? "surely" : "perhaps";
}

/** Every word of the rule occurs in the command, as written or without what quotes. Of alternatives in braces any could. */
function mightMatch(body: string, command: string): boolean {
  const words = [...body.replace(/\{[^}]*\}/g, " ").matchAll(/[\w.-]*\w[\w.-]*/g)];
  // Some hosts take no notice of case.
  const written = command.toLowerCase();
  const plain = written.replace(/['"\\]|\$(?=['"])/g, "");
  return words.every(([word], at) => {
    const start = words[at]?.index ?? 0;
    // `rm` is no word of `format`, but `rm*` is the beginning of one.
    const before = /[*?\]]/.test(body[start - 1] ?? "") ? "" : String.raw`(?<!\w)`;
    const after = /[*?[]/.test(body[start + word.length] ?? "") ? "" : String.raw`(?!\w)`;
    const found = new RegExp(`${before}${word.toLowerCase().replaceAll(".", String.raw`\.`)}${after}`);
    return found.test(written) || found.test(plain);
  });
}
