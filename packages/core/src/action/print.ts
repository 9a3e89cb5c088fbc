import type { Action, Argument, Target } from "./action.ts";

// C0, DEL, C1, zero-width, bidi controls, line and paragraph separators, other blanks, BOM, tags: everything that can make a terminal or a reader lie.
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- naming control characters is the point
  new RegExp(
    String.raw`[\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f` +
      String.raw`\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}` +
      String.raw`\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ud800-\udfff]`,
    "gu",
  );

/** Text made safe to show: every invisible or directional character becomes an escape such as `\n` or `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (c) => {
    if (c === "\n") return "\\n";
    if (c === "\t") return "\\t";
    if (c === "\r") return "\\r";
    return `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** `visible`, cut to at most `max` characters with the cut marked. */
export function brief(text: string, max = 120): string {
  const shown = visible(text);
  return shown.length <= max ? shown : `${shown.slice(0, max - 1)}…`;
}

export function printTarget(target: Target): string {
  switch (target.kind) {
    case "path":
      return visible(target.path);
    case "tree":
      return `${visible(target.path === "/" ? "" : target.path)}/**`;
    case "glob":
      return visible(target.pattern);
    case "unknown":
      return `${target.within === undefined ? "" : `${visible(target.within)}/… `}(${visible(filled(target.why) ?? "a path only known at run time")})`;
  }
}

export function printArgument(argument: Argument): string {
  if (argument.known)
    return argument.text === "" || /[\s'"\\$`|&;<>(){}*?[\]#~!]/.test(argument.text) ? quote(argument.text) : visible(argument.text);
  return argument.glob === undefined ? `${visible(argument.prefix)}‹${visible(argument.why)}›` : visible(argument.glob);
}

export const filled = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

/** A POSIX shell word that expands to exactly `text`. */
export function quote(text: string): string {
  return `'${visible(text).replaceAll("'", `'\\''`)}'`;
}

/** One line in the terms of the code, for records and JSON, safe to print: a part that nobody knows leaves no blank behind. */
export function printAction(action: Action): string {
  return wordsOf(action).trimEnd();
}

function wordsOf(action: Action): string {
  switch (action.kind) {
    case "exec":
      return `exec ${brief(action.argv.map(printArgument).join(" "))}`;
    case "file":
      return `${action.operation}${action.recursive === true ? " recursively" : ""} ${brief(printTarget(action.target))}`;
    case "net":
      return `${action.operation} ${brief(filled(action.url) ?? printHost(action))}`;
    case "remote":
      return `${action.operation} on ${visible(filled(action.service) ?? "a service")}`;
    case "process":
      return `${action.operation} ${action.target === "" ? "a process" : `process ${brief(action.target)}`}`;
    case "system":
      return `system ${visible(action.area)}`;
    case "privilege":
      return `privilege ${brief(action.detail)}`;
    case "code":
      return (
        `code ${visible(filled(action.language) ?? "of any language")} ` +
        `(${action.source})${action.detail === undefined ? "" : ` ${brief(action.detail, 60)}`}`
      );
    case "tool":
      return `tool ${brief(action.name)}`;
  }
}

export function printHost({ host, why, port }: Extract<Action, { readonly kind: "net" }>): string {
  return `${filled(host) ?? `(${filled(why) ?? "unknown host"})`}${port === undefined ? "" : `:${port}`}`;
}
