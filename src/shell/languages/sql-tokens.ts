import { refusedText } from "./limits.ts";

export type SqlDialect = "sqlite" | "psql" | "mysql" | "duckdb";

export interface SqlToken {
  readonly kind: "word" | "string" | "name" | "number" | "op" | "meta" | "end";
  /** A word in lower case; a string's or quoted name's value; a client command with its line. */
  readonly text: string;
}

const END: SqlToken = { kind: "end", text: "" };

/** Statements as lists of tokens without their `;`, client commands as statements of one token; or why the text is not certain. */
export function sqlStatements(source: string, dialect: SqlDialect): readonly (readonly SqlToken[])[] | string {
  const refused = refusedText(source);
  if (refused !== undefined) return refused;
  const statements: SqlToken[][] = [];
  let statement: SqlToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const finish = (): void => {
    if (statement.length > 0) statements.push([...statement, END]);
    statement = [];
  };
  const dots = dialect === "sqlite" || dialect === "duckdb";
  while (at < source.length) {
    const c = source.charAt(at);
    const lineStart = at === 0 || source.charAt(at - 1) === "\n";
    if (lineStart && dots && /^[ \t]*[.#]/.test(source.slice(at, at + 80))) {
      // The shell reads these lines itself, but only between statements.
      if (statement.length > 0) return "a client command inside a statement";
      const line = match(/.*/y) ?? "";
      statements.push([{ kind: "meta", text: line.trim() }, END]);
      at += line.length;
    } else if (/\s/.test(c)) at += 1;
    else if (source.startsWith("--", at) || (c === "#" && dialect === "mysql")) {
      if (dialect === "mysql" && c === "-" && !/[\s]/.test(source.charAt(at + 2) || " "))
        return "`--` without a blank, a comment to some clients only";
      const line = match(/.*/y) ?? "";
      if (dialect === "mysql" && line.includes("\\")) return "a comment with a backslash";
      at += line.length;
    } else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      // Nested comments, comments that MySQL executes, and lines that look like client commands are read differently.
      if (end < 0 || /\/\*|[!\\]|\n[ \t]*[.#]/.test(source.slice(at + 2, end)) || source.charAt(at + 2) === "+")
        return "a comment that is not certainly one";
      at = end + 2;
    } else if (/^'|^[eE]'|^[bBxXnN]'/.test(source.slice(at, at + 2)) || c === '"' || c === "`" || (c === "[" && dialect === "sqlite")) {
      const prefix = /[a-zA-Z]/.test(c) ? 1 : 0;
      const quote = source.charAt(at + prefix);
      const close = quote === "[" ? "]" : quote;
      let end = at + prefix + 1;
      for (; ; end += 1) {
        if (end >= source.length) return "a quoted text without its end";
        // Whether a backslash escapes depends on the server's settings.
        if (source.charAt(end) === "\\" && (prefix > 0 || dialect === "mysql" || dialect === "psql"))
          return "a quoted text with a backslash";
        if (dots && source.charAt(end) === "\n" && /^[ \t]*[.#]/.test(source.slice(end + 1, end + 80)))
          return "a client command inside a quoted text";
        if (source.charAt(end) !== close) continue;
        if (close !== "]" && source.charAt(end + 1) === close) end += 1;
        else break;
      }
      const text = source.slice(at + prefix + 1, end).replaceAll(close + close, close);
      statement.push({ kind: quote === "'" ? "string" : "name", text });
      at = end + 1;
    } else if (c === "$" && dialect !== "sqlite") return "a `$` that may quote";
    else if (c === "\\") {
      if (dialect !== "psql" && dialect !== "mysql") return "a backslash";
      const line = match(/.*/y) ?? c;
      statement.push({ kind: "meta", text: line.trim() });
      at += line.length;
      finish();
    } else if (c === ":" && dialect === "psql" && /^:(?![:=])[^0-9\s]/.test(source.slice(at, at + 2)) && source.charAt(at - 1) !== ":")
      return "a variable of psql";
    else if (c === ";") {
      finish();
      at += 1;
    } else {
      const word = match(/[A-Za-z_][A-Za-z_0-9]*/y);
      const text = word ?? match(/[0-9][0-9A-Za-z_.]*|\.[0-9]+/y) ?? match(/::|:=|<=|>=|<>|!=|\|\||->>|->|[-+*/%<>=~!@#&|^(),.:?[\]{}]/y);
      if (text === undefined) return `the character \`${c}\``;
      statement.push({ kind: word !== undefined ? "word" : /^[.]?[0-9]/.test(text) ? "number" : "op", text: text.toLowerCase() });
      at += text.length;
    }
  }
  finish();
  return statements;
}
