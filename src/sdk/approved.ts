import { AsyncLocalStorage } from "node:async_hooks";

/** Inside a call that a person has approved where the call was made: in the dialogue of an SDK. */
const scope = new AsyncLocalStorage<true>();

/** Runs a call whose question has been answered with yes already. Denies hold all the same. */
export async function approved<T>(work: () => Promise<T>): Promise<T> {
  return await scope.run(true, work);
}

export const isApproved = (): boolean => scope.getStore() === true;
