import {
  Collector,
  type Converted,
  type Loss,
  made,
  type NativeContext,
  type NativeRead,
  type NativeOrigin,
  pathRule,
  textRule,
} from "@assent/import/import";
import { keepOrdered, type OrderedRule } from "../rules/ordered.ts";

/**
 * Dippy's configuration (github.com/ldayton/Dippy, docs/config.md): one rule a line, the last that matches decides.
 * A pattern is over the whole text of a command, as fnmatch has it; a ` *` at the end also matches nothing.
 */

const LINE = /^(allow|ask|deny)(-redirect|-opt|-edit|-mcp)?\s+(.*)$/;

export function readDippy(text: string, { home }: NativeContext): NativeRead {
  const into = new Collector();
  const commands: OrderedRule[] = [];
  const files: OrderedRule[] = [];
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const written = whole.trim();
    const line = index + 1;
    if (written === "" || written.startsWith("#")) continue;
    const parts = LINE.exec(written);
    if (parts === null) {
      other(written, line, into);
      continue;
    }
    const [, effect = "", kind = "", rest = ""] = parts;
    if (effect !== "allow" && effect !== "ask" && effect !== "deny") continue;
    const { pattern, message } = split(rest);
    const origin: NativeOrigin = { effect, text: written, line, ...(message === undefined ? {} : { reason: message }) };
    if (kind === "") {
      const glob = unquoted(pattern)
        .replace(/(?<=^| )~(?=\/)/g, home)
        .replaceAll("\\", "\\\\");
      const convert = (own: NativeOrigin): readonly Converted[] | Loss => textRule(own, glob, { bare: true });
      commands.push({ ...origin, domain: "command", glob, convert, operations: ["execute"] });
    } else if (kind === "-opt") commands.push(...options(origin, rest));
    else files.push({ ...origin, domain: kind, glob: pattern, convert: (own) => fileRule(own, kind, pattern) });
  }
  keepOrdered(commands.toReversed(), into);
  keepOrdered(files.toReversed(), into);
  return into.result();
}

function other(written: string, line: number, into: Collector): void {
  const word = written.split(/\s/)[0] ?? "";
  if (word === "after") into.lose({ text: written, line }, "a comment after a command does not allow anything");
  else if (/^set\s+default\s+allow/.test(written))
    into.lose(
      { text: written, line, effect: "allow" },
      "to allow what no rule speaks of is never taken over",
      '`"preset": "permissive"` comes close',
    );
  else if (word !== "set") into.lose({ text: written, line }, "it is not a rule");
}

/** A message stands in quotes at the end. */
function split(rest: string): { readonly pattern: string; readonly message?: string } {
  const found = /^(.*\S)\s+"((?:[^"\\]|\\.)*)"$/s.exec(rest);
  if (found === null) return { pattern: rest.trim() };
  return { pattern: found[1] ?? "", message: (found[2] ?? "").replace(/\\(["\\])/g, "$1") };
}

const unquoted = (pattern: string): string => /^"(.*)"$/s.exec(pattern)?.[1] ?? pattern;

/** `deny-opt "git commit" --no-verify`: begins with these words, and one of the items stands anywhere behind. */
function options(origin: NativeOrigin, rest: string): readonly OrderedRule[] {
  const parts = /^(?:"([^"]*)"|(\S+))\s+(.*)$/s.exec(split(rest).pattern);
  const prefix = (parts?.[1] ?? parts?.[2] ?? "").split(/\s+/);
  const items = (parts?.[3] ?? "").split(/\s+/).filter((item) => item !== "");
  if (parts === null || items.length === 0)
    return [{ ...origin, domain: "command", glob: origin.text, convert: () => ({ why: "it needs a command and what to look for" }) }];
  return items.map((item) => ({
    ...origin,
    domain: "command",
    glob: `${prefix.join(" ")} *${item}*`,
    convert: (own) => {
      const plain = [...prefix, item].every((word) => /^[\w@%+=:,./-]+$/.test(word));
      if (!plain) return { why: "wildcards and quotes in an option rule" };
      const line = prefix.join(" ");
      return [
        made(
          own,
          { list: "permissions", rule: `Bash(${line} ** ${item}:*)` },
          { match: [`${line} ${item}`, `${line} x1 ${item} x2`], notMatch: own.effect === "allow" ? [`${line} x1`] : [] },
        ),
      ];
    },
  }));
}

function fileRule(origin: NativeOrigin, kind: string, pattern: string): readonly Converted[] | Loss {
  if (kind === "-mcp")
    return /^[\w*.-]+$/.test(pattern) ? [made(origin, { list: "permissions", rule: pattern })] : { why: "it is not the name of a tool" };
  if (kind === "-redirect" && origin.effect === "allow")
    return { why: "a rule for redirects alone; rules here are about files, however they are written", help: `write \`Edit(${pattern})\`` };
  if (/[{}[\]\\]/.test(pattern)) return { why: "brackets in a path pattern" };
  // A relative pattern is compared with the absolute path, so one that begins with `**` means the whole machine.
  return pathRule(origin, "content", pattern);
}
