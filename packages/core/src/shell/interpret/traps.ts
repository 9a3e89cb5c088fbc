import type { Span } from "../../action/index.ts";
import type { Context, ShellTrap, TrapEffects } from "../words/context.ts";
import { parseShell } from "../words/parse.ts";
import { RUNNER } from "./runner.ts";
import { joinPendingTraps, joinStates, sameAttributes, sameLists, sameVariable, type ShellState } from "../words/state.ts";
import { NOTHING, textOf, unknown, type Stream, type Value } from "../words/value.ts";
import { failing, runStatements } from "./walk.ts";

/**
 * Code that runs between any two commands from here on, or, with `last`, when the shell ends. What it sets is unknown
 * at once; what it does is judged when the line has been walked, with everything unknown that has changed until then.
 */
export function setTrap(cx: Context, state: ShellState, code: Value, span: Span | undefined, last: boolean): Stream {
  const set = { code, state: state.fork(), since: state.marks.length, span, changed: new Set<string>(), moved: false, last };
  const effects = rehearse(cx, set);
  cx.traps.push({ ...set, effects });
  for (const name of effects.names) cx.changes(name);
  if (effects.moves) cx.moves();
  const out: Stream = effects.prints ? { is: "unknown", why: "what a trap prints", network: false } : NOTHING;
  if (last) return out;
  if (effects.controls) doubtTrap(cx, span);
  state.pendingTraps = joinPendingTraps(state.pendingTraps, effects);
  for (const name of effects.names) state.blur(name, `$${name}, which a trap may change`);
  for (const name of effects.handed) state.hand(name, { value: unknown(`$${name}, which a trap may set`, true), span });
  for (const [name, letters] of effects.attributes) state.addAttributes(name, letters);
  if (effects.moves) state.places = [];
  return out;
}

const doubtTrap = (cx: Context, span: Span | undefined): void =>
  cx.unknown("a trap that changes what names mean, or where the shell goes on", { span });

const CALM_EFFECTS: TrapEffects = {
  names: new Set(),
  handed: new Set(),
  attributes: new Map(),
  moves: false,
  prints: false,
  reads: false,
  controls: false,
};

const POSITIONAL: readonly Value[] = [unknown("the positional parameters when a trap is sprung", true)];

/** Whatever the command has that it fires around. */
const TRAP_INPUT: Stream = { is: "unknown", why: "what a trap finds to read", network: false };

/** What the code leaves behind in the shell, without judging it. */
function rehearse(cx: Context, trap: Omit<ShellTrap, "effects">): TrapEffects {
  const text = textOf(trap.code);
  const parsed = text === undefined ? undefined : parseShell(text);
  // Such code is a question of its own.
  if (parsed?.ok !== true || !cx.enter()) return { ...CALM_EFFECTS, moves: true, prints: true, reads: true, controls: true };
  const effects = cx.rehearse((): TrapEffects => {
    const state = surprised(trap, true);
    // With those that the line may have set since.
    const { size: options } = state.options;
    const watched = { ...trap, changed: new Set<string>(), moved: false, effects: CALM_EFFECTS };
    const left: ShellState[] = [];
    const { readings } = cx;
    cx.traps.push(watched);
    cx.escapes.push({ from: "function", states: left }, { from: "loop", states: left });
    const [{ out, ok, fail }, failed] = failing(cx, () => runStatements(cx, state, parsed.script.commands, TRAP_INPUT));
    cx.escapes.length -= 2;
    const end = [ok, fail, ...failed].reduce(joinStates) ?? state;
    const steady =
      left.length === 0 &&
      sameLists(end.functions, trap.state.functions) &&
      sameLists(end.aliases, trap.state.aliases) &&
      end.options.size === options &&
      sameVariable(end.positional, POSITIONAL);
    const handed = new Set([...end.environment].filter(([name, one]) => trap.state.environment.get(name) !== one).map(([name]) => name));
    return {
      names: watched.changed,
      handed,
      attributes: end.attributes,
      moves: watched.moved,
      prints: out.is !== "none",
      reads: cx.readings > readings,
      controls: !steady,
    };
  });
  cx.leave();
  return effects;
}

/** The state in which a trap is sprung: as when it was set, but for what has changed since. */
function surprised({ state: before, since, changed, moved }: Omit<ShellTrap, "effects">, everything: boolean): ShellState {
  const state = before.fork();
  state.inTrap = true;
  state.mayBeMarked(before.marks.slice(since));
  for (const name of everything ? before.variables.keys() : changed)
    state.setVariable(name, unknown(`$${name} when a trap is sprung`, true));
  if (everything || moved) state.places = [{ is: "unknown", why: "the folder when a trap is sprung" }];
  state.positional = POSITIONAL;
  state.frames = [];
  return state;
}

/** Judges what the traps of the line do, from this one on, now that the line is known. A trap may set a trap. */
export function judgeTraps(cx: Context, from: number): number {
  let at = from;
  for (let trap = cx.traps[at]; trap !== undefined && cx.step(); trap = cx.traps[++at]) {
    const state = surprised(trap, false);
    const later = trap.state.fork();
    for (const [node] of cx.defined) {
      const name = node.name.value;
      const known = later.functions.get(name) ?? [];
      if (!known.includes(node)) later.setFunction(name, [...known, node]);
    }
    // Before one is defined, and after it is taken away, a program may run in its place.
    for (const [name, known] of later.functions)
      state.setFunction(name, cx.world.lookup(name).path === undefined ? known : [undefined, ...known]);
    const watched: ShellTrap = { ...trap, state: later, changed: new Set(), moved: false };
    cx.traps.push(watched);
    RUNNER.script(cx, state, trap.code, TRAP_INPUT, { span: trap.span, keep: true });
    cx.traps.splice(cx.traps.indexOf(watched), 1);
    if (!trap.last && exceeds(rehearse(cx, watched), trap.effects)) doubtTrap(cx, trap.span);
  }
  return at;
}

const exceeds = (now: TrapEffects, before: TrapEffects): boolean =>
  (["moves", "prints", "reads", "controls"] as const).some((one) => now[one] && !before[one]) ||
  [...now.names, ...now.handed].some((name) => !before.names.has(name)) ||
  !sameAttributes(now.attributes, before.attributes);
