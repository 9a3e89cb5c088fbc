import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The subcommands that the help of an installed program names. */

export interface HelpForm {
  readonly program: string;
  /** In front of a group's help: `docker volume --help`. */
  readonly ask: (group: readonly string[]) => readonly string[];
  /** Each match of the help's text: a subcommand, or several separated by commas. */
  readonly lists: RegExp;
  /** Groups are asked, too. */
  readonly deep: boolean;
  /** What its tables do not list is project's code or a plugin, and asked about as that: it has no danger of its own. */
  readonly open?: true;
}

const HELP = (group: readonly string[]): readonly string[] => [...group, "--help"];
const INDENTED = /^ {2,6}([a-z][a-z0-9-]*)(?:\*|:|, \w+)?(?: {2,}\S| \(|$)/gm;

export const HELP_FORMS: readonly HelpForm[] = [
  { program: "docker", ask: HELP, lists: INDENTED, deep: true },
  { program: "docker-compose", ask: HELP, lists: INDENTED, deep: false },
  { program: "kubectl", ask: HELP, lists: INDENTED, deep: true },
  { program: "helm", ask: HELP, lists: INDENTED, deep: true },
  { program: "terraform", ask: HELP, lists: INDENTED, deep: true },
  { program: "gh", ask: HELP, lists: INDENTED, deep: true },
  { program: "supabase", ask: HELP, lists: INDENTED, deep: true },
  { program: "npm", ask: (group) => [...group, "-h"], lists: /(?<=All commands:[^]*?)(?<=[\s,])([a-z][a-z-]*)(?=[,\n])/g, deep: false },
];

/** What the help says stands behind these words; nothing where there is no such program, or it says nothing of the kind. */
function listed({ program, ask, lists }: HelpForm, group: readonly string[], home: string): readonly string[] {
  const { stdout, status } = spawnSync(program, ask(group), {
    encoding: "utf8",
    input: "",
    timeout: 20_000,
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" },
  });
  // Options, examples and what is said of words are indented, too.
  const text = (stdout ?? "").replace(
    /^(?:Options|Flags|Global Options|Usage|Examples?|EXAMPLES|FLAGS|INHERITED FLAGS|ARGUMENTS|LEARN MORE|HELP TOPICS)[^]*?(?=^\S|(?![^]))/gim,
    "",
  );
  return status === null ? [] : [...new Set([...text.matchAll(lists)].map(([, name = ""]) => name))];
}

/** As `docker volume rm`, without the program's name. */
export function subcommandsTold(form: HelpForm): readonly (readonly string[])[] {
  const home = mkdtempSync(join(tmpdir(), "assent-help-"));
  const below = (group: readonly string[], above: readonly string[]): readonly (readonly string[])[] => {
    const names = listed(form, group, home).filter((name) => name !== "help");
    // Who has no subcommands may print those of the group again.
    const own = names.every((name) => above.includes(name)) ? [] : names;
    if (own.length === 0) return group.length === 0 ? [] : [group];
    return own.flatMap((name) => (form.deep && group.length < 2 ? below([...group, name], own) : [[...group, name]]));
  };
  try {
    return below([], []);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
