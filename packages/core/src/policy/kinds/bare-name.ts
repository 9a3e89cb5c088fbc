import { EVERYDAY } from "#knowledge/traits";
import { doubtCallName } from "./call.ts";
import { HOST_TOOLS } from "../tables/host-tools.ts";
import { closest, distance, likest, shortSlip } from "../match/suggest.ts";

/** Names of rules that mean something else than a tool of that name. */
const NAMES = ["Bash", "Shell", "Read", "Edit", "Write", "Delete", "List", "Exec", "Net", "Glob", "Grep", "WebFetch", "WebSearch"];

/** A command that people write as if it were a rule: with a scope, or with a capital, where it could be a tool as well. */
const isEveryday = (name: string): boolean => EVERYDAY.has(name.toLowerCase());

/** Ends of names that are hosts far oftener than files. */
const DOMAIN = /^(?:\*\.)?(?:[\w-]+\.)+(?:com|org|net|edu|gov|io|dev|ai|app|cloud|info|co|local|internal|uk|de|fr|eu|us|cn|ru|jp)$/i;
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Why a name may guard nothing, and one way to write what was surely meant. */
export interface NameDoubt {
  readonly text: string;
  /** What was meant is so clear that the rule is none: it would be lost in silence. */
  readonly meant?: string;
}

/**
 * Why a rule that is read as the name of a tool may guard nothing. `scope` is undefined where there are no parentheses.
 * `Name(*)` says that the tool is meant, and so does `{ "tool": "Name" }`.
 */
export function doubtName(name: string, scope: string | undefined): NameDoubt | undefined {
  // A tool of an agent may be called so, and is judged by what it does.
  const isKnown = Object.values(HOST_TOOLS).some((tools) => tools.includes(name));
  const isMeant = !isKnown && (scope !== undefined || /^[A-Z]/.test(name));
  const call = doubtCallName(name, scope !== undefined);
  if (call !== undefined)
    return {
      text: `\`${name}\` is taken as the name of a tool; the system call is written \`${call}\``,
      ...(scope === undefined ? {} : { meant: call }),
    };
  const written = scope === "" ? undefined : scope;
  const doubt = meantByName(name, written);
  if (doubt === undefined) return undefined;
  const [, meant] = isMeant ? (/^; did you mean (`.*`)\?$/s.exec(doubt) ?? []) : [];
  const isNear = meant !== undefined && !/^mcp|__|\*/.test(name) && isAlmost(name, /^`(\w+)/.exec(meant)?.[1] ?? "");
  return { text: `\`${name}\` is taken as the name of a tool${doubt}`, ...(isNear ? { meant: meant.slice(1, -1) } : {}) };
}

/** A slip of the finger, and no other word. */
const isAlmost = (name: string, meant: string): boolean =>
  (likest(name, [meant]) ?? shortSlip(name, [meant])) !== undefined &&
  distance(name.toLowerCase(), meant.toLowerCase()) <= (name.length < 7 ? 1 : 2);

function meantByName(name: string, scope: string | undefined): string | undefined {
  if (NAMES.includes(name)) return undefined;
  // The rule of Claude Code for all that a server has.
  if (/^mcp__[^*]+$/.test(name) && !/^mcp__.+?__/.test(name)) return `; all tools of the server are written \`${name}__*\``;
  if (name.includes("__") || scope === "*") return undefined;
  const cased = NAMES.find((one) => one.toLowerCase() === name.toLowerCase());
  if (cased !== undefined) return `; did you mean \`${cased}${scope === undefined ? "" : `(${scope})`}\`?`;
  const host = Object.keys(HOST_TOOLS).find((rule) => HOST_TOOLS[rule]?.includes(name) === true);
  if (host !== undefined && !isEveryday(name)) {
    const rule = scope === undefined ? host : `${host}(${scope})`;
    return `, but agents' tools of that name are judged by what they do; write \`${rule}\`, for a tool of your own \`${name}(*)\``;
  }
  const short = scope !== undefined && /^[A-Z]/.test(name) ? shortSlip(name, NAMES) : undefined;
  const near = name.length < 4 || name.includes("*") ? short : closest(name, NAMES);
  if (near !== undefined && (scope !== undefined || !isEveryday(name)))
    return `; did you mean \`${near}${scope === undefined ? "" : "(…)"}\`?`;
  if (scope !== undefined) {
    const words = scope.replace(/(?::\*| \*|\*)$/, "").trim();
    return isEveryday(name) ? `; the command is written \`Bash(${`${name.toLowerCase()} ${words}`.trim()}:*)\`` : undefined;
  }
  const place = meantPlace(name);
  if (place !== undefined) return `; ${place}`;
  if (!/^[a-z][a-z0-9+-]*\*?$/.test(name) && !isEveryday(name)) return undefined;
  const command = (isEveryday(name) ? name.toLowerCase() : name).replace("*", "");
  return `; the command is written \`Bash(${command}:*)\`, a tool of that name \`${name}(*)\``;
}

/** A file or a host, written alone. */
function meantPlace(text: string): string | undefined {
  const url = /^[a-z]+:\/\/([^/:]+)/i.exec(text)?.[1];
  if (url !== undefined || DOMAIN.test(text)) return `a website is written \`WebFetch(domain:${url ?? text})\``;
  if (ADDRESS.test(text)) return `an address is written \`Net(${text})\``;
  if (text.includes("/") || /^[~.]/.test(text)) return `a file is written \`Read(${anywhere(text)})\` or \`Edit(${anywhere(text)})\``;
  return /^[\w*-]+(?:\.[\w*-]+)+$/.test(text) && !/^[\w-]+\.\*$/.test(text)
    ? `a file is written \`Read(${anywhere(text)})\` or \`Edit(${anywhere(text)})\``
    : undefined;
}

/** A lone name is meant wherever it lies, a folder with what is in it. */
function anywhere(text: string): string {
  const whole = text.endsWith("/") ? `${text}**` : text;
  return /^[^/~]+$/.test(whole) ? `**/${whole}` : whole;
}

/** What to write for a text that is no rule at all. */
export function nameHelp(text: string): string {
  const place = meantPlace(text);
  if (place !== undefined && !/\s/.test(text)) return place;
  const [, command, rest = ""] = /^([a-z][\w.+-]*)(?:(\s.*)|:\*)$/s.exec(text) ?? [];
  if (command !== undefined) {
    const words = rest.replace(/(?::\*| \*)$/, "").trimEnd();
    return `a command is written \`Bash(${command}${words}:*)\``;
  }
  const first = /^\w+/.exec(text)?.[0] ?? "Bash";
  return `a rule is a tool's name, or a name with its scope: \`${first}(…)\``;
}
