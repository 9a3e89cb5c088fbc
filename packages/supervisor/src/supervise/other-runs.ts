import { createHash } from "node:crypto";
import { closeSync, constants, ftruncateSync, openSync, readdirSync, writeSync } from "node:fs";
import { attempt, isObject, parseJson } from "@assent/core/data";
import { isWithin } from "@assent/core/path";
import { type Machine, readRegular } from "@assent/guard/state";
import { isRunning, runsFolder } from "./undo/index.ts";

/**
 * Servers of other runs that live. INVARIANT: what listens in another run is reached without a question only while that run
 * can do nothing that this one could not: held to the same policy in the same folders, started without what loosens it, and
 * nobody has said yes to anything there. Else who may reach it would use what was granted to it. Confined commands of one session
 * are one agent's work, whatever folders they stand in.
 *
 * A run notes the inodes of its listening sockets in its own folder. Every run's state is closed to every run, so none can
 * note a socket of its own in another's name; a number that is noted says which socket, whatever its port.
 */
interface RunScope {
  /** Folders that are the run's to work in, as the kernel names them. */
  readonly work: readonly string[];
  /** Texts of the policy files in force, without the profile. */
  readonly policy: readonly string[];
  /** Text of the profile; undefined: there is none. */
  readonly profile: string | undefined;
}

interface NotedSockets {
  readonly ground: string;
  readonly profile?: string;
  /** Of the agent's session whose command the run stands for; only as long as nobody has granted it more. */
  readonly session?: string;
  readonly listens: readonly number[];
  readonly confined: readonly number[];
  /** Files of UNIX sockets that listen: device, inode and birth. */
  readonly files: readonly string[];
}

/** Who listens at an address, of the runs that live. */
interface OtherRun {
  readonly run: string;
  /** It can do nothing that this run could not. */
  readonly equal: boolean;
  /** Every socket there is heard by the loopback device only. */
  readonly confined: boolean;
}

const FILE = "listens.json";
/** More listening sockets than these are not noted. */
const MOST = 200;
const LARGEST = 1 << 16;

export class OtherRuns {
  readonly #runs: string;
  readonly #id: string;
  readonly #ground: () => RunScope;
  readonly #home: string;
  readonly #listens: number[] = [];
  readonly #confined: number[] = [];
  readonly #files: string[] = [];
  readonly #session: string | undefined;
  /** Open from the first note on: emptying it needs no room on the disk. */
  #fd: number | undefined;
  #equal: boolean;

  /** `equal`: nothing about how the run was started loosens it. */
  constructor(machine: Machine, id: string, equal: boolean, ground: () => RunScope, session?: string) {
    this.#runs = runsFolder(machine);
    this.#home = `${machine.home}\0${machine.temp.join("\0")}`;
    this.#id = id;
    this.#ground = ground;
    this.#equal = equal;
    this.#session = session === undefined ? undefined : digest([this.#home, session]);
  }

  /** A socket of this run listens. */
  listens(inode: number, confined: boolean): void {
    if (this.#listens.length >= MOST) return;
    this.#listens.push(inode);
    if (confined) this.#confined.push(inode);
    this.#write();
  }

  /** A UNIX socket of this run has this file. */
  binds(file: string): void {
    if (this.#session === undefined || this.#files.length >= MOST) return;
    this.#files.push(file);
    this.#write();
  }

  /** The file of a socket that another confined run of the same session has made, and that run lives. */
  hasFile(file: string): boolean {
    const session = this.#session;
    return session !== undefined && this.#others().some((run) => this.#noted(run)?.files.includes(file) === true && this.#isOfSession(run));
  }

  #isOfSession(run: string): boolean {
    return this.#session !== undefined && this.#noted(run)?.session === this.#session && isRunning(`${this.#runs}/${run}`);
  }

  #noted(run: string): NotedSockets | undefined {
    const found = readRegular(`${this.#runs}/${run}/${FILE}`, LARGEST);
    return found.is === "text" ? parse(found.text) : undefined;
  }

  /** A person, or a grant, has let this run do more than its policy does. */
  exceeds(): void {
    if (!this.#equal) return;
    this.#equal = false;
    this.#write();
  }

  #write(): void {
    if (this.#listens.length + this.#files.length === 0 && this.#fd === undefined) return;
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
    const noted: NotedSockets = {
      ...(this.#equal ? this.#key() : { ground: "" }),
      ...(this.#equal && this.#session !== undefined ? { session: this.#session } : {}),
      listens: this.#listens,
      confined: this.#confined,
      files: this.#files,
    };
    const text = JSON.stringify(noted);
    try {
      this.#fd ??= openSync(`${this.#runs}/${this.#id}/${FILE}`, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
      // INVARIANT: emptied first. A text that is half there, or none, opens nothing.
      ftruncateSync(this.#fd, 0);
      writeSync(this.#fd, text, 0);
    } catch {
      // Its servers are asked about.
    }
  }

  #key(): Pick<NotedSockets, "ground" | "profile"> {
    const { work, policy, profile } = this.#ground();
    const widest = work.filter((folder) => !work.some((other) => other !== folder && isWithin(folder, other)));
    const ground = digest([this.#home, ...[...new Set(widest)].sort(), "", ...policy]);
    return { ground, ...(profile === undefined ? {} : { profile: digest([profile]) }) };
  }

  /** Another run that lives and has all of these sockets. */
  of(inodes: readonly number[]): OtherRun | undefined {
    if (inodes.length === 0) return undefined;
    for (const run of this.#others()) {
      const noted = this.#noted(run);
      if (noted === undefined || !inodes.every((inode) => noted.listens.includes(inode))) continue;
      if (!isRunning(`${this.#runs}/${run}`)) continue;
      const own = this.#key();
      // A profile of this run may only add to what it may do.
      const sameScope = noted.ground === own.ground && (noted.profile === undefined || noted.profile === own.profile);
      const equal = sameScope || (this.#session !== undefined && noted.session === this.#session);
      return { run, equal, confined: inodes.every((inode) => noted.confined.includes(inode)) };
    }
    return undefined;
  }

  #others(): readonly string[] {
    return attempt(() => readdirSync(this.#runs).filter((run) => run !== this.#id), []);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

const digest = (texts: readonly string[]): string => createHash("sha256").update(JSON.stringify(texts)).digest("hex");

const isNumbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every((one) => Number.isSafeInteger(one));

function parse(text: string): NotedSockets | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { ground, listens, confined, profile, session, files } = value;
  if (typeof ground !== "string" || !isNumbers(listens) || !isNumbers(confined)) return undefined;
  if (profile !== undefined && typeof profile !== "string") return undefined;
  if (session !== undefined && typeof session !== "string") return undefined;
  if (!Array.isArray(files) || !files.every((one) => typeof one === "string")) return undefined;
  return {
    ground,
    listens,
    confined,
    files,
    ...(session === undefined ? {} : { session }),
    ...(profile === undefined ? {} : { profile }),
  };
}
