import type { GuardInside } from "../adapters/guards.ts";
import type { GuardCall } from "../create-guard/call.ts";
import { PermissionDenied } from "../create-guard/errors.ts";
import { refused } from "../create-guard/flow.ts";
import type { JudgingWay } from "../create-guard/judging.ts";
import type { CallOutcome } from "../create-guard/types.ts";
import { joinPath } from "@assent/core/path";
import { type Machine, ProcessMemory } from "@assent/guard/state";
import { identify, type SandboxScript, SandboxUnclear, type SessionIdentity } from "./facts.ts";
import { SandboxWorld } from "./world.ts";

/** What may go ahead in a sandbox. */
export interface SandboxCalls {
  readonly calls: readonly GuardCall[];
  /** What they start from; by default the session's folder. */
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface CheckedCalls {
  readonly outcome: CallOutcome;
  readonly cwd: string;
}

/** A sandbox as one request finds it. */
interface EnteredSandbox {
  readonly here: SessionIdentity;
  readonly machine: Machine;
  readonly world: SandboxWorld;
}

/** Judges calls in the world of a sandbox: its files, its home, its programs; never those of this machine. */
export class SandboxJudge {
  readonly #inside: GuardInside;
  readonly #run: SandboxScript;
  readonly #cwd: string | undefined;
  /** What was answered and refused about this sandbox. */
  readonly #memory = new ProcessMemory();

  /** `cwd`: the folder of the project in the sandbox; by default where its commands start. */
  constructor(inside: GuardInside, run: SandboxScript, cwd: string | undefined) {
    this.#inside = inside;
    this.#run = run;
    this.#cwd = cwd;
  }

  /** What becomes of calls. A refusal is a value. `cwd` is where they were judged from, and where they are to start. */
  async check({ calls, cwd, signal }: SandboxCalls): Promise<CheckedCalls> {
    return await this.#check(await this.#enter(), calls, cwd, signal);
  }

  /** As `check`; throws `PermissionDenied`. Where it was judged from. */
  async require(asked: SandboxCalls): Promise<string> {
    return required(await this.check(asked));
  }

  /** A call about a path, judged by its name and by where it leads in the sandbox: that, if it may go ahead; else throws. */
  async requirePath(path: string, of: (path: string) => GuardCall, signal?: AbortSignal): Promise<string> {
    const entered = await this.#enter();
    const { here, machine, world } = entered;
    const real = await world.settle(() => world.at(machine, here.cwd, undefined).canonical(absoluteIn(here, path)));
    required(await this.#check(entered, [...new Set([path, real])].map(of), undefined, signal));
    return real;
  }

  async #enter(): Promise<EnteredSandbox> {
    const here = await this.#identity();
    return { here, machine: this.#machine(here), world: new SandboxWorld(this.#run, here) };
  }

  async #check(
    { here, machine, world }: EnteredSandbox,
    calls: readonly GuardCall[],
    cwd: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<CheckedCalls> {
    const from = cwd === undefined ? here.cwd : absoluteIn(here, cwd);
    const way: JudgingWay = { fixed: true, machine, world: (on, folder, root) => world.at(on, folder, root === folder ? here.cwd : root) };
    const options = { cwd: from, ...(signal === undefined ? {} : { signal }) };
    try {
      await world.settle(() => this.#inside.judge(calls, options, { ...way, looks: true }));
    } catch (error) {
      if (!(error instanceof SandboxUnclear)) throw error;
    }
    world.close();
    return { outcome: await this.#inside.conclude(this.#inside.judge(calls, options, way), options), cwd: from };
  }

  async #identity(): Promise<SessionIdentity> {
    const here = await identify(this.#run);
    return this.#cwd === undefined ? here : { ...here, cwd: absoluteIn(here, this.#cwd) };
  }

  #machine({ home, uid, path, variables }: SessionIdentity): Machine {
    const { TMPDIR } = variables;
    return {
      home,
      env: { ...variables, HOME: home, PATH: path },
      platform: "linux",
      uid,
      temp: ["/tmp", "/var/tmp", ...(TMPDIR?.startsWith("/") === true ? [TMPDIR] : [])],
      managedPolicy: "/etc/assent/policy.jsonc",
      memory: this.#memory,
      alone: true,
      remote: true,
    };
  }
}

/** `~` is the sandbox's home. */
function absoluteIn({ cwd, home }: SessionIdentity, path: string): string {
  if (path === "~" || path.startsWith("~/")) return `${home === "/" ? "" : home}${path.slice(1)}`;
  return path.startsWith("/") ? path : joinPath(cwd, path);
}

function required({ outcome, cwd }: CheckedCalls): string {
  if (outcome.verdict === "allow") return cwd;
  throw new PermissionDenied(refused(outcome.decision, outcome.forModel));
}
