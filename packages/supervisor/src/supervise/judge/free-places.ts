import { existsSync, opendirSync } from "node:fs";
import type { World } from "@assent/core/action";
import { baseName, isWithin, parentOf } from "@assent/core/path";
import { isInAgentFolder, type Verdict } from "@assent/core/policy";
import { allTools } from "../services/services.ts";
import { probe } from "./moves.ts";

/** What is the system's, or other people's. */
const SYSTEM = /^\/(?:bin|boot|dev|etc|home|Users|lib\w*|nix|opt|proc|root|run|sbin|snap|sys|usr)(?:\/|$)|^\/(?:var|srv|mnt|media|data)?$/;
/** In a home folder: what a person keeps there, and what holds the places of all programs. */
export const SHARED: ReadonlySet<string> = new Set(
  (
    "Desktop Documents Downloads Music Pictures Videos Public Templates Library Applications bin .local .local/share .local/state " +
    ".local/bin .config .cache"
  ).split(" "),
);

interface FreePlaceContext {
  readonly world: World;
  /** As the kernel names it. */
  readonly home: string;
  readonly file: (action: ReturnType<typeof probe>) => Verdict;
}

/**
 * Whether a variable may put a tool's cache into a folder: one that is nobody else's. INVARIANT: what the policy protects, home,
 * a repository, the folder of another tool and whatever a person keeps are somebody else's.
 */
export function isFreePlace(folder: string, program: string, { world, home, file }: FreePlaceContext): boolean {
  const real = world.canonical(folder);
  if (!real.startsWith("/") || isWithin(home, real)) return false;
  if (!isWithin(real, home) && SYSTEM.test(real)) return false;
  if (isWithin(real, home) && SHARED.has(real.slice(home.length + 1))) return false;
  if (isWithin(world.canonical(world.projectRoot), real) || isWithin(world.canonical(world.cwd), real)) return false;
  for (const path of [real, `${real}/#`]) {
    if (isInAgentFolder(path)) return false;
    const { decision, basis } = file(probe("write", path));
    if (decision === "deny" || (decision !== "allow" && basis !== "default")) return false;
  }
  for (let at = real; at.length > 1 && at !== home; at = parentOf(at)) if (existsSync(`${at}/.git`)) return false;
  if (ofOthers(program, home).some((place) => isWithin(place, real) || isWithin(real, place))) return false;
  return isMadeForIt(real, program);
}

/** A tool's places as the table writes them. */
interface ToolPlaces {
  readonly names: readonly string[];
  readonly own: readonly string[];
  readonly login: readonly string[];
}

/** The table, read once. */
let tools: readonly ToolPlaces[] | undefined;

/** Places of the table that are not this tool's. */
function ofOthers(program: string, home: string): readonly string[] {
  tools ??= allTools().map(({ names, cache = [], later = [], login = [] }) => ({ names, own: [...cache, ...later], login }));
  const [mine, others] = [true, false].map((isMine) => (tools ?? []).filter(({ names }) => names.includes(program) === isMine));
  const at = (place: string): string => place.replace(/^~(?=\/)/, home);
  const own = mine?.flatMap((tool) => tool.own.map(at)) ?? [];
  const places = others?.flatMap((tool) => [...tool.own, ...tool.login].filter((place) => place.startsWith("~/")).map(at)) ?? [];
  return places.filter((place) => !own.some((one) => isWithin(place, one) || isWithin(one, place)));
}

/** Not there yet, empty, or called after the tool or after what it is. */
function isMadeForIt(folder: string, program: string): boolean {
  if (!existsSync(folder)) return true;
  const names = [baseName(folder), baseName(parentOf(folder))].map((name) => name.toLowerCase());
  if (names.some((name) => /cache|store|pkgs|packages|repository/.test(name) || name.includes(program.toLowerCase()))) return true;
  return isEmpty(folder);
}

/** However much lies in it, one name says so. */
function isEmpty(folder: string): boolean {
  try {
    const opened = opendirSync(folder);
    try {
      return opened.readSync() === null;
    } finally {
      opened.closeSync();
    }
  } catch {
    return false;
  }
}
