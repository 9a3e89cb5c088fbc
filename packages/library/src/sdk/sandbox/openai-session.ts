import { randomBytes } from "node:crypto";
import { GuardCallError, type GuardCall } from "../create-guard/call.ts";
import { isObject } from "@assent/core/data";
import { shellCall } from "./ai-session.ts";
import { type SandboxScript, SandboxUnclear } from "./facts.ts";
import type { SandboxJudge } from "./judge.ts";

/** A sandbox session of OpenAI's Agents SDK, as far as its calls can be judged. */
export interface OpenAiSandboxSession {
  readonly state: object;
  exec?(args: { readonly cmd: string }): Promise<{ readonly stdout: string; readonly exitCode?: number | null }>;
  /** Output as a text for the model: all that clients of remote sandboxes have (E2B, Daytona, Modal). */
  execCommand?(args: { readonly cmd: string }): Promise<string>;
}

/** A sandbox client of OpenAI's Agents SDK: it makes sessions. */
export interface OpenAiSandboxClient {
  readonly backendId: string;
  create?(...given: never[]): Promise<object>;
  resume?(...given: never[]): Promise<object>;
}

/** For facts about a session. Output is asked for whole. */
export function scriptsOfOpenAi(session: OpenAiSandboxSession): SandboxScript {
  const whole = { login: false, yieldTimeMs: 30_000, maxOutputTokens: 2_000_000 };
  return async (script) => {
    if (typeof session.exec === "function") {
      const { stdout, exitCode } = await session.exec({ cmd: script, ...whole });
      if (typeof exitCode !== "number") throw new SandboxUnclear("the sandbox took too long to say what it holds");
      return { exitCode, stdout };
    }
    if (typeof session.execCommand !== "function")
      throw new SandboxUnclear("this sandbox session has neither `exec` nor `execCommand`, so nothing of it can be looked at");
    const mark = `@${randomBytes(12).toString("hex")}`;
    return answerIn(await session.execCommand({ cmd: inLetters(script, mark), ...whole }), mark);
  };
}

/** What a session that only gives text for a model can be asked: output and exit code as letters, between marks that nobody knows before. */
const inLetters = (script: string, mark: string): string =>
  `o=$({ (\n${script}\n); printf '\\n%s' "$?"; } 2>/dev/null | base64 | tr -d '\\r\\n'); printf '%s%s%s\\n' ${mark} "$o" ${mark}`;

function answerIn(text: unknown, mark: string): { readonly exitCode: number; readonly stdout: string } {
  const found = typeof text === "string" ? [...text.matchAll(new RegExp(`${mark}([A-Za-z0-9+/]+=*)${mark}`, "g"))] : [];
  const answer = Buffer.from(found[0]?.[1] ?? "", "base64").toString("utf8");
  const end = answer.lastIndexOf("\n");
  const exitCode = /^\d+$/.test(answer.slice(end + 1)) ? Number(answer.slice(end + 1)) : undefined;
  if (found.length !== 1 || end < 0 || exitCode === undefined) throw new SandboxUnclear("the sandbox did not say what it holds");
  return { exitCode, stdout: answer.slice(0, end) };
}

/** Whose word it is: the program's own, at the start and the end of a session. */
const PROGRAMS = new Set(
  (
    "state start running registerPreStopHook runPreStopHooks preStop stop shutdown delete close applyManifest persistWorkspace " +
    "hydrateWorkspace setArchiveLimits resolveExposedPort supportsPty"
  ).split(" "),
);

type JudgedMember = (judge: SandboxJudge, call: (...given: unknown[]) => unknown, given: readonly unknown[]) => unknown;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function commandOf(args: unknown): Parameters<SandboxJudge["check"]>[0] & { readonly args: object } {
  if (!isObject(args) || typeof args["cmd"] !== "string") throw new GuardCallError("`cmd` is a text");
  const { cmd, workdir, shell, login, runAs } = args;
  for (const [name, value] of Object.entries({ workdir, shell, runAs }))
    if (value !== undefined && typeof value !== "string") throw new GuardCallError(`\`${name}\` is a text`);
  const started = shell === undefined ? ["sh", "-c"] : [textOf(shell), login === false ? "-c" : "-lc"];
  const own = shellCall(cmd, {}, started);
  const calls: readonly GuardCall[] =
    runAs === undefined
      ? [own]
      : [own, { argv: ["sudo", "-u", textOf(runAs), "--", ...(shell === undefined ? ["sh", "-c"] : started), cmd] }];
  return { calls, cwd: workdir === undefined ? undefined : textOf(workdir), args: { ...args } };
}

/** A call about one path: judged by where it leads, and made with that. */
async function onPath(judge: SandboxJudge, path: unknown, of: (path: string) => GuardCall): Promise<string> {
  if (typeof path !== "string" || path === "") throw new GuardCallError("a path is missing");
  return await judge.requirePath(path, of);
}

const read = (path: string): GuardCall => ({ read: path });
const list = (path: string): GuardCall => ({ list: path });

/** Another user's rights are judged as a command with them would be. */
function sameUser(runAs: unknown): void {
  if (runAs !== undefined) throw new GuardCallError("`runAs` cannot be judged for a file: run a command");
}

const withPath =
  (of: (path: string) => GuardCall): JudgedMember =>
  async (judge, call, [args, ...rest]) => {
    if (typeof args === "string") {
      sameUser(rest[0]);
      return await call(await onPath(judge, args, of));
    }
    if (!isObject(args)) throw new GuardCallError("a call of a sandbox takes an object");
    const own = { ...args };
    sameUser(own["runAs"]);
    return await call({ ...own, path: await onPath(judge, own["path"], of) });
  };

const JUDGED: Readonly<Record<string, JudgedMember>> = {
  exec: async (judge, call, [given]) => {
    const { args, ...asked } = commandOf(given);
    const { outcome, cwd } = await judge.check(asked);
    if (outcome.verdict === "allow") return await call({ ...args, workdir: cwd });
    const stderr = `Permission denied: ${outcome.forModel}\n`;
    return { output: stderr, stdout: "", stderr, wallTimeSeconds: 0, exitCode: 126 };
  },
  execCommand: async (judge, call, [given]) => {
    const { args, ...asked } = commandOf(given);
    const { outcome, cwd } = await judge.check(asked);
    return outcome.verdict === "allow" ? await call({ ...args, workdir: cwd }) : `Permission denied: ${outcome.forModel}\n`;
  },
  // To wait for more output is nothing; what is typed into a program that runs may be anything.
  writeStdin: async (judge, call, [given]) => {
    const args: Readonly<Record<string, unknown>> = isObject(given) ? { ...given } : {};
    const { chars } = args;
    if (chars !== undefined && chars !== "") await judge.require({ calls: [{ tool: "write_stdin", input: { chars } }] });
    return await call(args);
  },
  readFile: withPath(read),
  viewImage: withPath(read),
  listDir: withPath(list),
  pathExists: withPath(list),
  directoryExists: withPath(list),
  materializeEntry: withPath((write) => ({ write })),
  createEditor: (judge, call, given) => {
    sameUser(given[0]);
    const editor = call();
    if (!isObject(editor)) throw new GuardCallError("the sandbox gave no editor");
    const edit = (name: string, of: (path: string) => GuardCall) => {
      const own: unknown = editor[name];
      if (typeof own !== "function") return {};
      const edited = async (operation: unknown, ...rest: unknown[]): Promise<unknown> => {
        if (!isObject(operation)) throw new GuardCallError("an edit is an object");
        const copy = { ...operation };
        // A move goes somewhere else as well.
        const { moveTo } = copy;
        const to = moveTo === undefined ? {} : { moveTo: await onPath(judge, moveTo, (write) => ({ write })) };
        const path = await onPath(judge, copy["path"], of);
        return (await Reflect.apply(own, editor, [{ ...copy, path, ...to }, ...rest])) as unknown;
      };
      return { [name]: edited };
    };
    return {
      ...edit("createFile", (write) => ({ write })),
      ...edit("updateFile", (path) => ({ edit: path })),
      ...edit("deleteFile", (path) => ({ delete: path })),
    };
  },
};

/** The same session, each of whose calls is judged first. A function that nobody here knows is not there. */
export function judgedOpenAiSession<T extends OpenAiSandboxSession>(session: T, judge: SandboxJudge): T {
  const made = new Map<string, unknown>();
  return new Proxy(session, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof name === "symbol") return member;
      if (typeof member !== "function") return PROGRAMS.has(name) || name === "then" || name === "constructor" ? member : undefined;
      if (PROGRAMS.has(name)) return own(target, member);
      const judged = Object.hasOwn(JUDGED, name) ? JUDGED[name] : undefined;
      if (judged === undefined) return name === "constructor" ? member : undefined;
      if (!made.has(name)) made.set(name, (...given: unknown[]): unknown => judged(judge, own(target, member), given));
      return made.get(name);
    },
    set(target, name, value): boolean {
      return Reflect.set(target, name, value, target);
    },
  });
}

const own =
  (target: object, member: object) =>
  (...given: unknown[]): unknown => {
    if (typeof member !== "function") throw new GuardCallError("a member of the sandbox is not a function");
    return Reflect.apply(member, target, given) as unknown;
  };

/** The same client, whose sessions are judged. */
export function judgedClient<T extends OpenAiSandboxClient>(client: T, wrap: (session: OpenAiSandboxSession) => OpenAiSandboxSession): T {
  const makes = new Set(["create", "resume"]);
  return new Proxy(client, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (typeof name === "symbol" || !makes.has(name)) return own(target, member);
      return async (...given: unknown[]): Promise<unknown> => {
        const session = await own(target, member)(...given);
        if (!isSession(session)) throw new GuardCallError("the client gave no session");
        return wrap(session);
      };
    },
  });
}

const isSession = (value: unknown): value is OpenAiSandboxSession => isObject(value) && isObject(value["state"]);
