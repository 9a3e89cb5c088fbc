import { visible } from "@assent/core/action";
import { noteSeen, readRegular, thisMachine, type UnseenChange, unseenChanges } from "@assent/guard/state";
import { writeJson } from "./json.ts";
import { absolute, shorten } from "./place.ts";
import { failing, refuseUse } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";
import { styleFor } from "./style.ts";
import { whyNotAgreed } from "./terminal.ts";

const COMMAND = "seen";
const fail = failing(COMMAND);
/** Lines of a file that are shown. */
const MOST_LINES = 60;
const LARGEST = 1 << 20;

/**
 * `assent seen`: the files that name programs or hosts for later commands and that an agent changed; with paths or `--all` a
 * person looks at them, at the terminal, and from then on they are known as they are. Exit 0, 1 not done, 2 a path that no agent changed.
 */
export async function seenFiles(paths: readonly string[], options: { readonly all?: boolean; readonly json?: boolean }): Promise<number> {
  const machine = thisMachine();
  const changes = unseenChanges(machine);
  if (changes.is === "unclear") return fail(visible(changes.why), "look at what changed in the project, then remove that file");
  const { files } = changes;
  const wanted = paths.map((path) => absolute(path));
  const other = wanted.find((path) => !files.some((file) => file.path === path));
  if (other !== undefined && options.all !== true)
    return refuseUse(COMMAND, `nothing is known of a change of ${visible(other)}`, "`assent seen` lists them");
  if (options.json === true) return writeJson({ changed: files });
  if (paths.length === 0 && options.all !== true) {
    for (const { path, by, time } of files)
      writeStdout(`${visible(shorten(path, "/", machine.home))}\n    ${visible(by)}, ${new Date(time).toISOString().slice(0, 16)} UTC\n`);
    if (files.length === 0) writeStdout("no agent has changed a file that decides which programs later commands start\n");
    return 0;
  }
  const chosen = options.all === true ? files : files.filter(({ path }) => wanted.includes(path));
  if (chosen.length === 0) return 0;
  const refused = await whyNotAgreed(pageOf(chosen), "Are these as you want them?");
  if (refused !== undefined) return fail(refused, "nothing was noted; `assent undo` brings back what a run changed");
  const problem = noteSeen(
    machine,
    chosen.map(({ path }) => path),
  );
  if (problem !== undefined) return fail(visible(problem));
  writeStdout(chosen.length === 1 ? "1 file is known as it is now\n" : `${chosen.length} files are known as they are now\n`);
  return 0;
}

function pageOf(files: readonly UnseenChange[]): string {
  const style = styleFor({ isTTY: true }, process.env);
  const lines = files.flatMap(({ path, by }) => {
    const found = readRegular(path, LARGEST);
    const text =
      found.is === "text" ? found.text.replace(/\n$/, "").split("\n") : [found.is === "missing" ? "(it is gone)" : `(${found.why})`];
    const more = text.length - MOST_LINES;
    return [
      style.bold(visible(path)),
      `  changed by ${visible(by)}`,
      ...text.slice(0, MOST_LINES).map((line) => `  | ${visible(line)}`),
      ...(more > 0 ? [`  … ${more} more lines: look at them before you say yes`] : []),
      "",
    ];
  });
  return [style.bold("These files decide which programs later commands start, and an agent changed them:"), "", ...lines, ""].join("\n");
}
