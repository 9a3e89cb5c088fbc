/**
 * The other side of the real tests, as a process of its own: `inside.mjs PROGRAM [ARG…]`. Starts PROGRAM inside
 * the sandbox, answers every trapped call and prints what it saw, as JSON, when PROGRAM has ended.
 * ANSWER=number: that errno for everything but execve. OBSERVE_READS=1: those, too. WRITES=file: written by this thread at the end.
 * KERNEL=JSON of [call, rule] pairs: a kernel that lacks something, played by a filter on all of this. BEST_EFFORT=1.
 */
import { writeFileSync, writeSync } from "node:fs";
import { arch, argv, env } from "node:process";
import { addressOf, alloc, must, sys, type SyscallName, SYSCALLS } from "@assent/supervisor/supervise/kernel";
import { launch } from "@assent/supervisor/supervise/launch";
import { assemble, compile, INSTRUCTION_BYTES } from "../../../packages/supervisor/src/supervise/sandbox/filter.ts";
import type { FilterRule } from "../../../packages/supervisor/src/supervise/sandbox/filter-table.ts";
import { SandboxError } from "../../../packages/supervisor/src/supervise/sandbox/restrict.ts";

/** seccomp_unotify(2): `struct seccomp_notif` is 80 bytes, `struct seccomp_notif_resp` 24. */
const RECV = 0xc0502100;
const SEND = 0xc0182101;
const CONTINUE = 1;
const POLLIN = 1;
const WNOHANG = 1;
const PR_SET_NO_NEW_PRIVS = 38;

function trapHandler(listener: number, pid: number): { readonly seen: readonly number[]; readonly status: number } {
  const pollfd = alloc(8);
  pollfd.writeInt32LE(listener, 0);
  pollfd.writeInt16LE(POLLIN, 4);
  // poll(2) is not on arm64.
  const patience = alloc(16);
  patience.writeBigInt64LE(20_000_000n, 8);
  const request = alloc(80);
  const response = alloc(24);
  const ended = alloc(4);
  const seen: number[] = [];
  const errno = Number(env["ANSWER"] ?? 0);
  while (sys(SYSCALLS.wait4, pid, addressOf(ended), WNOHANG, 0) === 0) {
    if (sys(SYSCALLS.ppoll, addressOf(pollfd), 1, addressOf(patience), 0, 0) <= 0) continue;
    request.fill(0);
    if (sys(SYSCALLS.ioctl, listener, RECV, addressOf(request)) < 0) continue;
    const nr = request.readInt32LE(16);
    seen.push(nr);
    response.fill(0);
    request.copy(response, 0, 0, 8);
    if (errno === 0 || nr === SYSCALLS.execve) response.writeUInt32LE(CONTINUE, 20);
    else response.writeInt32LE(-errno, 16);
    sys(SYSCALLS.ioctl, listener, SEND, addressOf(response));
  }
  return { seen, status: ended.readInt32LE(0) };
}

function report(program: readonly string[]): unknown {
  try {
    const { listener, pid, enforced, missing, failure } = launch({
      path: program[0] ?? "",
      argv: program,
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? ""])),
      observeReads: env["OBSERVE_READS"] === "1",
      bestEffort: env["BEST_EFFORT"] === "1",
      job: false,
    });
    const { seen, status } = trapHandler(listener, pid);
    const failed = failure();
    return { enforced, missing, seen, status: failed === undefined ? status : -failed.errno };
  } catch (error) {
    return { error: error instanceof SandboxError ? error.code : String(error) };
  }
}

/** No listener; children and threads inherit it. */
function playKernel(json: string): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- confined.ts writes it
  const rules = new Map(JSON.parse(json) as [SyscallName, FilterRule][]);
  const filter = assemble(compile(arch === "arm64" ? "arm64" : "x64", rules));
  const program = alloc(16);
  program.writeUInt16LE(filter.length / INSTRUCTION_BYTES, 0);
  program.writeBigUInt64LE(BigInt(addressOf(filter)), 8);
  must("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  must("seccomp", 1, 0, addressOf(program));
}

if (env["KERNEL"] !== undefined) playKernel(env["KERNEL"]);
const found = report(argv.slice(2));
if (env["WRITES"] !== undefined) writeFileSync(env["WRITES"], "free");
writeSync(1, `${JSON.stringify(found)}\n`);
