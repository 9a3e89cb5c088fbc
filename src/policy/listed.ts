/** Texts written several to a line. */
export const listed = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split("; "));
