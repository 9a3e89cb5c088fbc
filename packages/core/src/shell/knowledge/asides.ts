import { attempt } from "../../data/index.ts";
import { pathPattern } from "../../pattern/index.ts";
import { readGrammar } from "./reads.ts";

/**
 * What stands beside an entry of the tables: other parts of Assent know it of programs, and judging a command's arguments does not need it.
 * Here is the form of a row of each key; what reads the rows leaves out what it does not understand, so that another form is a mistake of
 * the table. packages/core/knowledge/README.md says what they mean.
 */
export type AsideKey = keyof typeof FORMS;

/** What is wrong with a row. */
type Check = (row: string) => string | undefined;

const form =
  (pattern: RegExp, help: string): Check =>
  (row) =>
    pattern.test(row) ? undefined : `\`${row}\` is not ${help}`;

/** `WHAT… -- WHY`, where each WHAT is as it should be. */
const habit =
  (isWhat: (word: string) => boolean, help: string): Check =>
  (row) => {
    const [, what] = /^(.+?)(?: if .+?)? -- \S.*$/.exec(row) ?? [];
    if (what === undefined) return `\`${row}\` says no reason: WHAT… -- WHY`;
    const odd = what.split(" ").find((word) => !isWhat(word));
    return odd === undefined ? undefined : `\`${odd}\` is not ${help}`;
  };

/** Several, separated by `;`, of which each is as it should be. */
const listOf =
  (pattern: RegExp, help: string): Check =>
  (row) => {
    const odd = row.split(";").find((one) => !pattern.test(one.trim()));
    return odd === undefined ? undefined : `\`${odd.trim()}\` is not ${help}`;
  };

const isFile =
  (...names: readonly string[]) =>
  (word: string): boolean =>
    word.startsWith("$") && !word.startsWith("$git/") ? names.includes(word) : pathPattern(word.replace(/^\$git/, ".git")).ok;

const NAME = String.raw`[^\sA-Z;~/*?[\]](?:[^A-Z;~/*?[\]]*[^\sA-Z;~/*?[\]])?`;
const PATH = `${NAME}(?:/${NAME})*`;

/** See the table of `secret` in the README. */
const SECRET = new RegExp(
  String.raw`^(?:[\w.-][^<>]*? -> )?(?:(?:~[\w#]+|#\d+[+/]?|#[\w.-]*[a-zA-Z][\w.-]*|<(?:secret|login|named)?|key|k=v|` +
    String.raw`[-/][\w.?-]*(?:[:;%,/=~.!+<]|>\d?)?)(?: (?=.)|$))+$`,
);

function isPattern(text: string): boolean {
  return attempt(() => new RegExp(text).source !== "", false);
}

/** `FILE; FILE [unless /WORD/] [needs /WORD/]` */
function isLogin(row: string): string | undefined {
  const [, files = row, ...patterns] = /^(.+?)(?: unless \/(.+?)\/i?)?(?: needs \/(.+)\/i?)?$/.exec(row) ?? [];
  const odd = patterns.find((pattern: string | undefined) => pattern !== undefined && !isPattern(pattern));
  return odd === undefined ? listOf(/^(?:~|\/etc)\/[^\s*?]+$/, "a file at home or in /etc")(files) : `\`${odd}\` is not a pattern`;
}

const FORMS = {
  secret: form(SECRET, "[SUBCOMMAND… ->] WHAT…, as the table of `secret` has it"),
  steered: form(/^(?:asked|noted)(?: [^\sA-Z;]+)+$/, "asked FILE… or noted FILE…, in small letters"),
  follows: form(
    /^(?:settings|(?:always |unless )?(?:[\w-][\w -]*(?: \| [\w -]+)* )?-- \S.*)$/,
    "settings, or [always] [unless] [SUBCOMMAND | …] -- WHAT",
  ),
  does: form(
    /^(?:looks|lists|skips|dials|stays|writes|links|removes|leaves)(?: [a-z-]+\*?)+(?: \|(?: [a-z-]+\*?)+)*$/,
    "what commands of git do, and which: looks SUBCOMMAND | SUBCOMMAND",
  ),
  login: isLogin,
  private: listOf(new RegExp(`^(?:~/${PATH}|/${PATH}|${PATH}/?)$`), "~/FILE, /PLACE, FOLDER/ or FILE, in small letters"),
  // A folder has at most four segments: `path-class.ts` looks no further.
  startup: listOf(
    new RegExp(`^(?:~/${PATH}|~/(?:${NAME}/){1,4}|/(?:etc|var|library)/${PATH})$`),
    "~/FILE, ~/FOLDER/ or /PLACE, in small letters",
  ),
  programs: listOf(new RegExp(`^(?:daily )?~/(?:${NAME}/){1,4}$`), "[daily] ~/FOLDER/, in small letters"),
  public: form(/^(?:forge )?[a-z\d.-]+\.[a-z]+(?: -> [a-z\d.-]+\.[a-z]+)?(?: [a-z\d.-]+\.[a-z]+)*$/, "[forge] HOST…, or HOST -> HOST…"),
  variables: form(
    /^(?:(?:exported|names|integer|array|computed|reset|keeps)(?: \w+\*?)+|decides(?: \w+)+ -- \S.*)$/,
    "what shells do with variables, and which: integer NAME…, or decides NAME… -- WHY",
  ),
  is: form(/^[a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)*$/, "what a program is: WORD WORD…"),
  with: form(/^[a-z]+ \S.*$/, "WHAT VALUE"),
  starts: habit((word) => /^(?:\/(?:.*\/)?|[\w.+*-]+)$/.test(word), "the name of a program, or a folder with a / at its end"),
  looks: habit(isFile("$root", "$cwd", "$project", "$listed", "$tracked", "$folder"), "a file, or a name of files that verify knows"),
  changes: habit(isFile("$read"), "a file, or $read"),
  links: habit(isFile(), "a file"),
  reaches: habit((word) => /^[a-z\d.-]+$/.test(word), "a host"),
} satisfies Readonly<Record<string, Check>>;

export const isAside = (key: string): key is AsideKey => Object.hasOwn(FORMS, key);

/** What is wrong with a row of a key. */
export const mistakeIn = (key: AsideKey, row: string): string | undefined => FORMS[key](row);

const nothing = form(/^$/, "nothing: the key takes no value");
const text = form(/./, "a text");
const VARIABLE_FORMS: Readonly<Record<string, Check>> = {
  harmless: (row) =>
    isPattern(/^(?:words )?\/(.*)\/$/.exec(row)?.[1] ?? "") && readGrammar(row) !== undefined ? undefined : `\`${row}\` is not a grammar`,
  is: text,
  steers: text,
  everyone: nothing,
  everywhere: nothing,
  folds: nothing,
  guessed: nothing,
  code: nothing,
};

/** What is wrong with a table of variables, by line. */
export function mistakesInVariables(table: string): readonly (readonly [line: number, key: string, message: string])[] {
  return table.split("\n").flatMap((raw, at) => {
    if (/^\s*(?:#|$)/.test(raw)) return [];
    const names = raw.startsWith(" ") ? undefined : raw.split(" ");
    const odd = names?.find((name) => name !== "@agents" && !/^\*?\w+\*?$/.test(name));
    if (names !== undefined) return odd === undefined ? [] : [[at + 1, odd, "it is not the name of a variable"] as const];
    const [, key = raw.trim(), value = ""] = /^ {2}([a-z]+)(?:: (.*))?$/.exec(raw) ?? [];
    const wrong = Object.hasOwn(VARIABLE_FORMS, key) ? VARIABLE_FORMS[key]?.(value) : "unknown field";
    return wrong === undefined ? [] : [[at + 1, key, wrong] as const];
  });
}
