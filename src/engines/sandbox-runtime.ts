import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { constants } from "node:os";
import { randomBytes } from "node:crypto";
import { type Action, visible } from "../action/index.ts";
import { compiledPolicy, findSources, judgeBy, judgeContext, realWorld, type Situation } from "../engine/index.ts";
import { read } from "../engine/reader/index.ts";
import { isWithin } from "../path/index.ts";
import { callMatcher, type Policy, policyFor } from "../policy/index.ts";
import { messageOf } from "../state/index.ts";
import { EngineError, type EngineRequest, type EngineResult, type HostEvent, type RunEngine } from "./contract.ts";
import { findPlaces } from "./find-protected.ts";
import { loadManager, PACKAGE, type SandboxPath } from "./library.ts";
import { type PlannedPath, planSandbox, type SandboxPlan } from "./translate.ts";

export const CANNOT: readonly string[] = [
  "nothing is kept for `assent undo`",
  "files are not asked about one by one: what is not open when it starts stays closed, and a rule that asks is a no",
  "a secret that somebody puts into the project while it runs is open to it",
  "rules about commands and calls are not held inside: with a rule that denies or asks about them nothing is started",
  "the receipt says which hosts were asked for, not what was changed, read or started",
];

/** Confines by Seatbelt on macOS and by bubblewrap on Linux, through a library. */
export const sandboxRuntime: RunEngine = { id: "sandbox-runtime", cannot: CANNOT, problem, run };

async function problem(): Promise<string | undefined> {
  try {
    const manager = await loadManager();
    if (!manager.isSupportedPlatform()) return `${PACKAGE} does not work on ${process.platform}`;
    const { errors } = manager.checkDependencies();
    return errors.length === 0 ? undefined : errors.join("; ");
  } catch (error) {
    return messageOf(error);
  }
}

async function run(request: EngineRequest): Promise<EngineResult> {
  const manager = await loadManager();
  const held = policyOf(request);
  const plan = planFor(request, held.policy, held.world);
  const path = trustedPath(request.env["PATH"], plan.allowWrite);
  process.env["PATH"] = path;
  const why = await problem();
  if (why !== undefined) throw new EngineError("missing", why);
  for (const text of held.policy.warnings) request.onNotice(text);
  if (plan.cannotHold.length > 0)
    throw new EngineError(
      "policy",
      `this engine cannot hold: ${plan.cannotHold.join("; ")}. Nothing was started; leave these rules out, or run it on Linux`,
    );
  for (const rule of plan.stricter) request.onNotice(`left out, which is stricter: ${rule}`);
  const hosts: HostEvent[] = [];
  const asked = new HostQuestions(request, held.judge, hosts);
  const id = randomBytes(24).toString("base64url");
  try {
    await manager.initialize(
      {
        network: { allowedDomains: [], deniedDomains: [], allowLocalBinding: false, allowAllUnixSockets: false },
        filesystem: {
          denyRead: entries(plan.denyRead),
          allowRead: [],
          allowWrite: entries(plan.allowWrite),
          denyWrite: entries(plan.denyWrite),
          allowGitConfig: false,
        },
        enableWeakerNestedSandbox: false,
        enableWeakerNetworkIsolation: false,
      },
      ({ host, port }) => asked.ask(host, port),
    );
    // Its working folder is where it looks for what must stay closed.
    process.chdir(request.cwd);
    const own = request.env["PATH"];
    const line = `${own === undefined ? "unset PATH" : `export PATH=${quoted(own)}`}; exec ${request.argv.map(quoted).join(" ")}`;
    const { argv, env } = await manager.wrapWithSandboxArgv(line, "/bin/sh", undefined, undefined, request.cwd, { commandId: id });
    const status = await start(argv, { ...request.env, ...definedOnly(env), PATH: path }, request.cwd);
    return { status, hosts };
  } catch (error) {
    throw error instanceof EngineError ? error : new EngineError("failed", messageOf(error), { cause: error });
  } finally {
    manager.cleanupAfterCommand();
    await manager.reset();
  }
}

/** What confines is not looked for where what is confined could put its own: npm's scripts have the project's folder first in `PATH`. */
function trustedPath(path: string | undefined, open: readonly string[]): string {
  const folders = (path ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const isOpen = (folder: string): boolean => open.some((root) => isWithin(folder, root) || isWithin(canonicalOf(folder), root));
  return folders.filter((folder) => !isOpen(folder)).join(":");
}

function canonicalOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

const entries = (paths: readonly PlannedPath[]): readonly SandboxPath[] =>
  paths.map((path) => (typeof path === "string" ? { path, literal: true } : path.pattern));

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const definedOnly = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

function start([program = "", ...args]: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", env, cwd });
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
    for (const signal of signals) process.on(signal, pass);
    const over = (): void => signals.forEach((signal) => process.off(signal, pass));
    child.on("error", (error) => {
      over();
      reject(error);
    });
    child.on("exit", (code, signal) => {
      over();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

interface HeldPolicy {
  readonly policy: Policy;
  readonly world: ReturnType<typeof realWorld>;
  readonly judge: (action: Action) => ReturnType<typeof judgeBy>;
}

function policyOf({ machine, cwd, policyFiles, own }: EngineRequest): HeldPolicy {
  const world = realWorld(machine, cwd, undefined);
  const situation: Situation = { machine, reader: () => ({ read }), own, policyFiles, supervised: true };
  const sources = findSources(situation, world, { actions: [], unknowns: [] }, cwd);
  const policy = policyFor(compiledPolicy(machine, sources, situation.reader), () => ({ user: machine.user }));
  const context = { ...judgeContext(situation, world, sources), matchCall: callMatcher(world) };
  return { policy, world, judge: (action) => judgeBy({ actions: [action], unknowns: [] }, { policy, context }) };
}

/** Where in a home folder secrets lie, and how deep. */
const PLACES: readonly (readonly [string, number])[] = [
  ["", 1],
  [".config", 3],
  [".local/share", 3],
  [".local/state/assent", 1],
  [".cache", 1],
  ["Library", 1],
  ["Library/Application Support", 3],
  ["Library/Containers", 1],
  ["Library/Group Containers", 1],
  ["Library/Preferences", 1],
];

function planFor({ machine, own }: EngineRequest, policy: Policy, world: HeldPolicy["world"]): SandboxPlan {
  const { home, projectRoot, cwd } = world;
  const situation: Situation = { machine, reader: () => ({ read }), own, supervised: true };
  const context = judgeContext(situation, world, []);
  const verdict = (operation: "read" | "write", path: string): ReturnType<typeof judgeBy> =>
    judgeBy(
      { actions: [{ kind: "file", operation, target: { kind: "path", path }, origin: { by: "tool" } }], unknowns: [] },
      { policy: { ...policy, rules: [], operations: [] }, context },
    );
  const found = findPlaces(
    [...PLACES.map(([folder, depth]) => [folder === "" ? home : `${home}/${folder}`, depth] as const), [projectRoot], [cwd]],
    {
      secret: (path) => {
        const { decision, basis } = verdict("read", path);
        return decision === "deny" || (decision === "ask" && basis === "protection");
      },
      closed: (path) => {
        const { decision, basis } = verdict("write", path);
        return decision === "deny" || (decision === "ask" && basis !== "default");
      },
    },
  );
  if (!found.complete)
    throw new EngineError("policy", "the project has more files than can be looked through for secrets; start it in a smaller folder");
  return planSandbox(policy, {
    home,
    projectRoot,
    cwd,
    temp: machine.temp,
    patterns: process.platform === "darwin",
    canonical: (path) => world.canonical(path),
    secrets: [...found.secrets, ...[".ssh", ".aws", ".gnupg", ".netrc"].map((name) => `${home}/${name}`)],
    closed: [...found.closed, ...own, `${projectRoot}/.git/hooks`, `${projectRoot}/.git/config`, `${projectRoot}/.agent-permissions.jsonc`],
  });
}

/** A host that the program wants to reach: the policy answers, else whoever is there. */
class HostQuestions {
  readonly #request: EngineRequest;
  readonly #judge: HeldPolicy["judge"];
  readonly #hosts: HostEvent[];
  readonly #known = new Map<string, Promise<HostEvent>>();
  readonly #run = randomBytes(6).toString("hex");
  #seq = 0;

  constructor(request: EngineRequest, judge: HeldPolicy["judge"], hosts: HostEvent[]) {
    this.#request = request;
    this.#judge = judge;
    this.#hosts = hosts;
  }

  async ask(host: string, port: number | undefined): Promise<boolean> {
    const key = `${host}:${port ?? ""}`;
    const known = this.#known.get(key) ?? this.#answer(host, port);
    this.#known.set(key, known);
    const event = await known;
    if (!this.#hosts.includes(event)) this.#hosts.push(event);
    return event.outcome === "allowed";
  }

  async #answer(host: string, port: number | undefined): Promise<HostEvent> {
    const event = (outcome: HostEvent["outcome"], why: string): HostEvent => ({ host, port, outcome, why });
    try {
      const { argv, cwd, approver } = this.#request;
      const action: Action = { kind: "net", operation: "connect", host, port: port ?? 443, origin: { by: "tool" } };
      const verdict = this.#judge(action);
      if (verdict.decision === "allow") return event("allowed", verdict.reason);
      if (verdict.decision === "deny") return event("refused", verdict.reason);
      if (approver === undefined || approver.isThere?.() === false) return event("refused", `${verdict.reason}; nobody could be asked`);
      const answer = await approver.ask(
        {
          seq: ++this.#seq,
          run: this.#run,
          profile: "",
          process: { pid: process.pid, name: argv[0].replace(/^.*\//, ""), argv },
          ancestry: [],
          cwd,
          command: argv,
          action,
          what: `connect to ${visible(host)}:${port ?? 443}`,
          reason: verdict.reason,
          basis: verdict.basis,
          proposals: [{ rule: `Net(${host}:${port ?? 443})`, covers: `connections to ${visible(host)}` }],
          group: `net ${host}`,
        },
        new AbortController().signal,
      );
      return answer.answer === "allow" ? event("allowed", "you said yes") : event("refused", "you said no, or nobody answered");
    } catch (error) {
      return event("refused", messageOf(error));
    }
  }
}
