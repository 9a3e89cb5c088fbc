export { createConsoleToolset, type ToolsetOptions } from "./create.ts";
export type { ConsoleTool, InputSchema, ToolCall, ToolOutput } from "./tool.ts";
