import { basename } from "node:path";
import { visible } from "../action/index.ts";
import { openGuard } from "../sdk/index.ts";
import { serveGateway } from "../sdk/mcp/index.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { writeStderr } from "./stdio.ts";

interface McpOptions {
  readonly name?: string;
  readonly policy: readonly string[];
}

/** `assent mcp -- SERVER…`: an MCP server with every tool call judged. Exit: the server's own. */
export async function mcp(command: readonly string[], options: McpOptions): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) {
    complain("mcp", "the server's command is missing: assent mcp -- npx some-mcp-server");
    return 2;
  }
  const name = options.name ?? nameOf(command);
  if (!/^[\w.-]{1,64}$/.test(name) || name.includes("__")) {
    complain("mcp", `\`${visible(name)}\` is no name for a server: letters, digits, \`-\`, \`.\` and single \`_\``);
    return 2;
  }
  const cwd = absolute(".");
  const guard = openGuard({ cwd, agent: "mcp", point: "mcp", policyFiles: options.policy.map((file) => absolute(file, cwd)) });
  return await serveGateway({
    argv: [program, ...args],
    guard,
    name,
    input: process.stdin,
    output: process.stdout,
    onNotice: (text) => writeStderr(`assent mcp: ${visible(text)}\n`),
  });
}

const RUNNERS = /^(?:npx|pnpx|bunx|uvx|node|bun|deno|python\d*(?:\.\d+)?|docker|podman|run|exec|dlx|tool|env)$/;

/** `npx -y @scope/server-files@1 /srv` is `server-files`. */
function nameOf(command: readonly string[]): string {
  const word = command.find((each) => !each.startsWith("-") && !RUNNERS.test(basename(each))) ?? command[0] ?? "";
  return basename(word)
    .replace(/(.)@.*$/, "$1")
    .replace(/\.[cm]?[jt]s$|\.py$/, "")
    .replace(/[^\w.-]|__+/g, "-");
}
