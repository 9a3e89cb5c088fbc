import { visible } from "@assent/core/action";
import { thisMachine } from "@assent/guard/state";
import { diffOf, type FileDiff, runsFolder } from "@assent/supervisor/supervise/undo";
import { writeJson } from "./json.ts";
import { noRun } from "./receipt.ts";
import { chooseRuns, type SpanOptions } from "./span.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

const COMMAND = "diff";

/** `assent diff`. A first word that names no run is a path. */
export function diff(id: string | undefined, words: readonly string[], options: SpanOptions & { readonly json?: boolean }): number {
  const chosen = chooseRuns(runsFolder(thisMachine()), { id, words, undoable: false }, options);
  if ("problem" in chosen) return noRun(COMMAND, chosen);
  let shown = 0;
  for (const one of diffOf(chosen.runs, chosen.paths)) {
    shown++;
    const { change, patch, note } = one;
    const { what, path, from, kind } = change;
    if (options.json === true) writeJson({ what, path, from, kind, patch, note });
    else printDiff(one);
  }
  const unkept = chosen.runs.find(({ engine }) => engine?.noUndo !== undefined);
  if (unkept?.engine?.noUndo !== undefined && options.json !== true)
    writeStderr(`what the run ${unkept.id} changed is not known: ${visible(unkept.engine.noUndo)}\n`);
  // Where there is nothing to print, that is said.
  else if (shown === 0 && options.json !== true) {
    const where = chosen.paths.length === 0 ? "changed no file" : "changed nothing there";
    writeStderr(`${chosen.runs.length === 1 ? `the run ${chosen.runs[0]?.id}` : "these runs"} ${where}\n`);
  }
  return 0;
}

/** One file's difference, for people. */
export function printDiff({ change, patch, note }: FileDiff): void {
  const style = styleFor(process.stdout, process.env);
  if (patch === undefined)
    writeStdout(`${change.from === undefined ? "" : `${visible(change.from)} → `}${visible(change.path)}: ${note ?? ""}\n`);
  else
    writeStdout(
      patch
        .split("\n")
        .map((line) => coloured(line, style))
        .join("\n"),
    );
}

/** Lines of files are shown as they are but for what a terminal would act on. */
function coloured(line: string, style: ReturnType<typeof styleFor>): string {
  const shown = line.replaceAll(/[^\t]+/gu, visible);
  if (/^(?:---|\+\+\+) /.test(line)) return style.bold(shown);
  if (line.startsWith("+")) return style.verdict("allow", shown);
  if (line.startsWith("-")) return style.verdict("deny", shown);
  return line.startsWith("@@") ? style.verdict("none", shown) : shown;
}
