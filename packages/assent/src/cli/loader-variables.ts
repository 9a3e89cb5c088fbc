import { closeSync, openSync, readSync } from "node:fs";
import { isAbsolute } from "node:path";
import { baseName, isWithin, normalise } from "@assent/core/path";

/**
 * Variables of the person's own by which programs load code from folders that they name. What was judged by its words alone would
 * run what an agent wrote there: `PYTHONPATH=.` and any program written in Python.
 */
interface LoaderVariable {
  /** The program that obeys it, by the beginning of its name; absent: every program does. */
  readonly by?: RegExp;
  /** Words of options by which it loads code, in place of a list of folders. */
  readonly options?: RegExp;
}

/** python(1), node(1), ruby(1), perlrun(1), lua(1), R Startup, java(1), ld.so(8), bash(1). */
const LOADERS: Readonly<Record<string, LoaderVariable>> = {
  PYTHONPATH: { by: /^(?:python|pypy)/ },
  PYTHONHOME: { by: /^(?:python|pypy)/ },
  PYTHONUSERBASE: { by: /^(?:python|pypy)/ },
  PYTHONPLATLIBDIR: { by: /^(?:python|pypy)/ },
  NODE_PATH: { by: /^(?:node|bun|deno)/ },
  NODE_OPTIONS: { by: /^node/, options: /(?:^|\s)(?:-r|--require|--import|--(?:experimental-)?loader|-C|--conditions|--env-file)/ },
  RUBYLIB: { by: /^(?:ruby|jruby|truffleruby)/ },
  RUBYOPT: { by: /^(?:ruby|jruby|truffleruby)/, options: /(?:^|\s)-[rI]/ },
  PERL5LIB: { by: /^perl/ },
  PERLLIB: { by: /^perl/ },
  PERL5OPT: { by: /^perl/, options: /(?:^|\s)-?[mMId]/ },
  LUA_PATH: { by: /^(?:lua|texlua)/ },
  LUA_CPATH: { by: /^(?:lua|texlua)/ },
  R_LIBS: { by: /^(?:R|Rscript)/ },
  R_LIBS_USER: { by: /^(?:R|Rscript)/ },
  CLASSPATH: { by: /^java/ },
  JAVA_TOOL_OPTIONS: { by: /^java/, options: /-(?:javaagent|agentpath|agentlib|Xbootclasspath|cp|classpath)/ },
  JDK_JAVA_OPTIONS: { by: /^java/, options: /-(?:javaagent|agentpath|agentlib|Xbootclasspath|cp|classpath)/ },
  GEM_PATH: { by: /^(?:ruby|jruby|truffleruby)/ },
  GEM_HOME: { by: /^(?:ruby|jruby|truffleruby)/ },
  BASH_ENV: { by: /^bash/ },
  LD_PRELOAD: {},
  LD_AUDIT: {},
  LD_LIBRARY_PATH: {},
};

/** Where code would be loaded from, and for which programs. */
interface Loading {
  /** The caller's environment. */
  readonly variable: (name: string) => string | undefined;
  /** The files of the programs that are started; a bare name: it was not found. */
  readonly starts: readonly string[];
  /** Folders in which an agent may write. */
  readonly written: readonly string[];
}

/** node takes quotes, `\` and `_` for `-` within an option of NODE_OPTIONS. */
const plainOptions = (value: string): string => value.replace(/["\\]/g, "").replaceAll("_", "-");

/** The variable by which one of the programs would load what an agent may have written; undefined: none. */
export function loaderVariable({ variable, starts, written }: Loading): string | undefined {
  return Object.entries(LOADERS).find(([name, { by, options }]) => {
    const value = variable(name);
    if (value === undefined || value === "") return false;
    const loads =
      options === undefined ? value.split(/[:;\s]/).some((folder) => isWritten(folder, written)) : options.test(plainOptions(value));
    return loads && (by === undefined || starts.some((file) => mayBeIts(file, by)));
  })?.[0];
}

/** An empty or relative one is the working folder, whatever that is then. */
const isWritten = (folder: string, written: readonly string[]): boolean =>
  !isAbsolute(folder) || written.some((root) => isWithin(normalise(folder), root));

/** It is the interpreter, or a script, which some interpreter runs. Other compiled programs do not obey its variables. */
function mayBeIts(file: string, by: RegExp): boolean {
  return by.test(baseName(file)) || !isCompiled(file);
}

function isCompiled(file: string): boolean {
  const magic = Buffer.alloc(4);
  try {
    const fd = openSync(file, "r");
    try {
      readSync(fd, magic, 0, magic.length, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
  // elf(5); Mach-O of either order of bytes, and of several architectures.
  return ["7f454c46", "cffaedfe", "feedfacf", "cafebabe"].includes(magic.toString("hex"));
}
