import type { FileAction, LeftOut, Target } from "../../action/index.ts";
import { joinPath, resolvePath } from "../../path/index.ts";
import type { Context } from "../words/context.ts";
import { targetsOf } from "../words/paths.ts";
import type { ShellPlace } from "../words/state.ts";
import { literal, prefixOf, textOf, type Value } from "../words/value.ts";
import { tablePaths } from "./effects.ts";
import { whole } from "./walk-filter.ts";

interface KeepingCall {
  readonly cx: Context;
  readonly words: readonly Value[];
}

type Kept = Pick<FileAction, "target" | "recursive" | "unopened">;

/** Adds what a program does for itself without being asked: a row of `upkeep` in its table. */
export function emitUpkeep(call: KeepingCall, exec: number, places: readonly ShellPlace[], notation: string): void {
  const [operation = "", path = "", ...names] = notation.split(" ");
  if (operation !== "write" && operation !== "read" && operation !== "mkdir" && operation !== "delete" && operation !== "edit")
    throw new Error(`\`${notation}\` is not understood`);
  const kept = /^\$(?:named|context)\//.test(path)
    ? foldersSent(call, places, path.startsWith("$context"), names[0]?.slice(1))
    : ownPaths(call.cx, places, path, names);
  for (const one of kept) call.cx.add({ kind: "file", operation, ...one, origin: { by: "command", exec }, upkeep: true });
}

function ownPaths(cx: Context, places: readonly ShellPlace[], path: string, only: readonly string[]): readonly Kept[] {
  const isBelow = path.endsWith("/**");
  const root = isBelow ? path.slice(0, -"/**".length) : path;
  const isGlob = root.includes("*");
  return tablePaths({ cx, places }, root).flatMap(({ value, elsewhere }): readonly Kept[] => {
    const text = textOf(value);
    if (text === undefined) return [];
    const absolute = resolvePath(cx.world.projectRoot, text);
    const tree: Target = { kind: "tree", path: absolute, ...(only.length === 0 ? {} : { filter: { only } }) };
    return [
      {
        target: isGlob ? { kind: "glob", pattern: absolute } : isBelow ? tree : { kind: "path", path: absolute },
        ...(isGlob && isBelow ? { recursive: true } : {}),
        ...(elsewhere === undefined ? {} : { unopened: true }),
      },
    ];
  });
}

/** Folders among its words, all of which it hands on; `isContext`: where none is, that in which it works. */
function foldersSent({ cx, words: given }: KeepingCall, places: readonly ShellPlace[], isContext: boolean, list?: string): readonly Kept[] {
  const words = given.flatMap((word) => {
    const text = textOf(word);
    return text === undefined ? [word] : [word, literal(text.slice(text.lastIndexOf("=") + 1))];
  });
  const targets = words.filter((word) => !prefixOf(word).startsWith("-")).flatMap((word) => targetsOf(word, places));
  const isFolder = (target: Target): boolean => target.kind === "path" && cx.world.kind(target.path) === "directory";
  const named = targets.some(isFolder) ? targets.filter(isFolder) : targets.filter(({ kind }) => kind !== "path");
  // From the input, or from somewhere else.
  const isGiven = words.some((word) => /^-$|:\/\//.test(textOf(word) ?? ""));
  const sent = named.length > 0 || !isContext || isGiven ? named : targetsOf(literal("."), places);
  return sent.map((target) => {
    if (target.kind !== "path") return { target, recursive: true };
    const without = list === undefined ? [] : leftOutBy(list, target.path, targets, cx);
    return { target: { kind: "tree", path: target.path, ...(without.length === 0 ? {} : { filter: { without, listed: true } }) } };
  });
}

/**
 * What a list such as `.dockerignore` leaves out for sure: plain names. Nothing where it takes something in again, and where another
 * list may count: that of a Dockerfile, or podman's.
 */
function leftOutBy(list: string, root: string, targets: readonly Target[], { world }: Context): readonly LeftOut[] {
  const file = joinPath(root, list);
  const isOther = (name: string): boolean => name !== list && /(?:docker|container)ignore$/.test(name);
  const isBeside = (target: Target): boolean => target.kind === "path" && world.kind(target.path + list) !== "missing";
  const lines = world.canonical(file) === file ? (world.text?.(file)?.split("\n") ?? []).map((line) => line.trim()) : [];
  if (lines.some((line) => line.startsWith("!")) || world.names(root)?.some(isOther) !== false || targets.some(isBeside)) return [];
  return lines.flatMap((line) => {
    const [, anywhere, here] = /^(?:\*\*\/([\w.@+-]+)|(?:\.?\/)?([\w.@+-]+(?:\/[\w.@+-]+)*))\/?$/.exec(line) ?? [];
    return anywhere !== undefined ? [{ by: "name", glob: anywhere }] : here === undefined ? [] : whole(`/${here}`);
  });
}
