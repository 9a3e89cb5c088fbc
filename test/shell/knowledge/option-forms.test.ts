import { expect, test } from "vitest";
import {
  allEntries,
  entriesBelow,
  grammarOf,
  type Grammar,
  type KnowledgeEntry,
} from "../../../packages/core/src/shell/knowledge/entries.ts";
import type { Kind } from "../../../packages/core/src/shell/knowledge/read-spec.ts";
import { SAMPLE, sampled } from "../../sampled.ts";
import { verdictFor } from "./decide.ts";

// However an option is written, its value is what it is: every option of every table whose value is a file or a command, with one that
// does harm, in each form in which its program takes it.

const SECRET = "~/.ssh/id_rsa";
const STARTUP = "~/.bashrc";

/** What does harm as a value of this kind. */
function harmOf(kind: Kind): string | undefined {
  if (kind.is === "shell") return "'rm -rf ~'";
  if (kind.is === "dest") return STARTUP;
  if (kind.is === "script") return SECRET;
  if (kind.is !== "file" || kind.operation === "list") return undefined;
  return kind.operation === "read" || kind.operation === "execute" ? SECRET : STARTUP;
}

/** `-oV`, `-o V`, `-vo V`, `--out=V`, `--out V`, `--ou=V`. */
function formsOf(name: string, value: string, optional: boolean, { style, options }: Grammar): readonly string[] {
  const attached = (text: string): readonly string[] => (optional ? [] : [text]);
  if (style === "words") return [`${name}=${value}`, ...attached(`${name} ${value}`), ...attached(`-${name} ${value}`)];
  const names = [...options.keys()];
  if (name.startsWith("--")) {
    const cuts = style === "bsd" ? [] : name.split("").map((_, length) => name.slice(0, length));
    const short = cuts.find((cut) => cut.length > 2 && names.filter((one) => one.startsWith(cut)).length === 1);
    return [`${name}=${value}`, ...attached(`${name} ${value}`), ...(short === undefined ? [] : [`${short}=${value}`])];
  }
  const flag = [...options].find(
    ([one, { argument, consequences }]) => /^-[a-z]$/i.test(one) && one !== name && argument === "none" && consequences.length === 0,
  );
  const heads = flag === undefined || name.length !== 2 ? [name] : [name, `${flag[0]}${name.slice(1)}`];
  return heads.flatMap((head) => [`${head}${value}`, ...attached(`${head} ${value}`)]);
}

function attacksOn(words: string, entry: KnowledgeEntry, parent: Grammar | undefined): readonly string[] {
  const grammar = grammarOf(entry, parent);
  const own = [...grammar.options].filter(([name, option]) => name.startsWith("-") && parent?.options.get(name) !== option);
  return [
    ...own.flatMap(([name, { argument, kind }]) => {
      const harm = argument === "none" ? undefined : harmOf(kind);
      if (harm === undefined) return [];
      const forms = formsOf(name, harm, argument === "optional", grammar);
      return forms.flatMap((form) => ["", " a.txt b.txt"].map((rest) => `${words} ${form}${rest}`));
    }),
    ...entriesBelow(entry).flatMap(({ keys, entry: below }) => attacksOn(`${words} ${(keys[0] ?? "").replace("*", "x")}`, below, grammar)),
  ];
}

test(`a value that does harm is not let through, however its option is written (${SAMPLE})`, () => {
  const attacks = allEntries().flatMap((entry) => attacksOn(entry.names.split(" ")[0] ?? "", entry, undefined));
  expect(attacks.length).toBeGreaterThan(4000);
  expect(sampled(attacks, 4).filter((command) => ["allow", "none"].includes(verdictFor(command).decision))).toEqual([]);
});
