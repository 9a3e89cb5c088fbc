import { statSync } from "node:fs";
import { spend, type World } from "../action/index.ts";
import { normalise } from "../path/index.ts";
import { errorCode, readRegular, type Machine } from "../state/index.ts";
import { Resolver } from "./canonical.ts";
import { programs } from "./programs.ts";
import { projectOf } from "./project.ts";
import { Looks } from "./search.ts";
import { trackedIn } from "./tracked.ts";

/** Variables that mean the same in the hook's environment and in the shell the host starts. */
const STEADY = new Set(["HOME", "USER", "LOGNAME", "TMPDIR"]);

function memo<A>(compute: (key: string) => A): (key: string) => A {
  const known = new Map<string, A>();
  return (key) => {
    const hit = known.get(key);
    if (hit !== undefined) return hit;
    spend(2);
    const answer = compute(key);
    known.set(key, answer);
    return answer;
  };
}

function kindOf(path: string): ReturnType<World["kind"]> {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "missing";
    if (stats.isFile()) return "file";
    return stats.isDirectory() ? "directory" : "other";
  } catch (error) {
    // Below a file lies nothing; what cannot be looked at may be anything.
    return errorCode(error) === "ENOTDIR" ? "missing" : "other";
  }
}

/** A patch that is larger is not looked through. */
const MOST_TEXT = 1 << 20;

function textOf(path: string): string | undefined {
  const found = readRegular(path, MOST_TEXT);
  return found.is === "text" ? found.text : undefined;
}

/** The machine as the core may see it, for one request. Every answer is remembered for the request's time. */
export function realWorld(machine: Machine, cwd: string, sessionRoot: string | undefined): World {
  const folder = normalise(cwd);
  const resolver = new Resolver(folder);
  const canonical = (path: string): string => {
    // What is longer than a path can be is walked name by name all the same.
    spend(1 + (path.length >> 6));
    return resolver.canonical(path);
  };
  const looks = new Looks();
  const projectRoot = projectOf(canonical(sessionRoot === undefined ? folder : normalise(sessionRoot)), machine);
  let who: ReturnType<typeof programs> | undefined;
  const identify = (): ReturnType<typeof programs> => (who ??= programs({ machine, projectRoot, canonical }));
  return {
    cwd: folder,
    home: machine.home,
    projectRoot,
    temp: machine.temp,
    foldsCase: machine.platform === "darwin" || machine.platform === "win32",
    env: (name) => (name === "PWD" ? folder : STEADY.has(name) ? machine.env[name] : undefined),
    canonical,
    kind: memo(kindOf),
    text: memo(textOf),
    lookup: (name) => identify().lookup(name),
    trustedProgram: (path) => identify().trustedProgram(path),
    find: looks.find,
    tracked: trackedIn(projectRoot),
    names: looks.names,
    exhausted: looks.exhausted,
    entries: looks.entries,
  };
}
