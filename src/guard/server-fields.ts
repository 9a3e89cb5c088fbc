import type { Input, ToolFacts } from "./request.ts";

/**
 * What the input of a server's tool holds, wherever in it: commands, paths and addresses. Nobody says which field is what,
 * so a value counts by its field's name or by its look; a text that people read (`content`, `body`, …) is none of them.
 */
export interface ServerFields {
  readonly commands: readonly ToolFacts[];
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  /** The input, with the values under the names that the facts use. */
  readonly input: Input;
  /** The call also carries something to be written. */
  readonly content: boolean;
  /** All of the input was looked at. */
  readonly complete: boolean;
}

const COMMAND = /^(?:command|cmd|script|shell|bash|commandline|shellcommand|runcommand|exec)s?$/;
const ARGUMENTS = /^(?:args|arguments|argv|parameters)$/;
const PATH =
  /(?:path|file|filename|dir|directory|folder|root|cwd|workdir|src|source|dest|destination|target|location|from|to|output|input|uri|url|href)s?$/;
const TEXT =
  /^(?:content|contents|body|text|message|description|prompt|query|question|comment|title|summary|note|notes|oldstring|newstring|oldtext|newtext|oldstr|newstr|diff|patch|data|html|markdown|sql|code|snippet|value|reason)s?$/;
const WRITTEN =
  /^(?:content|contents|body|text|data|newstring|newtext|newstr|oldstring|diff|patch|edits|replacement|insert|filetext|newcontent)s?$/;

const MOST_NODES = 20_000;
const MOST_VALUES = 200;
const LONGEST_PATH = 4096;

/** `filePath`, `file_path` and `File-Path` are one name. */
const plain = (field: string): string => field.replace(/[_\-\s.]/g, "").toLowerCase();

export function serverFields(given: Input): ServerFields {
  const commands: ToolFacts[] = [];
  const input: Record<string, unknown> = {};
  const paths = new Set<string>();
  const urls = new Set<string>();
  let content = false;
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
    if (COMMAND.test(name) && (typeof value === "string" || Array.isArray(value))) command(value, beside);
    if (typeof value === "string") text(name, value);
    else if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at -= 1) open.push([name, value[at], undefined]);
    else if (isInput(value)) for (const [field, inner] of Object.entries(value).toReversed()) open.push([plain(field), inner, value]);
  }
  const complete = nodes <= MOST_NODES && paths.size <= MOST_VALUES && urls.size <= MOST_VALUES && commands.length < MOST_VALUES;
  return { commands, paths: [...paths].slice(0, MOST_VALUES), urls: [...urls].slice(0, MOST_VALUES), input, content, complete };
}

/** From the root, from home, out of the folder, or a `file:` address. */
const looksLikePath = (value: string): boolean => /^(?:\/(?!\/)|~\/|~$|\.\.?\/|\.\.$|file:)/i.test(value) && !/\s{2}|[<>"|]/.test(value);

const isInput = (value: unknown): value is Input => typeof value === "object" && value !== null && !Array.isArray(value);
