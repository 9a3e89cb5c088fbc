import { readlinkSync, utimesSync } from "node:fs";
import { attempt, isObject } from "@assent/core/data";
import { processFields, removeFile, writeAtomic, isNumberTaken, type Holder as Life } from "../state/index.ts";

export type { Holder as Life } from "../state/index.ts";

export function ownLife(): Life {
  return { pid: process.pid, started: stateOf(process.pid)?.started ?? 0, namespace: ownNamespace() };
}

/** False when the process is certainly gone; a process of another namespace cannot be looked for. */
export function isAlive(life: Life): boolean {
  return lifeState(life) !== "gone";
}

/** `stopped`: it lives, and does nothing until somebody continues it (Ctrl-Z). `unknown`: it is of another namespace. */
export function lifeState({ pid, started, namespace }: Life): "runs" | "stopped" | "gone" | "unknown" {
  const own = ownNamespace();
  if (namespace !== own) return "unknown";
  if (own === "") return isNumberTaken(pid) ? "runs" : "gone";
  const state = stateOf(pid);
  if (state?.started !== started) return "gone";
  return state.stopped ? "stopped" : "runs";
}

export function readLife(value: unknown): Life | undefined {
  if (!isObject(value)) return undefined;
  const { pid, started, namespace } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return typeof started === "number" && typeof namespace === "string" ? { pid, started, namespace } : undefined;
}

/** Empty where the system has no such thing. */
const ownNamespace = (): string => attempt(() => readlinkSync("/proc/self/ns/pid"), "");

function stateOf(pid: number): { readonly started: number; readonly stopped: boolean } | undefined {
  const fields = processFields(pid);
  const state = fields?.[0];
  // A zombie is gone.
  if (fields === undefined || state === "Z" || state === "X") return undefined;
  return { started: Number(fields[19]), stopped: state === "T" || state === "t" };
}

const BEAT_MS = 5000;

/** Keeps a file as long as this process lives, or until it is closed: others see by its time that somebody is there. Throws where it cannot be. */
export function keepFile(file: string, text: string): { close(): void } {
  const write = (): void => writeAtomic(file, text);
  write();
  const attempt = (work: () => void, otherwise: () => void): void => {
    try {
      work();
    } catch {
      otherwise();
    }
  };
  // Somebody has cleared the folder: it is written anew. A full disk: nobody is asked here.
  const touch = (): void => utimesSync(file, new Date(), new Date());
  const beat = setInterval(() => attempt(touch, () => attempt(write, () => undefined)), BEAT_MS).unref();
  const close = (): void => {
    clearInterval(beat);
    process.off("exit", close);
    removeFile(file);
  };
  process.on("exit", close);
  return { close };
}
