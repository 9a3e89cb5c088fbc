import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  ftruncateSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { expect, onTestFinished } from "vitest";
import { alloc, pathBytes, pathText, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { cTextAddress, lendAddress } from "../../../packages/supervisor/src/supervise/undo/safe.ts";
import {
  type Caps,
  findRun,
  type KeepResult,
  type ObjectStat,
  type PinnedName,
  prepareUndo,
  RunFolder,
  type RunMeta,
  runsFolder,
  sealRun,
  statFd,
  type Undone,
  type UndoPlan,
  undoRun,
  UndoStore,
} from "@assent/supervisor/supervise/undo";
import { readXattrs } from "../../../packages/supervisor/src/supervise/undo/xattr.ts";

const O_PATH = 0o10000000;
let runs = 0;
const known = (stat: ObjectStat | number): ObjectStat | undefined => (typeof stat === "number" ? undefined : stat);

/** Does what a program would do, the way the trap handler does it: the store first, then the call. Paths lie in `root`. */
export class Actor {
  readonly store: UndoStore;
  readonly run: RunFolder;
  readonly root: string;
  /** The last answer of the store. */
  last: KeepResult = { kept: true };

  constructor(root: string, runsAt: string, caps?: Caps, meta: Partial<RunMeta> = {}) {
    this.root = root;
    runs += 1;
    const id = `run-${String(runs).padStart(8, "0")}`;
    this.run = new RunFolder(runsAt, { id, argv: ["test"], cwd: root, started: Date.now(), ...meta });
    this.store = new UndoStore(this.run.folder, caps);
  }

  path(name: string): string {
    return name === "" ? this.root : normalize(`${this.root}/${name}`);
  }

  bytes(name: string): Buffer {
    return pathBytes(this.path(name));
  }

  #at<T>(name: string, action: (place: PinnedName) => T): T {
    const path = this.path(name);
    const slash = path.lastIndexOf("/");
    const parentFd = openSync(pathBytes(path.slice(0, slash)), O_PATH | constants.O_DIRECTORY);
    try {
      return action({ parentFd, name: pathBytes(path.slice(slash + 1)), path });
    } finally {
      closeSync(parentFd);
    }
  }

  #on<T>(name: string, action: (fd: number) => T): T {
    const fd = openSync(this.bytes(name), O_PATH | constants.O_NOFOLLOW);
    try {
      return action(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** False: the store said no, or the call failed. */
  #do(kept: KeepResult, call: () => void): boolean {
    this.last = kept;
    if (!kept.kept) return false;
    try {
      call();
      return true;
    } catch {
      this.store.cancel(kept);
      return false;
    }
  }

  #make(name: string, kind: "file" | "directory" | "symlink" | "fifo", call: () => void): boolean {
    return this.#at(name, (place) => {
      if (!this.#do(this.store.create(place.parentFd, place.path, kind), call)) return false;
      this.store.bornAt(place.parentFd, place.name);
      return true;
    });
  }

  create(name: string, text = ""): boolean {
    return this.#make(name, "file", () => {
      const fd = openSync(this.bytes(name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
      writeSync(fd, text);
      closeSync(fd);
    });
  }

  mkdir(name: string): boolean {
    return this.#make(name, "directory", () => mkdirSync(this.bytes(name)));
  }

  symlink(name: string, text: string): boolean {
    return this.#make(name, "symlink", () => symlinkSync(text, this.bytes(name)));
  }

  fifo(name: string): boolean {
    return this.#make(name, "fifo", () => void execFileSync("mkfifo", [this.path(name)]));
  }

  overwrite(name: string, text: string, append = false): boolean {
    const flags = constants.O_WRONLY | constants.O_NOFOLLOW | (append ? constants.O_APPEND : constants.O_TRUNC);
    return this.#on(name, (fd) =>
      this.#do(this.store.modify(fd, this.path(name)), () => {
        const own = openSync(this.bytes(name), flags);
        writeSync(own, text);
        closeSync(own);
      }),
    );
  }

  truncate(name: string, size: number): boolean {
    return this.#on(name, (fd) =>
      this.#do(this.store.modify(fd, this.path(name)), () => {
        const own = openSync(this.bytes(name), constants.O_WRONLY | constants.O_NOFOLLOW);
        ftruncateSync(own, size);
        closeSync(own);
      }),
    );
  }

  unlink(name: string): boolean {
    return this.#at(name, (place) => this.#do(this.store.remove(place), () => unlinkSync(this.bytes(name))));
  }

  rmdir(name: string): boolean {
    return this.#at(name, (place) => this.#do(this.store.remove(place), () => rmdirSync(this.bytes(name))));
  }

  rename(from: string, to: string): boolean {
    return this.#at(from, (a) =>
      this.#at(to, (b) => this.#do(this.store.rename(a, b), () => renameSync(this.bytes(from), this.bytes(to)))),
    );
  }

  exchange(from: string, to: string): boolean {
    return this.#at(from, (a) =>
      this.#at(to, (b) =>
        this.#do(this.store.rename(a, b, true), () => {
          if (sys(SYSCALLS.renameat2, a.parentFd, cTextAddress(a.name), b.parentFd, cTextAddress(b.name), 2) < 0)
            throw new Error("exchange");
        }),
      ),
    );
  }

  link(from: string, to: string): boolean {
    return this.#at(to, (place) =>
      this.#on(from, (fd) =>
        this.#do(this.store.link(this.path(from), place, known(statFd(fd))), () => linkSync(this.bytes(from), this.bytes(to))),
      ),
    );
  }

  #change(name: string, call: () => void): boolean {
    return this.#on(name, (fd) => this.#do(this.store.metadata(fd, this.path(name)), call));
  }

  chmod(name: string, mode: number): boolean {
    if (lstatSync(this.bytes(name)).isSymbolicLink()) return false;
    return this.#change(name, () => chmodSync(this.bytes(name), mode));
  }

  chown(name: string, uid: number, gid: number): boolean {
    return this.#change(name, () => lchownSync(this.bytes(name), uid, gid));
  }

  utimes(name: string, seconds: number, nanoseconds: number): boolean {
    return this.#change(name, () => touch(this.path(name), seconds, nanoseconds));
  }

  setxattr(name: string, attribute: string, value: string): boolean {
    if (lstatSync(this.bytes(name)).isSymbolicLink()) return false;
    return this.#change(name, () => setXattr(this.path(name), attribute, value));
  }

  /** rm -r */
  removeTree(name: string): void {
    if (!lstatSync(this.bytes(name)).isDirectory()) return void this.unlink(name);
    for (const child of readdirSync(this.bytes(name), { encoding: "buffer" })) this.removeTree(`${name}/${pathText(child)}`);
    this.rmdir(name);
  }

  /** The run is killed now: its records stay as they are at this moment. */
  kill(): void {
    this.store.close();
    this.run.close();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15);
  }

  /** The run ends. `seal`: false, it was killed. */
  end(sealed = true): void {
    this.store.close();
    if (sealed) this.run.end({ ended: Date.now(), exit: { by: "exit", code: 0 }, bytes: sealRun(this.run.folder, Date.now()) });
    this.run.close();
    // File systems tell birth times apart by the kernel's tick: a person is slower than that.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12);
  }
}

export function touch(path: string, seconds: number, nanoseconds: number): void {
  const spec = alloc(32);
  for (const at of [0, 16]) {
    spec.writeBigInt64LE(BigInt(seconds), at);
    spec.writeBigInt64LE(BigInt(nanoseconds), at + 8);
  }
  if (sys(SYSCALLS.utimensat, -100, cTextAddress(path), lendAddress(spec), 0x100) < 0) throw new Error("utimensat");
}

export function setXattr(path: string, attribute: string, value: string): void {
  if (sys(SYSCALLS.setxattr, cTextAddress(path), cTextAddress(attribute), cTextAddress(value), value.length, 0) < 0)
    throw new Error("setxattr");
}

/** Everything about a tree that an undo must bring back: names, types, modes, owners, times, bytes, attributes, link groups. */
export function picture(root: string): readonly string[] {
  const lines: string[] = [];
  const groups = new Map<bigint, string>();
  const visit = (path: string): void => {
    const stat = lstatSync(pathBytes(path), { bigint: true });
    const name = JSON.stringify(path.slice(root.length));
    const what = stat.isDirectory()
      ? "dir"
      : stat.isSymbolicLink()
        ? `-> ${readlinkSync(pathBytes(path))}`
        : stat.isFile()
          ? `sha ${createHash("sha256")
              .update(readFileSync(pathBytes(path)))
              .digest("hex")
              .slice(0, 12)} ${stat.size}`
          : "special";
    const group = stat.isDirectory() ? "" : (groups.get(stat.ino) ?? name);
    groups.set(stat.ino, group);
    const fd = openSync(pathBytes(path), O_PATH | constants.O_NOFOLLOW);
    const xattrs = JSON.stringify(stat.isSymbolicLink() ? undefined : readXattrs(fd));
    closeSync(fd);
    lines.push(`${name} ${what} ${stat.mode.toString(8)} ${stat.uid}:${stat.gid} ${stat.mtimeNs} ${group} ${xattrs ?? ""}`);
    if (stat.isDirectory())
      for (const child of readdirSync(pathBytes(path), { encoding: "buffer" })
        .map((name) => pathText(name))
        .sort())
        visit(`${path}/${child}`);
  };
  visit(root);
  return lines;
}

/** A folder to work in and one for the records, removed after the test. `base`: where. */
export function workplace(base = tmpdir()): { readonly root: string; readonly runs: string; readonly top: string } {
  const top = mkdtempSync(join(base, "assent-undo-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const root = join(top, "work");
  const machine = { home: join(top, "home"), env: {}, platform: "linux", uid: process.getuid?.(), temp: [], managedPolicy: "" };
  const at = runsFolder(machine);
  for (const folder of [root, dirname(at), at]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { root, runs: at, top };
}

export function undo(
  runsAt: string,
  id: string | undefined,
  root: string,
  options: { paths?: readonly string[]; force?: boolean } = {},
): Undone & { plan: UndoPlan } {
  const run = findRun(runsAt, id, root, id === undefined);
  if ("problem" in run) throw new Error(run.problem);
  const all = { paths: options.paths ?? [], force: options.force ?? false, now: Date.now() };
  const plan = prepareUndo([run], all);
  return { ...undoRun(runsAt, plan, all), plan };
}

/** A text with this in it, for `toMatchObject`. */
export const saying = (text: string): unknown => expect.stringContaining(text);
