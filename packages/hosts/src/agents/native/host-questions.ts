import { readdirSync } from "node:fs";
import { isObject } from "@assent/core/data";
import { readJson5, toValue } from "@assent/core/edit/json5";
import { errorCode, readRegular } from "@assent/guard/state";
import type { NativeRuleReader, NativeSurroundings } from "../rules/contract.ts";
import { filesOf } from "./host-rules.ts";
import { startObjection } from "../rules/host-start.ts";

const MAX_BYTES = 1 << 20;
const MOST_FILES = 500;
const DEEPEST = 4;

/**
 * Who else than a rule in the host's settings may have asked about a command of its shell: its command line, a hook of somebody
 * else's, a plugin; undefined: nobody. Where the host itself does not say it, each could be a person's question.
 *
 * @param isOurs whether a registered hook is Assent's
 */
export function otherQuestion(
  { places, questions }: NativeRuleReader,
  around: NativeSurroundings,
  isOurs: (handler: unknown) => boolean,
  pid = around.asker,
): string | undefined {
  if (questions === undefined) return "it is not known who had the host ask";
  const { start, hooks, shell, plugins, definitions } = questions;
  const started = startObjection(start, pid);
  if (started !== undefined) return started;
  for (const file of places(around).flatMap(filesOf)) {
    const found = readRegular(file, MAX_BYTES);
    if (found.is === "missing") continue;
    const root = found.is === "text" ? readJson5(found.text).root : undefined;
    const value = root === undefined ? undefined : toValue(root);
    if (!isObject(value)) return `${file} cannot be understood, and might hold hooks that ask`;
    if (hasOther(isObject(value["hooks"]) ? value["hooks"][hooks] : undefined, shell, isOurs))
      return `a hook in ${file} might have asked about it`;
    if (!isEmpty(value[plugins])) return `a plugin that ${file} switches on might have asked about it`;
  }
  for (const folder of definitions(around)) {
    const why = hooksBelow(folder);
    if (why !== undefined) return why;
  }
  return undefined;
}

const isEmpty = (value: unknown): boolean => value === undefined || (isObject(value) && Object.values(value).every((on) => on === false));

/** Somebody else's handler is called for the shell's tool. */
function hasOther(groups: unknown, shell: string, isOurs: (handler: unknown) => boolean): boolean {
  if (groups === undefined) return false;
  if (!Array.isArray(groups)) return true;
  return groups.some((group: unknown) => {
    if (!isObject(group) || !Array.isArray(group["hooks"])) return true;
    const { matcher } = group;
    // Names alone are compared whole; anything else is a pattern.
    const isElsewhere = typeof matcher === "string" && /^[\w|]+$/.test(matcher) && !matcher.split("|").includes(shell);
    return !isElsewhere && !group["hooks"].every(isOurs);
  });
}

/** What stands between lines of `---` at the beginning; without the second it is the whole file. */
function headOf(text: string): string {
  const start = text.trimStart();
  return start.startsWith("---") ? (start.split(/\n---/, 1)[0] ?? "") : "";
}

/** A backslash may write a letter of the key (YAML 1.2, "Escaped Characters"). */
const MAY_NAME_HOOKS = /hooks|\\/i;

/** Agents and skills bring hooks in the head of a Markdown file. */
function hooksBelow(folder: string, depth = 0, count = { files: 0 }): string | undefined {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR" ? undefined : `${folder} cannot be read, and might hold hooks`;
  }
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    count.files += 1;
    if (count.files > MOST_FILES || depth > DEEPEST) return `${folder} holds too much to look for hooks in`;
    if (entry.isDirectory() || entry.isSymbolicLink()) {
      const why = hooksBelow(path, depth + 1, count);
      if (why !== undefined) return why;
    }
    if (entry.isDirectory() || !/\.md$/i.test(entry.name)) continue;
    const found = readRegular(path, MAX_BYTES);
    if (found.is === "broken" || (found.is === "text" && MAY_NAME_HOOKS.test(headOf(found.text))))
      return `${path} might hold a hook that asks`;
  }
  return undefined;
}
