import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { type Call, type FileAction, visible } from "@assent/core/action";
import { isWithin, joinPath, parentOf } from "@assent/core/path";
import { type Verdict, verdictOf } from "@assent/core/policy";
import { pathBytes, pathText } from "../kernel/index.ts";
import { type MoveContext, probe } from "./moves.ts";
import { ALLOWED, isMeant } from "./verdicts.ts";

/** What judging links needs of the run's judge. */
export interface LinkContext extends MoveContext {
  readonly home: string;
  /** Where a host writes beside each command that it starts, without the sandbox: directly in a temporary folder, or in one of its own there. */
  readonly isOfHost: (path: string) => boolean;
}

/**
 * A link is what it leads to. Nothing confined reads a secret through one, but what is started without the sandbox opens files
 * by names that were judged before, or that no argument names: a command that waits before it reads (`sleep 5; cat a`), git,
 * which prints what it does not understand of `.git/shallow`, a linter and its settings. So none is made, or moved to where
 * it leads there, nor one in the way of what a host writes by itself.
 */
export function judgeLinks(context: LinkContext, actions: readonly FileAction[]): Verdict {
  for (const call of new Set(actions.map((action) => action.call))) {
    for (const [at, text] of linksOf(call, context)) {
      const places = placesOf(at, text, context);
      const found = places.find((place) => leadsToSecret(place, context));
      if (found !== undefined) return LEADS(at, found);
      const aside = context.isOfHost(at) ? places.find((place) => isOthers(place, context)) : undefined;
      if (aside !== undefined) return IN_THE_WAY(at, aside);
    }
  }
  return ALLOWED;
}

const LEADS = (link: string, place: string): Verdict => ({
  decision: "ask",
  basis: "protection",
  builtin: "protect.secrets",
  reason: `the link ${visible(link)} would lead to a secret, or to a folder with secrets: ${visible(place)}`,
  help: { person: "make the link yourself, if you want it", model: "copy what is needed, or ask the user to make the link" },
});

/** Another name of a secret, by which it would be read and changed: no single rule lets that through. */
export function asLink({ decision }: Verdict, { call }: FileAction, secret: string): Verdict | undefined {
  const [, name] = call?.name === "link" ? call.args : [];
  return typeof name === "string" ? { ...LEADS(name, secret), decision } : undefined;
}

/** Claude Code writes the folder it is in to `/tmp/claude-XXXX-cwd` behind every command, wherever a link of that name leads. */
const IN_THE_WAY = (link: string, place: string): Verdict =>
  verdictOf("ask", "run.link-in-the-way", { reason: `what other programs write to ${visible(link)} would end up in ${visible(place)}` });

/** Nothing that a run may write. */
function isOthers(place: string, { file, isOwnPlace }: LinkContext): boolean {
  return kindAt(place) !== "folder" && (!isOwnPlace(place) || isMeant(file(probe("edit", place), true)));
}

type Link = readonly [at: string, text: string];

/** The links that a call makes, each with its text. */
function linksOf(call: Call | undefined, { objects }: MoveContext): readonly Link[] {
  const [from, to] = call?.args ?? [];
  if (call === undefined || typeof from !== "string" || typeof to !== "string") return [];
  if (call.name === "symlink") return [[to, from]];
  // Beside where it was it leads to the same place.
  if ((call.name !== "rename" && call.name !== "link") || parentOf(from) === parentOf(to)) return [];
  const links = [...moved(from, to), ...moved(to, from)];
  if (call.name === "link" || links.length > 0 || kindAt(from) !== "folder") return links;
  objects.within(from, (inside) => links.push(...moved(from + inside, to + inside)));
  return links;
}

/** Where there is nothing, or no link, there is none to move. */
function moved(from: string, to: string): Link[] {
  return kindAt(from) === "link" ? [[to, pathText(readlinkSync(pathBytes(from), { encoding: "buffer" }))]] : [];
}

function kindAt(path: string): "link" | "folder" | "other" | undefined {
  try {
    const stats = lstatSync(pathBytes(path), { throwIfNoEntry: false });
    return stats === undefined ? undefined : stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : "other";
  } catch {
    // A folder on the way may not be looked into, by nobody with these rights.
    return undefined;
  }
}

/**
 * Where a link leads, and may lead once a folder on its way is another (`d/../../x`, proc_pid_cwd(5)): what follows its last
 * step upwards is looked for in every folder above it.
 */
function placesOf(at: string, text: string, { isOwnPlace }: MoveContext): readonly string[] {
  const folder = parentOf(at);
  const places = [realOf(text.startsWith("/") ? text : `${folder}/${text}`)];
  const tail = /^.*(?:(?:^|\/)\.\.|\/proc\/[^/]+\/(?:task\/[^/]+\/)?cwd)\/+([^/].*)$/s.exec(text)?.[1];
  if (tail === undefined) return places;
  for (let above = folder; above !== "/";) {
    above = parentOf(above);
    if (!isOwnPlace(above)) places.push(realOf(joinPath(above, tail)));
  }
  return places;
}

/** As the kernel would find it; what is not there yet lies in the last folder that is. */
function realOf(path: string): string {
  const segments = path.split("/");
  for (let end = segments.length; end > 1; end--) {
    try {
      const there = pathText(realpathSync.native(pathBytes(segments.slice(0, end).join("/")), { encoding: "buffer" }));
      const rest = segments.slice(end).filter((segment) => segment !== "");
      return rest.length === 0 ? there : joinPath(there, rest.join("/"));
    } catch {
      // Shorter.
    }
  }
  return joinPath("/", path);
}

function leadsToSecret(place: string, { file, home, objects, isOwnPlace }: LinkContext): boolean {
  // What is not there has nothing to show; a `.env` that a build makes later is the run's own.
  if (isMeant(file(probe("read", place), true))) return kindAt(place) !== undefined;
  if (kindAt(place) !== "folder") return false;
  if (isWithin(home, place)) return true;
  if (isOwnPlace(place) || !isWithin(place, home)) return false;
  let holds = false;
  objects.within(place, (inside) => (holds ||= isMeant(file(probe("read", place + inside), true))));
  return holds;
}
