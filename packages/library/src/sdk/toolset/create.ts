import { approved } from "../common/ask.ts";
import type { LineEdit } from "../backend/lines.ts";
import type { LocalBackend } from "../backend/local-backend.ts";
import { checkOptions, GuardOptionError, type Options } from "../common/options.ts";
import type { Failure } from "../backend/result.ts";
import type { Operation } from "../rules/ruleset.ts";
import {
  type ConsoleTool,
  count,
  flag,
  type Input,
  type InputSchema,
  schema,
  text,
  type ToolOutput,
  wrongInput,
  type ToolCall,
} from "./tool.ts";

/** Which tools a toolset has. */
export interface ToolsetOptions {
  /** `text` (by default) replaces texts; `lines` addresses lines by their hashes. */
  readonly editFormat?: "text" | "lines";
  /** Offer a tool for images and documents. */
  readonly documents?: boolean;
}

/**
 * The tools of a console over a backend: looking, reading, changing, running. What the ruleset denies altogether is not
 * offered; everything else is judged call by call, by its path or command.
 *
 * ```ts
 * const tools = createConsoleToolset(new LocalBackend({ root: "/repo", permissions: presets.readonly }));
 * tools.map(({ name }) => name); // ["ls", "read_file", "glob", "grep"]
 * ```
 */
export function createConsoleToolset(backend: LocalBackend, options: ToolsetOptions = {}): readonly ConsoleTool[] {
  if (typeof backend?.offers !== "function") throw new GuardOptionError("backend", "createConsoleToolset takes a backend first");
  checkOptions("createConsoleToolset", options, { editFormat: ["text", "lines"], documents: "boolean" } satisfies Options<ToolsetOptions>);
  return definitions(options)
    .filter(({ operation }) => backend.offers(operation))
    .map((definition) => toolOf(definition, backend));
}

function toolOf({ name, operation, description, inputSchema, target, run }: Definition, backend: LocalBackend): ConsoleTool {
  return {
    name,
    description,
    inputSchema,
    operation,
    needsApproval: (input) => target !== undefined && isInput(input, inputSchema) && backend.needsApproval(operation, target(input)),
    execute: async (input, call = {}) => {
      if (!isInput(input, inputSchema)) return `Error: ${wrongInput(input, inputSchema) ?? "the input is wrong"}`;
      const work = async (): Promise<ToolOutput> => await run(backend, input, call);
      return call.approved === true ? await approved(work) : await work();
    },
  };
}

const isInput = (input: unknown, of: InputSchema): input is Input => wrongInput(input, of) === undefined;

function definitions({ editFormat = "text", documents = false }: ToolsetOptions): readonly Definition[] {
  const path = (input: Input): string => string(input, "path", ".");
  const command = (input: Input): string => string(input, "command");
  const lines = editFormat === "lines";
  return [
    {
      name: "ls",
      operation: "ls",
      description: "Lists a folder.",
      inputSchema: schema({ path: text("The folder; by default the root.") }, []),
      target: path,
      run: async (backend, input) =>
        said(await backend.ls(path(input)), ({ entries }) =>
          lineBreak(
            entries.map(({ name, kind }) => (kind === "folder" ? `${name}/` : name)),
            "(empty)",
            false,
          ),
        ),
    },
    {
      name: "read_file",
      operation: "read",
      description: `Reads a text file, or some of its lines.${lines ? " Each line is given with its address, `12:a1b2c3|`, for edit_file." : ""}`,
      inputSchema: schema({ path: text("The file."), from: count("First line, from 1."), lines: count("How many lines.") }, ["path"]),
      target: path,
      run: async (backend, input) => {
        const range = { ...optional("from", number(input, "from")), ...optional("lines", number(input, "lines")), hashes: lines };
        return said(await backend.read(path(input), range), ({ text: content, to, totalLines, truncated }) =>
          truncated ? `${content}\n(cut in line ${to} of ${totalLines}; read on with \`from\`)` : content,
        );
      },
    },
    ...(documents ? [DOCUMENT] : []),
    {
      name: "write_file",
      operation: "write",
      description: "Creates or replaces a file, and the folders above it.",
      inputSchema: schema({ path: text("The file."), content: text("All it shall hold.") }, ["path", "content"]),
      target: path,
      run: async (backend, input) =>
        said(
          await backend.write(path(input), string(input, "content")),
          ({ path: written, created }) => `${created ? "created" : "replaced"} ${written}`,
        ),
    },
    lines ? EDIT_LINES : EDIT_TEXT,
    {
      name: "glob",
      operation: "glob",
      description: "Finds files by their names, newest first: `*.ts` at any depth, `src/**/*.ts` below a folder.",
      inputSchema: schema({ pattern: text("The pattern."), path: text("The folder; by default the root.") }, ["pattern"]),
      target: path,
      run: async (backend, input) =>
        said(await backend.glob(string(input, "pattern"), path(input)), ({ files, truncated }) => lineBreak(files, "(none)", truncated)),
    },
    {
      name: "grep",
      operation: "grep",
      description: "Finds lines that match a regular expression (no look-around, no back-references).",
      inputSchema: schema(
        {
          pattern: text("The regular expression."),
          path: text("Folder or file; by default the root."),
          glob: text("Only files whose path matches."),
          ignoreCase: flag("Whatever the case."),
          literal: flag("The pattern is a text."),
          hidden: flag("Also files and folders whose names begin with a dot."),
        },
        ["pattern"],
      ),
      target: path,
      run: async (backend, input) => {
        const glob = string(input, "glob");
        const found = await backend.grep(string(input, "pattern"), {
          path: path(input),
          ignoreCase: input["ignoreCase"] === true,
          literal: input["literal"] === true,
          ...(input["hidden"] === true ? { hidden: true } : {}),
          ...(glob === "" ? {} : { glob }),
        });
        return said(found, ({ matches, truncated }) =>
          lineBreak(
            matches.map(({ path: at, line, text: shown }) => `${at}:${line}:${shown}`),
            "(none)",
            truncated,
          ),
        );
      },
    },
    {
      name: "execute",
      operation: "execute",
      description: "Runs a line of shell and gives what it writes.",
      inputSchema: schema(
        {
          command: text("The line."),
          timeout: count("Seconds until it is ended; 120 by default."),
          reason: text("Why, for the person who may be asked."),
        },
        ["command"],
      ),
      target: command,
      run: async (backend, input, { signal }) => {
        const seconds = number(input, "timeout");
        const run = await backend.execute(command(input), {
          reason: string(input, "reason"),
          ...(seconds === undefined ? {} : { timeout: seconds * 1000 }),
          ...(signal === undefined ? {} : { signal }),
        });
        if (run.ended === "refused") return run.output;
        const refused = run.confined?.text ?? "";
        const more = `${run.truncated ? "\n(more was left out)" : ""}${refused === "" ? "" : `\n(Assent ran this sandboxed)\n${refused}`}`;
        const how = run.ended === "itself" ? `exit code ${run.exitCode}` : run.ended === "timeout" ? "ended by the timeout" : "cancelled";
        return run.ended === "itself" && run.exitCode === 0 ? `${run.output}${more}` : `${run.output}${more}\n(${how})`;
      },
    },
    ...BACKGROUND,
  ];
}

const DOCUMENT: Definition = {
  name: "read_document",
  operation: "read",
  description: "Gives an image or PDF to look at.",
  inputSchema: schema({ path: text("The file.") }, ["path"]),
  target: (input) => string(input, "path"),
  run: async (backend, input) =>
    said(await backend.readBytes(string(input, "path")), ({ bytes, mediaType }) => ({ mediaType, data: bytes })),
};

const ID = schema({ id: text("The id that run_in_background gave.") }, ["id"]);

/** The same gate as `execute`. */
const BACKGROUND: readonly Definition[] = [
  {
    name: "run_in_background",
    operation: "execute",
    description: "Starts a line of shell that goes on by itself, and gives its id.",
    inputSchema: schema({ command: text("The line."), reason: text("Why, for the person who may be asked.") }, ["command"]),
    target: (input) => string(input, "command"),
    run: async (backend, input) => {
      const started = await backend.start(string(input, "command"), string(input, "reason"));
      return "error" in started ? started.error : `started ${started.id}`;
    },
  },
  {
    name: "background_output",
    operation: "execute",
    description: "Gives what a command in the background has written since the last time.",
    inputSchema: ID,
    target: undefined,
    run: async (backend, input) => {
      const found = backend.output(string(input, "id"));
      if (found === undefined) return await Promise.resolve("Error: unknown command");
      return `${found.output}${found.running ? "" : `\n(ended with exit code ${found.exitCode ?? 1})`}`;
    },
  },
  {
    name: "list_background",
    operation: "execute",
    description: "Lists the commands in the background.",
    inputSchema: schema({}, []),
    target: undefined,
    run: async (backend) => {
      const all = backend.background().map(({ id, command, running }) => `${id} ${running ? "runs" : "ended"}: ${command}`);
      return await Promise.resolve(lineBreak(all, "(none)", false));
    },
  },
  {
    name: "kill_background",
    operation: "execute",
    description: "Ends a command in the background and all it has started.",
    inputSchema: ID,
    target: undefined,
    run: async (backend, input) => ((await backend.kill(string(input, "id"))) ? "ended" : "Error: unknown command"),
  },
];

const EDIT_TEXT: Definition = {
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

const EDIT_LINES: Definition = {
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

/** A tool before it has a backend. */
interface Definition {
  readonly name: string;
  readonly operation: Operation;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** The path or command that is judged; undefined: only what was approved before is touched. */
  readonly target: ((input: Input) => string) | undefined;
  readonly run: (backend: LocalBackend, input: Input, call: ToolCall) => Promise<ToolOutput>;
}

/** Checked by the schema before. */
const string = (input: Input, name: string, otherwise = ""): string => {
  const value = input[name];
  return typeof value === "string" ? value : otherwise;
};
const number = (input: Input, name: string): number | undefined => {
  const value = input[name];
  return typeof value === "number" ? value : undefined;
};
const optional = <Name extends string, T>(name: Name, value: T | undefined): Partial<Record<Name, T>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key loses its name
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, T>>;

const said = <T extends { readonly ok: true }>(result: T | Failure, show: (result: T) => ToolOutput): ToolOutput =>
  result.ok ? show(result) : result.error;

const lineBreak = (lines: readonly string[], none: string, truncated: boolean): string =>
  lines.length === 0 ? none : `${lines.join("\n")}${truncated ? "\n(more were left out)" : ""}`;
