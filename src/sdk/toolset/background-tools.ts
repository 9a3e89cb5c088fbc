import { lineBreak, string, type Definition } from "./definition.ts";
import { schema, text } from "./tool.ts";

const ID = schema({ id: text("The id that run_in_background gave.") }, ["id"]);

/** The same gate as `execute`. */
export const BACKGROUND: readonly Definition[] = [
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
      if (found === undefined) return await Promise.resolve("Error: there is no such command");
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
    run: async (backend, input) => ((await backend.kill(string(input, "id"))) ? "ended" : "Error: there is no such command"),
  },
];
