import type { Command } from "commander";

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `assent mcp`: the gateway in front of an MCP server. */
export function addMcpCommand(assent: Command): void {
  assent
    .command("mcp")
    .summary("stand in front of an MCP server and judge its tool calls")
    .description(
      "Starts an MCP server on standard input and output and judges every tool call by the policy, as mcp__NAME__tool. Tools that are denied are not listed; a question is put to the client where it can be asked, else the call is refused and says why (docs/mcp.md).",
    )
    .argument("<command...>", "the server and its arguments; options of `assent mcp` come before it, `--` may stand between")
    .option("--name <name>", "the server's name in rules; by default made of its command")
    .option("--policy <file>", "add a policy file", collect, [])
    .passThroughOptions()
    .action(async (command: readonly string[], options: Parameters<typeof import("./mcp.ts").mcp>[1]) => {
      const { mcp } = await import("./mcp.ts");
      process.exitCode = await mcp(command, options);
    });
}
