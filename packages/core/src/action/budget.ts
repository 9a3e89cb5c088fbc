/** What judging one request may cost. */
export interface Budget {
  /** Steps of lowering and matching, each about a microsecond. */
  readonly steps: number;
  readonly milliseconds: number;
  /** Milliseconds, from any start. */
  readonly clock: () => number;
}

/** A request costs more than it may. Nothing is known of it then: it is asked, or refused where nobody can be asked. */
export class OutOfBudget extends Error {
  override readonly name = "OutOfBudget";

  /** Thrown by whichever part of the program: each has a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "OutOfBudget";
  }
}

/** How many steps there are between two looks at the clock. */
const BETWEEN_LOOKS = 256;

interface Account {
  left: number;
  readonly due: number;
  readonly clock: () => number;
  look: number;
}

interface Shared {
  /** Of the request being judged. One is judged at a time: everything here is synchronous. */
  open: Account | undefined;
}

/**
 * The hook is made of parts that are bundled one by one (`hook`, `shell`, `more.reader`, …), each with its copy of this module: all
 * of them pay from one account.
 */
const KEY: unique symbol = Symbol.for("assent.budget");
const place: typeof globalThis & { [KEY]?: Shared } = globalThis;
const shared: Shared = (place[KEY] ??= { open: undefined });

/**
 * Pays for work whose amount somebody else decides. Free where nobody set a budget.
 *
 * @throws OutOfBudget, again and again once it is spent, so that nothing that catches errors can go on.
 */
export function spend(steps = 1): void {
  const { open } = shared;
  if (open === undefined) return;
  open.left -= steps;
  open.look -= steps;
  if (open.look > 0 && open.left >= 0) return;
  open.look = BETWEEN_LOOKS;
  if (open.left < 0 || open.clock() > open.due) {
    open.left = -1;
    open.look = 0;
    throw new OutOfBudget("it takes too long; a smaller command, or one for fewer files, can be judged");
  }
}

/** Runs something that the budget at hand does not pay for: what is kept for later requests. */
export function unpaid<T>(run: () => T): T {
  const outer = shared.open;
  shared.open = undefined;
  try {
    return run();
  } finally {
    shared.open = outer;
  }
}

/** Runs something that may cost so much. A budget inside another one is paid from both. */
export function withBudget<T>({ steps, milliseconds, clock }: Budget, run: () => T): T {
  const outer = shared.open;
  const now = clock();
  const inner: Account = {
    left: Math.min(steps, outer?.left ?? Number.POSITIVE_INFINITY),
    due: outer === undefined ? now + milliseconds : Math.min(outer.due, now + milliseconds),
    clock,
    look: BETWEEN_LOOKS,
  };
  const start = inner.left;
  shared.open = inner;
  try {
    return run();
  } finally {
    shared.open = outer;
    if (outer !== undefined) outer.left -= start - inner.left;
  }
}
