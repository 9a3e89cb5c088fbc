import type { Advice } from "./advice.ts";

const CONFIRM: Advice = {
  person: "if you want this, run it yourself, or allow it with `assent allow …`",
  model: "ask the user to run it, or to allow it with `assent allow`",
  without: { person: "run it yourself", model: "ask the user to run it" },
};
const orAllow = (instead: string): Advice => ({
  person: `${instead}; if you want this, allow it with \`assent allow …\``,
  model: `${instead}, or ask the user to allow it`,
  without: { person: instead, model: instead },
});
const SIGNAL_ONE: Advice = "end a single process, by its id";
/**
 * Danger classes: what built-in knowledge protects a person from without any rule written.
 * `deny` needs an allow rule that names its target literally, `ask` one that names the danger.
 */
export interface Danger {
  readonly effect: "deny" | "ask";
  readonly title: string;
  readonly help: Advice;
  /**
   * A supervised run sees it when it happens, so that the words of a command are no reason to refuse it there: files, which
   * can be brought back; rights, which nothing supervised can gain; effects on the machine, which need such rights, a system
   * file or a service that is asked for them; and what is judged at the call itself (rights and owners, signals, sockets).
   */
  readonly seenInRun?: true;
  /** No rule that would allow it is offered anywhere, and words that nobody knows the meaning of are held against it. */
  readonly unoffered?: true;
  /** No mode that skips questions skips this one. */
  readonly insistent?: true;
  /** And undo brings back whatever it destroys, or nobody outside notices: no reason to ask where it is confined. */
  readonly confinable?: true;
  /** Whatever word nobody knows has it: a rule names it by its own words alone. */
  readonly unlisted?: true;
}

type DangerMark = "seenInRun" | "unoffered" | "insistent" | "confinable" | "unlisted";
const rowsOf =
  (effect: Danger["effect"]) =>
  (title: string, help: Advice, ...marks: readonly DangerMark[]): Danger => ({
    effect,
    title,
    help,
    ...Object.fromEntries(marks.map((mark) => [mark, true])),
  });
const deny = rowsOf("deny");
const ask = rowsOf("ask");

export const DANGERS = {
  "delete-outside": deny(
    "deletes, overwrites or changes everything in your home folder, the project, or a place outside both",
    "name a folder inside the project",
  ),
  "raw-device": deny(
    "reads or writes a disk, the memory or another device directly",
    {
      person: "if you mean this device, do it yourself, in a terminal of your own",
      model: "work with a file in its place, or ask the user to do it",
    },
    "unoffered",
  ),
  persistence: deny("changes a file that can start programs later or let others in (shell startup, git hook, cron, SSH keys)", {
    person: "make this change yourself",
    model: "ask the user to make this change",
  }),
  "download-exec": deny("runs what it downloads before anyone has looked at it", "download to a file, read it, then run it"),
  "fork-bomb": deny("starts processes without end", "do not run this: it makes the machine hang"),
  "kill-all": deny("ends every process", SIGNAL_ONE),
  exfiltration: deny("sends a secret to someone else", "leave the secret out of what is sent"),
  "delete-recursive": ask("deletes a folder with everything in it", orAllow("delete the files by name"), "seenInRun", "confinable"),
  "force-push": ask("overwrites or deletes history on a remote", orAllow("push without force")),
  "history-rewrite": ask("discards work or rewrites history", orAllow("commit or stash first"), "seenInRun", "confinable"),
  "removes-worktree": ask(
    "removes a working tree of this repository outside the project: what git ignores there is lost, with --force also what is not committed",
    orAllow("look at it first: git -C FOLDER status --ignored"),
  ),
  "skips-checks": ask(
    "skips the checks or signatures that a repository asks for",
    orAllow("leave that option out and fix what the check finds"),
    "seenInRun",
  ),
  "open-to-all": ask(
    "lets every user of the machine change a file, or run it with its owner's rights",
    orAllow("give rights to the owner or the group only"),
    "seenInRun",
  ),
  ownership: ask("changes who owns a file, its access list or its attributes", CONFIRM, "seenInRun"),
  "signals-by-name": ask("ends every process of that name, also those of others", SIGNAL_ONE, "seenInRun", "confinable"),
  listener: ask("accepts connections from others", CONFIRM, "seenInRun", "confinable"),
  "raw-connection": ask("opens a connection that can carry any data", CONFIRM, "seenInRun"),
  "resource-bomb": ask("may fill the disk or the memory", "say how much: a count or a size"),
  "written-secret": ask(
    "writes a key or a token into a file that git tracks, or would",
    orAllow("read it from the environment, or put it into a file that git ignores"),
  ),
  publish: ask("publishes something for others to see", CONFIRM),
  "data-destroy": ask("destroys data in a database file", CONFIRM, "seenInRun", "confinable"),
  "data-wipe": ask("wipes a database, or all that a project has in the cloud", CONFIRM, "insistent"),
  "remote-destroy": ask("destroys something on a remote service", CONFIRM),
  "unlisted-subcommand": ask(
    "is a subcommand that Assent does not know, of a program that can change, publish or destroy what others have",
    CONFIRM,
    "unlisted",
  ),
  privilege: ask("gains more rights or becomes another user", orAllow("run it without sudo"), "seenInRun"),
  "foreign-repository": ask(
    "works in a repository that is not the project's own, whose settings can start programs",
    orAllow("start the agent in that repository"),
    "seenInRun",
  ),
  "host-effect": ask("affects the whole machine or one of its services", CONFIRM, "seenInRun"),
} satisfies Record<string, Danger>;

export type DangerId = keyof typeof DANGERS;

export const isDangerId = (text: string): text is DangerId => Object.hasOwn(DANGERS, text);
