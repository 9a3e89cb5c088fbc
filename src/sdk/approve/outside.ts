import { visible } from "../../action/index.ts";
import type { RequestVerdict } from "../../policy/index.ts";
import { ask, type OnAsk } from "../ask.ts";
import { canAutoApprove, type AutoApproveOptions } from "./can-auto-approve.ts";

/** What is known of a confined run that did not get through. */
export interface OutsideOptions extends AutoApproveOptions {
  /** Who is asked; only `true` is a yes. */
  readonly onAsk: OnAsk;
  /** What became of the run, for the person: `exit code 1`, `writing ~/.npmrc was refused`. */
  readonly failure: string;
}

/**
 * Whether a command that was refused or failed in the sandbox may run once more outside of it. A person is asked each
 * time: neither the policy nor an approval for the session answers. What the policy denies is not offered.
 *
 * ```ts
 * if (said.type === "auto-approve" && said.runInSandbox && (await run(argv)).exitCode !== 0)
 *   if (await mayRunOutside(argv, { ...options, onAsk, failure: "exit code 1" })) await runOutside(argv);
 * ```
 */
export async function mayRunOutside(argv: readonly string[], { onAsk, failure, ...options }: OutsideOptions): Promise<boolean> {
  const { approvals: _, ...asked } = { ...options, policy: "suggest", sandbox: false } as const;
  const said = canAutoApprove(argv, asked);
  if (said.type === "reject") return false;
  const known = said.type === "ask-user" ? `; ${said.reason}` : "";
  const reason = `it did not get through the sandbox (${failure}); outside nothing it does is held back${known}`;
  const verdict: RequestVerdict = { decision: "ask", basis: "default", reason: visible(reason), actions: [], unknowns: [] };
  return (await ask(onAsk, { operation: "execute", target: argv.join(" "), reason: "", verdict })) === "approved";
}
