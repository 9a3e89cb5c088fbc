/** The first signal ends it after the message that is under way, the second at once. */
export function untilInterrupted(follow: boolean): (milliseconds: number) => Promise<boolean> {
  let over = false;
  let wake: (() => void) | undefined;
  const end = (): void => {
    over = true;
    wake?.();
  };
  if (follow) for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  return async (milliseconds) => {
    if (over) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    return over;
  };
}
