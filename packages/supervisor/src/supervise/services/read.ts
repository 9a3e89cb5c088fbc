import { isWithin } from "@assent/core/path";

/**
 * Reads `packages/core/knowledge/services/*.table`, whose form packages/core/knowledge/README.md explains: what tools keep for themselves, whom they talk to,
 * where their logins lie. `#knowledge/services` is made of them, examples left out.
 */

/** A tool, by the names of its programs. `~/` is home, `./` the folder it works in. */
export interface KnownToolService {
  readonly names: readonly string[];
  /** Data, or what is checked before it is used, or made anew: nothing runs from it as it lies there. */
  readonly cache?: readonly string[];
  /** Code that a later command runs as it finds it. */
  readonly later?: readonly string[];
  /** Places among these in which programs that the tool starts work, too. */
  readonly builds?: readonly string[];
  /** Variables that put what lies below a folder somewhere else. */
  readonly moved?: readonly (readonly [variable: string, folder: string])[];
  /** Of its registry; they take uploads, too. */
  readonly hosts?: readonly string[];
  /** Hosts that only hand out. */
  readonly downloads?: readonly string[];
  /** Where a person may have named another registry: `$VARIABLE`, or a file and the keys in it. */
  readonly registry?: readonly (readonly string[])[];
  readonly login?: readonly string[];
  /** The subcommands for which it has its logins, `-` where there is none: with others the project's code works in its own process. */
  readonly loginFor?: readonly string[];
  /**
   * Code of the project, or of packages, always works in its own process: a file of its logins is its own only where none of these words
   * stands in it, so that there is none in it.
   */
  readonly loginUnless?: readonly string[];
  /** Files of the project that it loads as code, or that name such, all or if a word stands in them: where one lies, it has no login. */
  readonly loads?: readonly (readonly [file: string, ...words: string[]])[];
  /** Programs that do its talking and writing for it: `git`, or a program with a word that tells it. */
  readonly helpers?: readonly (readonly [program: string, word?: string])[];
  /** The name that knowledge has for the service. */
  readonly service?: string;
  /** The project's code runs in the tool's own process; with these subcommands at least; `unless`: with all but those of `loginFor`. */
  readonly projectCode?: true | "unless" | readonly string[];
}

export interface ToolServiceExample {
  readonly verdict: "allow" | "ask";
  readonly does: "write" | "read" | "connect";
  readonly what: string;
}

export interface ToolServiceBlock {
  readonly tool: KnownToolService;
  readonly examples: readonly ToolServiceExample[];
  readonly line: number;
}

export interface ToolServiceTables {
  readonly blocks: readonly ToolServiceBlock[];
  /** `packages/core/knowledge/services/NAME.table:LINE: what is wrong`. */
  readonly mistakes: readonly string[];
}

type ToolDraft = { -readonly [K in keyof KnownToolService]: KnownToolService[K] };

const LISTS = ["cache", "later", "builds", "hosts", "downloads", "login"] as const;
const VERDICTS = ["allow", "ask"] as const;
const DEEDS = ["write", "read", "connect"] as const;

const isIn = <T extends string>(list: readonly T[], word: string): word is T => list.some((one) => one === word);
const PLACE = /^(?:~\/|\.\/|\/(?:etc|tmp)\/)[^*?[\]~]*[^*?[\]~/]$/;
/** `~/a/b_*`: names there that begin so. */
const BEGINNING = /^~\/(?:[^*?[\]~/]+\/)+[^*?[\]~/]+\*$/;
const HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/;
const NAME = /^[\w.+-]+$/;
const VARIABLE = /^[A-Za-z_]\w*$/;

/** All tables together. A name stands in one block only. */
export function readToolServices(files: readonly { readonly name: string; readonly text: string }[]): ToolServiceTables {
  const blocks: ToolServiceBlock[] = [];
  const mistakes: string[] = [];
  const names = new Set<string>();
  for (const { name: file, text } of files) {
    let draft: ToolDraft | undefined;
    let examples: ToolServiceExample[] = [];
    let start = 0;
    const complain = (line: number, message: string): void =>
      void mistakes.push(`packages/core/knowledge/services/${file}.table:${line}: ${message}`);
    const finish = (): void => {
      if (draft === undefined) return;
      for (const verdict of VERDICTS)
        if (!examples.some((one) => one.verdict === verdict) && (verdict === "ask" || offersAnything(draft)))
          complain(start, `${draft.names[0] ?? ""} has no example of \`${verdict}:\``);
      blocks.push({ tool: draft, examples, line: start });
    };
    for (const [at, raw] of text.split("\n").entries()) {
      const line = raw.trim();
      if (line === "" || line.startsWith("#")) continue;
      if (!raw.startsWith(" ")) {
        finish();
        draft = { names: line.split(/\s+/) };
        examples = [];
        start = at + 1;
        for (const name of draft.names) {
          if (!NAME.test(name)) complain(at + 1, `\`${name}\` is not the name of a program`);
          if (names.has(name)) complain(at + 1, `${name} stands in another block, too`);
          names.add(name);
        }
        continue;
      }
      const [, key = line, value = ""] = /^([a-z-]+):\s+(.*)$/.exec(line) ?? [];
      if (draft === undefined) complain(at + 1, "it belongs to no tool");
      else if (isIn(VERDICTS, key)) {
        const example = readExample(key, value);
        if (example === undefined) complain(at + 1, `\`${value}\`: write, read or connect, and what`);
        else examples.push(example);
      } else {
        const wrong = readField(draft, key, value);
        if (wrong !== undefined) complain(at + 1, wrong);
      }
    }
    finish();
  }
  return { blocks, mistakes };
}

const offersAnything = ({ cache, later, hosts, downloads, login }: KnownToolService): boolean =>
  [cache, later, downloads, login].some((list) => list !== undefined) || hosts !== undefined;

function readExample(verdict: "allow" | "ask", text: string): ToolServiceExample | undefined {
  const [does = "", ...rest] = text.split(" ");
  return isIn(DEEDS, does) && rest.length > 0 ? { verdict, does, what: rest.join(" ") } : undefined;
}

const items = (value: string): readonly string[] =>
  value
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** A path lies at or below a place of a tool. */
export const isAtPlace = (path: string, place: string): boolean =>
  place.endsWith("*") ? path.startsWith(place.slice(0, -1)) : isWithin(path, place);

/** A row of `#knowledge/services`: names, then fields. */
export function toolOf([names = "", ...fields]: readonly string[]): KnownToolService {
  const draft: ToolDraft = { names: names.split(" ") };
  for (const field of fields) {
    const [key = "", value = ""] = field.split(/: ?(.*)/s);
    readField(draft, key, value);
  }
  return draft;
}

/** What is wrong with it. */
function readField(draft: ToolDraft, key: string, value: string): string | undefined {
  const list = items(value);
  if (key === "project-code") {
    draft.projectCode = value === "" ? true : value === "unless" ? value : value.split(/\s+/);
    return value === "unless" && draft.loginFor === undefined ? "project-code: unless what? `login-for` stands before it" : undefined;
  }
  if (key === "login-for") {
    draft.loginFor = [...(draft.loginFor ?? []), ...value.split(/\s+/).filter((one) => one !== "")];
    return draft.loginFor.length === 0 ? "login-for: which subcommands?" : undefined;
  }
  if (key === "login-unless") {
    draft.loginUnless = [
      ...(draft.loginUnless ?? []),
      ...value
        .toLowerCase()
        .split(/\s+/)
        .filter((one) => one !== ""),
    ];
    return draft.loginUnless.length === 0 ? "login-unless: which words?" : undefined;
  }
  if (list.length === 0) return `${key}: its value is missing, or the key is unknown`;
  if (isIn(LISTS, key)) {
    const fits = key === "hosts" || key === "downloads" ? HOST : PLACE;
    const odd = list.find((one) => !fits.test(one) && !(key === "cache" && BEGINNING.test(one)));
    if (odd !== undefined) return `${key}: \`${odd}\` is not a ${fits === HOST ? "host" : "place"}`;
    draft[key] = [...(draft[key] ?? []), ...list];
    return undefined;
  }
  switch (key) {
    case "moved": {
      const pairs = list.map((one) => one.split("="));
      const odd = pairs.find(([name = "", place = "", more]) => !VARIABLE.test(name) || !PLACE.test(place) || more !== undefined);
      draft.moved = [...(draft.moved ?? []), ...pairs.map(([name = "", place = ""]) => [name, place] as const)];
      return odd === undefined ? undefined : `moved: \`${odd.join("=")}\` is not a VARIABLE=FOLDER`;
    }
    case "loads": {
      const rows = list.map((one) => one.split(/\s+/));
      const odd = rows.find(([file = ""]) => !PLACE.test(file) || !file.startsWith("./"));
      draft.loads = [...(draft.loads ?? []), ...rows.map(([file = "", ...words]) => [file, ...words] as const)];
      return odd === undefined ? undefined : `loads: \`${odd.join(" ")}\` is not a file of the project`;
    }
    case "registry": {
      const rows = list.map((one) => one.split(/\s+/));
      draft.registry = [...(draft.registry ?? []), ...rows];
      const odd = rows.find(([where = "", ...keys]) => (where.startsWith("$") ? keys.length > 0 : keys.length === 0));
      return odd === undefined ? undefined : `registry: \`${odd.join(" ")}\` is neither $VARIABLE nor FILE KEY…`;
    }
    case "helpers": {
      const rows = list.map((one) => one.split(/\s+/));
      const read = rows.map(([program = "", word]) => (word === undefined ? ([program] as const) : ([program, word] as const)));
      draft.helpers = [...(draft.helpers ?? []), ...read];
      const odd = rows.find(([program = "", , more]) => !NAME.test(program) || more !== undefined);
      return odd === undefined ? undefined : `helpers: \`${odd.join(" ")}\` is not a PROGRAM, or PROGRAM WORD`;
    }
    case "service":
      draft.service = value;
      return NAME.test(value) ? undefined : `service: \`${value}\` is not a name`;
    default:
      return `unknown key: ${key}`;
  }
}
