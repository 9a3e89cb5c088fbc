import type { Argument, Command, Option } from "commander";

/** Names that only the machine knows: `assent completions KIND` lists them. */
export const LISTED = ["run", "session", "profile", "grant", "host", "wrapped"] as const;
export type ListedKind = (typeof LISTED)[number];
/** What a value is: decides what a shell offers for it. `program`: what PATH holds. */
export type ValueKind = "file" | "folder" | "text" | "program" | ListedKind | readonly string[];

export interface OptionRow {
  /** `-f`, `--follow`. */
  readonly names: readonly string[];
  readonly description: string;
  /** The value's name and what it is; absent: a switch. */
  readonly value?: { readonly name: string; readonly kind: ValueKind };
}

/** One command as people type it, `assent` itself first. What completions and the man page are made from. */
export interface CommandRow {
  /** `assent`, `assent log`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly { readonly text: string; readonly description: string; readonly kind: ValueKind }[];
  readonly options: readonly OptionRow[];
  readonly commands: readonly CommandRow[];
}

/** Reads commander's table. Hidden commands and options stay hidden. */
export function commandTable(command: Command, above = ""): CommandRow {
  const help = command.createHelp();
  const path = above === "" ? command.name() : `${above} ${command.name()}`;
  return {
    path,
    summary: command.summary() === "" ? command.description() : command.summary(),
    description: command.description(),
    arguments: help.visibleArguments(command).map(argumentRow),
    options: help.visibleOptions(command).map(optionRow),
    commands: help.visibleCommands(command).map((sub) => commandTable(sub, path)),
  };
}

/** All commands, each after the one it belongs to. */
export function allCommands(row: CommandRow): readonly CommandRow[] {
  return [row, ...row.commands.flatMap(allCommands)];
}

/** `<run>`, `[paths...]`. */
export function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentRow(argument: Argument): CommandRow["arguments"][number] {
  return {
    text: argumentText(argument),
    description: argument.description,
    kind: kindOf(argument.name(), argument.argChoices),
  };
}

function optionRow(option: Option): OptionRow {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const [, name] = /[<[]([^>\].]+)/.exec(option.flags) ?? [];
  return {
    names,
    description: option.description,
    ...(name === undefined ? {} : { value: { name, kind: kindOf(name, option.argChoices) } }),
  };
}

/** By the names that the table gives to values. */
function kindOf(name: string, choices: readonly string[] | undefined): ValueKind {
  if (choices !== undefined) return choices;
  if (/^(?:file|policy|tables?)s?$/.test(name)) return "file";
  if (name === "command" || name === "program") return "program";
  const listed = LISTED.find((kind) => kind === name);
  if (listed !== undefined) return listed;
  return /^(?:folder|project)s?$/.test(name) ? "folder" : "text";
}
