import { singleQuoted } from "@assent/core/action";
import type { FramedCommand } from "../host/protocol.ts";

/**
 * What Claude Code 2.1.330 starts for a command of its shell tool: `source SNAPSHOT 2>/dev/null || true && … && eval 'COMMAND'
 * < /dev/null && pwd -P >| /tmp/claude-1a2b-cwd`. The command is quoted as `'it'"'"'s'`, or stands bare where no character of it needs that.
 */
const SNAPSHOT = String.raw`(/[\w./-]+)/shell-snapshots/snapshot-[\w.-]+\.sh`;
const OPTIONS = String.raw`\{ \\builtin shopt -u extglob \|\| \\builtin setopt [A-Z_ ]+; \}`;
const ALIASES = String.raw`\{ \\builtin unalias -- '[\w-]+'; \\builtin unset -f -- '[\w-]+'; \}`;
const FRAME = new RegExp(
  String.raw`^source ${SNAPSHOT} 2>/dev/null \|\| true && (?:(?:${OPTIONS}|${ALIASES}) >/dev/null 2>&1 \|\| true && )*` +
    String.raw`eval ([^]*?)(?: < /dev/null)? && pwd -P >\| (/[\w./-]*/claude-[0-9a-f]+-cwd)$`,
  "d",
);

/** The command of the tool in such a text, with a snapshot below this folder; undefined: it is no such text, to the last character. */
export function commandIn(text: string, folder: string): FramedCommand | undefined {
  const found = FRAME.exec(text);
  const [, from, word, aside] = found ?? [];
  const [start, end] = found?.indices?.[2] ?? [];
  if (word === undefined || aside === undefined || from !== folder) return undefined;
  const around = (line: string): string => `${text.slice(0, start)}${singleQuoted(line)}${text.slice(end)}`;
  if (/^[\w./:=@%+,-]+$/.test(word)) return { command: word, aside, around };
  if (!/^(?:'[^']*'|"'")+$/.test(word)) return undefined;
  return { command: word.replace(/'([^']*)'|"'"/g, (_, inner: string | undefined) => inner ?? "'"), aside, around };
}
