import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { DANGERS } from "@assent/core/action";
import { type Reason, REASONS } from "@assent/core/policy";
import * as source from "@assent/library/sdk/core";
import { commandsOf, CORPORA } from "../../corpora.ts";
import { DIST, run, scratch } from "../../scratch.ts";

/** What few calls need is a part of the built core that is fetched when a call needs it. */

const ROOT = join(import.meta.dirname, "../../..");
const FILES = { "/p/src/a.ts": "file", "/p/.env": "file", "/p/.gitignore": { text: ".env\n" } } as const;
const PLACE = { cwd: "/p", home: "/home/u", files: FILES } as const;
const WORLD = source.plainWorld(PLACE);

/** What a copy of the built core says that has changed files, `{ file: text }`, or lacks them, `{ file: null }`: Node itself loads it. */
function saidBy(ways: Readonly<Record<string, Readonly<Record<string, string | null>>>>, calls: readonly source.GuardCall[]): Said {
  const root = mkdtempSync(join(tmpdir(), "assent-core-"));
  try {
    for (const [name, changes] of Object.entries(ways)) {
      const folder = join(root, name);
      mkdirSync(folder);
      copyFileSync(join(DIST, "core.mjs"), join(folder, "core.mjs"));
      cpSync(join(DIST, "core"), join(folder, "core"), { recursive: true });
      for (const [file, text] of Object.entries(changes)) {
        if (text === null) rmSync(join(folder, file));
        else writeFileSync(join(folder, file), text);
      }
    }
    const program = `
    const said = {};
    for (const name of ${JSON.stringify(Object.keys(ways))}) {
      const core = await import(${JSON.stringify(pathToFileURL(root).href)} + "/" + name + "/core.mjs");
      const guard = core.createGuard({ world: core.plainWorld(${JSON.stringify(PLACE)}) });
      const verdicts = [];
      for (const call of ${JSON.stringify(calls)}) {
        const { verdict, forPerson } = await guard.decide(call);
        verdicts.push([verdict, forPerson]);
      }
      said[name] = { verdicts, load: await core.loadParts().then(() => "loaded", (error) => error.message) };
    }
    console.log(JSON.stringify(said));`;
    writeFileSync(join(root, "program.mjs"), program);
    return JSON.parse(run(process.execPath, ["program.mjs"], root)) as Said;
  } finally {
    rmSync(root, { recursive: true });
  }
}

type Said = Readonly<Record<string, { readonly verdicts: readonly (readonly [verdict: string, why: string])[]; readonly load: string }>>;

/** Every file of dist/core that is loaded by `import()`, by what it is called there. */
function partFiles(): ReadonlyMap<string, string> {
  const texts = ["core.mjs", ...readdirSync(join(DIST, "core")).map((name) => `core/${name}`)].map((name) =>
    readFileSync(join(DIST, name), "utf8"),
  );
  return new Map(
    texts
      .flatMap((text) => [...text.matchAll(/"?([\w-]+)"?:\(\)=>import\("\.\/(?:core\/)?([\w-]+\.mjs)"\)/g)])
      .map(([, name = "", file = ""]) => [name, file]),
  );
}

/** All of them: `TEST_LONG=1`. */
const STEP = process.env["TEST_LONG"] === undefined ? 5 : 1;

const PROBES: readonly source.GuardCall[] = [
  { shell: "ls" },
  { shell: "git status" },
  { shell: "git config user.name" },
  { shell: "find . -name '*.ts'" },
  { shell: "FOO=1 ls" },
  { shell: "tar tf a.tar" },
  { shell: "npm test" },
  { shell: "python3 -c 'print(1)'" },
  { shell: "docker ps" },
  { shell: "aws s3 ls" },
  { shell: "go vet ./..." },
  { shell: "sqlite3 a.db 'select 1'" },
  { shell: "curl https://example.com" },
  { shell: "systemctl status x" },
  { shell: "tmux ls" },
  { shell: "rm -rf ~" },
  { shell: "rg -n x src" },
  { argv: ["ls", "-l"] },
  { patch: "*** Begin Patch\n*** Add File: src/b.ts\n+x\n*** End Patch" },
  { mcp: { server: "db", tool: "read", input: { path: "/p/.env" } } },
  { shell: "rg -n --glob '*.ts' x ." },
  { shell: "node -e 'console.log(1)'" },
  { shell: "ruff check src" },
  { shell: "pip list" },
  { shell: "rg -n x" },
  { read: "src/a.ts" },
];

describe("parts of the built core", () => {
  const parts = partFiles();
  const files = Object.fromEntries([...parts].map(([name, file]) => [name, `core/${file}`]));
  const expected: (readonly [string, string])[] = [];
  let said: Said = {};
  beforeAll(async () => {
    const guard = source.createGuard({ world: WORLD });
    for (const call of PROBES) {
      const { verdict, forPerson } = await guard.decide(call);
      expected.push([verdict, forPerson]);
    }
    said = saidBy(
      {
        whole: {},
        damaged: { [files["shell"] ?? ""]: "export const lowerShell = () => ({});" },
        ...Object.fromEntries(Object.entries(files).map(([name, file]) => [name, { [file]: null }])),
      },
      PROBES,
    );
  });

  it("are what the source is made of", () => {
    expect(parts.size).toBeGreaterThan(15);
    expect(new Set(expected.map(([verdict]) => verdict))).toEqual(new Set(["allow", "ask", "deny"]));
    expect(said["whole"]).toEqual({ verdicts: expected, load: "loaded" });
  });

  it.each([...parts.keys()])("without %s nothing more is allowed, and what needs it is a question", (name) => {
    const { verdicts = [], load } = said[name] ?? {};
    const changed = verdicts.filter((one, at) => JSON.stringify(one) !== JSON.stringify(expected[at]));
    expect(changed.filter(([verdict, why]) => verdict !== "ask" || !why.includes(`the part ${name} could not be fetched`))).toEqual([]);
    expect(changed.length).toBeGreaterThan(0);
    expect(load).toContain(`the part ${name} could not be fetched`);
  });

  it("every danger and every reason is there to be said, but those that only a run or a machine gives", () => {
    const letters = (text: string): string => text.replaceAll(/[^a-z]+/gi, "");
    const files = ["core.mjs", ...readdirSync(join(DIST, "core")).map((name) => `core/${name}`)];
    const built = letters(files.map((name) => readFileSync(join(DIST, name), "utf8")).join("\n"));
    const reasons = Object.entries<Reason>(REASONS).filter(([, { class: of }]) => of !== "run" && of !== "network");
    const missing = [...Object.entries<{ readonly title: string }>(DANGERS), ...reasons].filter(
      ([, { title }]) => !built.includes(letters(title)),
    );
    // The supervisor, extensions, what a machine remembers and whoever knows what git tracks say these.
    expect(missing.map(([id]) => id).toSorted()).toEqual([
      "exec.tampered",
      "failure.extension",
      "floor.runs",
      "protect.steering",
      "refused.before",
      "undo.failed",
      "written-secret",
    ]);
  });

  it("of a damaged part nothing is believed", () => {
    const { verdicts = [] } = said["damaged"] ?? {};
    const commands = verdicts.filter((_, at) => "shell" in (PROBES[at] ?? {}));
    expect(new Set(commands.map(([verdict]) => verdict))).toEqual(new Set(["ask"]));
  });

  it("every command gets the verdict of the source, in parts", async () => {
    const calls = CORPORA.flatMap(commandsOf)
      .filter((_, at) => at % STEP === 0)
      .map((shell) => ({ shell }));
    const guard = source.createGuard({ world: WORLD });
    const { verdicts = [] } = saidBy({ whole: {} }, calls)["whole"] ?? {};
    const different: unknown[] = [];
    for (const [at, call] of calls.entries()) {
      const { verdict, forPerson } = await guard.decide(call);
      if (verdict !== verdicts[at]?.[0] || forPerson !== verdicts[at]?.[1]) different.push([call.shell, forPerson, verdicts[at]]);
    }
    expect(calls.length).toBeGreaterThan(800);
    expect(different).toEqual([]);
  });
});

describe("what a program with code splitting loads, in kB of gzip -9", () => {
  /** At the start, and with all that the calls need. */
  async function loadedBy(
    entry: string,
    needed: readonly string[],
  ): Promise<{ readonly start: number; readonly session: number; readonly all: number }> {
    const folder = join(scratch().root, "app");
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(ROOT, join(folder, "node_modules/assent"));
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export { createGuard, plainWorld } from "${entry}";`, resolveDir: folder },
      bundle: true,
      minify: true,
      splitting: true,
      platform: "browser",
      target: "es2022",
      format: "esm",
      outdir: folder,
      absWorkingDir: folder,
      write: false,
      metafile: true,
      logLevel: "error",
    });
    const sizes = new Map(outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents, { level: 9 }).length]));
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const { kind, path } of metafile.outputs[file]?.imports ?? []) if (kind === "import-statement") load(path);
    };
    const size = (files: Iterable<string>): number =>
      Array.from(files, (file) => sizes.get(basename(file)) ?? Number.NaN).reduce((a, b) => a + b, 0) / 1000;
    load("stdin.js");
    const start = size(loaded);
    const parts = partFiles();
    for (const [file, { entryPoint }] of Object.entries(metafile.outputs))
      if (needed.some((name) => basename(entryPoint ?? "") === parts.get(name))) load(file);
    return { start, session: size(loaded), all: size(Object.keys(metafile.outputs)) };
  }

  it.each([
    ["assent/core/rules", [], 69.5, 69.5, 76.5],
    ["assent/core", ["shell", "tables-everyday"], 119.5, 273, 502],
  ] as const)("%s, for %j: at most %d, %d, of %d", async (entry, needed, start, session, all) => {
    const found = await loadedBy(entry, needed);
    expect([found.start < start, found.session < session, found.all < all], JSON.stringify(found)).toEqual([true, true, true]);
  });
});
