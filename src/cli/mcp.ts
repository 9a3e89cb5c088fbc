import { basename } from "node:path";
import { visible } from "../action/index.ts";
import { openGuard } from "../sdk/index.ts";
import { serveGateway, serveHttp, serveRemote, type RemoteOptions, type ServerBehind } from "../sdk/mcp/index.ts";
import { listenOptions, remoteOptions, type HttpFlags, type Problem } from "./mcp-http.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { writeStderr } from "./stdio.ts";

interface McpOptions extends HttpFlags {
  readonly name?: string;
  readonly policy: readonly string[];
}

/** `assent mcp -- SERVER…`: an MCP server with every tool call judged. Exit: the server's own. */
export async function mcp(command: readonly string[], flags: McpOptions): Promise<number> {
  const { env } = process;
  const remote = remoteOptions(flags, env);
  if (remote !== undefined && "problem" in remote) return wrong(remote.problem, remote.help);
  const listen = listenOptions(flags, env);
  if (listen !== undefined && "problem" in listen) return wrong(listen.problem, listen.help);
  const behind = behindOf(command, remote);
  if ("problem" in behind) return wrong(behind.problem, behind.help);
  const name = flags.name ?? (remote === undefined ? nameOf(command) : remote.url.hostname.replace(/[^\w.-]|__+/g, "-"));
  if (!/^[\w.-]{1,64}$/.test(name) || name.includes("__"))
    return wrong(`\`${visible(name)}\` is no name for a server: letters, digits, \`-\`, \`.\` and single \`_\``);
  if (remote?.warning !== undefined) writeStderr(`assent mcp: ${visible(remote.warning)}\n`);
  const cwd = absolute(".");
  const guard = openGuard({ cwd, agent: "mcp", point: "mcp", policyFiles: flags.policy.map((file) => absolute(file, cwd)) });
  const options = { guard, name, onNotice: (text: string): void => writeStderr(`assent mcp: ${visible(text)}\n`) };
  if (listen === undefined) {
    const stdio = { ...options, input: process.stdin, output: process.stdout };
    return "server" in behind ? await serveRemote({ ...stdio, ...behind }) : await serveGateway({ ...stdio, ...behind });
  }
  try {
    return await serveHttp({ ...options, listen, behind });
  } catch (error) {
    complain("mcp", error instanceof Error ? error.message : String(error), "choose another port, or 0 for a free one");
    return 1;
  }
}

function behindOf([program, ...args]: readonly string[], remote: RemoteOptions | undefined): ServerBehind | Problem {
  if (remote === undefined)
    return program === undefined
      ? { problem: "the server's command is missing: assent mcp -- npx some-mcp-server", help: "a server on the network is named by --url" }
      : { argv: [program, ...args] };
  if (program === undefined) return { server: remote };
  return { problem: "the server is given twice, by --url and by a command", help: "leave one of them out" };
}

function wrong(problem: string, help?: string): number {
  complain("mcp", problem, help);
  return 2;
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
