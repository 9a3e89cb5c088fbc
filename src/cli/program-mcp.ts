import type { Command } from "commander";

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `assent mcp`: the gateway in front of an MCP server. */
export function addMcpCommand(assent: Command): void {
  assent
    .command("mcp")
    .summary("stand in front of an MCP server and judge its tool calls")
    .description(
      "Stands between an MCP client and a server and judges every tool call by the policy, as mcp__NAME__tool. The server is a command, on standard input and output, or an address; so is the client, unless --listen serves it by HTTP. Tools that are denied are not listed; a question is put to the client where it can be asked, else the call is refused and says why (docs/mcp.md).",
    )
    .argument("[command...]", "the server and its arguments; options of `assent mcp` come before it, `--` may stand between")
    .option("--name <name>", "the server's name in rules; by default made of its command")
    .option("--url <url>", "the server is reached by streamable HTTP")
    .option("--header <header>", "sent to it with every request; ${VARIABLE} in it is taken from the environment", collect, [])
    .option("--listen <place>", "serve clients by streamable HTTP, at /mcp: PORT or HOST:PORT; by default on 127.0.0.1")
    .option("--token-env <variable>", "clients must send the token in this variable; needed beyond this machine")
    .option("--allow-host <name>", "a further name under which clients reach it", collect, [])
    .option("--allow-origin <origin>", "pages of this origin may use it", collect, [])
    .option("--policy <file>", "add a policy file", collect, [])
    .passThroughOptions()
    .action(async (command: readonly string[], options: Parameters<typeof import("./mcp.ts").mcp>[1]) => {
      const { mcp } = await import("./mcp.ts");
      process.exitCode = await mcp(command, options);
    });
}
