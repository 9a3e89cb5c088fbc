import { randomBytes } from "node:crypto";
import type { Action, World } from "@assent/core/action";
import {
  checkRule,
  directoryClient,
  controlForeground,
  noBlockApprover,
  terminalClient,
  type Approver,
  type Client,
  type Question,
} from "@assent/guard/approve";
import { queueApprover } from "@assent/guard/approve/queue";
import { realWorld } from "@assent/guard/engine";
import { agentMark, callMatcher, matchMatcher, parseRule } from "@assent/core/policy";
import type { Machine } from "@assent/guard/state";
import { teamClient } from "@assent/team/team/remote";
import { isGroupOfTree, lineOfGroup } from "@assent/supervisor/supervise";
import { addressOf, alloc, sys } from "@assent/supervisor/supervise/kernel";
import type { RunFlags } from "./run-options.ts";
import { writeStderr } from "./stdio.ts";

/** Who answers the questions of a run, and how that is said. */
export interface Asking {
  readonly approver: Approver | undefined;
  /** For the banner: `asks in this terminal`. */
  readonly how: string;
  /** Said once, where a person may expect to be asked and will not be. */
  readonly notice?: string;
}

/** The approvers there are, each with whoever else is there, in another terminal, on the page; tests give their own. */
export interface Approvers {
  /** Undefined where there is no terminal. */
  readonly terminal: () => Approver | undefined;
  readonly directory: (folder: string) => Approver;
  readonly noBlock: () => Approver;
  /** Nobody is asked here. */
  readonly queue: () => Approver;
}

/** An empty value is as good as none. */
const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";

/** The folder that was named, nobody with -P, an error where blocking is forbidden, a person at a terminal, else nobody. */
export function asking(
  { backgroundDir, prompt, logOnly }: Pick<RunFlags, "backgroundDir" | "prompt" | "logOnly">,
  env: Machine["env"],
  make: Approvers,
): Asking {
  if (logOnly === true) return { approver: undefined, how: "nothing is refused" };
  if (backgroundDir !== undefined) return { approver: make.directory(backgroundDir), how: "asks in a folder" };
  if (!prompt) return { approver: undefined, how: "asks nobody" };
  if (isSet(env["ASSENT_NO_BLOCK"]) || isSet(env["PTAPP_NO_BLOCK"])) return { approver: make.noBlock(), how: "ends instead of asking" };
  const terminal = make.terminal();
  if (terminal !== undefined) return { approver: terminal, how: "asks in this terminal" };
  const queue = make.queue();
  if (queue.isThere?.() === true) return { approver: queue, how: "asks in the terminal or page that is open for it" };
  if (queue.isThere?.({ people: 1 }) === true)
    return { approver: queue, how: "asks people of the team, where the policy lets them answer" };
  return {
    approver: queue,
    how: "asks nobody",
    notice:
      "this is not a terminal, so nobody can be asked: what is not allowed is refused " +
      "(`assent approvals` in a terminal asks there, --background-dir in a folder, -P says so)",
  };
}

interface Around {
  readonly machine: Machine;
  readonly cwd: string;
  readonly onNotice: (text: string) => void;
  /** The run ends because a question would have blocked. */
  readonly onBlock: () => void;
  /** The terminal that was to be asked is gone. */
  readonly onGone: () => void;
  /** So long people of the team are waited for, where nobody else is asked. Milliseconds. */
  readonly patience: number;
  /** No policy has it wait longer. */
  readonly longest: number | undefined;
}

export function realApprovers({ machine, cwd, onNotice, onBlock, onGone, patience, longest }: Around): Approvers {
  const world = realWorld(machine, cwd, undefined);
  const covers = (rule: string, question: Question): boolean => answers(rule, question, world);
  const ofAgent = agentMark(machine.env) !== undefined;
  const agent = ofAgent ? "an agent" : undefined;
  const queue = (...clients: readonly Client[]): Approver =>
    queueApprover(
      { machine, point: "run", agent, checkRule, covers, onNotice },
      ...clients,
      teamClient({ machine, point: "run", patience, longest }),
    );
  return {
    terminal: () => {
      const foreground = controlForeground({ sys, addressOf, alloc }, isGroupOfTree, lineOfGroup);
      const options = { env: machine.env, home: machine.home, checkRule, onNotice, onGone, foreground, ofAgent };
      const terminal = terminalClient({ ...options, by: "terminal" });
      return terminal === undefined ? undefined : queue(terminal);
    },
    directory: (folder) => queue(directoryClient(folder, { nonce: randomBytes(16).toString("hex"), by: "folder", onNotice })),
    queue,
    noBlock: () =>
      noBlockApprover((explanation) => {
        writeStderr(`assent run: ${explanation}\n`);
        onBlock();
      }),
  };
}

export function answers(rule: string, { action, call, extent = [] }: Question, world: World): boolean {
  const parsed = parseRule(rule);
  if (!parsed.ok) return false;
  const context = { world, matchCall: callMatcher(world) };
  const matches = (one: Action): boolean => matchMatcher(parsed.matcher, one, "narrow", context) === "yes";
  if (matches(call === undefined ? action : { ...action, call })) return true;
  const parts = extent.map(({ does, path, below }): Action => ({
    ...FILE,
    operation: does,
    target: { kind: "path", path: below === true ? `${path}/#` : path },
  }));
  return parts.length > 0 && parts.every(matches);
}

const FILE = { kind: "file", origin: { by: "tool" } } as const;
