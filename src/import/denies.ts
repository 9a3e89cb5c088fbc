import type { FileOperation } from "../action/index.ts";
import type { Matcher } from "../policy/index.ts";
import type { Loss } from "./types.ts";

/** A refusal of ours in words that hosts have. None of them means more than the rule it comes from. */
export type Refusal =
  /** Every command. */
  | { readonly is: "shell" }
  /** A command that begins with these words; `exact`: that has no others. */
  | { readonly is: "words"; readonly words: readonly string[]; readonly exact: boolean }
  /** A pattern over the text of one command, in which only `*` is a wildcard. */
  | { readonly is: "text"; readonly glob: string }
  | {
      readonly is: "path";
      readonly access: "read" | "edit";
      readonly anchor: "root" | "home" | "project" | "anywhere";
      readonly pattern: string;
    }
  | { readonly is: "fetch"; readonly host: string; readonly below: boolean; readonly itself: boolean }
  | { readonly is: "mcp"; readonly server: string; readonly tool: string };

const none = (why: string): Loss => ({ why });

/** What of a deny rule hosts can be told. */
export function refusalsOf(matcher: Matcher): readonly Refusal[] | Loss {
  switch (matcher.kind) {
    case "bash":
      return bash(matcher);
    case "shell":
      return shell(matcher);
    case "option":
      return matcher.commands.flatMap((command) => matcher.options.flatMap((option) => withOption([command], option)));
    case "command":
      return text(matcher.pattern);
    case "path":
      return path(matcher.operations, matcher.pattern);
    case "net":
      if (matcher.port !== undefined) return none("hosts know no ports");
      return [
        {
          is: "fetch",
          host: matcher.host.replace(/^\*\./, ""),
          below: matcher.subdomains || matcher.host.startsWith("*."),
          itself: !matcher.host.startsWith("*."),
        },
      ];
    case "tool":
      return tool(matcher);
    case "call":
      return none("no host sees system calls");
  }
}

type MatcherOf<Kind extends Matcher["kind"]> = Extract<Matcher, { readonly kind: Kind }>;

function bash({ tokens, open }: MatcherOf<"bash">): readonly Refusal[] | Loss {
  if (tokens.length === 0) return [{ is: "shell" }];
  if (tokens.every((token) => token.is === "text")) return [{ is: "words", words: tokens.map((token) => token.text), exact: !open }];
  // A star of a host is any number of words.
  if (tokens.some((token) => token.is === "one")) return none("exactly one word");
  // `**` is nothing, or words: two patterns.
  let lists: readonly (readonly string[])[] = [[]];
  for (const token of tokens) {
    const next = token.is === "text" ? [[plain(token.text)]] : [[], ["*"]];
    lists = lists.flatMap((list) => next.map((more) => [...list, ...more]));
    if (lists.length > 16) return none("too many patterns");
  }
  return lists.filter((list) => list.length > 0).flatMap((list) => textOf(list, open));
}

const plain = (word: string): string => word.replaceAll("*", "\\*");
const textOf = (words: readonly string[], open: boolean): readonly Refusal[] => [
  { is: "text", glob: words.join(" ") },
  ...(open ? [{ is: "text", glob: [...words, "*"].join(" ") } as const] : []),
];

function shell({ program, operands, gaps, closed, flags, closedFlags }: MatcherOf<"shell">): readonly Refusal[] | Loss {
  const words = [program, ...operands];
  if (closed || closedFlags || gaps.some(Boolean) || words.some(({ negated }) => negated)) return none("gaps, and what must not be there");
  const needed = flags.filter(({ need }) => need !== "permitted");
  if (needed.length > 1 || needed.some(({ need, value }) => need !== "required" || value !== undefined))
    return none("several options, or their values");
  let lists: readonly (readonly string[])[] = [[]];
  for (const { alternatives } of words) {
    if (alternatives.some((one) => /[*?[\\\s]/.test(one))) return none("wildcards in a word");
    lists = lists.flatMap((list) => alternatives.map((one) => [...list, one]));
    if (lists.length > 16) return none("too many patterns");
  }
  const [flag] = needed;
  if (flag === undefined) return lists.map((list) => ({ is: "words", words: list, exact: false }));
  return lists.flatMap((list) => flag.names.flatMap((name) => withOption(list, name)));
}

/** An option right behind the words, or anywhere further on, as a word of its own. */
function withOption(words: readonly string[], option: string): readonly Refusal[] {
  const start = words.map(plain).join(" ");
  return [
    { is: "words", words: [...words, option], exact: false },
    { is: "text", glob: `${start} * ${plain(option)}` },
    { is: "text", glob: `${start} * ${plain(option)} *` },
  ];
}

function text(pattern: string): readonly Refusal[] | Loss {
  if (/^\*+$/.test(pattern)) return [{ is: "shell" }];
  return /[?[]/.test(pattern.replace(/\\./g, ""))
    ? none("`?` and sets in a pattern")
    : [{ is: "text", glob: pattern.replace(/\\(?!\*)/g, "") }];
}

function path(operations: readonly FileOperation[], pattern: string | undefined): readonly Refusal[] | Loss {
  const access = operations.includes("read") ? "read" : operations.includes("edit") || operations.includes("write") ? "edit" : undefined;
  if (access === undefined) return none("hosts know reading and editing only");
  const written = pattern ?? "**";
  if (/[{}\\]/.test(written)) return none("braces and quoted characters in a path pattern");
  if (written.startsWith("~/")) return [{ is: "path", access, anchor: "home", pattern: written.slice(2) }];
  if (written.startsWith("/")) return [{ is: "path", access, anchor: "root", pattern: written.slice(1) }];
  if (written.startsWith("**")) return [{ is: "path", access, anchor: "anywhere", pattern: written }];
  if (written.startsWith("../")) return none("a path out of the project");
  return [{ is: "path", access, anchor: "project", pattern: written.replace(/^\.\//, "") }];
}

function tool({ name, where }: MatcherOf<"tool">): readonly Refusal[] | Loss {
  if (where !== undefined) return none("a condition on a tool's input");
  const parts = /^mcp__([^*]+?)__(.+)$/.exec(name);
  if (parts === null) return none("a tool by its name: hosts name theirs differently");
  const [, server = "", one = ""] = parts;
  return one.includes("*") && one !== "*" ? none("a wildcard in a tool's name") : [{ is: "mcp", server, tool: one }];
}
