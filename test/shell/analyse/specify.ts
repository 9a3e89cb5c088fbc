import { describe, expect, test } from "vitest";
import { printAction } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

const WORLD = smallWorld({
  files: {
    "/home/u": "directory",
    "/home/u/.bashrc": "file",
    "/home/u/p": "directory",
    "/home/u/p/.env": "file",
    "/home/u/p/a.txt": "file",
    "/home/u/p/b.gz": "file",
    "/home/u/p/src": "directory",
    "/home/u/p/src/a.ts": "file",
    "/tmp": "directory",
  },
});

/** The project is `.`, home `~`, so that a row fits a line. */
const short = (text: string): string => text.replaceAll("/home/u/p", ".").replaceAll("/home/u", "~");

/**
 * What a command does, one line each, behind the start of the command itself: actions as they print, `danger:`,
 * `doubt:` (allowing the command answers it) and `refuse:` (only a person does).
 */
function lines(command: string): readonly string[] {
  const { actions, unknowns } = lowerShell(command, { world: WORLD, shell: "bash" });
  const [, ...effects] = actions.filter((action) => action.kind !== "file" || action.upkeep !== true);
  return [
    ...new Set(actions.flatMap((action) => (action.dangers ?? []).map((danger) => `danger: ${danger}`))),
    ...effects.map((action) => short(printAction(action))),
    ...unknowns.map((unknown) => `${unknown.exec === undefined ? "refuse" : "doubt"}: ${short(unknown.reason)}`),
  ];
}

type Row = readonly [command: string, ...effects: readonly string[]];

/** By analyser. Facts were measured with the programs themselves; where versions differ, a row shows the worst of them. */
export function specify(rows: Readonly<Record<string, readonly Row[]>>): void {
  for (const [name, table] of Object.entries(rows)) {
    describe(name, () => {
      test.each(table.map(([command, ...effects]) => [command, effects] as const))("%s", (command, effects) => {
        expect(lines(command)).toEqual(effects);
      });
    });
  }
}
