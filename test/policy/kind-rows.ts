import type { Action, Call, RemoteAction } from "@assent/core/action";
import type { Matcher } from "@assent/core/policy/kinds";
import type { Refusal } from "../../packages/core/src/policy/kinds/reading.ts";
import { exec, file, net, tool } from "./language.ts";

/** One rule, and what every part of its kind says of it. A text among actions is a command line. */
export interface KindRow {
  /** As written; what stands in an `operations` block is given as it is read. */
  readonly rule: string | { readonly tool: string } | Matcher;
  /** Matched by an allow rule, and so by a deny rule. */
  readonly allow: readonly (string | Action)[];
  /** Matched by a deny rule only: a spelling that an allow rule does not mean. */
  readonly deny?: readonly (string | Action)[];
  /** Not matched, whatever the effect. */
  readonly not: readonly (string | Action)[];
  /** Rules of which it speaks of all they speak of, as an allow rule and theirs. */
  readonly covers?: readonly (string | Matcher)[];
  readonly coversNot?: readonly (string | Matcher)[];
  /** Its sample commands; none where it names no program. */
  readonly samples?: readonly string[];
  /** It says something in particular. */
  readonly literal: boolean;
  /** It limits nothing of its kind. */
  readonly everything?: true;
  /** The words after which it leaves open what follows. */
  readonly prefixes?: readonly string[];
  readonly programs?: readonly string[];
  /** What other programs are told of it when it denies, or why nothing. */
  readonly refusals: string | readonly Refusal[];
  /** An example of it, and what is none. */
  readonly example?: readonly [string, string];
}

const option = (command: string, ...hasOption: readonly string[]) => ({ tool: "Bash", command, when: { hasOption } });
const line = (pattern: string): Matcher => ({ kind: "command", pattern });
export const call = (name: Call["name"], ...args: Call["args"]): Action => ({
  kind: "system",
  area: "call",
  origin: { by: "tool" },
  call: { name, args },
});
const remote = (operation: RemoteAction["operation"], service: string): Action => ({
  kind: "remote",
  service,
  operation,
  origin: { by: "tool" },
});

/** An option right behind the words, or further on. */
const optionBehind = (words: string, name: string): readonly Refusal[] => [
  { is: "words", words: [...words.split(" "), name], exact: false },
  { is: "text", glob: `${words} * ${name}` },
  { is: "text", glob: `${words} * ${name} *` },
];

/** A kind without rows does not compile. */
export const KIND_ROWS: Readonly<Record<Matcher["kind"], readonly KindRow[]>> = {
  bash: [
    {
      rule: "Bash(git push:*)",
      allow: ["git push", "git push -f origin", "/usr/bin/git push"],
      deny: ["git -C /tmp push", "./git push", "GIT push"],
      not: ["git status", "hg push", file("read src/a.ts"), net("github.com")],
      covers: ["Bash(git push)", "Bash(git push origin:*)", "Bash(git push *)"],
      coversNot: ["Bash(git:*)", "Bash(git * :*)", "Shell(git push ...)", "Read"],
      samples: ["git push", "git push zqx1"],
      literal: true,
      prefixes: ["git push"],
      programs: ["git"],
      refusals: [{ is: "words", words: ["git", "push"], exact: false }],
      example: ["git push", "git status"],
    },
    {
      rule: "Bash(rm -rf *)",
      allow: ["rm -rf src"],
      deny: ["rm -fr src", "rm src -rf"],
      not: ["rm src", "ls -rf src"],
      covers: ["Bash(rm -rf src)"],
      coversNot: ["Bash(rm -rf:*)"],
      samples: ["rm -rf zqx1"],
      literal: true,
      prefixes: ["rm -rf"],
      programs: ["rm"],
      refusals: "exactly one word",
    },
    {
      rule: "Bash",
      allow: ["ls", "./run", "a b c"],
      not: [file("read a"), tool("Task")],
      covers: ["Bash(git:*)", "Shell(git ...)", line("git diff*")],
      coversNot: ["Read", "WebFetch", "*"],
      literal: false,
      everything: true,
      refusals: [{ is: "shell" }],
    },
  ],
  shell: [
    {
      rule: "Shell({git,hg} push --force ...)",
      allow: ["git push --force", "git push -f origin", "hg push --force"],
      deny: ["./git push -f"],
      not: ["git push", "git status --force", file("edit a")],
      covers: ["Shell(git push --force origin)"],
      coversNot: ["Shell(git push ...)", "Bash(git push:*)"],
      samples: ["git push --force", "git push --force zqx1", "hg push --force", "hg push --force zqx1"],
      literal: true,
      prefixes: ["git push", "hg push"],
      programs: ["git", "hg"],
      refusals: [...optionBehind("git push", "--force"), ...optionBehind("hg push", "--force")],
      example: ["hg push --force", "hg push"],
    },
    {
      rule: "Shell(git status !-*)",
      allow: ["git status", "git status src"],
      not: ["git status -s", "git push"],
      coversNot: ["Shell(git status)", "Bash(git status)"],
      samples: ["git status", "git status zqx1"],
      literal: true,
      prefixes: ["git status"],
      programs: ["git"],
      refusals: "gaps, and what must not be there",
    },
    {
      rule: "Shell(* --version)",
      allow: ["git --version"],
      deny: ["./git --version"],
      not: ["git version"],
      literal: false,
      refusals: "wildcards in a word",
    },
  ],
  option: [
    {
      rule: option("sed", "-i", "-E"),
      allow: ["sed -i s/a/b/ f", "sed -ni p f", "sed -E p"],
      deny: ["./sed -i p"],
      not: ["sed -n p f", "sed -e -i", "rm -i f", file("edit f")],
      coversNot: ["Bash(sed -i:*)", "Bash"],
      samples: ["sed -i zqx1", "sed -E zqx1"],
      literal: true,
      programs: ["sed"],
      refusals: [...optionBehind("sed", "-i"), ...optionBehind("sed", "-E")],
    },
  ],
  command: [
    {
      rule: line("git diff*"),
      allow: ["git diff", "git diff --stat", "git difftool"],
      deny: ["./git diff"],
      not: ["git status", "gitk diff", file("read a")],
      covers: [line("git diff --stat"), line("git diff*")],
      coversNot: [line("git *"), "Bash(git diff:*)"],
      samples: ["git diff zqx1", "git diffzqx1"],
      literal: true,
      prefixes: ["git diff"],
      refusals: [{ is: "text", glob: "git diff*" }],
    },
    {
      rule: line("*"),
      allow: ["ls", "./run a"],
      not: [file("read a")],
      covers: [line("ls")],
      coversNot: ["Bash"],
      literal: false,
      everything: true,
      refusals: [{ is: "shell" }],
    },
  ],
  path: [
    {
      rule: "Edit(src/**)",
      allow: [file("edit src/a.ts"), file("write src/b/c"), tool("Edit", { file_path: "/home/me/repo/src/a" })],
      deny: [tool("Edit", { file_path: "/etc/x", path: "src/a" })],
      not: [file("edit lib/a"), file("read src/a.ts"), file("delete src/a.ts"), "rm src/a.ts", tool("Read", { file_path: "src/a" })],
      covers: ["Edit(src/a.ts)", "Edit(src/*.ts)"],
      coversNot: ["Edit(**)", "Read(src/a.ts)", "Write(src/a.ts)"],
      literal: true,
      refusals: [{ is: "path", access: "edit", anchor: "project", pattern: "src/**" }],
      example: ["src/a.ts", "lib/a.ts"],
    },
    {
      rule: "Read",
      allow: [file("read /etc/passwd"), tool("Read")],
      not: [file("edit a"), "cat a"],
      covers: ["Read(src/**)"],
      literal: false,
      refusals: [{ is: "path", access: "read", anchor: "anywhere", pattern: "**" }],
    },
    {
      rule: "Exec(/opt/tools/*)",
      allow: [exec("/opt/tools/a x", { resolved: "/opt/tools/a" })],
      not: [exec("ls", { resolved: "/usr/bin/ls" }), file("read /opt/tools/a")],
      literal: true,
      refusals: "hosts know reading and editing only",
    },
  ],
  net: [
    {
      rule: "WebFetch(domain:nodejs.org)",
      allow: [net("nodejs.org", 443), net("docs.nodejs.org"), tool("WebFetch", { url: "https://nodejs.org/api" })],
      deny: [net("nodejs.org", 443, "connect")],
      not: [net("example.org"), net("notnodejs.org"), tool("WebFetch", { url: "https://example.org" }), "curl nodejs.org"],
      covers: ["WebFetch(domain:docs.nodejs.org)", "WebFetch(host:nodejs.org)"],
      coversNot: ["WebFetch", "Net(nodejs.org)"],
      literal: true,
      refusals: [{ is: "fetch", host: "nodejs.org", below: true, itself: true }],
      example: ["https://nodejs.org/api", "example.org:443"],
    },
    {
      rule: "Net(*.example.com:443)",
      allow: [net("a.example.com", 443, "connect"), net("a.b.example.com", 443)],
      not: [net("example.com", 443), net("a.example.com", 80)],
      covers: ["Net(b.example.com:443)"],
      coversNot: ["Net(b.example.com)", "Net(example.com:443)"],
      literal: true,
      refusals: "hosts know no ports",
    },
    {
      rule: "Net(localhost:5432)",
      allow: [net("localhost", 5432, "connect"), net("127.0.0.1", 5432, "connect"), net("::1", 5432)],
      not: [net("localhost", 5433), net("127.0.0.2", 5432), net("localhost.example.com", 5432)],
      coversNot: ["Net(localhost)", "Net(127.0.0.1)"],
      literal: true,
      refusals: "hosts know no ports",
    },
    {
      rule: "Net(127.0.0.1:5432)",
      allow: [net("127.0.0.1", 5432, "connect")],
      deny: [net("localhost", 5432), net("::1", 5432)],
      not: [net("127.0.0.1", 5433), net("127.0.0.2", 5432)],
      literal: true,
      refusals: "hosts know no ports",
    },
    {
      rule: "Net(*:22)",
      allow: [net("a.example.com", 22)],
      not: [net("a.example.com", 23)],
      covers: ["Net(a:22)"],
      literal: false,
      refusals: "hosts know no ports",
    },
  ],
  tool: [
    {
      rule: "mcp__files__*",
      allow: [tool("mcp__files__read")],
      not: [tool("mcp__web__get"), tool("Read"), file("read a"), "mcp__files__read"],
      covers: ["mcp__files__read", "mcp__files__re*"],
      coversNot: ["mcp__*", "*", "Read"],
      literal: true,
      refusals: [{ is: "mcp", server: "files", tool: "*" }],
      example: ["mcp__files__read", "mcp__web__get"],
    },
    {
      rule: "Task(prompt:fix *)",
      allow: [tool("Task", { prompt: "fix it" })],
      not: [tool("Task", { prompt: "look" }), tool("Task"), tool("Other", { prompt: "fix it" })],
      coversNot: ["Task"],
      literal: true,
      refusals: "a condition on a tool's input",
    },
    {
      rule: "*",
      allow: [tool("Task"), file("read a"), net("example.com"), remote("read", "git")],
      not: ["ls", file("read a", { origin: { by: "shell" } })],
      covers: ["mcp__a", "Task(prompt:x)"],
      coversNot: ["Bash"],
      literal: false,
      everything: true,
      refusals: "a tool by its name: hosts name theirs differently",
    },
  ],
  call: [
    {
      rule: "open(/home/me/repo/**, _)",
      allow: [call("open", "/home/me/repo/a", "write")],
      not: [call("open", "/etc/passwd", "read"), call("delete", "/home/me/repo/a"), file("write a"), "ls"],
      covers: ["open(/home/me/repo/**, write)"],
      coversNot: ["open(_, _)", "delete(/home/me/repo/a)", "Write(/home/me/repo/**)"],
      literal: true,
      refusals: "no host sees system calls",
      example: ["open(/home/me/repo/a, write)", "delete(/home/me/repo/a)"],
    },
    {
      rule: "exec(_, [git, push, ...])",
      allow: [call("exec", "/usr/bin/git", ["git", "push", "-f"])],
      not: [call("exec", "/usr/bin/git", ["git", "status"]), "git push"],
      coversNot: ["exec(_, [git, ...])", "Bash(git push:*)"],
      samples: ["git push", "git push zqx1"],
      literal: true,
      programs: ["git"],
      refusals: "no host sees system calls",
    },
  ],
};
