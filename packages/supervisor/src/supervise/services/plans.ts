import { BUILDER } from "#knowledge/traits";
import { isWithin, joinPath, normalise } from "@assent/core/path";

/** What a command is started for as a whole, where that is more than one file: what a person says yes to at once. */
export interface CommandPlan {
  /**
   * `install`: packages and programs. `cache`: what the tool keeps for itself, which it may not use unasked. `named`: just what the
   * command's words name (`named.ts`).
   */
  readonly is: "install" | "cache" | "named";
  /** What is done to that which is named. */
  readonly does?: NamedChange;
  /** As a person knows it: `npm`. */
  readonly tool: string;
  /** Folders and files that it fills: whatever is not there yet. Or what is named. */
  readonly into: readonly string[];
  /** Folders from which later commands take programs by their names. */
  readonly programs: readonly string[];
}

/** They are made; written or changed; deleted; made as links. */
export type NamedChange = "folders" | "files" | "gone" | "links";

export interface PlanContext {
  /** As the kernel names it. */
  readonly home: string;
  readonly env: (name: string) => string | undefined;
}

/** What a prefix holds (GNU coding standards, "Directory Variables"). */
const LIBRARIES = ["lib", "lib64", "libexec", "share", "include", "etc"];

const PREFIX = /^(?:DESTDIR|PREFIX|prefix|INSTALL_PREFIX|INSTALL_ROOT)=(.+)$/;

/** The folders that an installation is about; undefined: the words install nothing, or where cannot be told. */
export function installPlan(program: string, words: readonly string[], around: PlanContext): CommandPlan | undefined {
  const python = /^python[\d.]*$/.test(program) && words[0] === "-m" ? words[1] : undefined;
  const [tool, rest] = python === undefined ? [program, words] : [python, words.slice(2)];
  const found = placesOf(tool, rest, around);
  if (found === undefined) return undefined;
  const all = [...found.into, ...found.programs];
  if (all.some((place) => !place.startsWith("/") || place.includes("\0") || isWithin(around.home, place))) return undefined;
  return { is: "install", tool: python === undefined ? program : tool, ...found };
}

/** What a tool keeps for itself, asked about as a whole. */
export const cachePlan = (tool: string, into: readonly string[]): CommandPlan => ({ is: "cache", tool, into, programs: [] });

type Places = Pick<CommandPlan, "into" | "programs">;

function placesOf(tool: string, words: readonly string[], around: PlanContext): Places | undefined {
  const { home } = around;
  const [subcommand = ""] = words.filter((word) => !word.startsWith("-") && !word.includes("="));
  const at = (folder: string): string => inFolder(folder, around);
  const local = joinPath(home, ".local");
  const programs = [joinPath(local, "bin")];
  if (/^(?:npm)$/.test(tool)) {
    const isGlobal = words.some((word) => /^(?:-g|--global|--global=true|--location=global)$/.test(word));
    const prefix = valueOf(words, ["--prefix", "-C"]) ?? around.env("npm_config_prefix") ?? around.env("NPM_CONFIG_PREFIX");
    if (!isGlobal || prefix === undefined || !NPM_INSTALLS.has(subcommand)) return undefined;
    return {
      into: [at(`${prefix}/lib/node_modules`), at(`${prefix}/share/man`)],
      programs: [at(`${prefix}/bin`)],
    };
  }
  if (/^pip[\d.]*$/.test(tool)) {
    if (subcommand !== "install") return undefined;
    const target = valueOf(words, ["--target", "-t"]);
    if (target !== undefined) return { into: [at(target)], programs: [] };
    const prefix = valueOf(words, ["--prefix"]) ?? (words.includes("--user") ? local : undefined);
    return prefix === undefined ? undefined : ofPrefix(at(prefix));
  }
  if (tool === "pipx") {
    const data = around.env("XDG_DATA_HOME") ?? joinPath(local, "share");
    const into = [joinPath(data, "pipx"), joinPath(data, "man"), joinPath(local, "pipx"), joinPath(local, "state/pipx")];
    return PIPX_INSTALLS.test(subcommand) ? { into, programs } : undefined;
  }
  if (tool === "uv")
    return words.includes("tool") && words.includes("install") ? { into: [joinPath(local, "share/uv")], programs } : undefined;
  if (tool === "cargo") {
    if (subcommand !== "install") return undefined;
    const root = at(valueOf(words, ["--root"]) ?? around.env("CARGO_INSTALL_ROOT") ?? around.env("CARGO_HOME") ?? `${home}/.cargo`);
    return { into: [joinPath(root, ".crates.toml"), joinPath(root, ".crates2.json")], programs: [joinPath(root, "bin")] };
  }
  if (tool === "go") {
    if (subcommand !== "install") return undefined;
    const bin = around.env("GOBIN") ?? `${around.env("GOPATH")?.split(":")[0] ?? `${home}/go`}/bin`;
    return { into: [], programs: [at(bin)] };
  }
  if (!BUILDER.has(tool) || !words.some((word) => /^-{0,2}install(?:[-/]\w+)*$/.test(word))) return undefined;
  const prefix = words.flatMap((word) => PREFIX.exec(word)?.[1] ?? [])[0] ?? valueOf(words, ["--prefix"]);
  return prefix === undefined ? undefined : ofPrefix(at(prefix));
}

const NPM_INSTALLS = new Set(["i", "in", "install", "add", "ci", "link", "ln", "update", "up", "upgrade", "rebuild"]);
const PIPX_INSTALLS = /^(?:install|install-all|inject|upgrade|upgrade-all|upgrade-shared|reinstall|reinstall-all)$/;

const ofPrefix = (prefix: string): Places => ({
  into: LIBRARIES.map((name) => joinPath(prefix, name)),
  programs: [joinPath(prefix, "bin"), joinPath(prefix, "sbin")],
});

/** `--prefix X`, `--prefix=X`. */
function valueOf(words: readonly string[], names: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    if (names.includes(word)) return words[at + 1];
    const equals = word.indexOf("=");
    if (equals > 0 && names.includes(word.slice(0, equals))) return word.slice(equals + 1);
  }
  return undefined;
}

/** Where a program works is not known here: what it is told by a relative path is no part of a plan. */
function inFolder(folder: string, { home }: PlanContext): string {
  const path = /^~(?=\/|$)/.test(folder) ? home + folder.slice(1) : folder;
  return path.startsWith("/") ? normalise(path) : path;
}
