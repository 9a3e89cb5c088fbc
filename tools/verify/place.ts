import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { isWithin } from "@assent/core/path";
import { addressOf, alloc, cString, must, SYSCALLS, sys } from "@assent/supervisor/supervise/kernel";
import type { Machine } from "@assent/guard/state";

/** The scratch world: everything a verified command may change lies below `base` and `/tmp`. */
export interface ScratchPlace {
  readonly base: string;
  readonly home: string;
  readonly project: string;
  readonly temp: string;
  /** Devices: whatever is written to them leaves nothing. */
  readonly devices: ReadonlySet<string>;
  /** For us alone: the pristine copy of home, and Assent's state. */
  readonly own: string;
  readonly machine: Machine;
  readonly env: Readonly<Record<string, string>>;
}

const BASES = ["/home", "/mnt", "/srv", "/opt", "/media"];

/** A folder that is there everywhere and can be hidden: nothing that we or the commands need lies in it. */
export function baseFor(needed: readonly string[]): string | undefined {
  const real = needed.map(realOf);
  return BASES.find((base) => isFolder(base) && ![...needed, ...real].some((path) => isWithin(path, base)));
}

/** Whether `/tmp` may be hidden, too. */
export const hidesTemp = (needed: readonly string[]): boolean => ![...needed, ...needed.map(realOf)].some((path) => isWithin(path, "/tmp"));

/** What has to stay in sight: this program, node, and every folder of PATH. */
export const neededPaths = (own: readonly string[], path: string | undefined): readonly string[] => [
  process.execPath,
  ...own,
  ...(path ?? "").split(":").filter((folder) => folder.startsWith("/")),
];

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

// linux/mount.h
const MS_NOSUID = 2;
const MS_NODEV = 4;
const MS_BIND = 4096;
const MS_MOVE = 8192;
const MS_REC = 16384;
const MS_PRIVATE = 1 << 18;
const MOUNT_ATTR_RDONLY = 1;
const AT_RECURSIVE = 0x8000;
const AT_FDCWD = -100;

const text = (value: string): { readonly at: number; readonly keep: Buffer } => {
  const keep = cString(Buffer.from(value));
  return { at: addressOf(keep), keep };
};

function mount(source: string, target: string, type: string, flags: number, data = ""): void {
  const held = [source, target, type, data].map(text);
  const [from = 0, to = 0, kind = 0, more = 0] = held.map(({ at }) => at);
  must("mount", from, to, kind, flags, more);
  // Their addresses were in use until here.
  held.length = 0;
}

/** Everything read-only; mount_setattr(2) is Linux 5.12. */
function freeze(): void {
  const attributes = alloc(32);
  attributes.writeBigUInt64LE(BigInt(MOUNT_ATTR_RDONLY), 0);
  const root = text("/");
  must("mount_setattr", AT_FDCWD, root.at, AT_RECURSIVE, addressOf(attributes), 32);
}

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

/** Only devices that are harmless to everybody. */
function ownDevices(folder: string): void {
  mkdirSync(folder, { recursive: true });
  mount("tmpfs", folder, "tmpfs", MS_NOSUID, "mode=755,size=64m");
  for (const name of DEVICES) {
    writeFileSync(`${folder}/${name}`, "");
    mount(`/dev/${name}`, `${folder}/${name}`, "", MS_BIND);
  }
  mkdirSync(`${folder}/shm`, { mode: 0o1777 });
  for (const [name, to] of [
    ["fd", "/proc/self/fd"],
    ["stdin", "/proc/self/fd/0"],
    ["stdout", "/proc/self/fd/1"],
    ["stderr", "/proc/self/fd/2"],
  ] as const)
    symlinkSync(to, `${folder}/${name}`);
  mount(folder, "/dev", "", MS_MOVE);
}

const SIZE = "mode=755,size=512m,nr_inodes=200k";

/**
 * In mount and user namespaces of our own (`pool.ts`): makes everything read-only, and lays scratch file systems over `base`, `/tmp` and
 * `/dev`. What is below them on the real disk cannot be reached any more.
 */
export function seclude(base: string, hideTemp: boolean): void {
  mount("none", "/", "", MS_REC | MS_PRIVATE);
  freeze();
  mount("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV, SIZE);
  ownDevices(`${base}/dev-nodes`);
  ownResolver(base);
  if (hideTemp) mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=256m,nr_inodes=100k");
  raiseLoopback();
}

/** Names are not to be had: asking nobody is told at once. */
function ownResolver(folder: string): void {
  const file = realOf("/etc/resolv.conf");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  writeFileSync(`${folder}/resolv.conf`, "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
  mount(`${folder}/resolv.conf`, file, "", MS_BIND);
}

/** ioctl SIOCSIFFLAGS on `lo`: netdevice(7). Loopback is all the network there is. */
function raiseLoopback(): void {
  const socket = must("socket", 2, 2, 0);
  const request = alloc(40);
  request.write("lo");
  request.writeInt16LE(1 | 0x40, 16);
  must("ioctl", socket, 0x8914, addressOf(request));
  sys(SYSCALLS.close, socket);
}

/** The place as commands see it. `path`: where programs are looked for. */
export function placeAt(base: string, hideTemp: boolean, path: string): ScratchPlace {
  const home = `${base}/dev`;
  const own = `${base}/assent-verify`;
  const temp = hideTemp ? "/tmp" : `${base}/tmp`;
  const env: Readonly<Record<string, string>> = {
    PATH: path,
    HOME: home,
    USER: "dev",
    LOGNAME: "dev",
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    TERM: "dumb",
    TZ: "UTC",
    ...(hideTemp ? {} : { TMPDIR: temp }),
  };
  const machine: Machine = {
    home,
    env: { ...env, XDG_STATE_HOME: `${own}/state` },
    platform: process.platform,
    uid: process.getuid?.(),
    temp: [...new Set(["/tmp", "/var/tmp", temp])],
    managedPolicy: `${own}/none`,
  };
  const devices = new Set(DEVICES.map((name) => `/dev/${name}`));
  return { base, home, project: `${home}/project`, temp, devices, own, machine, env };
}
