import { createRequire } from "node:module";

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

const require = createRequire(import.meta.url);
const NAME = `@koromix/koffi-${process.platform}-${process.arch}`;

/** Where the package for this platform lies; undefined: it is not installed, or there is none. */
export function nativePackage(): string | undefined {
  try {
    return require.resolve(NAME);
  } catch {
    return undefined;
  }
}

export const native: Foreign = loadNative();

function loadNative(): Foreign {
  const file = nativePackage();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package exports, of the exact version in package.json
  return file === undefined ? absent() : (require(file) as Foreign);
}

/** What looks whether this machine can supervise must load without the package, too: only a call fails. */
function absent(): Foreign {
  const fail = (): never => {
    throw new Error(`${NAME} is not installed, and it makes the system calls: install Assent again, without \`--omit=optional\``);
  };
  return { load: () => ({ func: () => fail, symbol: () => undefined }), proto: () => undefined, call: fail, address: () => 0, errno: fail };
}
