import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Readable, type Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { visible } from "@assent/core/action";
import type { SandboxCommand, SandboxRunResult } from "./ai-session.ts";
import type { ContainerOptions, ContainerPath, ContainerProcess, ContainerSession } from "./open-container.ts";
import { GuardOptionError } from "../common/options.ts";

/** `openContainer` with options of the right types. */
export async function startContainer(options: ContainerOptions): Promise<ContainerSession> {
  const { image, cwd = "/work", mounts = {}, network = "none", env = {}, user, runOptions = [] } = options;
  if (typeof image !== "string" || image === "" || image.startsWith("-"))
    throw new GuardOptionError("image", "openContainer: the option `image` must be the name of an image");
  if (!cwd.startsWith("/")) throw new GuardOptionError("cwd", "openContainer: the option `cwd` must be an absolute path of the container");
  const volumes = Object.entries(mounts).flatMap(([from, to]) => {
    if (!from.startsWith("/") || !to.startsWith("/") || from.includes(":"))
      throw new GuardOptionError("mounts", "openContainer: `mounts` names absolute paths");
    return ["--volume", `${from}:${to}`];
  });
  const engine = new Engine(options.engine ?? (await foundEngine()), options.engineOptions ?? []);
  const name = `assent-${randomBytes(8).toString("hex")}`;
  const words = [
    "run",
    "--detach",
    "--rm",
    "--name",
    name,
    "--network",
    network,
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    ...volumes,
    ...Object.entries(env).flatMap(([variable, value]) => ["--env", `${variable}=${value}`]),
    ...(user === undefined ? [] : ["--user", user]),
    "--workdir",
    cwd,
    ...runOptions,
    "--entrypoint",
    "/bin/sh",
    image,
    "-c",
    // It ends when it is told to, and reaps what is left to it.
    "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done",
  ];
  const started = await engine.run(words, { timeout: options.timeout ?? 120_000, maxOutput: 10_000 });
  if (started.exitCode !== 0) throw new Error(`the container could not be started: ${visible(started.stderr.trim()).slice(0, 1000)}`);
  return sessionOf(engine, name, { ...options, cwd });
}

async function foundEngine(): Promise<string> {
  for (const engine of ["docker", "podman"]) {
    const { exitCode } = await new Engine(engine, [])
      .run(["info"], { timeout: 20_000, maxOutput: 10_000 })
      .catch(() => ({ exitCode: 127 }));
    if (exitCode === 0) return engine;
  }
  throw new Error("neither docker nor podman runs here");
}

interface EngineLimits {
  readonly timeout: number;
  readonly maxOutput: number;
  readonly signal?: AbortSignal | undefined;
  readonly input?: Uint8Array | ReadableStream<Uint8Array> | undefined;
  /** It is ended before its time: what it started in the container does not end with the command line. */
  readonly onEnd?: (() => void) | undefined;
}

interface EngineProcess {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

interface EngineResult extends SandboxRunResult {
  readonly bytes: Uint8Array;
}

/** The command line of docker or podman. */
class Engine {
  readonly #program: string;
  readonly #options: readonly string[];

  constructor(program: string, options: readonly string[]) {
    this.#program = program;
    this.#options = options;
  }

  start(words: readonly string[], fed: boolean): EngineProcess {
    const child = spawn(this.#program, [...this.#options, ...words], { stdio: ["pipe", "pipe", "pipe"] });
    const { stdin, stdout, stderr } = child;
    // Who does not read its input to the end says so by how it ends.
    stdin.on("error", () => undefined);
    if (!fed) stdin.end();
    return { child, stdin, stdout, stderr };
  }

  async run(words: readonly string[], { timeout, maxOutput, signal, input, onEnd }: EngineLimits): Promise<EngineResult> {
    signal?.throwIfAborted();
    const { child, stdin, stdout, stderr } = this.start(words, input !== undefined);
    const [out, err] = [new Kept(stdout, maxOutput), new Kept(stderr, maxOutput)];
    const how: { why?: number } = {};
    const end = (code: number) => (): void => {
      how.why ??= code;
      child.kill("SIGKILL");
      onEnd?.();
    };
    const timer = setTimeout(end(124), timeout);
    const cancel = end(130);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      if (input !== undefined) feed(stdin, input);
      const code = await new Promise<number>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", (status) => resolve(status ?? 137));
      });
      return { exitCode: how.why ?? code, stdout: out.text, stderr: err.text, bytes: out.bytes };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    }
  }
}

function feed(stdin: Writable, input: Uint8Array | ReadableStream<Uint8Array>): void {
  if (input instanceof Uint8Array) stdin.end(input);
  else Readable.from(bytesFrom(input)).pipe(stdin);
}

async function* bytesFrom(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** A stream's bytes, up to a limit. */
class Kept {
  readonly #parts: Buffer[] = [];
  #left: number;

  constructor(stream: Readable, most: number) {
    this.#left = most;
    stream.on("data", (part: Buffer) => {
      if (this.#left > 0) this.#parts.push(part.subarray(0, this.#left));
      this.#left -= part.length;
    });
  }

  get bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }

  get text(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }
}

/** What a script says that has found something. */
const FOUND = 45;
/** Marks all that a command starts, so that it can be ended. */
const MARK = "ASSENT_COMMAND";
/**
 * Ends what has the mark `$1`, what that has started, and what is in a session of theirs. They are stopped before they are ended: who is
 * ended first would leave its children to the container's first process. The exit code says whether there were any. Sessions 0 and 1 belong to
 * everybody.
 */
const END_ALL = `found=" " sessions=" "
is_ours() {
  case $sessions in *" $3 "*) return 0;; esac
  case $found in *" $2 "*) return 0;; esac
  grep -qs "${MARK}=$mark" "/proc/$1/environ"
}
look() {
  more=
  for p in /proc/[0-9]*; do
    p=\${p#/proc/}
    case " 1 $$ $found" in *" $p "*) continue;; esac
    s=$(cat "/proc/$p/stat" 2>/dev/null) || continue
    set -- \${s##*) }
    [ "$1" != Z ] && is_ours "$p" "$2" "$4" || continue
    kill -STOP "$p" 2>/dev/null || continue
    found="$found$p " more=1
    case $4 in 0|1) ;; *) sessions="$sessions$4 ";; esac
  done
  [ -n "$more" ]
}
mark=$1
while look; do :; done
n=0
for p in $found; do kill -9 "$p" 2>/dev/null; n=${FOUND}; done
exit $n`;
/** A command may still be on its way into the container when it is to end. */
const ON_ITS_WAY_MS = 3000;
const LOOK_AGAIN_MS = 200;
const MOST_LOOKS = 50;

const MISSING = 44;
const MOST_FILE = 64 << 20;

/** The path is a word of its own, never a part of the script. */
const READ = `[ -e "$1" ] || exit ${MISSING}; exec cat < "$1"`;
const WRITE = `case $1 in */*) mkdir -p -- "\${1%/*}/" || exit 1;; esac; exec cat > "$1"`;
const STAT = `[ -e "$1" ] || exit ${MISSING}; if [ -d "$1" ]; then echo d 0; elif [ -f "$1" ]; then printf 'f '; wc -c < "$1"; else echo o 0; fi`;
const DELETE = `[ -e "$1" ] || [ -L "$1" ] || exit ${MISSING}; exec rm -f -- "$1"`;
const LIST =
  `[ -d "$1" ] || exit ${MISSING}; cd -- "$1" || exit 1; for f in * .[!.]* ..?*; do [ -e "$f" ] || [ -L "$f" ] || continue; ` +
  `if [ -L "$f" ]; then k=l; elif [ -d "$f" ]; then k=d; elif [ -f "$f" ]; then k=f; else k=o; fi; printf '%s%s\\000' "$k" "$f"; done`;

const TYPES = { l: "symlink", d: "directory", f: "file" } as const;

function sessionOf(
  engine: Engine,
  container: string,
  { image, cwd, timeout = 120_000, maxOutput = 1_000_000 }: ContainerOptions & { readonly cwd: string },
): ContainerSession {
  const exec = ({ workingDirectory = cwd, env = {} }: Omit<SandboxCommand, "command">, words: readonly string[], fed: boolean) => [
    "exec",
    ...(fed ? ["--interactive"] : []),
    "--workdir",
    workingDirectory.startsWith("/") ? workingDirectory : `${cwd === "/" ? "" : cwd}/${workingDirectory}`,
    ...Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    container,
    "/bin/sh",
    "-c",
    ...words,
  ];
  const script = async (
    text: string,
    { path, abortSignal }: ContainerPath,
    input?: EngineLimits["input"],
  ): Promise<EngineResult & { readonly missing: boolean }> => {
    const words = exec({}, [text, "sh", path], input !== undefined);
    const result = await engine.run(words, { timeout, maxOutput: MOST_FILE, signal: abortSignal, input });
    const { exitCode, stderr } = result;
    if (exitCode !== 0 && exitCode !== MISSING) throw new Error(`${visible(path)}: ${visible(stderr.trim()).slice(0, 400)}`);
    return { ...result, missing: exitCode === MISSING };
  };
  const readBinaryFile = async (options: ContainerPath): Promise<Uint8Array | null> => {
    const { missing, bytes } = await script(READ, options);
    return missing ? null : bytes;
  };
  const marked = (options: SandboxCommand): { readonly options: SandboxCommand; readonly endAll: (begun: boolean) => Promise<void> } => {
    const mark = randomBytes(8).toString("hex");
    const look = async (): Promise<boolean> =>
      (await engine.run(exec({}, [END_ALL, "sh", mark], false), { timeout: 20_000, maxOutput: 1000 })).exitCode === FOUND;
    return {
      options: { ...options, env: { ...options.env, [MARK]: mark } },
      endAll: async (begun) => {
        // What was started in the moment in which all of it was looked at is found by the look after that.
        const last = Date.now() + ON_ITS_WAY_MS;
        let any = begun;
        for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
          const found = await look();
          any ||= found;
          if (!found && (any || Date.now() > last)) return;
          if (!found) await wait(LOOK_AGAIN_MS);
        }
      },
    };
  };
  const session: ContainerSession = {
    container,
    description: `A container of the image ${visible(image)}; commands start in ${visible(cwd)}.`,
    run: async (given) => {
      const { options, endAll } = marked(given);
      const ended: Promise<unknown>[] = [];
      const limits = { timeout, maxOutput, signal: options.abortSignal, onEnd: () => void ended.push(endAll(false)) };
      const { exitCode, stdout, stderr } = await engine.run(exec(options, [options.command], false), limits);
      await Promise.allSettled(ended);
      return { exitCode, stdout, stderr };
    },
    spawn: async (given) => {
      given.abortSignal?.throwIfAborted();
      const { options, endAll } = marked(given);
      const started = processOf(
        engine.start(exec(options, [options.command], given.stdin === true), given.stdin === true),
        given.stdin === true,
        endAll,
      );
      options.abortSignal?.addEventListener("abort", () => void started.kill(), { once: true });
      return await Promise.resolve(started);
    },
    readBinaryFile,
    readFile: async (options) => {
      const bytes = await readBinaryFile(options);
      return bytes === null ? null : new Blob([new Uint8Array(bytes)]).stream();
    },
    readTextFile: async ({ startLine = 1, endLine, ...options }) => {
      const bytes = await readBinaryFile(options);
      const text = bytes === null ? null : Buffer.from(bytes).toString("utf8");
      if (text === null || (startLine === 1 && endLine === undefined)) return text;
      return text
        .split("\n")
        .slice(startLine - 1, endLine)
        .join("\n");
    },
    writeFile: async (options) => void (await script(WRITE, options, options.content)),
    writeBinaryFile: async (options) => void (await script(WRITE, options, options.content)),
    writeTextFile: async (options) => void (await script(WRITE, options, new TextEncoder().encode(options.content))),
    stat: async (options) => {
      const { missing, stdout } = await script(STAT, options);
      if (missing) return null;
      const [kind = "o", size = "0"] = stdout.trim().split(/\s+/);
      return { type: kind === "d" ? "directory" : kind === "f" ? "file" : "other", size: Number(size) };
    },
    listDirectory: async (options) => {
      const { missing, stdout } = await script(LIST, options);
      if (missing) return null;
      return stdout
        .split("\0")
        .filter((one) => one !== "")
        .map((one) => {
          const [kind = "o"] = one;
          return { name: one.slice(1), type: kind === "l" || kind === "d" || kind === "f" ? TYPES[kind] : "other" };
        });
    },
    deleteFile: async (options) => !(await script(DELETE, options)).missing,
    close: async () => void (await engine.run(["rm", "--force", container], { timeout: 60_000, maxOutput: 10_000 })),
    [Symbol.asyncDispose]: async () => await session.close(),
  };
  return session;
}

function processOf(
  { child, stdin, stdout, stderr }: EngineProcess,
  fed: boolean,
  endAll: (begun: boolean) => Promise<void>,
): ContainerProcess {
  const ended = new Promise<{ readonly exitCode: number }>((resolve) => {
    child.once("error", () => resolve({ exitCode: 127 }));
    child.once("exit", (code) => resolve({ exitCode: code ?? 137 }));
  });
  return {
    stdout: bytesOf(stdout),
    stderr: bytesOf(stderr),
    ...(fed ? { stdin: writerOf(stdin) } : {}),
    wait: async () => await ended,
    kill: async () => {
      const begun = child.exitCode !== null;
      // First: what has not been asked of the engine yet is not asked any more.
      child.kill("SIGKILL");
      await ended;
      await endAll(begun).catch(() => undefined);
    },
  };
}

function bytesOf(stream: Readable): ReadableStream<Uint8Array> {
  // The program goes on to its end, whether somebody reads or not.
  let wanted = true;
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      stream.on("data", (part: Buffer) => void (wanted && controller.enqueue(new Uint8Array(part))));
      stream.once("close", () => void (wanted && controller.close()));
    },
    cancel: () => void (wanted = false),
  });
}

const writerOf = (stream: Writable): WritableStream<Uint8Array> =>
  new WritableStream<Uint8Array>({
    write: async (part) => await new Promise((resolve, reject) => stream.write(part, (error) => (error ? reject(error) : resolve()))),
    close: () => void stream.end(),
  });
