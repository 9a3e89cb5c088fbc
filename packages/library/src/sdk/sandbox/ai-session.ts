import type { GuardCall } from "../create-guard/call.ts";
import { GuardCallError } from "../create-guard/call.ts";
import { isObject } from "@assent/core/data";
import type { SandboxScript } from "./facts.ts";
import type { SandboxJudge } from "./judge.ts";

/** A command of the AI SDK's sandbox session. */
export interface SandboxCommand {
  readonly command: string;
  readonly workingDirectory?: string;
  readonly env?: Record<string, string>;
  readonly abortSignal?: AbortSignal;
}

/** What a command of a session came to. */
export interface SandboxRunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface SandboxPath {
  readonly path: string;
  readonly abortSignal?: AbortSignal;
}

/** The sandbox session of the AI SDK, as far as its calls can be judged. E2B, Vercel and just-bash have it; `openContainer` gives one. */
export interface AiSandboxSession {
  readonly description: string;
  run(options: SandboxCommand): PromiseLike<SandboxRunResult>;
}

/** How each call of a session is judged, and the words it is given. */
interface JudgedCall {
  readonly path?: "read" | "write" | "delete" | "list";
}

const PATHS: Readonly<Record<string, JudgedCall>> = {
  readFile: { path: "read" },
  readBinaryFile: { path: "read" },
  readTextFile: { path: "read" },
  writeFile: { path: "write" },
  writeBinaryFile: { path: "write" },
  writeTextFile: { path: "write" },
  stat: { path: "list" },
  listDirectory: { path: "list" },
  deleteFile: { path: "delete" },
};

/** For facts about a session: in its own shell, in no folder of anybody's choice. */
export function scriptsOf(session: AiSandboxSession): SandboxScript {
  return async (script) => {
    const { exitCode, stdout } = await session.run({ command: script });
    return { exitCode, stdout };
  };
}

/**
 * The same session, each of whose calls is judged first. What is no call of the interface is not handed on: the sandbox itself would be a
 * way past. A command that is refused ends with 126, and says why on standard error; files throw `PermissionDenied`.
 */
export function judgedSession<T extends AiSandboxSession>(session: T, judge: SandboxJudge): T {
  const members: Record<string, unknown> = {
    description: session.description,
    run: async (given: SandboxCommand): Promise<SandboxRunResult> => {
      const options = copyOf(given);
      const { outcome, cwd } = await judge.check(commandIn(options, false));
      if (outcome.verdict !== "allow") return { exitCode: 126, stdout: "", stderr: `Permission denied: ${outcome.forModel}\n` };
      return await session.run({ ...options, workingDirectory: cwd });
    },
  };
  const spawn = callOf(session, "spawn");
  if (spawn !== undefined)
    members["spawn"] = async (given: SandboxCommand & { readonly stdin?: boolean }): Promise<unknown> => {
      const options = copyOf(given);
      const workingDirectory = await judge.require(commandIn(options, options.stdin === true));
      return await spawn({ ...options, workingDirectory });
    };
  for (const [name, { path }] of Object.entries(PATHS)) {
    const call = callOf(session, name);
    if (call === undefined || path === undefined) continue;
    members[name] = async (given: SandboxPath): Promise<unknown> => {
      const options = copyOf(given);
      const { path: asked, abortSignal } = options;
      if (typeof asked !== "string" || asked === "") throw new GuardCallError(`${name} takes a path`);
      const real = await judge.requirePath(asked, (one) => fileCall(path, one, options), abortSignal);
      // Links that change meanwhile lead it nowhere else.
      return await call({ ...options, path: real });
    };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members of the interface that the session has
  return Object.freeze(members) as unknown as T;
}

/** What is given differently when it is read again is not what was judged. */
function copyOf<O extends object>(options: O): O {
  if (!isObject(options)) throw new GuardCallError("a call of a sandbox takes an object");
  return { ...options };
}

function fileCall(does: "read" | "write" | "delete" | "list", path: string, options: object): GuardCall {
  const content: unknown = "content" in options ? options.content : undefined;
  switch (does) {
    case "read":
      return { read: path };
    case "write":
      return { write: path, ...(typeof content === "string" ? { content } : {}) };
    case "delete":
      return { delete: path };
    case "list":
      return { list: path };
  }
}

function commandIn({ command, workingDirectory, env, abortSignal }: SandboxCommand, fed: boolean): Parameters<SandboxJudge["check"]>[0] {
  if (typeof command !== "string" || command.includes("\0")) throw new GuardCallError("`command` is a text");
  // What is written to it later is not known.
  const all = fed ? [command, `cat /dev/stdin | { ${command}\n}`] : [command];
  return { calls: all.map((line) => shellCall(line, env)), cwd: workingDirectory, signal: abortSignal };
}

/** A command with variables of its own: they may change what it means. */
export function shellCall(command: string, env: Readonly<Record<string, string>> = {}, shell: readonly string[] = ["sh", "-c"]): GuardCall {
  const set = Object.entries(env);
  if (set.length === 0 && shell.length === 2 && shell[0] === "sh") return { shell: command };
  const strange = set.find(([name, value]) => !/^[A-Za-z_]\w*$/.test(name) || typeof value !== "string" || value.includes("\0"));
  if (strange !== undefined) throw new GuardCallError("a variable of the command has a strange name, or no text");
  const words = [...shell, command];
  return { argv: set.length === 0 ? words : ["env", ...set.map(([name, value]) => `${name}=${value}`), ...words] };
}

/** A function of a session, called as its own. */
export function callOf(session: object, name: string): ((options: object) => Promise<unknown>) | undefined {
  const member: unknown = Reflect.get(session, name);
  return typeof member === "function" ? async (options) => (await Reflect.apply(member, session, [options])) as unknown : undefined;
}
