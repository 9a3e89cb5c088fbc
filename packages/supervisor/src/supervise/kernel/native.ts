import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { attempt } from "@assent/core/data";
import { type Emulated, emulate } from "./without-native.ts";

/**
 * Calls of C functions from JavaScript: the native half of koffi, which npm has as a package for each platform
 * (`@koromix/koffi-linux-x64` holds the builds for glibc and musl and picks one). koffi's own JavaScript only finds that
 * package and warns of names that it calls otherwise today; without it there is no installation script to be run.
 */
interface Foreign {
  readonly load: (library: null) => ForeignLibrary;
  readonly proto: (definition: string) => unknown;
  readonly call: (code: bigint, type: unknown, ...given: readonly unknown[]) => number | bigint;
  readonly address: (buffer: Uint8Array) => number | bigint;
  readonly errno: () => number;
}

interface ForeignLibrary {
  readonly func: (definition: string) => (...given: readonly unknown[]) => number;
  readonly symbol: (name: string) => unknown;
}

/** In the place of the native part, where there is none. */
export let emulated: Emulated | undefined;

const NAME = `@koromix/koffi-${process.platform}-${process.arch}`;

/** Where the package for this platform lies; undefined: it is not installed, or there is none. */
export const nativePackage = (): string | undefined => attempt(() => createRequire(import.meta.url).resolve(NAME), undefined);

/** The folder of this module, as `fileURLToPath` has it for a file of this system, without the classes of URLs. */
const ownFolder = (): string => decodeURIComponent(import.meta.url.slice("file://".length, import.meta.url.lastIndexOf("/") + 1));

/** Where a program of `stubs/` lies for this machine: beside the built commands, or in the source tree. */
export function stubPath(name: "try" | "routine"): string | undefined {
  const file = `${name}-${process.arch}`;
  return ["", "../", "../../../../../stubs/"].map((folder) => `${ownFolder()}${folder}${file}`).find((place) => existsSync(place));
}

const MISSING = `${NAME} is not installed, and it makes the system calls: install Assent again, without \`--omit=optional\``;

export const native: Foreign = loadNative();

function loadNative(): Foreign {
  // The calls have other numbers elsewhere, whatever is installed.
  if (process.platform !== "linux") return absent(`this needs a system call of Linux, and this is ${process.platform}`);
  const quick = loadBuild();
  if (quick !== undefined) return quick;
  const file = nativePackage();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package exports, of the exact version in package.json
  return file === undefined ? absent(MISSING) : (createRequire(import.meta.url)(file) as Foreign);
}

/**
 * The build for glibc itself, where Node's own search would find the package: to let Node look and the package's JavaScript read which
 * of its builds fits takes four milliseconds.
 */
function loadBuild(): Foreign | undefined {
  if (process.platform !== "linux" || !isForGlibc()) return undefined;
  const build = `node_modules/${NAME}/${process.platform}_${process.arch}/koffi.node`;
  for (let folder = ownFolder(); ; folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1)) {
    const file = `${folder}${build}`;
    if (existsSync(file)) return openBuild(file);
    if (folder.length <= 1) return undefined;
  }
}

/** Node is a program of glibc: the loader that it asks for (PT_INTERP) is named in its first page. Without a loader of musl's it is no other. */
function isForGlibc(): boolean {
  if (!existsSync(`/lib/ld-musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`)) return true;
  const page = Buffer.alloc(4096);
  let descriptor: number | undefined;
  try {
    descriptor = openSync("/proc/self/exe", "r");
    return page.subarray(0, readSync(descriptor, page)).includes("/ld-linux-");
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function openBuild(file: string): Foreign | undefined {
  const module = { exports: {} };
  try {
    process.dlopen(module, file);
  } catch {
    return undefined;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return module.exports as Foreign;
}

/**
 * What looks whether this machine can supervise must load without the package, too: only a call fails, but for those that undo needs,
 * which has to work where nothing is supervised.
 */
function absent(why: string): Foreign {
  const fail = (): never => {
    throw new Error(why);
  };
  const { call, copy, address, errno } = (emulated = emulate(fail));
  const func =
    (definition: string): ((...given: readonly unknown[]) => number) =>
    (...given) => {
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = given.map(Number);
      if (definition.startsWith("long syscall(")) return call(a, b, c, d, e, f);
      return definition.startsWith("long memcpy(") ? copy(a, b, c) : fail();
    };
  return { load: () => ({ func, symbol: () => undefined }), proto: () => undefined, call: fail, address, errno };
}
