const CONFIRM = "let the user confirm";
const SIGNAL_ONE = "signal one process by its id";
/**
 * Danger classes: what built-in knowledge protects a person from without any rule written.
 * `deny` needs an allow rule that names its target literally, `ask` one that names the danger.
 */
export interface Danger {
  readonly effect: "deny" | "ask";
  readonly title: string;
  readonly help: string;
  /**
   * A supervised run sees it when it happens, so that the words of a command are no reason to refuse it there: files, which
   * can be brought back; rights, which nothing supervised can gain; effects on the machine, which need such rights, a system
   * file or a service that is asked for them; and what is judged at the call itself (rights and owners, signals, sockets).
   */
  readonly seenInRun?: true;
  /** And undo brings back whatever it destroys, or nobody outside notices: no reason to ask where it is confined. */
  readonly confinable?: true;
}

export const DANGERS = {
  "delete-outside": {
    effect: "deny",
    title: "recursive delete, overwrite or chmod of home, the project root, or anything outside the project and temp folders",
    help: "name a folder inside the project",
  },
  "raw-device": { effect: "deny", title: "writes a raw device", help: "write to a file instead" },
  persistence: {
    effect: "deny",
    title: "changes a file that runs code later (shell startup, git hook, cron, authorized keys)",
    help: "ask the user to make this change",
  },
  "download-exec": {
    effect: "deny",
    title: "runs what it downloads without anyone having seen it",
    help: "download to a file, read it, then run it",
  },
  "fork-bomb": { effect: "deny", title: "starts processes without end", help: "do not run this" },
  "kill-all": { effect: "deny", title: "signals every process", help: SIGNAL_ONE },
  exfiltration: { effect: "deny", title: "sends a secret out", help: "do not send secrets" },
  "delete-recursive": {
    effect: "ask",
    title: "recursive delete",
    help: "delete the files by name, or let the user confirm",
    seenInRun: true,
    confinable: true,
  },
  "force-push": { effect: "ask", title: "overwrites or deletes history on a remote", help: "push without force" },
  "history-rewrite": {
    effect: "ask",
    title: "discards work or rewrites history",
    help: "commit or stash first, or let the user confirm",
    seenInRun: true,
    confinable: true,
  },
  "skips-checks": {
    effect: "ask",
    title: "skips the hooks or signatures that a repository asks for",
    help: "leave that out and mend what the check finds, or let the user confirm",
    seenInRun: true,
  },
  "open-to-all": {
    effect: "ask",
    title: "lets every user of the machine change a file, or run it with its owner's rights",
    help: "give rights to the owner or the group only",
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
    title: "ends every process of a name, also those that others started",
    help: SIGNAL_ONE,
    seenInRun: true,
    confinable: true,
  },
  listener: { effect: "ask", title: "waits for connections of others", help: CONFIRM, seenInRun: true, confinable: true },
  "raw-connection": {
    effect: "ask",
    title: "opens a connection that anything can go through",
    help: CONFIRM,
    seenInRun: true,
  },
  "resource-bomb": { effect: "ask", title: "may fill the disk or the memory", help: "say how much: a count, a size" },
  publish: { effect: "ask", title: "publishes for others to see", help: CONFIRM },
  "data-destroy": {
    effect: "ask",
    title: "destroys what a database file holds",
    help: CONFIRM,
    seenInRun: true,
    confinable: true,
  },
  "remote-destroy": { effect: "ask", title: "destroys something on a remote service", help: CONFIRM },
  privilege: { effect: "ask", title: "gains rights or becomes another user", help: "run it without sudo", seenInRun: true },
  "foreign-repository": {
    effect: "ask",
    title: "works in a repository outside the project, whose configuration can run code",
    help: "start the agent in that repository",
    seenInRun: true,
  },
  "host-effect": { effect: "ask", title: "affects the whole machine or a service", help: CONFIRM, seenInRun: true },
} as const satisfies Record<string, Danger>;

export type DangerId = keyof typeof DANGERS;

export const isDangerId = (text: string): text is DangerId => Object.hasOwn(DANGERS, text);
