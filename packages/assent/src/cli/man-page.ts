import type { CommandRow, OptionRow } from "./command-table.ts";

/** Text as roff takes it: its own characters quoted, `code` in bold. */
function roff(text: string): string {
  const plain = text.replaceAll("\\", String.raw`\e`).replaceAll("-", String.raw`\-`);
  const marked = plain.replace(/`([^`]+)`/g, String.raw`\fB$1\fR`);
  return marked
    .split("\n")
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
    .join("\n");
}

const bold = (text: string): string => `\\fB${roff(text)}\\fR`;
const italic = (text: string): string => `\\fI${roff(text)}\\fR`;

/** Notes that are no part of the table of commands. */
const EXIT = [
  ["0", "Done. `check` and `explain` exit 0 whatever the verdict."],
  ["1", "Failed; one line on standard error says why. `test`: a test fails. `lint`: there are warnings or errors."],
  ["2", "Wrong usage."],
] as const;
const FILES = [
  ["~/.agent-permissions.jsonc", "Your own policy."],
  [".agent-permissions.jsonc", "A project's policy, at the top of its repository."],
  ["/etc/assent/policy.jsonc", "The policy of whoever runs the machine."],
  ["$XDG_STATE_HOME/assent", "State and the audit log; `~/.local/state/assent` where the variable is not set."],
  ["*.assent-test", "Tables of requests and the verdicts they must get."],
] as const;
const ENVIRONMENT = [
  ["ASSENT_POLICY", "A policy file that is added to the others."],
  ["NO_COLOR", "Print without colours."],
] as const;

/** The man page, in roff (man(7)), made from the table of commands. */
export function manPage(table: CommandRow): string {
  const lines = [
    '.\\" Made by `npm run generate` from the table of commands. Do not edit.',
    '.TH ASSENT 1 "" "Assent" "User Commands"',
    ".SH NAME",
    `assent \\- ${roff(table.description.replace(/\.$/, "").replace(/^./, (first) => first.toLowerCase()))}`,
    ".SH SYNOPSIS",
    ".B assent",
    `[${italic("options")}] ${italic("command")} [${italic("arguments")}]`,
    ".SH DESCRIPTION",
    "Assent reads what an AI agent asks for, works out what it would really do, and answers",
    `${bold("allow")}, ${bold("ask")} or ${bold("deny")} with a reason.`,
    "Its rules are in policy files.",
    ".SH OPTIONS",
    ...table.options.flatMap(option),
    ".SH COMMANDS",
    ...table.commands.flatMap(command),
    ".SH EXIT STATUS",
    ...EXIT.flatMap(([code, text]) => entry(bold(code), text)),
    ".SH FILES",
    ...FILES.flatMap(([file, text]) => entry(italic(file), text)),
    ".SH ENVIRONMENT",
    ...ENVIRONMENT.flatMap(([name, text]) => entry(bold(name), text)),
    ".SH SEE ALSO",
    "The folder",
    italic("docs"),
    "of the package: policy.md has every key and rule, lint.md every finding, json.md every JSON form.",
  ];
  return `${lines.join("\n")}\n`;
}

function entry(head: string, text: string): readonly string[] {
  return [".TP", head, roff(text)];
}

function option({ names, value, description }: OptionRow): readonly string[] {
  const head = names.map(bold).join(", ") + (value === undefined ? "" : ` ${italic(value.name)}`);
  return entry(head, sentence(typeof value?.kind === "object" ? `${description} (${value.kind.join(", ")})` : description));
}

function command(row: CommandRow): readonly string[] {
  const own = row.options.filter(({ names }) => !names.includes("--help"));
  const below = row.commands.flatMap(command);
  // `assent log` does something by itself, `assent rule` does not.
  if (below.length > 0 && own.length === 0) return below;
  const synopsis = [bold(row.path), ...row.arguments.map(({ text }) => italic(text))].join(" ");
  return [
    `.SS ${roff(row.path)}`,
    ".PP",
    synopsis,
    ".PP",
    roff(sentence(row.description)),
    ...row.arguments.flatMap(argument),
    ...own.flatMap(option),
    ...below,
  ];
}

function argument({ text, description }: CommandRow["arguments"][number]): readonly string[] {
  return description === "" ? [] : entry(italic(text), sentence(description));
}

/** Texts of the table have no full stop. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
