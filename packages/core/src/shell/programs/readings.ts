import type { World } from "../../action/index.ts";
import { baseName } from "../../path/index.ts";
import { type Applied, applySpec, type InvocationBase } from "./apply.ts";
import { bsdEntryFor, type CommandEntry, entryFor } from "../knowledge/entries.ts";
import { joinPlaces } from "../words/state.ts";
import { isNetwork, type Stream } from "../words/value.ts";

// Programs of one name take other options on other systems. Where nobody knows whose it is, what any of them would do counts.

/** Where macOS keeps its own programs; Homebrew and its like put those of GNU elsewhere, under the same names if somebody wants them. */
const APPLE = /^\/(?:usr\/)?s?bin\/[^/]+$/;

interface Program {
  readonly basename: string;
  readonly trusted: boolean;
  readonly resolved: string | undefined;
  readonly real?: string | undefined;
}

/** The grammars of which one is the program's. */
export function readingsOf(world: World, who: Program, spec: CommandEntry): readonly CommandEntry[] {
  const other = linkedEntry(world, who);
  if (other !== undefined) return [other];
  const { platform } = world;
  const bsd = platform === "linux" ? undefined : bsdEntryFor(spec, who.basename.toLowerCase());
  if (bsd === undefined) return [spec];
  return platform === "darwin" && who.trusted && APPLE.test(who.resolved ?? "") ? [bsd] : [spec, bsd];
}

/** What the name does by the program that it is a link to, where the tables know another of that: `/bin/tac` is `toybox`. */
function linkedEntry(world: World, { basename, resolved, real }: Program): CommandEntry | undefined {
  const program = resolved === undefined ? basename : baseName(real ?? world.canonical(resolved));
  return program === basename ? undefined : entryFor(`${basename.toLowerCase()}@${program}`);
}

/** Applies all of them, where nobody knows whose program it is: what any of them does, happens. */
export function applyReadings(base: InvocationBase, [first, ...others]: readonly CommandEntry[]): Applied {
  if (first === undefined) throw new Error("a command needs an entry");
  const { environment, places } = base.state;
  return others.reduce(
    (one, spec): Applied => {
      // What one of them set for a command behind it is not set for the other.
      base.state.environment = environment;
      const moved = base.state.places;
      base.state.places = places;
      const other = applySpec(base, spec);
      base.state.places = joinPlaces(moved, base.state.places);
      return {
        ...one,
        id: one.id === other.id ? one.id : undefined,
        out: sameStream(one.out, other.out)
          ? one.out
          : { is: "unknown", why: `the output of ${base.name}`, network: isNetwork(one.out) || isNetwork(other.out) },
        complete: one.complete && other.complete && sameShape(one, other),
        reads: one.reads || other.reads,
        upkeep: [...one.upkeep, ...other.upkeep],
      };
    },
    applySpec(base, first),
  );
}

const sameStream = (one: Stream, other: Stream): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

/** Rules speak of options and operands: those of one reading stand for both only where they are the same. */
const sameShape = (one: Applied, other: Applied): boolean =>
  one.operands.length === other.operands.length &&
  one.operands.every((value, at) => value === other.operands[at]) &&
  one.options.length === other.options.length &&
  one.options.every(({ written, value }, at) => written === other.options[at]?.written && value === other.options[at]?.value);
