import type { FileOperation, World } from "../../action/index.ts";
import { joinPath } from "../../path/index.ts";
import { gitFolderOf, repositoriesAround, worksInOwnRepository } from "../../policy/index.ts";
import { gitEntries, namesProgram } from "./git-keys.ts";
import type { ShellPlace } from "../words/state.ts";
import { gitSigning } from "./git-signing.ts";
import { addCode, codeFromStream } from "./code.ts";
import { doubt, emitFile, emitTarget, refuse, type Invocation } from "./invocation.ts";
import type { TableEffect } from "../knowledge/read-spec.ts";
import { literal, prefixOf, textOf, unknown, type Value } from "../words/value.ts";

/** What a table says a command does whatever its operands. */
export function applyEffect(inv: Invocation, effect: TableEffect): void {
  const origin = { by: "command", exec: inv.exec } as const;
  switch (effect.is) {
    case "remote":
      inv.cx.add({ kind: "remote", service: effect.service, operation: effect.operation, origin });
      return;
    case "code":
      if (effect.source === "stdin") codeFromStream(inv, effect.language, inv.stdin);
      else addCode(inv, effect.language, "project", undefined);
      return;
    case "system":
      inv.cx.add({ kind: "system", area: effect.area, origin });
      // Packages of a language are installed for its user, and a line in a log harms nobody.
      if (effect.area !== "packages" && effect.area !== "log") inv.cx.addDanger(inv.exec, "host-effect");
      return;
    case "danger":
      inv.cx.addDanger(inv.exec, effect.danger);
      return;
    case "needs":
      inv.cx.addNeed(inv.exec, effect.need);
      return;
    case "file":
      emitTablePath(inv, effect.operation, effect.path, effect.tree);
      return;
    case "net":
    case "listen":
      inv.cx.add({
        kind: "net",
        operation: effect.is === "net" ? "connect" : "listen",
        host: undefined,
        port: undefined,
        why: "a host its configuration names",
        origin,
      });
      if (effect.is === "listen") inv.cx.addDanger(inv.exec, "listener");
      return;
    case "process":
      inv.cx.add({ kind: "process", operation: "signal", target: "", origin });
      return;
    case "privilege":
      inv.cx.add({ kind: "privilege", detail: inv.name, origin, dangers: ["privilege"] });
      return;
    case "environment":
      doubt(inv, `${inv.name} shows environment variables, which may hold secrets`, "print the one variable you need");
      return;
    case "secrets":
      doubt(inv, `what ${inv.name} shows may hold secrets: passwords, tokens or keys`, "ask for the fields you need");
      return;
    case "terminal":
      doubt(inv, `${inv.name} is interactive: what it does is decided while it runs`, interactiveHelp(inv));
      return;
    case "refuse":
      refuse(inv, `${inv.name} changes the shell, or runs code, in ways that are not followed`);
      return;
    case "repository":
      repository(inv);
      return;
    case "names":
      readNames(inv);
      return;
  }
}

/** The files whose names stand on standard input, a line each. */
function readNames(inv: Invocation): void {
  const { stdin } = inv;
  const text = stdin.is === "text" ? textOf(stdin.value) : undefined;
  const names = stdin.is === "paths" ? stdin.values : text?.split(/[\n\0]/).map(literal);
  // git quotes names as C does.
  if (names === undefined || names.some((name) => prefixOf(name).startsWith('"')))
    emitTarget(inv, "read", { kind: "unknown", why: "the files that its input names" });
  else for (const name of names) if (textOf(name) !== "") emitFile(inv, "read", name);
}

/** An editor takes files to change; a host has a tool of its own for that. */
const interactiveHelp = ({ grammar, words }: Invocation): string => {
  const edits = words.length > 0 && grammar.slots?.some(({ kind }) => kind.is === "file" && kind.operation === "edit") === true;
  return `use ${edits ? "the agent's own tool for edits" : "a command that needs no terminal"}, or run it yourself, in a terminal of your own`;
};

interface TablePath {
  readonly value: Value;
  /** In another repository than the project's; `made`: if the line makes one there first. */
  readonly elsewhere?: "other" | "made";
}

/** The path that a table writes, in each place where the program may work: `~` is home, `$git` the repository's folder. */
export function tablePaths({ cx: { world }, places }: Pick<Invocation, "cx" | "places">, path: string): readonly TablePath[] {
  if (path === "~" || path.startsWith("~/")) return [{ value: literal(`${world.home}${path.slice(1)}`) }];
  if (path !== "$git" && !path.startsWith("$git/")) return [{ value: literal(path) }];
  const inside = path.slice("$git".length);
  const found = new Map<string | undefined, TablePath>();
  for (const place of places) {
    const git = place.is === "unknown" ? undefined : gitFolderOf(place.path, place.is === "below", world);
    const value = git === undefined ? unknown("the repository that git works in") : literal(`${git.path}${inside}`);
    found.set(git?.path, { value, ...(git === undefined || git.is === "other" ? { elsewhere: "other" as const } : {}) });
    if (git?.is === "none" && place.is !== "unknown")
      found.set(place.path, { value: literal(`${joinPath(place.path, ".git")}${inside}`), elsewhere: "made" });
  }
  return [...found.values()];
}

/** As an effect of the table's. Of a repository that is not there nobody is asked, but a deny holds. */
export function emitTablePath(inv: Invocation, operation: FileOperation, path: string, tree = false): void {
  for (const { value, elsewhere } of tablePaths(inv, path)) {
    const text = textOf(value);
    const origin = { by: "command", exec: inv.exec } as const;
    if (text !== undefined && operation === "delete" && !tree && path.startsWith("~/"))
      inv.cx.add({ kind: "file", operation, target: { kind: "path", path: text }, origin, settled: true });
    else if (elsewhere !== "made" || text === undefined) emitFile(inv, operation, value, tree);
    else {
      inv.cx.add({ kind: "file", operation, target: { kind: "path", path: text }, origin, upkeep: true, unopened: true });
    }
  }
}

/**
 * A repository below the project that no working tree of it is (a checkout in a checkout), whose configuration has git start a program
 * that is not git's own: who brought it along is not who made the project's.
 */
function startsByConfig(folder: string, world: World): boolean {
  const [nearest] = repositoriesAround(folder, world, world.canonical(world.projectRoot));
  if (nearest === undefined || nearest.top === world.canonical(world.projectRoot) || nearest.common !== joinPath(nearest.top, ".git"))
    return false;
  return gitEntries(world, joinPath(nearest.common, "config")).some(([key, value]) => namesProgram(key, value));
}

/** A repository's configuration names programs that git runs (fsmonitor, textconv): only the project's own is trusted. */
function repository(inv: Invocation): void {
  gitSigning(inv);
  const { world } = inv.cx;
  const isOwn = (place: ShellPlace): boolean =>
    place.is !== "unknown" && worksInOwnRepository(place.path, place.is === "below", world) && !startsByConfig(place.path, world);
  if (inv.places.every(isOwn)) return;
  const kinds = new Set(inv.places.map(({ is }) => is));
  inv.cx.addDanger(inv.exec, "foreign-repository", kinds.has("unknown") ? undefined : kinds.has("below") ? "below" : "folder");
}
