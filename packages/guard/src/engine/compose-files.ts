import { COMPOSES } from "#knowledge/traits";
import type { ExecAction, World } from "@assent/core/action";
import { joinPath, parentOf } from "@assent/core/path";

/** What loads compose files, to list or to show. */
export const loadsCompose = ({ program, knowledge = "" }: ExecAction): boolean =>
  COMPOSES.has(program) &&
  (program.endsWith("-compose") || knowledge.startsWith(`${program} compose `) || knowledge === `${program} compose`);
/** Names by which it finds its file, in the folder and those above (docs.docker.com, "Compose application model"), and what is laid over it. */
const COMPOSE_FILE = /^(?:docker-)?compose(?:\.override)?\.ya?ml$/;

/**
 * Even to list containers it loads its file with everything that this takes in, quotes a line that it does not understand, and fetches
 * what lies at an address.
 */
export function composeReads(exec: ExecAction, world: World): string | undefined {
  const given = exec.argv.slice(1).filter((argument) => !argument.known || /\.(?:ya?ml|json)$/.test(argument.text));
  for (const folder of exec.folders ?? [world.cwd]) {
    for (let at = world.canonical(folder); ; at = parentOf(at)) {
      const files = (world.names(at) ?? []).filter((name) => COMPOSE_FILE.test(name)).map((name) => joinPath(at, name));
      // `.env` may name other files (COMPOSE_FILE, COMPOSE_ENV_FILES).
      if (/^\s*(?:export\s+)?COMPOSE_/m.test(world.text?.(joinPath(at, ".env")) ?? "")) return "`.env` says which files it reads";
      if (files.length > 0 || at === "/") {
        const all = [
          ...files,
          ...given.map((argument) => (argument.known ? joinPath(folder, argument.text.replace(/^-f|^--file=/, "")) : "")),
        ];
        return all.some((file) => file === "" || (world.kind(file) !== "missing" && takesIn(world.text?.(file))))
          ? "its file may name other files and addresses"
          : undefined;
      }
    }
  }
  return undefined;
}

const TAKES_IN = /\b(?:include|extends|env_file|label_file)\b/;
/** A place outside the folder, or one that only what loads it works out. */
const ELSEWHERE = /(?:^|[\s"'[{,:-])(?:\/|~|\.\.)|[$*@\\]|:\/\/|\b[a-z]+:[a-z]|\.git\b/;

/** Whether a compose file takes in something from outside its folder. Of YAML no more is read than how far a value is indented. */
function takesIn(text: string | undefined): boolean {
  // Nobody can tell.
  if (text === undefined) return true;
  if (/"[^"]*\\[xuU]/.test(text)) return true;
  const lines = text.split("\n");
  return lines.some((line, at) => {
    const key = TAKES_IN.exec(line);
    if (key === null || /^\s*#/.test(line)) return false;
    const depth = line.search(/\S/);
    const more = lines.slice(at + 1);
    const end = more.findIndex(
      (next) => next.trim() !== "" && (next.search(/\S/) < depth || (next.search(/\S/) === depth && !/^\s*-/.test(next))),
    );
    return [line.slice(key.index + key[0].length), ...more.slice(0, end < 0 ? more.length : end)].some((part) =>
      ELSEWHERE.test(part.replace(/^["']?\s*:/, " ")),
    );
  });
}
