import type { Action, FileOperation } from "../../action/index.ts";
import type { Decision } from "./verdict.ts";
import type { PresetName, Settings } from "./types.ts";

/** The rows of the preset table: what a default is given for. */
export type Row =
  | "read"
  | "list"
  | "write"
  | "delete"
  | "exec"
  | "code"
  | "net"
  | "remote read"
  | "remote change"
  | "remote publish"
  | "process"
  | "system"
  | "privilege"
  | "tool";

/** `project` is allow inside the project and ask elsewhere. */
export type Default = Decision | "project";

/** What a preset says where no rule does, and which protections it brings. */
export interface Preset {
  readonly defaults: Readonly<Record<Row, Default>>;
  readonly secrets: boolean;
  readonly system: boolean;
  readonly dangers: boolean;
  /** A command that knowledge covers has the verdict of its effects; without, it is judged like any other. */
  readonly transparent: boolean;
}

function every(value: Default): Record<Row, Default> {
  return {
    read: value,
    list: value,
    write: value,
    delete: value,
    exec: value,
    code: value,
    net: value,
    "remote read": value,
    "remote change": value,
    "remote publish": value,
    process: value,
    system: value,
    privilege: value,
    tool: value,
  };
}

export const PRESET_TABLE: Readonly<Record<PresetName, Preset>> = {
  default: {
    defaults: { ...every("ask"), read: "allow", list: "allow", exec: "none", code: "none", "remote read": "allow", tool: "none" },
    secrets: true,
    system: true,
    dangers: true,
    transparent: true,
  },
  permissive: {
    defaults: { ...every("allow"), delete: "project", "remote publish": "ask", process: "ask", system: "ask", privilege: "ask" },
    secrets: true,
    system: true,
    dangers: true,
    transparent: true,
  },
  readonly: {
    defaults: { ...every("deny"), read: "allow", list: "allow" },
    secrets: true,
    system: false,
    dangers: false,
    transparent: true,
  },
  strict: { defaults: every("ask"), secrets: true, system: true, dangers: true, transparent: false },
  none: { defaults: every("none"), secrets: false, system: false, dangers: false, transparent: false },
};

const OPEN: Partial<Record<PresetName, Preset>> = {};

/** The preset that a policy's settings mean. */
export function presetOf({ preset, secrets }: Pick<Settings, "preset" | "secrets">): Preset {
  return secrets === "open" ? (OPEN[preset] ??= { ...PRESET_TABLE[preset], secrets: false }) : PRESET_TABLE[preset];
}

const FILE_ROWS: Readonly<Record<FileOperation, Row>> = {
  read: "read",
  list: "list",
  write: "write",
  edit: "write",
  mkdir: "write",
  rename: "write",
  link: "write",
  delete: "delete",
  metadata: "delete",
  execute: "exec",
};

/** The row of the preset table that an action belongs to. */
export function rowOf(action: Action): Row {
  switch (action.kind) {
    case "file":
      return FILE_ROWS[action.operation];
    case "remote":
      return action.operation === "read" ? "remote read" : action.operation === "change" ? "remote change" : "remote publish";
    default:
      return action.kind;
  }
}
