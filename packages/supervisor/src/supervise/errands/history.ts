import { joinPath } from "@assent/core/path";

/** Where a shell keeps what a person types: bash(1), zshall(1), fish(1), mksh(1), busybox. */
const HISTORY: readonly (readonly [shell: RegExp, places: readonly string[]])[] = [
  [/^bash$/, [".bash_history"]],
  [/^zsh$/, [".zsh_history", ".zhistory", ".histfile"]],
  [/^fish$/, [".local/share/fish"]],
  [/^(?:m?ksh(?:93)?|lksh)$/, [".ksh_history", ".mksh_history", ".sh_history"]],
  [/^(?:busybox|ash)$/, [".ash_history"]],
];

/** A shell takes the new text beside the old, and a lock. */
const BESIDE = ["", ".new", ".LOCK"];

/** Of a shell that is told nothing to run, so that a person types into it. */
export function historyOf(program: string, [, ...words]: readonly string[], home: string): readonly string[] {
  const options = program === "busybox" ? words.slice(1) : words;
  if (!options.every((word) => /^(?:--?(?:login|interactive)|--no(?:rc|profile)|--posix|-[ilfEV]+)$/.test(word))) return [];
  const [, places = []] = HISTORY.find(([shell]) => shell.test(program)) ?? [];
  return places.flatMap((place) => BESIDE.map((ending) => joinPath(home, place + ending)));
}
