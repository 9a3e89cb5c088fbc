/** A word of a POSIX shell that expands to exactly `text`. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same, without quotes where no shell reads it otherwise: zsh takes `=NAME` for a path. */
export const shellWord = (text: string): string => (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : shellQuoted(text));
