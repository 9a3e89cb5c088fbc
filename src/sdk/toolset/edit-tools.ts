import type { LineEdit } from "../backend/index.ts";
import { said, string, type Definition } from "./definition.ts";
import { flag, schema, text } from "./tool.ts";

export const EDIT_TEXT: Definition = {
  name: "edit_file",
  operation: "edit",
  description: "Replaces a text that occurs exactly once in a file. Read the file first.",
  inputSchema: schema(
    { path: text("The file."), old: text("The text as it is."), new: text("What takes its place."), all: flag("Every time it occurs.") },
    ["path", "old", "new"],
  ),
  target: (input) => string(input, "path"),
  run: async (backend, input) =>
    said(
      await backend.edit(string(input, "path"), string(input, "old"), string(input, "new"), { all: input["all"] === true }),
      ({ path, replacements }) => `changed ${path} (${replacements ?? 1})`,
    ),
};

export const EDIT_LINES: Definition = {
  name: "edit_file",
  operation: "edit",
  description: "Replaces lines by the addresses that read_file gives; all edits or none.",
  inputSchema: schema(
    {
      path: text("The file."),
      edits: {
        type: "array",
        description:
          "Edits: `at` (and perhaps `to`) is an address `12:a1b2c3`, `text` takes the lines' place, or stands behind them with `after`.",
        items: {
          type: "object",
          properties: { at: { type: "string" }, to: { type: "string" }, text: { type: "string" }, after: { type: "boolean" } },
          required: ["at", "text"],
          additionalProperties: false,
        },
      },
    },
    ["path", "edits"],
  ),
  target: (input) => string(input, "path"),
  run: async (backend, input) => {
    const given: unknown = input["edits"];
    const edits = Array.isArray(given) ? given.map(readEdit) : [];
    const read = edits.filter((edit): edit is LineEdit => edit !== undefined);
    if (read.length !== edits.length || read.length === 0) return "Error: an edit needs `at`, an address such as `12:a1b2c3`, and `text`";
    return said(await backend.editLines(string(input, "path"), read), ({ path }) => `changed ${path}`);
  },
};

function readEdit(given: unknown): LineEdit | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { at, to, text: put, after }: { at?: unknown; to?: unknown; text?: unknown; after?: unknown } = given;
  const first = addressIn(at);
  const last = to === undefined ? undefined : addressIn(to);
  if (first === undefined || typeof put !== "string" || (to !== undefined && last === undefined)) return undefined;
  return { at: first, text: put, ...(last === undefined ? {} : { to: last }), ...(after === true ? { after } : {}) };
}

function addressIn(given: unknown): LineEdit["at"] | undefined {
  const [, line, hash] = typeof given === "string" ? (/^(\d{1,9}):([0-9a-f]{6})(?:\|.*)?$/s.exec(given) ?? []) : [];
  return line === undefined || hash === undefined ? undefined : { line: Number(line), hash };
}
