import { GuardCallError } from "./call.ts";

/**
 * The same plain data in objects of its own: what whoever asked changes later, or gives differently when it is read again, is not what was
 * judged. What is more than data (dates, bytes, streams, functions) is handed on as it is.
 */
export function snapshot<T>(value: T): T {
  return isPlain(value) ? copy(value, new Map(), DEEPEST) : value;
}

/** Levels of lists and objects. Nobody's tools take as many, and what judges them would run out of stack. */
const DEEPEST = 200;

function copy<T extends object>(original: T, copies: Map<object, object>, levels: number): T {
  if (levels === 0) throw new GuardCallError(`lists and objects in each other are more than ${DEEPEST} levels deep`);
  const made: object = Array.isArray(original) ? [] : Object.getPrototypeOf(original) === null ? { __proto__: null } : {};
  copies.set(original, made);
  for (const key of Reflect.ownKeys(original)) {
    if (Array.isArray(original) && key === "length") continue;
    const value: unknown = Reflect.get(original, key);
    const own = isPlain(value) ? (copies.get(value) ?? copy(value, copies, levels - 1)) : value;
    // Not an assignment: a key `__proto__` stays a key.
    Object.defineProperty(made, key, { value: own, enumerable: isShown(original, key), writable: true, configurable: true });
  }
  if (Array.isArray(made)) made.length = lengthOf(original);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same keys and kinds of values
  return made as T;
}

const isShown = (original: object, key: PropertyKey): boolean => Object.prototype.propertyIsEnumerable.call(original, key);

const lengthOf = (list: object): number => (Array.isArray(list) ? list.length : 0);

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
