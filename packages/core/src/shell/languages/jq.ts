import { plainVariable } from "./environment.ts";
import { distinct, refusedText, unknown, type CodeFinding } from "./finding.ts";

interface JqToken {
  readonly kind: "word" | "field" | "variable" | "string" | "op" | "end";
  readonly text: string;
  /** What an opened string or bracket stands in: the innermost bracket. */
  readonly inside: string;
}

const END: JqToken = { kind: "end", text: "", inside: "" };
const PAIRS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/**
 * What a jq program does besides transforming its input: jq has no way to write or run anything, but it can read the
 * environment and other files.
 *
 *     readJq(".dependencies | keys[]")   // []
 *     readJq("env.PATH, $ENV.API_KEY")   // environment
 */
export function readJq(program: string): CodeFinding[] {
  const tokens = jqTokens(program);
  if (typeof tokens === "string") return [unknown(`a jq program with ${tokens}`)];
  const findings: CodeFinding[] = [];
  tokens.forEach((token, i) => {
    const next = tokens[i + 1] ?? END;
    if (token.kind === "variable" && token.text === "$ENV") findings.push(...environment(tokens, i));
    if (token.kind !== "word" || isKey(tokens, i)) return;
    if (token.text === "env") findings.push(...environment(tokens, i));
    else if (token.text === "import" || token.text === "include")
      findings.push({ does: "code", language: "jq", detail: `${token.text} ${next.text}` });
    else if (token.text === "modulemeta") findings.push(unknown("it reads a module named while it runs"));
  });
  return distinct(findings);
}

/**
 * The yq of mikefarah and the one that wraps jq read different languages; a program is harmless when both would do
 * nothing but transform. Every word that neither is known to have makes it unknown.
 */
export function readYq(program: string): CodeFinding[] {
  const tokens = jqTokens(program);
  if (typeof tokens === "string") return [unknown(`a yq program with ${tokens}`)];
  const findings = readJq(program);
  tokens.forEach((token, i) => {
    // The name in `env(NAME)` was looked at with `env`.
    if (tokens[i - 1]?.text === "(" && /^(str)?env$/.test(tokens[i - 2]?.text ?? "")) return;
    if (token.kind !== "word" || token.text === "env" || isKey(tokens, i) || YQ_WORDS.has(token.text)) return;
    const [open, argument, close] = [tokens[i + 1] ?? END, tokens[i + 2] ?? END, tokens[i + 3] ?? END];
    if (token.text === "strenv") {
      if (!(open.text === "(" && argument.kind === "word" && plainVariable(argument.text))) findings.push({ does: "environment" });
    } else if (token.text === "envsubst") findings.push({ does: "environment" });
    else if (/^load(_str|_xml|_props|_base64)?$/.test(token.text)) {
      const path = /^"([^"\\]*)"$/.exec(argument.text)?.[1];
      if (open.text === "(" && path !== undefined && close.text === ")") findings.push({ does: "file", operation: "read", path });
      else findings.push(unknown("it reads a file named while it runs"));
    } else if (!tokens.some((other, k) => other.text === token.text && k > 0 && tokens[k - 1]?.text === "as"))
      findings.push(unknown(`the yq operator ${token.text}`));
  });
  return distinct(findings);
}

/** `env.NAME`, `$ENV["NAME"]`, `env(NAME)`: nothing to report for a variable that holds no secret. */
function environment(tokens: readonly JqToken[], i: number): CodeFinding[] {
  const [first, second, third] = [tokens[i + 1] ?? END, tokens[i + 2] ?? END, tokens[i + 3] ?? END];
  let name = "";
  if (first.kind === "field") name = first.text.slice(1);
  else if (first.text === "[" && second.kind === "string" && third.text === "]") name = second.text.slice(1, -1);
  else if (first.text === "(" && second.kind === "word" && third.text === ")") name = second.text;
  return plainVariable(name) ? [] : [{ does: "environment" }];
}

/** `{env: 1}` and `{env}` name a key, `{a: env}` does not. */
function isKey(tokens: readonly JqToken[], i: number): boolean {
  const before = tokens[i - 1] ?? END;
  const after = tokens[i + 1] ?? END;
  return tokens[i]?.inside === "{" && (before.text === "{" || before.text === ",") && /^[:,}]$/.test(after.text);
}

function jqTokens(program: string): readonly JqToken[] | string {
  const refused = refusedText(program);
  if (refused !== undefined) return refused;
  const tokens: JqToken[] = [];
  /** Open brackets; `"` for a string that an interpolation interrupts. */
  const open: string[] = [];
  let at = 0;
  const push = (kind: JqToken["kind"], text: string): void => {
    tokens.push({ kind, text, inside: open.at(-1) ?? "" });
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(program)?.[0];
  };
  /** Reads a string from `at`, after its quote or the `)` of an interpolation. */
  const string = (): string | undefined => {
    const start = at;
    for (; at < program.length; at += 1) {
      const c = program.charAt(at);
      if (c === '"') {
        push("string", `"${program.slice(start, at)}"`);
        at += 1;
        return undefined;
      }
      if (c !== "\\") continue;
      at += 1;
      if (program.charAt(at) !== "(") continue;
      at += 1;
      push("op", "interpolation");
      open.push('"(');
      return undefined;
    }
    return "a string without its closing quote";
  };
  while (at < program.length) {
    const c = program.charAt(at);
    if (/\s/.test(c)) at += 1;
    else if (c === "#") {
      while (at < program.length && program.charAt(at) !== "\n") at += 1;
      // Continues the comment from jq 1.7.1 on, not before.
      if (program.charAt(at - 1) === "\\") return "a comment that ends in a backslash";
    } else if (c === '"') {
      at += 1;
      const problem = string();
      if (problem !== undefined) return problem;
    } else {
      const text =
        match(/\$\s*(?:[A-Za-z_][A-Za-z_0-9]*::)*[A-Za-z_][A-Za-z_0-9]*/y) ??
        match(/\.[A-Za-z_][A-Za-z_0-9]*/y) ??
        match(/@[A-Za-z0-9_]+/y);
      const word =
        text ?? match(/(?:[A-Za-z_][A-Za-z_0-9]*::)*[A-Za-z_][A-Za-z_0-9]*/y) ?? match(/[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?/y);
      const token = word ?? match(/\.\.|\?\/\/=?|\/\/=?|==|!=|<=|>=|\|=|\+=|-=|\*=|\/=|%=|[-+*/%=<>|,.:;?!()[\]{}$&]/y);
      if (token === undefined) return `the character \`${c}\``;
      at += token.length;
      if (/^[([{]$/.test(token)) {
        push("op", token);
        open.push(token);
      } else if (token in PAIRS) {
        const opened = open.pop();
        if (opened === '"(' && token === ")") {
          const problem = string();
          if (problem !== undefined) return problem;
        } else if (opened !== PAIRS[token]) return "brackets that do not match";
        else push("op", token);
      } else if (token.startsWith("$") && token !== "$") push("variable", `$${token.slice(1).trim()}`);
      else if (token.startsWith(".") && token.length > 1 && token !== "..") push("field", token);
      else push(/^[A-Za-z_]/.test(token) ? "word" : "op", token);
    }
  }
  return open.length > 0 ? "brackets that do not match" : [...tokens, END];
}

const YQ_WORDS: ReadonlySet<string> = new Set(
  `if then elif else end and or not as def reduce foreach try catch label break null true false is_null
  length keys keys_unsorted values has in inside contains map map_values path paths leaf_paths del delpaths getpath setpath to_entries
  from_entries with_entries with select empty error recurse recurse_down any all flatten range floor sqrt pow log add unique unique_by
  group_by min max min_by max_by sort sort_by sort_keys reverse first last nth limit until repeat while test match capture scan split splits
  join sub gsub ascii_downcase ascii_upcase downcase upcase trim ltrim rtrim ltrimstr rtrimstr startswith endswith explode implode tostring
  tonumber to_string to_number to_json from_json to_yaml from_yaml to_xml from_xml to_csv from_csv to_tsv from_tsv to_props from_props
  tojson fromjson type tag kind style anchor alias line column comments head_comment line_comment foot_comment document_index documentIndex
  di file_index fileIndex fi filename input input_filename input_line_number inputs debug now tz format_datetime with_dtf from_unix to_unix
  strftime strptime mktime gmtime localtime todate fromdate date dateadd datesub pick omit pivot shuffle filter collect ref splitDoc split_doc
  explode array_to_map toarray indices index rindex inside isvalid env key parent parents is_key to_array error ascii infinite nan isnan
  isinfinite isnormal not objects iterables booleans numbers normals finites strings nulls arrays scalars combinations walk transpose
  tostream fromstream truncate_stream limit first ceil round fabs abs halt halt_error significand base64d map_values ireduce
  getpath input_line_number min_by bsearch splits todate dateadd ascii_downcase tojson halt to_base64 from_base64 y n`.split(/\s+/),
);
