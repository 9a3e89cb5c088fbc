import { lstatSync } from "node:fs";
import { type BootMoment, bootMoment, isBootMoment, passedSince } from "./clock.ts";
import { isOwn, readOwnObject, writeAtomic } from "./files.ts";
import type { Machine } from "./machine.ts";
import { openState, stateFolder } from "./state.ts";

/** Somebody has said that questions are to be skipped for a while. Denials are not. */
export interface Bypass {
  /** For the log and for people: `until 14:30`, `pane flag of agentperm`. */
  readonly by: string;
}

interface BypassSpan extends BootMoment {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** By pane; `*` is everywhere. */
type Times = Readonly<Record<string, BypassSpan>>;

const NAME = "bypass.json";
const EVERYWHERE = "*";
/** Nobody watches an agent for longer. */
export const LONGEST_BYPASS_MS = 24 * 3_600_000;

const isSpan = (value: unknown): value is BypassSpan =>
  typeof value === "object" &&
  value !== null &&
  isBootMoment(value) &&
  "from" in value &&
  typeof value.from === "number" &&
  "until" in value &&
  typeof value.until === "number";
const isTimes = (value: unknown): value is Times => typeof value === "object" && value !== null && Object.values(value).every(isSpan);

/**
 * How long it still holds, in milliseconds; 0: no more. It ends when either clock says so: the wall clock can be set
 * back. It does not outlive the machine's start.
 */
export function timeLeft({ from, until, ...start }: BypassSpan, now: number): number {
  const passed = passedSince(start);
  if (passed === undefined || now < from - CLOCKS_MS || until > from + LONGEST_BYPASS_MS) return 0;
  return Math.max(0, Math.min(until - now, until - from - passed));
}

/** Clocks of one machine, set while a process was reading them. */
const CLOCKS_MS = 60_000;

/** A file that others could have written, or that is damaged, skips nothing. */
export function readBypass(machine: Machine): Times {
  const value = readOwnObject(`${stateFolder(machine)}/${NAME}`, 1 << 16, machine.uid);
  return isTimes(value) ? value : {};
}

/** `until` undefined ends it. @returns a problem. */
export function changeBypass(machine: Machine, pane: string | undefined, until: number | undefined, now: number): string | undefined {
  const state = openState(machine);
  if ("problem" in state) return state.problem;
  const { [pane ?? EVERYWHERE]: _old, ...rest } = readBypass(machine);
  const live = Object.entries(rest).filter(([, span]) => timeLeft(span, now) > 0);
  // Ending it everywhere ends it in every pane.
  const kept = until === undefined && pane === undefined ? [] : live;
  const next = [...kept, ...(until === undefined ? [] : [[pane ?? EVERYWHERE, { from: now, until, ...bootMoment() }] as const])];
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

/** How long questions are skipped here because somebody said so, in milliseconds; 0: they are not. */
export function bypassLeft(machine: Machine, now: number): number {
  const times = readBypass(machine);
  const pane = paneOf(machine.env);
  const spans = [times[EVERYWHERE], pane === undefined ? undefined : times[pane]].filter((span) => span !== undefined);
  return Math.max(0, ...spans.map((span) => timeLeft(span, now)));
}

/** What skips questions here and now. */
export function bypassHere(machine: Machine, now: number): Bypass | undefined {
  const left = bypassLeft(machine, now);
  if (left > 0) return { by: `until ${new Date(now + left).toISOString().slice(0, 16).replace("T", " ")} UTC` };
  return hasPaneFlag(machine) ? { by: "pane flag" } : undefined;
}

/**
 * Folder of the flags that a plugin of the multiplexer zellij sets: in the account's home, not where the
 * environment says. A repository can make a host set variables, and brings folders along.
 */
export const paneFlags = (account: string): string => `${account}/.cache/agentperm/bypass`;

function hasPaneFlag({ env, account, uid }: Machine): boolean {
  const [session, pane] = [env["ZELLIJ_SESSION_NAME"], env["ZELLIJ_PANE_ID"]];
  if (session === undefined || pane === undefined || !isPlain(session) || !isPlain(pane) || account === undefined) return false;
  const folder = paneFlags(account);
  try {
    // Links lead to anybody's folder.
    const own = [folder.slice(0, folder.lastIndexOf("/")), folder, `${folder}/${session}`].every((path) => {
      const stats = lstatSync(path);
      return stats.isDirectory() && isOwn(stats, uid);
    });
    const flag = own ? lstatSync(`${folder}/${session}/${pane}`, { throwIfNoEntry: false }) : undefined;
    return flag !== undefined && !flag.isSymbolicLink() && isOwn(flag, uid);
  } catch {
    return false;
  }
}

const isPlain = (name: string): boolean => name !== "" && !/[/\\\0]/.test(name) && !name.includes("..") && name !== ".";
