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

export const DANGERS = {
  "delete-outside": {
    effect: "deny",
    title: "deletes, overwrites or changes everything in your home folder, the project, or a place outside both",
    help: "name a folder inside the project",
  },
  "raw-device": {
    effect: "deny",
    title: "reads or writes a disk, the memory or another device directly",
    help: {
      person: "if you mean this device, do it yourself, in a terminal of your own",
      model: "work with a file in its place, or ask the user to do it",
    },
    unoffered: true,
  },
  persistence: {
    effect: "deny",
    title: "changes a file that can start programs later or let others in (shell startup, git hook, cron, SSH keys)",
    help: { person: "make this change yourself", model: "ask the user to make this change" },
  },
  "download-exec": {
    effect: "deny",
    title: "runs what it downloads before anyone has looked at it",
    help: "download to a file, read it, then run it",
  },
  "fork-bomb": { effect: "deny", title: "starts processes without end", help: "do not run this: it makes the machine hang" },
  "kill-all": { effect: "deny", title: "ends every process", help: SIGNAL_ONE },
  exfiltration: { effect: "deny", title: "sends a secret to someone else", help: "leave the secret out of what is sent" },
  "delete-recursive": {
    effect: "ask",
    title: "deletes a folder with everything in it",
    help: orAllow("delete the files by name"),
    seenInRun: true,
    confinable: true,
  },
  "force-push": { effect: "ask", title: "overwrites or deletes history on a remote", help: orAllow("push without force") },
  "history-rewrite": {
    effect: "ask",
    title: "discards work or rewrites history",
    help: orAllow("commit or stash first"),
    seenInRun: true,
    confinable: true,
  },
  "removes-worktree": {
    effect: "ask",
    title:
      "removes a working tree of this repository outside the project: what git ignores there is lost, with --force also what is not committed",
    help: orAllow("look at it first: git -C FOLDER status --ignored"),
  },
  "skips-checks": {
    effect: "ask",
    title: "skips the checks or signatures that a repository asks for",
    help: orAllow("leave that option out and fix what the check finds"),
    seenInRun: true,
  },
  "open-to-all": {
    effect: "ask",
    title: "lets every user of the machine change a file, or run it with its owner's rights",
    help: orAllow("give rights to the owner or the group only"),
    seenInRun: true,
  },
  ownership: {
    effect: "ask",
    title: "changes who owns a file, its access list or its attributes",
    help: CONFIRM,
    seenInRun: true,
  },
  "signals-by-name": {
    effect: "ask",
    title: "ends every process of that name, also those of others",
    help: SIGNAL_ONE,
    seenInRun: true,
    confinable: true,
  },
  listener: { effect: "ask", title: "accepts connections from others", help: CONFIRM, seenInRun: true, confinable: true },
  "raw-connection": {
    effect: "ask",
    title: "opens a connection that can carry any data",
    help: CONFIRM,
    seenInRun: true,
  },
  "resource-bomb": { effect: "ask", title: "may fill the disk or the memory", help: "say how much: a count or a size" },
  "written-secret": {
    effect: "ask",
    title: "writes a key or a token into a file that git tracks, or would",
    help: orAllow("read it from the environment, or put it into a file that git ignores"),
  },
  publish: { effect: "ask", title: "publishes something for others to see", help: CONFIRM },
  "data-destroy": {
    effect: "ask",
    title: "destroys data in a database file",
    help: CONFIRM,
    seenInRun: true,
    confinable: true,
  },
  "data-wipe": {
    effect: "ask",
    title: "wipes a database, or all that a project has in the cloud",
    help: CONFIRM,
    insistent: true,
  },
  "remote-destroy": { effect: "ask", title: "destroys something on a remote service", help: CONFIRM },
  "unlisted-subcommand": {
    effect: "ask",
    title: "is a subcommand that Assent does not know, of a program that can change, publish or destroy what others have",
    help: CONFIRM,
    unlisted: true,
  },
  privilege: { effect: "ask", title: "gains more rights or becomes another user", help: orAllow("run it without sudo"), seenInRun: true },
  "foreign-repository": {
    effect: "ask",
    title: "works in a repository that is not the project's own, whose settings can start programs",
    help: orAllow("start the agent in that repository"),
    seenInRun: true,
  },
  "host-effect": { effect: "ask", title: "affects the whole machine or one of its services", help: CONFIRM, seenInRun: true },
} as const satisfies Record<string, Danger>;

export type DangerId = keyof typeof DANGERS;

export const isDangerId = (text: string): text is DangerId => Object.hasOwn(DANGERS, text);
