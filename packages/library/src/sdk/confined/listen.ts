import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { isObject, parseObject } from "@assent/core/data";
import { ensureFolder, isNumberTaken, type Machine, openState, randomHex, removeFile, TICKET_LASTS_MS } from "@assent/guard/state";
import type { JudgedInRun } from "@assent/supervisor/supervise/control-channel";

/** How a run that somebody else starts finds the guard that let it go ahead: its ticket says so, which no run can read. */
export interface RunTells {
  readonly socket: string;
  /** Known to the guard and the ticket alone. */
  readonly key: string;
}

interface Expected {
  readonly hear: (judged: JudgedInRun) => void;
  readonly until: number;
}

/** sockaddr_un holds 108 bytes, the last of them 0. */
const LONGEST_PATH = 107;
/** Starts that nobody has used yet. */
const MOST_EXPECTED = 20_000;
/** A program that tries everything fills no log. */
const MOST_TOLD = 1000;
const LONGEST_TEXT = 1 << 22;

/** A socket of this process, in the state folder of one home. */
class RunListener {
  readonly path: string;
  readonly #expected = new Map<string, Expected>();
  readonly #server: Server;

  /** Throws where it cannot be had. */
  constructor(path: string) {
    this.path = path;
    this.#server = createServer((stream) => this.#connected(stream));
    // It keeps no program from its end; what goes wrong later means that nothing is told.
    this.#server.on("error", () => undefined);
    // In a worker of a cluster, too, it is this process's own.
    this.#server.listen({ path, exclusive: true });
    this.#server.unref();
    chmodSync(path, 0o600);
    process.on("exit", () => removeFile(path));
  }

  expect(hear: Expected["hear"]): RunTells {
    const now = Date.now();
    for (const [key, { until }] of this.#expected) {
      if (until > now && this.#expected.size < MOST_EXPECTED) break;
      this.#expected.delete(key);
    }
    const key = randomHex(16);
    this.#expected.set(key, { hear, until: now + TICKET_LASTS_MS });
    return { socket: this.path, key };
  }

  #connected(stream: Socket): void {
    let [text, told] = ["", 0];
    let hear: Expected["hear"] | undefined;
    stream.unref();
    stream.on("error", () => undefined);
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      const lines = `${text}${chunk}`.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        if (hear !== undefined) {
          const judged = (told += 1) <= MOST_TOLD ? judgedIn(line) : undefined;
          if (judged !== undefined) hear(judged);
          continue;
        }
        hear = this.#expected.get(line)?.hear;
        // Each start is used once.
        this.#expected.delete(line);
        if (hear === undefined) return void stream.destroy();
      }
      if (text.length > LONGEST_TEXT) stream.destroy();
    });
  }
}

/** By the state folder. */
const listeners = new Map<string, RunListener>();

/** Has what a run refuses told to `hear`. Undefined: nobody can listen there, and nothing is told. */
export function listenToRun(machine: Machine, hear: (judged: JudgedInRun) => void): RunTells | undefined {
  const state = openState(machine);
  if ("problem" in state) return undefined;
  const folder = `${state.folder}/tells`;
  const path = `${folder}/${process.pid}-${randomHex(8)}`;
  if (Buffer.byteLength(path) > LONGEST_PATH) return undefined;
  try {
    let listener = listeners.get(folder);
    // Somebody may have cleared the state away.
    if (listener === undefined || lstatSync(listener.path, { throwIfNoEntry: false }) === undefined) {
      ensureFolder(folder);
      clearOld(folder);
      listener = new RunListener(path);
      listeners.set(folder, listener);
    }
    return listener.expect(hear);
  } catch {
    return undefined;
  }
}

/** Sockets of processes that were killed. */
function clearOld(folder: string): void {
  for (const name of readdirSync(folder).slice(0, 1000)) {
    const pid = Number.parseInt(name, 10);
    const stats = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > TICKET_LASTS_MS && !isNumberTaken(pid)) removeFile(`${folder}/${name}`);
  }
}

/** The supervisor is this program; a line that is cut short is none. */
function judgedIn(line: string): JudgedInRun | undefined {
  const value = parseObject(line);
  if (value === undefined || typeof value["program"] !== "string" || !isObject(value["action"]) || !isObject(value["verdict"]))
    return undefined;
  const { action, verdict } = value;
  if (typeof action["kind"] !== "string" || typeof verdict["reason"] !== "string") return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whoever has the key is the supervisor
  return value as unknown as JudgedInRun;
}
