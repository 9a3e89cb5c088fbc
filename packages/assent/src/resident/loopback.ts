import { opendirSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { ownLife } from "@assent/guard/approve";
import {
  type BashRequest,
  converseWithBash,
  greetsBack,
  newBashSecrets,
  readBashPlace,
  removeBashPlace,
  writeBashPlace,
} from "./bash-wire.ts";
import { isCaller, standingOf } from "./caller.ts";
import { type LoopbackPlace, markOf, readLife, removeFile } from "./life.ts";
import { Watchdog } from "./watchdog.ts";
import { HUNG_SECONDS, type JudgeCall, type Way } from "./way.ts";
import type { ResidentCall } from "./wire.ts";

/** The other one's time to say that it is there. */
const GREETING_MS = 1000;
/** One of another namespace cannot be looked for: it lives as long as it says so. */
const LATELY_MS = 60_000;
/** Anybody on this machine may connect. */
const MOST_CONNECTIONS = 512;
/** The script waits for 200 ms from the greeting on, the native client for 300 ms: as if it had waited before. In nanoseconds. */
const AHEAD = 50_000_000n;

/** A port of 127.0.0.1, for the script of bash, where there is no native client. */
export class LoopbackWay implements Way {
  readonly life: string;
  readonly #place: LoopbackPlace;
  readonly #secrets = newBashSecrets();
  readonly #standing = standingOf("self");
  readonly #platform: string;
  #watchdog: Watchdog | undefined;
  #server: Server | undefined;

  constructor(place: LoopbackPlace, platform: string) {
    this.#place = place;
    this.#platform = platform;
    this.life = place.life;
  }

  async listen(judge: JudgeCall): Promise<boolean> {
    const before = markOf(this.#place.port);
    const listens = !(await this.#isTaken()) && (await this.#listen(judge, before));
    // One that could not even find that out, or not write its file, is not tried by every call.
    removeFile(this.#place.starting);
    return listens;
  }

  async #listen(judge: JudgeCall, before: string): Promise<boolean> {
    const { port: file } = this.#place;
    // Another one that was started with us has written its own meanwhile.
    if (markOf(file) !== before) return false;
    removeBashPlace(file);
    const secrets = this.#secrets;
    const server = createServer((connection) => converseWithBash(connection, secrets, (asked, greeted) => judge(callOf(asked, greeted))));
    server.maxConnections = MOST_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: "127.0.0.1", port: 0, backlog: 511 }, resolve);
    });
    const address = server.address();
    if (typeof address !== "object" || address === null || !writeBashPlace(file, { port: address.port, ...secrets })) {
      server.close();
      return false;
    }
    // It has no session of its own: a script cannot make one.
    process.on("SIGHUP", () => undefined);
    this.#watchdog = new Watchdog(HUNG_SECONDS * 1000);
    this.#server = server;
    return true;
  }

  /** Should two have found nobody all the same, the one that the file does not name ends soon. */
  async #isTaken(): Promise<boolean> {
    const found = readBashPlace(this.#place.port);
    if (found !== undefined && (await greetsBack(found, GREETING_MS))) return true;
    const other = readLife(this.#place);
    const said = statSync(this.life, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return other !== undefined && other.namespace !== ownLife().namespace && Date.now() - said < LATELY_MS;
  }

  isFound(): boolean {
    return readBashPlace(this.#place.port)?.first === this.#secrets.first;
  }

  standsAlike(call: ResidentCall): boolean {
    if (this.#standing !== undefined) return isCaller(call) && standingOf(call.pid) === this.#standing;
    return standsAlikeWithoutProc(call, this.#platform);
  }

  readonly begin = (): void => this.#watchdog?.start();
  readonly end = (): void => this.#watchdog?.stop();

  close(over: () => void): void {
    const found = readBashPlace(this.#place.port)?.first;
    // Where another one is found, what is said there is its own.
    if (found === undefined || found === this.#secrets.first) removeFile(this.life);
    // The file goes before the port is free for others.
    if (found === this.#secrets.first) removeFile(this.#place.port);
    this.#server?.close(over);
  }
}

/**
 * Systems without /proc have no namespaces: who knows the secrets is this user, and sees the same files. What macOS shows or does not show to
 * a program by who started it (Documents, Desktop, removable volumes; a sandbox) is told by the caller's own folder: a judge that cannot look
 * into that leaves the call to a fresh process.
 */
export function standsAlikeWithoutProc({ folder }: Pick<ResidentCall, "folder">, platform: string): boolean {
  if (platform === "linux") return false;
  try {
    const opened = opendirSync(folder);
    opened.readSync();
    opened.closeSync();
    return true;
  } catch {
    return false;
  }
}

const callOf = ({ pid, parent, folder, words, input }: BashRequest, greeted: bigint): ResidentCall => ({
  pid,
  parent,
  folder,
  words,
  env: [],
  input,
  sent: greeted - AHEAD,
});
