import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

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
  { program: "pnpm", ask: HELP, lists: /^ {1,6}(?:[a-z]+, )?([a-z][a-z-]+) {2,}\S/gm, deep: true, open: true },
  { program: "cargo", ask: () => ["--list"], lists: /^ {4}([a-z][a-z-]+)(?= |$)/gm, deep: false, open: true },
  { program: "wrangler", ask: HELP, lists: /^ {2}wrangler(?: [a-z][\w-]*)*? ([a-z][\w-]*)(?= (?:[<[]| ))/gm, deep: true, open: true },
  { program: "prisma", ask: HELP, lists: /^ {6,20}([a-z][a-z-]*) {3}\S/gm, deep: true, open: true },
  { program: "vercel", ask: HELP, lists: /^ {6}([a-z][a-z-]*)(?:, | \||  )/gm, deep: false, open: true },
  { program: "firebase", ask: (group) => ["help", ...group], lists: /^ {4}([a-z][\w:-]*)(?: |$)/gm, deep: false, open: true },
  { program: "netlify", ask: HELP, lists: /^ {2}\$ ([a-z][\w:-]*)(?: |$)/gm, deep: true, open: true },
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

/** Lines of the program's help that the tables do not know. */
export const unlistedBy = (form: HelpForm, told = subcommandsTold(form)): readonly string[] =>
  told
    .map((words) => `${form.program} ${words.join(" ")}`)
    .filter((line) => {
      const [action] = lowerShell(line, { world: smallWorld() }).actions;
      const isUnknown = form.open === true && action?.kind === "exec" && action.knowledge === undefined;
      return isUnknown || action?.dangers?.includes("unlisted-subcommand") === true;
    });

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
