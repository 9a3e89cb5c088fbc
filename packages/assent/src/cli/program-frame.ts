import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { visible } from "@assent/core/action";
import { argumentText } from "./command-table.ts";
import { fileProblem, folderProblem } from "./place.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

declare const ASSENT_VERSION: string | undefined;
export const VERSION = typeof ASSENT_VERSION === "string" ? ASSENT_VERSION : "0.0.0-source";

/** For an option that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function checked(path: string, problem: string | undefined): string {
  if (problem !== undefined) throw new InvalidArgumentError(`${problem}: ${visible(path)}`);
  return path;
}

/** For an option that names a file that has to be there. */
export const existingFile = (path: string): string => checked(path, fileProblem(path));
const existingFolder = (path: string): string => checked(path, folderProblem(path));

/** `[files...]`: each has to be there. */
export const filesArgument = (description: string): Argument =>
  new Argument("[files...]", description).argParser((path, before: readonly string[] | undefined) => collect(existingFile(path), before));

/** For an option, or an argument, that is a whole number. */
export const whole =
  (least: number, most: number, example: number) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`\`${visible(text)}\` is not a whole number from ${least} to ${most}: write ${example}, for example`);
  };

/** `--policy FILE`, as often as wanted. */
export const policyOption = (): Option =>
  new Option("--policy <file>", "add a policy file")
    .default([])
    .argParser((path, before: readonly string[]) => [...before, existingFile(path)]);

/** `--cwd FOLDER`. */
export const folderOption = (description: string): Option => new Option("--cwd <folder>", description).argParser(existingFolder);

export const JSON_OPTION = ["--json", "print JSON (docs/json.md)"] as const;

/** What a group of commands does when none of them is named. A word behind it is then a command that it does not have. */
export const whenAlone = (group: Command, name: string): Command => namingCommands(group.command(name, { isDefault: true }), group);

/** What stands where a command of the group would, and is none, is told so. */
export function namingCommands(command: Command, group: Command): Command {
  return command.allowExcessArguments().hook("preAction", (_, acting) => {
    const [extra] = acting.args;
    if (acting !== command || extra === undefined) return;
    if (group !== command && group.args[0] === command.name()) command.error("error: too many words behind the command", { exitCode: 2 });
    const known = group.commands.map((one) => one.name()).join(", ");
    command.error(`error: unknown command '${extra}': \`assent ${group.name()}\` has ${known}`, { exitCode: 2 });
  });
}

/** A command with what it takes; that it has options goes without saying. */
const termOf = (command: Command): string => [command.name(), ...command.registeredArguments.map(argumentText)].join(" ");

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
    .configureHelp({ showGlobalOptions: false, subcommandTerm: termOf })
    .addHelpText(
      "after",
      "\n`assent help COMMAND` says how one is used, `assent help --all` lists them all.\nExit codes: 0 done, 1 failed, 2 wrong usage.",
    );

/**
 * What is given a value that cannot be one says so as our other messages do, wherever it stands; commander words it otherwise. A parser
 * throws an `InvalidArgumentError` whose message says what is wrong, the value in it.
 */
export function sayWrongValues(command: Command, path = ""): void {
  for (const argument of command.registeredArguments) sayWrong(command, argument, `assent${path}: `);
  for (const option of command.options) sayWrong(command, option, `assent${path}: `, option.long ?? option.flags);
  for (const sub of command.commands) sayWrongValues(sub, `${path} ${sub.name()}`);
}

function sayWrong(command: Command, given: Argument | Option, start: string, option?: string): void {
  const parse = given.argChoices === undefined ? given.parseArg : oneOf(given.argChoices);
  if (parse === undefined) return;
  given.argParser((value: string, before: unknown): unknown => {
    try {
      return parse(value, before);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      const named = option === undefined ? "" : `${option}${error.message.startsWith("`") ? "" : ":"} `;
      return command.showHelpAfterError(false).error(`${start}${named}${error.message}`, { exitCode: 2 });
    }
  });
}

const oneOf =
  (choices: readonly string[]) =>
  (value: string): string => {
    if (choices.includes(value)) return value;
    const [last = "", ...others] = choices.toReversed();
    const words = others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
    throw new InvalidArgumentError(`\`${visible(value)}\` is not ${words}`);
  };

/** How many. */
export const some = whole(1, 1_000_000_000, 20);

/** What a command does, loaded when it is called: it gets the operands and the options, and returns the exit code. */
export const starts =
  <Given extends unknown[]>(load: () => Promise<(...given: Given) => number | Promise<number>>) =>
  async (...given: Given): Promise<void> => {
    // The last one is the command itself.
    given.pop();
    process.exitCode = await (await load())(...given);
  };
