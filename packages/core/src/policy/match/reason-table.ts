import type { Advice } from "../../action/index.ts";
import type { Basis } from "./verdict.ts";

/** Families of built-in reasons, in the order of the page that scripts/reasons-docs.ts makes. */
export const REASON_CLASSES = {
  floor: "Never allowed",
  failure: "Something is broken",
  danger: "Dangerous commands",
  protect: "Built-in protection",
  unknown: "What cannot be known beforehand",
  automation: "What you are asked about although a rule or a mode allows it",
  preset: "Defaults of a preset",
  run: "In a supervised run",
  network: "The network of a supervised run",
  knowledge: "Why something goes ahead without a rule",
} as const;

export type ReasonClass = keyof typeof REASON_CLASSES;

/** Why something is decided without a rule that anybody wrote. */
export interface Reason {
  readonly class: ReasonClass;
  readonly basis: Basis;
  /** What it says, for people: a clause without a full stop. */
  readonly title: string;
  /** What to do next, where that is always the same. */
  readonly help?: Advice;
  /** As in `Verdict.waivable`. */
  readonly waivable?: false | "by-host";
  /** A supervised run sees it happen and holds it to the policy, and undo brings back what it changes: no reason to ask beforehand. */
  readonly confinable?: true;
  /** What is read may be a secret: words that nobody knows the meaning of are held against it, too. */
  readonly secret?: true;
}

const CONFIRM: Advice = {
  person: "if you want this, run it yourself, or allow it with `assent allow …`",
  model: "ask the user to run it, or to allow it with `assent allow`",
  without: { person: "run it yourself", model: "ask the user to run it" },
};
/** No rule allows it: a person agrees each time. */
const EACH_TIME: Advice = {
  person: "look at it before you agree, or run it yourself",
  model: "ask the user to agree to it, or to run it",
};
const CHANGE: Advice = { person: "make this change yourself, outside of the agent", model: "ask the user to make this change" };
const TERMINAL: Advice = { person: "run it yourself, in a terminal of your own", model: "ask the user to run this in a terminal" };
const WITHOUT_UNDO: Advice = {
  person: "to go on without a way back, start the run with --no-undo",
  model: "destroy less at once, or ask the user to start the run with --no-undo",
};
const ONCE: Advice = {
  person: "allow it for this run, or remember a rule in the profile",
  model: "ask the user to allow it, or work inside the project",
};
const NET_RULE: Advice = {
  person: 'if the program should reach it, allow it by name: `assent allow "Net(…)"`',
  model: "do without it, or ask the user to allow it by name",
};
const SOCKET_RULE: Advice = {
  person: 'if the program should reach it, allow the socket by its path: `assent allow "Write(…)"`',
  model: "do without it, or ask the user to allow the socket by its path",
};
const WEB_RULE: Advice = {
  person: 'if you trust it, allow it by name: `assent allow "WebFetch(domain:…)"`',
  model: "use a public address, or ask the user to allow this one by name",
};
const AUTOMATIC: Advice = { person: "`assent auto on` switches it on", model: "ask the user: `assent auto on` switches it on" };

/** Every reason by itself. Those of danger classes, presets, extensions and known commands are in `ReasonId`, too. */
export const REASONS = {
  "floor.self": {
    class: "floor",
    basis: "floor",
    title: "it changes the policy, Assent's own files, or how Assent is registered with an agent",
    help: CHANGE,
  },
  "floor.command": { class: "floor", basis: "floor", title: "the command would let an agent do more than now", help: TERMINAL },
  "floor.settings": {
    class: "floor",
    basis: "floor",
    title: "it changes a file that decides what an agent may do",
    help: {
      person: "look at the change before you agree, or make it yourself",
      model: "ask the user to agree to this change, or to make it",
    },
    waivable: false,
  },
  "floor.unclear": {
    class: "floor",
    basis: "floor",
    title: "it is not clear what this `assent` command changes",
    help: EACH_TIME,
    waivable: false,
  },
  "floor.agent-command": {
    class: "floor",
    basis: "floor",
    title: "the command changes an agent's settings, or starts an agent that asks nobody",
    help: EACH_TIME,
    waivable: false,
  },
  "floor.named": {
    class: "floor",
    basis: "floor",
    title: "a program or tool that Assent does not know is given a file of Assent or of an agent's settings",
    help: EACH_TIME,
    waivable: false,
  },
  "floor.runs": {
    class: "floor",
    basis: "floor",
    title: "the undo store keeps files as they were before they were changed, secrets among them",
    help: {
      person: "look it up with `assent receipt` or `assent undo`",
      model: "ask the user to look it up with `assent receipt` or `assent undo`",
    },
  },
  "exec.tampered": {
    class: "floor",
    basis: "floor",
    title: "the command was changed while Assent judged it, so the program was ended",
    help: {
      person: "find out which program did this: it tried to start something else than it showed",
      model: "do not try it again, and tell the user",
    },
  },

  failure: {
    class: "failure",
    basis: "protection",
    title: "Assent itself failed, so it cannot judge this",
    help: { person: "try again; `assent doctor` says what does not work", model: "try again, or ask the user to run `assent doctor`" },
    waivable: false,
  },
  "failure.extension": {
    class: "failure",
    basis: "protection",
    title: "one of your extensions gave no answer",
    help: {
      person: "correct the extension, or take it out of your policy",
      model: "ask the user to correct the extension of their policy",
    },
  },
  "policy.broken": {
    class: "failure",
    basis: "protection",
    title: "a policy file has a mistake, so it is not known what it forbids",
    help: {
      person: "correct the policy file, `assent lint` names all mistakes; until then nothing goes ahead without a question",
      model: "ask the user to correct the policy file; until then nothing goes ahead without a question",
    },
    waivable: false,
  },
  "undo.failed": {
    class: "failure",
    basis: "protection",
    title: "what it would destroy could not be kept for undo",
    help: WITHOUT_UNDO,
  },
  "protect.secrets": {
    class: "protect",
    basis: "protection",
    title: "it reads or changes a secret",
    help: {
      person: 'if the file holds no secret, allow it by name: `assent allow "Read(…)"`',
      model: "do without the secret, or ask the user to allow this file by name",
    },
    secret: true,
  },
  "protect.system": {
    class: "protect",
    basis: "protection",
    title: "it changes a system file",
    help: { person: "make this change yourself", model: "work in the project, or ask the user to make this change" },
  },
  "protect.git-config": {
    class: "protect",
    basis: "protection",
    title: "it changes git's configuration, which can make git start programs",
    help: {
      person: "look at the change before you agree, or make it yourself with `git config`",
      model: "use git's own commands, or ask the user to make this change",
    },
  },
  "protect.steering": {
    class: "protect",
    basis: "protection",
    title: "a run changes a file that decides which programs or servers later commands use",
    help: {
      person: "look at the change before you agree, or allow the file by name",
      model: "ask the user to make this change, or to allow the file by name",
    },
  },
  "protect.inside": {
    class: "protect",
    basis: "protection",
    title: "a folder or pattern includes something that is protected",
    help: "name the files, or a folder without anything protected in it",
    secret: true,
    confinable: true,
  },
  metadata: {
    class: "protect",
    basis: "protection",
    title: "it reaches a cloud's metadata service, which hands out credentials",
    help: NET_RULE,
  },
  "protect.net-loopback": { class: "protect", basis: "protection", title: "a web tool reaches this machine", help: WEB_RULE },
  "protect.net-link-local": { class: "protect", basis: "protection", title: "a web tool reaches the local network", help: WEB_RULE },
  "protect.net-private": { class: "protect", basis: "protection", title: "a web tool reaches a private network", help: WEB_RULE },
  "protect.net-many": { class: "protect", basis: "protection", title: "a web tool reaches many machines at once", help: WEB_RULE },
  "protect.net-reserved": {
    class: "protect",
    basis: "protection",
    title: "a web tool reaches an address that nothing should connect to",
    help: WEB_RULE,
  },
  "shell.redirect": {
    class: "protect",
    basis: "protection",
    title: 'a redirect writes a file, which `"preset": "none"` asks about',
    help: CONFIRM,
  },
  "shell.wrapper": {
    class: "protect",
    basis: "protection",
    title: 'a command starts another one in a way that Assent cannot follow, which `"preset": "none"` asks about',
    help: "run the inner command by itself",
  },
  "tool.corrupt-path": {
    class: "protect",
    basis: "protection",
    title: "a path in the tool's input holds a NUL or another control character",
    help: "give the path without control characters",
  },
  "tool.variable": {
    class: "protect",
    basis: "protection",
    title: "a server is asked to run something with an environment variable that can make programs load other code",
    help: "leave the variable out",
  },
  "refused.before": {
    class: "protect",
    basis: "protection",
    title: "the same was refused a short while ago, perhaps through another tool",
    help: {
      person: "agree to it, if you have changed your mind",
      model: "do something else, or ask the user whether they have changed their mind",
    },
    waivable: "by-host",
  },

  unknown: {
    class: "unknown",
    basis: "protection",
    title: "what it does is only known when it runs",
    confinable: true,
    help: "write the command out in full, so that it can be judged",
  },
  "protect.unknown-target": {
    class: "unknown",
    basis: "protection",
    title: "it is not clear which file it reads or changes",
    confinable: true,
    help: "name the file, or a folder inside the project",
  },
  "tool.too-large": {
    class: "unknown",
    basis: "protection",
    title: "the tool's input is too large to look through",
    help: "give the tool less at once",
  },
  "unknown.deny": {
    class: "unknown",
    basis: "default",
    title: 'no rule matches this program or code, and `"unknown": "deny"` then refuses it',
    help: {
      person: "if you want it, allow it with `assent allow …`",
      model: "use a program that is allowed, or ask the user to allow this one",
    },
  },
  none: {
    class: "unknown",
    basis: "default",
    title: "no rule matches; the agent's host decides as it always does",
    help: CONFIRM,
  },

  "automation.restricted": {
    class: "automation",
    basis: "protection",
    title: "this agent is restricted: you are asked about everything it wants",
    help: {
      person: "`assent agents list` shows which agents are restricted",
      model: "ask the user: `assent agents list` shows which agents are restricted",
    },
    waivable: "by-host",
  },
  "automation.off": {
    class: "automation",
    basis: "default",
    title: "the policy allows it, but `assent auto` is off: nothing goes ahead without a question",
    help: AUTOMATIC,
    waivable: "by-host",
  },
  "automation.subagents": {
    class: "automation",
    basis: "default",
    title: "only trusted sub-agents may go ahead without a question, and this is the main agent",
    help: AUTOMATIC,
    waivable: "by-host",
  },
  "automation.untrusted": {
    class: "automation",
    basis: "protection",
    title: "you have not trusted this sub-agent: you are asked about everything it wants",
    help: {
      person: "`assent agents trust NAME` lets it go ahead",
      model: "ask the user: `assent agents trust NAME` lets it go ahead",
    },
    waivable: "by-host",
  },
  "automation.consent": {
    class: "automation",
    basis: "default",
    title: "the policy's mode would allow this, but nobody has agreed to that mode on this machine",
    help: { person: "`assent auto on` asks you to agree", model: "ask the user to run `assent auto on`" },
    waivable: "by-host",
  },
  "automation.breaker": {
    class: "automation",
    basis: "protection",
    title: "the circuit breaker stopped this session: too many requests in a row were refused",
    help: {
      person: "look at `assent log --denied`; `assent breaker reset` lets the session go on",
      model: "stop, and ask the user to look at `assent log --denied` and to run `assent breaker reset`",
    },
    waivable: "by-host",
  },

  "run.outside": { class: "run", basis: "default", title: "it lies outside the working folder and temporary folders", help: ONCE },
  "run.link-in-the-way": {
    class: "run",
    basis: "default",
    title: "other programs write to names in this folder, and a link there would send what they write elsewhere",
    help: "make the link in a new folder (`mktemp -d`)",
  },
  "run.other-names": {
    class: "run",
    basis: "protection",
    title: "the file has names (hard links) outside the places of this run, which would be changed with it",
    help: "copy the file, and put the copy in its place: `cp -p F F.new && mv F.new F`",
  },
  "run.programs": {
    class: "run",
    basis: "protection",
    title: "later commands start the programs in this folder by their names",
    help: ONCE,
  },
  "run.lends-rights": {
    class: "run",
    basis: "default",
    title: "whoever starts the file would get the rights of root, or of the file's group",
    help: ONCE,
  },
  "run.no-root": {
    class: "run",
    basis: "protection",
    title: "only root may do this, and programs of a run have none of root's rights",
    help: { person: "start it without `assent run`, if you want it", model: "leave it out, or ask the user to do it" },
  },
  "run.large-move": {
    class: "run",
    basis: "protection",
    title: "it moves more files than can be searched for protected ones",
    help: { person: "move it in parts, or allow it for this run", model: "move it in parts" },
  },
  "undo.too-large": {
    class: "run",
    basis: "protection",
    title: "what it would destroy cannot be kept for undo",
    help: WITHOUT_UNDO,
  },
  "exec.unverified": {
    class: "run",
    basis: "protection",
    title: "the program could not be looked at before it starts",
    help: { person: "agree only if you know what it starts", model: "start the program in a simpler way, or ask the user to start it" },
  },
  "confine.fails": {
    class: "run",
    basis: "protection",
    title: "it does not work in a supervised run, or failed in one before",
    help: EACH_TIME,
    waivable: false,
  },
  "confine.unseen": {
    class: "run",
    basis: "protection",
    title: "it uses a file that an agent changed and that you have not looked at, and it cannot be sandboxed here",
    waivable: "by-host",
    help: {
      person: "look at the file with `assent seen`",
      model: "ask the user to look at the file with `assent seen`",
    },
  },
  "confine.host-rule": {
    class: "run",
    basis: "protection",
    title: "a rule of the agent's host may match it, and the host only reads commands in plain words",
    help: "run the part that the rule is about by itself, in plain words without quotes, variables or redirections",
    waivable: false,
  },
  "run.default": { class: "run", basis: "default", title: "allowed in a supervised run" },
  "run.errand": { class: "run", basis: "knowledge", title: "the program is known to need this" },
  "run.typed": { class: "run", basis: "grant", title: "named in the command that you typed" },

  "metadata-address": {
    class: "network",
    basis: "protection",
    title: "the address is a cloud's metadata service, which hands out this machine's credentials",
    help: NET_RULE,
  },
  "loopback-address": {
    class: "network",
    basis: "protection",
    title: "another program on this machine answers there, which is not part of the run",
    help: NET_RULE,
  },
  "private-address": { class: "network", basis: "protection", title: "the address is in a private network", help: NET_RULE },
  "link-local-address": { class: "network", basis: "protection", title: "the address is in the local network", help: NET_RULE },
  "many-address": { class: "network", basis: "protection", title: "the address reaches many machines at once", help: NET_RULE },
  "reserved-address": {
    class: "network",
    basis: "protection",
    title: "the address is reserved: nothing should connect to it",
    help: NET_RULE,
  },
  "unreachable-name": {
    class: "network",
    basis: "protection",
    title: "the run may not reach a host of that name, and even looking it up would send data to its owner",
    help: NET_RULE,
  },
  "abstract-socket": {
    class: "network",
    basis: "protection",
    title: "the socket has no file, and a program outside the run owns it",
    help: {
      person: "let that program use a socket with a path, and allow that",
      model: "ask the user to let that program use a socket with a path, and to allow that",
    },
  },
  "foreign-socket": { class: "network", basis: "protection", title: "a program outside the run made the socket", help: SOCKET_RULE },
  "powerful-socket": {
    class: "network",
    basis: "protection",
    title: "behind the socket is a service with power over the machine or your keys",
    help: SOCKET_RULE,
  },
  udp: { class: "network", basis: "protection", title: "UDP goes only where a rule allows it", help: NET_RULE },
  "own-socket": { class: "network", basis: "knowledge", title: "a program of this run answers there" },
  "own-listener": { class: "network", basis: "knowledge", title: "a program of this run answers there" },
  "login.leaves": {
    class: "network",
    basis: "protection",
    title: "the program has read its login data, and another program of the run poses as its service there",
    help: {
      person: "agree only if you know that program, or let it reach the real service",
      model: "let it reach the real service, or ask the user to agree",
    },
  },
  "no-listener": { class: "network", basis: "knowledge", title: "nothing answers there" },
  loopback: { class: "network", basis: "knowledge", title: "only this machine can reach it" },
  connected: { class: "network", basis: "knowledge", title: "it goes where the program may connect already" },
  "no-data": { class: "network", basis: "knowledge", title: "it sends nothing" },

  upkeep: { class: "knowledge", basis: "knowledge", title: "the program keeps this for itself" },
  "device.harmless": { class: "knowledge", basis: "knowledge", title: "nothing is kept there" },
  "shell.input": { class: "knowledge", basis: "knowledge", title: "input comes from a file" },
  "shell.intrinsic": { class: "knowledge", basis: "knowledge", title: "a part of the shell that does nothing by itself" },
  nothing: { class: "knowledge", basis: "knowledge", title: "it starts nothing" },
  "mode.auto-edit": { class: "knowledge", basis: "mode", title: "the mode auto-edit allows changes in this folder" },
  confined: {
    class: "knowledge",
    basis: "mode",
    title: "it goes ahead sandboxed: the policy holds while it runs, and changes can be undone",
  },
  "mode.full-auto": { class: "knowledge", basis: "mode", title: "the mode full-auto allows what runs supervised" },
} as const satisfies Readonly<Record<string, Reason>>;
