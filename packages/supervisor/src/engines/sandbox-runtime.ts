import { shellQuoted } from "@assent/core/data";
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { randomBytes } from "node:crypto";
import type { Action } from "@assent/core/action";
import { compiledPolicy, findSources, judgeBy, judgeContext, realWorld, type Situation } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { isWithin, joinPath } from "@assent/core/path";
import { callMatcher, ownGitFolders, type Policy, policyFor, controlPlaces } from "@assent/core/policy";
import { definedVariables, messageOf, realPath } from "@assent/guard/state";
import { runsFolder } from "../supervise/undo/index.ts";
import { EngineHosts } from "./ask-hosts.ts";
import { EngineError, type EngineRequest, type EngineResult, type RunEngine } from "./contract.ts";
import { findPlaces } from "./find-protected.ts";
import { loadManager, PACKAGE, type SandboxPath } from "./library.ts";
import { EngineRecord } from "./record.ts";
import { type PlannedPath, planSandbox, type SandboxPlan } from "./translate.ts";

const CANNOT: readonly string[] = [
  "nobody is asked about a call: what is not open when it starts stays closed, and a rule that asks about a file is a no",
  "a secret that somebody puts into the project while it runs is open to it",
  "it closes paths, not files: a secret is open under another name that it already has (a hard link, a folder mounted a second time)",
  "over bubblewrap it closes what is there when it starts: a repository made in the run may have hooks, which `assent run` names afterwards",
  "rules about commands and calls are not held inside: with a rule that denies or asks about them nothing is started",
  "the receipt does not say what was read or started, nor what was refused but for hosts",
  "undo and receipt compare the folders before and after: what others change there meanwhile counts as the run's, and temporary folders are left out",
  "what it leaves running on macOS is not ended with it, and does not show in undo and receipt",
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
  const { held, plan } = planOf(request);
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
  const record = new EngineRecord(request, { id: "sandbox-runtime", cannot: CANNOT });
  const asked = new EngineHosts(request, { run: record.id, judge: held.judge, onEvent: (event) => record.host(event) });
  const id = randomBytes(24).toString("base64url");
  let status: number | undefined;
  try {
    record.keepBefore(keptFolders(plan, request.machine.temp), closedIn(plan), held.policy.settings);
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
    const line = `${own === undefined ? "unset PATH" : `export PATH=${shellQuoted(own)}`}; exec ${request.argv.map(shellQuoted).join(" ")}`;
    const { argv, env } = await manager.wrapWithSandboxArgv(line, "/bin/sh", undefined, undefined, request.cwd, { commandId: id });
    record.started();
    status = await start(argv, { ...request.env, ...definedVariables(env), PATH: path }, request.cwd);
    return { id: record.id, status, hosts: record.hosts };
  } catch (error) {
    throw error instanceof EngineError ? error : new EngineError("failed", messageOf(error), { cause: error });
  } finally {
    // What it lays into the folders for itself is gone before they are compared.
    manager.cleanupAfterCommand();
    await manager.reset();
    record.end(status);
  }
}

/** Of which undo keeps what lies there: not temporary folders, in which everybody's files lie. */
function keptFolders({ allowWrite }: SandboxPlan, temp: readonly string[]): readonly string[] {
  const shared = new Set(temp.flatMap((folder) => [folder, realPath(folder)]));
  return allowWrite.filter((path) => realPath(path) === path && !shared.has(path));
}

/** What the plan closes for reading: an undo reads none of it either. */
function closedIn({ denyRead }: SandboxPlan): (path: string) => boolean {
  const fold =
    process.platform === "darwin" ? (path: string): string => path.normalize("NFC").toLowerCase() : (path: string): string => path;
  const paths = new Set(denyRead.flatMap((one) => (typeof one === "string" ? [fold(one)] : [])));
  const patterns = denyRead.flatMap((one) => (typeof one === "string" ? [] : [matcherOf(fold(one.pattern))]));
  return (path) => {
    const text = fold(path);
    return paths.has(text) || patterns.some((pattern) => pattern.test(text));
  };
}

/** Of the library's patterns: `**` is anything, `*` anything but a slash. */
function matcherOf(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*\/|\*\*|\*)/).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return part === "*" ? "[^/]*" : part === "**" ? ".*" : "(?:.*/)?";
  });
  return new RegExp(`^${parts.join("")}$`, "su");
}

/** What confines is not looked for where what is confined could put its own: npm's scripts have the project's folder first in `PATH`. */
function trustedPath(path: string | undefined, open: readonly string[]): string {
  const folders = (path ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const isOpen = (folder: string): boolean => open.some((root) => isWithin(folder, root) || isWithin(realPath(folder), root));
  return folders.filter((folder) => !isOpen(folder)).join(":");
}

const entries = (paths: readonly PlannedPath[]): readonly SandboxPath[] =>
  paths.map((path) => (typeof path === "string" ? { path, literal: true } : path.pattern));

function start([program = "", ...args]: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", env, cwd });
    // Bubblewrap hears no interruption, and a program within it hears nothing: it ends with it.
    const pass = (signal: NodeJS.Signals): void => void child.kill(process.platform === "linux" ? "SIGTERM" : signal);
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

/** What it closes and opens, before anything starts. */
export function planOf(request: EngineRequest): { readonly held: HeldPolicy; readonly plan: SandboxPlan } {
  const held = policyOf(request);
  return { held, plan: planFor(request, held.policy, held.world) };
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
  const isClosed = (path: string): boolean => {
    const { decision, basis } = verdict("write", path);
    return decision === "deny" || (decision === "ask" && basis !== "default");
  };
  const git = [...new Set([projectRoot, cwd].flatMap((folder) => ownGitFolders(folder, world)))];
  // Of a git folder not each object is looked at.
  const works = [...[projectRoot, cwd].map((folder) => [folder] as const), ...git.map((folder) => [folder, 4] as const)];
  const found = findPlaces([...PLACES.map(([folder, depth]) => [folder === "" ? home : `${home}/${folder}`, depth] as const), ...works], {
    secret: (path) => {
      const { decision, basis } = verdict("read", path);
      return decision === "deny" || (decision === "ask" && basis === "protection");
    },
    closed: isClosed,
  });
  if (!found.complete)
    throw new EngineError("policy", "the project has more files than can be looked through for secrets; start it in a smaller folder");
  return planSandbox(policy, {
    home,
    projectRoot,
    cwd,
    git,
    temp: machine.temp,
    patterns: process.platform === "darwin",
    canonical: (path) => world.canonical(path),
    // What undo keeps of other projects, and of what was a secret then.
    secrets: [...found.secrets, runsFolder(machine), ...[".ssh", ".aws", ".gnupg", ".netrc"].map((name) => `${home}/${name}`)],
    closed: [
      ...found.closed,
      ...own,
      ...[...new Set([projectRoot, cwd])].flatMap((folder) => controlPlaces().map((name) => joinPath(folder, name))).filter(isClosed),
      // What else there is of that kind was found.
      ...(git.length === 0 ? [`${projectRoot}/.git`] : git).flatMap((folder) => [`${folder}/hooks`, `${folder}/config`]),
    ],
  });
}
