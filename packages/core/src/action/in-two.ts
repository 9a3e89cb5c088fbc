/** A line of shell as two, one after the other: what the first ends with stands between the parts of the second. */
export interface InTwo {
  readonly first: string;
  /** The second line is these, with `(exit STATUS)` between them. */
  readonly rest: readonly [before: string, after: string];
}

/** The second line, after a first one that ended so. */
export const restAfter = ({ rest: [before, after] }: Pick<InTwo, "rest">, status: number): string => `${before}(exit ${status})${after}`;
