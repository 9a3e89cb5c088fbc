/**
 * Option rows written several to a line, separated by `;`, so that a table of forty flags stays readable:
 * `rows("-a --all; -b; -w --width=text")` is three rows.
 */
export function rows(...compact: string[]): string {
  return compact.join("\n").replaceAll(";", "\n");
}

/** What every GNU program takes. */
export const GNU_HELP = "--help -> stop\n--version -> stop";
