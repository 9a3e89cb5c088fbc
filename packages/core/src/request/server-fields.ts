import { isObject } from "../data/index.ts";
import type { Input, ToolFacts } from "./request.ts";
import { mayDestroy } from "./sql-fields.ts";

/**
 * What the input of a server's tool holds, wherever in it: commands, paths and addresses. Nobody says which field is what,
 * so a value counts by its field's name or by its look; a text that people read (`content`, `body`, …) is none of them.
 */
interface ServerFields {
  readonly commands: readonly ToolFacts[];
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  /** SQL that may destroy. */
  readonly statements: readonly string[];
  /** What is to stand in the environment of what is run, or is set by a command itself. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** The input, with the values under the names that the facts use. */
  readonly input: Input;
  /** The call also carries something to be written. */
  readonly content: boolean;
  /** A path holds a character that none has: whoever cuts it there, or shows it, means another one. */
  readonly refused: boolean;
  /** All of the input was looked at. */
  readonly complete: boolean;
}

const COMMAND = /^(?:command|cmd|script|shell|bash|commandline|shellcommand|runcommand|exec)s?$/;
const ARGUMENTS = /^(?:args|arguments|argv|parameters)$/;
const ENVIRONMENT = /^(?:(?:extra|process|custom|additional|child|with|set)?env(?:ironment)?(?:var|variable)?s?)$/;
const PATH =
  /(?:path|file|filename|dir|directory|folder|root|cwd|workdir|src|source|dest|destination|target|location|from|to|output|input|uri|url|href)s?$/;
const TEXT = new RegExp(
  "^(?:content|contents|body|text|message|description|prompt|query|question|comment|title|summary|note|notes|oldstring|" +
    "newstring|oldtext|newtext|oldstr|newstr|diff|patch|data|html|markdown|sql|code|snippet|value|reason)s?$",
);
const WRITTEN =
  /^(?:content|contents|body|text|data|newstring|newtext|newstr|oldstring|diff|patch|edits|replacement|insert|filetext|newcontent)s?$/;

const MOST_NODES = 20_000;
const MOST_VALUES = 200;
const LONGEST_PATH = 4096;

/** `filePath`, `file_path` and `File-Path` are one name. */
const plain = (field: string): string => field.replace(/[_\-\s.]/g, "").toLowerCase();

/** `tool`: its name, as rules have it. */
export function serverFields(tool: string, given: Input): ServerFields {
  const commands: ToolFacts[] = [];
  const input: Record<string, unknown> = {};
  const paths = new Set<string>();
  const urls = new Set<string>();
  const statements = new Set<string>();
  const variables: (readonly [string, string])[] = [];
  let content = false;
  let refused = false;
  let nodes = 0;

  const command = (value: unknown, beside: Input | undefined): void => {
    const rest = Object.entries(beside ?? {}).find(([name, list]) => ARGUMENTS.test(plain(name)) && Array.isArray(list))?.[1];
    const words: readonly unknown[] | undefined = Array.isArray(value) ? value : Array.isArray(rest) ? [value].concat(rest) : undefined;
    const field = `c${commands.length}`;
    if (commands.length >= MOST_VALUES) return;
    if (words !== undefined && words.length > 0 && words.every((word) => typeof word === "string")) {
      commands.push({ does: "argv", field });
      input[field] = words;
    } else if (typeof value === "string" && value !== "") {
      commands.push({ does: "shell", field });
      input[field] = value;
    }
  };
  const text = (name: string, value: string): void => {
    refused ||= isCorruptPath(name, value);
    if (value === "" || value.length > LONGEST_PATH || /[\n\r]/.test(value)) return;
    if (/^(?:https?|wss?|ftp):/i.test(value)) urls.add(value);
    else if (!TEXT.test(name) && (looksLikePath(value) || PATH.test(name))) paths.add(value);
  };
  // Without recursion: how deep it is nested is the server's to say.
  const open: (readonly [name: string, value: unknown, beside: Input | undefined])[] = [["", given, undefined]];
  for (let next = open.pop(); next !== undefined && nodes <= MOST_NODES; next = open.pop()) {
    const [name, value, beside] = next;
    nodes += 1;
    if (WRITTEN.test(name)) content = true;
    if (ENVIRONMENT.test(name) && typeof value === "object") {
      // Names of variables say nothing of their values, and `PATH` is a list.
      const own = variablesOf(value);
      variables.push(...own);
      if (own.length > 0 && isFlat(value)) {
        for (const [variable, said] of own) if (variable !== "PATH") for (const part of listed(said)) text("", part);
        continue;
      }
    } else if (ENVIRONMENT.test(name)) variables.push(...variablesOf(value));
    if (COMMAND.test(name) && (typeof value === "string" || Array.isArray(value))) command(value, beside);
    if (typeof value === "string" && mayDestroy(tool, name, value)) statements.add(value);
    if (typeof value === "string") text(name, value);
    else if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at -= 1) open.push([name, value[at], undefined]);
    else if (isObject(value)) for (const [field, inner] of Object.entries(value).toReversed()) open.push([plain(field), inner, value]);
  }
  const lists = [paths, urls, statements];
  const complete = nodes <= MOST_NODES && commands.length < MOST_VALUES && lists.every(({ size }) => size <= MOST_VALUES);
  variables.push(...variableOf(tool, given), ...assignments(commands, input));
  return {
    commands,
    paths: [...paths].slice(0, MOST_VALUES),
    urls: [...urls].slice(0, MOST_VALUES),
    statements: [...statements].slice(0, MOST_VALUES),
    variables,
    input,
    content,
    refused,
    complete: complete && variables.length <= MOST_VALUES,
  };
}

/** The parts of a list of folders, or the value. */
const listed = (value: string): readonly string[] => (/^[/~.][^:]*:[/~.]/.test(value) ? value.split(":").slice(0, MOST_VALUES) : [value]);

const isFlat = (value: unknown): boolean =>
  Object.values(value ?? {}).every((inner) => typeof inner !== "object" || (Array.isArray(value) && isObject(inner) && isFlat(inner)));

type Variables = readonly (readonly [name: string, value: string])[];

/** `set_env { name, value }`. */
function variableOf(tool: string, input: Input): Variables {
  if (!/env/i.test(tool.slice(tool.lastIndexOf("__") + 2))) return [];
  const name = input["name"] ?? input["key"] ?? input["variable"] ?? input["var"];
  return typeof name === "string" ? [[name, typeof input["value"] === "string" ? input["value"] : ""]] : [];
}

/** `LD_PRELOAD=./x.so ls`: what a command sets for itself, wherever in it. */
const assignments = (commands: readonly ToolFacts[], input: Input): Variables =>
  commands.flatMap((facts) => {
    const given = facts.does === "shell" || facts.does === "argv" ? input[facts.field] : undefined;
    const text = Array.isArray(given) ? given.join("\n") : given;
    if (typeof text !== "string" || !text.includes("=")) return [];
    return [...text.matchAll(/(?<![\w.-])([A-Za-z_]\w{0,100})=(?:"([^"]{0,1000})"|'([^']{0,1000})'|([^\s;&|)]{0,1000}))/g)].map(
      ([, name = "", double, single, bare]) => [name, double ?? single ?? bare ?? ""] as const,
    );
  });

/** `{ NAME: value }`, `["NAME=value"]`, `[{ name, value }]`, `"NAME=value"`. */
function variablesOf(value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === "string") {
    const lines = value.split(/[\n;]/).flatMap((line) => [/^\s*(?:export\s+)?([A-Za-z_][\w%()]*)=(.*)$/.exec(line) ?? []]);
    return lines.flatMap(([, name, text]) => (name === undefined ? [] : [[name, text ?? ""] as const]));
  }
  if (Array.isArray(value))
    return value.slice(0, MOST_NODES).flatMap((item) => (typeof item === "string" || isObject(item) ? variablesOf(item) : []));
  if (!isObject(value)) return [];
  const name = value["name"] ?? value["key"] ?? value["variable"];
  const pair = typeof name === "string" && "value" in value ? ([[name, value["value"]]] as const) : [];
  return [...Object.entries(value), ...pair].map(([key, text]) => [key, typeof text === "string" ? text : String(text)] as const);
}

/** A path and nothing else. Under the other names of `PATH` a text of several lines may stand. */
const PLAINLY_PATH = /(?:path|filename|dir|directory|folder|cwd|workdir)s?$/;
// oxlint-disable-next-line no-control-regex -- C0 and C1
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- the same without tab, LF and CR
const CONTROL_IN_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
/** Servers decode what they are given, some more than once. */
const MOST_DECODED = 5;

function isCorruptPath(name: string, value: string): boolean {
  if (TEXT.test(name) || /^(?:https?|wss?|ftp):/i.test(value)) return false;
  const plainly = PLAINLY_PATH.test(name);
  // An escape or a NUL inside a path must not keep it from looking like one.
  if (!plainly && !PATH.test(name) && !looksLikePath(value.split(CONTROL_IN_TEXT).join(""))) return false;
  const wrong = plainly ? CONTROL : CONTROL_IN_TEXT;
  let at = value;
  for (let times = 0; times <= MOST_DECODED; times += 1) {
    if (wrong.test(at)) return true;
    const next = at
      .replace(/%25/g, "%")
      .replace(/%([01][0-9a-f]|7f)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    if (next === at) return false;
    at = next;
  }
  return true;
}

/** From the root, from home, out of the folder, or a `file:` address. */
const looksLikePath = (value: string): boolean => /^(?:\/(?!\/)|~\/|~$|\.\.?\/|\.\.$|file:)/i.test(value) && !/\s{2}|[<>"|]/.test(value);
