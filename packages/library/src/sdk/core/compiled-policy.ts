import { visible } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { type PolicyFile, PRESETS, type PresetName } from "@assent/core/policy";
import { meant } from "@assent/core/policy/read";
import { IN_CODE } from "@assent/guard/engine/given";
import { GuardOptionError } from "../common/options.ts";

/** Set by the build. */
declare const ASSENT_VERSION: string | undefined;
const VERSION = typeof ASSENT_VERSION === "string" ? ASSENT_VERSION : "source";

/** A policy that was read and checked: plain data, for JSON. Made by `compilePolicy` of `assent/core`, of the same version. */
export interface CompiledPolicy {
  readonly assent: "compiled policy";
  readonly version: string;
  /** Of `policy`: what somebody has changed by hand is found. It proves nothing about who made it. */
  readonly sum: string;
  readonly policy: PolicyFile;
}

/** As plain data, so that what is compared is what comes out of JSON. */
export function compiledOf(file: PolicyFile): CompiledPolicy {
  const text = JSON.stringify(file);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same, through JSON
  return { assent: "compiled policy", version: VERSION, sum: sumOf(text), policy: JSON.parse(text) as PolicyFile };
}

/** A preset by its name, or a compiled policy. Throws `GuardOptionError`. */
export function readCompiledPolicy(given: PresetName | CompiledPolicy, option: string): PolicyFile {
  const fail = (message: string): never => {
    throw new GuardOptionError(option, `${option}: ${message}`);
  };
  const value: unknown = given;
  if (typeof value === "string") {
    const preset = PRESETS.find((name) => name === value);
    if (preset !== undefined) return { file: IN_CODE, layer: "explicit", settings: { preset }, rules: [], operations: [] };
    return fail(`the preset ${JSON.stringify(value)} does not exist${meant(value, PRESETS)}`);
  }
  if (!isObject(value) || value["assent"] !== "compiled policy")
    return fail("here a policy is the name of a preset, or what `compilePolicy` of `assent/core` made");
  if (value["version"] !== VERSION)
    return fail(`it was compiled by assent ${visible(String(value["version"])).slice(0, 40)}, and this is ${VERSION}: compile it again`);
  const { policy, sum } = value;
  if (!isObject(policy) || sumOf(JSON.stringify(policy)) !== sum) return fail("the compiled policy was changed after it was made");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by `compiledOf` of the same version, as its sum says
  return withoutCommandRules(policy as unknown as PolicyFile);
}

const ABOUT_COMMANDS: ReadonlySet<string> = new Set(["bash", "shell", "option", "command"]);

/** Commands are refused here whatever rules say about them. */
function withoutCommandRules({ rules, operations, ...rest }: PolicyFile): PolicyFile {
  return {
    ...rest,
    rules: rules.filter(({ matcher }) => !ABOUT_COMMANDS.has(matcher.kind)),
    operations: operations.filter(({ operation }) => operation !== "execute"),
  };
}

/** FNV-1a, twice. */
function sumOf(text: string): string {
  const one = (start: number): string => {
    let hash = start;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, "0");
  };
  return `${one(0x811c9dc5)}${one(0x9e3779b9)}`;
}
