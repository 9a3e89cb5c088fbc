import { PACKS } from "#knowledge/packs";
import { type Fault, type JsonNode, member } from "@assent/core/edit/json5";
import { isWithin, parentOf, resolvePath } from "@assent/core/path";
import { meant, type PackReader, readPolicy, type ReadResult } from "@assent/core/policy/read";
import { hexDigest, type Trust } from "../../state/index.ts";
import type { PolicySource } from "../policy-files.ts";

/** Of a file that `extends` names: the text that counts, or why there is none. */
export type PackText = (
  name: string,
) => { readonly file: string; readonly text: string } | { readonly why: string; readonly help?: string };

const OWN = "assent:";
/** A pack that we bring along, by its name without `assent:`. */
const OURS: ReadonlyMap<string, string> = new Map(Object.entries(PACKS));
const KEYS: ReadonlySet<string> = new Set(["$schema", "version", "permissions"]);
const ONLY_DENIES = "a pack has `permissions.deny`, and nothing else: remove it";

/**
 * The packs that a policy file names, read as policy files of its layer that only deny. Whoever wrote the file of a pack is a stranger:
 * its reasons are for people. `oursChecked`: the examples of our own packs need not be held once more.
 */
export const packsBy =
  (textOf: PackText, oursChecked = false): PackReader =>
  (root, names, options) => {
    const list = member(root, "extends")?.value;
    const items = list?.kind === "array" ? list.items : [];
    const missing: Fault[] = [];
    const results = names.flatMap((name, index): ReadResult[] => {
      if (names.indexOf(name) !== index) return [];
      const found = ourPack(name) ?? textOf(name);
      if ("text" in found) {
        const { packs: _, ...place } = options;
        const ours = oursChecked ? { examples: undefined } : {};
        const more = name.startsWith(OWN) ? ours : { untrusted: true };
        return [readPolicy(found.text, { ...place, ...more, file: found.file, check: packFaults })];
      }
      const { why, help } = found;
      missing.push({ offset: items[index]?.start ?? 0, path: ["extends", index], message: why, ...(help === undefined ? {} : { help }) });
      return [];
    });
    return {
      rules: results.flatMap((result) => (result.ok ? result.policy.rules : [])),
      examples: results.flatMap((result) => result.examples),
      warnings: results.flatMap((result) => (result.ok ? result.warnings : [])),
      problems: results.flatMap((result) => (result.ok ? [] : result.problems)),
      faults: options.untrusted === true ? [] : missing,
      doubts: options.untrusted === true ? missing : [],
    };
  };

function ourPack(name: string): ReturnType<PackText> | undefined {
  if (name.startsWith(OWN)) {
    const text = OURS.get(name.slice(OWN.length));
    const ours = [...OURS.keys()].map((one) => `${OWN}${one}`);
    return text === undefined
      ? { why: `the pack \`${name}\` was not found${meant(name, ours)}`, help: `ours are ${ours.join(", ")}` }
      : { file: name, text };
  }
  return OURS.has(name) ? { why: `the pack \`${name}\` was not found`, help: `write "${OWN}${name}"` } : undefined;
}

const noFile = (name: string) => ({
  why: `\`${name}\` is a file`,
  help: "only your own policy and a project's may name one; write `assent:databases`",
});

/** For who may name no files. */
export const OUR_PACKS = packsBy(noFile);

/** What a pack may not have. */
function packFaults(root: JsonNode): readonly Fault[] {
  const permissions = member(root, "permissions")?.value;
  const faults = (node: JsonNode | undefined, path: readonly string[], may: ReadonlySet<string>): readonly Fault[] =>
    (node?.kind === "object" ? node.members : [])
      .filter(({ key }) => !may.has(key))
      .map(({ key, keyStart }) => ({
        offset: keyStart,
        path: [...path, key],
        message: `a pack may not have \`${[...path, key].join(".")}\``,
        help: ONLY_DENIES,
      }));
  return [...faults(root, [], KEYS), ...faults(permissions, ["permissions"], new Set(["deny"]))];
}

type Place = Pick<PolicySource, "file" | "layer">;

/** Where a name in `extends` leads that is a file. Those of a repository lie in its folder. */
export function packFile(
  name: string,
  { file, layer }: Place,
): { readonly file: string } | { readonly why: string; readonly help: string } {
  const shown = `\`${name}\``;
  if (layer !== "user" && layer !== "project") return noFile(name);
  const folder = parentOf(file);
  const found = resolvePath(folder, name);
  if (name.startsWith("~")) return { why: `${shown} begins with ~`, help: "write it as seen from the folder of this file" };
  if (found === file) return { why: `${shown} is this file itself`, help: "remove it" };
  if (layer === "project" && !isWithin(found, folder))
    return { why: `${shown} lies outside the project`, help: "copy it into the project" };
  return { file: found };
}

/** The packs that a person agreed to: what they were shown is kept, and is read from there, whatever the file says by now. */
export const packsAgreed =
  (place: Place, trust: Trust): PackText =>
  (name) => {
    const found = packFile(name, place);
    if ("why" in found) return found;
    const pin = trust.pins.get(found.file);
    const text = pin === undefined ? undefined : trust.agreed?.(pin, hexDigest);
    if (text !== undefined) return { ...found, text };
    const command = place.layer === "user" ? "assent trust --global" : "assent trust";
    return { why: `nobody has agreed to the pack \`${name}\``, help: `\`${command}\` shows it and asks` };
  };
