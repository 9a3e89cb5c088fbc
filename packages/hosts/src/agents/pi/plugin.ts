import { isObject } from "@assent/core/data";
import { protocol } from "./index.ts";
import { judgeCall, type Registered, text } from "../install/judge-call.ts";

// Entry of dist/plugin-pi.mjs, which the extension in pi's folder loads.

type Confirm = (title: string, message: string) => Promise<unknown>;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unsafe-function-type -- pi 0.87.1: `ctx.ui.confirm(title, message)`
const bound = (ui: object, confirm: Function): Confirm => confirm.bind(ui) as Confirm;

/** Judges a call of a tool. What is returned blocks it; undefined lets it go ahead. A throw blocks as well. */
export async function judge(
  event: unknown,
  context: unknown,
  registered?: Registered,
): Promise<{ readonly block: true; readonly reason: string } | undefined> {
  const { ui, hasUI, cwd } = isObject(context) ? context : {};
  const folder = text(cwd) || process.cwd();
  const confirm = isObject(ui) && hasUI === true && typeof ui["confirm"] === "function" ? bound(ui, ui["confirm"]) : undefined;
  const { toolName, toolCallId, input } = isObject(event) ? event : {};
  const payload = { type: "tool_call", toolName, toolCallId, input, cwd: folder, hasUI: confirm !== undefined };
  const { block, ask, reason, input: instead } = judgeCall(protocol, payload, "tool_call", folder, registered);
  const why = text(reason);
  if (block === true) return { block, reason: why };
  // pi starts what its event holds then (0.87.1).
  if (instead !== undefined) {
    if (!isObject(instead) || !isObject(input)) return { block: true, reason: "Assent: it cannot be started sandboxed" };
    Object.assign(input, instead);
  }
  if (ask !== true) return undefined;
  const approved = await confirm?.("Assent", why);
  return approved === true ? undefined : { block: true, reason: `the user refused: ${why}` };
}
