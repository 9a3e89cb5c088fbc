/** How long others wait at most for their turn. Milliseconds. */
const STRETCH_MS = 15;
/** How often somebody is told how far it is. */
const TOLD_MS = 100;

/**
 * Does work that comes in steps, a few milliseconds at a stretch, so that the page answers meanwhile. Yields what a step says now
 * and then; returns what the work comes to, undefined when `signal` was raised.
 */
export async function* inTurns<S, T>(steps: Iterator<S, T>, signal: AbortSignal): AsyncGenerator<S, T | undefined> {
  let began = performance.now();
  let told = began;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const now = performance.now();
    if (now - began < STRETCH_MS) continue;
    if (now - told >= TOLD_MS) {
      told = now;
      yield step.value;
    }
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) {
      steps.return?.();
      return undefined;
    }
    began = performance.now();
  }
}
