import { type Action, type Argument, type ExecAction, type FileAction, sayAction, visible, type World } from "@assent/core/action";
import { isWithin, parentOf } from "@assent/core/path";
import { isObeyedBy, isShim, obeysFiles, type RequestVerdict, steeringFile, whyWalled } from "@assent/core/policy";
import { COMPOSE, composeReads } from "./compose-files.ts";
import { gitSteered, subcommandOf } from "./obeyed-git.ts";
import { type Machine, noteChanges, unseenChanges } from "../state/index.ts";

export { looksAtPlain } from "./obeyed-git.ts";

/**
 * When what a known program does hangs on files of the project that its arguments do not show: `obeysFiles` says which
 * programs are asked about. What is found here keeps the wall around an allowed command, and makes no question.
 */

/** Entries that load code of the project, or what it holds beside it, whatever they are asked: `prettier`, `cargo tree`. */
const LOADING: readonly (readonly [words: RegExp, what: string])[] = [
  [/^prettier$/, "its settings and plugins are code"],
  [/^oxlint$/, "its settings name plugins in JavaScript"],
  [/^(?:yarn|yarnpkg|pnpm|pnpx|corepack)$/, "a file of the project says which program is started in its place, or loaded"],
  [/^(?:cargo|rustc|rustfmt|rustup)$/, "a file of the project says which toolchain is started"],
  [/^dotnet$/, "`global.json` and project files say which SDK is started"],
  [/^composer$/, "it loads the plugins in `vendor`"],
  [/^ansible(?:-[a-z]+)?$/, "`ansible.cfg` names plugins and inventories that are programs"],
  [/^(?:hg|jj)$/, "the repository's own settings name programs"],
  [/^(?:uv|uvx|poetry)$/, "it starts the interpreter of the project's environment"],
  [/^mise$/, "templates in its settings run commands"],
  [/^task$/, "a Taskfile runs commands to find out what to print"],
  [/^tsc$/, "its settings say where it writes"],
  [/^valgrind$/, "`.valgrindrc` gives it options"],
  [/^proxychains4?$/, "`proxychains.conf` says where it connects"],
  [/^deno (?:check|info|cache)$/, "it fetches what the code imports"],
  [/^kustomize build$/, "it fetches what the files name"],
  [/^go (?:list|mod|tool)$/, "the module's files say what it fetches and starts"],
  // `#include "/home/me/.ssh/id_rsa"`; `.. include::` of reStructuredText.
  [
    /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp|emcc|em\+\+|nvcc|icc|gfortran|zig-cc)(?:-\d+(?:\.\d+)*)?$/,
    "what it is given may include any file",
  ],
  [/^pandoc$/, "what it is given may include any file"],
  // A playlist names addresses, an SVG images.
  [/^(?:ffmpeg|ffprobe|identify|magick)$/, "what it is given may name other files and addresses"],
  [/^tcc$/, "what it is given may include any file"],
  // `import` of a justfile; roff-like includes of Info; external entities of XML.
  [/^(?:just|info)$/, "it quotes the files that its own names"],
  [/^(?:xmllint|xmlstarlet|xmldiff|xq)$/, "what it is given may name other files and addresses"],
  // The lines of the files that the debugging information names (objdump(1), -S, -l).
  [/^(?:g|llvm-)?objdump$/, "it prints the source files that the program names"],
  // Their settings name further files, places to write into (`cache-dir`), or what is changed (`fix`, `write-changes`); a line that they
  // do not understand they quote, whichever file lies under that name.
  [
    new RegExp(
      "^(?:actionlint|biome|black|clang-format|codespell|gersemi|hadolint|hlint|isort|oxfmt|pycodestyle|pydocstyle|ruff|shellcheck|" +
        "stylua|swiftformat|taplo|typos|yamllint)$",
    ),
    "settings of the project say what it reads and changes",
  ],
  // `.mlrc`, in Debian's 6.6.0 `.mlrrc`, in the working folder (Miller, "Customizing with .mlrc").
  [/^mlr$/, "`.mlrc` gives it options"],
  [/^svn (?!status|info|--version)/, "the working copy says which server it asks"],
  [/^(?:terraform|tofu|terragrunt) (?:validate|show|providers|console|graph|test)$/, "it starts the providers in `.terraform`"],
  // A backend in the project's files: any address, or any file (`backend "local" { path }`); `.terraform/environment`.
  [/^(?:terraform|tofu|terragrunt) (?:output|state|workspace|refresh|taint|untaint|force-unlock)$/, "the folder says where the state lies"],
  [/^pulumi (?!version)/, "`Pulumi.yaml` says which service it asks"],
  [/^wrangler$/, "`.env` and its settings say which service it asks, and with what"],
  // `image`, `shapefile`; the lines of the sources that a recording names.
  [/^(?:dot|neato|fdp|sfdp|circo|twopi|osage|patchwork)$/, "what it is given may name other files"],
  [/^perf (?:report|annotate)$/, "it reads the programs and sources that the recording names"],
  [/^packer$/, "it starts plugins that lie in the folder"],
  // A view reads whichever files and addresses its author named: `create view v as from read_text('…')`.
  [/^pdm$/, "it loads the plugins in `.pdm-plugins`"],
  [/^(?:serverless|sls)$/, "it hands over to a copy of itself in the project"],
  // `--files-from`: each line of any file is named in an error.
  [/^ack(?:-grep)?$/, "`.ackrc` gives it options"],
  [/^duckdb$/, "a view in the database may read any file or address"],
];

/**
 * For these even `--version` is answered by what a file chooses, or when the project's plugins are loaded: `vendor` (composer),
 * `.poetry/plugins`, extensions in `.hg/hgrc`, `packer-plugin-*` in the folder.
 */
const CHOSEN = /^(?:yarn|yarnpkg|pnpm|pnpx|cargo|rustc|rustfmt|rustup|dotnet|composer|poetry|pdm|serverless|sls|hg|packer)$/;
const ONLY_TELLS = /^(?:--?(?:version|help)|-[vVh]|version|help)$/;

/** Why what is allowed keeps the wall, on this machine. */
export function whyKeepsWall(found: RequestVerdict, world: World, machine: Machine): string | undefined {
  const steersLater = (path: string, taking: boolean): boolean => steeringFile(path, taking) !== undefined;
  return whyWalled(found, { world, obeys: (exec) => whyObeys(exec, world, machine), steersLater });
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
  const what = whatSteers(exec, world);
  return what === undefined ? unseenFor(exec, { world, machine }) : `${what}: ${sayAction(exec)}`;
}

interface Unseen {
  readonly world: World;
  readonly machine: Machine;
  /** Not of those that are written all day. */
  readonly rare?: true;
}

function unseenFor(exec: ExecAction, { world, machine, rare }: Unseen): string | undefined {
  const names = [exec.program, ...(isShim(exec.resolved) ? ["mise", "asdf", "uv"] : [])];
  const folders = (exec.folders ?? [world.cwd]).map((folder) => world.canonical(folder));
  const root = world.canonical(world.projectRoot);
  const changes = unseenChanges(machine, (path) => {
    if (!isWithin(path, root) && !folders.some((folder) => isWithin(folder, parentOf(path)))) return false;
    const file = steeringFile(path);
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
    return steeringFile(path) === undefined ? [] : [path];
  });
  return paths.length === 0 ? undefined : noteChanges(machine, paths, by);
}

const LOOKS: ReadonlySet<FileAction["operation"]> = new Set(["read", "list", "execute", "mkdir", "metadata"]);

function whatSteers(exec: ExecAction, world: World): string | undefined {
  const { program, argv } = exec;
  const [, first, ...rest] = argv;
  if (first?.known === true && rest.length === 0 && ONLY_TELLS.test(first.text) && !CHOSEN.test(program)) return undefined;
  if (/^python3?(?:\.\d+)?$/.test(program)) return pythonLoads(argv);
  if (/^(?:node|nodejs)$/.test(program)) return nodeLoads(argv);
  if (program === "git" || program === "git-lfs") return gitSteered(exec, world);
  if (program === "man") return manReads(argv);
  if (program === "az") return azLoads(exec, world);
  const id = exec.knowledge ?? "";
  if (COMPOSE.test(`${id} `)) return composeReads(exec, world);
  return LOADING.find(([words]) => words.test(program) || words.test(id) || words.test(`${program} ${subcommandOf(exec)}`))?.[1];
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
