import { isObject } from "@assent/core/data";

// Objects of SDKs, taken as they are: nothing of theirs is imported.

/** The same object with some members of its own: SDKs know tools by hidden keys as well. */
export function copyWith<T extends object>(original: T, members: Readonly<Record<string, unknown>>): T {
  const changed = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, { value, enumerable: true, writable: true, configurable: true }]),
  );
  // The prototype and every member that is not replaced are the original's.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unsafe-argument
  return Object.create(Object.getPrototypeOf(original), { ...Object.getOwnPropertyDescriptors(original), ...changed }) as T;
}

type Callback = (...values: unknown[]) => unknown;

/** A function that a tool holds, with its owner. */
export function callbackIn(owner: object, name: string): Callback | undefined {
  const value: unknown = Reflect.get(owner, name);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a function of the SDK's gives is checked where it is used
  return typeof value === "function" ? (...values) => (value as Callback).apply(owner, values) : undefined;
}

/** The object that a tool holds. */
export function objectIn(owner: object, name: string): object | undefined {
  const value: unknown = Reflect.get(owner, name);
  return typeof value === "object" && value !== null ? value : undefined;
}

/** A list of whatever. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.map((element: unknown) => element) : [];
}

/** What SDKs hand to a tool beside its input may carry a signal. */
export function signalIn(beside: unknown): { readonly signal?: AbortSignal } {
  const signal: unknown = isObject(beside) ? (beside["abortSignal"] ?? beside["signal"]) : undefined;
  return signal instanceof AbortSignal ? { signal } : {};
}
