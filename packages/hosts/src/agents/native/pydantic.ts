import { attempt } from "@assent/core/data";
import { type JsonNode, type ObjectMember, placeFinder } from "@assent/core/edit/json5";
import {
  Collector,
  type Converted,
  type Loss,
  made,
  type NativeRead,
  type NativeOrigin,
  textRule,
  type Unreadable,
} from "@assent/import/import";
import { compareDecisions, OPERATIONS, type OperationName } from "@assent/core/policy";
import { at, type JsonFile, readJson, textOfNode } from "../rules/json.ts";
import { keepOrdered, type OrderedRule } from "../rules/ordered.ts";

/**
 * A `PermissionRuleset` of pydantic-ai-backend: as JSON (`model_dump_json`), or as it stands in Python. For each operation the first rule that matches
 * decides, else the block's default, which is `allow` where none is written; an operation without a block has the
 * ruleset's, which is `ask`. `*` is any text without a `/`, also in commands; `**` is any text.
 */
export function readPydantic(text: string): NativeRead {
  // What both can read, a dict without a name, has Python's escapes.
  const file = (isStrictJson(text) ? undefined : readPythonRuleset(text)) ?? readJson(text);
  if ("problem" in file) return file;
  const { root } = file;
  const into = new Collector();
  const whole = actionOf(at(root, "default"), "ask");
  if (whole === undefined) return unknownAction(file, at(root, "default") ?? root);
  for (const operation of OPERATIONS) {
    const block = at(root, operation);
    const none = block === undefined || isNull(block);
    const fallback = none ? whole : block.kind === "object" ? actionOf(at(block, "default"), "allow") : undefined;
    if (fallback === undefined) return unknownAction(file, (none ? undefined : at(block, "default")) ?? block ?? root);
    const rules = none ? [] : rulesOf(operation, block, file, into);
    if ("problem" in rules) return rules;
    const { before, otherwise } = operation === "execute" ? withDefault(rules, fallback) : { before: rules, otherwise: fallback };
    const origin: NativeOrigin = {
      effect: otherwise,
      text: `${none ? "" : `${operation} `}default ${otherwise}`,
      line: file.lineOf(none ? root : block),
    };
    into.keep([made(origin, { list: "default", operation })], origin);
    if (operation === "execute") readCommands(before, otherwise, into);
    else for (const rule of rules) into.keep(filesRule(operation, rule), rule);
    if (operation === "write" && (fallback === "allow" || rules.some(({ effect }) => effect === "allow")))
      into.lose(
        { ...origin, effect: "allow" },
        "kept, but to write also means to delete, to rename and to make folders here",
        'ask for it with `"ask": ["Delete"]`',
      );
  }
  if (new Set(["glob", "grep", "ls"].map((name) => JSON.stringify(blockText(text, at(root, name))))).size > 1)
    into.lose({ text: "glob, grep, ls", line: 1 }, "kept, but to an agent's tools they are one: the strictest of the three holds");
  for (const { key, keyStart } of root.kind === "object" ? root.members : [])
    if (key !== "default" && !OPERATIONS.some((name) => name === key))
      into.lose({ text: key, line: file.lineOf({ start: keyStart }) }, "nothing is known of this key");
  return into.result();
}

/** Whether a text of Python holds such a ruleset. */
export function isPydanticPython(text: string): boolean {
  const file = readPythonRuleset(text);
  return file !== undefined && ("problem" in file || isPydantic(file.root));
}

const isStrictJson = (text: string): boolean => attempt(() => JSON.parse(text) !== undefined, false);

/** Whether a text of JSON is such a ruleset. */
export function isPydantic(root: JsonNode): boolean {
  if (root.kind !== "object" || root.members.length === 0) return false;
  const blocks = root.members.filter(({ key, value }) => OPERATIONS.some((name) => name === key) && value.kind === "object");
  return blocks.length > 0 && root.members.every(({ key }) => key === "default" || OPERATIONS.some((name) => name === key));
}

const isNull = (node: JsonNode): boolean => node.kind === "scalar" && node.value === null;
const blockText = (text: string, node: JsonNode | undefined): string =>
  node === undefined ? "" : text.slice(node.start, node.end).replace(/\s/g, "");

function actionOf(node: JsonNode | undefined, otherwise: NativeOrigin["effect"]): NativeOrigin["effect"] | undefined {
  if (node === undefined) return otherwise;
  const action = textOfNode(node);
  return action === "allow" || action === "ask" || action === "deny" ? action : undefined;
}

const unknownAction = ({ lineOf }: JsonFile, node: JsonNode): Extract<NativeRead, { readonly problem: string }> => ({
  line: lineOf(node),
  column: 1,
  problem: "the action is none of allow, ask and deny: the library does not load it either",
});

/** A rule for everything that is no looser than the default takes its place; a star leaves texts with a `/` to the rules behind it. */
function withDefault(
  rules: readonly Rule[],
  fallback: NativeOrigin["effect"],
): { readonly before: readonly Rule[]; readonly otherwise: NativeOrigin["effect"] } {
  const at = rules.findIndex(({ pattern, effect }) => /^\*+$/.test(pattern) && compareDecisions(effect, fallback) >= 0);
  const found = rules[at];
  if (found === undefined) return { before: rules, otherwise: fallback };
  const behind = found.pattern === "*" ? rules.slice(at + 1).filter(({ effect }) => compareDecisions(effect, found.effect) >= 0) : [];
  return { before: [...rules.slice(0, at), ...behind], otherwise: found.effect };
}

interface Rule extends NativeOrigin {
  readonly pattern: string;
}

function rulesOf(
  operation: OperationName,
  block: JsonNode,
  file: JsonFile,
  into: Collector,
): readonly Rule[] | Extract<NativeRead, { readonly problem: string }> {
  const list = at(block, "rules");
  if (list === undefined || isNull(list)) return [];
  if (list.kind !== "array") {
    into.lose({ text: `${operation}.rules`, line: file.lineOf(list) }, "it is not a list");
    return [];
  }
  const rules: Rule[] = [];
  for (const item of list.items) {
    const pattern = textOfNode(at(item, "pattern"));
    const effect = actionOf(at(item, "action"), "ask");
    const description = textOfNode(at(item, "description"));
    if (pattern === undefined || at(item, "action") === undefined || effect === undefined) return unknownAction(file, item);
    const origin: NativeOrigin = { effect, text: `${operation} ${pattern}: ${effect}`, line: file.lineOf(item) };
    rules.push({ ...origin, pattern, ...(description === undefined || description === "" ? {} : { reason: description }) });
  }
  return rules;
}

/**
 * Commands are compared as text there, as a whole, and one by one here. A star that stops at a `/` cannot be said: the
 * rule is taken over with a star that does not, and what only that matches keeps the strictness of the default.
 */
function readCommands(rules: readonly Rule[], fallback: NativeOrigin["effect"], into: Collector): void {
  const ordered = rules.map((rule): OrderedRule => {
    const glob = commandGlob(rule.pattern);
    return { ...rule, domain: "command", glob, convert: (origin) => textRule(origin, glob, { bare: false }), operations: ["execute"] };
  });
  keepOrdered(ordered, into);
  for (const { pattern, ...rule } of rules) {
    if (compareDecisions(rule.effect, fallback) >= 0) continue;
    for (const wider of widerThan(pattern)) {
      const origin: NativeOrigin = { effect: fallback, text: rule.text, line: rule.line };
      const kept = textRule(origin, wider, { bare: false });
      // Without its counterpart the rule would mean more than it did.
      if ("why" in kept) into.lose(rule, `kept, but its star also means a \`/\` here: ${kept.why}`);
      else into.keep(kept, origin);
    }
  }
}

/** `**` and `*` are any text in a command of ours. */
const commandGlob = (pattern: string): string => pattern.replaceAll("\\", "\\\\").replace(/\*+/g, "*");

/** For each wildcard that stops at a `/` there: the same pattern with a `/` in its place. */
function widerThan(pattern: string): readonly string[] {
  const wider: string[] = [];
  for (const { 0: run, index } of pattern.matchAll(/\*+|\?/g)) {
    if (run.length > 1) continue;
    const put = run === "?" ? "/" : "*/*";
    wider.push(commandGlob(`${pattern.slice(0, index)}\0${pattern.slice(index + 1)}`).replace("\0", put));
  }
  return wider;
}

/** A rule about files, in the order it has there. */
function filesRule(operation: Exclude<OperationName, "execute">, rule: Rule): readonly Converted[] | Loss {
  const { pattern: written, ...origin } = rule;
  const pattern = filesPattern(written, rule.effect);
  if (typeof pattern !== "string") return pattern;
  const sample = pattern.replaceAll("**/", "").replace(/\*+/g, "x1").replaceAll("?", "x");
  const match = /[[\]{}\\]/.test(pattern) ? [] : [sample];
  return [{ ...made(origin, { list: operation, pattern }, { match }), ordered: true }];
}

function filesPattern(written: string, effect: NativeOrigin["effect"]): string | Loss {
  if (written === "") return { why: "the pattern is empty" };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(written)) return { why: "`..` in a pattern" };
  if (written.startsWith("~") && effect === "allow") return { why: "`~` stands for itself there", help: "write the folder itself" };
  // There these also take a `/`, here they never do.
  if (effect !== "allow" && /\[[!^]|\[[^\]]*\/[^\]]*\]/.test(written))
    return { why: "a set that also takes a `/`", help: "write `*` in its place" };
  return written.replace(/[{}\\]/g, "\\$&");
}

/**
 * A ruleset as it stands in Python: `PermissionRuleset(default="ask", read=OperationPermissions(rules=[PermissionRule(…)]))` somewhere in a
 * file, or a file that is one dict. Nothing is run: what is no literal is told with its place, and then nothing is read.
 */
const CALLS: ReadonlySet<string> = new Set(["PermissionRuleset", "OperationPermissions", "PermissionRule"]);
const MOST_DEPTH = 16;

/** The one ruleset of a text; undefined where the text is neither a dict nor holds one. */
function readPythonRuleset(text: string): JsonFile | Unreadable | undefined {
  const placeOf = placeFinder(text);
  const starts = rulesetsIn(text);
  const [start, second] = starts;
  if (second !== undefined) return { ...placeOf(second), problem: "this file holds several rulesets: put each into a file of its own" };
  const reader = new PythonReader(text, start ?? 0);
  try {
    const root = start === undefined ? reader.onlyDict() : reader.whole();
    return root === undefined ? undefined : { root, lineOf: (node) => placeOf(node.start).line };
  } catch (error) {
    if (!(error instanceof NoLiteral)) throw error;
    return start === undefined ? undefined : { ...placeOf(error.at), problem: error.message };
  }
}

/** Comments, texts, what is being defined, names. */
const PARTS = new RegExp(
  [
    String.raw`#[^\n]*`,
    String.raw`[rRbBuUfF]{0,2}(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')`,
    String.raw`(?<![\w.])(?:class|def)\s+\w+`,
    String.raw`(?<![\w.])[\w.]+`,
  ].join("|"),
  "g",
);

/** Where `PermissionRuleset(…)` stands outside of texts and comments, and is not being defined. */
function rulesetsIn(text: string): readonly number[] {
  const found: number[] = [];
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    const isName = part === "PermissionRuleset" || part.endsWith(".PermissionRuleset");
    if (isName && /^[ \t]*\(/.test(text.slice(index + part.length, index + part.length + 100))) found.push(index);
  }
  return found;
}

class NoLiteral extends Error {
  readonly at: number;
  constructor(at: number, what: string) {
    super(`${what}: only what stands there is read, and nothing is run; what \`model_dump_json()\` prints can be read`);
    this.at = at;
  }
}

class PythonReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** A text that is one dict, perhaps with a name. */
  onlyDict(): JsonNode | undefined {
    this.#take(/[A-Za-z_]\w*\s*(?::[^=\n]*)?=/y);
    this.#skip();
    if (this.#text.charAt(this.#at) !== "{") return undefined;
    const value = this.value(0);
    this.#skip();
    return this.#at === this.#text.length ? value : undefined;
  }

  /** A value that nothing is done with where it stands. */
  whole(): JsonNode {
    const value = this.value(0);
    const behind = /[^ \t]?/y;
    this.#take(/[ \t]*/y);
    behind.lastIndex = this.#at;
    if (!/^[\r\n#,;)\]}]?$/.test(behind.exec(this.#text)?.[0] ?? "")) throw new NoLiteral(this.#at, "something is done with the ruleset");
    this.#skip();
    if (this.#text.charAt(this.#at) === ".") throw new NoLiteral(this.#at, "something is done with the ruleset");
    return value;
  }

  value(depth: number): JsonNode {
    this.#skip();
    const start = this.#at;
    if (depth > MOST_DEPTH) throw new NoLiteral(start, "nested too deeply");
    const char = this.#text.charAt(start);
    if (char === "{") return { kind: "object", start, members: this.#dict(depth), end: this.#at };
    if (char === "[" || char === "(") return this.#list(char === "[" ? "]" : ")", depth);
    const text = this.#texts();
    if (text !== undefined) return { kind: "scalar", value: text, start, end: this.#at };
    const word = this.#take(/-?\d+(?:\.\d+)?(?![\w.])|[A-Za-z_][\w.]*/y);
    if (word === undefined) throw new NoLiteral(start, this.#at >= this.#text.length ? "it is not closed" : "this is not a literal");
    if (/^-?\d/.test(word)) return { kind: "scalar", value: Number(word), start, end: this.#at };
    const constant = CONSTANTS.get(word);
    if (constant !== undefined) return { kind: "scalar", value: constant.value, start, end: this.#at };
    const name = word.slice(word.lastIndexOf(".") + 1);
    this.#skip();
    if (!CALLS.has(name) || this.#text.charAt(this.#at) !== "(") throw new NoLiteral(start, `\`${word}\` is known when Python runs`);
    return { kind: "object", start, members: this.#arguments(depth), end: this.#at };
  }

  #arguments(depth: number): readonly ObjectMember[] {
    return this.#members(")", () => {
      const keyStart = this.#at;
      const key = this.#take(/[A-Za-z_]\w*(?=\s*=(?!=))/y);
      if (key === undefined) throw new NoLiteral(keyStart, "an argument without a name");
      this.#take(/\s*=/y);
      return { key, keyStart, value: this.value(depth + 1) };
    });
  }

  #dict(depth: number): readonly ObjectMember[] {
    return this.#members("}", () => {
      const keyStart = this.#at;
      const key = this.#texts();
      this.#skip();
      if (key === undefined || this.#text.charAt(this.#at) !== ":") throw new NoLiteral(keyStart, "this is not a key of a dict");
      this.#at += 1;
      return { key, keyStart, value: this.value(depth + 1) };
    });
  }

  #members(close: string, one: () => ObjectMember): readonly ObjectMember[] {
    const members: ObjectMember[] = [];
    this.#items(close, () => {
      const next = one();
      if (members.some(({ key }) => key === next.key)) throw new NoLiteral(next.keyStart, `\`${next.key}\` is there twice`);
      members.push(next);
    });
    return members;
  }

  #list(close: string, depth: number): JsonNode {
    const start = this.#at;
    const items: JsonNode[] = [];
    const { commas } = this.#items(close, () => items.push(this.value(depth + 1)));
    const [only] = items;
    // Brackets around one value are not a tuple.
    if (close === ")" && items.length === 1 && commas === 0 && only !== undefined) return only;
    return { kind: "array", start, items, end: this.#at };
  }

  #items(close: string, one: () => void): { readonly commas: number } {
    this.#at += 1;
    for (let commas = 0; ; commas += 1) {
      this.#skip();
      if (this.#text.charAt(this.#at) !== close) {
        one();
        this.#skip();
      } else {
        this.#at += 1;
        return { commas };
      }
      const char = this.#text.charAt(this.#at);
      if (char === close) {
        this.#at += 1;
        return { commas };
      }
      if (char !== ",") throw new NoLiteral(this.#at, char === "" ? "it is not closed" : "this is not a literal");
      this.#at += 1;
    }
  }

  /** One text, or several one after the other, which are one. */
  #texts(): string | undefined {
    let whole: string | undefined;
    for (;;) {
      const before = this.#at;
      if (whole !== undefined) this.#skip();
      const start = this.#at;
      const prefix = this.#take(/[A-Za-z]{0,2}(?=["'])/y);
      if (prefix === undefined) {
        this.#at = before;
        return whole;
      }
      if (!/^[rRuU]?$/.test(prefix)) throw new NoLiteral(start, `a text with the prefix \`${prefix}\``);
      whole = (whole ?? "") + this.#quoted(/^[rR]$/.test(prefix));
    }
  }

  #quoted(raw: boolean): string {
    const start = this.#at;
    const quote = this.#text.charAt(start);
    const fence = this.#text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
    let at = start + fence.length;
    let value = "";
    while (!this.#text.startsWith(fence, at)) {
      const char = this.#text.charAt(at);
      if (char === "" || (char === "\n" && fence.length === 1)) throw new NoLiteral(start, "the text is not closed");
      if (char !== "\\" || raw) {
        // In a raw text a backslash stays, and still keeps a quote from ending it.
        const length = char === "\\" ? 2 : 1;
        value += this.#text.slice(at, at + length);
        at += length;
        continue;
      }
      const [all = "", one = "", code = ""] = /^\\(?:([\n\\'"abfnrtv])|x([\da-fA-F]{2}))/.exec(this.#text.slice(at, at + 4)) ?? [];
      if (all === "") throw new NoLiteral(at, "an escape that is not read here");
      value += code === "" ? (ESCAPES.get(one) ?? one) : String.fromCharCode(Number.parseInt(code, 16));
      at += all.length;
    }
    this.#at = at + fence.length;
    return value;
  }

  /** Blanks, line breaks, comments. */
  #skip(): void {
    this.#take(/(?:\s|#[^\n]*|\\\r?\n)*/y);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const CONSTANTS: ReadonlyMap<string, { readonly value: boolean | null }> = new Map([
  ["None", { value: null }],
  ["True", { value: true }],
  ["False", { value: false }],
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ["a", "\u0007"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
