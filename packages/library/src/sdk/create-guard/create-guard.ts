import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Principal } from "@assent/core/policy";
import { visible } from "@assent/core/action";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import { lengthOf } from "../common/read-answer.ts";
import { Guard } from "./guard.ts";
import { GuardWorld } from "./guard-world.ts";
import { OUR_PACKS } from "@assent/guard/engine/reader";
import { heardBy } from "./in-run.ts";
import { guardMachine } from "./judging.ts";
import { checkStricter, type CodePolicy, readCodePolicy, type ReadCodePolicy } from "./policy-in-code.ts";
import type { GuardOptions } from "./types.ts";
import type { ApprovalStore } from "./approvals.ts";
import { readPrincipal } from "./call-options.ts";

/**
 * A policy, as an object of code. Nothing on the machine counts unless `files` asks for it.
 *
 * ```ts
 * const guard = createGuard({
 *   policy: { permissions: { allow: ["Bash(npm test:*)"], deny: ["Read(secrets/**)"] } },
 *   cwd: "/repo",
 *   onAsk: async ({ text }) => ((await confirm(text)) ? { yes: "once" } : { no: "not now" }),
 * });
 * const outcome = await guard.check({ shell: "rm -rf build" }); // allow, deny or pending: a refusal is a value
 * ```
 *
 * Throws `GuardOptionError` or `TypeError` for an option that is wrong, or that does not exist.
 */
export function createGuard<P extends Principal = Principal>(options: GuardOptions<P> = {}): Guard<P> {
  const { policies, principal, waits } = readGuardOptions(options);
  const { files = "none", confine = false, audit = files !== "none", shell = "any", approvals, cwd = process.cwd() } = options;
  const [policy, ...stricter] = policies;
  if (files === "none") checkStricter(policy, stricter);
  let own: Uint8Array | undefined;
  const secret = async (): Promise<Uint8Array> => (await approvals?.secret?.()) ?? (own ??= randomBytes(32));
  const { onAsk, onDecision, shadow } = options;
  const root = { machine: guardMachine(options), policy, files, confine, audit, shell, heard: confine ? heardBy(onDecision) : undefined };
  const shared = { root, options: { onAsk, approvals, onDecision, shadow }, secret, waits };
  return new Guard(new GuardWorld<P>(shared, { principal, cwd, stricter }));
}

const OPTIONS = {
  policy: "any",
  files: "any",
  cwd: "string",
  home: "string",
  env: "object",
  principal: "object",
  onAsk: "function",
  approvals: "object",
  approvalsLast: "any",
  onDecision: "function",
  confine: "boolean",
  shadow: "boolean",
  audit: "boolean",
  shell: ["any", "bash", "sh", "zsh"],
} satisfies Options<GuardOptions>;

const FILES = ["none", "user", "project", "all"] as const;
const STORE = ["put", "take", "list"] as const;

interface ReadGuardOptions<P extends Principal> {
  readonly principal: P | undefined;
  readonly policies: readonly ReadCodePolicy[];
  /** Milliseconds. */
  readonly waits: number;
}

const DAY_MS = 24 * 3_600_000;
const MOST_DAYS = 30;

/** What an option holds that is more than a kind. Throws `GuardOptionError` or `TypeError`. */
function readGuardOptions<P extends Principal>(options: GuardOptions<P>): ReadGuardOptions<P> {
  const of = "createGuard";
  checkOptions(of, options, OPTIONS);
  const { policy, files = "none", cwd, home, env, approvals, approvalsLast = DAY_MS, confine = false } = options;
  const principal = readPrincipal(of, options.principal);
  const unset = Object.entries(env ?? {}).find(([, value]) => value !== undefined && typeof value !== "string");
  if (unset !== undefined) throw new GuardOptionError("env", `${of}: \`${visible(unset[0])}\` of the option \`env\` must be a text`);
  for (const [name, path] of Object.entries({ cwd, home }))
    if (path !== undefined && !isAbsolute(path)) throw new GuardOptionError(name, `${of}: the option \`${name}\` must be an absolute path`);
  if (cwd !== undefined && (confine || files !== "none") && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new GuardOptionError("cwd", `${of}: the option \`cwd\` must be a folder that is there`);
  if (
    typeof files === "string"
      ? !FILES.some((known) => known === files)
      : !Array.isArray(files) || !files.every((file) => typeof file === "string" && isAbsolute(file))
  )
    throw new GuardOptionError(
      "files",
      `${of}: the option \`files\` must be ${FILES.map((known) => `"${known}"`).join(", ")} or a list of absolute paths`,
    );
  if (approvals !== undefined) checkStore(approvals);
  const waits = lengthOf(approvalsLast, MOST_DAYS * DAY_MS);
  if (waits === undefined)
    throw new GuardOptionError(
      "approvalsLast",
      `${of}: the option \`approvalsLast\` must be a length of time such as "10m", "24h" or "14d", or milliseconds; ${MOST_DAYS} days at most`,
    );
  if (confine && process.platform !== "linux")
    throw new GuardOptionError("confine", `${of}: nothing can be sandboxed on ${process.platform}`);
  const list: readonly CodePolicy[] = policy === undefined ? [] : isList(policy) ? policy : [policy];
  const only = list.length === 1;
  return { waits, principal, policies: Array.from(list, (one, at) => readCodePolicy(one, only ? "policy" : `policy[${at}]`, OUR_PACKS)) };
}

const isList = (policy: CodePolicy | readonly CodePolicy[]): policy is readonly CodePolicy[] => Array.isArray(policy);

function checkStore(store: ApprovalStore): void {
  const missing = STORE.find((name) => typeof store[name] !== "function");
  if (missing !== undefined)
    throw new GuardOptionError("approvals", `createGuard: the option \`approvals\` has no function \`${missing}\``);
}
