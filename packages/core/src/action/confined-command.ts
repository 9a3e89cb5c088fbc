/**
 * What a host starts in the place of a command that goes ahead confined, as it stands in the shell:
 * `/home/you/.local/share/assent/confine 0123456789abcdef 'npm test'`. Whoever types it can only confine a command with it.
 */

/** Below the home folder; nobody but Assent may change what lies there (policy/floor.ts). */
const FOLDER = ".local/share/assent";

const below = (home: string, name: string): string => `${home === "/" ? "" : home}/${FOLDER}/${name}`;

export const confineLauncher = (home: string): string => below(home, "confine");

/** What a host starts around every command, where it starts all of them through one program. */
export const shellPrefix = (home: string, agent: string): string => below(home, `${agent}-shell`);

/** Such a program of any home, as it stands in settings. */
export const isShellPrefix = (text: string): boolean => /^\/(?:.*\/)?\.local\/share\/assent\/[a-z]+-shell$/.test(text);

/** One word for any POSIX shell (sh(1p), 2.2.2): nothing within single quotes means anything. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const plain = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : singleQuoted(text));

export const confinedCommand = (home: string, ticket: string, command: string): string =>
  `${plain(confineLauncher(home))} ${ticket} ${singleQuoted(command)}`;

/** It is such a command, and nothing else stands in the line. */
export const isConfinedCommand = (home: string, text: string): boolean => ticketOfConfined(home, text) !== undefined;

/** The ticket of such a command; undefined: it is none. */
export function ticketOfConfined(home: string, text: string): string | undefined {
  const start = `${plain(confineLauncher(home))} `;
  return text.startsWith(start) ? /^([0-9a-f]{16}(?:[0-9a-f]{48})?) '(?:[^']|'\\'')*'$/.exec(text.slice(start.length))?.[1] : undefined;
}
