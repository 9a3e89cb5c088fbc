import { checkOptions, type Options } from "../common/options.ts";
import type { AiSandboxSession, SandboxCommand, SandboxRunResult } from "./ai-session.ts";

/** A container that is opened for an agent. */
export interface ContainerOptions {
  /** The image. It is not pulled unless the engine does so by itself. */
  readonly image: string;
  /** The command line that runs it; by default `docker`, and `podman` where there is none. */
  readonly engine?: string;
  /** Words in front of `run` and `exec`: `["--context", "remote"]`. */
  readonly engineOptions?: readonly string[];
  /** Further words of `run`: `["--memory", "1g"]`. They are not looked at. */
  readonly runOptions?: readonly string[];
  /** Where commands start, in the container; by default `/work`. */
  readonly cwd?: string;
  /** Folders of this machine that it sees: `{ "/repo": "/work" }`, read-only with `:ro` behind the second. Nothing by default. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** `none` by default: no network at all. */
  readonly network?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `UID:GID` of its commands; by default the image's. */
  readonly user?: string;
  /** Milliseconds until a command is ended, with exit code 124; 120 000 by default. */
  readonly timeout?: number;
  /** Characters of each stream that are kept; 1 000 000 by default. */
  readonly maxOutput?: number;
}

/** A process that goes on by itself in a container. */
export interface ContainerProcess {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** There where it was started with `stdin: true`. */
  readonly stdin?: WritableStream<Uint8Array>;
  wait(): Promise<{ readonly exitCode: number }>;
  kill(): Promise<void>;
}

/** A container as a sandbox session of the AI SDK. Nothing is judged by it: give it to `guard.sandbox`. */
export interface ContainerSession extends AiSandboxSession, AsyncDisposable {
  /** The engine's name of it. */
  readonly container: string;
  run(options: SandboxCommand): Promise<SandboxRunResult>;
  spawn(options: SandboxCommand & { readonly stdin?: boolean }): Promise<ContainerProcess>;
  readFile(options: ContainerPath): Promise<ReadableStream<Uint8Array> | null>;
  readBinaryFile(options: ContainerPath): Promise<Uint8Array | null>;
  readTextFile(options: ContainerPath & { readonly startLine?: number; readonly endLine?: number }): Promise<string | null>;
  writeFile(options: ContainerPath & { readonly content: ReadableStream<Uint8Array> }): Promise<void>;
  writeBinaryFile(options: ContainerPath & { readonly content: Uint8Array }): Promise<void>;
  writeTextFile(options: ContainerPath & { readonly content: string }): Promise<void>;
  stat(options: ContainerPath): Promise<{ readonly type: "file" | "directory" | "other"; readonly size: number } | null>;
  listDirectory(
    options: ContainerPath,
  ): Promise<{ readonly name: string; readonly type: "file" | "directory" | "symlink" | "other" }[] | null>;
  deleteFile(options: ContainerPath): Promise<boolean>;
  /** Ends the container and removes it. */
  close(): Promise<void>;
}

export interface ContainerPath {
  readonly path: string;
  readonly abortSignal?: AbortSignal;
}

const OPTIONS = {
  image: "string",
  engine: "string",
  engineOptions: "texts",
  runOptions: "texts",
  cwd: "string",
  mounts: "object",
  network: "string",
  env: "object",
  user: "string",
  timeout: "number",
  maxOutput: "number",
} satisfies Options<ContainerOptions>;

/**
 * Starts a container by the command line of docker or podman, without network, without rights beyond those of the user in it, and without
 * anything of this machine but what `mounts` names.
 *
 * ```ts
 * await using container = await openContainer({ image: "node:22-slim", mounts: { "/repo": "/work" } });
 * const sandbox = guard.sandbox(container);
 * console.log((await sandbox.run({ command: "npm test" })).stdout);
 * ```
 */
export async function openContainer(options: ContainerOptions): Promise<ContainerSession> {
  checkOptions("openContainer", options, OPTIONS);
  // Few programs open one: it is loaded with the first.
  const { startContainer } = await import("./container.ts");
  return await startContainer(options);
}
