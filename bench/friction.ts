// How often commands that agents really typed interrupt a person: `npm run friction -- FILE…` (JSON Lines with `command`, `session`, or plain
// lines), `--consents` as well with each consent given at its first question, `--lines FILE` writes each distinct line with its verdicts, `--write evidence/friction.md` the page. Each is judged in one generic project,
// without a policy and sandboxed.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { agentNamed } from "@assent/hosts/agents";
import { decide, type Outcome } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { thisMachine } from "@assent/guard/state";
import { frictionWithConsents } from "./friction-consents.ts";
import { frictionTables } from "./friction-table.ts";
import { type Judged, judgedTable, readJudged } from "./judged.ts";

interface Line {
  readonly session: string;
  readonly command: string;
  readonly kind?: string;
}

/** Blocks of a project's documents, which nobody typed. */
const DOCUMENTS = new Set(["readme", "agents-md"]);

const words = process.argv.slice(2);
const valueOf = (option: string): string | undefined => (words.includes(option) ? words.splice(words.indexOf(option), 2)[1] : undefined);
const consents = words.includes("--consents") && words.splice(words.indexOf("--consents"), 1).length > 0;
const linesFile = valueOf("--lines");
const page = valueOf("--write");
const judged: readonly Judged[] = readJudged("bench/judged.tsv");
const lines = words.flatMap(readLines);

// In no temporary folder: the lines are about a project.
mkdirSync(join(homedir(), ".cache"), { recursive: true });
const scratch = realpathSync(mkdtempSync(join(homedir(), ".cache/assent-friction-")));
const home = join(scratch, "home/dev");
const project = join(home, "app");
makeProject();

const machine = { ...thisMachine(), home, temp: ["/tmp"], state: join(scratch, "state") };
const facts = agentNamed("claude")?.protocol.tools["Bash"];

/** What each policy makes of a line, by the decision and what it rests on. */
const policies = { "no policy": "{}", sandboxed: '{ "unknown": "confine" }' } as const;
type PolicyName = keyof typeof policies;
const outcomes = new Map<string, Record<PolicyName, string>>();
for (const name of Object.keys(policies) as PolicyName[]) {
  writeFileSync(join(home, ".agent-permissions.jsonc"), policies[name]);
  for (const { command } of lines) {
    const row = outcomes.get(command) ?? ({} as Record<PolicyName, string>);
    row[name] ??= describe(judge(command));
    outcomes.set(command, row);
  }
}
const withConsents = consents
  ? frictionWithConsents(lines, {
      machine,
      project,
      policy: join(home, ".agent-permissions.jsonc"),
      judge,
      plain: (command) => outcomes.get(command)?.sandboxed ?? "ask",
    })
  : undefined;
rmSync(scratch, { recursive: true, force: true });

const tables = frictionTables(
  lines.map(({ session, kind, command }) => ({ session, kind: kind ?? "", command, verdicts: outcomes.get(command) ?? {} })),
  Object.keys(policies),
);
process.stdout.write(`${tables}\n${withConsents ?? ""}`);
if (page !== undefined) writePage(page);
if (linesFile !== undefined)
  writeFileSync(linesFile, [...outcomes].map(([command, row]) => JSON.stringify({ command, ...row })).join("\n") + "\n");

function readLines(file: string): readonly Line[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line, i): Line => {
      if (/\.jsonl(\.gz)?$/.test(file)) return JSON.parse(line) as Line;
      return {
        session: `${file}:${i}`,
        command: line
          .replace(/^(?:allow|ask|deny|none): /, "")
          .replaceAll("⏎", "\n")
          .replaceAll("⇥", "\t"),
      };
    })
    .filter(({ kind }) => kind === undefined || !DOCUMENTS.has(kind));
}

function writePage(file: string): void {
  const mark = (text: string): string => `<!-- ${text}: npm run friction -->`;
  const before = readFileSync(file, "utf8");
  const [from, to] = [before.indexOf(mark("friction")), before.indexOf(mark("end"))];
  const text = [mark("friction"), tables, judgedTable(judged), mark("end")].join("\n\n");
  writeFileSync(file, before.slice(0, from) + text + before.slice(to + mark("end").length));
}

function makeProject(): void {
  const files: Readonly<Record<string, string>> = {
    "package.json": '{ "name": "app", "scripts": { "test": "node --test", "build": "tsc" } }\n',
    "README.md": "# app\n",
    "src/index.ts": "export {};\n",
    "src/app.py": "print(1)\n",
    "tests/test_app.py": "def test_app(): pass\n",
    "docs/guide.md": "# guide\n",
    "frontend/src/App.tsx": "export {};\n",
    "backend/app.py": "print(1)\n",
    Makefile: "all:\n\techo all\n",
    "tsconfig.json": "{}\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  execFileSync("git", ["init", "-q", project]);
}

function judge(command: string): Outcome {
  return decide(
    {
      tool: "Bash",
      facts,
      input: { command: command.replaceAll("/home/dev", home) },
      cwd: project,
      host: { shell: "any", decides: true, asks: true, bypassed: false, planning: false, confines: true },
      point: "bench",
      agent: "claude",
    },
    { machine, reader: () => ({ read }), own: [], audit: false, memory: "none" },
  );
}

function describe({ verdict }: Outcome): string {
  return [
    verdict.decision + (verdict.confined === undefined ? "" : " sandboxed"),
    verdict.builtin ?? verdict.basis ?? "",
    verdict.reason.replaceAll(home, "/home/dev"),
  ].join("\t");
}
