import { SHIMS } from "#knowledge/traits";
import { FOLLOWS } from "#knowledge/follows";
import { type Action, type Argument, type ExecAction, type FileAction, sayAction, visible, type World } from "@assent/core/action";
import { isWithin, parentOf } from "@assent/core/path";
import { followingName, isObeyedBy, isShim, obeysFiles, type RequestVerdict, controlFile, whySandboxed } from "@assent/core/policy";
import { composeReads, loadsCompose } from "./compose-files.ts";
import { gitControlled, subcommandOf } from "./obeyed-git.ts";
import { type Machine, noteChanges, unseenChanges } from "../state/index.ts";

export { looksAtPlain } from "./obeyed-git.ts";

/**
 * When what a known program does hangs on files of the project that its arguments do not show: `obeysFiles` says which
 * programs are asked about. What is found here keeps the sandbox around an allowed command, and makes no question.
 */

/** A row of the key `follows`: what of the project decides what a program does, or only for some subcommands, or for all but those. */
interface Following {
  /** With a blank around each. */
  readonly names: string;
  readonly always: boolean;
  readonly unless: boolean;
  readonly subcommands: readonly string[] | undefined;
  readonly what: string;
}

let following: readonly Following[] | undefined;

const rows = (): readonly Following[] =>
  (following ??= FOLLOWS.split("\n").flatMap((row) => {
    const [, names = "", always, unless, words, what] = /^( .+ )\t(always )?(unless )?(?:(.+?) )?-- (.+)$/.exec(row) ?? [];
    const subcommands = words?.split(" | ");
    return what === undefined ? [] : [{ names, always: always !== undefined, unless: unless !== undefined, subcommands, what }];
  }));

const isOf = ({ names }: Following, name: string): boolean => names.includes(` ${name} `);

/** By the program, by the entry of the tables, or by its first operand where no entry knows that. */
function isFollowing(row: Following, exec: ExecAction): boolean {
  const { knowledge = "", program } = exec;
  const { subcommands, unless } = row;
  if (subcommands === undefined) return isOf(row, followingName(program)) || isOf(row, knowledge);
  return [knowledge, `${program} ${subcommandOf(exec)}`].some((words) => {
    const [, name = "", subcommand = ""] = /^(\S+) (.*)$/.exec(words) ?? [];
    return isOf(row, name) && (unless ? !subcommands.some((one) => subcommand.startsWith(one)) : subcommands.includes(subcommand));
  });
}

/** Even `--version` is answered by what a file chooses, or when the project's plugins are loaded. */
const isChosen = (program: string): boolean => rows().some((row) => row.always && isOf(row, program));
const ONLY_TELLS = /^(?:--?(?:version|help)|-[vVh]|version|help)$/;

/** Why what is allowed keeps the sandbox, on this machine. */
export function whyKeepsSandbox(found: RequestVerdict, world: World, machine: Machine): string | undefined {
  const controlsLater = (path: string, taking: boolean): boolean => controlFile(path, taking) !== undefined;
  return whySandboxed(found, { world, obeys: (exec) => whyObeys(exec, world, machine), controlsLater });
}

/** Why something allowed obeys a file of those that few write, which an agent has changed and nobody has looked at. */
export function whyUnseen({ actions }: RequestVerdict, world: World, machine: Machine): string | undefined {
  for (const { action, verdict } of actions) {
    if (action.kind !== "exec" || action.builtin === true || action.inert !== undefined || verdict.bare === true) continue;
    const why = obeysFiles(action.program, action.resolved) ? unseenFor(action, { world, machine, rare: true }) : undefined;
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Why what a known program does hangs on files that an agent may have written; undefined: it does not. */
function whyObeys(exec: ExecAction, world: World, machine: Machine): string | undefined {
  const what = whatControls(exec, world);
  return what === undefined ? unseenFor(exec, { world, machine }) : `${what}: ${sayAction(exec)}`;
}

interface Unseen {
  readonly world: World;
  readonly machine: Machine;
  /** Not of those that are written all day. */
  readonly rare?: true;
}

function unseenFor(exec: ExecAction, { world, machine, rare }: Unseen): string | undefined {
  const names = [exec.program, ...(isShim(exec.resolved) ? SHIMS : [])];
  const folders = (exec.folders ?? [world.cwd]).map((folder) => world.canonical(folder));
  const root = world.canonical(world.projectRoot);
  const changes = unseenChanges(machine, (path) => {
    if (!isWithin(path, root) && !folders.some((folder) => isWithin(folder, parentOf(path)))) return false;
    const file = controlFile(path);
    return file !== undefined && (rare !== true || file.effect === "asked") && names.some((name) => isObeyedBy(file, name));
  });
  if (changes.is === "unclear") return `${changes.why}: ${sayAction(exec)}`;
  const [changed] = changes.files;
  return changed === undefined
    ? undefined
    : `${visible(changed.path)} was changed by an agent and nobody has looked at it (\`assent seen\`): ${sayAction(exec)}`;
}

/**
 * Files are about to be changed on behalf of an agent: those that later commands obey are written down. Says what went
 * wrong: then nobody would know of the change.
 */
export function noteEdits(actions: readonly Action[], world: World, machine: Machine, by: string): string | undefined {
  const paths = actions.flatMap((action) => {
    if (action.kind !== "file" || LOOKS.has(action.operation) || action.target.kind !== "path") return [];
    const path = world.canonical(action.target.path);
    return controlFile(path) === undefined ? [] : [path];
  });
  return paths.length === 0 ? undefined : noteChanges(machine, paths, by);
}

const LOOKS: ReadonlySet<FileAction["operation"]> = new Set(["read", "list", "execute", "mkdir", "metadata"]);

function whatControls(exec: ExecAction, world: World): string | undefined {
  const { program, argv } = exec;
  const [, first, ...rest] = argv;
  if (first?.known === true && rest.length === 0 && ONLY_TELLS.test(first.text) && !isChosen(program)) return undefined;
  if (/^python3?(?:\.\d+)?$/.test(program)) return pythonLoads(argv);
  if (/^(?:node|nodejs)$/.test(program)) return nodeLoads(argv);
  if (program === "git" || program === "git-lfs") return gitControlled(exec, world);
  if (program === "man") return manReads(argv);
  if (program === "az") return azLoads(exec, world);
  if (loadsCompose(exec)) return composeReads(exec, world);
  return rows().find((row) => isFollowing(row, exec))?.what;
}

/** The text behind an option that takes code; undefined where it is not all known. */
function codeBehind(argv: readonly Argument[], option: RegExp): string | undefined {
  const at = argv.findIndex((argument) => argument.known && option.test(argument.text));
  const code = argv[at + 1];
  return at > 0 && code?.known === true ? code.text : undefined;
}

/**
 * sys.path: with `-c`, `-m` and standard input the working folder comes before the library, and python imports by itself as
 * well: for `'x'.encode('idna')`, for a warning. Not with -I and -P.
 */
function pythonLoads(argv: readonly Argument[]): string | undefined {
  const code = codeBehind(argv, /^-[a-zA-Z]*c$/);
  const safe = argv[1]?.known === true && /^-[IPBSsEqu]*[IP][IPBSsEqu]*c?$/.test(argv[1].text);
  return code !== undefined && safe && !/import|__|exec|eval|open_code|site/.test(code)
    ? undefined
    : "it imports modules from the folder it is started in before those of its own library";
}

/** Modules of node's own cannot be replaced by files; anything else is looked for in the project (nodejs.org, "All together"). */
function nodeLoads(argv: readonly Argument[]): string | undefined {
  if (argv.some((argument) => argument.known && /^(?:-c|--check)$/.test(argument.text))) return undefined;
  const code = codeBehind(argv, /^(?:-[a-z]*[ep]|--eval|--print)$/);
  return code !== undefined && !/require\s*\(\s*[^'"`\s]|require\s*\(\s*['"`][^'"`]*[./]|import|createRequire/.test(code)
    ? undefined
    : "it may load modules of the project";
}

/** A script that starts `python -m azure.cli`, by some without -I: then the working folder comes before the library. */
function azLoads({ resolved }: ExecAction, world: World): string | undefined {
  const script = resolved === undefined ? "" : (world.text?.(world.canonical(resolved)) ?? "");
  return /[\s'"]-(?![A-Za-z]*I)[A-Za-z]*m[\s'"]/.test(script)
    ? "it imports modules from the folder it is started in before those of its own library"
    : undefined;
}

/** man(1): a word with a slash, or each behind `-l`, is a file, and roff's `.so` in it prints any other. */
function manReads(argv: readonly Argument[]): string | undefined {
  const isFile = (argument: Argument): boolean => !argument.known || /\/|^-[a-zA-Z]*l|^--l/.test(argument.text);
  return argv.slice(1).some(isFile) ? "what it is given may include any file" : undefined;
}
