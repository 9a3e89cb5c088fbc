import { TOLD_VARIABLES } from "@assent/core/policy";
import type { Looks } from "../host/agent.ts";

/**
 * A program of a few hundred bytes that starts the hook in a fresh environment, for hosts that start programs without a
 * shell. It is static: no loader reads LD_PRELOAD, LD_AUDIT or the like on its behalf, as one does for `env`, and Node is
 * started without them. Written by the build, without a compiler; `launcher.x64.s` and `launcher.arm64.s` are its source (a
 * test assembles and compares).
 */
const CODE = {
  x64:
    "4c8b24244c8d6c24084f8d74e5084983fc020f822001000031c949833cce00740548ffc1ebf44a8d44210248c1e0034829c44883e4f04989e731db49" +
    "83c508498b75004885f60f84ec000000803e2f7409498934df48ffc3ebe1498b364983c6084885f6746e488d3d780100000fb61748ffc785d274e348" +
    "89f18a0748ffc784c074143a01750548ffc1ebee803f00488d7f0175f7ebd680393d75d183fa0375068079012f75b348ffc18a0184c0741b3c2072a6" +
    "3c7f74a283fa0175ea3c2f74993c2074953c7f7791ebdc498934df48ffc3eb8649c704df00000000bf1141000031f631d24531d24531c0b838000000" +
    "0f054885c0747c783f4989c44c89e74c89fe31d24531d2b83d0000000f054883f8fc74e84885c0781f418b3f81e77fff0000740d81ff00020000750c" +
    "bf02000000b8e70000000f0531d25252526a01bf0d0000004889e641ba08000000b80d0000000f05bf02000000488d3541000000ba44000000b80100" +
    "00000f05bf02000000ebbebf01000000be09000000b89d0000000f05498b7d004c89ee4c89fab83b0000000f05bf7f000000b83c0000000f054e6f64" +
    "65206f7220417373656e74206973206d697373696e673b20726566757365643a207368207e2f2e6c6f63616c2f73686172652f617373656e742f7265" +
    "736375650a",
  arm64:
    "f30340f9f4230091950e138bb52200917f0a00f1c30b0054010080d2a07a61f8600000b421040091fdffff172000138b000c009100fc41d300ec7cd3" +
    "e2030091420000cb5f000091f60302aa170080d2818e40f8c10900b4200040391fbc007180000054c17a37f8f7060091f9ffff17a18640f8210500b4" +
    "420e00104314403883ffff34e40301aa4014403820010034850040391f00056b6100005484040091faffff1740144038e0ffff35f4ffff1780004039" +
    "1ff4007121feff547f0c007181000054800440391fbc007121fdff54801c4038c00100341f800071a3fcff541ffc017160fcff547f04007121ffff54" +
    "1fbc0071e0fbff541f800071a0fbff541ffc017168fbff54f2ffff17c17a37f8f7060091d7ffff17df7a37f8202288d2010080d2020080d2030080d2" +
    "040080d2881b80d2010000d4a00400b48002f8b7f30300aae00313aae10316aa020080d2030080d2882080d2010000d41f1000b120ffff544001f8b7" +
    "c00240b9e1ef9f520000010a800000341f0008718100005440008052c80b80d2010000d4200080d2e07fbea9ff7f01a9a00180d2e1030091020080d2" +
    "030180d2c81080d2010000d4400080d241020010820880d2080880d2010000d4400080d2efffff17200080d2210180d2e81480d2010000d4800240f9" +
    "e10314aae20316aaa81b80d2010000d4e00f80d2a80b80d2010000d44e6f6465206f7220417373656e74206973206d697373696e673b207265667573" +
    "65643a207368207e2f2e6c6f63616c2f73686172652f617373656e742f7265736375650a",
} as const;

export type LauncherArchitecture = keyof typeof CODE;

/** The routine, as bytes. */
export const launcherCode = (architecture: LauncherArchitecture): Buffer => Buffer.from(CODE[architecture], "hex");

const LOOKS: Readonly<Record<Looks, number>> = { word: 1, text: 2, path: 3 };

/**
 * What of any host's environment reaches the hook, as data: nothing here steers Node, its libraries or the loader. Where
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

/** Where it is loaded; nothing else is in its memory. */
const BASE = 0x400000;
const MACHINE = { x64: 62, arm64: 183 } as const;
/** Pages of arm64 may have 64 KiB. */
const ALIGN = 0x10000;
const HEADERS = 64 + 2 * 56;

/** The file. */
export function launcherProgram(architecture: LauncherArchitecture): Buffer {
  const table = Object.entries(HANDED_ON).map(([name, looks]) => `${String.fromCharCode(LOOKS[looks])}${name}\0`);
  return staticProgram(architecture, Buffer.concat([launcherCode(architecture), Buffer.from(`${table.join("")}\0`, "latin1")]));
}

/** A file of nothing but this code (elf(5)): one segment that can be read and run, and a stack that cannot be run. */
export function staticProgram(architecture: LauncherArchitecture, code: Buffer): Buffer {
  const head = Buffer.alloc(HEADERS);
  head.write("\x7fELF\x02\x01\x01", "latin1");
  head.writeUInt16LE(2, 16); // ET_EXEC
  head.writeUInt16LE(MACHINE[architecture], 18);
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(BigInt(BASE + HEADERS), 24); // where it begins
  head.writeBigUInt64LE(64n, 32); // where the program headers lie
  head.writeUInt16LE(64, 52);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(2, 56);
  const size = BigInt(HEADERS + code.length);
  writeSegment(head, 64, 1, 5, size, BigInt(BASE)); // PT_LOAD, readable and executable
  writeSegment(head, 120, 0x6474e551, 6, 0n, 0n); // PT_GNU_STACK, not executable
  return Buffer.concat([head, code]);
}

function writeSegment(head: Buffer, at: number, type: number, flags: number, size: bigint, address: bigint): void {
  head.writeUInt32LE(type, at);
  head.writeUInt32LE(flags, at + 4);
  head.writeBigUInt64LE(address, at + 16);
  head.writeBigUInt64LE(address, at + 24);
  head.writeBigUInt64LE(size, at + 32);
  head.writeBigUInt64LE(size, at + 40);
  head.writeBigUInt64LE(BigInt(ALIGN), at + 48);
}

/** Undefined: there is none for this system. */
export const architectureOf = (platform: string, architecture: string): LauncherArchitecture | undefined =>
  platform === "linux" && (architecture === "x64" || architecture === "arm64") ? architecture : undefined;

/** A file beside the program; undefined: there is none for this system. */
export function launcherName(
  platform: string,
  architecture: string,
  name: "launch" | "when" | "ask" | "front" | "spare" = "launch",
): string | undefined {
  const known = architectureOf(platform, architecture);
  return known === undefined ? undefined : `${name}-${known}`;
}
