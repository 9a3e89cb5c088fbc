// Plays the sixty commands of evidence/everyday.md (bench/everyday.json) under `assent run -P` with nobody to ask and sandboxed, as Claude Code starts
// them: `npm run everyday`, which writes the page. `-- --check FILE` compares the page's list instead, and writes nothing;
// `--ways` names one of both. What goes ahead by itself starts as it is. Commands of tools that are not on this machine are named, and not counted.
// `SHOW=1` shows what a command said that failed.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import everyday from "./everyday.json" with { type: "json" };

const MODES = ["assent run", "sandboxed"] as const;
/** Of sixty: what may be refused without need. */
const ALLOWED = 1;
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  git: ["git"],
  node: ["node", "npm", "curl"],
  python: ["python3"],
  "make and gcc": ["make", "gcc"],
  go: ["go", "gofmt"],
  cargo: ["cargo", "cc"],
  files: ["node", "python3", "tar"],
};

const FILES: Readonly<Record<string, string>> = {
  "README.md": "hello\n",
  ".gitignore": "node_modules\n.venv\ntarget\nbuild\n*.o\n*.pyc\n",
  "package.json": JSON.stringify({
    name: "app",
    version: "1.0.0",
    private: true,
    files: ["src"],
    scripts: { test: "node --test", build: "mkdir -p build && cp src/index.js build/" },
    dependencies: { small: "file:packages/small" },
  }),
  "packages/small/package.json": JSON.stringify({ name: "small", version: "1.0.0", main: "index.js" }),
  "packages/small/index.js": "exports.add = (a, b) => a + b;\n",
  "src/index.js": "exports.add = (a, b) => a + b;\n",
  "test/add.test.js": 'require("node:test")("adds", () => require("node:assert").equal(require("../src/index.js").add(1, 2), 3));\n',
  "server.js": 'require("node:http").createServer((_, to) => to.end("hello\\n")).listen(18099, "127.0.0.1");\n',
  "tests/test_add.py": "import unittest\n\n\nclass Adds(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1 + 2, 3)\n",
  "tool.py": '#!/usr/bin/env python3\nimport json\n\nprint(json.dumps({"a": 1}))\n',
  "c/main.c": "int main(void) { return 0; }\n",
  Makefile: "main: c/main.o\n\tcc -o $@ $^\n\ntest: main\n\t./main\n\nclean:\n\trm -f main c/*.o\n",
  "go.mod": "module example.com/app\n\ngo 1.19\n",
  "main.go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(add(1, 2)) }\n\nfunc add(a, b int) int { return a + b }\n',
  "main_test.go": 'package main\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
  "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
  "src/main.rs": 'fn main() {\n    println!("hello");\n}\n\n#[test]\nfn adds() {\n    assert_eq!(1 + 2, 3);\n}\n',
  "build.sh": "set -e\nmkdir -p build\ncat src/*.js > build/all.js\n",
};

const words = process.argv.slice(2);
const valueOf = (option: string): string | undefined => (words.includes(option) ? words[words.indexOf(option) + 1] : undefined);
const dist = process.env["ASSENT_DIST"] ?? join(process.cwd(), "dist");

// In no temporary folder: what a run may do there says nothing.
const base = process.getuid?.() === 0 ? "/srv" : join(homedir(), ".cache");
mkdirSync(base, { recursive: true });
const scratch = realpathSync(mkdtempSync(join(base, "assent-everyday-")));
const home = join(scratch, "home/dev");
const project = join(home, "app");
/** rustup's are known below home, which is another one here. */
const toolchain = dirname(spawnSync("sh", ["-c", "rustup which cargo"], { encoding: "utf8" }).stdout);

const commands = everyday.map(([kind = "", command = ""]) => ({ kind, command }));
const found: string[] = [];
const isHere = (kind: string): boolean =>
  (NEEDS[kind] ?? []).every((name) => spawnSync("sh", ["-c", `command -v ${name}`], { env }).status === 0);
const env = {
  // Debian's before a person's own.
  PATH: ["/usr/local/bin", "/usr/bin", "/bin", toolchain].join(delimiter),
  HOME: home,
  LC_ALL: "C.UTF-8",
  NO_COLOR: "1",
};
const played = commands.filter(({ kind }) => isHere(kind));
const absent = [...new Set(commands.filter((one) => !played.includes(one)).map(({ kind }) => kind))];

try {
  for (const mode of MODES.filter((one) => valueOf("--ways")?.split(",").includes(one) !== false)) {
    makeProject(mode);
    for (const { command } of played) {
      const { status, stdout, stderr } = mode === "sandboxed" ? sandboxed(command) : supervised(command);
      const said = stdout + stderr;
      const refused = /^.*\brefused: .*$/im.exec(said)?.[0];
      if (status === 0 && refused === undefined) continue;
      const why = refused ?? said.trim().split("\n").slice(-3).join(" / ");
      found.push(`${mode}: \`${command}\`: exit ${status}: ${why.replaceAll(scratch, "")}`);
      process.stdout.write(`${found.at(-1) ?? ""}\n${process.env["SHOW"] === undefined ? "" : said}`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.stdout.write(
  `${played.length} of ${commands.length} played; ${found.length} refused without need; not here: ${absent.join(", ")}\n`,
);
const page = valueOf("--write");
if (page !== undefined) write(page);
const checked = valueOf("--check");
const isStale = checked !== undefined && !readFileSync(checked, "utf8").includes(list());
if (isStale) process.stdout.write(`${checked} lists other commands: npm run everyday\n`);
process.exitCode = found.length > ALLOWED || isStale ? 1 : 0;

/** One day's work begins: a repository of two commits. */
function makeProject(mode: (typeof MODES)[number]): void {
  rmSync(home, { recursive: true, force: true });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n");
  if (mode === "sandboxed") writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "unknown": "confine" }\n');
  const { status, stderr } = start([
    "sh",
    "-c",
    "git init -q . && git commit -q --allow-empty -m 'Begin' && git add . && git commit -qm 'Add all'",
  ]);
  if (status !== 0) throw new Error(stderr);
}

function start(argv: readonly string[], input = ""): SpawnSyncReturns<string> {
  // In a session of its own: whoever plays this at a terminal is not asked.
  return spawnSync("setsid", ["-w", ...argv], { cwd: project, env, input, encoding: "utf8", timeout: 60_000 });
}

function assent(...args: readonly string[]): readonly string[] {
  return [process.execPath, join(dist, "bin.cjs"), ...args];
}

/** A person starts it, and nobody is asked. */
function supervised(command: string): SpawnSyncReturns<string> {
  return start(assent("run", "-P", "--", "bash", "-c", command));
}

/** What the hook's answer lets Claude Code start. */
function sandboxed(command: string): Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr"> {
  const call = {
    session_id: "everyday",
    cwd: project,
    permission_mode: "default",
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: { command },
    permission_suggestions: [],
  };
  const answer = start(assent("check", "--agent", "claude"), JSON.stringify(call)).stdout;
  if (!answer.includes('"behavior":"allow"')) return { status: null, stdout: "", stderr: `asked: ${answer}` };
  const confined = /"updatedInput":\{"command":("(?:[^"\\]|\\.)*")/.exec(answer)?.[1];
  return start(["bash", "-c", confined === undefined ? command : String(JSON.parse(confined))]);
}

/** In two columns, by what they are of. */
function list(): string {
  const cell = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;
  return ["| | command |", "|---|---|", ...commands.map(({ kind, command }) => `| ${kind} | ${cell(command)} |`)].join("\n");
}

function write(file: string): void {
  const mark = (text: string): string => `<!-- ${text}: npm run everyday -->`;
  const result = `Played on Linux in a project of its own, under \`assent run -P\` and sandboxed as Claude Code starts it, with nobody to ask: ${played.length} of ${commands.length}, of which ${found.length === 0 ? "none" : found.length} refused, or asked about, without need.`;
  const text = [
    mark("everyday"),
    "",
    result,
    "",
    list(),
    "",
    ...found.flatMap((one) => [`- ${one}`, ""]),
    ...(absent.length === 0 ? [] : [`Not on that machine: ${absent.join(", ")}.`, ""]),
    mark("end"),
  ].join("\n");
  const before = readFileSync(file, "utf8");
  const [from, to] = [before.indexOf(mark("everyday")), before.indexOf(mark("end"))];
  writeFileSync(file, before.slice(0, from) + text + before.slice(to + mark("end").length));
}
