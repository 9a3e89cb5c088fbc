import { isObject } from "@assent/core/data";
import { errorCode, type Machine, readOwnObject, removeFile, writeAtomic } from "../../state/index.ts";
import { openQueue, questionsFolder } from "./folder.ts";

/**
 * How a person wants to be told of questions, switched by `assent approvals --notify`. Programs stand in it by their path, as the
 * person had them when it was switched on: PATH where a question comes up may be an agent's.
 */
export interface NotifySettings {
  /** `notify-send`, `osascript`. */
  readonly desktop?: { readonly program: string };
  /** tmux opens a popup with the questions. */
  readonly tmux?: {
    readonly program: string;
    /** Of the server whose client shows it. */
    readonly socket: string;
    /** What the popup starts. */
    readonly command: readonly string[];
  };
  /** `assent approvals` rings, and tells the terminal to tell the desktop. */
  readonly terminal?: true;
}

const LARGEST = 16 << 10;
const fileOf = (machine: Machine): string => `${questionsFolder(machine)}/notify.json`;

/** Undefined: nothing is switched on. */
export function readNotify(machine: Machine): NotifySettings | undefined {
  const value = readOwnObject(fileOf(machine), LARGEST, machine.uid);
  if (value?.["v"] !== 1) return undefined;
  const { desktop, tmux } = value;
  const settings: NotifySettings = {
    ...(isObject(desktop) && isPath(desktop["program"]) ? { desktop: { program: desktop["program"] } } : {}),
    ...(isObject(tmux) && isPath(tmux["program"]) && isPath(tmux["socket"]) && isWords(tmux["command"])
      ? { tmux: { program: tmux["program"], socket: tmux["socket"], command: tmux["command"] } }
      : {}),
    ...(value["terminal"] === true ? { terminal: true } : {}),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

/** A question reaches somebody, though no terminal and no page is open. */
export function isToldOf(machine: Machine): boolean {
  const settings = readNotify(machine);
  return settings?.desktop !== undefined || settings?.tmux !== undefined;
}

/** Undefined: done; else why not. */
export function writeNotify(machine: Machine, settings: NotifySettings): string | undefined {
  try {
    openQueue(machine);
    if (Object.keys(settings).length === 0) removeFile(fileOf(machine));
    else writeAtomic(fileOf(machine), `${JSON.stringify({ v: 1, ...settings })}\n`);
    return undefined;
  } catch (error) {
    return `it cannot be kept: ${errorCode(error)}`;
  }
}

const isPath = (value: unknown): value is string => typeof value === "string" && value.startsWith("/");
const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
