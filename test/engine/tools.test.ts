import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { printAction } from "@assent/core/action";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { realWorld } from "@assent/guard/engine";
import { lowerTool } from "@assent/core/request";
import { scratch } from "../scratch.ts";

/** [tool, input, actions or unknown reasons]; `P` is the project, `H` home. */
const ROWS: [tool: string, input: Record<string, unknown>, expected: string[]][] = [
  ["Read", { file_path: "P/a" }, ["read P/a"]],
  ["Read", { file_path: "a/../b" }, ["read P/b"]],
  ["Read", { file_path: "~/.ssh/id_rsa" }, ["read H/.ssh/id_rsa"]],
  ["Read", { file_path: "~" }, ["read H"]],
  ["Read", { file_path: "~other/x" }, ["read P/~other/x"]],
  ["Read", { file_path: "file:///etc/pass%77d" }, ["read /etc/passwd"]],
  ["Read", { file_path: "//etc//passwd/." }, ["read /etc/passwd"]],
  ["Read", { file_path: "link/../x" }, ["read P/x", "read /usr/x"]],
  ["Read", { file_path: "file:/etc/passwd" }, ["read /etc/passwd"]],
  ["Read", { file_path: "file://host/etc/passwd" }, ["read /etc/passwd"]],
  ["Read", { file_path: "file:///a/%zz" }, ["? the path is a `file:` address that cannot be read"]],
  ["Read", { file_path: "vscode-userdata:/User/settings.json" }, ["? the path is an address, and no file"]],
  ["Read", { file_path: "%2eenv" }, ["read P/%2eenv", "read P/.env"]],
  ["Read", { file_path: "%252eenv" }, ["read P/%252eenv", "read P/%2eenv", "read P/.env"]],
  ["Read", { file_path: "100%" }, ["read P/100%"]],
  ["Read", { file_path: " /etc/passwd\n" }, ["read P/ /etc/passwd\\n", "read /etc/passwd"]],
  ["Read", { file_path: "@.env" }, ["read P/@.env", "read P/.env"]],
  ["Write", { file_path: "@/x/@y" }, ["write P/@/x/@y", "write /x/@y", "write P/x/@y"]],
  ["Write", { file_path: "@~/x" }, ["write P/@~/x", "write H/x"]],
  ["Write", { file_path: "top\u00a0secret/x" }, ["write P/top\\u{a0}secret/x", "write P/top secret/x"]],
  ["Write", { file_path: "top\\ secret/x" }, ["write P/top\\ secret/x", "write P/top secret/x"]],
  ["Read", { file_path: "caf\u00e9.md" }, ["read P/caf\u00e9.md"]],
  ["Read", { file_path: "pa\u0308ckchen.md" }, ["read P/pa\u0308ckchen.md", "read P/p\u00e4ckchen.md"]],
  ["Read", { file_path: "John's.md" }, ["read P/John's.md", "read P/John’s.md"]],
  ["Read", {}, ["? the path is missing: no `file_path`"]],
  ["Read", { file_path: "" }, ["? the path is not a text"]],
  ["Read", { file_path: "a\0b" }, ["? the path contains a NUL character"]],
  ["Write", { file_path: "P/a", content: "x" }, ["write P/a"]],
  ["Edit", { file_path: "P/a" }, ["edit P/a"]],
  ["MultiEdit", { file_path: "P/a", edits: [] }, ["edit P/a"]],
  ["NotebookEdit", { notebook_path: "P/a.ipynb" }, ["edit P/a.ipynb"]],
  ["LS", { path: "P/src" }, ["list P/src"]],
  ["Glob", { pattern: "**/*.ts" }, ["list P/**"]],
  ["Glob", { pattern: "**/*.ts", path: "src" }, ["list P/src/**"]],
  ["Glob", { pattern: "/etc/**" }, ["list P/**", "list /etc/**"]],
  ["Glob", { pattern: "../*/x", path: "P" }, ["list P/**", "list H/**"]],
  ["Glob", { pattern: "{/etc/*,src/*}" }, ["list P/**", "list /etc/**"]],
  ["Glob", { pattern: "{".repeat(20) }, ["list P/**", "list /**"]],
  ["Grep", { pattern: "x" }, ["read P/**"]],
  ["Grep", { pattern: "x", path: "P/package.json" }, ["read P/package.json"]],
  ["WebFetch", { url: "https://Example.ORG:8443/a" }, ["fetch https://Example.ORG:8443/a example.org 8443"]],
  ["WebFetch", { url: "example.org/a" }, ["fetch example.org/a example.org 443"]],
  ["WebFetch", { url: "http://0x7f.1/" }, ["fetch http://0x7f.1/ 127.0.0.1 80"]],
  ["WebFetch", { url: "file:///etc/passwd" }, ["read /etc/passwd"]],
  ["WebFetch", { url: " fi\nle:///etc/passwd" }, ["read /etc/passwd"]],
  ["WebFetch", { url: "ht\ntps://evil.dev" }, ["fetch ht\\ntps://evil.dev evil.dev 443"]],
  [
    "WebFetch",
    { url: "https://a.dev\\@evil.dev" },
    ["fetch https://a.dev\\@evil.dev a.dev 443", "fetch https://a.dev\\@evil.dev evil.dev 443"],
  ],
  ["WebFetch", { url: "https://me@a.dev./" }, ["fetch https://me@a.dev./ a.dev. 443"]],
  ["WebFetch", { url: "https://" }, ["? the address is not a URL"]],
  ["WebFetch", {}, ["? the address is missing: `url` is not a text"]],
  ["WebSearch", { query: "x" }, ["tool WebSearch"]],
  ["Agent", { prompt: "x" }, ["tool Agent"]],
  ["mcp__a__b", { path: "/etc" }, ["tool mcp__a__b"]],
  ["Monitor", { ws: "wss://a.dev/x" }, ["fetch wss://a.dev/x a.dev 443"]],
  ["Monitor", {}, ["? the address is missing: `ws` is not a text"]],
  ["Bash", { command: "ls" }, ["exec ls", "list P"]],
  ["Bash", { command: 7 }, ["? the command is missing: `command` is not a text"]],
  ["Bash", { command: "a".repeat(131_073) }, ["? the command is too long to analyse (131073 characters)"]],
];

describe("what a tool call would do", () => {
  it.each(ROWS)("%s %j", (tool, given, expected) => {
    const place = scratch();
    for (const name of ["package.json", "p\u00e4ckchen.md", "John’s.md"]) place.write(name, "{}");
    symlinkSync("/usr/lib", join(place.project, "link"));
    const full = (text: string): string => text.replaceAll(/\bP\b/g, place.project).replaceAll(/\bH\b/g, place.home);
    const input = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, typeof value === "string" && value.length < 100 ? full(value) : value]),
    );
    const request = {
      tool,
      facts: claude.tools[tool],
      input,
      cwd: place.project,
      host: { shell: "any", decides: true, asks: true, bypassed: false, planning: false },
      point: "test",
      agent: "claude",
    } as const;
    const { actions, unknowns } = lowerTool(request, realWorld(place.machine, place.project, undefined));
    const shown = actions.map((action) =>
      action.kind === "net" ? `${printAction(action)} ${action.host ?? "?"} ${action.port ?? "?"}` : printAction(action),
    );
    expect([...shown, ...unknowns.map(({ reason }) => `? ${reason}`)]).toEqual(expected.map(full));
  });

  it("takes a folder behind a link by neither of its names", () => {
    const place = scratch();
    symlinkSync("/usr/lib", join(place.project, "link"));
    const request = {
      tool: "bash",
      facts: { does: "shell", field: "command" },
      input: { command: "rm x" },
      cwd: `${place.project}/link/..`,
      sessionRoot: place.project,
      host: { shell: "any", decides: true, asks: true, bypassed: false, planning: false },
      point: "test",
      agent: "opencode",
    } as const;
    const { actions, unknowns } = lowerTool(request, realWorld(place.machine, request.cwd, request.sessionRoot));
    expect(actions).toEqual([]);
    expect(unknowns[0]?.reason).toContain("goes back behind a link");
  });

  it("flattens an unknown tool's input breadth first, bounded (A19)", () => {
    const place = scratch();
    const request = {
      tool: "mcp__x__y",
      facts: undefined,
      input: { a: { url: "u" }, list: ["1", "2"], n: 3, big: Array.from({ length: 5000 }, () => "x") },
      cwd: "/",
      host: { shell: "any", decides: true, asks: true, bypassed: false, planning: false },
      point: "t",
      agent: "a",
    } as const;
    const [action] = lowerTool(request, realWorld(place.machine, "/", undefined)).actions;
    if (action?.kind !== "tool") throw new Error("no tool action");
    expect(action.fields.slice(0, 4)).toEqual([
      ["n", "3"],
      ["url", "u"],
      ["list", "1"],
      ["list", "2"],
    ]);
    expect(action.fields.length).toBeLessThanOrEqual(1000);
  });
});
