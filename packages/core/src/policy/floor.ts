import { attempt } from "../data/index.ts";
import { type Action, brief, type FileAction, sayAction, printTarget, type ToolAction, visible, type World } from "../action/index.ts";
import { isWithin, resolvePath } from "../path/index.ts";
import { agentFile } from "./tables/agent-files.ts";
import { judgeFloorCode, judgeFloorExec } from "./floor-commands.ts";
import { type FloorPaths, prepareFloor } from "./floor-paths.ts";
import { floorPlace } from "./floor-place.ts";
import { comparablePlaces } from "./match/location.ts";
import { affects, takesAlong } from "./targets.ts";
import { type Verdict, verdictOf } from "./match/verdict.ts";

/** True when something is different afterwards. */
export function isChange({ operation }: FileAction): boolean {
  return operation !== "read" && operation !== "list" && operation !== "execute";
}

/**
 * Step 1: what no rule, grant, mode or bypass may loosen. Changing the policy, Assent's state, its files or its
 * registration is denied; changing a project's policy or an agent's settings asks; reading is free.
 */
export function judgeFloorFile(action: FileAction, spellings: readonly string[], floor: FloorPaths, world: World): Verdict | undefined {
  if (!isChange(action)) return undefined;
  const { denied, asked } = prepareFloor(floor, world);
  const places = comparablePlaces(world);
  // Its own files in a folder (`sort` and /tmp) are not the folder.
  const beside = action.upkeep === true;
  const taking = !beside && takesAlong(action);
  let ask = false;
  for (const form of spellings) {
    for (const [path, what] of denied) {
      if (isWithin(form, path)) return refuse(`it ${verb(action)} ${what}: ${printTarget(action.target)}`);
      if (!beside && affects(withForm(action, form), path)) return refuse(takenAlong(action, path, what, world));
    }
    const kind = agentFile(form, places, taking);
    if (kind === "registration")
      return refuse(
        `it ${verb(action)} an agent's settings, where Assent is registered, or what it runs by itself: ${printTarget(action.target)}`,
      );
    ask ||= kind === "setting" || asked.some((path) => isWithin(form, path) || (taking && affects(withForm(action, form), path)));
  }
  if (!ask) return undefined;
  const reason = `it ${verb(action)} a file that decides what an agent may do: ${printTarget(action.target)}`;
  return verdictOf("ask", "floor.settings", { reason });
}

function verb({ operation }: FileAction): string {
  return operation === "delete" ? "deletes" : operation === "rename" ? "moves" : "changes";
}

/** The action on another spelling of its path. */
function withForm(action: FileAction, form: string): FileAction {
  const { target } = action;
  if ((target.kind !== "path" && target.kind !== "tree") || target.path === form) return action;
  return { ...action, target: { ...target, path: form } };
}

/** Said of home itself, which is what whoever means it would recognise. */
function takenAlong(action: FileAction, path: string, what: string, world: World): string {
  const { target } = action;
  const done = DONE[action.operation];
  if ((target.kind === "path" || target.kind === "tree") && target.path === world.home)
    return `it would ${done} your whole home folder, with ${what} in it`;
  return `it would also ${done} ${what} (${visible(path)}): ${sayAction(action)}`;
}

const DONE: Readonly<Record<FileAction["operation"], string>> = {
  read: "read",
  list: "list",
  write: "overwrite",
  edit: "change",
  delete: "delete",
  rename: "move",
  mkdir: "replace",
  link: "replace",
  metadata: "change",
  execute: "start",
};

const refuse = (reason: string): Verdict => verdictOf("deny", "floor.self", { reason });

/** Step 1 for commands, code and tools: what loosens Assent, or may change its files without anybody being able to tell. */

/** Step 1 for whatever is no file. */
export function judgeFloorCall(action: Action, floor: FloorPaths, world: World): Verdict | undefined {
  switch (action.kind) {
    case "exec":
      return judgeFloorExec(action, floor, world);
    case "code":
      return judgeFloorCode(action);
    case "tool":
      return judgeFloorTool(action, floor, world);
    default:
      return undefined;
  }
}

const READS = /^(?:read|get|list|view|show|search|find|stat|info|grep|glob|tree|open|head|tail|cat)/i;
const CHANGES = /write|edit|create|delete|remove|move|rename|update|set|put|append|patch|replace|save|copy|insert/i;

/** A tool known by its name alone, whose input names a file of Assent's or of an agent's settings, wherever it stands. */
function judgeFloorTool({ name, fields }: ToolAction, floor: FloorPaths, world: World): Verdict | undefined {
  const own = name.slice(name.lastIndexOf("__") + 1).replace(/^_+/, "");
  const changes = CHANGES.test(own);
  if (READS.test(own) && !changes) return undefined;
  let question: Verdict | undefined;
  for (const [, value] of fields) {
    const path = absolutePath(value, world);
    const place = path === undefined ? undefined : floorPlace(path, floor, world);
    if (place === undefined) continue;
    const what = `\`${brief(name, 60)}\` is given ${place.what}: ${brief(value)}`;
    if (place.is === "denied" && changes) return verdictOf("deny", "floor.self", { reason: what });
    question ??= verdictOf("ask", "floor.named", { reason: what });
  }
  return question;
}

/** A server has a folder of its own, so that only what is absolute is surely the same file for it. */
function absolutePath(value: string, { home, cwd }: World): string | undefined {
  if (value === "~" || value.startsWith("~/")) return resolvePath(cwd, `${home}${value.slice(1)}`);
  if (value.startsWith("/")) return resolvePath(cwd, value);
  if (!/^\s*file:/i.test(value)) return undefined;
  return attempt(() => resolvePath(cwd, decodeURIComponent(new URL(value.trim()).pathname)), undefined);
}
