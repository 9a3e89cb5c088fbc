import { TOLD_VARIABLES } from "@assent/core/policy";
import type { Looks } from "../host/agent.ts";

/** What there are static programs for. */
export type LauncherArchitecture = "x64" | "arm64";

const LOOKS: Readonly<Record<Looks, number>> = { word: 1, text: 2, path: 3 };

/**
 * What of any host's environment reaches the hook, as data: nothing here controls Node, its libraries or the loader. Where
 * programs and temporary files lie and who the user is (a command means the same in the host's shell), what names the
 * terminal's pane, and what can only switch automation off.
 */
export const ALWAYS_HANDED_ON: Readonly<Record<string, Looks>> = {
  PATH: "text",
  LANG: "word",
  TERM: "word",
  USER: "word",
  LOGNAME: "word",
  TMPDIR: "path",
  ZELLIJ_SESSION_NAME: "text",
  ZELLIJ_PANE_ID: "word",
  TMUX: "path",
  TMUX_PANE: "word",
  WEZTERM_UNIX_SOCKET: "path",
  WEZTERM_PANE: "word",
  KITTY_PID: "word",
  KITTY_WINDOW_ID: "word",
  ASSENT_AUTO: "word",
  MCP_AUTO_APPROVE: "word",
};

/** The same with what hosts tell their hooks by variables: the launcher is one for all of them. */
export const HANDED_ON: Readonly<Record<string, Looks>> = { ...ALWAYS_HANDED_ON, ...TOLD_VARIABLES };

/**
 * What the launcher would start a program with, for whoever judges in its place: the assignments, and what is handed on of the environment.
 * Undefined where a name stands twice: programs do not agree on which of them counts.
 */
export function handedOn(assignments: readonly string[], environment: readonly string[]): Readonly<Record<string, string>> | undefined {
  const result: Record<string, string> = {};
  for (const [at, text] of [...assignments, ...environment].entries()) {
    const split = text.indexOf("=");
    const name = text.slice(0, split);
    const value = text.slice(split + 1);
    const looks = Object.hasOwn(HANDED_ON, name) ? HANDED_ON[name] : undefined;
    if (split < 1 || (at >= assignments.length && (looks === undefined || !LOOKS_LIKE[looks].test(value)))) continue;
    if (Object.hasOwn(result, name)) return undefined;
    result[name] = value;
  }
  return result;
}

// oxlint-disable-next-line no-control-regex -- what may not be in a value
const LOOKS_LIKE: Readonly<Record<Looks, RegExp>> = { word: /^[!-.0-~]*$/, text: /^[^\0-\x1f\x7f]*$/, path: /^\/[^\0-\x1f\x7f]*$/ };

/**
 * What the launcher (`stubs/launch.c`) has behind it, which starts a hook in a fresh environment for hosts that start programs without a
 * shell. It is static: no loader reads LD_PRELOAD, LD_AUDIT or the like on its behalf, as one does for `env`, and Node is started without
 * them.
 */
export const launcherTable = (): Buffer =>
  Buffer.from(
    `${Object.entries(HANDED_ON)
      .map(([name, looks]) => `${String.fromCharCode(LOOKS[looks])}${name}\0`)
      .join("")}\0`,
    "latin1",
  );

/** Where a program of `stubs/` says how long it is: in the file, and in memory (elf(5), p_filesz and p_memsz of the first segment). */
const SIZES = [96, 104];

/** A program of `stubs/`, with a table behind it. */
export function withTable(program: Buffer, table: Buffer): Buffer {
  const whole = Buffer.concat([program, table]);
  for (const at of SIZES) whole.writeBigUInt64LE(BigInt(whole.length), at);
  return whole;
}

/** Undefined: there is none for this system. */
export const architectureOf = (platform: string, architecture: string): LauncherArchitecture | undefined =>
  platform === "linux" && (architecture === "x64" || architecture === "arm64") ? architecture : undefined;

/** The programs of `stubs/` that lie beside Assent. */
export type Stub = "launch" | "when" | "ask" | "front" | "spare" | "confine" | "shell";

/** A file beside the program; undefined: there is none for this system. */
export function launcherName(platform: string, architecture: string, name: Stub = "launch"): string | undefined {
  const known = architectureOf(platform, architecture);
  return known === undefined ? undefined : `${name}-${known}`;
}
