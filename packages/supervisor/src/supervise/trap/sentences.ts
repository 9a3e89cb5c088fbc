import { lstatSync } from "node:fs";
import { type Action, brief, type Call, type FileAction, sayAction, visible } from "@assent/core/action";
import { isWithin, parentOf } from "@assent/core/path";
import type { CommandPlan, NamedChange } from "../services/plans.ts";
import { isForFilling, replacedByLock } from "./created-files.ts";

/** What a call wants, as a person would say it after "wants to". Safe to print. */
export function sayWish(action: Action, call: Call, note: string | undefined, home: string): string {
  switch (action.kind) {
    case "file":
      return sayFile(action, call, note, home);
    case "net": {
      const host = action.host ?? action.why ?? "an unknown host";
      const port = action.port === undefined || action.port === 0 ? "" : String(action.port);
      if (action.operation === "listen") return `accept connections on ${port === "" ? "a free port" : `port ${port}`} (${visible(host)})`;
      const at = port === "" ? visible(host) : `${visible(host)}, port ${port}`;
      return `${action.operation === "connect" ? "connect to" : "send data to"} ${at}`;
    }
    case "exec":
      return `start ${sayAction(action).replace(/^run /, "")}`;
    default:
      return sayAction(action);
  }
}

const MOST_NAMED = 2;

/** A link as it is named in the end, whatever it is called while it is made. */
export const asNamed = (path: string, { name, args: [first = ""] }: Call): Pick<FileAction, "target" | "call"> => ({
  target: { kind: "path", path },
  call: { name, args: [first, path] },
});

/** The whole that a call is a part of. Safe to print. */
export function sayPlan({ is, does, into, programs }: CommandPlan, home: string): string {
  const short = (paths: readonly string[]): string => paths.map((path) => shortPath(path, home)).join(" and ");
  if (is === "cache") return `keep its own files in ${short(into.slice(0, MOST_NAMED))}${into.length > MOST_NAMED ? " and so on" : ""}`;
  if (does !== undefined) return sayNamed(does, into, home);
  const [first] = programs;
  if (into.length === 0) return `put programs into ${short(programs)}`;
  const to = shortPath(commonFolder([...into, ...programs]), home);
  return `install into ${to}${first === undefined ? "" : `, with programs in ${shortPath(first, home)}`}`;
}

function sayNamed(does: NamedChange, into: readonly string[], home: string): string {
  const all = into.map((path) => shortPath(path, home));
  const names = all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}`;
  if (does === "folders")
    return `create the folders ${names}${into.every((path) => isForFilling(path, home)) ? " and put files into them" : ""}`;
  if (does === "gone") return `delete ${names}`;
  const there = into.filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined).length;
  return `${there === into.length ? "change" : there === 0 ? "create" : "create or change"} ${names}`;
}

function commonFolder(paths: readonly string[]): string {
  const [first = "/", ...rest] = paths;
  let at = first;
  while (at !== "/" && !rest.every((path) => isWithin(path, at))) at = parentOf(at);
  return at;
}

/** A path as people write it. */
export function shortPath(path: unknown, home: string): string {
  const text = typeof path === "string" ? path : "";
  return brief(text === home ? "~" : text.startsWith(`${home}/`) && home !== "/" ? `~${text.slice(home.length)}` : text);
}

function sayFile(action: FileAction, call: Call, note: string | undefined, home: string): string {
  const [first, second] = call.args;
  const { target } = action;
  const at = shortPath(target.kind === "path" || target.kind === "tree" ? target.path : first, home);
  switch (call.name) {
    case "open":
    case "create":
      if (note === "new file") return sayNew(typeof first === "string" ? first : "", home);
      if (note !== undefined) return `create a ${note} in ${at.replace(/\/[^/]*$/, "")}`;
      if (action.operation === "read") return `read ${at}`;
      if (action.operation === "list") return `list the folder ${at}`;
      return action.operation === "write" ? `overwrite ${at}` : `change ${at}`;
    case "mkdir":
      return `create the folder ${at}${typeof first === "string" && isForFilling(first, home) ? " and put files into it" : ""}`;
    case "rmdir":
      return `delete the folder ${at}`;
    case "delete":
      return `delete ${at}`;
    case "rename":
      return `${note === undefined ? "move" : "replace by a move"} ${shortPath(first, home)} ${note === undefined ? "to" : "→"} ${shortPath(second, home)}`;
    case "link":
      return `give ${shortPath(first, home)} a second name, ${shortPath(second, home)}`;
    case "symlink":
      return `create the link ${at}, which leads to ${shortPath(first, home)}`;
    case "mknod":
      return `create ${at} (a ${typeof second === "string" ? visible(second) : "special file"})`;
    case "truncate":
      return `cut ${at} to ${typeof second === "string" ? visible(second) : "another"} bytes`;
    case "chmod":
      return `change the permissions of ${at} to ${typeof second === "string" ? visible(second) : "others"}`;
    case "chown":
      return `change the owner of ${at}`;
    case "utime":
      return `change the times of ${at}`;
    case "setxattr":
    case "removexattr":
    case "chattr":
      return `change the attributes of ${at}`;
    case "connect":
    case "send":
      return `connect to the socket ${at}`;
    case "bind":
    case "listen":
      return `accept connections on the socket ${at}`;
    default:
      return sayAction(action);
  }
}

/** What is written beside a file takes its place. */
function sayNew(path: string, home: string): string {
  const real = replacedByLock(path, home);
  return real === undefined ? `create the file ${shortPath(path, home)}` : `change ${shortPath(real, home)}`;
}
