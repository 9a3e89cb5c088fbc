import { type Machine, residentFolder, thisMachine } from "../state/index.ts";
import { handedOn } from "../agents/install/index.ts";
import { findExtensions, forgetFindings, WatchFirst } from "../engine/index.ts";
import { isInTime, type ResidentAnswer, type ResidentCall, serve } from "../resident/index.ts";
import { judgeResident, type CheckEngine } from "./check.ts";
import { engine, unwatchedReader } from "./hook.ts";
import { readLineWords, statusText } from "./status-line.ts";
import { textOf } from "./stdio.ts";

// Entry of dist/resident.cjs: `assent daemon --serve`, the judge that stays. It judges by the hook's own code, as a fresh hook would.
declare const __dirname: string;

const BIN = `${__dirname}/bin.cjs`;
/** In memory for good, or read by what is: a judge of which one is another goes. */
const PROGRAM = [
  process.execPath,
  __dirname,
  ...["bin", "resident", "shell", "languages", "confiner"].map((name) => `${__dirname}/${name}.cjs`),
  `${__dirname}/knowledge.mjs`,
];
/** For one call: what takes longer, another process judges. */
const WITHIN = { milliseconds: 150, clock: () => performance.now() };

export async function main(): Promise<void> {
  const [, , , , inherited] = process.argv;
  try {
    const lock = inherited === undefined ? undefined : Number(inherited);
    await serve({ folder: residentFolder(thisMachine()), program: PROGRAM, answer, ...(lock === undefined ? {} : { lock }) });
  } catch {
    // Hooks judge by themselves.
    process.exitCode = 1;
  }
  process.exit();
}

/** What is found by this process's own home and state folder. */
const OWN = residentFolder(thisMachine());

/** `assent status --line`, which a host's status line asks for again and again. */
function answerLine(machine: Machine, folder: string, words: readonly string[], input: string): ResidentAnswer | undefined {
  const options = readLineWords(words);
  if (options === undefined) return undefined;
  return { status: 0, stdout: statusText(machine, folder, options, options.stdin === true ? input : undefined), stderr: "" };
}

/** Undefined: this is not the place, or not the program, that the caller means. */
function answer(call: ResidentCall): ResidentAnswer | undefined {
  const [, ...words] = call.words;
  const start = words.findIndex((word) => word.startsWith("/"));
  const [node, bin, command, ...argv] = start === -1 ? [] : words.slice(start);
  const env = handedOn(words.slice(0, start), call.env);
  if (env === undefined || node !== process.execPath || bin !== BIN || !call.folder.startsWith("/")) return undefined;
  const machine: Machine = { ...thisMachine(env), asker: call.parent };
  if (residentFolder(machine) !== OWN) return undefined;
  const text = textOf(call.input);
  if (text === undefined) return undefined;
  if (command === "status") return answerLine(machine, call.folder, argv, text);
  if (command !== "check") return undefined;
  const commit = (): void => {
    // The user's own checks take as long as they take.
    if (!isInTime(call) || findExtensions(machine).length > 0) throw new WatchFirst();
  };
  forgetFindings();
  const own: CheckEngine = { ...engine, reader: unwatchedReader, elsewhere: { within: WITHIN, commit } };
  return judgeResident(argv, text, own, machine, call.folder);
}
