import { isObject } from "../data/index.ts";
import type { Value } from "./agent.ts";

type Table = { readonly [key: string]: Value };

/** An object's keys; none where there is no object. */
export const tableOf = (value: Value | undefined): Table => (isObject(value) ? value : {});

/** The value at a path of keys and indexes. */
export function valueAt(value: Value | undefined, path: readonly (string | number)[]): Value | undefined {
  return path.reduce<Value | undefined>((now, step) => {
    if (typeof step === "number") return isList(now) ? now[step] : undefined;
    const table = tableOf(now);
    return Object.hasOwn(table, step) ? table[step] : undefined;
  }, value);
}

const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);
