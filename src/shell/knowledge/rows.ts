/**
 * Option rows written several to a line, separated by `;`, so that a table of forty flags stays readable:
 * `rows("-a --all; -b; -w --width=text")` is three rows.
 */
export function rows(...compact: string[]): string {
  return compact.join("\n").replaceAll(";", "\n");
}

/** What every GNU program takes. */
export const GNU_HELP = "--help -> stop\n--version -> stop";

/**
 * `reads` of a program that looks at no variable but the C library's and those on the list of harmless ones. Where
 * interpreters look for code is nothing to it either; but what it starts with `argv` is asked for itself.
 */
export const NO_OTHERS = "PYTHONPATH NODE_PATH RUBYLIB PERL5LIB CLASSPATH PYTEST_PLUGINS PYTEST_ADDOPTS=any\n*=any";
