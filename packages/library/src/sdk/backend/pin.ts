import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { attempt } from "@assent/core/data";
import { joinPath } from "@assent/core/path";

/**
 * Objects held by descriptor. A path is looked at once, by opening it; from then on the descriptor says what was opened,
 * wherever links and names lead meanwhile. What is judged is where the object lies, what is read is the object.
 */
export interface Pinned {
  readonly fd: number;
  /** Where the object lies: absolute, without links. */
  readonly path: string;
  readonly stats: Stats;
  readonly close: () => void;
}

/** open(2): a handle for an object that opens nothing. The same number on all of Linux' architectures that Node runs on. */
const O_PATH = 0o10000000;
const TRIES = 20;

/** The name and the object come apart again and again: somebody moves it about. */
class UnsteadyError extends Error {
  readonly code = "ESTALE";
}

export interface Pinning {
  /** Follows links. Throws what open(2) says, or `UnsteadyError`. */
  pin(path: string, folder?: boolean): Pinned;
  /** A path that means `name` in a folder that is held, wherever that is now. */
  at(folder: Pinned, name: string): string;
  /** It still lies where it lay. */
  lies(pinned: Pinned): boolean;
  /** Opens what is held. */
  reopen(pinned: Pinned, flags: number): number;
}

const NO_WAIT = constants.O_NONBLOCK | constants.O_NOCTTY;

function held(fd: number, path: string, stats: Stats): Pinned {
  let open = true;
  return {
    fd,
    path,
    stats,
    close: () => {
      if (open) closeSync(fd);
      open = false;
    },
  };
}

const sameObject = (a: Stats, b: Stats | undefined): boolean => b !== undefined && a.dev === b.dev && a.ino === b.ino;

/** With /proc (Linux): the kernel itself says where a descriptor lies. */
const byDescriptor: Pinning = {
  pin(path, folder = false) {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const fd = openSync(path, O_PATH | (folder ? constants.O_DIRECTORY : 0));
      try {
        const stats = fstatSync(fd);
        const real = readlinkSync(`/proc/self/fd/${fd}`);
        // Deleted, renamed meanwhile, a pipe, a name that is no text: then it does not lie there.
        if (real.startsWith("/") && sameObject(stats, lstatSync(real, { throwIfNoEntry: false }))) return held(fd, real, stats);
      } catch (error) {
        closeSync(fd);
        throw error;
      }
      closeSync(fd);
    }
    throw new UnsteadyError(`'${path}' keeps changing while it is opened`);
  },
  lies: ({ fd, path }) => readlinkSync(`/proc/self/fd/${fd}`) === path,
  at: ({ fd }, name) => `/proc/self/fd/${fd}/${name}`,
  reopen: ({ fd }, flags) => openSync(`/proc/self/fd/${fd}`, flags | NO_WAIT),
};

/**
 * Without /proc: nothing is opened through a link, and the object opened must lie at its path in every look after it.
 * Folders are named by their path, so whoever may move folders above the allowed ones about can still lead them astray.
 */
const byPath: Pinning = {
  pin(path, folder = false) {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const real = realpathSync.native(path);
      const fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | NO_WAIT | (folder ? constants.O_DIRECTORY : 0));
      try {
        const stats = fstatSync(fd);
        const lies = (): boolean => realpathSync.native(real) === real && sameObject(stats, lstatSync(real, { throwIfNoEntry: false }));
        if (lies() && lies() && lies()) return held(fd, real, stats);
      } catch {
        // Gone meanwhile: looked at anew.
      }
      closeSync(fd);
    }
    throw new UnsteadyError(`'${path}' keeps changing while it is opened`);
  },
  lies: ({ path, stats }) => realpathSync.native(path) === path && sameObject(stats, lstatSync(path, { throwIfNoEntry: false })),
  at: ({ path }, name) => joinPath(path, name),
  reopen({ path, stats }, flags) {
    const fd = openSync(path, flags | NO_WAIT | constants.O_NOFOLLOW);
    if (sameObject(stats, fstatSync(fd)) && realpathSync.native(path) === path) return fd;
    closeSync(fd);
    throw new UnsteadyError(`'${path}' keeps changing while it is opened`);
  },
};

function hasProc(): boolean {
  return attempt(() => process.platform === "linux" && readlinkSync("/proc/self") === String(process.pid), false);
}

let chosen: Pinning | undefined;

/** How objects are held on this machine. */
export function pinning(way?: "descriptor" | "path"): Pinning {
  if (way !== undefined) return way === "path" ? byPath : byDescriptor;
  return (chosen ??= hasProc() ? byDescriptor : byPath);
}
