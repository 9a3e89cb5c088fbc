import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { judgeOnly } from "@assent/page/preview";
import { aboutEntry, allEntries, entriesBelow, type KnowledgeEntry } from "@assent/core/shell/knowledge";
import { readObeys } from "../../../packages/core/src/shell/knowledge/read-spec.ts";
import { makeFixture } from "../../../tools/verify/fixture/index.ts";
import { placeAt, type ScratchPlace } from "../../../tools/verify/place.ts";
import { HELPERS, hostileFolder, hostileText, mostHostile } from "./hostile.ts";

/**
 * Programs of the tables in a project of hostile settings, made from what the tables say that programs obey: what goes ahead
 * there without a question is run, watched by the kernel, and may start nothing of these files.
 *
 *     node scripts/run.mjs test/shell/settings/run.ts [--looked] [--keep=FILE] [NAME…]
 *
 * `--looked`: instead, which files of the project each program looks for that its line does not name.
 * `--keep=FILE`: FILE gets a row for each case that was played, and what it has already is left out.
 */

interface Level {
  readonly program: string;
  readonly lines: readonly string[];
  /** Rows of `obeys`, its own and those it inherits. */
  readonly obeys: readonly string[];
}

function levelsOf(program: string, names: ReadonlySet<string>, entry: KnowledgeEntry, above: readonly string[]): readonly Level[] {
  const obeys = [...above, ...(entry.obeys?.split("\n") ?? [])];
  // Examples are of one of the names.
  const lines = (aboutEntry(entry).examples?.allow ?? []).map((line) =>
    line.replace(/^[\w.+-]+(?= |$)/, (name) => (names.has(name) ? program : name)),
  );
  const own = lines.filter((line) => line.split(" ", 1)[0] === program);
  return [{ program, lines: own, obeys }, ...entriesBelow(entry).flatMap((below) => levelsOf(program, names, below.entry, obeys))];
}

const isInstalled = (program: string, path: string): boolean => path.split(":").some((folder) => existsSync(`${folder}/${program}`));

/** What the tables say of the programs that are installed. */
export function installedLevels(path: string, wanted: readonly string[]): readonly Level[] {
  return allEntries().flatMap((entry) =>
    entry.names
      .split(" ")
      .filter((name) => (wanted.length === 0 || wanted.includes(name)) && isInstalled(name, path))
      .flatMap((name) => levelsOf(name, new Set(entry.names.split(" ")), entry, [])),
  );
}

/** A line, and the files that it finds, by their path in the project. */
interface Case {
  readonly line: string;
  /** The folder of the project it starts in. */
  readonly at: string;
  readonly files: Readonly<Record<string, string>>;
}

interface Watched {
  readonly one: Case;
  /** What came of it: a canary that something of the files made, a secret that was read. */
  readonly wrong: readonly string[];
  /** Whether it was ended in the middle. */
  readonly late: boolean;
  /** Names in the project, and above it, that it looked for. */
  readonly looked: readonly string[];
}

export class SettingsPlace {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "assent-settings-")));
  readonly place: ScratchPlace;
  readonly canaries = join(this.root, "canaries");

  constructor(path: string) {
    const place = placeAt(this.root, false, path);
    this.place = { ...place, machine: { ...place.machine, temp: [place.temp] } };
    makeFixture(this.place, (program) => isInstalled(program, path));
    mkdirSync(this.canaries);
    for (const folder of [this.place.project, join(place.own, "pristine/project")])
      for (const [name, text] of Object.entries(HELPERS(this.canaries)))
        for (const below of [".", "src"]) writeFileSync(join(folder, below, name), text, { mode: 0o755 });
  }

  /** Whether the line goes ahead by itself beside these files. */
  goesAhead({ line, at, files }: Case): boolean {
    const { project, machine } = this.place;
    const made = this.put(files);
    try {
      return judgeOnly({ tool: "Bash", input: { command: line }, cwd: join(project, at) }, machine, []).verdict.decision === "allow";
    } finally {
      for (const path of made) rmSync(path, { recursive: true, force: true });
      for (const path of Object.keys(files)) this.restore(path);
    }
  }

  private put(files: Readonly<Record<string, string>>): readonly string[] {
    return Object.entries(files).map(([name, text]) => {
      const path = join(this.place.project, name);
      if (existsSync(path)) rmSync(path, { recursive: true });
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode: 0o755 });
      return path;
    });
  }

  private restore(name: string): void {
    const pristine = join(this.place.own, "pristine/project", name);
    if (existsSync(pristine)) cpSync(pristine, join(this.place.project, name), { recursive: true, verbatimSymlinks: true });
  }

  /** Runs them, each in a fresh project, in namespaces in which only this place can be written and no network is. */
  watch(cases: readonly Case[]): readonly Watched[] {
    const { root, place, canaries } = this;
    const work = join(root, "cases");
    rmSync(work, { recursive: true, force: true });
    for (const [i, { line, at, files }] of cases.entries()) {
      mkdirSync(join(work, `${i}/files`), { recursive: true });
      writeFileSync(join(work, `${i}/line`), line);
      writeFileSync(join(work, `${i}/at`), at);
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, `${i}/files`, name)), { recursive: true });
        writeFileSync(join(work, `${i}/files`, name), text, { mode: 0o755 });
      }
    }
    const driver = `
mount --make-rprivate / && mount --bind ${root} ${root}
mount -o remount,ro,bind /
i=0
while [ $i -lt ${cases.length} ]; do
  c=${work}/$i; i=$((i + 1))
  rm -rf ${place.home} ${canaries}; cp -a ${place.own}/pristine ${place.home}; mkdir ${canaries}
  cd ${place.project}; cp -a --remove-destination $c/files/. .; cd "./$(cat $c/at)"
  timeout -k 1 10 strace -f -y -qq -s 400 -e signal=none -e trace=%file -o $c/trace bash -c "$(cat $c/line)" < /dev/null > $c/out 2>&1
  echo $? > $c/status
  ls ${canaries} > $c/canaries
done
`;
    const { status, stderr } = spawnSync("unshare", ["-mpnif", "--mount-proc", "--kill-child", "sh", "-c", driver], {
      // Nobody answers here, however often it is asked.
      env: { ...place.env, npm_config_fetch_retries: "0" },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`the lines were not all run: ${stderr}`);
    return cases.map((one, i) => this.told(one, join(work, String(i))));
  }

  private told(one: Case, folder: string): Watched {
    const { project } = this.place;
    const start = join(project, one.at);
    const trace = readFileSync(join(folder, "trace"), "utf8");
    const made = readFileSync(join(folder, "canaries"), "utf8").split("\n");
    const paths = [...trace.matchAll(/\b\w+\((?:AT_FDCWD(?:<[^>]*>)?, |\d+<([^>]*)>, )?"([^"]+)"(.*)/g)].map(
      ([, from, path = "", rest = ""]) => ({
        path: path.startsWith("/") ? path : join(from ?? start, path),
        opened: /O_RDONLY.*= \d/.test(rest),
        missing: rest.includes("ENOENT"),
      }),
    );
    const secrets = paths.filter(({ path, opened }) => opened && path.endsWith("/other/.env")).map(() => "other/.env");
    const looked = paths
      .filter(({ path, missing }) => missing && path.startsWith(`${project}/`))
      .map(({ path }) => path.slice(project.length + 1));
    const late = /^(?:124|137)$/m.test(readFileSync(join(folder, "status"), "utf8"));
    return { one, wrong: [...new Set([...made.filter((name) => name !== ""), ...secrets])], late, looked: [...new Set(looked)] };
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const isFile = (name: string): boolean => /\.\w+$|rc$|file$|^\.\w+/i.test(name);

/** Every name of the rows, with a text as hostile as the judge lets pass; stars are a name, folders have what programs look for in them. */
function filesOf(rows: readonly string[], canaries: string): readonly Readonly<Record<string, string>>[] {
  return rows.flatMap((text) =>
    readObeys(text).flatMap((row) =>
      row.names.flatMap((name) => {
        const beside = Object.fromEntries(row.beside.slice(0, 1).map((one) => [one, "{}"]));
        const path = name.replace("*", "x");
        if (!isFile(path)) return [{ ...hostileFolder(path, canaries), ...beside }];
        return mostHostile(path, row.says, canaries).map((hostile) => ({ [path]: hostile, ...beside }));
      }),
    ),
  );
}

/** Each program alone with each file that it obeys: here, above, below. */
export function ownCases(levels: readonly Level[], { canaries }: SettingsPlace): readonly Case[] {
  const below = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`src/${name}`, text]));
  return levels.flatMap(({ lines, obeys }) =>
    lines.slice(0, 1).flatMap((line) =>
      filesOf(obeys, canaries).flatMap((files) => [
        { line, at: ".", files },
        { line, at: "src", files },
        { line, at: ".", files: below(files) },
      ]),
    ),
  );
}

/** Every program in a project that is full of what others obey. */
export function sharedCases(levels: readonly Level[], { canaries }: SettingsPlace): readonly Case[] {
  const rows = new Set(allEntries().flatMap((entry) => levelsOf("", new Set(), entry, []).flatMap(({ obeys }) => obeys)));
  const names = [...rows]
    .flatMap((row) => readObeys(row).flatMap((one) => one.names))
    .filter((name) => !name.includes("*") && isFile(name));
  // A name may be a file here and a folder there.
  const files = Object.fromEntries(
    names.filter((name) => !names.some((other) => other.startsWith(`${name}/`))).map((name) => [name, hostileText(name, canaries)]),
  );
  return levels.flatMap(({ lines }) => lines.slice(0, 1).map((line) => ({ line, at: ".", files })));
}

const PATH = process.env["PATH"] ?? "/usr/bin:/bin";

if (process.env["VITEST"] === undefined) {
  const looks = process.argv.includes("--looked");
  const wanted = process.argv.slice(2).filter((word) => !word.startsWith("-"));
  const at = new SettingsPlace(PATH);
  const levels = installedLevels(PATH, wanted);
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const cases = looks
    ? levels.flatMap(({ lines }) =>
        lines
          .filter((line) => !/ (?:-h|-V|(?:--)?(?:help|version))\b/.test(line))
          .slice(0, 2)
          .map((line) => ({ line, at: ".", files: {} })),
      )
    : [...sharedCases(levels, at), ...ownCases(levels, at)];
  const keep = process.argv.find((word) => word.startsWith("--keep="))?.slice("--keep=".length);
  // Where the canaries lie differs from run to run.
  const nameOf = ({ line, at: folder, files }: Case): string =>
    createHash("sha256")
      .update(JSON.stringify([line, folder, files]).replaceAll(at.root, ""))
      .digest("hex")
      .slice(0, 16);
  const rows = keep === undefined || !existsSync(keep) ? [] : readFileSync(keep, "utf8").trim().split("\n");
  const played = new Map(rows.map((row) => [row.split("\t", 1)[0], row]));
  // In turn: where there is no time for all of them, each program has had some.
  const turns = new Map<string, number>();
  const left = cases
    .filter((one) => !played.has(nameOf(one)))
    .map((one) => {
      const program = one.line.split(" ", 1)[0] ?? "";
      turns.set(program, (turns.get(program) ?? 0) + 1);
      return { one, turn: turns.get(program) ?? 0 };
    })
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ one }) => one);
  const programs = new Set(levels.map(({ program }) => program)).size;
  say(`${programs} programs, ${cases.length} cases, ${cases.length - left.length} of them played before`);
  const note = (one: Case, what: string): void => {
    const row = [nameOf(one), what, one.at, Object.keys(one.files)[0] ?? "-", one.line].join("\t");
    played.set(nameOf(one), row);
    if (keep !== undefined) appendFileSync(keep, `${row}\n`);
  };
  for (let from = 0; from < left.length; from += 10) {
    const slice = left.slice(from, from + 10);
    const ahead = slice.filter((one) => at.goesAhead(one));
    slice.filter((one) => !ahead.includes(one)).forEach((one) => note(one, "asked"));
    for (const { one, wrong: found, late, looked } of at.watch(ahead)) {
      if (looks) {
        const names = looked.filter((name) => !one.line.includes(name.replace(/^.*\//, "")) && !/^(?:\.git|node_modules)\//.test(name));
        if (names.length > 0) say(`${one.line}\t${names.join(" ")}`);
      }
      note(one, found.length > 0 ? `WRONG ${found.join(" ")}` : late ? "late" : "well");
      if (found.length > 0)
        say(
          `WRONG ${one.line} (in ${one.at}) beside ${Object.keys(one.files).slice(0, 3).join(" ")}: ${found.join(" ")}\n${(Object.values(one.files)[0] ?? "").slice(0, 2000)}`,
        );
    }
  }
  const count = (what: string): number => [...played.values()].filter((row) => row.split("\t")[1]?.startsWith(what)).length;
  say(
    `${played.size} played: ${count("asked")} asked, ${count("well")} well, ${count("late")} ended in the middle, ${count("WRONG")} wrong`,
  );
  at.close();
  process.exitCode = count("WRONG") > 0 ? 1 : 0;
}
