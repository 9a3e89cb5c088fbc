import {
  type Action,
  type CodeAction,
  DATABASE_FILE,
  type FileOperation,
  type NetAction,
  type ProcessAction,
  type RemoteAction,
} from "./action.ts";
import { brief, filled, printArgument, printHost, printTarget, visible } from "./print.ts";

/** What an action does, as a person would say it after "wants to": `delete /home/me/a and everything in it`. Safe to print. */
export function sayAction(action: Action): string {
  return wordsOf(action).trimEnd();
}

function wordsOf(action: Action): string {
  switch (action.kind) {
    case "exec":
      return `run ${brief(action.argv.map(printArgument).join(" "))}`;
    case "file":
      return `${FILE_VERBS[action.operation]} ${brief(printTarget(action.target))}${action.recursive === true ? " and everything in it" : ""}`;
    case "net":
      return `${NET_VERBS[action.operation]} ${brief(filled(action.url) ?? printHost(action))}`;
    case "remote":
      return `${REMOTE_VERBS[action.operation]} ${visible(SERVICES.get(action.service) ?? filled(action.service) ?? "a service")}`;
    case "process":
      return `${PROCESS_VERBS[action.operation]} ${action.target === "" ? "a process" : `process ${brief(action.target)}`}`;
    case "system":
      return `change the machine's ${visible(action.area)}`;
    case "privilege":
      return `gain rights: ${brief(action.detail)}`;
    case "code":
      return `run ${wordsOfCode(action)}${action.detail === undefined ? "" : `: ${brief(action.detail, 60)}`}`;
    case "tool":
      return `use the tool ${brief(action.name)}`;
  }
}

const FILE_VERBS: Readonly<Record<FileOperation, string>> = {
  read: "read",
  list: "list",
  write: "write",
  edit: "change",
  delete: "delete",
  rename: "move",
  mkdir: "create the folder",
  link: "create the link",
  metadata: "change times or permissions of",
  execute: "start",
};
const NET_VERBS: Readonly<Record<NetAction["operation"], string>> = {
  connect: "connect to",
  listen: "accept connections on",
  fetch: "fetch",
};
const REMOTE_VERBS: Readonly<Record<RemoteAction["operation"], string>> = {
  read: "read data on",
  change: "change data on",
  publish: "publish on",
  destroy: "destroy data on",
};
const SERVICES: ReadonlyMap<string, string> = new Map([
  ["git", "the git server"],
  ["database", "a database"],
  [DATABASE_FILE, "an SQLite database"],
]);
const PROCESS_VERBS: Readonly<Record<ProcessAction["operation"], string>> = {
  signal: "send a signal to",
  trace: "look into",
  priority: "change the priority of",
};

function wordsOfCode({ language, source }: CodeAction): string {
  const named = filled(language);
  switch (source) {
    case "project":
      return named === undefined || named === "project" ? "project scripts" : `project scripts (${visible(named)})`;
    case "inline":
      return named === undefined ? "code" : `${visible(named)} code`;
    case "file":
      return named === undefined ? "a script" : `a ${visible(named)} script`;
    case "data":
      return `${named === undefined ? "code" : `${visible(named)} code`} that is only known at run time`;
  }
}
