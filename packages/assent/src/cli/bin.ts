import { writeSync } from "node:fs";
import { DAMAGED } from "@assent/core/policy";
import { ORDERED } from "@assent/supervisor/supervise/control-channel";
import { BESIDE } from "./beside.ts";
import { partsOf } from "./load-part.ts";

// Entry of dist/bin.cjs, the `assent` command. `check` runs on every tool call of a host: it branches off before anything else loads.
declare const require: (id: string) => unknown;
declare const __dirname: string;

/** What is started without the rest, by the first words. */
const PARTS: Readonly<Record<string, string | null>> = {
  __proto__: null,
  run: "run",
  try: "try",
  shell: "start.shell",
  ended: "start.ended",
  "daemon --serve": "more.judge",
  "status --line": "start.line",
};

/** Below it nothing else here can be read. */
const OLD = Number.parseInt(process.versions.node, 10) < 20 ? `Node.js 20 or newer is needed, and this is ${process.version}` : undefined;

const [, , given = "", option] = process.argv;
const isOrdered = option === BESIDE || option === ORDERED;
/** Perhaps another engine holds the run, and nothing of ours is to be loaded then; what Assent and hosts start so is ours to hold. */
const elsewhere =
  given === "run" && (process.platform !== "linux" || process.env["ASSENT_ENGINE"]) && !isOrdered && option !== "--confined";
const command = elsewhere ? "" : given;
const part = PARTS[command] ?? PARTS[`${command} ${option}`];
if (command === "check") {
  try {
    if (OLD !== undefined) throw new Error(OLD);
    const { load, keep } = partsOf(__dirname, require);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from hook.ts
    (load("./hook.cjs") as { main: (argv: readonly string[]) => void }).main(process.argv.slice(3));
    keep();
    // The answer is written: nothing is left to wait for, and a collection that V8 has planned would only cost time.
    process.exit();
  } catch {
    // A damaged installation. Exit code 2 with a reason on stderr refuses on all hosts but those that read only JSON.
    const why = `${OLD ?? "Assent is damaged: install it again"}; in a terminal of your own: sh ~/.local/share/assent/rescue`;
    for (const [id, { fields, message }] of Object.entries(DAMAGED))
      if (process.argv.includes(id)) writeSync(1, `${JSON.stringify({ ...fields, [message]: why })}\n`);
    writeSync(2, `assent: ${why}\n`);
    process.exitCode = 2;
  }
} else if (OLD !== undefined) {
  writeSync(2, `assent: ${OLD}\n`);
  process.exitCode = 1;
} else if ((command === "try" || (command === "run" && !isOrdered)) && startFront()) {
  // The process in front waits for the supervisor.
} else if (part) {
  const { load, keep } = partsOf(__dirname, require, true, /run|try/.test(command) ? command : "");
  process.once("exit", keep);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from the entries named run, try, start and daemon
  void (load(`./${part}.cjs`) as { main: (keep: () => void) => Promise<void> | void }).main(keep);
} else {
  // @ts-expect-error -- exists once built, beside this file
  void import("./assent.mjs");
}

/** False inside a run, which supervises already: there is nothing to wait for; and where no plan is kept of what is to be tried. */
function startFront(): boolean {
  type Front = (words: readonly string[]) => boolean;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from run-front.ts
  const fronts = partsOf(__dirname, require).load("./start.front.cjs") as { readonly runFront: Front; readonly becomeKept: Front };
  return fronts[command === "try" ? "becomeKept" : "runFront"](process.argv.slice(3));
}
