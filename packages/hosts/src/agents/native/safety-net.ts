import { Collector, type NativeRead, type NativeOrigin, made } from "@assent/import/import";
import { at, readJson, textOfNode, textsOf } from "../rules/json.ts";

/**
 * Custom rules of cc-safety-net (`.safety-net.json`, `~/.cc-safety-net/config.json`): a command, perhaps its
 * subcommand, and arguments of which each is a reason to refuse.
 */
export function readSafetyNet(text: string): NativeRead {
  const file = readJson(text);
  if ("problem" in file) return file;
  const into = new Collector();
  const rules = at(file.root, "rules");
  for (const node of rules?.kind === "array" ? rules.items : []) {
    const command = textOfNode(at(node, "command"));
    const subcommand = textOfNode(at(node, "subcommand"));
    const name = textOfNode(at(node, "name")) ?? "rule";
    const reason = textOfNode(at(node, "reason"));
    const origin: NativeOrigin = { effect: "deny", text: name, line: file.lineOf(node), ...(reason === undefined ? {} : { reason }) };
    const { texts, others } = textsOf(at(node, "block_args"));
    if (command === undefined || texts.length === 0 || others.length > 0) {
      into.lose(origin, "it needs a `command` and `block_args`");
      continue;
    }
    const start = [command, ...(subcommand === undefined ? [] : [subcommand])].join(" ");
    for (const { value } of texts) {
      const own = { ...origin, text: `${name}: ${start} ${value}` };
      if (/[\s*]/.test(value) || !/^[\w.@/-]+(?: [\w.@:/-]+)?$/.test(start)) into.lose(own, "blanks and wildcards in a word");
      else
        into.keep(
          [
            made(
              own,
              { list: "permissions", rule: `Bash(${start} ** ${value}:*)` },
              { match: [`${start} ${value}`, `${start} x1 ${value}`] },
            ),
          ],
          own,
        );
    }
  }
  return into.result();
}
