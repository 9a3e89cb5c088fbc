import { HISTORY } from "#knowledge/traits";
import { toldOf } from "@assent/core/policy";
import { joinPath } from "@assent/core/path";

/** A shell takes the new text beside the old, and a lock. */
const BESIDE = ["", ".new", ".LOCK"];

/** Of a shell that is told nothing to run, so that a person types into it. */
export function historyOf(program: string, [, ...words]: readonly string[], home: string): readonly string[] {
  const options = program === "busybox" ? words.slice(1) : words;
  if (!options.every((word) => /^(?:--?(?:login|interactive)|--no(?:rc|profile)|--posix|-[ilfEV]+)$/.test(word))) return [];
  const places = toldOf(HISTORY, program)?.split(" ") ?? [];
  return places.flatMap((place) => BESIDE.map((ending) => joinPath(home, place + ending)));
}
