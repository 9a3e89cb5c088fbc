import type { Regex } from "./regex-parse.ts";
import { mistake, ok, type Result } from "./result.ts";

/**
 * Matches texts in time linear in their length, whatever the expression: all its states are walked at once (Thompson
 * 1968), and sets of states that were met are remembered (a lazy DFA), so that most characters cost one look-up.
 */

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
