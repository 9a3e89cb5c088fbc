import { isObject } from "@assent/core/data";
import { INSIDE, type InsideGuard } from "../adapters/guards.ts";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import { type AiSandboxSession, judgedSession, scriptsOf } from "./ai-session.ts";
import { SandboxJudge } from "./judge.ts";
import {
  judgedClient,
  judgedOpenAiSession,
  type OpenAiSandboxClient,
  type OpenAiSandboxSession,
  scriptsOfOpenAi,
} from "./openai-session.ts";

/** What a guard can stand in front of: a session of the AI SDK's interface, or a session or client of OpenAI's Agents SDK. */
export type GuardableSandbox = AiSandboxSession | OpenAiSandboxSession | OpenAiSandboxClient;

/** How a sandbox is judged. */
export interface GuardSandboxOptions {
  /** The folder of the project in the sandbox, and what relative paths start from; by default where its commands start. */
  readonly cwd?: string;
}

const OPTIONS = { cwd: "string" } satisfies Options<GuardSandboxOptions>;

/**
 * The same sandbox, each of whose calls is judged first, in the sandbox's own world: its files, its home, its programs. What is asked about
 * is asked at once or refused; what is answered holds for this sandbox alone.
 */
export function guardSandbox<T extends GuardableSandbox>(guard: InsideGuard, sandbox: T, options: GuardSandboxOptions = {}): T {
  checkOptions("guard.sandbox", options, OPTIONS);
  const inside = guard[INSIDE]();
  const { files } = inside.root;
  if (files === "project" || files === "all")
    throw new GuardOptionError(
      "files",
      'guard.sandbox: files of a project are not read in a sandbox: give "none", "user" or paths to createGuard',
    );
  const given: unknown = sandbox;
  if (typeof given !== "object" || given === null) throw new GuardOptionError("sandbox", NO_SANDBOX);
  if (isAiSession(given)) {
    const judge = new SandboxJudge(inside, scriptsOf(given), options.cwd);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same session
    return judgedSession(given, judge) as unknown as T;
  }
  const wrap = <S extends OpenAiSandboxSession>(session: S): S =>
    judgedOpenAiSession(session, new SandboxJudge(inside, scriptsOfOpenAi(session), options.cwd));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object, behind a proxy
  if (isClient(given)) return judgedClient(given, wrap) as unknown as T;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object, behind a proxy
  if (isOpenAiSession(given)) return wrap(given) as unknown as T;
  throw new GuardOptionError("sandbox", NO_SANDBOX);
}

const NO_SANDBOX = "guard.sandbox takes a sandbox session of the AI SDK, or a session or client of OpenAI's Agents SDK";

const has = (value: object, name: string): boolean => typeof Reflect.get(value, name) === "function";

const isAiSession = (value: object): value is AiSandboxSession => has(value, "run") && !has(value, "exec") && !has(value, "execCommand");
const isClient = (value: object): value is OpenAiSandboxClient => "backendId" in value && has(value, "create");
const isOpenAiSession = (value: object): value is OpenAiSandboxSession =>
  "state" in value && isObject(value.state) && (has(value, "exec") || has(value, "execCommand"));
