import { expect, it } from "vitest";
import { PlainPath } from "../../../packages/supervisor/src/supervise/trap/plain-path.ts";
import { AT_FDCWD } from "@assent/supervisor/supervise/kernel";
import { Tasks } from "../../../packages/supervisor/src/supervise/trap/tasks.ts";

const here = process.cwd();

/** What a task named, and the path that is taken from it; undefined: somebody else has to find it. */
const TAKEN: readonly (readonly [given: string, path: string | undefined])[] = [
  ["/srv/a", "/srv/a"],
  ["/srv/a b/ü\n", "/srv/a b/ü\n"],
  ["a", `${here}/a`],
  ["./a/b", `${here}/a/b`],
  ["././a", `${here}/a`],
  [".a", `${here}/.a`],
  ["..a", `${here}/..a`],
  ["/srv/...", "/srv/..."],
  ["", undefined],
  [".", undefined],
  ["..", undefined],
  ["../a", undefined],
  ["a/../b", undefined],
  ["a/./b", undefined],
  ["a//b", undefined],
  [".//a", undefined],
  ["//srv/a", undefined],
  ["/", undefined],
  ["/srv/a/", undefined],
  ["/srv/a/.", undefined],
  ["/proc/self/maps", undefined],
  ["/proc", undefined],
  ["/dev/fd/3", undefined],
  ["/sys/kernel", undefined],
  ["/process", "/process"],
  // Links of the root to `/usr`, and what is none.
  ["/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6"],
  ["/bin/sh", "/usr/bin/sh"],
  ["/bin", "/bin"],
  ["/lib64/ld.so", "/lib64/ld.so"],
  ["/library/a", "/library/a"],
  ["/sbin/../etc/shadow", undefined],
  ["/bin//sh", undefined],
  [`/${"a/".repeat(2047)}`, undefined],
];

it.each(TAKEN)("%j is %j", (given, path) => {
  const tasks = new Tasks();
  const task = tasks.get(process.pid);
  if (task === undefined) throw new Error("this process is gone");
  const plain = new PlainPath(new Set(["bin", "sbin", "lib"]));
  const bytes = Buffer.concat([Buffer.from(given), Buffer.from("\0junk")]);
  const taken = plain.taken(task, AT_FDCWD, bytes, Buffer.byteLength(given));
  expect(taken ? plain.text : undefined).toBe(path);
  if (taken) expect(plain.bytes.toString("utf8", 0, plain.bytes.indexOf(0))).toBe(path);
  tasks.close();
});
