import { Command, InvalidArgumentError, Option } from "commander";
import { visible } from "../action/index.ts";
import { fileProblem, folderProblem } from "./place.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

declare const ASSENT_VERSION: string | undefined;
export const VERSION = typeof ASSENT_VERSION === "string" ? ASSENT_VERSION : "0.0.0-source";

/** For an option that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function checked(path: string, problem: string | undefined): string {
  if (problem !== undefined) throw new InvalidArgumentError(`${problem}: ${path}`);
  return path;
}

/** For an option that names a file that has to be there. */
export const existingFile = (path: string): string => checked(path, fileProblem(path));
const existingFolder = (path: string): string => checked(path, folderProblem(path));

/** `--policy FILE`, as often as wanted. */
export const policyOption = (): Option =>
  new Option("--policy <file>", "add a policy file")
    .default([])
    .argParser((path, before: readonly string[]) => [...before, existingFile(path)]);

/** `--cwd FOLDER`. */
export const folderOption = (description: string): Option => new Option("--cwd <folder>", description).argParser(existingFolder);

export const JSON_OPTION = ["--json", "print JSON (docs/json.md)"] as const;

/** The command without its commands. */
export const frame = (): Command =>
  new Command("assent")
    .description("One permission layer for everything an AI agent does.")
    .version(VERSION, "-V, --version")
    .option("--debug", "show where an error comes from")
    .exitOverride()
    // What was typed may have come from somewhere else.
    .configureOutput({ writeOut: writeStdout, writeErr: (text) => writeStderr(text.split("\n").map(visible).join("\n")) })
    .showHelpAfterError("`assent help COMMAND` says how a command is used, `assent help` lists them")
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage.");
