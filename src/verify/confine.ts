import { spawnSync } from "node:child_process";

const NAMESPACES = ["--user", "--map-root-user", "--pid", "--mount", "--net", "--ipc", "--fork", "--kill-child", "--mount-proc"];

/** How a worker is started in user, process, mount, network and IPC namespaces of its own: unshare(1). */
export const confined = (argv: readonly string[]): readonly [string, readonly string[]] => ["unshare", [...NAMESPACES, "--", ...argv]];

/** Undefined: namespaces are to be had. Else why not. */
export function cannotConfine(): string | undefined {
  const [program, args] = confined(["true"]);
  const { status, error, stderr } = spawnSync(program, [...args], { encoding: "utf8" });
  if (status === 0) return undefined;
  return error === undefined ? (stderr.trim().split("\n")[0] ?? "unshare failed") : "unshare(1) of util-linux is not installed";
}
