import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { attempt, isObject, shellQuoted } from "@assent/core/data";
import { type Json, readJson5, toValue } from "@assent/core/edit/json5";
import { isWithin, joinPath } from "@assent/core/path";
import { isConfined, type RequestVerdict } from "@assent/core/policy";
import { copySource, type Machine, readRegular, isProgram } from "@assent/guard/state";

/**
 * Assent's own gateway (`assent mcp … -- SERVER`) where a host starts its servers through our program around commands. Confined, it could
 * neither judge nor log, so it goes as it is: where a person's own settings name it, word for word, and its program is this very file.
 * INVARIANT: the text is never given to a shell. What starts is this Assent with the words of the settings (run-confined.ts), and the
 * server behind it is judged as any server is.
 */
interface GatewayPlace {
  /** Files in which a person names servers, below home or absolute. No agent writes them without a person. */
  readonly files: readonly string[];
  readonly machine: Machine;
  /** The folder of the program that runs this. */
  readonly own: string;
  readonly cwd: string;
}

const MAX_SETTINGS = 16 << 20;

/** The words behind `assent mcp`; undefined: the text is none of it. */
export function ownGateway(text: string, { files, machine, own, cwd }: GatewayPlace): readonly string[] | undefined {
  const given = wordsOf(text);
  for (const path of files) {
    const found = readRegular(path.startsWith("/") ? path : joinPath(machine.home, path), MAX_SETTINGS);
    const root = found.is === "text" ? readJson5(found.text).root : undefined;
    const value = root === undefined ? undefined : toValue(root);
    for (const argv of value === undefined ? [] : serversIn(value, cwd)) {
      const words =
        argv.length === given.length && argv.every((word, at) => word === given[at]) ? behindOwn(argv, machine, own) : undefined;
      if (words !== undefined) return words;
    }
  }
  return undefined;
}

/** A host quotes the words as shells read them (Claude Code 2.1.330). Nothing but the comparison rests on this. */
function wordsOf(text: string): readonly string[] {
  const words = [""];
  for (const [all, plain, double, escaped] of text.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|[^'"\\ ]+|./gs)) {
    if (all === " ") words.push("");
    else words[words.length - 1] += plain ?? double?.replaceAll(/\\([$`"\\!])/g, "$1") ?? escaped ?? all;
  }
  return words;
}

/** For every folder, and for this one and those above it. */
function serversIn(value: Json, cwd: string): readonly (readonly string[])[] {
  if (!isJsonObject(value)) return [];
  const { mcpServers, projects } = value;
  const here = isJsonObject(projects) ? Object.entries(projects).filter(([folder]) => isAbsolute(folder) && isWithin(cwd, folder)) : [];
  return [mcpServers, ...here.map(([, project]) => (isJsonObject(project) ? project["mcpServers"] : undefined))].flatMap((servers) =>
    isJsonObject(servers) ? Object.values(servers).flatMap(argvOf) : [],
  );
}

const isJsonObject = (value: Json | undefined): value is Readonly<Record<string, Json>> => isObject(value) && !Array.isArray(value);

function argvOf(server: Json): readonly (readonly string[])[] {
  if (!isJsonObject(server)) return [];
  const { command, args = [] } = server;
  if (typeof command !== "string" || !Array.isArray(args)) return [];
  const words: readonly Json[] = args;
  return words.every((word) => typeof word === "string") ? [[command, ...words]] : [];
}

/** `assent mcp …` and `node …/bin.cjs mcp …`, nothing in between: an option of Node would load what it likes. */
function behindOwn([first = "", ...rest]: readonly string[], machine: Machine, own: string): readonly string[] | undefined {
  const program = found(first, machine);
  const words = isOwn(program, own) ? rest : isThis(program, process.execPath) && isOwn(rest[0], own) ? rest.slice(1) : [];
  return words[0] === "mcp" ? words.slice(1) : undefined;
}

/** The file that a bare name stands for. */
function found(name: string, { env }: Machine): string | undefined {
  if (name.includes("/")) return name;
  return (env["PATH"] ?? "")
    .split(":")
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** What npm links, and what it starts; also where the program is a copy of that package: the copy is started in its place. */
const isOwn = (file: string | undefined, own: string): boolean =>
  [own, ...copySource(own)].some(
    (folder) => isThis(file, join(folder, "bin.cjs")) || isThis(file, join(dirname(folder), "bin/assent.cjs")),
  );

function isThis(file: string | undefined, own: string): boolean {
  if (file === undefined || !isAbsolute(file)) return false;
  return attempt(() => realpathSync.native(file) === realpathSync.native(own), false);
}

/** Options of `assent mcp` that take the next word. */
const TAKES = new Set("--name --url --header --listen --token-env --allow-host --allow-origin --policy".split(" "));

/** Those words with the server held to what any server is held to, or the verdict that it does not start. */
export function heldGateway(
  words: readonly string[],
  judge: (line: string) => RequestVerdict,
  isClean: (verdict: RequestVerdict) => boolean,
): { readonly words: readonly string[] } | { readonly refused: RequestVerdict } {
  let at = 0;
  let confines = false;
  while (words[at]?.startsWith("-") === true && words[at] !== "--") {
    const [name = "", value] = (words[at] ?? "").split("=", 2);
    const given = TAKES.has(name) && value === undefined ? words[at + 1] : value;
    if (name === "--confine" && value === undefined) confines = true;
    // A relative one is found in the project, where an agent could have written it. What is not known may be anything.
    else if (!TAKES.has(name) || (name === "--policy" && !isAbsolute(given ?? ""))) return held(words.slice(at), judge);
    at += TAKES.has(name) && value === undefined ? 2 : 1;
  }
  const server = words.slice(words[at] === "--" ? at + 1 : at);
  if (server.length === 0) return { words };
  const verdict = judge(server.map(shellQuoted).join(" "));
  const goes = verdict.decision === "allow" || (confines && verdict.decision !== "deny");
  if (!goes) return { refused: verdict };
  return { words: confines || (!isConfined(verdict) && isClean(verdict)) ? words : ["--confine", ...words] };
}

/** Judged as what stands there, which nobody knows. */
function held(words: readonly string[], judge: (line: string) => RequestVerdict): { readonly refused: RequestVerdict } {
  const verdict = judge(["assent", "mcp", ...words].map(shellQuoted).join(" "));
  return { refused: { ...verdict, reason: `\`assent mcp\` is given an option that is not known here, or a policy of the project` } };
}

/** What controls Node, the loader, or which policy and state Assent finds. The gateway judges, so only the launcher says these. */
const CONTROLS =
  /^(?:NODE_(?!ENV$)|LD_|DYLD_|GCONV_|OPENSSL_|SSL_|GLIBC_|MALLOC_|ASSENT_|MCP_AUTO_APPROVE$|HOME$|XDG_(?:STATE|CONFIG|CACHE)_HOME$)/;
const TOLD = ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] as const;

/** The environment of a gateway: the caller's, which its server gets, but for what controls who judges. */
export function gatewayEnvironment(
  caller: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(caller).filter(([name]) => !CONTROLS.test(name));
  const told = TOLD.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]));
  return Object.fromEntries([...kept, ...told]);
}
