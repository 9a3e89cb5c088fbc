import type { ArithmeticExpression, ArithmeticFor, For, Select, While, Word } from "unbash";
import { readArithmetic } from "./arithmetic.ts";
import type { Context } from "./context.ts";
import { expandFields } from "./expand.ts";
import { joinPlaces, joinStates, sameState, type Place, type ShellState } from "./state.ts";
import { unknown, type Stream, type Value } from "./value.ts";
import { assignVariable } from "./variables.ts";
import { after, expansion, leaving, merged, rejoin, runStatements, same, type ShellOutcome } from "./walk.ts";

/** More values than this are not tried one by one. */
const MOST_VALUES = 16;

export function runFor(cx: Context, state: ShellState, node: For | Select, stdin: Stream): ShellOutcome {
  const ex = expansion(cx, state);
  const values = node.wordlist === undefined ? state.positional : node.wordlist.flatMap((word: Word) => expandFields(ex, word));
  const name = node.name.value;
  const span = cx.span(node.name);
  const outs: Stream[] = [];
  const body = (inner: ShellState, value: Value): ShellOutcome => {
    assignVariable(cx, inner, name, value, { exported: false, span });
    if (node.type === "Select") assignVariable(cx, inner, "REPLY", unknown("a line of the input"), { exported: false, span });
    const run = round(cx, () => runStatements(cx, inner, node.body.commands, stdin));
    outs.push(run.out);
    return run;
  };
  let end = state;
  const steps = values.slice(0, MOST_VALUES);
  const rest = values.slice(MOST_VALUES);
  for (const value of steps) {
    // A pattern or an unquoted expansion is one name a round, any number of rounds.
    const each: Value = { atoms: value.atoms, many: false };
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

/** Runs a body any number of times: until the state no longer changes, or what changes is unknown. */
function loop(cx: Context, start: ShellState, body: (state: ShellState) => ShellState): ShellState {
  let state = start;
  for (let round = 0; round < 4 && cx.step(); round++) {
    const joined = joinStates(state, body(state.fork())) ?? state;
    if (round > 0 && joined.places !== state.places) joined.places = widen(state.places, joined.places);
    if (sameState(joined, state)) return joined;
    state = joined;
  }
  return state;
}

function widen(before: readonly Place[], now: readonly Place[]): readonly Place[] {
  const grown = joinPlaces(before, now).length > before.length;
  return grown ? [{ is: "unknown", why: "the working directory after a `cd` in a loop" }] : now;
}

export function runArithmeticFor(cx: Context, state: ShellState, node: ArithmeticFor, stdin: Stream): ShellOutcome {
  const failed: ShellState[] = [];
  const evaluate = (at: ShellState, expression: ArithmeticExpression | undefined): void => {
    if (expression !== undefined) failed.push(...cx.failing(() => readArithmetic(expansion(cx, at), expression))[1]);
  };
  evaluate(state, node.initialize);
  const outs: Stream[] = [];
  const end = loop(cx, state, (inner) => {
    evaluate(inner, node.test);
    const run = round(cx, () => runStatements(cx, inner, node.body.commands, stdin));
    outs.push(run.out);
    const then = after(run, inner);
    evaluate(then, node.update);
    return then;
  });
  return same(merged(outs), rejoin(end, failed, state) ?? end);
}

export function runWhile(cx: Context, state: ShellState, node: While, stdin: Stream): ShellOutcome {
  const outs: Stream[] = [];
  const end = loop(cx, state, (inner) => {
    const condition = round(cx, () => runStatements(cx, inner, node.clause.commands, stdin));
    const entered = (node.kind === "while" ? condition.ok : condition.fail) ?? inner;
    const run = round(cx, () => runStatements(cx, entered.fork(), node.body.commands, stdin));
    outs.push(condition.out, run.out);
    return joinStates(after(condition, inner), after(run, entered)) ?? inner;
  });
  return same(merged(outs), end);
}
