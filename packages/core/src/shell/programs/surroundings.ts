import type { Action } from "../../action/index.ts";
import { baseName, resolvePath } from "../../path/index.ts";
import { addCode } from "./code.ts";
import type { Context } from "../words/context.ts";
import type { Invocation } from "./invocation.ts";
import type { ProgramSurroundings } from "../languages/finding.ts";

/**
 * What an interpreter finds in its working directory, as the world shows it now. That only holds where nothing in the
 * same line changes files, before it or beside it: `settleSurroundings` sees to it when all actions are known.
 */
export function surroundingsOf(inv: Invocation, language: string): ProgramSurroundings | undefined {
  const folders = inv.places.flatMap((place) => (place.is === "at" ? [place.path] : []));
  if (folders.length < inv.places.length) return undefined;
  const { world } = inv.cx;
  const rely = (): void => void inv.cx.relying.set(inv, language);
  return {
    names(folder) {
      rely();
      const names: string[] = [];
      for (const at of folders) {
        const path = resolvePath(at, folder);
        const kind = world.kind(path);
        if (kind === "missing" || kind === "file") continue;
        const found = world.names(path);
        if (found === undefined) return undefined;
        names.push(...found);
      }
      return names;
    },
    isFile(path) {
      rely();
      return folders.every((at) => {
        // Node.js goes by the name of the file that a link leads to.
        const file = world.canonical(resolvePath(at, path));
        return world.kind(file) === "file" && file.split("/").at(-1) === path.split("/").at(-1);
      });
    },
  };
}

/** Where the line may change what an interpreter finds, what it runs is code after all. */
export function settleSurroundings(cx: Context): void {
  if (cx.looksForOptions && cx.actions.some(makesOption))
    cx.unknown("takes names of files for operands, and the same line makes a name that is an option", { help: "start it with ./" });
  if ((cx.relying.size === 0 && !cx.looksForCode) || !cx.actions.some(mayChangeFiles)) return;
  if (cx.looksForCode) cx.unknown("evaluates names of files as arithmetic, which the same line may have made");
  for (const [inv, language] of cx.relying) addCode(inv, language, "inline", "may load files that the same line writes");
}

const makesOption = (action: Action): boolean =>
  action.kind === "file" &&
  action.operation !== "delete" &&
  mayChangeFiles(action) &&
  action.target.kind === "path" &&
  baseName(action.target.path).startsWith("-");

/** Anything but reading, by a program that is known. */
function mayChangeFiles(action: Action): boolean {
  if (action.upkeep === true) return false;
  switch (action.kind) {
    case "exec":
      return action.builtin !== true && action.knowledge === undefined;
    case "file":
      return action.operation !== "read" && action.operation !== "list" && !isStream(action.target);
    case "remote":
      return action.operation !== "read";
    case "net":
      return false;
    default:
      return true;
  }
}

const isStream = (target: Extract<Action, { kind: "file" }>["target"]): boolean =>
  target.kind === "path" && /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(target.path);
