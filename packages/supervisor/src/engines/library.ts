import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { attempt, isObject } from "@assent/core/data";
import { EngineError } from "./contract.ts";

export const PACKAGE = "@anthropic-ai/sandbox-runtime";
/** Its versions are 0.0.x and move: what was tried with one says nothing of the next. */
const PINNED = "0.0.83";
/** The library's own `engines`. */
const NODE = [22, 12] as const;

/** A path is a path, whatever characters it holds, where it is called literal; a plain text may be a pattern. */
export type SandboxPath = string | { readonly path: string; readonly literal: true };

export interface SandboxSettings {
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    readonly allowLocalBinding: boolean;
    readonly allowAllUnixSockets: boolean;
  };
  readonly filesystem: {
    readonly denyRead: readonly SandboxPath[];
    readonly allowRead: readonly SandboxPath[];
    readonly allowWrite: readonly SandboxPath[];
    readonly denyWrite: readonly SandboxPath[];
    readonly allowGitConfig: boolean;
  };
  readonly enableWeakerNestedSandbox: boolean;
  readonly enableWeakerNetworkIsolation: boolean;
}

/** As much of the library's manager as is used here. */
export interface SandboxManager {
  readonly isSupportedPlatform: () => boolean;
  readonly checkDependencies: () => { readonly errors: readonly string[] };
  readonly initialize: (
    settings: SandboxSettings,
    ask: (asked: { readonly host: string; readonly port: number | undefined }) => Promise<boolean>,
  ) => Promise<void>;
  readonly wrapWithSandboxArgv: (
    command: string,
    shell: string,
    settings: undefined,
    signal: undefined,
    cwd: string,
    options: { readonly commandId: string },
  ) => Promise<{ readonly argv: readonly string[]; readonly env: NodeJS.ProcessEnv }>;
  readonly cleanupAfterCommand: () => void;
  readonly reset: () => Promise<void>;
}

/** Throws an `EngineError` where it is missing, another version, or Node is too old for it. */
export async function loadManager(): Promise<SandboxManager> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < NODE[0] || (major === NODE[0] && minor < NODE[1]))
    throw new EngineError("missing", `${PACKAGE} sandboxes here: it needs Node ${NODE.join(".")} or newer, and this is ${process.version}`);
  const { file, version } = installed();
  if (version !== PINNED) throw new EngineError("missing", `${PACKAGE} ${version} is installed, and only ${PINNED} was tried: ${INSTALL}`);
  const loaded: unknown = await import(file);
  const manager = isObject(loaded) ? loaded["SandboxManager"] : undefined;
  if (!isManager(manager)) throw new EngineError("missing", `${PACKAGE} is damaged: ${INSTALL}`);
  return manager;
}

const CALLS = [
  "isSupportedPlatform",
  "checkDependencies",
  "initialize",
  "wrapWithSandboxArgv",
  "cleanupAfterCommand",
  "reset",
] as const satisfies readonly (keyof SandboxManager)[];

const isManager = (value: unknown): value is SandboxManager => isObject(value) && CALLS.every((name) => typeof value[name] === "function");

const INSTALL = `npm install -g ${PACKAGE}@${PINNED}`;

/** Where its main file lies, and its version as its own package says. Found as ESM finds it: `NODE_PATH` counts for nothing. */
function installed(): { readonly file: string; readonly version: string } {
  try {
    const file = import.meta.resolve(PACKAGE);
    for (let folder = dirname(fileURLToPath(file)); folder !== dirname(folder); folder = dirname(folder)) {
      const manifest = manifestIn(folder);
      if (isObject(manifest) && manifest["name"] === PACKAGE && typeof manifest["version"] === "string")
        return { file, version: manifest["version"] };
    }
    throw new Error(`${file} is in no package of that name`);
  } catch (error) {
    throw new EngineError("missing", `${PACKAGE} is missing, which sandboxes programs here: ${INSTALL}`, { cause: error });
  }
}

const manifestIn = (folder: string): unknown =>
  attempt((): unknown => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), undefined);
