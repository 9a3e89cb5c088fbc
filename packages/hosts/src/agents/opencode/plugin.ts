import { isObject } from "@assent/core/data";
import { endSession } from "@assent/guard/state";
import { openCodeProtocol } from "./index.ts";
import { judgeCall, machineFor, type Registered, text } from "../install/judge-call.ts";

// Entry of dist/plugin-opencode.mjs, which the plugin file of OpenCode and of Kilo loads.

/** What the host gives a plugin, as far as it is used. */
interface Host {
  readonly directory?: unknown;
  readonly worktree?: unknown;
  readonly client?: unknown;
}
interface Before {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

const BEFORE = "tool.execute.before";
/** Calls whose question may still come. */
const MAX_CALLS = 1000;

/** The host's name for the permission that a tool asks for itself; others (a loop, another folder) are not its own. */
const permissionOf = (tool: string): string => (/^(?:write|edit|multiedit|patch|apply_patch)$/.test(tool) ? "edit" : tool);

export const plugin = (id: "opencode" | "kilo", registered?: Registered) => async (host: Host) => {
  const protocol = openCodeProtocol(id);
  const agents = new Map<string, string>();
  const allowed = new Map<string, string>();
  let servers: readonly string[] | undefined;
  const directory = text(host.directory) || process.cwd();

  const payloadOf = (call: Before, args: unknown) => ({
    event: BEFORE,
    tool: call.tool,
    args,
    sessionID: call.sessionID,
    callID: call.callID,
    directory,
    worktree: host.worktree,
    agent: agents.get(call.sessionID),
    servers,
  });

  return {
    config: async (settings: unknown) => {
      const mcp = isObject(settings) ? settings["mcp"] : undefined;
      // As the host makes names of tools from them.
      servers = isObject(mcp) ? Object.keys(mcp).map((name) => name.replace(/[^\w-]/g, "_")) : [];
    },
    event: async ({ event }: { readonly event: unknown }) => {
      if (!isObject(event) || !isObject(event["properties"])) return;
      const about = event["properties"];
      if (event["type"] === "session.created") noteSession(about["info"], agents);
      if (isOver(event["type"], about["info"])) endSession(machineFor(process.env, registered), id, idOf(about["info"]));
      if (event["type"] === "permission.asked") await answer(host.client, about, allowed);
    },
    [BEFORE]: async (call: Before, output: { readonly args: unknown }) => {
      const { status, reason, input } = judgeCall(protocol, payloadOf(call, output.args), BEFORE, directory, registered);
      if (status === "deny") throw new Error(text(reason));
      // What goes ahead confined is another command; a question of the host's own about it is a person's to answer.
      if (input !== undefined) {
        if (!isObject(input) || !isObject(output.args)) throw new Error("Assent: it cannot be started sandboxed");
        Object.assign(output.args, input);
      }
      // A question about this call may follow.
      else if (status === "allow") remember(allowed, call);
    },
  };
};

const idOf = (info: unknown): string => (isObject(info) ? text(info["id"]) : "");

/**
 * What the session's commands left running ends with it: deleted, or put away (OpenCode 1.18.34, Kilo 7.7.9). The host's own end is seen
 * by whoever keeps it running; switching to another session ends none.
 */
function isOver(type: unknown, info: unknown): boolean {
  if (type === "session.deleted") return true;
  return type === "session.updated" && isObject(info) && isObject(info["time"]) && typeof info["time"]["archived"] === "number";
}

function remember(allowed: Map<string, string>, { callID, tool }: Before): void {
  if (allowed.size >= MAX_CALLS) allowed.clear();
  allowed.set(callID, permissionOf(tool));
}

/** A session with a parent is a sub-agent's. */
function noteSession(info: unknown, agents: Map<string, string>): void {
  if (!isObject(info) || text(info["parentID"]) === "" || text(info["id"]) === "") return;
  agents.set(text(info["id"]), `${text(info["agent"]) || "subagent"}:${text(info["id"])}`);
}

/** The host asks about a call that was judged: what was allowed need not be asked. */
async function answer(client: unknown, asked: Readonly<Record<string, unknown>>, allowed: ReadonlyMap<string, string>): Promise<void> {
  const call = isObject(asked["tool"]) ? text(asked["tool"]["callID"]) : "";
  if (call === "" || allowed.get(call) !== asked["permission"]) return;
  const reply = isObject(client) ? client["postSessionIdPermissionsPermissionId"] : undefined;
  if (typeof reply !== "function") return;
  // oxlint-disable-next-line typescript/no-unsafe-call -- OpenCode 1.18.33's client
  await reply.call(client, { path: { id: asked["sessionID"], permissionID: asked["id"] }, body: { response: "once" } });
}
