/**
 * What a command needs that nothing can have in a supervised run: it would only fail there, with an error that says something else.
 * `knowledge/*.table` says which command needs what (`confined: NEED`).
 */
export const CONFINED_NEEDS = {
  namespaces: "it makes a sandbox or a container of its own (namespaces), which nothing in a supervised run can",
  browser: "it starts a browser, whose processes neither make their sandbox in a supervised run nor find each other there",
  tracing: "it looks into other programs (ptrace), which nothing in a supervised run can",
  rights: "it needs more rights than its user has (set-user-id, capabilities), which nothing in a supervised run can gain",
  kernel: "it needs the kernel itself (modules, BPF, raw sockets), which nothing in a supervised run reaches",
  service: "it only tells a service outside what to do, which nothing in a supervised run reaches: nobody would see or undo it there",
  keys: "it asks the agent that holds your keys, which nothing in a supervised run reaches",
  desktop: "it talks to your desktop (windows, clipboard, other programs), which nothing in a supervised run reaches",
  bus: "it talks to other programs over D-Bus, which nothing in a supervised run reaches",
  terminals: "it talks to a terminal server outside (tmux, screen), which nothing in a supervised run reaches",
  tickets: "it needs your Kerberos tickets, which nothing in a supervised run reaches",
  gpu: "it needs the graphics card's devices, which nothing in a supervised run may open",
  hosts: "it reaches a host that only its own configuration names, which nothing in a supervised run may do unasked",
} as const;

export type ConfinedNeed = keyof typeof CONFINED_NEEDS;

export const isConfinedNeed = (text: string): text is ConfinedNeed => Object.hasOwn(CONFINED_NEEDS, text);
