export { createConsoleToolset, type ToolsetOptions } from "./create.ts";
export type { ConsoleTool, InputSchema, PropertySchema, ToolCall, ToolOutput } from "./tool.ts";
