import type { Action, FileAction, FileOperation, Target } from "../../action/index.ts";
import { resolvePath } from "../../path/index.ts";
import type { Context, MadeLink } from "../words/context.ts";
import type { Invocation } from "./invocation.ts";
import { targetsOf } from "../words/paths.ts";
import { textOf, type Value } from "../words/value.ts";

/** ln -s, once its operands have been told as actions. */
export function noteLinks(inv: Invocation, given: { readonly symbolic: boolean; readonly relative: boolean }): void {
  const { cx, exec, sources } = inv;
  if (!given.symbolic || sources.length === 0) return;
  // What a loop, a function or a job does comes again, or at the same time.
  const isOnce = cx.escapes.every(({ from }) => from === "shell") && cx.calling.length === 0 && cx.concurrent === 0;
  for (const action of cx.actions) {
    if (action.kind !== "file" || action.operation !== "link" || !isOf(action, exec)) continue;
    cx.links.push({
      exec,
      since: isOnce ? cx.actions.length : 0,
      at: action.target,
      sources,
      places: given.relative ? inv.places : undefined,
    });
  }
}

const isOf = ({ kind, origin }: Action, exec: number): boolean => kind === "file" && origin.by === "command" && origin.exec === exec;

/** A link at a known place, and what it leads to. */
interface Way {
  readonly link: MadeLink;
  readonly path: string;
  readonly to: Target;
  /** Only where the line has made a folder of that name before. */
  readonly inner: boolean;
}

/** More actions than these that go through links are not told one by one. */
const MOST = 400;

/** These act on the link itself where they name it. */
const ON_THE_LINK: ReadonlySet<FileOperation> = new Set(["delete", "rename", "link"]);

/** Tells what the line does through links that it makes itself: the kernel follows them, the world does not know them. */
export function settleLinks(cx: Context): void {
  if (cx.links.length === 0) return;
  const ways = cx.links.flatMap((link) => waysOf(link));
  for (const { link, to, inner } of ways) if (!inner) tellRead(cx, link, to);
  if (cx.links.some(({ at }) => at.kind !== "path") && cx.actions.some((action) => isBelowUnknown(cx, action)))
    cx.unknown("what goes through a link that the same line makes is only known at run time", {
      help: "make the link in a command of its own",
    });
  if (ways.some((way) => cx.actions.some((action, at) => carriesAway(cx, way, action, at))))
    cx.unknown("a link that the same line makes may go by another name then", { help: "make the link in a command of its own" });
  const told = new Set<string>();
  // What was added may go through another link.
  for (let at = 0; at < cx.actions.length; at++) {
    const action = cx.actions[at];
    if (action?.kind !== "file" || action.upkeep === true) continue;
    const { asGiven, ...rest } = action;
    const named = asGiven === undefined ? [rest] : [rest, { ...rest, target: { kind: "path", path: asGiven } } as const];
    for (const way of ways) {
      if (at < way.link.since || isOf(action, way.link.exec)) continue;
      for (const target of named.map((one) => through(way, one))) {
        const key = `${action.operation} ${JSON.stringify(target)}`;
        if (target === undefined || told.has(key)) continue;
        told.add(key);
        if (told.size > MOST) return cx.unknown("too much goes through links that the same line makes");
        cx.add({ ...rest, target });
      }
    }
  }
}

/** `ln -s T L` makes `L`, or `L/T` where the line has made a folder of that name before. */
function waysOf(link: MadeLink): readonly Way[] {
  const { at, sources, places } = link;
  if (at.kind !== "path") return [];
  const name = at.path.slice(at.path.lastIndexOf("/") + 1);
  const own = sources.filter((source) => baseOf(source) === name);
  const folder = at.path.slice(0, at.path.lastIndexOf("/")) || "/";
  const waysAt = (path: string, above: string, source: Value): readonly Way[] =>
    targetsOf(source, places ?? [{ is: "at", path: above }]).map((to) => ({ link, path, to, inner: above === at.path }));
  return [
    ...(own.length > 0 ? own : sources).flatMap((source) => waysAt(at.path, folder, source)),
    ...(own.length > 0 && sources.length > 1
      ? []
      : sources.flatMap((source) => {
          const base = baseOf(source);
          return base === undefined ? [] : waysAt(resolvePath(at.path, base), at.path, source);
        })),
  ];
}

const baseOf = (source: Value): string | undefined => textOf(source)?.replace(/\/+$/, "").split("/").at(-1);

/** What it leads to is read through it, from wherever the link lies. */
function tellRead(cx: Context, { exec }: MadeLink, target: Target): void {
  const key = JSON.stringify(target);
  const isTold = cx.actions.some(
    (action) => action.kind === "file" && isOf(action, exec) && action.operation === "read" && JSON.stringify(action.target) === key,
  );
  if (!isTold) cx.add({ kind: "file", operation: "read", target, origin: { by: "command", exec } });
}

/** Where an action ends up through the link; undefined: it does not go there. */
function through({ path, to }: Way, { operation, target }: FileAction): Target | undefined {
  switch (target.kind) {
    case "path":
    case "tree": {
      if (target.path === path && ON_THE_LINK.has(operation)) return undefined;
      const rest = below(target.path, path);
      if (rest !== undefined) return moved(to, rest, target.kind === "tree" ? target : undefined);
      const follows = target.kind === "tree" && target.filter?.follows === true && below(path, target.path) !== undefined;
      return follows && to.kind === "path" ? { ...target, path: to.path } : undefined;
    }
    case "glob": {
      const segments = target.pattern.split("/");
      const own = path.split("/");
      if (segments.length < own.length || !own.every((name, at) => mayMatch(segments[at] ?? "", name))) return undefined;
      const rest = segments.slice(own.length);
      if (rest.length === 0) return ON_THE_LINK.has(operation) ? undefined : to;
      if (to.kind !== "path") return { kind: "unknown", why: "what lies behind a link" };
      return { kind: "glob", pattern: `${to.path.replace(/[\\*?[\]{}]/g, "\\$&")}/${rest.join("/")}` };
    }
    case "unknown": {
      if (target.within === undefined) return undefined;
      const rest = below(target.within, path);
      if (rest !== undefined) return to.kind === "path" ? { ...target, within: `${to.path}${rest}` } : { kind: "unknown", why: target.why };
      return below(path, target.within) === undefined || to.kind !== "path" ? undefined : { ...target, within: to.path };
    }
  }
}

/** `/b/c` of `/a/b/c` below `/a`; empty where they are the same. */
function below(path: string, folder: string): string | undefined {
  if (path === folder) return "";
  return path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

function moved(to: Target, rest: string, tree: (Target & { kind: "tree" }) | undefined): Target {
  if (to.kind !== "path") return rest === "" ? to : { kind: "unknown", why: "what lies behind a link" };
  const path = resolvePath("/", `${to.path}${rest}`);
  return tree === undefined ? { kind: "path", path } : { ...tree, path };
}

/** A pattern's segment against a name: what is no plain name may mean any. */
const mayMatch = (segment: string, name: string): boolean =>
  /[*?[{]/.test(segment) ? !name.startsWith(".") || segment.startsWith(".") : segment.replace(/\\(.)/g, "$1") === name;

/** Something below a folder in which the line makes links whose names are not known. */
function isBelowUnknown(cx: Context, action: Action): boolean {
  if (action.kind !== "file" || action.upkeep === true) return false;
  return cx.links.some(({ at, exec }) => {
    if (at.kind === "path" || isOf(action, exec)) return false;
    const folder = at.kind === "unknown" ? at.within : undefined;
    const { target } = action;
    const path = target.kind === "path" || target.kind === "tree" ? target.path : target.kind === "glob" ? target.pattern : target.within;
    return folder === undefined || path === undefined || below(path, folder) !== undefined;
  });
}

/** The link, or a folder that holds it, is renamed or copied on. */
function carriesAway(cx: Context, { link, path }: Way, action: Action, at: number): boolean {
  if (at < link.since || action.kind !== "file" || isOf(action, link.exec) || action.origin.by !== "command") return false;
  const { operation, target } = action;
  if (operation !== "rename" && operation !== "read" && operation !== "link") return false;
  const named = target.kind === "path" || target.kind === "tree" ? target.path : undefined;
  if (named === undefined || below(path, named) === undefined) return false;
  const { exec } = action.origin;
  // ln -s looks at nothing that it names.
  if (cx.links.some((other) => other.exec === exec)) return false;
  return cx.actions.some(
    (other) =>
      other !== action && other.kind === "file" && isOf(other, exec) && (other.operation === "write" || other.operation === "link"),
  );
}
