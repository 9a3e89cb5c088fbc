/**
 * What a command needs that nothing can have in a supervised run: it would only fail there, with an error that says something else.
 * `packages/core/knowledge/*.table` says which command needs what (`confined: NEED`).
 */
export const CONFINED_NEEDS = {
  namespaces: "makes a sandbox or a container of its own (namespaces)",
  browser: "starts a browser, with a sandbox and processes of its own",
  tracing: "looks into other programs (ptrace)",
  rights: "needs more rights than its user has (set-user-id, capabilities)",
  kernel: "needs the kernel itself (modules, BPF, raw sockets)",
  service: "lets a service outside do the work, where nobody sees or undoes it",
  keys: "asks the agent that holds your keys",
  desktop: "talks to your desktop (windows, clipboard, other programs)",
  bus: "talks to other programs over D-Bus",
  terminals: "talks to a terminal server outside (tmux, screen)",
  tickets: "needs your Kerberos tickets",
  gpu: "needs the graphics card",
  owners: "finds processes by a port or file of theirs, which shows only its own there",
  outside: "puts programs outside the project, for you and for later commands",
  hosts: "reaches a host that only its own configuration names",
} as const;

export type ConfinedNeed = keyof typeof CONFINED_NEEDS;

export const isConfinedNeed = (text: string): text is ConfinedNeed => Object.hasOwn(CONFINED_NEEDS, text);
