import { readFileSync } from "node:fs";
import type { Action, NetAction } from "@assent/core/action";
import { attempt } from "@assent/core/data";
import { isWithin } from "@assent/core/path";
import { isForge, readWith } from "@assent/core/shell";
import { TOOL_SERVICES } from "#knowledge/services";
import type { CommandPlan } from "./plans.ts";
import { type KnownToolService, toolOf } from "./read.ts";

/** What a started program may do without a question: what it does for itself, and what its words say it does. */
export interface ToolService {
  /** Files and folders with everything in them: open to this program and its own helpers. */
  readonly writes: readonly string[];
  /** Those among them that the table of tool services names. */
  readonly own: readonly string[];
  /** Those among them in which what it starts may work, too. */
  readonly builds: readonly string[];
  /** Of its service: open to this program and its own helpers, not to the scripts that it starts. */
  readonly hosts: readonly KnownHost[];
  /** Files, and folders with what is in them, that its words say it writes anew: what was there may be taken away first. */
  readonly rewrites?: readonly Rewritten[];
  /** A file that is not there yet, which it makes from the template of it. */
  readonly makes?: string | undefined;
  /** What a person who started it says yes to at once. */
  readonly plan?: CommandPlan;
}

/** A file, or a folder with what is in it. */
export interface Rewritten {
  readonly path: string;
  readonly below: boolean;
}

export const NO_TOOL_SERVICE: ToolService = { writes: [], own: [], builds: [], hosts: [] };

export interface KnownHost {
  readonly host: string;
  readonly port: number | undefined;
}

/** By names of programs, and `service: NAME`. */
const found = new Map<string, KnownToolService | undefined>();

function find(key: string, matches: (row: readonly string[]) => boolean): KnownToolService | undefined {
  if (!found.has(key) && found.size < MOST) {
    const row = TOOL_SERVICES.find(matches);
    found.set(key, row === undefined ? undefined : toolOf(row));
  }
  return found.get(key);
}

/** A program may have any name. */
const MOST = 10_000;

/** Every tool of the tables. */
export const allTools = (): readonly KnownToolService[] => TOOL_SERVICES.map(toolOf);

/** What is known of a tool, by a name of its program. */
export const knownToolService = (program: string): KnownToolService | undefined =>
  find(program, ([names = ""]) => names.split(" ").includes(program));

const serviceOfTool = (service: string): KnownToolService | undefined =>
  find(`service: ${service}`, (row) => row.includes(`service: ${service}`));

/** Files of the project's folder that the tool loads as code, or that name such: all of them, or those in which one of the words stands. */
export const loadedBy = (program: string): readonly (readonly [name: string, ...words: string[]])[] =>
  (knownToolService(program)?.loads ?? []).map(([place, ...words]) => [place.replace(/^\.\//, ""), ...words]);

/**
 * Whether a tool may read its logins for what it is told: not where the project's code then works in its own process, nor where nobody
 * knows what it does. `known`: the entry of knowledge that says it, as `npm init` for `npm ini`.
 */
export function hasLoginsFor(program: string, words: readonly string[], known: string | undefined): boolean {
  const tool = knownToolService(program);
  if (tool?.login === undefined) return true;
  const subcommand = known?.split(" ")[1] ?? words.find((word) => !word.startsWith("-")) ?? "-";
  if (tool.loginFor !== undefined) return tool.loginFor.includes(subcommand);
  if (tool.projectCode !== true && runsProjectCode(tool, [...words, subcommand])) return false;
  return known !== undefined || subcommand === "-";
}

/** Words that stand in a login of the tool only where there is one in it: it runs somebody's code in its own process, whatever it is told. */
export const loginWords = (program: string): readonly string[] => knownToolService(program)?.loginUnless ?? [];

/** git's own programs, and the shell that it signs in with. */
const GIT = /^\/usr\/(?:local\/)?(?:bin\/(?:git|ssh)|lib(?:exec)?\/git-core\/git(?:-[\w-]+)?)$/;
const PROGRAMS: Readonly<Record<string, RegExp>> = {
  git: GIT,
  python: /^\/usr\/(?:local\/)?bin\/python3?(?:\.\d+)?$/,
  java: /^\/(?:usr\/lib\/jvm\/[^/]+(?:\/jre)?\/bin|usr\/(?:local\/)?bin)\/java$/,
};
/** What belongs to the system: a word that names a file elsewhere tells nothing. */
const INSTALLED = /^\/usr\/(?:share|lib|local\/(?:share|lib))\//;

/** Whether a program that is started goes on with the tool service of the one that starts it. */
export function isHelper(client: string, path: string, words: readonly string[]): boolean {
  return (knownToolService(client)?.helpers ?? []).some(([program, told]) => {
    if (PROGRAMS[program]?.test(path) !== true) return false;
    return told === undefined || words.some((word) => word === told || (INSTALLED.test(word) && word.endsWith(`/${told}`)));
  });
}

/**
 * A helper that is the tool itself, as `java` is of maven: it has the tool's settings as well, where these are its own only as long as no
 * login stands in them.
 */
export const isToolItself = (client: string, path: string, words: readonly string[]): boolean =>
  loginWords(client).length > 0 && !GIT.test(path) && isHelper(client, path, words);

interface ToolServiceContext {
  /**
   * An agent wrote the command, and could have written what configures its programs. INVARIANT: variables and the project's own
   * files open no host then, but a forge that a remote of git names.
   */
  readonly ofAgent?: boolean;
  /** A file of the project's names code that the tool loads into itself. */
  readonly loadsProject?: boolean;
  /** Secrets are in the run's environment. */
  readonly holdsSecrets?: boolean;
  /** As the kernel names it. */
  readonly home: string;
  readonly cwd: string;
  /** Of the run, not of the program. */
  readonly env: (name: string) => string | undefined;
  /** Where a variable may put a cache: nobody else's place, and nothing protected. */
  readonly isFree: (folder: string) => boolean;
}

/** The tool service of a command whose lowered actions these are. */
export function toolServiceOf(program: string, actions: readonly Action[], around: ToolServiceContext): ToolService {
  const own = knownToolService(program);
  const at = (places: readonly string[] = []): readonly string[] =>
    own === undefined ? [] : places.flatMap((place) => placesOf(place, own, around)).filter(isPlain);
  const places = [...at(own?.cache), ...at(own?.later)];
  const writes = [...places];
  const hosts: KnownHost[] = [];
  const serve = (tool: KnownToolService): void => {
    hosts.push(...hostsOf(tool, actions, around));
  };
  if (own !== undefined) serve(own);
  const isOthers = own !== undefined && isProjects(own, actions, around);
  for (const action of actions) {
    // What a shell is told to start has a tool service of its own.
    if (action.origin.by !== "command" || action.origin.exec !== 0) continue;
    if (action.kind === "file" && action.upkeep === true && action.unopened !== true && action.target.kind !== "unknown")
      writes.push(action.target.kind === "glob" ? action.target.pattern.replace(/\/\*\*$/, "") : action.target.path);
    else if (action.kind === "remote" && action.operation === "read" && !isOthers) {
      const service = serviceOfTool(action.service);
      if (service !== undefined && service !== own) serve(service);
      if (action.service === "git") hosts.push(...forgesOf(actions));
    } else if (isReadOfAll(action, actions)) for (const host of readWith(action.host)) hosts.push({ host, port: undefined });
  }
  return { writes: writes.filter(isPlain), own: places, builds: at(own?.builds), hosts };
}

/** `git clone https://github.com/…`: of the hosts that words name only the large forges. */
const forgesOf = (actions: readonly Action[]): readonly KnownHost[] =>
  actions.flatMap((action) =>
    action.kind === "net" &&
    action.forge === true &&
    action.origin.by === "command" &&
    action.origin.exec === 0 &&
    action.host !== undefined
      ? [{ host: action.host, port: undefined }]
      : [],
  );

/** `curl https://raw.githubusercontent.com/…`, by whoever is no client of a service: git's own are above. */
export const isReadOfAll = (action: Action, actions: readonly Action[]): action is NetAction & { readonly host: string } =>
  action.kind === "net" &&
  action.forge === true &&
  action.host !== undefined &&
  action.origin.by === "command" &&
  action.origin.exec === 0 &&
  !actions.some(({ kind }) => kind === "remote");

const isPlain = (path: string): boolean => path.startsWith("/") && !/[*?[]/.test(path.replace(/(?<=[^/])\*$/, ""));

type Around = Pick<ToolServiceContext, "home" | "env">;

const anywhere = (around: Around): ToolServiceContext => ({ ...around, cwd: "/", isFree: () => true });

/** Folders in which code lies that later commands run as they find it; `~/` is home. With the tool that runs it. */
export const laterPlaces = (around: Around): readonly (readonly [folder: string, runs: string])[] =>
  allTools().flatMap((tool) => {
    const places = (tool.later ?? []).flatMap((place) => placesOf(place, tool, anywhere(around)));
    return places.map((folder) => [folder, `${tool.names[0] ?? ""} runs what lies there`] as const);
  });

/** What tools keep for themselves at home, by default: files and folders, and beginnings of their names (`*`). */
export const homePlaces = (home: string): readonly string[] =>
  allTools()
    .flatMap((tool) => [...(tool.cache ?? []), ...(tool.later ?? [])].filter((place) => place.startsWith("~/")))
    .map((place) => home + place.slice(1));

/** The XDG base directory specification. */
const BASES: readonly (readonly [variable: string, folder: string])[] = [
  ["XDG_CACHE_HOME", "~/.cache"],
  ["XDG_DATA_HOME", "~/.local/share"],
  ["XDG_STATE_HOME", "~/.local/state"],
];

/** Where a place of the table is here: by default, and where a variable puts it. */
function placesOf(place: string, { moved = [] }: KnownToolService, around: ToolServiceContext): readonly string[] {
  const { home, cwd, env, isFree } = around;
  const found = [place.replace(/^~(?=\/)/, home).replace(/^\.(?=\/)/, cwd)];
  for (const [variable, folder] of [...moved, ...BASES]) {
    if (!isWithin(place, folder)) continue;
    const value = env(variable);
    if (value === undefined || !value.startsWith("/")) continue;
    const to = value.replace(/\/+$/, "");
    const isBase = BASES.some(([name]) => name === variable);
    const at = `${to}${place.slice(folder.length)}`;
    // A base holds the caches of all: the tool's own folder in it is what is asked about.
    if (isFree(isBase ? at : to)) found.push(at);
  }
  return found;
}

function runsProjectCode({ projectCode, loginFor = [] }: KnownToolService, words: readonly string[]): boolean {
  if (projectCode === "unless") return !loginFor.includes(words.find((word) => !word.startsWith("-")) ?? "-");
  return projectCode === true || (projectCode !== undefined && words.some((word) => projectCode.includes(word)));
}

function hostsOf(tool: KnownToolService, actions: readonly Action[], around: ToolServiceContext): readonly KnownHost[] {
  const open = anyPort(tool.downloads);
  if (around.ofAgent === true && around.holdsSecrets === true && RELAYS.has(tool.names[0] ?? ""))
    return open.filter(({ host }) => !isRelay(host));
  if (isProjects(tool, actions, around)) return open;
  return [...open, ...anyPort(tool.hosts), ...configuredHosts(tool, around)];
}

const anyPort = (hosts: readonly string[] = []): readonly KnownHost[] => hosts.map((host) => ({ host, port: undefined }));

/** Code of the project works in the tool's own process. */
function isProjects(tool: KnownToolService, [first]: readonly Action[], { ofAgent, loadsProject }: ToolServiceContext): boolean {
  const words = first?.kind === "exec" ? first.argv.slice(1).map((word) => (word.known ? word.text : "?")) : [];
  const isOfFew = Array.isArray(tool.projectCode);
  // A person's own `npm init` asks the registry: no code of the project is in it unless a file of the project says so.
  if (runsProjectCode(tool, words)) return !isOfFew || ofAgent === true || loadsProject === true;
  return loadsProject === true && !isOfFew;
}

/** What go's proxy is asked for it fetches from whatever host the module's path names (go help goproxy), whose owner reads the path. */
const RELAYS = new Set(["go"]);
const isRelay = (host: string): boolean => host === "proxy.golang.org" || host === "sum.golang.org";

/** Only what the user's own files and the run's environment say: whoever writes a project names what they like. */
function configuredHosts(tool: KnownToolService, around: ToolServiceContext): readonly KnownHost[] {
  const named = (of: "anywhere" | "own" | "project"): readonly KnownHost[] => hostsIn(tool, of, around);
  if (around.ofAgent !== true) return named("anywhere");
  return [...named("own"), ...named("project").filter(({ host }) => isForge(host))];
}

function hostsIn(
  { registry = [] }: KnownToolService,
  of: "anywhere" | "own" | "project",
  { home, cwd, env }: ToolServiceContext,
): readonly KnownHost[] {
  return registry.flatMap(([where = "", ...keys]) => {
    const isOwn = where.startsWith("~/") || where.startsWith("/");
    if (of !== "anywhere" && (of === "own") !== isOwn) return [];
    if (where.startsWith("$")) return of === "project" ? [] : (env(where.slice(1)) ?? "").split(/[\s,|]+/).flatMap(hostOf);
    const path = where.startsWith("~/") ? home + where.slice(1) : isOwn ? where : `${cwd}/${where}`;
    // Not there: nothing is configured in it.
    const text = attempt(() => readFileSync(path, "utf8"), "");
    const hosts = keys.flatMap((key) => [...text.matchAll(patternOf(key))].flatMap(([, url = ""]) => hostOf(url)));
    // Whoever writes a project would name what listens on this machine.
    return isOwn ? hosts : hosts.filter(({ host }) => !isLoopbackHost(host));
  });
}

function hostOf(url: string): readonly KnownHost[] {
  const ssh = /^[\w.-]+@([\w.-]+):/.exec(url)?.[1];
  if (ssh !== undefined) return anyPort([ssh.toLowerCase()]);
  if (!URL.canParse(url)) return [];
  const { hostname: host, port, protocol } = new URL(url);
  // Of this machine it is that port alone: others listen there, too.
  if (isLoopbackHost(host)) return [{ host, port: Number(port) || (protocol === "https:" ? 443 : 80) }];
  return host === "" ? [] : anyPort([host]);
}

export const isLoopbackHost = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);

const ADDRESS = String.raw`["']?(?:sparse\+|registry\+)?((?:https?|ssh|git):\/\/[^\s"'<>,]+|[\w.-]+@[\w.-]+:[^\s"'<>,]+)`;

/** `KEY = URL`, `KEY: URL`, `@scope:KEY=URL`, `- URL` of a list, `<KEY>URL`, `KEY="URL"` of an attribute. */
function patternOf(key: string): RegExp {
  const quoted = key.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  if (key === "-") return new RegExp(String.raw`^\s*-\s+${ADDRESS}`, "gm");
  if (key.startsWith("<")) return new RegExp(String.raw`${quoted}\s*${ADDRESS}`, "g");
  return new RegExp(String.raw`(?:^|[\s,{])(?:@[\w.-]+:)?["']?${quoted}["']?\s*[=:]\s*${ADDRESS}`, "gm");
}
