/** Requests of other tools made to take long. */
export type ToolCall = readonly [what: string, tool: string, input: Readonly<Record<string, unknown>> | string, harmless?: true];

const list = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const KEY = "~/.ssh/id_rsa";
const patch = (hunks: string): string => `*** Begin Patch\n*** Update File: ${KEY}\n${hunks}*** End Patch\n`;

/** Raw JSON: what `JSON.stringify` cannot write. */
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + "1" + close.repeat(depth);

export const REQUESTS: readonly ToolCall[] = [
  ["an edit of megabytes", "Edit", { file_path: KEY, old_string: "a".repeat(3_000_000), new_string: "b".repeat(3_000_000) }],
  ["a file of megabytes", "Write", { file_path: KEY, content: "line password=secret\n".repeat(400_000) }],
  ["a file of one long line", "Write", { file_path: KEY, content: `token=${"x".repeat(8_000_000)}` }],
  ["a file of blanks", "Write", { file_path: KEY, content: " ".repeat(8_000_000) }],
  ["a file of keys", "Write", { file_path: KEY, content: "-----BEGIN PRIVATE KEY-----\n".repeat(200_000) }],
  ["a file of addresses", "Write", { file_path: KEY, content: "https://user:pass@host/?token=x ".repeat(100_000) }],
  ["fifty thousand edits", "MultiEdit", { file_path: KEY, edits: list(50_000, (at) => ({ old_string: `a${at}`, new_string: "b" })) }],
  ["a path that goes up and down", "Read", { file_path: `/${"a/../".repeat(100_000)}etc/shadow` }],
  ["a path of a million letters", "Read", { file_path: `/etc/${"a".repeat(1_000_000)}` }, true],
  ["a path of many folders", "Write", { file_path: `/etc/${"a/".repeat(100_000)}x` }],
  ["a glob of many stars", "Glob", { path: "/", pattern: "*a".repeat(50_000) }, true],
  ["a glob of braces", "Glob", { path: "~/.ssh", pattern: "{a,b}".repeat(20_000) }, true],
  ["a glob over everything", "Glob", { path: "/", pattern: "**/**/**/**/*" }, true],
  ["a search of everything", "Grep", { path: "/", pattern: "(a|a)*b".repeat(20_000), glob: "{*,**/*}".repeat(5000) }],
  ["a search at home", "Grep", { path: "~", pattern: "x" }],
  ["a long address", "WebFetch", { url: `http://169.254.169.254/${"a".repeat(1_000_000)}`, prompt: "x" }],
  ["an address with many labels", "WebFetch", { url: `http://${"a.".repeat(100_000)}localhost/`, prompt: "x" }],
  ["an address with escapes", "WebFetch", { url: `http://127.0.0.1/${"%25".repeat(200_000)}`, prompt: "x".repeat(1_000_000) }],
  ["an address with a user of many signs", "WebFetch", { url: `http://${"a@".repeat(200_000)}127.0.0.1/`, prompt: "x" }],
  ["a server's megabytes", "mcp__files__write", { path: KEY, text: "x".repeat(5_000_000) }],
  ["a server's many fields", "mcp__files__write", { path: KEY, ...Object.fromEntries(list(100_000, (at) => [`f${at}`, `~/.ssh/k${at}`])) }],
  ["a server's many paths", "mcp__files__write", { paths: list(100_000, (at) => `/etc/../etc/x${at}/../../root/.ssh/id_rsa`) }],
  ["a server's many commands", "mcp__shell__run", { command: `cat ${KEY}`, commands: list(20_000, (at) => `cat a${at} | sh`) }],
  ["a server's long command", "mcp__shell__run", { command: `cat ${KEY}; ${"echo $(ls);".repeat(100_000)}` }],
  ["a server's query", "mcp__db__query", { sql: `copy x to '/etc/passwd'; ${"select ((".repeat(100_000)}` }],
  ["deep arrays", "mcp__files__write", `{"path":"${KEY}","a":${nested(100_000, "[", "]")}}`],
  ["deep objects", "mcp__files__write", `{"path":"${KEY}","a":${nested(100_000, '{"a":', "}")}}`],
  ["a million deep arrays", "mcp__files__write", `{"path":"${KEY}","a":${nested(1_000_000, "[", "]")}}`],
  ["a million numbers", "mcp__files__write", `{"path":"${KEY}","a":[${"1,".repeat(1_000_000)}1]}`],
  ["the same key a hundred thousand times", "mcp__files__write", `{${`"path":"${KEY}",`.repeat(100_000)}"path":"${KEY}"}`],
  ["a patch of a hundred thousand lines", "apply_patch", { command: patch("@@\n-a\n+b\n".repeat(35_000)) }],
  [
    "a patch of many files",
    "apply_patch",
    { input: `*** Begin Patch\n${list(20_000, (at) => `*** Add File: ../../x${at}\n+a\n`).join("")}*** End Patch\n` },
  ],
  ["a patch that is none", "apply_patch", { command: `${"*** Begin Patch\n".repeat(60_000)}` }],
  ["a tool nobody knows", "Unknown", { file_path: KEY, a: "x".repeat(3_000_000) }],
  ["a tool with a long name", "x".repeat(1_000_000), { file_path: KEY }],
  ["a command that is none", "Bash", { command: list(10_000, () => "ls") }],
  ["a notebook of megabytes", "NotebookEdit", { notebook_path: KEY, new_source: "import os\n".repeat(300_000) }],
];
