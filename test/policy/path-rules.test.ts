import { describe, expect, it } from "vitest";
import type { Action, World } from "@assent/core/action";
import { matchRule } from "../../packages/core/src/policy/rule.ts";
import type { Effect } from "../../packages/core/src/policy/match/types.ts";
import { answer, exec, file, net, ruleOf, tool, world } from "./language.ts";

type Row = readonly [effect: Effect, rule: string, action: Action | string, expected: "yes" | "maybe" | "no", where?: World];

const LINKED = world({ links: { "/home/me/repo/link": "/etc", "/home/me/code": "/data/code", "/tmp": "/private/tmp" } });
const FOLDING = world({ foldsCase: true });

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  "which operations a rule is about": [
    ["allow", "Read(src/**)", "read src/a", "yes"],
    ["allow", "Read(src/**)", "list src", "no"],
    ["allow", "Read(src/**)", "write src/a", "no"],
    ["allow", "Grep(src/**)", "read src/a", "yes"],
    ["allow", "List(src/**)", "list src", "yes"],
    ["allow", "Glob(src/**)", "list src", "yes"],
    ["allow", "LS", "list src", "yes"],
    ["allow", "Edit(src/**)", "write src/a", "yes"],
    ["allow", "Edit(src/**)", "edit src/a", "yes"],
    ["allow", "Edit(src/**)", "delete src/a", "no"],
    ["deny", "Write(src/**)", "delete src/a", "yes"],
    ["deny", "Write(src/**)", "metadata src/a", "yes"],
    ["deny", "Write(src/**)", "rename src/a", "yes"],
    ["deny", "Write(src/**)", "read src/a", "no"],
    ["deny", "Delete(src/**)", "delete src/a", "yes"],
    ["deny", "Exec(**/curl)", "execute /usr/bin/curl", "yes"],
  ],
  "what a pattern is relative to": [
    ["allow", "Read(.env)", "read .env", "yes"],
    ["allow", "Read(.env)", "read sub/.env", "no"],
    ["allow", "Read(**/.env)", "read /any/where/.env", "yes"],
    ["allow", "Read(/etc/**)", "read /etc/passwd", "yes"],
    ["allow", "Read(/etc/**)", "read etc/passwd", "no"],
    ["allow", "Read(~/.ssh/**)", "read /home/me/.ssh/id", "yes"],
    ["allow", "Read(../other/*)", "read /home/me/other/x", "yes"],
    ["allow", "Read(./src/../lib/*)", "read lib/x", "yes"],
    ["deny", "Read(**)", "read /any", "yes"],
    ["deny", "Read", "read /any", "yes"],
    ["deny", "Read(*)", "read /any/thing", "yes"],
    ["deny", "Read()", "read /any/thing", "yes"],
    ["deny", "Read(secrets/)", "read secrets/a/b", "yes"],
  ],
  "trees, globs and targets only known at run time": [
    ["allow", "Read(src/**)", "read src/**", "yes"],
    ["allow", "Read(src/**)", "read src/deep/**", "yes"],
    ["allow", "Read(src/**)", "read lib/**", "no"],
    ["allow", "Read(src/**/*)", "read src/a/**", "yes"],
    ["allow", "Read(src/**/*.ts)", "read src/a/**", "maybe"],
    ["deny", "Read(**/.env)", "read src/**", "maybe"],
    ["deny", "Delete(src)", "delete src/**", "yes"],
    ["deny", "Delete(src/keep)", "delete src/**", "maybe"],
    ["deny", "Delete(lib/**)", "delete src/**", "no"],
    ["deny", "Read(src/*.ts)", "read src/*", "maybe"],
    ["allow", "Read(src/*)", "read src/*.ts", "yes"],
    ["allow", "Read(src/*.ts)", "read src/a*.ts", "yes"],
    ["allow", "Read(src/*.ts)", "read src/*", "maybe"],
    ["deny", "Read(**/.env)", "read .e*", "maybe"],
    ["deny", "Read(**/.env)", "read *.txt", "no"],
    ["deny", "Read(**/.env)", "read ?", "maybe"],
    ["allow", "Read(src/**)", "read ?", "maybe"],
    ["allow", "Read(**)", "read ?", "yes"],
    ["allow", "Read(src/**)", "read src/?", "yes"],
    ["deny", "Read(src/**)", "read src/?", "yes"],
    ["deny", "Read(src/*.key)", "read src/?", "maybe"],
    ["deny", "Read(lib/**)", "read src/?", "no"],
    ["deny", "Delete(build/keep/**)", file("delete build", { recursive: true }), "maybe"],
    ["deny", "Write(a/secrets/**)", file("rename a"), "maybe", world({ kind: () => "directory" })],
    ["deny", "Write(a/secrets/**)", file("rename a"), "no", world({ kind: () => "file" })],
  ],
  "deny takes either spelling of a path, allow only the true one": [
    ["deny", "Read(/etc/**)", "read link/passwd", "yes", LINKED],
    ["deny", "Read(link/**)", "read link/passwd", "yes", LINKED],
    ["allow", "Read(link/**)", "read link/passwd", "no", LINKED],
    ["allow", "Read(**/passwd)", "read link/passwd", "yes", LINKED],
    ["allow", "Read(~/code/**)", "read /home/me/code/a", "yes", LINKED],
    ["allow", "Read(~/code/**)", "read /data/code/a", "yes", LINKED],
    ["allow", "Read(/tmp/**)", "read /tmp/a", "yes", LINKED],
    ["deny", "Read(/tmp/**)", "read /private/tmp/a", "yes", LINKED],
    // Deleting a link deletes the link, not what it leads to.
    ["allow", "Delete(link)", "delete link", "yes", LINKED],
    ["allow", "Delete(/etc)", "delete link", "no", LINKED],
    ["allow", "Read(**)", file("read passwd", { asGiven: "link/../passwd" }), "yes", LINKED],
    ["deny", "Read(/passwd)", file("read passwd", { asGiven: "link/../passwd" }), "yes", LINKED],
    ["allow", "Read(passwd)", file("read passwd", { asGiven: "link/../passwd" }), "no", LINKED],
    ["allow", "Read(src/**)", file("read src/*"), "yes", world({ links: { "/home/me/repo": "/data/repo" } })],
    ["deny", "Read(.ENV)", "read .env", "yes", FOLDING],
    ["deny", "Read(**/.env)", "read /X/.ENV", "yes", FOLDING],
    ["deny", "Read(**/.e[N]v*)", "read /X/.ENVRC", "yes", FOLDING],
    ["deny", "Read(**/.env)", "read /X/.ENV", "no"],
    ["allow", "Read(.ENV)", "read .env", "no", FOLDING],
  ],
  "Exec(glob) is about the file a program is": [
    ["deny", "Exec(/usr/bin/curl)", exec("curl x", { resolved: "/usr/bin/curl" }), "yes"],
    ["deny", "Exec(/usr/bin/curl)", exec("curl x"), "maybe"],
    ["deny", "Exec(/usr/bin/wget)", exec("curl x"), "no"],
    ["allow", "Exec(/usr/bin/*)", exec("curl x", { resolved: "/usr/bin/curl" }), "yes"],
    ["allow", "Exec(/usr/bin/*)", exec("curl x"), "no"],
    ["deny", "Exec(build.sh)", exec("./build.sh"), "yes"],
    ["deny", "Exec(**)", exec("echo", { builtin: true }), "no"],
  ],
  "AW15 a path however it is written": [
    ["deny", "Fetch(/etc/**)", tool("Fetch", { path: "//etc/passwd" }), "yes"],
    ["deny", "Fetch(/etc/**)", tool("Fetch", { path: "file:///etc/passwd" }), "yes"],
    ["deny", "Fetch(/etc/**)", tool("Fetch", { path: "file://localhost/etc/p%61sswd" }), "yes"],
    ["deny", "Fetch(/etc/**)", tool("Fetch", { path: "../../../etc/passwd" }), "yes"],
    ["deny", "Fetch(.env)", tool("Fetch", { path: "/home/me/repo/.env" }), "yes"],
    ["allow", "Fetch(src/**)", tool("Fetch", { path: "/home/me/repo/src/a" }), "yes"],
    ["deny", "Fetch(~/.ssh/**)", tool("Fetch", { path: "~/.ssh/id" }), "yes"],
    ["allow", "Fetch(src/**)", tool("Fetch", { path: "link/x" }), "no", LINKED],
    ["deny", "Fetch(/etc/**)", tool("Fetch", { path: "link/x" }), "yes", LINKED],
    ["allow", "Fetch(src/**)", tool("Fetch", { paths: ["src/a", "lib/b"] }), "no"],
    ["allow", "Fetch(src/**)", tool("Fetch", { paths: ["src/a", "src/b"] }), "yes"],
    ["deny", "Fetch(src/**)", tool("Fetch", { paths: ["src/a", "lib/b"] }), "yes"],
    ["allow", "Fetch(**)", tool("Fetch", { path: "a\0b" }), "no"],
    ["allow", "Fetch(domain:github.com)", tool("Fetch", { url: "https://evil.com\\@github.com/x" }), "no"],
    ["deny", "Fetch(domain:evil.com)", tool("Fetch", { url: "https://evil.com\\@github.com/x" }), "yes"],
    ["deny", "Fetch(domain:github.com)", tool("Fetch", { url: "https://evil.com\\@github.com/x" }), "yes"],
  ],
  "A18 scopes of tools": [
    ["allow", "Fetch(domain:github.com)", tool("Fetch", { url: "https://api.github.com/x" }), "yes"],
    ["allow", "Fetch(domain:github.com)", tool("Fetch", { url: "https://GitHub.com./x" }), "yes"],
    ["allow", "Fetch(domain:github.com)", tool("Fetch", { url: "https://notgithub.com" }), "no"],
    ["allow", "Fetch(domain:github.com)", tool("Fetch", { url: "nonsense" }), "no"],
    ["allow", "Fetch(domain:github.com)", tool("Fetch", { prompt: "https://github.com" }), "no"],
    ["allow", "Fetch(domain:bücher.example)", tool("Fetch", { url: "https://xn--bcher-kva.example/" }), "yes"],
    ["allow", "Edit(src/*)", "edit src/a.py", "yes"],
    ["allow", "Edit(src/*)", "edit src/a/b.py", "no"],
    ["allow", "Edit(src/*)", tool("Edit", { file_path: "src/a.py" }), "yes"],
    ["allow", "Edit(src/*)", tool("Edit", { old_string: "src/a.py" }), "no"],
    ["allow", "Read(/repo/src/**)", tool("Read", { path: "/repo/src/../secrets/t" }), "no"],
    ["allow", "mcp__fs__*(src/**)", tool("mcp__fs__read", { path: "src/a" }), "yes"],
    ["allow", "Query(*)", tool("Query"), "yes"],
    ["allow", "Query()", tool("Query"), "yes"],
    ["allow", "Query(sql:select *)", tool("Query", { sql: "select 1" }), "yes"],
    ["allow", "Query(sql:select *)", tool("Query", { sql: ["select 1", "drop x"] }), "no"],
    ["deny", "Query(sql:drop *)", tool("Query", { sql: ["select 1", "drop x"] }), "yes"],
    ["allow", "Query(sql:*)", tool("Query"), "no"],
  ],
  "A17 tools by name": [
    ["allow", "WebSearch", tool("WebSearch"), "yes"],
    ["allow", "WebSearch", tool("WebSearchX"), "no"],
    ["allow", "mcp__memory__*", tool("mcp__memory__read"), "yes"],
    ["allow", "mcp__memory__*", tool("mcp__other__read"), "no"],
    ["allow", "*", tool("Anything"), "yes"],
    ["allow", "*", exec("ls"), "no"],
    ["allow", "*", "read src/a", "yes"],
    ["allow", "*", file("read src/a", { origin: { by: "shell" } }), "no"],
    ["allow", "Read", tool("Read", { file_path: "x" }), "yes"],
  ],
  "hosts and ports": [
    ["allow", "WebFetch(domain:nodejs.org)", net("nodejs.org", 443), "yes"],
    ["allow", "WebFetch(domain:nodejs.org)", net("docs.nodejs.org", 443), "yes"],
    ["allow", "WebFetch(domain:NodeJS.org.)", net("nodejs.org", 443), "yes"],
    ["allow", "WebFetch(host:nodejs.org)", net("nodejs.org", 443), "yes"],
    ["allow", "WebFetch(host:nodejs.org)", net("docs.nodejs.org", 443), "no"],
    ["allow", "WebFetch(host:nodejs.org)", tool("WebFetch", { url: "https://docs.nodejs.org/x" }), "no"],
    ["allow", "WebFetch(domain:nodejs.org)", net("evilnodejs.org", 443), "no"],
    ["allow", "WebFetch(domain:nodejs.org)", net("nodejs.org", 22, "connect"), "no"],
    ["deny", "WebFetch(domain:nodejs.org)", net("nodejs.org", 22, "connect"), "yes"],
    ["allow", "WebFetch", net("any.example"), "yes"],
    ["allow", "WebFetch(domain:nodejs.org)", tool("WebFetch", { url: "https://nodejs.org/x" }), "yes"],
    ["deny", "Net(evil.com)", net("evil.com", 80), "yes"],
    ["deny", "Net(evil.com)", net("a.evil.com", 80), "no"],
    ["deny", "Net(*.evil.com)", net("a.b.evil.com", 80), "yes"],
    ["deny", "Net(*.evil.com)", net("evil.com", 80), "no"],
    ["deny", "Net(*:25)", net("mail.example", 25, "connect"), "yes"],
    ["deny", "Net(:25)", net("mail.example", 26, "connect"), "no"],
    ["allow", "Net(localhost:3000)", net("localhost", 3000, "listen"), "yes"],
    ["allow", "Net(localhost:3000)", net("localhost", undefined, "connect"), "maybe"],
    ["allow", "Net([::1]:80)", net("[::1]", 80), "yes"],
    ["allow", "Net(::1)", net("[::1]", 80), "yes"],
    ["allow", "Net(0x7f.1)", net("127.0.0.1", 80), "yes"],
    ["deny", "Net(evil.com)", net(undefined), "maybe"],
    ["deny", "Net", net(undefined), "yes"],
  ],
};

for (const [title, rows] of Object.entries(TABLES))
  describe(`${title}`, () => {
    for (const [effect, rule, action, expected, where] of rows)
      it(`${effect} ${rule} on ${typeof action === "string" ? action : JSON.stringify(action)}: ${expected}`, () => {
        expect(answer(effect, rule, typeof action === "string" ? file(action) : action, where)).toBe(expected);
      });
  });

const allow = (rule: string, action: Action, where = world()) =>
  matchRule(ruleOf("allow", rule, { layer: "project", root: "/home/me/repo" }), action, { world: where });

describe("an allow rule of a project's own file", () => {
  it("reaches no further than the project", () => {
    expect(allow("Read(**)", file("read src/a"))).toBe("yes");
    expect(allow("Read(**)", file("read /etc/passwd"))).toBe("no");
    expect(allow("Read(**)", file("read link/passwd"), LINKED)).toBe("no");
    expect(allow("Read", file("read src/**"))).toBe("yes");
    expect(allow("Read", file("read /**"))).toBe("no");
    expect(allow("Read", file("read src/*.ts"))).toBe("yes");
    expect(allow("Read", file("read ?"))).toBe("no");
  });

  it("holds for commands only while the cwd is inside", () => {
    expect(allow("Bash(make:*)", exec("make"))).toBe("yes");
    expect(allow("Bash(make:*)", exec("make"), world({ cwd: "/srv" }))).toBe("no");
  });

  it("holds for tools only when all their paths are inside", () => {
    expect(allow("mcp__x__*", tool("mcp__x__read", { path: "src/a" }))).toBe("yes");
    expect(allow("mcp__x__*", tool("mcp__x__read", { path: "/etc/passwd" }))).toBe("no");
  });

  it("does not weaken a deny rule of the same file", () => {
    const deny = ruleOf("deny", "Read(/etc/**)", { layer: "project", root: "/home/me/repo" });
    expect(matchRule(deny, file("read /etc/passwd"), { world: world({ cwd: "/srv" }) })).toBe("yes");
  });
});
