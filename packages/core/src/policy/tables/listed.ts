/** Texts written several to a line. */
export const listed = (...lines: readonly string[]): readonly string[] => lines.join("; ").split("; ");

/** What lies in one folder. */
export const under = (folder: string, ...lines: readonly string[]): readonly string[] => listed(...lines).map((name) => folder + name);
