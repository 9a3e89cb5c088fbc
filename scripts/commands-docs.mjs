import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { readKnowledge, tablesOf } from "./knowledge.mjs";

/** The page that says which command is in which table. */
export async function commandsDocs(root) {
  const { entries } = await readKnowledge(root);
  const names = ({ spec }) => spec.names.split(" ");
  const parts = tablesOf(root).flatMap((file) => {
    const family = basename(file, ".table");
    const all = entries.filter((entry) => entry.family === family).flatMap(names);
    if (all.length === 0) return [];
    const [head = ""] = readFileSync(file, "utf8").split("\n\n", 1);
    const about = head.replaceAll(/^# ?/gm, "").replaceAll("\n", " ");
    return [`## [${family}](../packages/core/knowledge/${family}.table)`, "", about, "", all.map((name) => `\`${name}\``).join(" "), ""];
  });
  const page = [
    "# Which command is in which table",
    "",
    "<!-- Generated from `packages/core/knowledge/*.table` by `npm run generate`. -->",
    "",
    `Assent knows ${entries.flatMap(names).length} commands. [knowledge/README.md](../packages/core/knowledge/README.md) says how a table is written; \`assent explain COMMAND\` says what is known of one command line.`,
    "",
    ...parts,
  ];
  return [{ file: "docs/commands.md", update: () => `${page.join("\n").trimEnd()}\n` }];
}
