import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { constants as system } from "node:os";
import { visible } from "../action/index.ts";
import { isObject } from "../data/index.ts";
import { findProgram } from "./run-program.ts";

type Installer = "npm" | "pipx";

type Programs =
  | { readonly is: "installed"; /** Absolute paths, as PATH would lead to them. */ readonly programs: readonly string[] }
  | { readonly is: "wrong"; readonly status: number; readonly message: string; readonly help?: string };

interface Place {
  readonly path: string;
  readonly cwd: string;
}

/** Installs a package for the user and says which programs it brought. */
export function programsOf(name: string, rest: readonly string[], chosen: Installer | undefined, place: Place): Programs {
  const there = (["pipx", "npm"] as const).filter((tool) => findProgram(tool, place.path, place.cwd).is === "program");
  if (chosen !== undefined && !there.includes(chosen)) return wrong(1, `${chosen} is not installed`);
  if (there.length === 0)
    return wrong(1, "neither pipx nor npm is installed", "install one of them, or wrap a program that is there: `assent wrap wrap NAME`");
  const [tool] = chosen === undefined ? there : [chosen];
  if (tool === undefined || (chosen === undefined && there.length > 1))
    return wrong(2, "both pipx and npm are installed", "say --with pipx or --with npm");

  const folder = ask(tool, tool === "npm" ? ["prefix", "--global"] : ["environment", "--value", "PIPX_BIN_DIR"]);
  if (folder === undefined) return wrong(1, `${tool} does not say where it puts programs`);
  const bin = tool === "npm" ? `${folder}/bin` : folder;
  const before = stamps(bin);
  const { status, signal, error } = spawnSync(tool, ["install", ...(tool === "npm" ? ["--global"] : []), name, ...rest], {
    stdio: "inherit",
  });
  if (error !== undefined) return wrong(1, `${tool} cannot be started: ${visible(error.message)}`);
  if (status !== 0) return wrong(status ?? 128 + (signal === null ? 0 : system.signals[signal]), `${tool} failed`);
  const after = stamps(bin);
  const programs = new Set([...after].filter(([entry, stamp]) => before.get(entry) !== stamp).map(([entry]) => entry));
  // Nothing new to link: the package was there.
  for (const program of tool === "npm" ? npmPrograms(name) : pipxPrograms(name)) if (after.has(program)) programs.add(program);
  return { is: "installed", programs: [...programs].sort().map((program) => `${bin}/${program}`) };
}

const wrong = (status: number, message: string, help?: string): Programs => ({
  is: "wrong",
  status,
  message,
  ...(help === undefined ? {} : { help }),
});

function ask(tool: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(tool, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const line = stdout?.trim() ?? "";
  return status === 0 && line.startsWith("/") ? line : undefined;
}

/** What tells that an entry of a folder was made anew. */
function stamps(folder: string): ReadonlyMap<string, string> {
  try {
    return new Map(
      readdirSync(folder).map((name) => {
        const { ino, ctimeMs } = lstatSync(`${folder}/${name}`);
        return [name, `${ino} ${ctimeMs}`];
      }),
    );
  } catch {
    return new Map();
  }
}

/** `bin` of an installed npm package: a path named after the package, or names with paths (package.json(5)). */
function npmPrograms(spec: string): readonly string[] {
  const name = /^(?:@[^/@]+\/)?[^/@]+/.exec(spec)?.[0];
  const root = ask("npm", ["root", "--global"]);
  if (name === undefined || root === undefined) return [];
  const described = json(() => readFileSync(`${root}/${name}/package.json`, "utf8"));
  const bin = described?.["bin"];
  if (typeof bin === "string") return [name.replace(/^@[^/]+\//, "")];
  return isObject(bin) ? Object.keys(bin) : [];
}

/** The apps of a pipx environment. */
function pipxPrograms(spec: string): readonly string[] {
  const name = /^[\w.-]+/
    .exec(spec)?.[0]
    ?.toLowerCase()
    .replace(/[-_.]+/g, "-");
  const { stdout } = spawnSync("pipx", ["list", "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const venvs = json(() => stdout)?.["venvs"];
  const venv = isObject(venvs) && name !== undefined ? venvs[name] : undefined;
  const metadata = isObject(venv) ? venv["metadata"] : undefined;
  const main = isObject(metadata) ? metadata["main_package"] : undefined;
  const apps: unknown = isObject(main) ? main["apps"] : undefined;
  return Array.isArray(apps) ? apps.filter((app) => typeof app === "string") : [];
}

function json(read: () => string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(read());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
