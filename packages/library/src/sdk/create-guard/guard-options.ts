import { isAbsolute } from "node:path";
import { visible } from "@assent/core/action";
import type { Principal } from "@assent/core/policy";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import type { ApprovalStore } from "./approvals.ts";
import { type CodePolicy, readCodePolicy, type ReadCodePolicy } from "./policy-in-code.ts";
import { readPrincipal } from "./call-options.ts";
import { lengthOf } from "../common/read-answer.ts";
import type { GuardOptions } from "./types.ts";

export const OPTIONS = {
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
export function readGuardOptions<P extends Principal>(options: GuardOptions<P>): ReadGuardOptions<P> {
  const of = "createGuard";
  checkOptions(of, options, OPTIONS);
  const { policy, files = "none", cwd, home, env, approvals, approvalsLast = DAY_MS, confine = false } = options;
  const principal = readPrincipal(of, options.principal);
  const unset = Object.entries(env ?? {}).find(([, value]) => value !== undefined && typeof value !== "string");
  if (unset !== undefined) throw new GuardOptionError("env", `${of}: \`${visible(unset[0])}\` of the option \`env\` must be a text`);
  for (const [name, path] of Object.entries({ cwd, home }))
    if (path !== undefined && !isAbsolute(path)) throw new GuardOptionError(name, `${of}: the option \`${name}\` must be an absolute path`);
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
  return { waits, principal, policies: list.map((one, at) => readCodePolicy(one, list.length === 1 ? "policy" : `policy[${at}]`)) };
}

const isList = (policy: CodePolicy | readonly CodePolicy[]): policy is readonly CodePolicy[] => Array.isArray(policy);

function checkStore(store: ApprovalStore): void {
  const missing = STORE.find((name) => typeof store[name] !== "function");
  if (missing !== undefined)
    throw new GuardOptionError("approvals", `createGuard: the option \`approvals\` has no function \`${missing}\``);
}
