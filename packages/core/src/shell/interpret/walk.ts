import type {
  AndOr,
  ArithmeticExpression,
  ArithmeticFor,
  Case,
  CommandNode,
  CompoundList,
  For,
  If,
  ParsedScript,
  PipelineNode,
  Select,
  Statement,
  While,
  Word,
} from "unbash";
import { WAITS } from "#knowledge/traits";
import { askedBy, runsAway } from "../languages/amounts.ts";
import { readArithmetic } from "../words/arithmetic.ts";
import { runSimple } from "./command.ts";
import { BY_SHELL, type Context, type StepOutcome } from "../words/context.ts";
import { readTest } from "../words/evaluated.ts";
import { expandFields, expandText, type Expansion } from "../words/expand.ts";
import { sharedInput, takeInput, withInput, withOwnInput } from "../words/input.ts";
import { isCalledByShell, isZshWord } from "./portable.ts";
import { doubtAmount, readRedirections, type Redirected } from "./redirect.ts";
import { joinPlaces, joinStates, sameState, type ShellPlace, type ShellState } from "../words/state.ts";
import { endless, isEndless, isNetwork, NOTHING, oneWord, perhaps, sequence, unknown, type Stream, type Value } from "../words/value.ts";
import { assignVariable, isChanging } from "../words/variables.ts";

export type ShellOutcome = StepOutcome<ShellState>;

export const same = (out: Stream, state: ShellState): ShellOutcome => ({ out, ok: state, fail: state });
/** The state after, whatever the exit status; the state before where the shell would have ended. */
export const after = (outcome: ShellOutcome, before: ShellState): ShellState => joinStates(outcome.ok, outcome.fail) ?? before;

/** The states in which `return` or `break` left come to those at the end. */
export const leaving = (outcome: ShellOutcome, states: readonly ShellState[]): ShellOutcome => {
  const left = states.reduce<ShellState | undefined>((a, b) => joinStates(a, b), undefined);
  return left === undefined ? outcome : { out: outcome.out, ok: joinStates(outcome.ok, left), fail: joinStates(outcome.fail, left) };
};

export const expansion = (cx: Context, state: ShellState): Expansion => ({ cx, state, run: runSubshell });

/** Walks up to a boundary at which failed expansions end, and hands them over. */
export function failing<T>(cx: Context, walk: () => T): readonly [T, readonly ShellState[]] {
  const states: ShellState[] = [];
  cx.failures.push(states);
  const found = walk();
  cx.failures.pop();
  return [found, states];
}

/**
 * A subshell begins without the trap that waits for the end of the shell around it (POSIX, trap; tried in eight shells): where it goes
 * and what it sets is not found by that.
 */
function inSubshell<T>(cx: Context, walk: () => T): T {
  const waiting = cx.traps.filter(({ last }) => last).map((trap) => ({ trap, moved: trap.moved, changed: [...trap.changed] }));
  const found = walk();
  for (const { trap, moved, changed } of waiting) {
    trap.moved = moved;
    trap.changed.clear();
    for (const name of changed) trap.changed.add(name);
  }
  return found;
}

/** Runs a script in a copy of the state and returns what it prints. */
export function runSubshell(cx: Context, state: ShellState, script: ParsedScript, stdin: Stream): Stream {
  return inSubshell(cx, () => failing(cx, () => runStatements(cx, state, script.commands, stdin))[0].out);
}

/** Runs a whole script: where an expansion fails, bash goes on with the next line. */
export function runScript(cx: Context, start: ShellState, statements: readonly Statement[], stdin: Stream, source: string): ShellOutcome {
  const failed: ShellState[] = [];
  cx.failures.push(failed);
  cx.scripts.add(failed);
  const nextLine = (state: ShellState | undefined, from: Statement, to: Statement): ShellState | undefined =>
    source.slice(from.end, to.pos).includes("\n") ? rejoin(state, failed.splice(0), start) : state;
  const run = runStatements(cx, start, statements, stdin, nextLine);
  cx.failures.pop();
  return run;
}

/** The state of a line that was given up comes to the one at its end; functions on the way are left. */
export function rejoin(state: ShellState | undefined, failed: readonly ShellState[], outer: ShellState): ShellState | undefined {
  let end = state;
  for (const one of failed) {
    if (one.frames.length > outer.frames.length) one.positional = [unknown("the positional parameters after a failed expansion", true)];
    while (one.frames.length > outer.frames.length) one.leaveFunction();
    end = joinStates(end, one);
  }
  return end;
}

/** Runs statements one after the other. `ok` and `fail` are undefined when the shell ends inside. */
export function runStatements(
  cx: Context,
  start: ShellState,
  statements: readonly Statement[],
  stdin: Stream,
  nextLine?: (state: ShellState | undefined, from: Statement, to: Statement) => ShellState | undefined,
): ShellOutcome {
  const outs: Stream[] = [];
  let last: ShellOutcome = same(NOTHING, start);
  let state = start;
  let ended = false;
  const { cuts } = cx;
  for (const [i, statement] of statements.entries()) {
    if (!cx.step()) break;
    last = runStatement(cx, state, statement, stdin);
    // After `exit`, or a command that fails under errexit, the rest prints nothing.
    outs.push(cx.cuts > cuts || (i > 0 && (state.options.has("errexit") || state.options.has("nounset"))) ? perhaps(last.out) : last.out);
    const following = statements[i + 1];
    const end = joinStates(last.ok, last.fail);
    const next = nextLine === undefined || following === undefined ? end : nextLine(end, statement, following);
    if (next === undefined) ended = true;
    state = next ?? state.fork();
  }
  const out = sequence(outs);
  return ended ? { out, ok: undefined, fail: undefined } : { out, ok: last.ok, fail: last.fail };
}

function runStatement(cx: Context, state: ShellState, statement: Statement, stdin: Stream): ShellOutcome {
  if (statement.background === true) {
    cx.concurrent++;
    const [{ out }] = failing(cx, () => runAndOr(cx, state.fork(), statement.command, sharedInput(stdin)));
    cx.concurrent--;
    // Who prints first is not certain.
    return same(perhaps(out), state);
  }
  return runAndOr(cx, state, statement.command, stdin);
}

function runAndOr(cx: Context, state: ShellState, node: PipelineNode | AndOr, stdin: Stream): ShellOutcome {
  if (node.type !== "AndOr") return runPipeline(cx, state, node, stdin);
  const outs: Stream[] = [];
  let current: ShellOutcome = same(NOTHING, state);
  node.commands.forEach((command, i) => {
    const operator = i === 0 ? undefined : node.operators[i - 1];
    if (operator === undefined) {
      current = runPipeline(cx, state, command, stdin);
    } else {
      const taken = operator === "&&" ? current.ok : current.fail;
      const skipped = operator === "&&" ? current.fail : current.ok;
      // Where the way is closed (`exit && x`) the command is judged all the same.
      const run = runPipeline(cx, (taken ?? state).fork(), command, stdin);
      const reached: ShellOutcome = taken === undefined ? { out: run.out, ok: undefined, fail: undefined } : run;
      current =
        operator === "&&"
          ? { out: run.out, ok: reached.ok, fail: joinStates(skipped, reached.fail) }
          : { out: run.out, ok: joinStates(skipped, reached.ok), fail: reached.fail };
    }
    outs.push(i === 0 ? current.out : perhaps(current.out));
  });
  return { ...current, out: sequence(outs) };
}

function runPipeline(cx: Context, state: ShellState, node: PipelineNode, stdin: Stream): ShellOutcome {
  if (node.type !== "Pipeline") return runNode(cx, state, node, stdin);
  const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
  for (const prefix of node.prefixes) {
    if (prefix.type === "Time" && cx.maybeZsh && cx.timed > 0)
      cx.unknown("bash and zsh read a `time` inside a `time` differently", { span: cx.span(prefix) });
    const option =
      prefix.type !== "Time" ? undefined : prefix.posix !== undefined ? "-p" : prefix.endOfOptions === undefined ? undefined : "--";
    if (option !== undefined && cx.maybeZsh)
      cx.unknown(`zsh reads \`time ${option}\` as a command named ${option}`, { span: cx.span(prefix), help: `leave ${option} out` });
  }
  let outcome: ShellOutcome;
  const [only] = node.commands;
  const timed = node.prefixes.some((prefix) => prefix.type === "Time");
  const before = timed && cx.maybeZsh ? state.fork() : state;
  if (timed) cx.timed++;
  if (node.commands.length === 1 && only !== undefined) outcome = runNode(cx, state, only, stdin);
  else {
    let input = stdin;
    let end = state;
    cx.concurrent++;
    for (const [i, command] of node.commands.entries()) {
      if (cx.isOver) break;
      const inner = state.fork();
      const last = i === node.commands.length - 1;
      if (!last && inner.kept.has(1)) inner.kept = new Set([...inner.kept].filter((descriptor) => descriptor !== 1));
      const walk = (given: Stream): ShellOutcome =>
        last ? runNode(cx, inner, command, given) : failing(cx, () => runNode(cx, inner, command, given))[0];
      // The first has what is there already.
      const run = i === 0 ? walk(input) : withInput(cx, input, walk);
      input = node.operators[i] === "|&" ? withErrors(run) : run.out;
      if (!last && cx.maybeZsh && run.spilled !== undefined) input = perhaps(sequence([input, run.spilled]));
      if (inner.pendingTraps.prints) input = muddled(input);
      end = after(run, inner);
    }
    cx.concurrent--;
    // zsh (and bash with lastpipe) runs the last command in the shell itself.
    const joined = joinStates(state, end) ?? state;
    outcome = same(input, node.commands.length === 0 ? state : joined);
  }
  if (timed) cx.timed--;
  // zsh times in a subshell: what a timed command sets may be lost.
  if (timed && cx.maybeZsh) outcome = { ...outcome, ok: joinStates(before, outcome.ok), fail: joinStates(before, outcome.fail) };
  return negated ? { out: outcome.out, ok: outcome.fail, fail: outcome.ok } : outcome;
}

/** Output into which a trap may print. */
export const muddled = (out: Stream): Stream => ({ is: "unknown", why: "what is printed beside a trap", network: isNetwork(out) });

/** Output that error messages are mixed into, and what goes to other descriptors. */
function withErrors({ out, sole }: ShellOutcome): Stream {
  return sole === true || out.is === "unknown" ? out : { is: "unknown", why: "error messages", network: isNetwork(out) };
}

/** What a redirection took, a pipe behind the command gets all the same in zsh (MULTIOS). */
export function redirectedOutcome(run: ShellOutcome, redirected: Redirected, before: ShellState | undefined): ShellOutcome {
  return withOutputs(before === undefined ? run : { ...run, fail: joinStates(run.fail, before) }, redirected);
}

function withOutputs(run: ShellOutcome, redirected: Redirected): ShellOutcome {
  if (redirected.doubtful) {
    const out: Stream = { is: "unknown", why: "what may go to the output", network: isNetwork(run.out) };
    return { ...run, out, spilled: out };
  }
  if (redirected.captured || redirected.piped) {
    const out: Stream = redirected.errors ? { is: "unknown", why: "error messages", network: isNetwork(run.out) } : NOTHING;
    return { ...run, out, spilled: sequence([run.out, run.spilled ?? NOTHING]) };
  }
  return redirected.errors ? { ...run, out: withErrors(run) } : run;
}

function runNode(cx: Context, state: ShellState, node: CommandNode | CompoundList, stdin: Stream): ShellOutcome {
  if (!cx.step()) return same(NOTHING, state);
  const before = cx.leaked.length;
  const around = cx.stdin;
  cx.stdin = stdin;
  const run = runKind(cx, state, node, stdin);
  cx.stdin = around;
  return cx.leaked.length === before ? run : { ...run, out: sequence([run.out, ...cx.leaked.splice(before).map(perhaps)]) };
}

function runKind(cx: Context, state: ShellState, node: CommandNode | CompoundList, stdin: Stream): ShellOutcome {
  switch (node.type) {
    case "Command":
      return runSimple(cx, state, node, stdin);
    case "Redirected": {
      const redirected = readRedirections(expansion(cx, state), node.redirects);
      const before = redirected.uncertain ? state.fork() : undefined;
      const first = cx.actions.length;
      const { kept } = state;
      state.kept = redirected.kept;
      const run = withOwnInput(cx, stdin, redirected.stdin, (input) => runNode(cx, state, node.command, input));
      for (const end of [state, run.ok, run.fail]) if (end?.kept === redirected.kept) end.kept = kept;
      doubtAmount(expansion(cx, state), { out: run.out, redirected, redirects: node.redirects, first });
      return redirectedOutcome(run, redirected, before);
    }
    case "Subshell": {
      const [{ out }] = inSubshell(cx, () => failing(cx, () => runStatements(cx, state.fork(), node.body.commands, stdin)));
      return same(out, state);
    }
    case "BraceGroup":
      return runStatements(cx, state, node.body.commands, stdin);
    case "CompoundList":
      return runStatements(cx, state, node.commands, stdin);
    case "If":
      return runIf(cx, state, node, stdin);
    case "For":
    case "Select":
      return runFor(cx, state, node, stdin);
    case "ArithmeticFor":
      return runArithmeticFor(cx, state, node, stdin);
    case "While":
      return runWhile(cx, state, node, stdin);
    case "Case":
      return runCase(cx, state, node, stdin);
    case "Function": {
      const name = node.name.value;
      cx.doubt(cx.span(node), [
        cx.timed > 0 && cx.maybeZsh && { reason: "bash and zsh read a function defined under `time` differently" },
        state.aliases.has(name) && { reason: `the alias ${name} may stand where a function gets its name, and gives it another` },
        cx.maybeZsh && isZshWord(name) && { reason: `${name} is a word of zsh itself, which no function replaces` },
        isCalledByShell(name) && { reason: `the shell itself calls the function ${name}` },
      ]);
      state.setFunction(name, [node]);
      cx.defined.set(node, { state, called: false });
      return same(NOTHING, state);
    }
    case "Coproc": {
      const span = cx.span(node);
      // The name is expanded, and may have a subscript (bash 5.2).
      if (node.name !== undefined && !/^[A-Za-z_]\w*$/.test(node.name.text))
        cx.unknown("the name of a coprocess is expanded", { span, help: "write a plain name" });
      cx.concurrent++;
      runNode(cx, state.fork(), node.body, { is: "unknown", why: "what is written to a coprocess", network: false });
      cx.concurrent--;
      const descriptors = unknown("the descriptors of a coprocess", true);
      assignVariable(cx, state, node.name?.value ?? "COPROC", descriptors, { exported: false, span });
      return same(NOTHING, state);
    }
    case "TestCommand":
      predicate(cx, "[[", node);
      readTest(expansion(cx, state), node.expression);
      return same(NOTHING, state);
    case "ArithmeticCommand":
      predicate(cx, "((", node);
      if (node.expression !== undefined) {
        const { expression } = node;
        const [, failed] = failing(cx, () => readArithmetic(expansion(cx, state), expression));
        return { out: NOTHING, ok: state, fail: rejoin(state, failed, state) };
      }
      if (node.body.trim() !== "") cx.unknown("an arithmetic expression that cannot be read", { span: cx.span(node) });
      return same(NOTHING, state);
  }
}

function runIf(cx: Context, state: ShellState, node: If, stdin: Stream): ShellOutcome {
  const outs: Stream[] = [];
  const ends: (ShellState | undefined)[] = [];
  let rest: ShellState | undefined = state;
  for (const branch of [{ clause: node.clause, then: node.then }, ...node.elif]) {
    const before: ShellState = (rest ?? state).fork();
    const condition = runStatements(cx, before, branch.clause.commands, stdin);
    const then = runStatements(cx, (condition.ok ?? before).fork(), branch.then.commands, stdin);
    outs.push(condition.out, then.out);
    if (rest !== undefined && condition.ok !== undefined) ends.push(then.ok, then.fail);
    rest = rest === undefined ? undefined : condition.fail;
  }
  if (node.else !== undefined) {
    const otherwise = runStatements(cx, (rest ?? state).fork(), node.else.commands, stdin);
    outs.push(otherwise.out);
    if (rest !== undefined) ends.push(otherwise.ok, otherwise.fail);
  } else ends.push(rest);
  const end = ends.reduce<ShellState | undefined>((a, b) => joinStates(a, b), undefined);
  return { out: merged(outs), ok: end, fail: end };
}

/** Output of branches of which only some ran. */
const merged = (outs: readonly Stream[]): Stream => sequence(outs.map(perhaps));

function runCase(cx: Context, state: ShellState, node: Case, stdin: Stream): ShellOutcome {
  expandText(expansion(cx, state), node.word);
  const outs: Stream[] = [];
  let end: ShellState | undefined;
  /** `;&` goes on in the next body, and looks at no pattern on the way. */
  let through: ShellState | undefined;
  for (const item of node.items) {
    // Those behind the one that matches are not expanded.
    let inner = through;
    for (const pattern of item.pattern) {
      expandText(expansion(cx, state), pattern);
      inner = joinStates(inner, state.fork());
    }
    const run = runStatements(cx, (inner ?? state).fork(), item.body.commands, stdin);
    outs.push(run.out);
    const left = joinStates(run.ok, run.fail);
    end = joinStates(end, left);
    through = item.terminator === ";&" ? left : undefined;
    if (item.terminator === ";;&") state = joinStates(state, left) ?? state;
  }
  end = joinStates(end, state);
  return { out: merged(outs), ok: end, fail: end };
}

/** More values than this are not tried one by one. */
const MOST_VALUES = 16;

function runFor(cx: Context, state: ShellState, node: For | Select, stdin: Stream): ShellOutcome {
  const ex = expansion(cx, state);
  const values = node.wordlist === undefined ? state.positional : node.wordlist.flatMap((word: Word) => expandFields(ex, word));
  const name = node.name.value;
  const span = cx.span(node.name);
  const outs: Stream[] = [];
  const body = (inner: ShellState, value: Value): ShellOutcome => {
    assignVariable(cx, inner, name, value, { exported: false, span });
    if (node.type === "Select") takeInput(cx, inner, stdin, "pieces");
    if (node.type === "Select") assignVariable(cx, inner, "REPLY", unknown("a line of the input"), { exported: false, span });
    const run = round(cx, () => runStatements(cx, inner, node.body.commands, stdin));
    outs.push(run.out);
    return run;
  };
  let end = state;
  const [steps, rest] = [values.slice(0, MOST_VALUES), values.slice(MOST_VALUES)];
  for (const value of steps) {
    // A pattern or an unquoted expansion is one name a round, any number of rounds.
    const each = oneWord(value);
    if (value.many) end = loop(cx, end, (inner) => after(body(inner, each), inner));
    else end = joinStates(end, after(body(end.fork(), each), end)) ?? end;
  }
  if (rest.length > 0) end = loop(cx, end, (inner) => after(body(inner, unknown(`one of ${values.length} values of $${name}`)), inner));
  return same(merged(outs), end);
}

/** One round of a loop: `break` and `continue` leave it early. */
function round(cx: Context, walk: () => ShellOutcome): ShellOutcome {
  const states: ShellState[] = [];
  cx.escapes.push({ from: "loop", states });
  const run = walk();
  cx.escapes.pop();
  return leaving(run, states);
}

/** A variable that gets what another had a round before is lost a round after it: some lines have long chains of those. */
const MOST_ROUNDS = 64;

/** Runs a body any number of times: until the state no longer changes, or what changes is unknown. */
function loop(cx: Context, start: ShellState, body: (state: ShellState) => ShellState): ShellState {
  let state = start;
  for (let round = 0; cx.step(); round++) {
    if (round === MOST_ROUNDS) {
      cx.unknown("what a loop leaves behind is not found out");
      break;
    }
    const left = cx.inputs.map((input) => cx.taken.get(input));
    const joined = joinStates(state, body(state.fork())) ?? state;
    if (round > 0 && joined.places !== state.places) joined.places = widen(state.places, joined.places);
    // The next round finds what this one has left of an input.
    if (sameState(joined, state) && cx.inputs.every((input, i) => cx.taken.get(input) === left[i])) return joined;
    state = joined;
  }
  return state;
}

function widen(before: readonly ShellPlace[], now: readonly ShellPlace[]): readonly ShellPlace[] {
  const grown = joinPlaces(before, now).length > before.length;
  return grown ? [{ is: "unknown", why: "the working directory after a `cd` in a loop" }] : now;
}

function runArithmeticFor(cx: Context, state: ShellState, node: ArithmeticFor, stdin: Stream): ShellOutcome {
  const failed: ShellState[] = [];
  const evaluate = (at: ShellState, expression: ArithmeticExpression | undefined): void => {
    if (expression !== undefined) failed.push(...failing(cx, () => readArithmetic(expansion(cx, at), expression))[1]);
  };
  evaluate(state, node.initialize);
  const from = { actions: cx.actions.length, cuts: cx.cuts, assigned: cx.changed.length };
  const outs: Stream[] = [];
  const end = loop(cx, state, (inner) => {
    evaluate(inner, node.test);
    const run = round(cx, () => runStatements(cx, inner, node.body.commands, stdin));
    outs.push(run.out);
    const then = after(run, inner);
    evaluate(then, node.update);
    return then;
  });
  const endless = !node.test || isConstant(cx, from.assigned, node.test) || runsAway(node.test, [node.body, node.update], false);
  return same(endless ? unended(cx, state, from, merged(outs)) : merged(outs), rejoin(end, failed, state) ?? end);
}

function runWhile(cx: Context, state: ShellState, node: While, stdin: Stream): ShellOutcome {
  const outs: Stream[] = [];
  const from = { actions: cx.actions.length, cuts: cx.cuts, assigned: cx.changed.length };
  const end = loop(cx, state, (inner) => {
    const condition = round(cx, () => runStatements(cx, inner, node.clause.commands, stdin));
    const entered = (node.kind === "while" ? condition.ok : condition.fail) ?? inner;
    const run = round(cx, () => runStatements(cx, entered.fork(), node.body.commands, stdin));
    outs.push(condition.out, run.out);
    return joinStates(after(condition, inner), after(run, entered)) ?? inner;
  });
  const isAlways =
    isConstant(cx, from.assigned, node.clause.commands, node.kind === "while" ? "false" : "true :") ||
    runsAway(node.clause, node.body, node.kind === "until");
  return same(isAlways || isEndless(stdin) ? unended(cx, state, from, merged(outs)) : merged(outs), end);
}

/** A condition that no round changes, and not the one (`never`) with which there is none. */
const isConstant = (cx: Context, from: number, condition: readonly Statement[] | ArithmeticExpression, never = ""): boolean =>
  askedBy(JSON.stringify(condition), never)?.every((name) => !isChanging(name) && !cx.changed.includes(name, from)) === true;

/** What a loop prints that nothing ends, and that waits for no program. */
function unended(cx: Context, { kept }: ShellState, from: Readonly<Record<"actions" | "cuts" | "assigned", number>>, out: Stream): Stream {
  const actions = cx.actions.slice(from.actions);
  if (
    cx.cuts > from.cuts ||
    actions.some((action) => action.kind === "exec" && (action.builtin !== true || WAITS.has(action.knowledge ?? "")))
  )
    return out;
  const exec = cx.actions.findLastIndex(({ kind }, at) => at >= from.actions && kind === "exec");
  const writes = actions.some((action) => action.kind === "file" && action.operation === "write");
  const fills = writes || [...kept].some((descriptor) => descriptor > 2 || (descriptor === 1 && out.is !== "none"));
  if (exec >= 0 && fills) cx.addDanger(exec, "resource-bomb");
  else if (cx.changed.length > from.assigned) cx.unknown("a loop that nothing ends keeps what it makes", { help: "give it an end" });
  return out.is === "none" ? out : endless(out);
}

/** Tests do nothing but look; they are an action only so that a line of nothing else has a verdict. */
function predicate(cx: Context, word: string, node: { readonly pos: number; readonly end: number }): void {
  const span = cx.span(node);
  cx.add({
    kind: "exec",
    program: word,
    argv: [{ known: true, text: word }],
    trusted: true,
    knowledge: word,
    builtin: true,
    inert: "predicate",
    env: [],
    origin: BY_SHELL,
    ...(span === undefined ? {} : { span }),
  });
}
