import { visible } from "../action/index.ts";
import { thisMachine } from "../state/index.ts";
import { diffOf, findRun, readRunId, runsFolder } from "../supervise/undo/index.ts";
import { JSON_VERSION } from "./json.ts";
import { absolute } from "./place.ts";
import { noRun } from "./receipt.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";

const COMMAND = "diff";

/** `assent diff`. A first word that names no run is a path. */
export function diff(id: string | undefined, paths: readonly string[], options: { readonly json?: boolean }): number {
  const runs = runsFolder(thisMachine());
  const given = idAndPaths(runs, id, paths);
  const run = findRun(runs, given.id, process.cwd(), false);
  if ("problem" in run) return noRun(COMMAND, run.problem, given.id);
  const style = styleFor(process.stdout, process.env);
  for (const { change, patch, note } of diffOf(run, given.paths)) {
    if (options.json === true) {
      const { what, path, from, kind } = change;
      writeStdout(`${JSON.stringify({ v: JSON_VERSION, what, path, from, kind, patch, note })}\n`);
    } else if (patch !== undefined)
      writeStdout(
        patch
          .split("\n")
          .map((line) => coloured(line, style))
          .join("\n"),
      );
    else writeStdout(`${change.from === undefined ? "" : `${visible(change.from)} → `}${visible(change.path)}: ${note ?? ""}\n`);
  }
  return 0;
}

/** Lines of files are shown as they are but for what a terminal would act on. */
function coloured(line: string, style: ReturnType<typeof styleFor>): string {
  const shown = line.replaceAll(/[^\t]+/gu, visible);
  if (/^(?:---|\+\+\+) /.test(line)) return style.bold(shown);
  if (line.startsWith("+")) return style.verdict("allow", shown);
  if (line.startsWith("-")) return style.verdict("deny", shown);
  return line.startsWith("@@") ? style.verdict("none", shown) : shown;
}

/** `assent undo src/a.ts` means the last run. */
export function idAndPaths(
  runs: string,
  id: string | undefined,
  paths: readonly string[],
): { readonly id: string | undefined; readonly paths: readonly string[] } {
  const isId = id === undefined || readRunId(runs, id);
  const all = isId ? paths : [id, ...paths];
  return { id: isId ? id : undefined, paths: all.map((path) => absolute(path)) };
}
