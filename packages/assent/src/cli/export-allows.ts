import { dirname } from "node:path";
import { ownedAllows } from "@assent/hosts/agents/native";
import type { Machine } from "@assent/guard/state";
import { judgeOnly } from "@assent/page/preview";

/** Which commands a host may take without a check of its own: `assent export --allow`, and what the doctor looks at. */

/** How far back commands are looked for. */
export const ALLOWS_DAYS = 30;
const MOST = 200;

/** Words that are nothing but themselves in a shell and in a host's rule: no quote, wildcard, redirection, assignment or second command. */
const EXACT = /^[\w./@%+,-][\w./:=@%+,-]*$/;

/** The words of each command that consists of such words, once each. */
export const exactCommands = (commands: readonly string[]): readonly (readonly string[])[] =>
  [...new Set(commands)]
    .map((command) => command.split(" "))
    .filter((words) => words.every((word) => EXACT.test(word)) && words.at(-1)?.endsWith(":") === false && !/[=:]/.test(words[0] ?? ""))
    .slice(0, MOST);

/** Judged where no project's file has a word, unless it is for that project alone: a host's rule holds in every folder. */
export function isHarmless(words: readonly string[], machine: Machine, root = "/"): boolean {
  const { verdict } = judgeOnly({ tool: "Bash", input: { command: words.join(" ") }, cwd: root }, machine, [], { extensions: "off" });
  return verdict.decision === "allow" && verdict.confined === undefined;
}

/** Files in which hosts are told to take a command that Assent would not let go ahead by itself any more. */
export const outdatedAllows = (machine: Machine): readonly { readonly file: string; readonly entries: readonly string[] }[] =>
  ownedAllows(machine).flatMap(({ file, entries }) => {
    const isOutdated = (entry: string): boolean =>
      ["/", dirname(file)].every((root) => !isHarmless([/^\w+\((.*)\)$/.exec(entry)?.[1] ?? ""], machine, root));
    const outdated = entries.filter(isOutdated);
    return outdated.length === 0 ? [] : [{ file, entries: outdated }];
  });
