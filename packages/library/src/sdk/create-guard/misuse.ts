import { isObject } from "@assent/core/data";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import { isEffect, type ToolSpec } from "./tool.ts";

// What a compiler finds in TypeScript, for plain JavaScript: told where the mistake is, not where it is first felt.

const TOOL_OPTIONS = { name: "any", input: "any", does: "any" } satisfies Options<ToolSpec<unknown>>;

/** Throws for a tool without a name, a function or an effect, or with something else in the place of its schema. */
export function checkTool<I>(spec: ToolSpec<I>, run: unknown): void {
  if (!isObject(spec)) throw new GuardOptionError("options", "tool takes an object of options");
  checkOptions("tool", spec, TOOL_OPTIONS);
  const { name, input, does }: Readonly<Record<string, unknown>> = spec;
  const wrong: readonly (readonly [right: boolean, option: string, must: string])[] = [
    [typeof name === "string" && name !== "", "name", "the option `name` must be the name of the tool"],
    [
      input === undefined || isSchema(input),
      "input",
      "the option `input` must be a schema that follows standardschema.dev (zod, valibot, arktype)",
    ],
    [typeof run === "function", "run", "its second parameter must be the tool's function"],
    [isEffect(does), "does", 'the option `does` must be "nothing" or a function of the input'],
  ];
  for (const [right, option, must] of wrong) if (!right) throw new GuardOptionError(option, `tool: ${must}`);
}

/** arktype's schemas are functions. */
function isSchema(given: unknown): boolean {
  const standard: unknown = isObject(given) || typeof given === "function" ? Reflect.get(given, "~standard") : undefined;
  return isObject(standard) && typeof standard["validate"] === "function";
}

/** Throws for what is no object of tools, or of what they do. */
export function checkObjects(of: string, given: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(given).find((name) => !isObject(given[name]));
  if (wrong !== undefined) throw new GuardOptionError(wrong, `${of}: \`${wrong}\` must be an object, by the names of the tools`);
}
