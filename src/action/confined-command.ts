/**
 * What a host starts in the place of a command that goes ahead confined, as it stands in the shell:
 * `/home/you/.local/share/assent/confine 0123456789abcdef 'npm test'`. Whoever types it can only confine a command with it.
 */

/** Below the home folder; nobody but Assent may change what lies there (policy/floor.ts). */
const LAUNCHER = ".local/share/assent/confine";

export const confineLauncher = (home: string): string => `${home === "/" ? "" : home}/${LAUNCHER}`;

/** One word for any POSIX shell (sh(1p), 2.2.2): nothing within single quotes means anything. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const plain = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : singleQuoted(text));

export const confinedCommand = (home: string, ticket: string, command: string): string =>
  `${plain(confineLauncher(home))} ${ticket} ${singleQuoted(command)}`;

/** It is such a command, and nothing else stands in the line. */
export function isConfinedCommand(home: string, text: string): boolean {
  const start = `${plain(confineLauncher(home))} `;
  return text.startsWith(start) && /^[0-9a-f]{16} '(?:[^']|'\\'')*'$/.test(text.slice(start.length));
}
