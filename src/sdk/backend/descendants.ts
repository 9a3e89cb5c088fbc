import { readdirSync, readFileSync } from "node:fs";

/** Each pass finds what was started during the one before. */
const MOST_PASSES = 50;

/** Ends everything below a process, whatever group or session it is in by now; where there is no `/proc`, nothing. */
export function endDescendants(root: number): void {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const below = descendants(root);
    if (below.length === 0) return;
    for (const pid of below) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Gone meanwhile.
      }
    }
  }
}

function descendants(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of processes()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found: number[] = [];
  for (const next = [root]; next.length > 0;) {
    const below = children.get(next.pop() ?? 0) ?? [];
    found.push(...below);
    next.push(...below);
  }
  return found;
}

function processes(): readonly { readonly pid: number; readonly parent: number }[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (parentOf(Number(name)) ?? []) : []));
  } catch {
    return [];
  }
}

/** proc_pid_stat(5): behind the name in brackets the state and the parent. What has ended and waits for its parent does not count. */
function parentOf(pid: number): { readonly pid: number; readonly parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : { pid, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
