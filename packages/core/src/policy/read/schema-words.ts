import * as v from "valibot";

/** The words in which the schema is written. */

/** valibot takes a list for an object; a policy must not. */
export function refuseLists<const Schema extends v.GenericSchema>(schema: Schema): Schema {
  const run: Schema["~run"] = (dataset, config) => schema["~run"](Array.isArray(dataset.value) ? { value: undefined } : dataset, config);
  return { ...schema, "~run": run };
}

/** An object with exactly these keys. */
export function object<const Entries extends v.ObjectEntries>(entries: Entries, example: string) {
  return refuseLists(v.strictObject(entries, `${Object.keys(entries).join(" ")}\n${example}`));
}

export function list<const Item extends v.GenericSchema>(item: Item, example: string) {
  return v.array(item, `\n${example}`);
}

export function choice<const Options extends readonly string[]>(options: Options, description: string) {
  return v.pipe(v.picklist(options, `${options.join(" ")}\n`), v.description(description));
}

export function text(example: string) {
  return v.pipe(v.string(`\n${example}`), v.nonEmpty(`the text is empty\n${example}`));
}

export function count(description: string, example: string, least = 1, most = 1_000_000) {
  const wrong = `must be a whole number from ${least} to ${most}\n${example}`;
  return v.pipe(v.number(`\n${example}`), v.integer(wrong), v.minValue(least, wrong), v.maxValue(most, wrong), v.description(description));
}

export function described<const Schema extends v.GenericSchema>(schema: Schema, description: string) {
  return v.pipe(schema, v.description(description));
}

export const optional = v.exactOptional;
