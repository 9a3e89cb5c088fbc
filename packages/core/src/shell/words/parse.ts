import { forEachChild, parse, type ParsedScript, type SyntaxNode } from "unbash";

export type Parsed =
  | { readonly ok: true; readonly script: ParsedScript }
  | { readonly ok: false; readonly reason: string; readonly at: number };

/** Longer lines are not judged: no person could read them either. */
export const LONGEST_COMMAND = 1_048_576;

// Everything that can make a terminal show something else than what runs: C0 but tab and newline, DEL, C1, bidi controls, zero-width characters.
// oxlint-disable-next-line no-control-regex -- naming control characters is the point
const DECEPTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\u2028\u2029\ufeff]/;

/**
 * Parses bash, and refuses what the parser is known not to see through (the guard): a program that it accepts and
 * this function passes has a node for every command that bash would run.
 */
export function parseShell(source: string): Parsed {
  if (source.length > LONGEST_COMMAND) return { ok: false, reason: `the command is longer than ${LONGEST_COMMAND} characters`, at: 0 };
  const deceptive = DECEPTIVE.exec(source);
  if (deceptive !== null) return { ok: false, reason: "the command contains a control or invisible character", at: deceptive.index };
  let script: ParsedScript;
  try {
    script = parse(source);
  } catch {
    return { ok: false, reason: "the shell parser failed", at: 0 };
  }
  const problem = firstProblem(script, source);
  return problem === undefined ? { ok: true, script } : { ok: false, ...problem };
}

interface ParseProblem {
  readonly reason: string;
  readonly at: number;
}

function firstProblem(script: ParsedScript, source: string): ParseProblem | undefined {
  let problem: ParseProblem | undefined;
  const visit = (node: SyntaxNode, text: string, substitutionEnd: number | undefined): void => {
    if (problem !== undefined) return;
    problem = problemOf(node, text, substitutionEnd);
    if (problem !== undefined) return;
    let inner = text;
    if (node.type === "Script" && node.source !== undefined) inner = node.source;
    const end =
      node.type === "Script" ? (node.source === undefined ? substitutionEnd : node.end) : isSubstitution(node) ? node.end : substitutionEnd;
    forEachChild(node, (child) => visit(child, inner, end));
  };
  visit(script, source, undefined);
  return problem;
}

const isSubstitution = (node: SyntaxNode): boolean =>
  node.type === "CommandExpansion" ||
  node.type === "ProcessSubstitution" ||
  node.type === "ArithmeticExpansion" ||
  node.type === "ArithmeticCommandExpansion";

const SUBSTITUTION_OPENER = /[`]|[$<>]\(|[$]\[/;

function problemOf(node: SyntaxNode, source: string, substitutionEnd: number | undefined): ParseProblem | undefined {
  switch (node.type) {
    case "Script": {
      const error = "errors" in node ? node.errors?.[0] : undefined;
      return error === undefined ? undefined : { reason: `shell syntax error: ${error.message}`, at: error.pos };
    }
    // unbash 6.0.4 takes `ls (` for the beginning of a function and drops the parenthesis.
    case "Command":
      return opensBehind(source, node.end) ? { reason: "shell syntax error: unexpected token '('", at: node.end } : undefined;
    // unbash 6.0.4 ends the pattern at the first unquoted slash, even inside a substitution.
    case "ParameterExpansion":
      if (node.operation?.type === "Unknown") return { reason: "a parameter expansion that bash and zsh read differently", at: node.pos };
      if (node.operation?.type === "Replace" && SUBSTITUTION_OPENER.test(source.slice(node.pos + 2, node.end))) {
        return { reason: "a substitution inside ${…/…}", at: node.pos };
      }
      // bash, zsh and the parser differ on quotes and process substitutions inside a quoted expansion.
      if (node.operation !== undefined && /[<>]\(|\$'/.test(source.slice(node.pos + 2, node.end))) {
        return { reason: "a process substitution or $'…' inside ${…}", at: node.pos };
      }
      // Quotes inside a quoted expansion open and close in ways that let braces expand.
      if (node.operation !== undefined && /"[^]*\{[^}]*(,|\.\.)|\{[^}]*(,|\.\.)[^]*"/.test(source.slice(node.pos + 2, node.end))) {
        return { reason: "quotes and braces inside ${…}", at: node.pos };
      }
      return undefined;
    case "ProcessSubstitution":
      if (node.script === undefined) return { reason: "a substitution that cannot be read", at: node.pos };
      // bash makes one word of `a<(b)`, the parser two.
      return (node.pos > 0 && !/[\s(<>|&;]/.test(source.charAt(node.pos - 1))) || !/^[\s()<>|&;]?$/.test(source.charAt(node.end))
        ? { reason: "a process substitution glued to other text", at: node.pos }
        : undefined;
    case "CommandExpansion":
      if (node.script === undefined) return { reason: "a substitution that cannot be read", at: node.pos };
      return source.startsWith("$((", node.pos) ? triedAsArithmetic(source, node.pos, node.end) : undefined;
    case "ArithmeticCommandExpansion":
      return node.script === undefined ? { reason: "a substitution that cannot be read", at: node.pos } : undefined;
    case "HereDoc":
      if (node.closing === undefined) return { reason: "a here-document without its end", at: node.pos };
      // bash 5.2 prints a substitution and reads it again, and loses separators after a here-document in it.
      if (
        substitutionEnd !== undefined &&
        node.closing.end <= substitutionEnd &&
        !/^[\s)`]*$/.test(source.slice(node.closing.end, substitutionEnd))
      ) {
        return { reason: "commands after a here-document inside a substitution", at: node.pos };
      }
      return substitutionEnd !== undefined && node.closing.end > substitutionEnd
        ? { reason: "a here-document whose text lies outside the substitution it belongs to", at: node.pos }
        : undefined;
    // bash prints a substitution and reads it again: a coprocess then gets a name that becomes the command.
    case "Coproc":
      return substitutionEnd === undefined ? undefined : { reason: "a coprocess inside a substitution", at: node.pos };
    // bash reads a here-document inside arithmetic in more than one way.
    case "ArithmeticCommand":
    case "ArithmeticExpansion":
    case "ArithmeticFor":
      return /<<-?\s*['"\\A-Za-z_]/.test(
        node.type === "ArithmeticFor" ? source.slice(node.pos, node.body.pos) : source.slice(node.pos, node.end),
      )
        ? { reason: "a here-document or a shift by a variable inside arithmetic", at: node.pos }
        : undefined;
    case "Subshell":
      return source.charAt(node.pos + 1) === "(" ? triedAsArithmetic(source, node.pos, node.end) : undefined;
    case "Case":
      return substitutionEnd !== undefined && node.items.some((item) => item.pattern.some((word) => SUBSTITUTION_OPENER.test(word.text)))
        ? { reason: "a substitution in a case pattern inside a substitution", at: node.pos }
        : undefined;
    // bash 5.2 takes the words behind `time` there for a plain command: the first `)` of a pattern in it ends the substitution.
    case "Pipeline":
      return substitutionEnd !== undefined &&
        node.prefixes.some(({ type }) => type === "Time") &&
        node.commands.some(({ type }) => type !== "Command")
        ? { reason: "a compound command under `time` inside a substitution", at: node.pos }
        : undefined;
    // For zsh all words up to the end of the line are names of functions, patterns with qualifiers among them (zshmisc(1)).
    case "Function":
      return source.startsWith("function", node.pos) &&
        node.body.type !== "BraceGroup" &&
        node.body.type !== "CompoundList" &&
        !/[(\n]/.test(source.slice(node.name.end, node.body.pos))
        ? { reason: "a function without `()` whose body is not in braces", at: node.pos }
        : undefined;
    case "Redirect":
      // unbash 6.0.4 takes a descriptor variable with a substitution in its subscript for a word.
      return source.charAt(node.pos - 1) === "}" &&
        /(?<![$\w])\{[A-Za-z_]\w*\[[^]*\}$/.test(source.slice(Math.max(0, node.pos - 1000), node.pos))
        ? { reason: "a subscript in the name of a descriptor variable", at: node.pos }
        : undefined;
    case "AnsiCQuoted":
      // Two of them may hold the halves of one character.
      if (node.value.includes("\ufffd")) return { reason: "bytes that are not text, in $'…'", at: node.pos };
      return node.text.includes("\\x{") ? { reason: "an escape that the parser does not decode", at: node.pos } : undefined;
    default:
      return undefined;
  }
}

/** `((` is tried as arithmetic first, which loses track of here-documents, and in zsh two characters at each line that goes on. */
function triedAsArithmetic(source: string, at: number, end: number): ParseProblem | undefined {
  const text = source.slice(at, end);
  if (text.includes("<<")) return { reason: "a here-document inside `((`", at };
  // bash decodes these too early there: what they hold is read as words once more.
  if (text.includes("$'")) return { reason: "a $'…' inside `((`", at };
  return text.includes("\\\n") ? { reason: "a line that goes on inside `((`", at } : undefined;
}

function opensBehind(source: string, end: number): boolean {
  let at = end;
  while (source.charAt(at) === " " || source.charAt(at) === "\t") at++;
  return source.charAt(at) === "(";
}
