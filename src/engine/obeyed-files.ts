import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { type Action, type Argument, type ExecAction, type FileAction, sayAction, visible, type World } from "../action/index.ts";
import { isWithin, joinPath, parentOf } from "../path/index.ts";
import { isObeyedBy, obeysFiles, type RequestVerdict, steeringFile, whyWalled } from "../policy/index.ts";
import { type GitConfigEntry, gitConfigEntries, isForge, isGitsOwnKey, isInertGitKey } from "../shell/index.ts";
import { COMPOSE, composeReads } from "./compose-files.ts";
import { type Machine, noteChanges, unseenChanges } from "../state/index.ts";

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
  // `.mlrc` in the working folder (Miller, "Customizing with .mlrc").
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
];

/**
 * For these even `--version` is answered by what a file chooses, or when the project's plugins are loaded: `vendor` (composer),
 * `.poetry/plugins`, extensions in `.hg/hgrc`, `packer-plugin-*` in the folder.
 */
const CHOSEN = /^(?:yarn|yarnpkg|pnpm|pnpx|cargo|rustc|rustfmt|rustup|dotnet|composer|poetry|hg|packer)$/;
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
  const names = [exec.program, ...(isShim(exec) ? ["mise", "asdf", "uv"] : [])];
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

const isShim = ({ resolved }: ExecAction): boolean => resolved?.includes("/shims/") === true;

function whatSteers(exec: ExecAction, world: World): string | undefined {
  const { program, argv } = exec;
  const [, first, ...rest] = argv;
  if (first?.known === true && rest.length === 0 && ONLY_TELLS.test(first.text) && !CHOSEN.test(program)) return undefined;
  if (/^python3?(?:\.\d+)?$/.test(program)) return pythonLoads(argv);
  if (/^(?:node|nodejs)$/.test(program)) return nodeLoads(argv);
  if (program === "git" || program === "git-lfs") return gitSteered(exec, world);
  if (program === "man") return manReads(argv);
  const id = exec.knowledge ?? "";
  if (COMPOSE.test(`${id} `)) return composeReads(exec, world);
  return LOADING.find(([words]) => words.test(program) || words.test(id) || words.test(`${program} ${subcommandOf(exec)}`))?.[1];
}

function subcommandOf({ shape }: ExecAction): string {
  const [first] = shape?.operands ?? [];
  return first?.known === true ? first.text : "";
}

/** The text behind an option that takes code; undefined where it is not all known. */
function codeBehind(argv: readonly Argument[], option: RegExp): string | undefined {
  const at = argv.findIndex((argument) => argument.known && option.test(argument.text));
  const code = argv[at + 1];
  return at > 0 && code?.known === true ? code.text : undefined;
}

/** sys.path: with `-c`, `-m` and standard input the working folder comes before the library. */
function pythonLoads(argv: readonly Argument[]): string | undefined {
  const code = codeBehind(argv, /^-[a-zA-Z]*c$/);
  return code !== undefined && !/import|__|exec|eval|open_code|site/.test(code)
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

/** man(1): a word with a slash, or each behind `-l`, is a file, and roff's `.so` in it prints any other. */
function manReads(argv: readonly Argument[]): string | undefined {
  const isFile = (argument: Argument): boolean => !argument.known || /\/|^-[a-zA-Z]*l|^--l/.test(argument.text);
  return argv.slice(1).some(isFile) ? "what it is given may include any file" : undefined;
}

// ── git ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** They only look: git refreshes the index at most, about which one hook is told (githooks(5), post-index-change). */
const LOOKING = new RegExp(
  "^git (?:status|diff|log|show|blame|annotate|ls-files|ls-tree|grep|rev-parse|rev-list|describe|shortlog|cat-file|name-rev|" +
    "merge-base|config|remote|for-each-ref|show-ref|show-branch|diff-tree|diff-index|diff-files|check-ignore|check-attr|" +
    "count-objects|var|whatchanged|reflog|archive)$",
);

/** They speak to a remote. */
const DIALLING = new RegExp(
  "^git (?:ls-remote|fetch|pull|push|archive|submodule|lfs (?!ls-files|status|env|track|version)|send-pack|fetch-pack|bundle|" +
    "maintenance|backfill|remote (?:show|update|prune|add|set-head))\\b|^git-lfs$",
);

/** They write files of the project, whichever history or a patch has under whatever name. */
const CHECKING_OUT = new RegExp(
  "^git (?:checkout|switch|restore|reset|stash|merge|pull|rebase|cherry-pick|revert|apply|am|clone|submodule|sparse-checkout|worktree|" +
    "read-tree|checkout-index|bisect)$",
);

/** What git starts because this repository, or the user's own configuration in it, says so. */
function gitSteered(exec: ExecAction, world: World): string | undefined {
  if (CHECKING_OUT.test(`git ${subcommandOf(exec)}`)) return "nobody sees which files it writes";
  for (const folder of exec.folders ?? [world.cwd]) {
    const repository = repositoryAt(world.canonical(folder), world);
    if (repository === undefined) continue;
    const why = repository === "unclear" ? "it is not known what the repository's configuration says" : steeredBy(repository, exec, world);
    if (why !== undefined) return why;
  }
  return exec.folders?.length === 0 ? "it is only known at run time in which repository it works" : undefined;
}

interface Repository {
  /** What a linked working tree has of its own. */
  readonly own: string;
  /** Configuration and hooks. */
  readonly common: string;
}

/** gitrepository-layout(5): `.git` is the folder, or a file that says where it is. */
function repositoryAt(folder: string, world: World): Repository | "unclear" | undefined {
  for (let at = folder; ; at = parentOf(at)) {
    const path = joinPath(at, ".git");
    const kind = world.kind(path);
    if (kind === "directory") return { own: path, common: commonOf(path, world) };
    if (kind === "other") return "unclear";
    if (kind === "file") return linked(at, path, world) ?? "unclear";
    if (at === "/") return undefined;
  }
}

function linked(folder: string, file: string, world: World): Repository | undefined {
  const own = /^gitdir: (.+?)\s*$/.exec(world.text?.(file) ?? "")?.[1];
  if (own === undefined) return undefined;
  const at = joinPath(folder, own);
  return { own: at, common: commonOf(at, world) };
}

/** gitrepository-layout(5), "commondir": any folder of a repository may send git elsewhere for its configuration. */
function commonOf(own: string, world: World): string {
  const text = world.text?.(joinPath(own, "commondir"))?.trim();
  return text === undefined || text === "" ? own : joinPath(own, text);
}

function steeredBy({ own, common }: Repository, { knowledge = "" }: ExecAction, world: World): string | undefined {
  const hidden = quotedByGit(own, world) ?? quotedByGit(common, world) ?? nestedIn(own);
  if (hidden !== undefined) return hidden;
  const all: GitConfigEntry[] = [];
  for (const file of [joinPath(common, "config"), joinPath(own, "config.worktree")]) {
    if (world.kind(file) === "missing") continue;
    const text = world.text?.(file);
    if (text === undefined) return "it is not known what the repository's configuration says";
    const entries = gitConfigEntries(text);
    const entry = entries.find((each) => !isPlain(each));
    if (entry !== undefined) return `the repository's configuration may name what git runs (${visible(entry[0])})`;
    all.push(...entries);
  }
  const remote = remoteElsewhere(all, DIALLING.test(knowledge));
  if (remote !== undefined) return `an agent may have named the remote that it speaks to (${visible(remote[0])})`;
  // gitrepository-layout(5), "remotes", "branches": remotes as they were kept once.
  if (DIALLING.test(knowledge) && ["remotes", "branches"].some((name) => (world.names(joinPath(common, name)) ?? []).length > 0))
    return "it is not known which remotes the repository has";
  const hook = hookIn(joinPath(common, "hooks"), LOOKING.test(knowledge), world);
  if (hook !== undefined) return `git runs the repository's hook ${visible(hook)}`;
  return steeredByUser(world);
}

/** Texts that git quotes in its messages, line by line, when they are not what it expects ("bad shallow line: …"). */
const QUOTED = "shallow packed-refs commondir info/grafts info/exclude info/attributes info/sparse-checkout objects/info/alternates".split(
  " ",
);

/** One of them is a link, or no plain file: what git would show is another file. */
function quotedByGit(folder: string, world: World): string | undefined {
  const real = world.canonical(folder);
  const name = QUOTED.find(
    (each) => world.canonical(joinPath(real, each)) !== joinPath(real, each) || world.kind(joinPath(real, each)) === "other",
  );
  return name === undefined ? undefined : `git may show what ${visible(name)} leads to`;
}

/** gitformat-index(5): the mode of an entry that is another repository, whose own configuration git obeys as well. */
const GITLINK = Buffer.from([0, 0, 0xe0, 0]);
const MOST_INDEX = 64 << 20;

/** The index holds other repositories. A file of 56 KiB has the same bytes in it: then the wall is there for nothing. */
function nestedIn(own: string): string | undefined {
  try {
    const shared = readdirSync(own).filter((name) => name.startsWith("sharedindex."));
    for (const name of ["index", ...shared]) {
      const file = joinPath(own, name);
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (!stats.isFile() || stats.size > MOST_INDEX) return "it is not known whether this repository contains others";
      if (readFileSync(file).includes(GITLINK)) return "git also uses the configuration of the repositories inside this one";
    }
    return undefined;
  } catch {
    return "it is not known whether this repository contains others";
  }
}

/**
 * A remote at a host that is no forge: whoever serves it learns what its address says and which objects are asked for. Any command
 * may speak to one that objects are promised by (git help partial-clone).
 */
function remoteElsewhere(entries: readonly GitConfigEntry[], dials: boolean): GitConfigEntry | undefined {
  const promised = entries.some(([key]) => key === "extensions.partialclone" || key.endsWith(".promisor"));
  return dials || promised ? entries.find(([key, value]) => REMOTE.test(key) && !isForgeOrLocal(value)) : undefined;
}

/** Where a remote is named by its address (git-config(1): `branch.<name>.remote`). */
const REMOTE = /^(?:remote\..+\.(?:push)?url|remote\.pushdefault|branch\..+\.(?:push)?remote|submodule\..+\.url)$/;

/** git-clone(1), "Git URLs". The name of a remote is local as well; an authority that could be read in two ways is nobody's. */
function isForgeOrLocal(address: string): boolean {
  const authority = /^[a-z][a-z\d+.-]*:\/\/([^/]*)/i.exec(address)?.[1] ?? /^([^/:]*):/.exec(address)?.[1];
  if (authority === undefined || (authority === "" && address.startsWith("file://"))) return true;
  return isForge(/^(?:[\w.~-]+(?::[\w.~-]*)?@)?([\w.-]+)(?::\d+)?$/.exec(authority)?.[1] ?? "");
}

/** Programs that everybody uses to page and edit, with options and no paths. */
const USUAL = /^(?:less|more|most|cat|bat|delta|diff-so-fancy|vim?|nvim|nano|emacs|micro|hx|code|subl)(?: -{1,2}[\w-]+(?:=\w+)?)*$/;
/** What `git lfs install --local` writes. */
const LFS = /^(?:git-lfs (?:clean|smudge) -- %f|git-lfs (?:smudge --skip -- %f|filter-process(?: --skip)?)|true|false)$/;

/** The key can make git start nothing that lies in the project. */
function isPlain(entry: readonly [key: string, value: string]): boolean {
  const [key, value] = entry;
  if (isGitsOwnKey(entry) || isInertGitKey(key)) return true;
  if (key === "core.pager" || key === "core.editor" || key.startsWith("pager."))
    return USUAL.test(value) || /^(?:true|false|)$/.test(value);
  if (/^filter\.lfs\.(?:clean|smudge|process|required)$/.test(key)) return LFS.test(value);
  // An alias replaces no command of git's own (git-config(1), alias.*), and others are not known.
  return key.startsWith("alias.") || /^(?:core\.(?:excludesfile|attributesfile|fsync)|gui\..+|credential\.username)$/.test(key);
}

function hookIn(folder: string, looks: boolean, world: World): string | undefined {
  if (world.kind(folder) === "missing") return undefined;
  const names = world.names(folder);
  if (names === undefined) return "hooks that cannot be listed";
  return names.find((name) => !name.endsWith(".sample") && !name.endsWith("~") && (!looks || name === "post-index-change"));
}

/** A path that is not absolute, as a word of its own or behind a `!`. */
const RELATIVE = /(?:^|[\s"'!=;|&(])(?:\.{1,2}\/|[\w.-]+\/)/;
const STARTS = new RegExp(
  String.raw`^(?:core\.(?:hookspath|pager|editor|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\..+|` +
    String.raw`(?:diff|merge)\..+\.(?:textconv|command|driver)|diff\.external|filter\..+\.(?:clean|smudge|process)|` +
    String.raw`gpg\.(?:.+\.)?program|credential\.(?:.+\.)?helper|interactive\.difffilter|init\.templatedir)$`,
);

/** The user's own configuration, which may name programs by where they lie in each project (`core.hooksPath .githooks`). */
function steeredByUser(world: World): string | undefined {
  for (const file of [joinPath(world.home, ".gitconfig"), joinPath(world.home, ".config/git/config")]) {
    const text = world.text?.(file);
    if (text === undefined) continue;
    const entry = gitConfigEntries(text).find(([key, value]) => STARTS.test(key) && leadsHere(key, value, world));
    if (entry !== undefined) return `your git configuration names what lies in the project (${visible(entry[0])})`;
  }
  return undefined;
}

function leadsHere(key: string, value: string, world: World): boolean {
  if (key === "core.hookspath" || key === "init.templatedir") return !/^(?:\/|~\/)/.test(value) || isWithin(value, world.projectRoot);
  return RELATIVE.test(value) || value.includes(world.projectRoot);
}
