import { lstatSync } from "node:fs";
import { isOwn, readRegular, writeAtomic } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/** Somebody has said that questions are to be waived for a while. Denials are not. */
export interface Bypass {
  /** For the log and for people: `until 14:30`, `pane flag of agentperm`. */
  readonly by: string;
}

/** Until when, by pane; `*` is everywhere. Milliseconds since 1970. */
type Times = Readonly<Record<string, number>>;

const NAME = "bypass.json";
const EVERYWHERE = "*";
/** Nobody watches an agent for longer. */
export const LONGEST_BYPASS_MS = 24 * 3_600_000;

const isTimes = (value: unknown): value is Times =>
  typeof value === "object" && value !== null && Object.values(value).every((time) => typeof time === "number");

/** A file that others could have written, or that is damaged, waives nothing. */
export function readBypass(machine: Machine): Times {
  const found = readRegular(`${stateFolder(machine)}/${NAME}`, 1 << 16);
  if (found.is !== "text" || !isOwn(found.stats, machine.uid)) return {};
  try {
    const value: unknown = JSON.parse(found.text);
    return isTimes(value) ? value : {};
  } catch {
    return {};
  }
}

/** `until` undefined ends it. @returns a problem. */
export function changeBypass(machine: Machine, pane: string | undefined, until: number | undefined, now: number): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const { [pane ?? EVERYWHERE]: _old, ...rest } = readBypass(machine);
  const live = Object.entries(rest).filter(([, time]) => time > now);
  // Ending it everywhere ends it in every pane.
  const kept = until === undefined && pane === undefined ? [] : live;
  const next = [...kept, ...(until === undefined ? [] : [[pane ?? EVERYWHERE, until] as const])];
  try {
    writeAtomic(`${state.folder}/${NAME}`, JSON.stringify(Object.fromEntries(next)));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The terminal pane that a process runs in, by what its multiplexer or terminal says. */
export function paneOf(env: Machine["env"]): string | undefined {
  const two = (kind: string, a: string, b: string): string | undefined =>
    env[a] === undefined || env[b] === undefined ? undefined : `${kind}:${env[a]}:${env[b]}`;
  return (
    two("zellij", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID") ??
    two("tmux", "TMUX", "TMUX_PANE") ??
    two("wezterm", "WEZTERM_UNIX_SOCKET", "WEZTERM_PANE") ??
    two("kitty", "KITTY_PID", "KITTY_WINDOW_ID")
  );
}

/** What waives questions here and now. */
export function bypassHere(machine: Machine, now: number): Bypass | undefined {
  const times = readBypass(machine);
  const pane = paneOf(machine.env);
  const until = Math.max(valid(times[EVERYWHERE], now), pane === undefined ? 0 : valid(times[pane], now));
  if (until > 0) return { by: `until ${new Date(until).toISOString().slice(0, 16).replace("T", " ")} UTC` };
  return hasPaneFlag(machine) ? { by: "pane flag" } : undefined;
}

const valid = (until: number | undefined, now: number): number =>
  until !== undefined && until > now && until <= now + LONGEST_BYPASS_MS ? until : 0;

/** Folder of the flags that a plugin of the multiplexer zellij sets (ledger A44). */
export const paneFlags = (home: string, env: Machine["env"]): string => {
  const cache = env["XDG_CACHE_HOME"];
  return `${cache?.startsWith("/") === true ? cache : `${home}/.cache`}/agentperm/bypass`;
};

function hasPaneFlag({ env, home, uid }: Machine): boolean {
  const names = [env["ZELLIJ_SESSION_NAME"], env["ZELLIJ_PANE_ID"]];
  if (!names.every((name): name is string => name !== undefined && isPlain(name))) return false;
  const folder = paneFlags(home, env);
  try {
    const stats = lstatSync(folder);
    if (!stats.isDirectory() || !isOwn(stats, uid)) return false;
    return lstatSync(`${folder}/${names.join("/")}`, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

const isPlain = (name: string): boolean => name !== "" && !/[/\\\0]/.test(name) && !name.includes("..") && name !== ".";
