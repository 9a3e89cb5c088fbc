import { Socket } from "node:net";
import { adviceForPerson, printAction, visible } from "@assent/core/action";
import type { Approver } from "@assent/guard/approve";
import { isObject, isTexts } from "@assent/core/data";
import { isGiven, type RunPolicies, runPolicies } from "@assent/guard/engine/given";
import { OUR_PACKS } from "@assent/guard/engine/reader";
import { answerGuard } from "@assent/library/sdk/machine";
import { messageOf, ProcessMemory, thisMachine, wrongProfileName } from "@assent/guard/state";
import { killTree, RunError, superviseRun, type RunEvent, type RunResult } from "@assent/supervisor/supervise";
import { sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import {
  ORDER_CHANNEL,
  type RefusedCall,
  type RunAnswer,
  type RunOrder,
  type RunReport,
  type RunSignal,
} from "@assent/supervisor/supervise/control-channel";
import { innerCheck } from "./check.ts";
import { engine } from "@assent/page/preview";
import { releaseStreams } from "./run-beside.ts";
import { STATUS } from "./run-options.ts";
import { findProgram } from "./run-program.ts";
import { forModels, isOwnCache, type RefusalWording } from "./run-refusals.ts";

/** How long what is left of a run may take to be written down, once nobody waits for it any more. */
const LAST_WORDS_MS = 2000;

/**
 * `assent run` on the order of a program (`supervise/control-channel/`): supervised, with nobody to ask. Whatever goes wrong is
 * reported as a failure, and nothing was started then, or all of it has been ended.
 */
export async function runOrdered(): Promise<never> {
  const channel = new Channel();
  let started = false;
  try {
    const order = await channel.order();
    channel.onEnd(() => {
      killTree();
      setTimeout(() => process.exit(STATUS.cannotSupervise), LAST_WORDS_MS).unref();
    });
    ignoreSignals();
    // What judges goes by this, here and where a hook or guard inside asks.
    process.env = { ...order.judge };
    const result = await superviseRun(optionsOf(order, channel, () => (started = true)));
    const { left } = result;
    if (left !== undefined) {
      releaseStreams("too");
      // EPERM: it has a session of its own already.
      sys(SYSCALLS.setsid);
    }
    await channel.report(endOf(result));
    await left?.over;
  } catch (error) {
    await channel.report({ is: "failed", why: visible(messageOf(error)), started });
  }
  process.exit(0);
}

type OrderedOptions = Parameters<typeof superviseRun>[0];

function optionsOf(order: RunOrder, channel: Channel, onStarted: () => void): OrderedOptions {
  const { argv, cwd, env, policyFiles, profile, confined } = order;
  const policies = order.policies === undefined ? undefined : runPolicies(order.policies, OUR_PACKS);
  const found = findProgram(argv[0], env["PATH"], cwd);
  if (found.is === "none") throw new RunError("exec", `${argv[0]}: ${found.why}`);
  const [program = "", ...words] = found.start;
  const told = forModels(cwd, thisMachine().home);
  return {
    argv: [program, ...words, ...argv.slice(1)],
    // As it was called, where it is started itself.
    ...(found.start.length === 1 ? { word: argv[0] } : {}),
    cwd,
    env,
    machine: thisMachine(),
    profile,
    policyFiles: policies?.policyFiles ?? policyFiles,
    policies,
    approver: order.asks === true ? channel.approver() : undefined,
    mode: "enforce",
    undo: true,
    confined,
    onRefused: (event) => {
      if (isOwnCache(event.action)) return;
      const { action, verdict, answer, process: by } = event;
      const judged = policies === undefined || answer !== undefined ? {} : { judged: { action, verdict, program: visible(by.name) } };
      void channel.report({ is: "refused", refused: refusedCall(event, told), ...judged });
    },
    onNotice: (text) => void channel.report({ is: "notice", text: visible(text) }),
    ...answersInside(policies),
    onStart: ({ signal }) => {
      onStarted();
      channel.onSignal(signal);
    },
    own: engine.own,
    leaves: true,
  };
}

/** What a hook and a guard inside the run are told: by the same policies, and by nothing that this machine remembers of others. */
function answersInside(policies: RunPolicies | undefined): Pick<OrderedOptions, "onHook" | "onGuard"> {
  if (policies === undefined) return { onHook: (call) => innerCheck(call, engine), onGuard: answerGuard };
  const { files, policyFiles, select, adapt, audit } = policies;
  const { user: _, account: __, ...machine } = { ...thisMachine(), memory: new ProcessMemory() };
  return {
    onHook: (call) => innerCheck(call, { ...engine, files, policyFiles, select, adapt, audit }, machine),
    onGuard: (from, request) => answerGuard(from, request, { policies, machine }),
  };
}

function endOf({ id, exit, left }: RunResult): RunReport {
  return { is: "ended", run: id, exit, left: (left?.processes ?? []).map(({ pid, name }) => ({ pid, name: visible(name) })) };
}

function refusedCall(event: RunEvent, told: RefusalWording): RefusedCall {
  const {
    process: { name },
    action,
    verdict,
  } = event;
  const target =
    action.kind === "file" && (action.target.kind === "path" || action.target.kind === "tree") ? action.target.path : undefined;
  const host = action.kind === "net" ? action.host : undefined;
  const port = action.kind === "net" && action.port !== undefined ? `:${action.port}` : "";
  return {
    program: visible(name),
    what: printAction(action),
    ...(target === undefined ? {} : { path: visible(target) }),
    ...(host === undefined ? {} : { host: visible(`${host}${port}`) }),
    reason: visible(verdict.reason),
    ...(verdict.help === undefined ? {} : { help: visible(adviceForPerson(verdict.help)) }),
    forModel: told.line(event) ?? "",
  };
}

/** They reach the program by itself, which is in our group, or by the channel; we only must not die before it. */
function ignoreSignals(): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGUSR1", "SIGUSR2"] as const)
    process.on(signal, () => undefined);
}

/** Our end of the channel: an order in, reports out, and what is still said meanwhile. */
class Channel {
  readonly #socket = new Socket({ fd: ORDER_CHANNEL });
  readonly #lines: string[] = [];
  #text = "";
  readonly #asked = new Map<number, (answer: RunAnswer | undefined) => void>();
  #take: ((line: string) => void) | undefined;
  #over = false;
  #end: (() => void) | undefined;

  constructor() {
    this.#socket.setEncoding("utf8");
    this.#socket.on("error", () => undefined);
    this.#socket.on("data", (chunk: string) => {
      const lines = `${this.#text}${chunk}`.split("\n");
      this.#text = lines.pop() ?? "";
      for (const line of lines) {
        if (this.#take === undefined) this.#lines.push(line);
        else this.#take(line);
      }
    });
    this.#socket.on("close", () => {
      this.#over = true;
      this.#end?.();
    });
  }

  async order(): Promise<RunOrder> {
    return await new Promise((resolve, reject) => {
      this.onEnd(() => reject(new Error("no order came")));
      this.#hear((line) => {
        this.#take = undefined;
        const order: unknown = JSON.parse(line);
        if (isOrder(order)) resolve(order);
        else reject(new Error("what came is not an order"));
      });
    });
  }

  onEnd(end: () => void): void {
    this.#end = end;
    if (this.#over) end();
  }

  onSignal(send: (signal: NodeJS.Signals) => void): void {
    this.#hear((line) => {
      const said: unknown = JSON.parse(line);
      if (isSignal(said)) send(said.signal);
      else if (isAnswer(said)) this.#asked.get(said.seq)?.(said);
    });
  }

  /** Whoever gave the order answers. */
  approver(): Approver {
    return {
      ask: async (question, signal) => {
        const said = await new Promise<RunAnswer | undefined>((resolve) => {
          this.#asked.set(question.seq, resolve);
          signal.addEventListener("abort", () => {
            void this.report({ is: "void", seq: question.seq });
            resolve(undefined);
          });
          this.#socket.once("close", () => resolve(undefined));
          void this.report({ is: "asks", question });
        });
        this.#asked.delete(question.seq);
        if (said?.allow === true) return { answer: "allow", scope: said.lasts ? "session" : "once" };
        return { answer: "deny", scope: "once", ...(said?.note === undefined ? {} : { note: said.note }) };
      },
      close: async () => {
        for (const resolve of this.#asked.values()) resolve(undefined);
        await Promise.resolve();
      },
    };
  }

  #hear(take: (line: string) => void): void {
    this.#take = take;
    for (const line of this.#lines.splice(0)) this.#take(line);
  }

  /** Resolves once it is on its way, or nobody is there to hear it. */
  async report(report: RunReport): Promise<void> {
    if (this.#over) return;
    await new Promise<void>((resolve) => {
      this.#socket.write(`${JSON.stringify(report)}\n`, () => resolve());
      this.#socket.once("close", () => resolve());
    });
  }
}

const variables = (value: unknown): boolean => isObject(value) && isTexts(Object.values(value));

/** INVARIANT: an order with a member that is not known could have asked for less. */
const FIELDS: ReadonlySet<string> = new Set(["argv", "cwd", "env", "judge", "policyFiles", "policies", "asks", "profile", "confined"]);

function isOrder(value: unknown): value is RunOrder {
  if (!isObject(value)) return false;
  const { argv, cwd, env, judge, policyFiles, policies, asks, profile, confined } = value;
  if (!(asks === undefined || typeof asks === "boolean")) return false;
  if (!Object.keys(value).every((name) => FIELDS.has(name)) || !(policies === undefined || isGiven(policies))) return false;
  if (!isTexts(argv) || argv.length === 0 || typeof cwd !== "string" || !cwd.startsWith("/") || !variables(env) || !variables(judge))
    return false;
  if (!isTexts(policyFiles) || typeof profile !== "string" || wrongProfileName(profile) !== undefined || !isObject(confined)) return false;
  return typeof confined["agent"] === "string" && typeof confined["command"] === "string";
}

function isAnswer(value: unknown): value is RunAnswer {
  if (!isObject(value)) return false;
  const { seq, allow, lasts, note } = value;
  return (
    typeof seq === "number" && typeof allow === "boolean" && typeof lasts === "boolean" && (note === undefined || typeof note === "string")
  );
}

function isSignal(value: unknown): value is RunSignal {
  return isObject(value) && typeof value["signal"] === "string" && /^SIG[A-Z0-9]+$/.test(value["signal"]);
}
