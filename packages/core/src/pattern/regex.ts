import { mistake, ok, type Mistake, type Result } from "./result.ts";

/**
 * Regular expressions that always match the whole text: literals, `.`, sets, `\d \w \s`, groups, `|`, `* + ? {n,m}`,
 * `^` and `$` at the ends, `(?i)` in front. What cannot be matched in linear time (look-around, back-references) is a mistake.
 * `.` is every character, a line break too: a name with one is no way around a rule.
 */
export type Regex =
  | { readonly is: "set"; readonly negated: boolean; readonly ranges: readonly Range[]; readonly fold: boolean }
  | { readonly is: "all"; readonly parts: readonly Regex[] }
  | { readonly is: "one"; readonly parts: readonly Regex[] }
  | { readonly is: "repeat"; readonly part: Regex; readonly min: number; readonly max: number };

export type Range = readonly [low: number, high: number];

const LONGEST = 4096;
const DEEPEST = 50;
const MOST_REPEATS = 1000;

export const ANY: Regex = { is: "set", negated: true, ranges: [], fold: false };

export function literalRegex(text: string): Regex {
  const parts = [...text].map((char) => charSet(char.codePointAt(0) ?? 0, false));
  return { is: "all", parts };
}

function charSet(code: number, fold: boolean): Regex {
  return { is: "set", negated: false, ranges: [[code, code]], fold };
}

export function parseRegex(source: string): Result<Regex> {
  if (source === "") return mistake("the regular expression is empty");
  if (source.length > LONGEST) return mistake(`the regular expression is longer than ${LONGEST} characters`);
  const flags = /^\(\?([a-z]+)\)/.exec(source);
  const other = flags?.[1]?.replace(/[isu]/g, "") ?? "";
  if (other !== "") return mistake(`the flag \`${other}\` is not known here`, "only `(?i)` changes something");
  const reader = new RegexReader(source, flags?.[0].length ?? 0, flags?.[1]?.includes("i") === true);
  const regex = reader.alternatives(0);
  if (reader.wrong !== undefined) return reader.wrong;
  if (reader.at < source.length) return mistake("`)` without `(` in the regular expression", "write `\\)` for the character itself");
  return ok(regex);
}

const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: [[0x30, 0x39]],
  w: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  s: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, "0": 0 };
const LAST = 0x10ffff;

/** Everything but `ranges`. */
function complement(ranges: readonly Range[]): readonly Range[] {
  const out: Range[] = [];
  let next = 0;
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (low > next) out.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  if (next <= LAST) out.push([next, LAST]);
  return out;
}

/** Recursive descent; the first mistake is kept, and reading goes on to no effect. */
class RegexReader {
  wrong: Mistake | undefined;
  readonly #text: string;
  readonly #fold: boolean;
  readonly #start: number;
  at: number;

  constructor(text: string, at: number, fold: boolean) {
    this.#text = text;
    this.#start = at;
    this.#fold = fold;
    this.at = at;
  }

  alternatives(depth: number): Regex {
    if (depth > DEEPEST) this.#fail(`groups nested deeper than ${DEEPEST}`);
    const choices = [this.#sequence(depth)];
    while (this.#peek() === "|") {
      this.at++;
      choices.push(this.#sequence(depth));
    }
    return choices.length === 1 ? (choices[0] ?? ANY) : { is: "one", parts: choices };
  }

  #sequence(depth: number): Regex {
    const parts: Regex[] = [];
    while (this.at < this.#text.length && this.wrong === undefined) {
      const char = this.#peek();
      if (char === "|" || char === ")") break;
      if ((char === "^" && parts.length === 0) || char === "$") {
        this.#anchor(char, depth);
        continue;
      }
      parts.push(this.#repeated(this.#atom(depth)));
    }
    return { is: "all", parts };
  }

  /** The whole text has to match anyway. */
  #anchor(char: string, depth: number): void {
    const before = this.#text.charAt(this.at - 1);
    const after = this.#text.charAt(this.at + 1);
    const outside = depth === 0 && (char === "^" ? this.at === this.#start || before === "|" : after === "" || after === "|");
    if (!outside)
      this.#fail(`\`${char}\` inside a regular expression`, `the whole text has to match anyway; write \`\\${char}\` for the character`);
    this.at++;
  }

  #atom(depth: number): Regex {
    const char = this.#take();
    switch (char) {
      case "(":
        return this.#group(depth);
      case "[":
        return this.#set();
      case ".":
        return ANY;
      case "*":
      case "+":
      case "?":
        this.#fail(
          `nothing in front of \`${char}\` in the regular expression`,
          `any text is \`.*\`; write \`\\${char}\` for the character itself`,
        );
        return ANY;
      case "\\": {
        const ranges = this.#escape();
        return { is: "set", negated: false, ranges, fold: this.#fold };
      }
      default:
        return charSet(char.codePointAt(0) ?? 0, this.#fold);
    }
  }

  #group(depth: number): Regex {
    const special = /\?(?::|P?<[A-Za-z_]\w*>)/y;
    special.lastIndex = this.at;
    const found = special.exec(this.#text);
    if (found !== null) this.at += found[0].length;
    else if (this.#peek() === "?")
      this.#fail(
        `\`(${this.#text.slice(this.at, this.at + 3)}\` is not possible here`,
        "look-around and the like need no bounded time; write two rules",
      );
    const inner = this.alternatives(depth + 1);
    if (this.#peek() === ")") this.at++;
    else this.#fail("`(` without `)` in the regular expression", "write `\\(` for the character itself");
    return inner;
  }

  #set(): Regex {
    const negated = this.#peek() === "^";
    if (negated) this.at++;
    const ranges: Range[] = [];
    for (let first = true; first || this.#peek() !== "]"; first = false) {
      if (this.at >= this.#text.length) {
        this.#fail("`[` without `]` in the regular expression", "write `\\[` for the character itself");
        break;
      }
      const low = this.#member();
      const next = this.#text.charAt(this.at + 1);
      if (this.#peek() !== "-" || next === "]" || next === "" || low.length !== 1) {
        ranges.push(...low);
        continue;
      }
      this.at++;
      const high = this.#member();
      const [from, to] = [low[0]?.[0] ?? 0, high[0]?.[1] ?? 0];
      if (high.length !== 1 || to < from) this.#fail("a range that ends before it begins in the regular expression");
      ranges.push([from, to]);
    }
    this.at++;
    return { is: "set", negated, ranges, fold: this.#fold };
  }

  #member(): readonly Range[] {
    if (this.#text.startsWith("[:", this.at)) this.#fail("`[:…:]` is not known here", "write the characters, or `\\d`, `\\w`, `\\s`");
    const char = this.#take();
    if (char === "\\") return this.#escape();
    const code = char.codePointAt(0) ?? 0;
    return [[code, code]];
  }

  /** What follows a backslash. */
  #escape(): readonly Range[] {
    const char = this.#take();
    const lower = char.toLowerCase();
    const ranges = CLASSES[lower];
    if (ranges !== undefined) return char === lower ? ranges : complement(ranges);
    const control = CONTROLS[char];
    const hex = /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}/y;
    hex.lastIndex = this.at - char.length;
    const found = hex.exec(this.#text);
    if (found !== null) this.at += found[0].length - char.length;
    else if (control === undefined && (char === "" || /[\p{L}\p{N}]/u.test(char)))
      this.#fail(`\`\\${char}\` is not known in a regular expression here`, char === "" ? "write `\\\\` for a backslash" : undefined);
    const code = found === null ? (control ?? char.codePointAt(0) ?? 0) : Number.parseInt(found[1] ?? found[2] ?? found[3] ?? "0", 16);
    return [[code, code]];
  }

  #repeated(atom: Regex): Regex {
    let part = atom;
    for (let times = 0; ; times++) {
      const quantifier = /\*|\+|\?|\{(\d{1,4})(?:(,)(\d{0,4}))?\}/y;
      quantifier.lastIndex = this.at;
      const found = quantifier.exec(this.#text);
      if (found === null) return part;
      if (times > 0) {
        this.#fail(
          `\`${found[0]}\` after another repetition in the regular expression`,
          "a path pattern is written without the slashes at both ends",
        );
        return part;
      }
      this.at += found[0].length;
      const [text, low, comma, high = ""] = found;
      const min = low === undefined ? (text === "+" ? 1 : 0) : Number(low);
      const max = low === undefined ? (text === "?" ? 1 : Infinity) : comma === undefined ? min : high === "" ? Infinity : Number(high);
      if (max < min || Math.max(min, max === Infinity ? 0 : max) > MOST_REPEATS)
        this.#fail(`\`${text}\` in the regular expression`, `repeat from fewer to more, at most ${MOST_REPEATS} times`);
      part = { is: "repeat", part, min, max };
      // How much is taken first makes no difference to whether all of it matches.
      if (this.#peek() === "?") this.at++;
    }
  }

  #peek(): string {
    return this.#text.charAt(this.at);
  }

  #take(): string {
    const code = this.#text.codePointAt(this.at);
    if (code === undefined) return "";
    const char = String.fromCodePoint(code);
    this.at += char.length;
    return char;
  }

  #fail(message: string, help?: string): void {
    this.wrong ??= mistake(message, help);
    this.at = this.#text.length;
  }
}

type Instruction =
  | { readonly op: "set"; readonly accepts: (code: number) => boolean; readonly next: number }
  | { readonly op: "split"; readonly to: readonly number[] }
  | { readonly op: "match" };

const MOST_INSTRUCTIONS = 5000;
/** Sets of states kept; beyond this they are forgotten and met anew. */
const MOST_STATES = 1000;
const MOST_STEPS = 20_000;

interface State {
  readonly at: readonly number[];
  readonly accepts: boolean;
  readonly next: Map<number, State>;
}

export interface LinearMatcher {
  test(text: string): boolean;
}

/** An expression that would need too many instructions is a mistake. */
export function compileRegex(regex: Regex): Result<LinearMatcher> {
  const program: Instruction[] = [{ op: "match" }];
  const start = emit(regex, 0, program);
  if (start === undefined) return mistake("the regular expression is too large", "repeat less often");
  return ok(new Automaton(program, start));
}

/** Appends the instructions for `regex` that go on at `next`, and gives where they begin; undefined when there are too many. */
function emit(regex: Regex, next: number, program: Instruction[]): number | undefined {
  if (program.length > MOST_INSTRUCTIONS) return undefined;
  switch (regex.is) {
    case "set":
      return program.push({ op: "set", accepts: accepts(regex), next }) - 1;
    case "all": {
      let at: number | undefined = next;
      for (const part of regex.parts.toReversed()) if (at !== undefined) at = emit(part, at, program);
      return at;
    }
    case "one": {
      const starts = regex.parts.map((part) => emit(part, next, program));
      const to = starts.filter((start) => start !== undefined);
      return to.length < starts.length ? undefined : program.push({ op: "split", to }) - 1;
    }
    case "repeat":
      return emitRepeat(regex, next, program);
  }
}

function emitRepeat({ part, min, max }: Extract<Regex, { is: "repeat" }>, next: number, program: Instruction[]): number | undefined {
  let at: number | undefined = next;
  if (max === Infinity) {
    const loop: { op: "split"; to: readonly number[] } = { op: "split", to: [] };
    at = program.push(loop) - 1;
    const body = emit(part, at, program);
    if (body === undefined) return undefined;
    loop.to = [body, next];
  } else {
    for (let i = min; i < max && at !== undefined; i++) {
      const body: number | undefined = emit(part, at, program);
      at = body === undefined ? undefined : program.push({ op: "split", to: [body, next] }) - 1;
    }
  }
  for (let i = 0; i < min && at !== undefined; i++) at = emit(part, at, program);
  return at;
}

function accepts({ ranges, negated, fold }: Extract<Regex, { is: "set" }>): (code: number) => boolean {
  if (ranges.length === 0) return () => negated;
  const holds = (code: number): boolean => ranges.some(([low, high]) => code >= low && code <= high);
  if (!fold) return (code) => holds(code) !== negated;
  return (code) => {
    const char = String.fromCodePoint(code);
    const variants = [char, char.toLowerCase(), char.toUpperCase()].filter((text) => text.length === char.length);
    return variants.some((text) => holds(text.codePointAt(0) ?? code)) !== negated;
  };
}

/**
 * Matches texts in time linear in their length, whatever the expression: all its states are walked at once (Thompson
 * 1968), and sets of states that were met are remembered (a lazy DFA), so that most characters cost one look-up.
 */
class Automaton implements LinearMatcher {
  readonly #program: readonly Instruction[];
  readonly #states = new Map<string, State>();
  #steps = 0;
  #start: State;
  readonly #entry: number;

  constructor(program: readonly Instruction[], entry: number) {
    this.#program = program;
    this.#entry = entry;
    this.#start = this.#state([entry]);
  }

  test(text: string): boolean {
    let state = this.#start;
    for (let i = 0; i < text.length;) {
      const code = text.codePointAt(i) ?? 0;
      i += code > 0xffff ? 2 : 1;
      state = state.next.get(code) ?? this.#step(state, code);
      if (state.at.length === 0 && !state.accepts) return false;
    }
    return state.accepts;
  }

  #step(state: State, code: number): State {
    const reached: number[] = [];
    for (const at of state.at) {
      const instruction = this.#program[at];
      if (instruction?.op === "set" && instruction.accepts(code)) reached.push(instruction.next);
    }
    if (this.#states.size > MOST_STATES || this.#steps > MOST_STEPS) {
      this.#states.clear();
      this.#steps = 0;
      this.#start = this.#state([this.#entry]);
      return this.#state(reached);
    }
    const next = this.#state(reached);
    state.next.set(code, next);
    this.#steps++;
    return next;
  }

  /** The set of states that these lead to without another character. */
  #state(from: readonly number[]): State {
    const seen = new Set(from);
    const at: number[] = [];
    let matches = false;
    // A set visits what is added while it is walked.
    for (const one of seen) {
      const instruction = this.#program[one];
      if (instruction?.op === "split") for (const to of instruction.to) seen.add(to);
      else if (instruction?.op === "match") matches = true;
      else at.push(one);
    }
    at.sort((a, b) => a - b);
    const key = `${matches ? "!" : ""}${at.join(",")}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { at, accepts: matches, next: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }
}
