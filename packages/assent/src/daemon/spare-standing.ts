import { readdirSync, readlinkSync } from "node:fs";
import { must, PRCTL, readProc, sys, SYSCALLS } from "@assent/supervisor/supervise/kernel";

// proc_pid_status(5): what a process hands on to those that it starts, and that decides what they may do.
const INHERITED = new Set(
  (
    "Uid Gid Groups CapInh CapPrm CapEff CapBnd CapAmb NoNewPrivs Seccomp Seccomp_filters Speculation_Store_Bypass " +
    "SpeculationIndirectBranch Cpus_allowed Mems_allowed THP_enabled"
  ).split(" "),
);
/** Files of /proc/PID that are handed on, or decide what one sees. Kernels have more or fewer of them. */
const FILES = ["cgroup", "attr/current", "oom_score_adj", "loginuid", "sessionid", "coredump_filter"];

/** What a program started there would have that is started by somebody else, as text; two that stand alike hand the same on. */
export interface CommandStanding {
  readonly alike: string;
  /** It has a controlling terminal, or somebody traces it. */
  readonly bound: boolean;
}

/** The kernel's, the same for every process. */
let namespaces: readonly string[] | undefined;

const read = (file: string): string => readProc(file).toString("latin1");

/** Undefined: it is gone, or cannot be looked at. */
export function commandStanding(pid: number | "self"): CommandStanding | undefined {
  const proc = `/proc/${pid}`;
  try {
    const lines = read(`${proc}/status`).split("\n");
    const rights = lines.filter((line) => INHERITED.has(line.slice(0, line.indexOf(":"))));
    const depth = fieldOf(lines, "NSpid")?.split("\t").length ?? 0;
    // proc_pid_stat(5): after the name in brackets the state, and so on.
    const stat = read(`${proc}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const order = [fields[16], fields[37], fields[38]].join(" ");
    const links = (namespaces ??= readdirSync("/proc/self/ns")).map((name) => readlinkSync(`${proc}/ns/${name}`));
    const files = FILES.map((name) => contentOf(`${proc}/${name}`));
    return {
      alike: [...rights, depth, order, ...links, readlinkSync(`${proc}/root`), limitsOf(proc), ...files].join("\n"),
      bound: fields[4] !== "0" || fieldOf(lines, "TracerPid") !== "0",
    };
  } catch {
    return undefined;
  }
}

const fieldOf = (lines: readonly string[], name: string): string | undefined =>
  lines.find((line) => line.startsWith(`${name}:\t`))?.slice(name.length + 2);

/** Node raises its own limit of open files to the highest that it may have, as a fresh supervisor would. */
const limitsOf = (proc: string): string => read(`${proc}/limits`).replace(/^(Max open files +)\S+/m, "$1");

function contentOf(file: string): string {
  try {
    return read(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EINVAL")) return "";
    throw error;
  }
}

// keyctl(2), ioprio_get(2), get_mempolicy(2)
const KEYCTL_GET_KEYRING_ID = 0;
const KEY_SPEC_SESSION_KEYRING = -3;
const IOPRIO_GET = process.arch === "arm64" ? 31 : 252;
const MPOL_DEFAULT = 0n;

/** What only a process itself is told, in the order of stubs/spare.c. */
export const ownStanding = (): readonly bigint[] =>
  [
    sys(SYSCALLS.keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0),
    must("personality", 0xffffffff),
    sys(SYSCALLS.prctl, PRCTL.GET_SECUREBITS),
    sys(SYSCALLS.prctl, PRCTL.GET_TIMERSLACK),
    sys(SYSCALLS.prctl, PRCTL.GET_MDWE),
    sys(IOPRIO_GET, 1, 0),
  ]
    .map(BigInt)
    .concat(MPOL_DEFAULT);
