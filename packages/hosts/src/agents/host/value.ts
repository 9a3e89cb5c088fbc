import { isObject } from "@assent/core/data";
import type { SettingValue } from "./agent.ts";

type Table = { readonly [key: string]: SettingValue };

/** An object's keys; none where there is no object. */
export const tableOf = (value: SettingValue | undefined): Table => (isObject(value) ? value : {});

/** The value at a path of keys and indexes. */
export function valueAt(value: SettingValue | undefined, path: readonly (string | number)[]): SettingValue | undefined {
  return path.reduce<SettingValue | undefined>((now, step) => {
    if (typeof step === "number") return isList(now) ? now[step] : undefined;
    const table = tableOf(now);
    return Object.hasOwn(table, step) ? table[step] : undefined;
  }, value);
}

const isList = (value: SettingValue | undefined): value is readonly SettingValue[] => Array.isArray(value);
