import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { CodeFinding } from "../../../packages/core/src/shell/languages/finding.ts";
import { LANGUAGES } from "@assent/core/shell/languages";
import { canIsolate, isolated, random, ROUNDS, seedOr, which } from "./scratch.ts";

/**
 * Programs put together from calls of the standard libraries, run for real by nobody in a folder of their own, without a
 * network: every file that one changed must be among those that the reader said it changes.
 */

const FILES = 10;
/** Statements of one program; `npm run fuzz` runs more programs. */
const STATEMENTS = 6;
const PROGRAMS = Math.max(12, Math.ceil(ROUNDS / 20));

interface Grammar {
  readonly program: string;
  readonly args: readonly string[];
  readonly start: string;
  /** Spellings of the path `t/NAME`; `V` becomes a variable of its own. */
  readonly paths: readonly ((name: string, v: string) => readonly [before: string, path: string])[];
  /** What is done to a file that is there, and what makes a new one. */
  readonly changes: readonly ((path: string, other: string, v: string) => string)[];
}

const plain =
  (quote: string) =>
  (name: string): readonly [string, string] => ["", `${quote}t/${name}${quote}`];

const GRAMMARS: Readonly<Record<"python" | "javascript" | "perl" | "ruby", Grammar>> = {
  python: {
    program: "python3",
    args: ["-I", "-c"],
    start: "import os, shutil, subprocess, pathlib, glob, functools\nfrom os import remove as gone\nfrom pathlib import Path as P\n",
    paths: [
      plain("'"),
      (name) => ["", `'t/' + '${name}'`],
      (name) => ["", `'%s/${name}' % 't'`],
      (name) => ["", `'{}/{}'.format('t', '${name}')`],
      (name, v) => [`${v} = 't'\n`, `f'{${v}}/${name}'`],
      (name) => ["", `os.path.join('t', '${name}')`],
      (name) => ["", `'/'.join(['t', '${name}'])`],
      (name) => ["", `str(P('t') / '${name}')`],
      (name, v) => [`${v} = 't/${name}'\n`, v],
      (name, v) => [`${v}: str = 'x'\n${v} = r"t" '/${name}'\n`, v],
    ],
    changes: [
      (p) => `os.remove(${p})`,
      (p) => `os.unlink(path=${p})`,
      (p) => `gone(${p})`,
      (p) => `pathlib.Path(${p}).unlink()`,
      (p) => `P(${p}).write_text('x')`,
      (p) => `open(${p}, 'w').write('x')`,
      (p) => `open(file=${p}, mode='a').write('x')`,
      (p, _, v) => `with open(${p}, 'r+') as ${v}h:\n    ${v}h.write('y')`,
      (p, q) => `os.rename(${p}, ${q})`,
      (p, q) => `os.replace(src=${p}, dst=${q})`,
      (p, q) => `shutil.move(${p}, ${q})`,
      (p, q) => `P(${p}).rename(${q})`,
      (p, q) => `shutil.copyfile(${p}, ${q})`,
      (p) => `os.chmod(${p}, 0o640)`,
      (p) => `os.truncate(${p}, 0)`,
      (p) => `os.system('rm ' + ${p})`,
      (p) => `os.popen('rm ' + ${p}).read()`,
      (p) => `subprocess.run(['rm', ${p}])`,
      (p) => `subprocess.call('rm ' + ${p}, shell=True)`,
      (p) => `subprocess.Popen(args=['rm', '-f', ${p}]).wait()`,
      (p) => `getattr(os, 'remove')(${p})`,
      (p) => `__import__('os').remove(${p})`,
      (p, _, v) => `for ${v}i in [${p}]:\n    os.remove(${v}i)`,
      (p) => `list(map(os.remove, [${p}]))`,
      (p) => `[os.unlink(x) for x in (${p},)]`,
      (p) => `functools.partial(os.remove, ${p})()`,
      (p) => `exec("import os; os.remove(" + repr(${p}) + ")") if False else os.remove(${p})`,
      (_, q) => `os.mkdir(${q})`,
      (_, q) => `os.symlink('x', ${q})`,
      (_, q) => `P(${q}).touch()`,
      (_, q) => `os.makedirs(${q}, exist_ok=True); shutil.rmtree(${q})`,
      (p, _, v) => `def ${v}f(x):\n    os.remove(x)\n${v}p = ${p}\nos.remove(${v}p)`,
    ],
  },
  javascript: {
    program: "node",
    args: ["-e"],
    start:
      "const fs = require('fs'), path = require('node:path'), cp = require('child_process');\nconst { unlinkSync: gone, promises } = require('node:fs');\n",
    paths: [
      plain("'"),
      (name) => ["", `'t/' + '${name}'`],
      (name, v) => [`const ${v} = 't';\n`, `\`\${${v}}/${name}\``],
      (name) => ["", `path.join('t', '${name}')`],
      (name) => ["", `['t', '${name}'].join('/')`],
      (name, v) => [`let ${v} = "t/${name}";\n`, v],
      (name) => ["", `'t'.concat('/', '${name}')`],
    ],
    changes: [
      (p) => `fs.unlinkSync(${p})`,
      (p) => `gone(${p})`,
      (p) => `fs['unlink' + 'Sync'](${p})`,
      (p) => `require('fs').rmSync(${p})`,
      (p) => `fs.rmSync(${p}, { force: true, recursive: true })`,
      (p) => `fs.writeFileSync(${p}, 'x')`,
      (p) => `fs.appendFileSync(${p}, 'x')`,
      (p) => `fs.closeSync(fs.openSync(${p}, 'w'))`,
      (p, q) => `fs.renameSync(${p}, ${q})`,
      (p, q) => `fs.copyFileSync(${p}, ${q})`,
      (p, q) => `fs.cpSync(${p}, ${q})`,
      (p) => `fs.chmodSync(${p}, 0o640)`,
      (p) => `fs.truncateSync(${p})`,
      (p) => `cp.execSync('rm ' + ${p})`,
      (p) => `cp.execFileSync('rm', [${p}])`,
      (p) => `cp.spawnSync('rm', ['-f', ${p}], { stdio: 'ignore' })`,
      (p) => `for (const f of [${p}]) fs.unlinkSync(f)`,
      (p) => `[${p}].forEach((f) => fs.unlinkSync(f))`,
      (p) => `[${p}].forEach(function (f) { fs.unlinkSync(f) })`,
      (p) => `fs.unlinkSync.call(null, ${p})`,
      (p) => `fs.unlink(${p}, () => {})`,
      (p) => `promises.unlink(${p}).catch(() => {})`,
      (p) => `require('fs/promises').rm(${p}).catch(() => {})`,
      (p) => `import('fs').then((m) => m.rmSync(${p}, { force: true }))`,
      (_, q) => `fs.mkdirSync(${q})`,
      (_, q) => `fs.symlinkSync('x', ${q})`,
      (_, q) => `fs.createWriteStream(${q}).end('x')`,
    ],
  },
  perl: {
    program: "perl",
    args: ["-e"],
    start: "use File::Path qw(remove_tree make_path); use File::Copy;\n",
    paths: [
      plain("'"),
      plain('"'),
      (name) => ["", `'t/' . '${name}'`],
      (name, v) => [`my $${v} = 't';\n`, `"$${v}/${name}"`],
      (name, v) => [`my $${v} = 't';\n`, `"\${${v}}/${name}"`],
      (name, v) => [`my $${v} = q{t/${name}};\n`, `$${v}`],
      (name) => ["", `qq(t/${name})`],
    ],
    changes: [
      (p) => `unlink ${p}`,
      (p) => `unlink(${p})`,
      (p) => `unlink(${p}) or die`,
      (p) => `unlink ${p} if -e ${p}`,
      (p, q) => `rename ${p}, ${q}`,
      (p, q) => `rename(${p}, ${q})`,
      (p, q) => `move(${p}, ${q})`,
      (p, q) => `copy(${p}, ${q})`,
      (p, _, v) => `open(my $${v}h, '>', ${p}); print $${v}h 'x'; close $${v}h`,
      (p, _, v) => `open(my $${v}h, '>>', ${p}); print {$${v}h} 'x'`,
      (p) => `open(F, '>' . ${p}); print F 'x'; close F`,
      (p) => `chmod 0640, ${p}`,
      (p) => `truncate ${p}, 0`,
      (p) => `system('rm', ${p})`,
      (p) => `system 'rm', '-f', ${p}`,
      (p) => `system('rm ' . ${p})`,
      (p, _, v) => `my $${v}f = ${p}; \`rm $${v}f\``,
      (p, _, v) => `my $${v}f = ${p}; qx{rm $${v}f}`,
      (p) => `for my $f (${p}) { unlink $f }`,
      (p) => `unlink $_ for (${p})`,
      (p) => `map { unlink $_ } (${p})`,
      (p, _, v) => `my @${v}l = (${p}); unlink @${v}l`,
      (p) => `remove_tree(${p})`,
      (_, q) => `mkdir ${q}`,
      (_, q) => `make_path(${q}); rmdir ${q}`,
      (_, q) => `symlink 'x', ${q}`,
    ],
  },
  ruby: {
    program: "ruby",
    args: ["-e"],
    start: "require 'fileutils'; require 'open3'; require 'pathname'\n",
    paths: [
      plain("'"),
      (name) => ["", `'t/' + '${name}'`],
      (name, v) => [`${v} = 't'\n`, `"#{${v}}/${name}"`],
      (name) => ["", `File.join('t', '${name}')`],
      (name, v) => [`${v} = %q(t/${name})\n`, v],
      (name) => ["", `['t', '${name}'].join('/')`],
    ],
    changes: [
      (p) => `File.delete(${p})`,
      (p) => `File.unlink ${p}`,
      (p, q) => `File.rename(${p}, ${q})`,
      (p) => `File.write(${p}, 'x')`,
      (p) => `File.open(${p}, 'a') { |f| f.puts 'x' }`,
      (p) => `FileUtils.rm(${p})`,
      (p) => `FileUtils.rm_rf ${p}`,
      (p, q) => `FileUtils.mv(${p}, ${q})`,
      (p, q) => `FileUtils.cp ${p}, ${q}`,
      (p) => `File.chmod(0640, ${p})`,
      (p) => `system('rm', ${p})`,
      (p) => `system('rm ' + ${p})`,
      (p, _, v) => `${v}f = ${p}; \`rm #{${v}f}\``,
      (p) => `IO.popen(['rm', ${p}]).close`,
      (p) => `Open3.capture2('rm', ${p})`,
      (p) => `[${p}].each { |f| File.delete(f) }`,
      (p) => `File.send(:delete, ${p})`,
      (p) => `Pathname.new(${p}).delete`,
      (_, q) => `Dir.mkdir(${q})`,
      (_, q) => `FileUtils.mkdir_p ${q}`,
      (_, q) => `File.symlink('x', ${q})`,
      (_, q) => `FileUtils.touch(${q})`,
    ],
  },
};

const root = realpathSync(mkdtempSync(join(tmpdir(), "assent-library-")));
chmodSync(root, 0o755);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function prepared(): string {
  const work = mkdtempSync(join(root, "w-"));
  mkdirSync(join(work, "t"));
  const mine = (path: string, mode: number): void => {
    chmodSync(path, mode);
    if (process.getuid?.() === 0) chownSync(path, 65_534, 65_534);
  };
  for (let n = 0; n < FILES; n += 1) {
    writeFileSync(join(work, "t", `f${n}`), `content ${n}\n`);
    mine(join(work, "t", `f${n}`), 0o644);
  }
  mine(join(work, "t"), 0o755);
  mine(work, 0o755);
  return work;
}

/** Each name with what can be seen of it. */
function look(work: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(join(work, "t")).map((name) => {
      const path = join(work, "t", name);
      const stat = lstatSync(path);
      return [`t/${name}`, `${stat.mode} ${stat.isFile() ? readFileSync(path, "utf8") : ""}`];
    }),
  );
}

/** True when the findings say that this path changes. */
function isSaid(path: string, findings: readonly CodeFinding[]): boolean {
  return findings.some((finding) => {
    if (finding.does === "shell") return finding.command.split(/[\s'"]+/).some((word) => normalize(word) === path);
    if (finding.does !== "file" || finding.operation === "read" || finding.operation === "list") return false;
    const said = normalize(finding.path);
    return said === path || (finding.recursive === true && path.startsWith(`${said}/`));
  });
}

describe.skipIf(!canIsolate())("programs of library calls, run for real", () => {
  it.each(Object.entries(GRAMMARS).filter(([, { program }]) => which(program) !== undefined))(
    `${PROGRAMS} in %s change nothing that was not said`,
    (language, grammar) => {
      const { below, pick } = random(seedOr(31));
      const missed: string[] = [];
      let changes = 0;
      for (let round = 0; round < PROGRAMS; round += 1) {
        let source = grammar.start;
        for (let n = 0; n < STATEMENTS; n += 1) {
          const [before, path] = pick(grammar.paths)(`f${n}`, `v${n}`);
          const [beforeOther, other] = pick(grammar.paths)(`n${n}`, `w${n}`);
          const end = language === "python" || language === "ruby" ? "\n" : ";\n";
          source += before + beforeOther + pick(grammar.changes)(path, other, `x${n}`) + end;
          if (below(4) === 0) source += language === "javascript" ? "console.log(1);\n" : language === "perl" ? "print 1;\n" : "print(1)\n";
        }
        const work = prepared();
        const was = look(work);
        const [program, ...args] = isolated([which(grammar.program) ?? "", ...grammar.args, source]);
        spawnSync(program ?? "", args, {
          cwd: work,
          env: { PATH: "/usr/bin:/bin", HOME: work, LC_ALL: "C.UTF-8" },
          timeout: 20_000,
          killSignal: "SIGKILL",
        });
        const is = look(work);
        const findings = LANGUAGES[language]?.(source) ?? [];
        for (const path of new Set([...was.keys(), ...is.keys()])) {
          if (was.get(path) === is.get(path)) continue;
          changes += 1;
          if (!isSaid(path, findings)) missed.push(`${path}: ${source}`);
        }
        rmSync(work, { recursive: true, force: true });
      }
      expect(missed).toEqual([]);
      // Most statements really did something.
      expect(changes).toBeGreaterThan(PROGRAMS * 2);
    },
    3_600_000,
  );
});
