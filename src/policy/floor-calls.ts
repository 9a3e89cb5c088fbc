import { type Action, brief, type CodeAction, type ExecAction, type ToolAction, type World } from "../action/index.ts";
import { resolvePath } from "../path/index.ts";
import { type Verdict, verdictOf } from "./verdict.ts";
import { agentCall } from "./agent-commands.ts";
import { assentCall, loosensIn } from "./floor-commands.ts";
import { type FloorPaths, floorPlace } from "./floor.ts";

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

/** Whatever loosens Assent is denied when an agent asks for it, however it is spelt. */
function judgeFloorExec(action: ExecAction, floor: FloorPaths, world: World): Verdict | undefined {
  const call = assentCall(action, floor.own, (word) => world.canonical(resolvePath(world.cwd, word)));
  if (call === undefined) return judgeAgent(action) ?? judgeNamed(action, floor, world);
  if (call.does === "harmless") return undefined;
  // Inside a run it joins that run, or starts nothing.
  if (call.runs === true && action.call !== undefined) return undefined;
  return call.does === "loosens"
    ? verdictOf("deny", "floor.command", { reason: `\`assent ${call.words}\` loosens what an agent may do` })
    : verdictOf("ask", "floor.unclear", { reason: `cannot tell what \`assent ${call.words}\` changes` });
}

/** An agent's own command line changes its settings, or starts it with nobody to watch it. */
function judgeAgent(action: ExecAction): Verdict | undefined {
  const words = agentCall(action);
  if (words === undefined) return undefined;
  return verdictOf("ask", "floor.agent-command", { reason: `changes what decides what an agent may do: \`${words}\`` });
}

/** True where a word names a file that decides about agents: whatever the program does with it, no bypass answers for it. */
export function namesSetting(action: ExecAction, floor: FloorPaths, world: World): boolean {
  return action.argv.slice(1, MOST_NAMED).some((argument) => {
    if (!argument.known || argument.text.length > 4096) return false;
    const { text } = argument;
    const words = text.includes("=") ? [text, text.slice(text.indexOf("=") + 1)] : [text];
    return words.some((word) => looksLikePath(word) && floorPlace(resolvePath(world.cwd, word), floor, world) !== undefined);
  });
}

const MOST_NAMED = 200;

/** Code that calls what loosens Assent. */
function judgeFloorCode({ detail }: CodeAction): Verdict | undefined {
  if (detail === undefined || !loosensIn(detail)) return undefined;
  return verdictOf("deny", "floor.command", { reason: `this code loosens what an agent may do: ${brief(detail, 60)}` });
}

/** A program of which nothing is known is given a file of Assent's. Under supervision what it does is judged. */
function judgeNamed(action: ExecAction, floor: FloorPaths, world: World): Verdict | undefined {
  if (action.knowledge !== undefined || action.builtin === true || action.call !== undefined) return undefined;
  for (const argument of action.argv.slice(1)) {
    if (!argument.known) continue;
    const { text } = argument;
    for (const word of text.includes("=") ? [text, text.slice(text.indexOf("=") + 1)] : [text]) {
      const place = looksLikePath(word) ? floorPlace(resolvePath(world.cwd, word), floor, world) : undefined;
      if (place?.is === "denied")
        return verdictOf("ask", "floor.named", { reason: `cannot tell what \`${brief(action.program, 40)}\` does with ${place.what}` });
    }
  }
  return undefined;
}

const looksLikePath = (word: string): boolean => word.includes("/") || word.startsWith(".");

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
  try {
    return resolvePath(cwd, decodeURIComponent(new URL(value.trim()).pathname));
  } catch {
    return undefined;
  }
}
