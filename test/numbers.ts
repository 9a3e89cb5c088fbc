/** xorshift32: the same numbers each time. */
export function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}
