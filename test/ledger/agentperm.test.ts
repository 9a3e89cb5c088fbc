import { beforeEach, describe, expect, it } from "vitest";
import { assent } from "../scratch.ts";
import { type Asked, type Expected, place, type PolicyText, shown, verdicts } from "./place.ts";

/**
 * Every example of agentperm's features A1 to A36 and A50 holds, under `"preset": "none"`, which switches off all that
 * agentperm did not know. Where Assent is deliberately better, the row says why.
 */

const here = place({ "~/other/a.txt": "" });
const quiet = place();

interface Row {
  readonly asked: Asked;
  readonly expected: Expected;
  readonly reason?: string | RegExp;
}

interface Feature {
  readonly number: string;
  readonly what: string;
  readonly allow?: readonly unknown[];
  readonly ask?: readonly unknown[];
  readonly deny?: readonly unknown[];
  /** What the writer of the rules is told; absent: nothing. */
  readonly warning?: RegExp;
  readonly rows: readonly Row[];
}

/** [request, verdict, reason?] */
const row = (asked: Asked, expected: Expected, reason?: string | RegExp): Row => ({
  asked,
  expected,
  ...(reason === undefined ? {} : { reason }),
});
const each = (expected: Expected, ...asked: readonly Asked[]): Row[] => asked.map((one) => row(one, expected));
const tool = (name: string, input: Readonly<Record<string, unknown>> = {}): Asked => ({ tool: name, input });
const fetch = (url: string, more: Readonly<Record<string, unknown>> = {}): Asked => tool("WebFetch", { url, ...more });
const read = (path: string): Asked => tool("Read", { file_path: path });
const edit = (path: string): Asked => tool("Edit", { file_path: path, old_string: "a", new_string: "b" });
const inProject = (path: string): string => `${here.project}/${path}`;

const FEATURES: readonly Feature[] = [
  {
    number: "A1",
    what: "four verdicts, each with a reason; deny is stricter than ask, ask than allow, allow than no opinion",
    allow: ["Bash(a)"],
    ask: ["Bash(b)"],
    deny: ["Bash(c)"],
    rows: [
      row("a", "allow", "the rule 'Bash(a)' allows this"),
      row("b", "ask", "the rule 'Bash(b)' asks about this"),
      row("c", "deny", "the rule 'Bash(c)' denies this"),
      row("d", "none", "no rule matches 'd'"),
      row("a; b", "ask", "the rule 'Bash(b)' asks about this"),
      row("a; c; b", "deny", "the rule 'Bash(c)' denies this"),
      row("b; c", "deny"),
      row("d; b", "ask"),
    ],
  },
  {
    number: "A2",
    what: "a shell request is its commands, a tool request its name and its flattened fields",
    allow: ["Bash(a)", "Lookup", "Query(table:users)"],
    rows: [
      ...each("allow", "a", tool("Lookup", { anything: 1 }), tool("Query", { table: "users" })),
      ...each("none", tool("a"), tool("Other"), tool("Query", { table: "secrets" }), "Lookup"),
    ],
  },
  {
    number: "A3",
    what: "deny, then ask, then allow; the position in a list only shows in the reason",
    allow: ["Bash(git:*)"],
    ask: ["Bash(git commit:*)", "Bash(git push:*)"],
    deny: ["Bash(git push --force:*)"],
    rows: [
      row("git log", "allow", "the rule 'Bash(git:*)' allows this"),
      row("git commit -m x", "ask", "the rule 'Bash(git commit:*)' asks about this"),
      row("git push origin", "ask", "the rule 'Bash(git push:*)' asks about this"),
      row("git push --force", "deny", "the rule 'Bash(git push --force:*)' denies this"),
    ],
  },
  {
    number: "A4",
    what: "a segment is as strict as the stricter of its redirect and its words",
    allow: ["Bash(ls:*)"],
    ask: ["Bash(who:*)"],
    deny: ["Bash(rm:*)"],
    rows: [row("ls > out", "ask", "writes to 'out'"), row("who > out", "ask"), row("rm x > out", "deny"), row("ls < a.txt", "allow")],
  },
  {
    number: "A5",
    what: "the strictest segment wins; an allowed line with an unknown segment is asked",
    allow: ["Bash(cat:*)", "Bash(head:*)"],
    deny: ["Bash(rm -rf:*)"],
    rows: [
      row("cat f 2>&1 | head -60", "allow"),
      row("cat f | weird", "ask", /^a part of the command matches no rule: no rule matches 'weird'/),
      row("rm -rf /tmp; cat f", "deny"),
      row("weird | strange", "none"),
      ...each("none", "", "   ", "\n\n"),
    ],
  },
  {
    number: "A6",
    what: "inside one command: predicate, rule, lookup, opaque wrapper, dynamic name, inert builtin, nothing",
    allow: ["Bash(timeout 5 ls)"],
    deny: ["Bash([:*)", "Bash(echo secret:*)"],
    rows: [
      // Before any rule: `[` cannot be denied by name.
      row("[ -f a.txt ]", "allow", "a test, which changes nothing"),
      row("echo secret", "deny", "the rule 'Bash(echo secret:*)' denies this"),
      row("command -v git", "allow", "it only looks up where a command is"),
      row("command -V git", "allow", "it only looks up where a command is"),
      row("sudo ls", "ask", "'sudo' starts another command in a way that Assent cannot follow"),
      row("$TOOL a", "ask"),
      row("true", "allow", "a part of the shell that changes nothing"),
      row("weird", "none", "no rule matches 'weird'"),
    ],
  },
  {
    number: "A7",
    what: "reasons in agentperm's words",
    allow: ["Bash(ls:*)", "Bash(git status)"],
    deny: [{ tool: "Bash", command: "sed", when: { hasOption: "-i" }, reason: "use the edit tool" }],
    rows: [
      row("git   status", "allow", "the rule 'Bash(git status)' allows this"),
      row("sed -i s/a/b/ f", "deny", "use the edit tool"),
      row("weird", "none", "no rule matches 'weird'"),
      row("ls > out.txt", "ask", "writes to 'out.txt'"),
      row("xargs ls", "ask", "'xargs' starts another command in a way that Assent cannot follow"),
      row("$TOOL x", "ask", /^dynamic command name/),
      row("[[ -f a ]]", "allow", "a test, which changes nothing"),
      row("echo a", "allow", "a part of the shell that changes nothing"),
      row("command -v ls", "allow", "it only looks up where a command is"),
      // Better: the place is named, where agentperm only said that there is an error.
      row("ls; (", "ask", /\S/),
    ],
  },
  {
    number: "A12",
    what: "`Bash(tokens:*)` starts with the tokens",
    allow: ["Bash(git status:*)"],
    rows: [
      ...each("allow", "git status", "git status --short", "git status src a"),
      ...each("none", "git", "git log", "git statuses", "git -C x status"),
    ],
  },
  {
    number: "A13",
    what: "`Bash(tokens)` is exactly the tokens",
    allow: ["Bash(git status)"],
    rows: [row("git status", "allow"), ...each("none", "git status -s", "git", "git status .")],
  },
  {
    number: "A14",
    what: "`*` is one argument, `**` any number",
    allow: ["Bash(pnpm ** build:*)", "Bash(yarn --dir * build:*)", "Bash(go * x ** y)"],
    rows: [
      ...each("allow", "pnpm build", "pnpm --dir x build --watch", "pnpm a b c build"),
      ...each("none", "pnpm test", "pnpm"),
      ...each("allow", "yarn --dir x build", "yarn --dir x build --watch"),
      ...each("none", "yarn --dir=x build", "yarn --dir build", "yarn --dir x y build"),
      ...each("allow", "go a x y", "go a x b c y"),
      ...each("none", "go x y", "go a x b"),
    ],
  },
  {
    number: "A14",
    what: "a token such as `--dir=*` is literal text, and its writer is told so",
    allow: ["Bash(bun --dir=* build)"],
    warning: /a `\*` inside a word of `Bash\(\.\.\.\)` is that character/,
    rows: [row("bun '--dir=*' build", "allow"), row("bun --dir=x build", "none")],
  },
  {
    number: "A15",
    what: "the first word is compared by its base name where the rule's is literal, the others verbatim",
    allow: ["Bash(ls:*)", "Bash(* --version)", "Bash(cat /etc/hosts)"],
    rows: [
      ...each("allow", "ls", "/usr/bin/ls", "/bin/ls -l"),
      ...each("allow", "node --version", "weird --version"),
      row("cat /etc/hosts", "allow"),
      row("cat /etc/../etc/hosts", "none"),
    ],
  },
  {
    number: "A16",
    what: "a rule about options",
    ask: [
      { tool: "Bash", command: ["sed", "perl"], when: { hasOption: ["-i", "--in-place"] }, reason: "changes files in place" },
      { tool: "Bash", command: "grep", when: { hasOption: "-i" } },
    ],
    allow: ["Bash(sed:*)", "Bash(perl:*)", "Bash(grep:*)"],
    rows: [
      row("sed -i s/a/b/ f", "ask", "changes files in place"),
      ...each("ask", "sed --in-place=.bak s/a/b/ f", "sed --in-place s/a/b/ f", "perl -i -pe s/a/b/ f", "/usr/bin/sed -i s/a/b/ f"),
      // `-i` in a cluster of short options.
      ...each("ask", "grep -iE x f", "grep -ni x f", "sed -ni p f"),
      ...each("allow", "sed s/a/b/ f", "grep x f"),
      // Better (AW8): it is the same option.
      row("grep --ignore-case x f", "ask"),
    ],
  },
  {
    number: "A17",
    what: "a rule that names a tool: exact, a prefix, or all; never a command",
    allow: ["Lookup", "mcp__memory__*"],
    rows: [
      ...each("allow", tool("Lookup"), tool("mcp__memory__read"), tool("mcp__memory__")),
      ...each("none", tool("Lookups"), tool("lookup"), tool("mcp__other__read"), tool("mcp__memory"), "Lookup", "mcp__memory__read"),
    ],
  },
  {
    number: "A17",
    what: "`*` is every tool, and no command",
    allow: ["*"],
    rows: [...each("allow", tool("Lookup"), tool("mcp__x__y"), read("a.txt"), fetch("https://a.dev")), ...each("none", "weird")],
  },
  {
    number: "A18",
    what: "a domain, on fields that hold an address, and nothing else",
    allow: ["WebFetch(domain:github.com)", "Browse(domain:github.com)"],
    rows: [
      ...each(
        "allow",
        fetch("https://api.github.com/x"),
        fetch("https://github.com"),
        fetch("HTTPS://GitHub.COM./x"),
        tool("Browse", { uri: "https://github.com/a" }),
        tool("Browse", { href: "https://raw.github.com/a" }),
      ),
      ...each(
        "none",
        fetch("https://notgithub.com"),
        fetch("https://github.com.evil.example"),
        fetch("https://evil.example/github.com"),
        fetch("https://evil.example", { prompt: "https://github.com" }),
        tool("Browse", { prompt: "https://github.com" }),
        tool("Browse", { url: "not a url" }),
      ),
    ],
  },
  {
    number: "A18",
    what: "a path pattern, on fields that hold a path, and nothing else",
    allow: ["Edit(src/*)", "Read(/repo/src/**)", "Convert(docs/**)", "Note", "Any(*)", "Every()"],
    rows: [
      ...each("allow", edit("src/a.py"), edit(inProject("src/a.py")), edit("./src/x/../a.py")),
      ...each("none", edit("src/a/b.py"), edit("lib/a.py"), edit("src/../a.py")),
      ...each("allow", read("/repo/src/a"), read("/repo/src/a/b"), read("/repo/src/./a")),
      ...each("none", read("/repo/src/../secrets/t"), read("/repo/srcs/t")),
      ...each("allow", tool("Convert", { path: "docs/a.md" }), tool("Convert", { paths: ["docs/a.md", "docs/b.md"] })),
      ...each("none", tool("Convert", { old_string: "docs/a.md" }), tool("Convert", { path: "src/a.md", old_string: "docs/a.md" })),
      // `Name(*)` and `Name()` are `Name`.
      ...each("allow", tool("Any", { path: "/etc/passwd" }), tool("Every"), tool("Note", { x: 1 })),
    ],
  },
  {
    number: "A19",
    what: "nested input is flattened, breadth first; items of a list keep their field",
    deny: ["Send(domain:evil.example)", "Send(to:root)", "Copy(/etc/**)"],
    allow: ["Send", "Copy"],
    rows: [
      ...each(
        "deny",
        tool("Send", { request: { url: "https://evil.example/x" } }),
        tool("Send", { requests: [{ url: "https://a.dev" }, { url: "https://evil.example/x" }] }),
        tool("Send", { a: { b: { c: { to: "root" } } } }),
        tool("Send", { to: ["me", "root"] }),
        tool("Copy", { files: [{ path: "/etc/passwd" }] }),
      ),
      ...each("allow", tool("Send", { request: { url: "https://a.dev" } }), tool("Send", { subject: "root" }), tool("Copy", { path: "a" })),
      // Shallow fields come first, whatever is piled up behind them.
      row(tool("Send", { junk: Array.from({ length: 5000 }, (_, i) => ({ i })), to: "root" }), "deny"),
    ],
  },
  {
    number: "A20",
    what: "`Shell(...)`: `Shell(rm -r -f)` matches whatever the spelling, and what follows",
    deny: ["Shell(rm -r -f)"],
    allow: ["Bash(rm:*)"],
    rows: [
      ...each("deny", "rm -fr x", "rm -rf x", "rm -r -f x", "rm x -rf", "rm --recursive --force x", "rm -vrf x", "rm -R -f x"),
      ...each("allow", "rm -r x", "rm -f x", "rm -- -rf"),
    ],
  },
  {
    number: "A20",
    what: "`Shell(...)`: sets, negated sets, permitted and closed flags, nothing else",
    deny: ["Shell(git push {--force,-f})"],
    allow: ["Shell(sed !{-i,--in-place})", "Shell(git stash ?-p !-*)", "Shell(git fetch !...)", "Shell(git push)"],
    rows: [
      ...each("deny", "git push --force", "git push origin main -f", "git push -fu origin main"),
      ...each("allow", "git push", "git push origin main"),
      ...each("allow", "sed s/a/b/ f", "sed -n p f", "sed -- p -i"),
      ...each("none", "sed -i s/a/b/ f", "sed -ni p f", "sed --in-place=.bak p f"),
      ...each("allow", "git stash", "git stash -p", "git stash list"),
      ...each("none", "git stash -u", "git stash --all"),
      ...each("allow", "git fetch"),
      ...each("none", "git fetch origin"),
    ],
  },
  {
    number: "A20",
    what: "`Shell(...)`: values, gaps, required and forbidden flags, `--`",
    allow: ["Shell(box run --network=none !--privileged alpine ... test)", "Shell(grep -- -f)", "Shell(kubectl get {pods,services})"],
    rows: [
      ...each("allow", "box run --network=none alpine a b test", "box run --network none alpine test"),
      ...each(
        "none",
        "box run alpine test",
        "box run --network=host alpine test",
        "box run --network=none --privileged alpine test",
        "box run --network=none alpine a",
      ),
      ...each("allow", "kubectl get pods", "kubectl get services -n dev"),
      ...each("none", "kubectl get secrets", "kubectl delete pods"),
    ],
  },
  {
    number: "A20",
    what: "`Shell(...)` against a program nobody knows: a word after an option may be its value",
    deny: ["Shell(box push)", "Shell(box run --net=host alpine)"],
    allow: ["Shell(box pull)"],
    rows: [
      ...each("deny", "box push", "box push -v origin", "box run --net=host alpine", "box run --net host alpine x"),
      row("box --context prod push", "ask"),
      row("box pull x", "allow"),
      // `prod` could be the subcommand.
      row("box --context prod pull", "none"),
    ],
  },
  {
    number: "A20",
    what: "`Shell(...)` where knowledge tells the subcommand but not its options: nothing is taken for missing",
    allow: ["Shell(docker run !--privileged)", "Shell(docker pull)", "Shell(docker build --network=none)"],
    deny: ["Shell(docker rm --force)", "Shell(docker network create --driver=host)"],
    rows: [
      ...each(
        "none",
        "docker run --privileged alpine",
        "docker run --privileged=true alpine",
        "docker --context prod run --privileged alpine",
      ),
      ...each("allow", "docker pull alpine", "docker build --network=none ."),
      ...each("none", "docker build .", "docker build --network=host ."),
      ...each("deny", "docker rm --force x", "docker --context prod rm --force x", "docker network create --driver=host x"),
      row("docker network create --driver host x", ["deny", "ask"]),
    ],
  },
  {
    number: "A21",
    what: "everything that separates commands makes a segment of its own",
    allow: ["Bash(a)"],
    deny: ["Bash(b)"],
    rows: [
      ...each("deny", "a | b", "a; b", "a && b", "a || b", "a & b", "a\nb", "a |& b", "a;b;a", "a &\nb"),
      ...each("allow", "a | a", "a; a", "a && a || a", "a & a", "a\na\n"),
      ...each("ask", "a | c", "a\nc"),
    ],
  },
  {
    number: "A21",
    what: "`ls⏎rm -rf /` is two commands",
    allow: ["Bash(ls:*)"],
    deny: ["Bash(rm -rf:*)"],
    rows: [row("ls\nrm -rf /", "deny")],
  },
  {
    number: "A22",
    what: "control flow is transparent; loop variables and case patterns are no commands",
    allow: ["Bash(a)"],
    deny: ["Bash(b)"],
    rows: [
      ...each(
        "deny",
        "if b; then a; fi",
        "if a; then b; fi",
        "if a; then a; elif b; then a; fi",
        "if a; then a; else b; fi",
        "for x in 1 2; do b; done",
        "select x in 1 2; do b; done",
        "while a; do b; done",
        "until b; do a; done",
        "case x in y) b ;; esac",
        "{ a; b; }",
        "(a; b)",
        "! b",
        "f() { b; }; f",
        // Policed at its definition, called or not.
        "f() { b; }; a",
        "function f { b; }",
      ),
      ...each(
        "allow",
        "if a; then a; else a; fi",
        "for b in b b; do a; done",
        "select b in 1; do a; done",
        "while a; do a; done",
        "until a; do a; done",
        "case b in b) a ;; *) a ;; esac",
        "{ a; a; }",
        "( a )",
        "! a",
        "f() { a; }; f",
      ),
    ],
  },
  {
    number: "A23",
    what: "`[`, `[[` and `((` are always allowed, before any rule",
    deny: ["Bash([:*)", "Bash([[:*)", "Bash(((:*)"],
    rows: each("allow", "[ -f a ]", "[[ -f a && -d b ]]", "(( 1 + 2 ))", "[ a = b ]", "[[ a == b* ]]"),
  },
  {
    number: "A24",
    what: "`export` and its like are commands named by their keyword",
    allow: ["Bash(export:*)", "Bash(a)"],
    deny: ["Bash(readonly:*)", "Bash(typeset:*)"],
    rows: [
      row("export A=1", "allow"),
      row("export A=1; a", "allow"),
      // Better: `declare` is `typeset` by another name.
      ...each("deny", "readonly A=1", "typeset A=1", "declare A=1", "f() { readonly A=1; }"),
      ...each("none", "local A=1"),
    ],
  },
  {
    number: "A25",
    what: "assignments in front of a command are dropped from its words",
    allow: ["Bash(a:*)"],
    deny: ["Bash(b:*)"],
    rows: [
      ...each("allow", "X=1 a", "X=1 Y=2 a b"),
      row("X=1 b", "deny"),
      // Better (AW10): an assignment runs nothing, so it interrupts nobody.
      row("X=1", ["none", "allow"]),
      row("X=1; a", "allow"),
      // Its value does run.
      row("X=$(b)", "deny"),
    ],
  },
  {
    number: "A26",
    what: "quotes are removed; what a variable holds is not known",
    allow: ["Bash(git status)", "Bash(a:*)"],
    deny: ["Bash(rm -rf:*)"],
    rows: [
      ...each("allow", "git 'status'", 'git "status"', "git $'status'", 'a "$X" $Y $((1 + 2))'),
      ...each("deny", "rm '-rf' x", 'rm "-rf" x'),
      // Better: escapes of $'…' are decoded, a variable may be any word.
      row("rm $'\\x2drf' x", "deny"),
      row("rm $X x", ["ask", "deny"]),
      row("git $X", ["ask", "none"]),
    ],
  },
  {
    number: "A27",
    what: "what is substituted anywhere is a command of its own",
    allow: ["Bash(a:*)", "Bash(cat:*)", "Bash(rm:*)", "Bash(export:*)"],
    deny: ["Bash(b:*)"],
    rows: [
      row("rm $(cat list)", "allow"),
      row("rm $(weird)", "ask"),
      ...each(
        "deny",
        "a $(b)",
        "a `b`",
        'a "$(b)"',
        "a <(b)",
        "a >(b)",
        "X=$(b) a",
        "X=$(b)",
        "[[ -n $(b) ]]",
        "(( $(b) ))",
        "case $(b) in x) a ;; esac",
        "for x in $(b); do a; done",
        "export X=$(b)",
        "cat <<EOF\n$(b)\nEOF",
        "cat <<< $(b)",
        "a > $(b)",
        "a $(a $(a $(b)))",
      ),
      ...each("allow", "a $(a)", "cat <<'EOF'\n$(b)\nEOF", "a '$(b)'"),
    ],
  },
  {
    number: "A28",
    what: "heredocs and herestrings are input",
    allow: ["Bash(cat:*)"],
    rows: each("allow", "cat <<EOF\nx > y\nEOF", "cat <<< 'x > y'", "cat <<-EOF\n\tx\n\tEOF"),
  },
  {
    number: "A29",
    what: "a redirect after a list binds to the last command; words behind its target are arguments",
    allow: ["Bash(wc -l a b)", "Bash(a)"],
    deny: ["Bash(b x)"],
    rows: [
      row("wc -l a 2>/dev/null b", "allow"),
      row("wc -l a 2>/dev/null c", "none"),
      row("a; b 2>/dev/null x", "deny"),
      row("a && a > out", "ask", "writes to 'out'"),
      row("b >out x", "deny"),
    ],
  },
  {
    number: "A30",
    what: "`-c` of a shell is unwrapped",
    allow: ["Bash(a:*)"],
    deny: ["Bash(b:*)"],
    rows: [
      ...each(
        "allow",
        "bash -c a",
        "sh -c 'a; a'",
        "zsh -c a",
        "bash -lc a",
        "zsh -xlc a",
        "bash -l -c a",
        "/bin/bash -c a",
        "bash -c 'a x' y",
      ),
      ...each(
        "deny",
        "bash -c b",
        "sh -c 'a; b'",
        "bash -lc b",
        "zsh -xlc b",
        "bash -l -c 'a && b'",
        "bash -c \"bash -c 'b'\"",
        "sh -ec b",
      ),
      // Better: agentperm asked about these; the inner command is judged.
      ...each("allow", "bash --norc -c a", "bash -O extglob -c a", "bash -o errexit -c a"),
      ...each("deny", "bash --norc -c b", "bash -O extglob -c b", "bash -co errexit b", "dash -c b", "bash -c -- b"),
      // Words behind the text are its positional parameters, wherever they stand.
      ...each("allow", "sh -c 'a' >/dev/null b", "sh -c a b"),
      row("sh -c '$1' x b", "deny"),
    ],
  },
  {
    number: "A31",
    what: "wrappers that run their words in place are transparent",
    allow: ["Bash(a:*)"],
    deny: ["Bash(b:*)"],
    rows: [
      ...each(
        "allow",
        "command a",
        "command -p a",
        "exec a",
        "exec -cl a",
        "nohup a",
        "setsid -fw a",
        "env a",
        "env -i X=1 a",
        "nice a",
        "time a",
        "command -- a",
        "nohup env X=1 nice a",
      ),
      ...each(
        "deny",
        "command b",
        "exec b",
        "exec -cl b",
        "nohup b",
        "setsid b",
        "env b",
        "env X=1 b",
        "nice b",
        "time b",
        "command -- b",
        "nohup env X=1 nice b",
        "time -p nohup b",
      ),
      // Better: zsh, which the host may run, starts a program named `-p` here.
      row("time -p a", "ask"),
      // Better: their other options are known, too.
      row("nice -n 5 a", "allow"),
      ...each("deny", "nice -n 5 b", "env -u X b", "exec -a x b", "setsid -c b"),
      ...each("ask", "nice --odd a", "env --odd a"),
    ],
  },
  {
    number: "A32",
    what: "opaque wrappers are asked unless a rule names them, and never hide what they run",
    allow: ["Bash(a:*)", "Bash(timeout:*)"],
    deny: ["Bash(b:*)"],
    rows: [
      ...each(
        "ask",
        "sudo a",
        "doas a",
        "su -c a",
        "runuser -u x -- a",
        "xargs a",
        "stdbuf -o0 a",
        "ionice a",
        "chrt 1 a",
        "setarch x86_64 a",
        "setpriv --no-new-privs a",
        "unshare a",
        "watch a",
        "parallel a",
        "flock /tmp/l a",
        "env",
        "nice",
      ),
      // A rule for the wrapper answers for the wrapper.
      row("timeout 5 a", "allow"),
      // Better: the wrapped command is seen.
      ...each("deny", "timeout 5 b", "sudo b", "xargs b", "stdbuf -o0 b", "watch b", "flock /tmp/l b", "flock /tmp/l -c b", "su -c b"),
    ],
  },
  {
    number: "A33",
    what: "literal `eval` is read again; a dynamic one is asked",
    allow: ["Bash(a:*)"],
    deny: ["Bash(b:*)"],
    rows: [
      ...each("allow", "eval a", "eval 'a; a'", "eval a x"),
      ...each("deny", "eval b", "eval 'a; b'", "eval a ';' b"),
      ...each("ask", 'eval "$x"', "$TOOL a", '"$TOOL" a', "${TOOL} a"),
    ],
  },
  {
    number: "A34",
    what: "inert builtins are allowed only where no rule speaks",
    ask: ["Bash(printf:*)"],
    deny: ["Bash(echo secret)"],
    rows: [
      ...each("allow", "true", "false", ":", "read x", "echo a", "echo a $X"),
      // Better: the variable may hold the denied word.
      row("echo $X", "ask"),
      row("printf a", "ask"),
      row("echo secret", "deny"),
    ],
  },
  {
    number: "A35",
    what: "what cannot be parsed is asked as a whole",
    allow: ["Bash(a:*)"],
    rows: each("ask", "a; (", 'a "', "a $(", "if a; then", "a | | a", "a &&", "for x in; a", "case x in"),
  },
  {
    number: "A36",
    what: "output redirects are asked, input and descriptors are not",
    allow: ["Bash(a:*)", "Bash(echo:*)"],
    deny: ["Bash(b:*)"],
    rows: [
      ...each("allow", "a 2>&1", "a >&2", "a 2>/dev/null", "a 2>>/dev/null", "a < f", "a 2>&-", "a 1>&2 2>/dev/null"),
      ...each("ask", "echo hi > out", "a >> out", "a &> out", "a >| out", "a &>> out", "a 2> err", "a <> f"),
      row("a > $(a)", "ask"),
      row("a > $(b)", "deny"),
      // No file: only the inner command.
      row("a > >(a)", "allow"),
      row("a > >(b)", "deny"),
      // Better (AW10): nothing is kept there.
      ...each("allow", "a > /dev/null", "a &> /dev/null"),
    ],
  },
];

describe.each(FEATURES.map((feature) => [`${feature.number}: ${feature.what}`, feature] as const))("%s", (_, feature) => {
  const { allow = [], ask = [], deny = [], warning, rows } = feature;
  beforeEach(() => here.user({ version: 1, preset: "none", permissions: { allow, ask, deny } }));

  it.each(rows.map((one) => [shown(one.asked), verdicts(one.expected).join(" or "), one] as const))("%s: %s", (_asked, _expected, one) => {
    const { asked, expected, reason } = one;
    const { verdict, warnings } = here.outcome(asked);
    if (warning === undefined) expect(warnings).toEqual([]);
    else expect(warnings.join("\n")).toMatch(warning);
    expect(verdicts(expected), verdict.reason).toContain(verdict.decision);
    expect(verdict.reason).not.toBe("");
    if (reason instanceof RegExp) expect(verdict.reason).toMatch(reason);
    else if (reason !== undefined) expect(verdict.reason).toBe(reason);
  });
});

const none = (effect: "allow" | "ask" | "deny", ...rules: readonly unknown[]): PolicyText => ({
  preset: "none",
  permissions: { [effect]: rules },
});

describe("policy files", () => {
  beforeEach(() => {
    here.user({ preset: "none" });
    here.own({});
  });

  it("A8: the user's file and the one at the git top level of the request's folder", () => {
    here.user(none("deny", "Bash(a)"));
    here.own({ permissions: { deny: ["Bash(b)"] } });
    const inFolder = { cwd: inProject("src/a") };
    expect(here.verdict("a").decision).toBe("deny");
    expect(here.verdict("b", inFolder).decision).toBe("deny");
    expect(here.verdict("b", inFolder).rule?.file).toBe(inProject(".agent-permissions.jsonc"));
    // Better (AW14, AW16): another folder's request that touches the project does not shed its denies.
    expect(here.verdict("b", { cwd: `${here.home}/other` }).decision).toBe("none");
  });

  it("A8: outside a repository no project file grants", () => {
    const folder = `${here.home}/other`;
    here.write("~/other/.agent-permissions.jsonc", JSON.stringify({ permissions: { allow: ["Bash(a)"] } }));
    expect(here.verdict("a", { cwd: folder }).decision).toBe("none");
  });

  it("A9: comments, trailing commas and the rest of JSON5", () => {
    here.user(`// mine
      {
        version: 1, /* agentperm's */ preset: 'none',
        "permissions": { "allow": ["Bash(a)", ], "ask": ['Bash(b)'], "deny": [] },
      }`);
    expect(here.verdict("a").decision).toBe("allow");
    expect(here.verdict("b").decision).toBe("ask");
  });

  // Better: agentperm ignored a list that is none and an entry it could not read, and with it what it denied (AW11).
  it.each([
    ["a list instead of an object", "[]"],
    ["a text instead of a list", '{ "permissions": { "deny": "Bash(a)" } }'],
    ["an entry that is not a rule", '{ "permissions": { "deny": [7] } }'],
  ])("A9: %s is an error that says where", (_, text) => {
    here.user(text);
    const { verdict, warnings } = here.outcome("ls");
    expect(verdict.decision).toBe("ask");
    expect(`${verdict.reason} ${warnings.join(" ")}`).toMatch(/\.agent-permissions\.jsonc:\d+:\d+/);
  });

  it("A10: lists of both files are joined; a deny anywhere wins", () => {
    here.user({ preset: "none", permissions: { allow: ["Bash(a)", "Bash(b)"], deny: ["Bash(d)"] } });
    here.own({ permissions: { allow: ["Bash(c)", "Bash(d)"], deny: ["Bash(b)"] } }, true);
    expect(["a", "b", "c", "d"].map((command) => here.verdict(command).decision)).toEqual(["allow", "deny", "allow", "deny"]);
    // The user's entries come first: they are the reason that is shown.
    here.own({ permissions: { allow: ["Bash(a)"] } }, true);
    expect(here.verdict("a").rule?.file).toBe(`${here.home}/.agent-permissions.jsonc`);
  });

  it("A11: the default file with its three empty lists says nothing", () => {
    here.user('{\n  "version": 1,\n  "permissions": {\n    "allow": [],\n    "ask": [],\n    "deny": []\n  }\n}\n');
    expect(here.outcome("weird")).toMatchObject({ warnings: [], verdict: { decision: "none" } });
  });

  // Better (AW11): agentperm dropped a rule without `when` silently.
  it.each(["tool", "command", "when"])("A16: a rule about options without `%s` is an error", (key) => {
    const rule: Record<string, unknown> = { tool: "Bash", command: "sed", when: { hasOption: "-i" } };
    delete rule[key];
    here.user(none("deny", rule));
    expect(here.verdict("ls").decision).toBe("ask");
    expect(here.verdict("ls").reason).toContain(key);
  });

  it.each(["Shell(", "Shell(rm -r", "Bash(ls", "Shell(git {a,b)"])("A20: the malformed rule `%s` aborts the load", (rule) => {
    here.user(none("deny", rule));
    expect(here.verdict("ls").decision).toBe("ask");
    expect(here.verdict("ls").reason).toMatch(/^a policy file has a mistake: /);
  });
});

describe("A50: input that is no request", () => {
  // Better: agentperm printed `{}`, which lets the host go on.
  it.each([
    ["bad JSON", "{"],
    ["a payload that is not an object", "[]"],
    ["an unknown event", JSON.stringify({ hook_event_name: "Nonsense", tool_name: "Bash", tool_input: { command: "ls" } })],
  ])("%s gets the safe answer, exit 0", (_, stdin) => {
    const { status, stdout } = assent(here, ["check", "--agent", "claude"], stdin);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "ask" } });
  });

  it("an event that decides nothing gets `{}`, exit 0", () => {
    // In a repository with a policy that nobody has agreed to, the start of a session tells the person of it.
    for (const hook_event_name of ["SessionStart", "Notification"]) {
      const { status, stdout } = assent(quiet, ["check", "--agent", "claude"], JSON.stringify({ hook_event_name }));
      expect({ status, answer: JSON.parse(stdout) as unknown }).toEqual({ status: 0, answer: {} });
    }
  });

  it("a policy that cannot be read is asked about, with the error", () => {
    here.user("{ permissions: ");
    const { verdict } = here.outcome("ls");
    expect(verdict.decision).toBe("ask");
    expect(verdict.reason).toContain(".agent-permissions.jsonc:1:");
  });
});
