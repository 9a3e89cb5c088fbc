import { allCommands, commandTable, type CommandRow, type OptionRow, type ValueKind } from "./command-table.ts";
import { program } from "./program.ts";
import { writeStdout } from "./stdio.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletedShell = (typeof SHELLS)[number];

/** `assent completion`: a script for a shell, made from the table of commands. */
export function completion(shell: CompletedShell): number {
  writeStdout(completionScript(shell, commandTable(program())));
  return 0;
}

export function completionScript(shell: CompletedShell, table: CommandRow): string {
  switch (shell) {
    case "bash":
      return bash(table);
    case "zsh":
      return zsh(table);
    case "fish":
      return fish(table);
  }
}

/** A word of a POSIX shell. */
const word = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const names = (options: readonly OptionRow[]): readonly string[] => options.flatMap((option) => option.names);
const last = (path: string): string => path.slice(path.lastIndexOf(" ") + 1);

/** What is offered after an option that takes a value, by the pattern `COMMAND OPTION`. */
function valueCases(rows: readonly CommandRow[]): readonly (readonly [pattern: string, kind: ValueKind])[] {
  return rows.flatMap(({ path, options }) =>
    options.flatMap((option): [string, ValueKind][] =>
      option.value === undefined ? [] : [[option.names.map((name) => word(`${path} ${name}`)).join("|"), option.value.kind]],
    ),
  );
}

/** What the operands of a command are, where they are anything but text. */
const operandKind = ({ arguments: all }: CommandRow): ValueKind => all.find(({ kind }) => kind !== "text")?.kind ?? "text";

function bash(table: CommandRow): string {
  const rows = allCommands(table);
  const offer = (kind: ValueKind): string => {
    if (kind === "file") return "_assent_paths -f";
    if (kind === "folder") return "_assent_paths -d";
    if (kind === "program") return "_assent_paths -c";
    if (kind === "text") return ":";
    return typeof kind === "string" ? `_assent_listed ${kind}` : `_assent_words ${word(kind.join(" "))}`;
  };
  return `# Completion of assent for bash, made by \`assent completion bash\`.
# To use it: source <(assent completion bash)

_assent_words() {
  local reply
  COMPREPLY=()
  while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -W "$1" -- "\${COMP_WORDS[COMP_CWORD]}")
}

_assent_paths() {
  local reply
  COMPREPLY=()
  compopt -o filenames 2>/dev/null
  while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen "$1" -- "\${COMP_WORDS[COMP_CWORD]}")
}

# Ids and names of this machine, asked of the assent on PATH: what was typed may be a program of the folder.
_assent_listed() {
  _assent_words "$(command assent completions "$1" 2>/dev/null)"
}

_assent() {
  local at command=assent
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$command \${COMP_WORDS[at]}" in
      ${subcommands(rows)}) command="$command \${COMP_WORDS[at]}" ;;
    esac
  done
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(rows)
  .map(([pattern, kind]) => `    ${pattern}) ${offer(kind)}; return ;;`)
  .join("\n")}
  esac
  case "$command" in
${rows
  .map((row) => {
    const operands =
      row.commands.length > 0 ? `_assent_words ${word(row.commands.map(({ path }) => last(path)).join(" "))}` : offer(operandKind(row));
    return `    ${word(row.path)})
      case "\${COMP_WORDS[COMP_CWORD]}" in
        -*) _assent_words ${word(names(row.options).join(" "))} ;;
        *) ${operands} ;;
      esac ;;`;
  })
  .join("\n")}
  esac
}

complete -F _assent assent
`;
}

function subcommands(rows: readonly CommandRow[]): string {
  return rows
    .slice(1)
    .map(({ path }) => word(path))
    .join("|");
}

function zsh(table: CommandRow): string {
  const rows = allCommands(table);
  const offer = (kind: ValueKind): string => {
    if (kind === "file") return "_files";
    if (kind === "folder") return "_files -/";
    if (kind === "program") return "_command_names -e";
    if (kind === "text") return ":";
    const values = typeof kind === "string" ? `"\${(@f)$(command assent completions ${kind} 2>/dev/null)}"` : kind.map(word).join(" ");
    return `local -a values=(${values}); _describe value values`;
  };
  const entry = (name: string, description: string): string =>
    word(`${name.replaceAll(":", String.raw`\:`)}:${description.replaceAll(":", String.raw`\:`)}`);
  return `#compdef assent
# Completion of assent for zsh, made by \`assent completion zsh\`.
# To use it: source <(assent completion zsh), or save it as _assent in a folder of $fpath.

_assent() {
  local command=assent at
  local -a commands options
  for ((at = 2; at < CURRENT; at++)); do
    case "$command \${words[at]}" in
      ${subcommands(rows)}) command="$command \${words[at]}" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${valueCases(rows)
  .map(([pattern, kind]) => `    ${pattern}) ${offer(kind)}; return ;;`)
  .join("\n")}
  esac
  case "$command" in
${rows
  .map(
    (row) => `    ${word(row.path)})
      options=(${row.options.flatMap((option) => option.names.map((name) => entry(name, option.description))).join(" ")})
      commands=(${row.commands.map(({ path, summary }) => entry(last(path), summary)).join(" ")})
      if [[ "\${words[CURRENT]}" != -* ]] && (( ! $#commands )); then ${offer(operandKind(row))}; return; fi ;;`,
  )
  .join("\n")}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option options; else _describe command commands; fi
}

if [[ "\${zsh_eval_context[-1]}" == loadautofunc ]]; then
  _assent "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _assent assent
fi
`;
}

function fish(table: CommandRow): string {
  const rows = allCommands(table);
  // In fish only these two mean something inside single quotes.
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
  const offer = (kind: ValueKind): string => {
    if (kind === "file") return " -F";
    if (kind === "folder") return " -f -a '(__fish_complete_directories)'";
    if (kind === "program") return " -f -a '(__fish_complete_command)'";
    if (kind === "text") return " -f";
    return typeof kind === "string" ? ` -f -a '(command assent completions ${kind} 2>/dev/null)'` : ` -f -a ${quoted(kind.join(" "))}`;
  };
  const lines = rows.flatMap((row) => {
    const here = `complete -c assent -n ${quoted(`__assent_at ${quoted(row.path)}`)}`;
    return [
      ...row.commands.map(({ path, summary }) => `${here} -f -a ${quoted(last(path))} -d ${quoted(summary)}`),
      ...row.options.map(({ names: all, description, value }) => {
        const flags = all.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(" ");
        return `${here} ${flags}${value === undefined ? "" : ` -r${offer(value.kind)}`} -d ${quoted(description)}`;
      }),
      ...(operandKind(row) === "text" ? [] : [`${here}${offer(operandKind(row))}`]),
    ];
  });
  return `# Completion of assent for fish, made by \`assent completion fish\`.
# To use it: assent completion fish > ~/.config/fish/completions/assent.fish

function __assent_at
    set -l command assent
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case ${rows
              .slice(1)
              .map(({ path }) => quoted(path))
              .join(" ")}
                set command "$command $word"
        end
    end
    test "$command" = "$argv[1]"
end

complete -c assent -f
${lines.join("\n")}
`;
}
