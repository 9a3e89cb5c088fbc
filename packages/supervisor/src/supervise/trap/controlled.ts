import { COMPILED, LOADS, SHELL, TOOLS } from "#knowledge/traits";
import { followingName, toldOf } from "@assent/core/policy";
import { existsSync, readlinkSync } from "node:fs";
import { realPath } from "@assent/guard/state";
import { baseName, joinPath, parentOf, resolvePath } from "@assent/core/path";
import { pathBytes, readProc } from "../kernel/index.ts";

/**
 * What its environment makes of a program that is trusted with something. `code`: it runs code of somebody else. `logins`: it reads
 * settings that the run may have written, and settings can name code, or what is shown.
 */
export type Controlling = "no" | "logins" | "code";

/** The run, as far as it says whose a variable is. */
export interface RunOrigin {
  readonly env: Readonly<Record<string, string>>;
  /** A person typed the command. */
  readonly typed: boolean;
  readonly home: string;
  /** Whether code of the run could have written a file, by its absolute path. */
  readonly couldWrite: (path: string) => boolean;
}

/** Variables that load code into a program, or tell it whose to run: ld.so(8) and the manuals of the interpreters and libraries. */
const LOADED_BY = new RegExp(
  "^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT|ORIGIN_PATH)|GCONV_PATH|NODE_(?:OPTIONS|PATH|COMPILE_CACHE)|HOME|GOPROXY|" +
    // python(1): where it finds modules, bytecode and its user's own, what it imports and runs.
    "PYTHON(?!UNBUFFERED=|DONTWRITEBYTECODE=|IOENCODING=|UTF8=|HASHSEED=|FAULTHANDLER=|NOUSERSITE=|MALLOC=|OPTIMIZE=)\\w+|" +
    "PERL(?:5LIB|5OPT|LIB|5DB)|RUBY(?:LIB|OPT)|BASH_ENV|ENV|ZDOTDIR|OPENSSL_(?:CONF|MODULES|ENGINES)|JAVA_TOOL_OPTIONS|" +
    // Plugins that libraries load: krb5.conf(5), sasl_client_init(3), gio(7); php.ini names extensions and what is prepended.
    "KRB5_CONFIG|SASL_(?:PATH|CONF_PATH)|GIO_(?:EXTRA_MODULES|MODULE_DIR)|GTK(?:_MODULES|_PATH|\\d_MODULES)|PHPRC|PHP_INI_SCAN_DIR|" +
    "DOTNET_(?:STARTUP_HOOKS|ADDITIONAL_DEPS|SHARED_STORE)|COR(?:ECLR)?_PROFILER(?:_PATH(?:_\\d+)?)?|ERL_(?:A|Z)?FLAGS|ERL_LIBS|" +
    // npm takes `-`, `_` and `.` in a name alike (@npmcli/config).
    "_JAVA_OPTIONS|JDK_JAVA_OPTIONS|p?npm_config_(?:node[-._]options|init[-._]module|script[-._]shell|(?:global[-._]?)?pnpmfile)|" +
    "YARN_(?:RC_FILENAME|YARN_PATH|PLUGINS)|BUN_(?:OPTIONS|INSPECT_PRELOAD))=",
  "i",
);

/** How much memory, which collector, how text and time are shown (java(1)). */
const JAVA_PLAIN = new RegExp(
  String.raw`^(?:-(?:Xm[nsx]|Xss)\d+[gkm]?|-XX:(?:\w+RAMPercentage|ActiveProcessorCount|MaxMetaspaceSize)=[\d.]+[gkm]?|-XX:\+Use\w+GC|` +
    String.raw`-D(?:file\.encoding|user\.(?:timezone|language|country)|java\.awt\.headless)=[\w/-]+)?$`,
  "i",
);

/** From nowhere, or from where modules come without it (go help goproxy). */
const GO_DEFAULT = /^(?:off|direct|https:\/\/proxy\.golang\.org)(?:[,|](?:off|direct|https:\/\/proxy\.golang\.org))*$/;

/** Of node's options those that only size, time or warn. INVARIANT: what is harmless is listed: node takes quotes, `\` and `_` within a word. */
const NODE_PLAIN = new RegExp(
  "^(?:--(?:max-(?:old-space|semi-space|http-header)-size(?:=\\d+)?|(?:no-|trace-)?(?:warnings|deprecation)|enable-source-maps|" +
    "(?:throw|pending)-deprecation|trace-uncaught|disable-warning=[\\w:]+|experimental-strip-types|no-experimental-[a-z-]+|" +
    "experimental-vm-modules|stack-trace-limit=\\d+|unhandled-rejections=\\w+|dns-result-order=\\w+|openssl-legacy-provider|" +
    "use-(?:system|openssl|bundled)-ca|preserve-symlinks)|\\d+)?$",
);

/** A file of a start, and the words that it was started with. */
interface StartedFile {
  readonly path: string;
  readonly argv?: readonly string[];
}

const isPython = (path: string): boolean => followingName(baseName(path)) === "python";
const isShell = (path: string): boolean => path.startsWith("/") && SHELL.has(baseName(path));
const FUNCTION = /^BASH_FUNC_/;

/** Such variables that name no place and load nothing: what npm tells its scripts, levels and switches. */
const TELLING = new RegExp(
  "^(?:NODE_(?:ENV|NO_WARNINGS|OPTIONS|DISABLE_COLORS|TEST_CONTEXT|PENDING_DEPRECATION|TLS_REJECT_UNAUTHORIZED|CHANNEL_FD|UNIQUE_ID|" +
    // nvm-exec says so what it was told.
    "VERSION)|" +
    "npm_(?:package_.*|lifecycle_.*|command|execpath|node_execpath|old_pid|config_(?:registry|user[-_]agent|loglevel|fund|audit(?:[-_]level)?|" +
    "progress|color|yes|silent|quiet|offline|prefer[-_]offline|prefer[-_]online|ignore[-_]scripts|update[-_]notifier|legacy[-_]peer[-_]deps|" +
    "engine[-_]strict|local[-_]prefix|npm[-_]version|noproxy|node[-_]gyp|production|omit|include|save|save[-_]exact|save[-_]dev|force|json|" +
    "fetch[-_]\\w+|maxsockets|timing|unicode|tag|access|dry[-_]run|strict[-_]ssl|workspaces?|global|location|arch|platform|target|jobs|verify\\w*))|" +
    "PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|FAULTHANDLER|NOUSERSITE|MALLOC|OPTIMIZE)|" +
    "PIP_(?:DISABLE_PIP_VERSION_CHECK|NO_CACHE_DIR|NO_INPUT|INDEX_URL|EXTRA_INDEX_URL|DEFAULT_TIMEOUT|TIMEOUT|RETRIES|PROGRESS_BAR|QUIET|" +
    "VERBOSE|NO_COLOR|REQUIRE_VIRTUALENV|PREFER_BINARY|ONLY_BINARY|NO_BINARY|PRE|ROOT_USER_ACTION|BREAK_SYSTEM_PACKAGES|NO_WARN_\\w+|" +
    "NO_DEPS|NO_BUILD_ISOLATION|USE_PEP517|EXISTS_ACTION|NO_PYTHON_VERSION_WARNING)|" +
    "YARN_(?:ENABLE_\\w+|NPM_REGISTRY_SERVER|REGISTRY|NODE_LINKER|PRODUCTION|SILENT|CHECKSUM_BEHAVIOR|COMPRESSION_LEVEL|NETWORK_\\w+)|" +
    "BUNDLE_(?:JOBS|RETRY|WITHOUT|WITH|DEPLOYMENT|FROZEN|SILENCE_\\w+|FORCE_RUBY_PLATFORM|NO_\\w+)|GEM_HOST_API_KEY|" +
    "COREPACK_(?:ENABLE_\\w+|DEFAULT_TO_LATEST)|COMPOSER_(?:NO_\\w+|ALLOW_SUPERUSER|DISABLE_\\w+|MEMORY_LIMIT|PROCESS_TIMEOUT)|" +
    "POETRY_(?:VIRTUALENVS_(?:CREATE|IN_PROJECT|PREFER_\\w+)|NO_INTERACTION|INSTALLER_\\w+|REQUESTS_TIMEOUT)|" +
    "AWS_(?:PROFILE|REGION|DEFAULT_\\w+|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|PAGER|MAX_ATTEMPTS|RETRY_MODE)|" +
    "CLOUDSDK_CORE_\\w+|CLOUDSDK_COMPUTE_\\w+|AZURE_(?:CORE_\\w+|DEFAULTS_\\w+|SUBSCRIPTION_ID|TENANT_ID))$",
  "i",
);

/** These show what is sent, whatever they are set to, and whoever has set them. */
const SHOWING = /^(?:NODE_DEBUG(?:_NATIVE)?|GIT_TRACE_REDACT|SSLKEYLOGFILE)$/;

/** Of npm's variables those that name a place and that npm hands on to whatever it starts. */
const NPM_PLACES = /^npm_config_(?:cache|(?:global)?[-_]?prefix|user[-_]?config|global[-_]?config|init[-_]module|global[-_]prefix)$/i;

/**
 * At this stop the environment is what the kernel copied. What the person who started the run has set is theirs; a host's may be a
 * repository's, but for the home folder. git loads no code from home into itself.
 */
export function controlledBy(pid: number, programs: readonly string[], chain: readonly StartedFile[], run: RunOrigin): Controlling {
  if (programs.length === 0) return "no";
  const items = readProc(`/proc/${pid}/environ`).toString("latin1").split("\0");
  if (items.some((item) => loadsCode(item, programs, run) && isObeyed(item, chain) && !namesOwnLibraries(item, chain, run))) return "code";
  // bash(1): functions that it is handed stand in the place of any command.
  if (chain.some(({ path }) => isShell(path)) && items.some((item) => FUNCTION.test(item) && isChanged(item, run))) return "code";
  const own = variablesOf(programs, chain);
  if (own === undefined) return "no";
  const cwd = readlinkSync(`/proc/${pid}/cwd`);
  if (livesElsewhere(chain, items, cwd, run) || fetchedElsewhere(chain, items, cwd, run)) return "code";
  return items.some((item) => own.test(item) && settles(item, cwd, run)) ? "logins" : "no";
}

function loadsCode(item: string, programs: readonly string[], run: RunOrigin): boolean {
  if (!LOADED_BY.test(item)) return false;
  const { name, value } = variableOf(item);
  if (value === "" || (name === "NODE_OPTIONS" && value.split(/\s+/).every((word) => NODE_PLAIN.test(word)))) return false;
  if (name === "GOPROXY" && GO_DEFAULT.test(value)) return false;
  if (/^(?:JAVA_TOOL|_JAVA|JDK_JAVA)_OPTIONS$/.test(name) && value.split(/\s+/).every((word) => JAVA_PLAIN.test(word))) return false;
  if (name === "HOME" && programs.every((program) => /^git(?:[ -]|$)/.test(program) || !/^\w/.test(program))) return false;
  // npm names its user's own file to whatever it starts.
  if (/^npm_config_init[-._]module$/i.test(name) && value === latin1(`${run.home}/.npm-init.js`)) return false;
  // A cache of code that was compiled is this user's, unless the run could have filled it.
  if (name === "NODE_COMPILE_CACHE" && !run.typed) return isSet(name, value, run) || namesWritable(value, "/", run);
  if (name === "LD_LIBRARY_PATH" && value.split(/[:;]/).every((folder) => isOfSystem(folder, run))) return isSet(name, value, run);
  return (!run.typed && name !== "HOME") || isSet(name, value, run);
}

/** Where an installation puts its libraries, which the run could not have written: `/usr/local/cuda/lib64`. */
const isOfSystem = (folder: string, { couldWrite }: RunOrigin): boolean =>
  [folder, realPath(folder)].every(
    (path) => /^\/(?:usr|opt|lib\w*)\/(?!(?:.*\/)?\.\.?(?:\/|$))/.test(path) && !couldWrite(joinPath(path, "#")),
  );

/** INVARIANT: a program that nobody knows, and a script of a shell, which starts others in its name, obey whatever they are handed. */
function isObeyed(item: string, chain: readonly StartedFile[]): boolean {
  const { name } = variableOf(item);
  const { path } = chain.at(-1) ?? { path: "" };
  const program = baseName(path);
  // Of these an interpreter obeys its own alone, and who reads a variable of another one it starts: that is looked at when it starts.
  const obeys = (variables: string): boolean => new RegExp(`^(?:${variables})`, "i").test(name);
  if (!LOADS.some(([, variables]) => obeys(variables)) || isShell(path)) return true;
  const own = toldOf(LOADS, program) ?? toldOf(LOADS, followingName(program));
  return own === undefined ? !COMPILED.has(program) : obeys(own);
}

/** What proxies of version managers tell what they become: where its libraries lie, beside it. */
const TOLD_BY_PROXIES: Readonly<Record<string, (program: string) => string>> = {
  // rustup, of the toolchain.
  LD_LIBRARY_PATH: (program) => joinPath(parentOf(parentOf(program)), "lib"),
  // rbenv, of its own plugin (rbenv.d/exec/gem-rehash.bash); ruby passes over empty entries.
  RUBYLIB: (program) => `${/^(.+?)\/versions\//.exec(program)?.[1] ?? "/dev/null"}/rbenv.d/exec/gem-rehash`,
};

/**
 * What a program is installed with is the program, where the run cannot have changed it: it becomes no code of somebody else by that its
 * proxy names it. INVARIANT: nothing else is named, but by the person who started the run. An empty entry is the folder it works in (ld.so(8)).
 */
function namesOwnLibraries(item: string, chain: readonly StartedFile[], { env, typed, couldWrite }: RunOrigin): boolean {
  const { name, value } = variableOf(item);
  const path = chain.at(-1)?.path ?? "";
  const own = path.startsWith("/") ? TOLD_BY_PROXIES[name]?.(path) : undefined;
  if (own === undefined || couldWrite(joinPath(own, "#"))) return false;
  const others = value.split(":").filter((folder) => folder !== latin1(own) && (folder !== "" || name !== "RUBYLIB"));
  return others.length === 0 || (typed && others.join(":") === latin1(env[name] ?? ""));
}

/**
 * Python's library, packages and settings (`pyvenv.cfg`) are those around the name that it was started by, a link or none (venv(3),
 * Modules/getpath.py): an environment that the run could have written is code of the run.
 */
function livesElsewhere(chain: readonly StartedFile[], items: readonly string[], cwd: string, { couldWrite }: RunOrigin): boolean {
  const { path, argv } = chain.findLast((one) => isPython(one.path)) ?? {};
  if (path === undefined || argv === undefined) return false;
  const [name = ""] = argv;
  const folders = variableOf(items.find((item) => item.startsWith("PATH=")) ?? "PATH=").value.split(":");
  const found = name.includes("/") ? name : folders.map((folder) => `${folder}/${name}`).find((one) => existsSync(resolvePath(cwd, one)));
  const folder = parentOf(resolvePath(cwd, found ?? path));
  return [joinPath(folder, "#"), joinPath(parentOf(folder), "pyvenv.cfg")].some((one) => couldWrite(one));
}

/** corepack runs in its own process what lies in its folder (README of corepack, "Environment Variables"): what the run has put there is the run's. */
function fetchedElsewhere(chain: readonly StartedFile[], items: readonly string[], cwd: string, run: RunOrigin): boolean {
  const [, script = ""] = chain.at(-1)?.argv ?? [];
  if (!script.startsWith("/") || !/\/corepack\//.test(realPath(script))) return false;
  return items.some((item) => {
    const { name, value } = variableOf(item);
    return (
      /^(?:COREPACK_(?:HOME|ENV_FILE|ENABLE_UNSAFE_CUSTOM_URLS)|XDG_CACHE_HOME)$/.test(name) &&
      (isSet(name, value, run) || namesWritable(value, cwd, run))
    );
  });
}

/** What a tool's variables are called: after it, or after what it is written in. Undefined: it is no script, and loads no code that settings name. */
function variablesOf(programs: readonly string[], chain: readonly StartedFile[]): RegExp | undefined {
  const families = chain.flatMap(({ path }) => toldOf(TOOLS, baseName(path)) ?? toldOf(TOOLS, followingName(baseName(path))) ?? []);
  if (families.length === 0) return undefined;
  const names = programs.flatMap((program) => /^[a-z]\w*/i.exec(program.replaceAll("-", "_"))?.[0] ?? []);
  return new RegExp(`^(?:${[...families, ...names, "XDG_CONFIG", "SSLKEYLOGFILE"].join("|")})`, "i");
}

/** Whether a variable of the tool may be the work of the run: a script of it has set it, or it names what the run can write. */
function settles(item: string, cwd: string, run: RunOrigin): boolean {
  const { name, value } = variableOf(item);
  if (SHOWING.test(name)) return true;
  if (value === "" || TELLING.test(name)) return false;
  if (isSet(name, value, run) && !NPM_PLACES.test(name)) return true;
  return !run.typed || isSet(name, value, run) ? namesWritable(value, cwd, run) : false;
}

function isChanged(item: string, run: RunOrigin): boolean {
  const { name, value } = variableOf(item);
  return isSet(name, value, run);
}

const isSet = (name: string, value: string, { env }: RunOrigin): boolean => latin1(env[name] ?? "") !== value;

/** A value may be a list of places, or the address of a file. */
function namesWritable(value: string, cwd: string, { home, couldWrite }: RunOrigin): boolean {
  const parts = [value, ...value.split(/[:;,\s=]+/)].map((part) => part.replace(/^file:\/*(?=\/)/, "").replace(/^["']|["']$/g, ""));
  return parts.some((part) => {
    if (part === "" || (!part.startsWith("/") && !part.startsWith("~/") && !existsSync(joinPath(cwd, part)))) return false;
    // Whose folder that is depends on who looks.
    if (/^\/(?:proc|dev)\//.test(part)) return true;
    const path = part.startsWith("~/") ? home + part.slice(1) : part.startsWith("/") ? part : joinPath(cwd, part);
    return couldWrite(path);
  });
}

function variableOf(item: string): { readonly name: string; readonly value: string } {
  const at = item.indexOf("=");
  return { name: item.slice(0, at), value: item.slice(at + 1) };
}

/** As the kernel's bytes are read here. */
const latin1 = (text: string): string => pathBytes(text).toString("latin1");
