import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { meant } from "@assent/core/policy/read";

/** The library was told something wrong: an option, a tool, a policy in code. */
export class GuardOptionError extends TypeError {
  override readonly name = "GuardOptionError";
  readonly code = "guard-option";
  readonly option: string;
  constructor(option: string, message: string) {
    super(message);
    this.option = option;
  }
}

/** What a value must be; a list allows only these. */
type Kind = "string" | "boolean" | "number" | "function" | "object" | "texts" | "any" | readonly (string | boolean)[];

/** Every option of an interface, and what it must be. */
export type Options<T extends object> = { readonly [Name in keyof Required<T>]: Kind };

/**
 * In plain JavaScript nothing else finds a misspelt option, one that does not exist or one of another kind, and what was
 * meant to protect would be left out without a word. Throws `GuardOptionError`.
 */
export function checkOptions(of: string, given: unknown, options: Readonly<Record<string, Kind>>, help?: string): void {
  if (given === undefined) return;
  if (!isObject(given)) throw new GuardOptionError("options", `${of} takes an object of options`);
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(options, name) ? options[name] : undefined;
    if (kind === undefined) {
      const known = Object.keys(options);
      throw new GuardOptionError(
        name,
        `${of} does not know the option \`${visible(name)}\`${meant(name, known)}; it takes ${known.join(", ")}${help === undefined ? "" : `; ${help}`}`,
      );
    }
    if (value !== undefined && !isKind(value, kind))
      throw new GuardOptionError(name, `${of}: the option \`${name}\` must be ${spelled(kind)}`);
  }
}

function isKind(value: unknown, kind: Kind): boolean {
  if (typeof kind !== "string") return (typeof value === "string" || typeof value === "boolean") && kind.includes(value);
  if (kind === "any") return true;
  if (kind === "texts") return Array.isArray(value) && value.every((item) => typeof item === "string");
  return (
    typeof value === kind &&
    value !== null &&
    !(kind === "object" && Array.isArray(value)) &&
    !(typeof value === "number" && Number.isNaN(value))
  );
}

const WORDS: Readonly<Record<Exclude<Kind, readonly (string | boolean)[]>, string>> = {
  string: "a text",
  boolean: "true or false",
  number: "a number",
  function: "a function",
  object: "an object",
  texts: "a list of texts",
  any: "anything",
};

const spelled = (kind: Kind): string => (typeof kind === "string" ? WORDS[kind] : kind.map((word) => JSON.stringify(word)).join(" or "));
