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

/** Rows that have these in common. */
function rowsOf(common: Pick<Reason, "class" | "basis" | "waivable">) {
  function row(title: string): Reason;
  function row<H extends Advice>(
    title: string,
    help: H,
    more?: Pick<Reason, "waivable" | "confinable" | "secret">,
  ): Reason & { readonly help: H };
  function row(title: string, help?: Advice, more: Partial<Reason> = {}): Reason {
    return { ...common, title, ...(help === undefined ? {} : { help }), ...more };
  }
  return row;
}
const floor = rowsOf({ class: "floor", basis: "floor" });
const agreedTo = rowsOf({ class: "floor", basis: "floor", waivable: false });
const failure = rowsOf({ class: "failure", basis: "protection" });
const protect = rowsOf({ class: "protect", basis: "protection" });
const unclear = rowsOf({ class: "unknown", basis: "protection" });
const unmatched = rowsOf({ class: "unknown", basis: "default" });
const restricted = rowsOf({ class: "automation", basis: "protection", waivable: "by-host" });
const switchedOff = rowsOf({ class: "automation", basis: "default", waivable: "by-host" });
const inRun = rowsOf({ class: "run", basis: "protection" });
const byDefault = rowsOf({ class: "run", basis: "default" });
const network = rowsOf({ class: "network", basis: "protection" });
const reachable = rowsOf({ class: "network", basis: "knowledge" });
const known = rowsOf({ class: "knowledge", basis: "knowledge" });
const byMode = rowsOf({ class: "knowledge", basis: "mode" });

/** Every reason by itself. Those of danger classes, presets, extensions and known commands are in `ReasonId`, too. */
export const REASONS = {
  "floor.self": floor("it changes the policy, Assent's own files, or how Assent is registered with an agent", CHANGE),
  "floor.command": floor("the command would let an agent do more than now", TERMINAL),
  "floor.settings": agreedTo("it changes a file that decides what an agent may do", {
    person: "look at the change before you agree, or make it yourself",
    model: "ask the user to agree to this change, or to make it",
  }),
  "floor.unclear": agreedTo("it is not clear what this `assent` command changes", EACH_TIME),
  "floor.agent-command": agreedTo("the command changes an agent's settings, or starts an agent that asks nobody", EACH_TIME),
  "floor.named": agreedTo("a program or tool that Assent does not know is given a file of Assent or of an agent's settings", EACH_TIME),
  "floor.runs": floor("the undo store keeps files as they were before they were changed, secrets among them", {
    person: "look it up with `assent receipt` or `assent undo`",
    model: "ask the user to look it up with `assent receipt` or `assent undo`",
  }),
  "exec.tampered": floor("the command was changed while Assent judged it, so the program was ended", {
    person: "find out which program did this: it tried to start something else than it showed",
    model: "do not try it again, and tell the user",
  }),

  failure: failure(
    "Assent itself failed, so it cannot judge this",
    { person: "try again; `assent doctor` says what does not work", model: "try again, or ask the user to run `assent doctor`" },
    { waivable: false },
  ),
  "failure.extension": failure("one of your extensions gave no answer", {
    person: "correct the extension, or take it out of your policy",
    model: "ask the user to correct the extension of their policy",
  }),
  "policy.broken": failure(
    "a policy file has a mistake, so it is not known what it forbids",
    {
      person: "correct the policy file, `assent lint` names all mistakes; until then nothing goes ahead without a question",
      model: "ask the user to correct the policy file; until then nothing goes ahead without a question",
    },
    { waivable: false },
  ),
  "undo.failed": failure("what it would destroy could not be kept for undo", WITHOUT_UNDO),
  "protect.secrets": protect(
    "it reads or changes a secret",
    {
      person: 'if the file holds no secret, allow it by name: `assent allow "Read(…)"`',
      model: "do without the secret, or ask the user to allow this file by name",
    },
    { secret: true },
  ),
  "protect.system": protect("it changes a system file", {
    person: "make this change yourself",
    model: "work in the project, or ask the user to make this change",
  }),
  "protect.git-config": protect("it changes git's configuration, which can make git start programs", {
    person: "look at the change before you agree, or make it yourself with `git config`",
    model: "use git's own commands, or ask the user to make this change",
  }),
  "protect.steering": protect("a run changes a file that decides which programs or servers later commands use", {
    person: "look at the change before you agree, or allow the file by name",
    model: "ask the user to make this change, or to allow the file by name",
  }),
  "protect.inside": protect(
    "a folder or pattern includes something that is protected",
    "name the files, or a folder without anything protected in it",
    { secret: true, confinable: true },
  ),
  metadata: protect("it reaches a cloud's metadata service, which hands out credentials", NET_RULE),
  "protect.net-loopback": protect("a web tool reaches this machine", WEB_RULE),
  "protect.net-link-local": protect("a web tool reaches the local network", WEB_RULE),
  "protect.net-private": protect("a web tool reaches a private network", WEB_RULE),
  "protect.net-many": protect("a web tool reaches many machines at once", WEB_RULE),
  "protect.net-reserved": protect("a web tool reaches an address that nothing should connect to", WEB_RULE),
  "shell.redirect": protect('a redirect writes a file, which `"preset": "none"` asks about', CONFIRM),
  "shell.wrapper": protect(
    'a command starts another one in a way that Assent cannot follow, which `"preset": "none"` asks about',
    "run the inner command by itself",
  ),
  "tool.corrupt-path": protect(
    "a path in the tool's input holds a NUL or another control character",
    "give the path without control characters",
  ),
  "tool.variable": protect(
    "a server is asked to run something with an environment variable that can make programs load other code",
    "leave the variable out",
  ),
  "refused.before": protect(
    "the same was refused a short while ago, perhaps through another tool",
    {
      person: "agree to it, if you have changed your mind",
      model: "do something else, or ask the user whether they have changed their mind",
    },
    { waivable: "by-host" },
  ),

  unknown: unclear("what it does is only known when it runs", "write the command out in full, so that it can be judged", {
    confinable: true,
  }),
  "protect.unknown-target": unclear("it is not clear which file it reads or changes", "name the file, or a folder inside the project", {
    confinable: true,
  }),
  "tool.too-large": unclear("the tool's input is too large to look through", "give the tool less at once"),
  "unknown.deny": unmatched('no rule matches this program or code, and `"unknown": "deny"` then refuses it', {
    person: "if you want it, allow it with `assent allow …`",
    model: "use a program that is allowed, or ask the user to allow this one",
  }),
  none: unmatched("no rule matches; the agent's host decides as it always does", CONFIRM),

  "automation.restricted": restricted("this agent is restricted: you are asked about everything it wants", {
    person: "`assent agents list` shows which agents are restricted",
    model: "ask the user: `assent agents list` shows which agents are restricted",
  }),
  "automation.off": switchedOff("the policy allows it, but `assent auto` is off: nothing goes ahead without a question", AUTOMATIC),
  "automation.subagents": switchedOff("only trusted sub-agents may go ahead without a question, and this is the main agent", AUTOMATIC),
  "automation.untrusted": restricted("you have not trusted this sub-agent: you are asked about everything it wants", {
    person: "`assent agents trust NAME` lets it go ahead",
    model: "ask the user: `assent agents trust NAME` lets it go ahead",
  }),
  "automation.consent": switchedOff("the policy's mode would allow this, but nobody has agreed to that mode on this machine", {
    person: "`assent auto on` asks you to agree",
    model: "ask the user to run `assent auto on`",
  }),
  "automation.breaker": restricted("the circuit breaker stopped this session: too many requests in a row were refused", {
    person: "look at `assent log --denied`; `assent breaker reset` lets the session go on",
    model: "stop, and ask the user to look at `assent log --denied` and to run `assent breaker reset`",
  }),

  "run.outside": byDefault("it lies outside the working folder and temporary folders", ONCE),
  "run.link-in-the-way": byDefault(
    "other programs write to names in this folder, and a link there would send what they write elsewhere",
    "make the link in a new folder (`mktemp -d`)",
  ),
  "run.other-names": inRun(
    "the file has names (hard links) outside the places of this run, which would be changed with it",
    "copy the file, and put the copy in its place: `cp -p F F.new && mv F.new F`",
  ),
  "run.programs": inRun("later commands start the programs in this folder by their names", ONCE),
  "run.lends-rights": byDefault("whoever starts the file would get the rights of root, or of the file's group", ONCE),
  "run.no-root": inRun("only root may do this, and programs of a run have none of root's rights", {
    person: "start it without `assent run`, if you want it",
    model: "leave it out, or ask the user to do it",
  }),
  "run.large-move": inRun("it moves more files than can be searched for protected ones", {
    person: "move it in parts, or allow it for this run",
    model: "move it in parts",
  }),
  "undo.too-large": inRun("what it would destroy cannot be kept for undo", WITHOUT_UNDO),
  "exec.unverified": inRun("the program could not be looked at before it starts", {
    person: "agree only if you know what it starts",
    model: "start the program in a simpler way, or ask the user to start it",
  }),
  "confine.fails": inRun("it does not work in a supervised run, or failed in one before", EACH_TIME, { waivable: false }),
  "confine.unseen": inRun(
    "it uses a file that an agent changed and that you have not looked at, and it cannot be sandboxed here",
    {
      person: "look at the file with `assent seen`",
      model: "ask the user to look at the file with `assent seen`",
    },
    { waivable: "by-host" },
  ),
  "confine.host-rule": inRun(
    "a rule of the agent's host may match it, and the host only reads commands in plain words",
    "run the part that the rule is about by itself, in plain words without quotes, variables or redirections",
    { waivable: false },
  ),
  "run.default": byDefault("allowed in a supervised run"),
  "run.errand": rowsOf({ class: "run", basis: "knowledge" })("the program is known to need this"),
  "run.typed": rowsOf({ class: "run", basis: "grant" })("named in the command that you typed"),

  "metadata-address": network("the address is a cloud's metadata service, which hands out this machine's credentials", NET_RULE),
  "loopback-address": network("another program on this machine answers there, which is not part of the run", NET_RULE),
  "private-address": network("the address is in a private network", NET_RULE),
  "link-local-address": network("the address is in the local network", NET_RULE),
  "many-address": network("the address reaches many machines at once", NET_RULE),
  "reserved-address": network("the address is reserved: nothing should connect to it", NET_RULE),
  "unreachable-name": network("the run may not reach a host of that name, and even looking it up would send data to its owner", NET_RULE),
  "abstract-socket": network("the socket has no file, and a program outside the run owns it", {
    person: "let that program use a socket with a path, and allow that",
    model: "ask the user to let that program use a socket with a path, and to allow that",
  }),
  "foreign-socket": network("a program outside the run made the socket", SOCKET_RULE),
  "powerful-socket": network("behind the socket is a service with power over the machine or your keys", SOCKET_RULE),
  udp: network("UDP goes only where a rule allows it", NET_RULE),
  "own-socket": reachable("a program of this run answers there"),
  "own-listener": reachable("a program of this run answers there"),
  "login.leaves": network("the program has read its login data, and another program of the run poses as its service there", {
    person: "agree only if you know that program, or let it reach the real service",
    model: "let it reach the real service, or ask the user to agree",
  }),
  "no-listener": reachable("nothing answers there"),
  loopback: reachable("only this machine can reach it"),
  connected: reachable("it goes where the program may connect already"),
  "no-data": reachable("it sends nothing"),

  upkeep: known("the program keeps this for itself"),
  "device.harmless": known("nothing is kept there"),
  "shell.input": known("input comes from a file"),
  "shell.intrinsic": known("a part of the shell that does nothing by itself"),
  nothing: known("it starts nothing"),
  "mode.auto-edit": byMode("the mode auto-edit allows changes in this folder"),
  confined: byMode("it goes ahead sandboxed: the policy holds while it runs, and changes can be undone"),
  "mode.full-auto": byMode("the mode full-auto allows what runs supervised"),
} satisfies Readonly<Record<string, Reason>>;
