/** Texts written several to a line. */
export const listed = (...lines: readonly string[]): readonly string[] => lines.join("; ").split("; ");
