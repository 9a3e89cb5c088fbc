import { dirname } from "node:path/posix";
import { Collector, type Converted, type Loss, type NativeOrigin, type NativeRead, wordsRule } from "@assent/import/import";
import { inProject, type NativeRules, ofUser, type Reasoned } from "../rules/contract.ts";
import { at, readJson, textOfNode, textsOf } from "../rules/json.ts";
import { asText, listWriter } from "../rules/write.ts";

/**
 * Factory Droid (0.215.0). What is on `commandDenylist` it asks about at every level of autonomy, what is on `commandBlocklist` it
 * never runs: there no hook is called. `permissionRules` are behind a switch of the vendor's.
 */
export function readDroid(text: string): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  const { root, lineOf } = file;
  for (const [key, effect] of [
    ["commandBlocklist", "deny"],
    ["commandDenylist", "ask"],
  ] as const) {
    const { texts, others } = textsOf(at(root, key));
    for (const other of others) into.lose({ effect, text: key, line: lineOf(other) }, "it is not text");
    for (const item of texts) {
      const origin: NativeOrigin = { effect, text: `${key} ${item.value}`, line: lineOf(item) };
      // Droid itself puts `:(){ :|: & };:` there.
      if (/\w/.test(item.value)) into.keep(command(origin, item.value), origin);
      else into.lose({ text: origin.text, line: origin.line }, "names no program");
    }
  }
  for (const item of textsOf(at(root, "commandAllowlist")).texts)
    into.lose(
      { effect: "allow", text: `commandAllowlist ${item.value}`, line: lineOf(item) },
      "how its entries are compared is not documented",
      "add it with `assent rule add`",
    );
  const wrapped = at(root, "permissionRules");
  const rules = wrapped?.kind === "object" ? at(wrapped, "rules") : wrapped;
  const list = rules?.kind === "array" ? rules.items : rules === undefined ? [] : [rules];
  for (const item of list) {
    const decision = item.kind === "object" ? textOfNode(at(item, "decision")) : undefined;
    const effect = decision === "allow" ? "allow" : decision === "block" ? "deny" : "ask";
    const text = item.kind === "object" ? (textOfNode(at(item, "id")) ?? "") : "";
    into.lose({ effect, text: `permissionRules ${text}`.trim(), line: lineOf(item) }, "rules of this kind are not read yet");
  }
  return into.result();
}

/** Its words, one after the other; what follows is free. */
function command(origin: NativeOrigin, entry: string): readonly Converted[] | Loss {
  const words = entry.trim().split(/\s+/);
  if (words.some((word) => /["'\\|&;<>()$`*?[\]{}]/.test(word))) return { why: "wildcards, quotes and operators in a command" };
  return wordsRule(
    origin,
    words.map((word) => [word]),
    true,
  );
}

function express({ refusal }: Reasoned): readonly string[] | undefined {
  if (refusal.is !== "words" || refusal.exact || !refusal.words.every((word) => /^[\w@%+=.,:/-]+$/.test(word))) return undefined;
  return [refusal.words.join(" ")];
}

const NAMES = ["settings.json", "settings.local.json"];

/** Settings of every folder above count as well. */
function foldersAbove(project: string): readonly string[] {
  const above = dirname(project);
  return above === project ? [] : [above, ...foldersAbove(above)];
}

export const rules: NativeRules = {
  reader: {
    places: (around) => {
      const { home, project } = around;
      const above = project === undefined ? [] : foldersAbove(project).filter((folder) => folder !== home);
      return [
        ofUser("/etc/factory/settings.json", readDroid),
        ...NAMES.map((name) => ofUser(`${home}/.factory/${name}`, readDroid)),
        ...[...above, project].flatMap((folder) =>
          inProject({ ...around, project: folder }, readDroid, ...NAMES.map((name) => `.factory/${name}`)),
        ),
      ];
    },
    readerFor: () => readDroid,
  },
  refusals: {
    express,
    show: asText,
    file: { path: ({ home, project }) => `${project ?? home}/.factory/settings.json`, write: listWriter(["commandBlocklist"]) },
  },
};
