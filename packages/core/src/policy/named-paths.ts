import type { ExecAction, FileAction, FileOperation, NamedPath, World } from "../action/index.ts";
import { baseName, extensionOf, joinPath } from "../path/index.ts";
import type { Verdict } from "./match/verdict.ts";
import { pathScopeOf } from "./kinds/index.ts";
import type { MatchContext } from "./match/match-context.ts";
import { NO_MATCHES, findMatchingRules, type MatchedRules } from "./matched-rules.ts";
import { isRawDevice, isSecret, isSecretByName, isSecretOf } from "./path-class.ts";
import type { RuleIndex } from "./rule-index.ts";
import type { Rule } from "./match/types.ts";
import { byRule } from "./verdicts.ts";

/**
 * Words of a command that nobody says the meaning of, held against secrets and written rules. As with the input of a
 * server's tool (`request/undescribed-tools.ts`) it only ever narrows: a word is supposed to be read, and to be changed.
 *
 * - read: what a written rule denies or asks, and what is a secret, is denied or asked as for `cat`;
 * - changed: only written deny rules count. One that spells this path denies; a pattern, which may well mean to let
 *   the file be read, asks. The preset's protections against changes say nothing about a mere word, but for one that an
 *   option names what is written (`mytool -o /etc/passwd`).
 */
export interface NamedContext {
  readonly index: RuleIndex;
  readonly match: MatchContext;
  /** The secrets' protection of reading, and any against writing, unless a written allow names the path. */
  readonly protect: (action: FileAction, written: MatchedRules) => Verdict | undefined;
}

const CHANGES: readonly FileOperation[] = ["write", "edit", "delete"];

export function judgeNamed(action: ExecAction, at: number, context: NamedContext): Verdict | undefined {
  let asks: Verdict | undefined;
  for (const named of action.named ?? []) {
    const verdict = judgeOne(named, at, context);
    if (verdict?.decision === "deny") return verdict;
    asks ??= verdict;
  }
  return asks;
}

function judgeOne(named: NamedPath, exec: number, context: NamedContext): Verdict | undefined {
  const { world } = context.match;
  const read: FileAction = {
    kind: "file",
    operation: "read",
    target: named.target,
    origin: { by: "command", exec },
    ...(named.word.includes("..") ? { asGiven: named.word } : {}),
  };
  const written = writtenOn(read, context);
  const reading =
    speaks(written.deny?.rule, written.deny?.certain, named, world) ?? speaks(written.ask?.rule, written.ask?.certain, named, world);
  if (reading?.decision === "deny") return about(reading, named);
  const secret = mayBeSecret(named, world) ? context.protect(read, written) : undefined;
  // A disk is no secret by its name: what asks about it is right, what reads it is judged by itself.
  if (secret !== undefined) return about(isRawDevice(pathOf(named) ?? "") ? { ...secret, decision: "ask" } : secret, named);
  if (reading !== undefined) return about(reading, named);
  const change: FileAction = { ...read, operation: "write" };
  const writing = named.written === true ? context.protect(change, writtenOn(change, context)) : undefined;
  if (writing !== undefined) return about(writing, named);
  for (const operation of CHANGES) {
    const rule = writtenOn({ ...read, operation }, context).deny;
    const verdict = speaks(rule?.rule, rule?.certain, named, world);
    if (verdict?.decision === "deny" && rule !== undefined)
      return about(isSpelled(rule.rule) ? verdict : { ...verdict, decision: "ask" }, named);
  }
  return undefined;
}

/** What is written about a path, and about what lies in it when it is a folder. */
function writtenOn(action: FileAction, { index, match }: NamedContext): MatchedRules {
  if (!index.hasRules && !index.hasBlocks) return NO_MATCHES;
  const own = findMatchingRules(action, index, match);
  if (own.deny?.certain === true || action.target.kind !== "path" || match.world.kind(action.target.path) !== "directory") return own;
  const { path } = action.target;
  const inside = findMatchingRules({ ...action, target: { kind: "path", path: joinPath(path, "\u{1}") } }, index, match);
  return inside.deny?.certain === true || own.ask === undefined ? { ...own, deny: inside.deny, ask: own.ask ?? inside.ask } : own;
}

/** A rule's verdict, where the rule names a place and the word may well mean a file there. */
function speaks(rule: Rule | undefined, certain: boolean | undefined, { target, part }: NamedPath, world: World): Verdict | undefined {
  const scope = rule === undefined ? undefined : pathScopeOf(rule.matcher);
  if (rule === undefined || certain !== true || scope === undefined) return undefined;
  const { pattern } = scope;
  const there = target.kind === "path" && world.kind(target.path) !== "missing";
  const names = pattern !== undefined && /[^*?/.~[\]{},]/.test(pattern);
  return there || (names && part !== true) ? byRule(rule) : undefined;
}

function isSpelled({ matcher }: Rule): boolean {
  const pattern = pathScopeOf(matcher)?.pattern;
  return pattern !== undefined && !/[*?[\]{]/.test(pattern);
}

const pathOf = ({ target }: NamedPath): string | undefined => (target.kind === "path" ? target.path : undefined);

/** Extensions that keys of settings have, too: `process.env`, `app.key`. */
const DOTTED = new Set(["env", "key", "crt"]);

/** What is no file is a secret only where its name says nothing else. */
function mayBeSecret({ target, word, part }: NamedPath, world: World): boolean {
  if (target.kind !== "path") return target.kind === "glob" || (target.kind === "unknown" && target.within !== undefined);
  const { path } = target;
  if (!isSecretOf(world.home, path)) return false;
  if (world.kind(path) !== "missing") return true;
  const name = baseName(path);
  const bare = !word.includes("/");
  // `.Environment` is a field, `kubeconfig` a subcommand.
  if ((bare && (part === true || !/^\.|\.|^id_/.test(name))) || /^\.env[a-z]/i.test(name)) return false;
  if (isSecretByName(path) || !isSecret(path)) return true;
  const extension = extensionOf(name);
  return extension !== "" && (!bare || !DOTTED.has(extension)) && isSecret(`/x.${extension}`);
}

/** The verdict, with the word it is about. */
const about = (verdict: Verdict, { word }: NamedPath): Verdict =>
  word === "" || verdict.basis === "rule" ? verdict : { ...verdict, reason: `${verdict.reason} (named by \`${word.slice(0, 60)}\`)` };
