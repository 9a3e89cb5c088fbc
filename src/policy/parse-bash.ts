import { ok, type Result } from "./result.ts";
import type { Matcher, Token } from "./types.ts";

/** `Bash(tokens)` and `Bash(tokens:*)`. `Bash`, `Bash()`, `Bash(*)` and `Bash(:*)` mean every command. */
export function parseBash(inner: string | undefined): Result<Matcher> {
  let text = (inner ?? "").trim();
  if (text === "" || text === "*" || text === ":*" || text === "**" || text === "**:*" || text === "*:*")
    return ok({ kind: "bash", tokens: [], open: true });
  const open = text.endsWith(":*");
  if (open) text = text.slice(0, -2).trimEnd();
  const tokens = text.split(/\s+/).map(readToken);
  return ok({ kind: "bash", tokens: mergeGaps(tokens), open });
}

function readToken(text: string): Token {
  if (text === "*") return { is: "one" };
  if (text === "**") return { is: "any" };
  return { is: "text", text };
}

/** Several `**` in a row are one. */
function mergeGaps(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter((token, i) => token.is !== "any" || tokens[i - 1]?.is !== "any");
}
