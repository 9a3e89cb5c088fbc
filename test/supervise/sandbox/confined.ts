import { execFileSync, spawn } from "node:child_process";
import { chmodSync, closeSync, copyFileSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { errorName, SYSCALLS } from "@assent/supervisor/supervise/kernel";

const ROOT = join(import.meta.dirname, "../../..");

/** A user without rights. The machine's own files are readable for it, the scratch folder is writable. */
const NOBODY = 65534;

/** An emulated machine takes its time. */
const SLOWER = Number(process.env["ESCAPE_SLOWER"] ?? 1);

/** What `inside.ts` reports. */
export interface Report {
  readonly error?: string;
  readonly enforced: { readonly landlock: { readonly abi: number }; readonly ownIpc: boolean; readonly waitKillable: boolean };
  readonly missing: readonly unknown[];
  readonly seen: readonly number[];
  readonly status: number;
  /** What the program printed. */
  readonly output: string;
}

export interface Confinement {
  readonly folder: string;
  readonly nobody: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder for programs, which everybody may write to. */
export function workshop(): { readonly folder: string; readonly inside: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "assent-wall-"));
  chmodSync(folder, 0o777);
  // Inside the repository: it imports packages.
  buildSync({
    entryPoints: [join(import.meta.dirname, "inside.ts")],
    outfile: inside(folder),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
  });
  // As beside the built commands.
  const routine = `routine-${process.arch}`;
  copyFileSync(join(ROOT, "stubs", routine), join(inside(folder), "..", routine));
  return {
    folder,
    inside: inside(folder),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
      rmSync(inside(folder), { force: true });
    },
  };
}

const inside = (folder: string): string => join(ROOT, "node_modules/.cache/assent", `${folder.replaceAll(/\W+/g, "-")}.mjs`);

/** Runs a program inside the sandbox, started by a process of its own. */
export async function confined(program: readonly string[], { folder, nobody, env = {} }: Confinement): Promise<Report> {
  // System V objects that are made end with the namespace.
  const user = nobody ? ["unshare", "--ipc", "setpriv", "--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups"] : [];
  const [command = "", ...args] = [...user, process.execPath, inside(folder), ...program];
  // Something that must not be inherited.
  const held = openSync("/dev/null", "r+");
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit", held],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000 * SLOWER);
  let text = "";
  for await (const chunk of child.stdout?.setEncoding("utf8") ?? []) text += String(chunk);
  clearTimeout(timer);
  closeSync(held);
  const lines = text.trimEnd().split("\n");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- inside.ts writes it
  const report = JSON.parse(lines.pop() ?? "") as Report;
  return { ...report, output: lines.join("\n") };
}

/** Names of the calls that were trapped, once each. */
export function trapped({ seen }: Report): string[] {
  const names = Object.entries(SYSCALLS);
  return [...new Set(seen)].map((nr) => names.find(([, number]) => number === nr)?.[0] ?? String(nr));
}

/** Compiles C into the folder, linked statically: it opens nothing to start. */
export function compile(folder: string, name: string, source: string): string {
  const file = join(folder, name);
  writeFileSync(`${file}.c`, source);
  execFileSync("gcc", ["-static", "-w", "-O1", "-o", file, `${file}.c`, "-lpthread"]);
  return file;
}

const HEAD = `
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#define S(...) syscall(__VA_ARGS__)
static long in(int port, int flag) {
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = { htonl(0x7f000001) } };
  int s = socket(AF_INET, SOCK_STREAM, 0);
  return flag ? sendto(s, "x", 1, flag, (void *)&to, sizeof to) : connect(s, (void *)&to, sizeof to);
}
static long un(const char *path, int length) {
  struct sockaddr_un to = { .sun_family = AF_UNIX };
  memcpy(to.sun_path, path, length);
  return connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&to, sizeof(sa_family_t) + length);
}
static sigjmp_buf none;
static void isNone(int signal) { siglongjmp(none, signal); }
/* Whether int 0x80 open (number 5) opens the file. Some kernels and hosts of virtual machines have no such call: it is a fault there. */
static long foreign(void) {
#ifdef __x86_64__
  long r;
  void (*before)(int) = signal(SIGSEGV, isNone);
  if (sigsetjmp(none, 1)) return signal(SIGSEGV, before), errno = ENOSYS, -1;
  static char *low;
  low = (char *)S(SYS_mmap, 0x10000000, 4096, 3, 0x32, -1, 0);
  strcpy(low, "/etc/hostname");
  __asm__ volatile("int $0x80" : "=a"(r) : "a"(5), "b"(low), "c"(0), "d"(0) : "memory", "r8", "r9", "r10", "r11");
  signal(SIGSEGV, before);
  return r < 0 ? (errno = -r, -1) : r;
#else
  return errno = ENOSYS, -1;
#endif
}
static long is(int yes) { return yes ? 0 : (errno = EXDEV, -1); }
int main(int argc, char **argv) {
  long r;
`;

/** C expressions, each a system call: what it answers, `ok` or the errno's name. */
export function probeSource(expressions: readonly string[]): string {
  const body = expressions.map(
    (expression) => `  errno = 0; r = (long)(${expression}); printf("%d\\n", r == -1 ? errno : 0); fflush(stdout);\n`,
  );
  return `${HEAD}${body.join("")}  return 0;\n}\n`;
}

export function answers({ output }: Report): string[] {
  return output.split("\n").map((line) => (line === "0" ? "ok" : errorName(Number(line))));
}
