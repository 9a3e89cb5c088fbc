/** Texts written several to a line. Called as `@__PURE__`: a bundle holds the lists that it reads. */
export const listed = (...lines: readonly string[]): readonly string[] => lines.join("; ").split("; ");
