// Plays what package managers do all day under `assent run` and sandboxed, as Claude Code starts it: `npm run package-managers` (with
// `-- NAME…` some of them; `--write FILE` puts the table into a page). npm, pnpm, yarn and bun ask npm's registry; for the others what they
// would fetch is made here and lies in files. Tools that are not on this machine are named, and not counted.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** What is installed, and how: each step is a command in the project, and a file that is there, or not, afterwards. */
interface Manager {
  readonly name: string;
  readonly needs: string;
  readonly version: string;
  /** Of a fresh project and home. `~/` is home. */
  readonly files: Readonly<Record<string, string>>;
  /** Without Assent: what a person has done before. */
  readonly before?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly install: Step;
  readonly add: Step;
  readonly remove: Step;
  /** Without Assent, so that the next installation begins anew with a warm cache. */
  readonly clean: string;
}

type Step = readonly [command: string, file: string, isThere?: boolean];

const STEPS = ["install", "add", "remove", "install again"] as const;
const MODES = ["assent run", "sandboxed"] as const;
/** Of npm: other versions work likewise. */
const FROM_NPM: Readonly<Record<string, string>> = { pnpm: "pnpm@9", yarn: "yarn@1", berry: "@yarnpkg/cli-dist", bun: "bun@1" };

const words = process.argv.slice(2);
const at = words.indexOf("--write");
const page = at < 0 ? undefined : words.splice(at, 2)[1];
const dist = process.env["ASSENT_DIST"] ?? join(process.cwd(), "dist");

// In no temporary folder: what a run may do there says nothing. Below no other home where that can be: yarn reads settings in all folders above.
const base = process.getuid?.() === 0 ? "/srv" : join(homedir(), ".cache");
mkdirSync(base, { recursive: true });
const scratch = realpathSync(mkdtempSync(join(base, "assent-package-managers-")));
const home = join(scratch, "home/dev");
const project = join(home, "app");
const registry = join(scratch, "registry");
const tools = join(scratch, "tools");
/** rustup's are known below home, which is another one here. */
const toolchain = dirname(spawnSync("sh", ["-c", "rustup which cargo"], { encoding: "utf8" }).stdout);
const PATH = `${join(tools, "bin")}${delimiter}${process.env["PATH"] ?? ""}`;

const PACKAGE = JSON.stringify({ name: "app", version: "1.0.0", private: true, dependencies: { "left-pad": "1.3.0" } });
const ofNode = (name: string, add: string, remove: string): Omit<Manager, "version" | "needs" | "name"> => ({
  files: { "package.json": PACKAGE },
  install: [`${name} install`, "node_modules/left-pad/index.js"],
  add: [`${name} ${add} ms@2.1.3`, "node_modules/ms/index.js"],
  remove: [`${name} ${remove} ms`, "node_modules/ms/index.js", false],
  clean: "rm -rf node_modules",
});

function pom(name: string, more: string): string {
  return (
    `<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId><artifactId>${name}</artifactId><version>1.0.0</version>` +
    `<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target></properties>${more}</project>\n`
  );
}

const dependency = (name: string): string =>
  `<dependencies><dependency><groupId>com.example</groupId><artifactId>${name}</artifactId><version>1.0.0</version></dependency></dependencies>`;
const plugin = (named: string): string => {
  const [name = "", version = ""] = named.split(":");
  return `<plugin><artifactId>maven-${name}-plugin</artifactId><version>${version}</version></plugin>`;
};

const MANAGERS: readonly Manager[] = [
  { name: "npm", needs: "npm", version: "npm --version", ...ofNode("npm", "install", "uninstall") },
  { name: "pnpm", needs: "pnpm", version: "pnpm --version", ...ofNode("pnpm", "add", "remove") },
  {
    name: "yarn 1",
    needs: "yarn",
    version: "yarn --version",
    ...ofNode("yarn", "add", "remove"),
    // As root it keeps its cache in /usr/local/share, which is the system's.
    env: { YARN_CACHE_FOLDER: join(home, ".cache/yarn") },
  },
  {
    name: "yarn berry",
    needs: "berry",
    version: "berry --version",
    ...ofNode("berry", "add", "remove"),
    files: { "package.json": PACKAGE, ".yarnrc.yml": "nodeLinker: node-modules\nenableImmutableInstalls: false\n", "yarn.lock": "" },
    // One of the name that people start.
    before: 'mkdir -p ~/.local/bin && ln -s "$(command -v berry)" ~/.local/bin/yarn',
    install: ["yarn install", "node_modules/left-pad/index.js"],
    add: ["yarn add ms@2.1.3", "node_modules/ms/index.js"],
    remove: ["yarn remove ms", "node_modules/ms/index.js", false],
  },
  { name: "bun", needs: "bun", version: "bun --version", ...ofNode("bun", "add", "remove") },
  {
    name: "pip",
    needs: "python3",
    version: "python3 -m pip --version",
    files: { "requirements.txt": "small-thing==1.0.0\n" },
    before: "python3 -m venv .venv",
    env: { PIP_NO_INDEX: "1", PIP_FIND_LINKS: registry },
    install: [".venv/bin/pip install -r requirements.txt", ".venv/lib/python*/site-packages/small_thing.py"],
    add: [".venv/bin/pip install other-thing", ".venv/lib/python*/site-packages/other_thing.py"],
    remove: [".venv/bin/pip uninstall -y other-thing", ".venv/lib/python*/site-packages/other_thing.py", false],
    clean: "rm -rf .venv; python3 -m venv .venv",
  },
  {
    name: "cargo",
    needs: "cargo",
    version: "cargo --version",
    files: {
      "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nsmall-thing = "1.0.0"\n',
      "src/main.rs": "fn main() {}\n",
      "~/.cargo/config.toml": `[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "${registry}/crates"\n`,
    },
    install: ["cargo build --quiet", "target/debug/app"],
    add: ["cargo add --quiet other-thing && cargo build --quiet", "target/debug/deps/libother_thing-*.rlib"],
    remove: ["cargo remove --quiet other-thing", "Cargo.toml"],
    clean: "rm -rf target Cargo.lock",
  },
  {
    name: "go",
    needs: "go",
    version: "go version",
    files: {
      "go.mod": "module example.com/app\n\ngo 1.19\n\nrequire example.com/small v1.0.0\n",
      "~/.config/go/env": `GOPROXY=file://${registry}/go\nGONOSUMDB=*\nGOFLAGS=-mod=mod -modcacherw\n`,
      "main.go": 'package main\n\nimport "example.com/small"\n\nfunc main() { small.Do() }\n',
    },
    install: ["go build -o app .", "app"],
    add: ["go get example.com/other@v1.0.0", "~/go/pkg/mod/example.com/other@v1.0.0/other.go"],
    remove: ["go mod tidy", "go.sum"],
    clean: "rm -f app go.sum",
  },
  {
    name: "bundler",
    needs: "bundle",
    version: "bundle --version",
    files: { Gemfile: `source "file://${registry}/gems"\ngem "small_thing"\n`, "~/.bundle/config": "---\nBUNDLE_PATH: vendor/bundle\n" },
    install: ["bundle install --quiet", "vendor/bundle/ruby/*/gems/small_thing-1.0.0/lib/small_thing.rb"],
    add: ["bundle add other_thing", "vendor/bundle/ruby/*/gems/other_thing-1.0.0/lib/other_thing.rb"],
    remove: ["bundle remove other_thing", "Gemfile"],
    clean: "rm -rf vendor",
  },
  {
    name: "composer",
    needs: "composer",
    version: "composer --version",
    files: {
      "composer.json": JSON.stringify({ name: "a/app", require: { "small/thing": "1.0.0" } }),
      "~/.config/composer/config.json": JSON.stringify({
        repositories: [{ packagist: false }, { type: "path", url: join(registry, "composer/*"), options: { symlink: false } }],
      }),
    },
    install: ["composer install --no-interaction --quiet", "vendor/small/thing/small.php"],
    add: ["composer require --no-interaction --quiet other/thing", "vendor/other/thing/other.php"],
    remove: ["composer remove --no-interaction --quiet other/thing", "vendor/other/thing/other.php", false],
    clean: "rm -rf vendor",
  },
  {
    name: "poetry",
    needs: "poetry",
    version: "poetry --version",
    files: {
      "pyproject.toml":
        '[tool.poetry]\nname = "app"\nversion = "0.1.0"\ndescription = ""\nauthors = []\n\n[tool.poetry.dependencies]\npython = "^3.8"\n' +
        `small-thing = { path = "${registry}/small_thing-1.0.0-py3-none-any.whl" }\n`,
    },
    env: { POETRY_VIRTUALENVS_IN_PROJECT: "1" },
    install: ["poetry install --no-interaction --no-root", ".venv/lib/python*/site-packages/small_thing.py"],
    add: [`poetry add --no-interaction ${registry}/other_thing-1.0.0-py3-none-any.whl`, ".venv/lib/python*/site-packages/other_thing.py"],
    remove: ["poetry remove --no-interaction other-thing", ".venv/lib/python*/site-packages/other_thing.py", false],
    clean: "rm -rf .venv",
  },
  {
    name: "mix",
    needs: "mix",
    version: "elixir --short-version",
    files: {
      "mix.exs":
        'defmodule App.MixProject do\n  use Mix.Project\n  def project, do: [app: :app, version: "0.1.0", deps: deps()]\n' +
        `  defp deps, do: [of("small")] ++ if(File.exists?("more"), do: [of("other")], else: [])\n` +
        `  defp of(name), do: {:"#{name}_thing", git: "file://${registry}/mix/#{name}_thing"}\nend\n`,
      "lib/app.ex": "defmodule App do\nend\n",
    },
    env: { LC_ALL: "C.UTF-8" },
    install: ["mix deps.get && mix compile", "_build/dev/lib/small_thing/ebin/small_thing.app"],
    add: ["touch more && mix deps.get", "deps/other_thing/mix.exs"],
    remove: ["rm more && mix deps.clean --unused --unlock", "deps/other_thing", false],
    clean: "rm -rf deps _build",
  },
  {
    name: "maven",
    needs: "mvn",
    version: "mvn --version",
    files: {
      "pom.xml": pom(
        "app",
        `<repositories><repository><id>files</id><url>https://files.example/maven</url></repository></repositories>${dependency("small")}` +
          `<profiles><profile><id>more</id>${dependency("other")}</profile></profiles>` +
          `<build><plugins>${["resources:3.4.0", "compiler:3.15.0", "clean:3.5.0"].map(plugin).join("")}</plugins></build>`,
      ),
      "src/main/java/A.java": "class A {}\n",
      "~/.m2/settings.xml": `<settings><mirrors><mirror><id>files</id><mirrorOf>files</mirrorOf><url>file://${registry}/maven</url></mirror></mirrors></settings>\n`,
    },
    // What maven itself is made of: as of who plays this, or from its own repository.
    before: `cp -r ${homedir()}/.m2/repository ~/.m2/ || true`,
    // Java takes home from passwd(5).
    env: { MAVEN_OPTS: `-Duser.home=${home}` },
    install: ["mvn --batch-mode --quiet compile", "~/.m2/repository/com/example/small/1.0.0/small-1.0.0.jar"],
    add: ["mvn --batch-mode --quiet -Pmore compile", "~/.m2/repository/com/example/other/1.0.0/other-1.0.0.jar"],
    remove: ["mvn --batch-mode --quiet clean", "target", false],
    clean: "rm -rf ~/.m2/repository/com/example",
  },
  {
    name: "gradle",
    needs: "gradle",
    version: "gradle --version",
    files: {
      "build.gradle":
        `apply plugin: 'java'\nrepositories { maven { url "file://${registry}/maven" } }\n` +
        "dependencies { compile 'com.example:small:1.0.0' }\nif (project.hasProperty('more')) { dependencies { compile 'com.example:other:1.0.0' } }\n" +
        "task libs(type: Copy) { from configurations.compile; into 'libs' }\n",
      "src/main/java/A.java": "class A {}\n",
    },
    env: { GRADLE_USER_HOME: join(home, ".gradle") },
    install: ["gradle --no-daemon --quiet build", "build/libs/app.jar"],
    add: ["gradle --no-daemon --quiet -Pmore libs", "libs/other-1.0.0.jar"],
    remove: ["gradle --no-daemon --quiet clean", "build", false],
    clean: "rm -rf build libs",
  },
];

/** Known, and not in any of the places that are reached from here. */
const NOT_PLAYED = ["uv"];

makeRegistry();
const chosen = MANAGERS.filter(({ name }) => words.length === 0 || words.includes(name));
fetchTools(chosen);
interface Row {
  readonly manager: string;
  readonly version: string;
  readonly step: (typeof STEPS)[number];
  readonly command: string;
  /** Of each mode; undefined: it goes through. */
  readonly why: readonly (string | undefined)[];
}
const rows: Row[] = [];
const absent: string[] = [...NOT_PLAYED];
for (const manager of chosen) {
  if (shell(`command -v ${manager.needs}`).status !== 0) absent.push(manager.name);
  else rows.push(...play(manager));
}
const through = rows.filter(({ why }) => why.every((one) => one === undefined)).length;
process.stdout.write(`${through} of ${rows.length} go through; not on this machine: ${absent.join(", ")}\n`);
if (page !== undefined) write(page);
rmSync(scratch, { recursive: true, force: true });
process.exitCode = rows.length - through > rows.length / 5 ? 1 : 0;

function play(manager: Manager): readonly Row[] {
  const { install, add, remove, clean } = manager;
  const steps = [install, add, remove, install];
  const why: (string | undefined)[][] = steps.map(() => []);
  for (const mode of MODES) {
    fresh(manager, mode);
    for (const [index, [command, file, isThere = true]] of steps.entries()) {
      if (index === 3) must(shell(clean, manager.env));
      const ran = mode === "sandboxed" ? sandboxed(command, manager.env) : supervised(command, manager.env);
      const found = shell(`ls -d ${file}`).status === 0;
      const said = `${ran.stdout}${ran.stderr}`;
      const refused = /^assent: (?:refused|\d+ (?:call|refused)).*$/m.exec(said)?.[0];
      const bad =
        ran.status !== 0
          ? `exit ${ran.status}: ${refused ?? said.trim().split("\n").slice(-3).join(" / ")}`
          : found !== isThere
            ? `${file} is ${found ? "still" : "not"} there`
            : undefined;
      why[index]?.push(bad);
      process.stdout.write(
        `${manager.name.padEnd(11)} ${mode.padEnd(11)} ${command.slice(0, 50).padEnd(50)} ${bad ?? "ok"}${bad === undefined && refused !== undefined ? ` (${refused})` : ""}\n`,
      );
      if (bad !== undefined && process.env["SHOW"] !== undefined) process.stdout.write(said);
    }
  }
  const version = shell(manager.version, manager.env).stdout.match(/\d+(?:\.\d+)+/)?.[0] ?? "";
  return steps.map(([command], index) => ({
    manager: manager.name,
    version,
    step: STEPS[index] ?? "install",
    command,
    why: why[index] ?? [],
  }));
}

/** A home and a project in which nothing has been installed. */
function fresh({ files, before, env }: Manager, mode: (typeof MODES)[number]): void {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  if (mode === "sandboxed") writeFileSync(join(home, ".agent-permissions.jsonc"), '{ "unknown": "confine" }\n');
  for (const [name, text] of Object.entries(files)) put(name.startsWith("~/") ? join(home, name.slice(2)) : join(project, name), text);
  must(shell("git init -q .", env));
  if (before !== undefined) must(shell(before, env));
}

function environment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { RUSTUP_HOME = join(homedir(), ".rustup"), NODE_EXTRA_CA_CERTS = "/etc/ssl/certs/ca-certificates.crt" } = process.env;
  return {
    PATH: `${home}/.local/bin:${PATH}:${toolchain}`,
    HOME: home,
    LC_ALL: "C.UTF-8",
    CI: "1",
    RUSTUP_HOME,
    NODE_EXTRA_CA_CERTS,
    ...env,
  };
}

function shell(command: string, env?: Readonly<Record<string, string>>): SpawnSyncReturns<string> {
  return start(["/bin/sh", "-c", command], env);
}

function start(argv: readonly string[], env?: Readonly<Record<string, string>>, input = ""): SpawnSyncReturns<string> {
  const [program = "", ...args] = argv;
  const cwd = existsSync(project) ? project : scratch;
  return spawnSync(program, args, { cwd, env: environment(env), input, encoding: "utf8", timeout: 150_000 });
}

function must({ status, stderr }: SpawnSyncReturns<string>): void {
  if (status !== 0) throw new Error(stderr);
}

/** A person starts it, and nobody is asked. */
function supervised(command: string, env?: Readonly<Record<string, string>>): SpawnSyncReturns<string> {
  const argv = /[&|;<>$]/.test(command) ? ["/bin/sh", "-c", command] : command.split(" ");
  return start([process.execPath, join(dist, "bin.cjs"), "run", "-P", "--", ...argv], env);
}

/** The hook's answer to Claude Code is started. */
function sandboxed(
  command: string,
  env?: Readonly<Record<string, string>>,
): Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr"> {
  const call = {
    session_id: "package-managers",
    cwd: project,
    permission_mode: "default",
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: { command },
    permission_suggestions: [],
  };
  const answer = start([process.execPath, join(dist, "bin.cjs"), "check", "--agent", "claude"], env, JSON.stringify(call)).stdout;
  const confined = /"updatedInput":\{"command":("(?:[^"\\]|\\.)*")/.exec(answer)?.[1];
  if (confined === undefined) return { status: 1, stdout: "", stderr: `not sandboxed: ${answer}` };
  return start(["/bin/bash", "-c", String(JSON.parse(confined))], env);
}

function put(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** From npm's registry, by npm. */
function fetchTools(managers: readonly Manager[]): void {
  mkdirSync(join(tools, "bin"), { recursive: true });
  for (const { needs } of managers) {
    const wanted = FROM_NPM[needs];
    if (wanted === undefined) continue;
    const to = join(tools, needs);
    // With the settings of who plays this.
    spawnSync("npm", ["install", "--prefix", to, wanted], { encoding: "utf8" });
    const program = needs === "berry" ? "yarn" : needs;
    const from = join(to, "node_modules/.bin", program);
    if (existsSync(from)) spawnSync("ln", ["-s", realpathSync(from), join(tools, "bin", needs)]);
  }
}

/** Packages of all kinds: `small` and `other`, in files. */
function makeRegistry(): void {
  mkdirSync(registry, { recursive: true });
  mkdirSync(project, { recursive: true });
  for (const name of ["small", "other"]) {
    python(
      `import zipfile
z = zipfile.ZipFile("${registry}/${name}_thing-1.0.0-py3-none-any.whl", "w")
d = "${name}_thing-1.0.0.dist-info"
z.writestr("${name}_thing.py", "x = 1\\n")
z.writestr(d + "/METADATA", "Metadata-Version: 2.1\\nName: ${name}-thing\\nVersion: 1.0.0\\n")
z.writestr(d + "/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
z.writestr(d + "/RECORD", "${name}_thing.py,,\\n" + d + "/METADATA,,\\n" + d + "/WHEEL,,\\n" + d + "/RECORD,,\\n")
z.close()
import os
g = "${registry}/go/example.com/${name}/@v/"
os.makedirs(g, exist_ok=True)
open(g + "list", "w").write("v1.0.0\\n")
open(g + "v1.0.0.info", "w").write('{"Version": "v1.0.0", "Time": "2020-01-01T00:00:00Z"}')
open(g + "v1.0.0.mod", "w").write("module example.com/${name}\\n")
z = zipfile.ZipFile(g + "v1.0.0.zip", "w")
z.writestr("example.com/${name}@v1.0.0/go.mod", "module example.com/${name}\\n")
z.writestr("example.com/${name}@v1.0.0/${name}.go", "package ${name}\\n\\nfunc Do() {}\\n")
z.close()`,
    );
    const jar = join(registry, `maven/com/example/${name}/1.0.0/${name}-1.0.0`);
    put(`${jar}.pom`, pom(name, ""));
    python(
      `import zipfile\nz = zipfile.ZipFile("${jar}.jar", "w")\nz.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\\n")\nz.close()`,
    );
    const mix = join(registry, `mix/${name}_thing`);
    put(
      join(mix, "mix.exs"),
      `defmodule Thing.MixProject do\n  use Mix.Project\n  def project, do: [app: :${name}_thing, version: "1.0.0"]\nend\n`,
    );
    must(shell(`cd ${mix} && git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a`));
    const crate = join(registry, "crates", `${name}-thing-1.0.0`);
    const files = {
      "Cargo.toml": `[package]\nname = "${name}-thing"\nversion = "1.0.0"\nedition = "2021"\n`,
      "src/lib.rs": "pub fn f() {}\n",
    };
    for (const [file, text] of Object.entries(files)) put(join(crate, file), text);
    const sums: Record<string, string> = {};
    for (const [file, text] of Object.entries(files)) sums[file] = createHash("sha256").update(text).digest("hex");
    put(join(crate, ".cargo-checksum.json"), JSON.stringify({ files: sums, package: null }));
    put(join(registry, `composer/${name}/composer.json`), JSON.stringify({ name: `${name}/thing`, version: "1.0.0" }));
    put(join(registry, `composer/${name}/${name}.php`), "<?php\n");
    const gem = join(scratch, `${name}_gem`);
    put(join(gem, `lib/${name}_thing.rb`), "X = 1\n");
    put(
      join(gem, `${name}_thing.gemspec`),
      `Gem::Specification.new { |s| s.name = "${name}_thing"; s.version = "1.0.0"; s.summary = "s"; s.authors = ["a"]; s.files = ["lib/${name}_thing.rb"] }\n`,
    );
    mkdirSync(join(registry, "gems/gems"), { recursive: true });
    shell(`cd ${gem} && gem build ${name}_thing.gemspec && cp *.gem ${registry}/gems/gems/`);
  }
  shell(`cd ${registry}/gems && gem generate_index`);
}

function python(text: string): void {
  must(spawnSync("python3", ["-c", text], { encoding: "utf8" }));
}

function write(file: string): void {
  const mark = (text: string): string => `<!-- ${text}: npm run package-managers -->`;
  const cell = (why: string | undefined): string => (why === undefined ? "yes" : "no");
  const failing = rows.flatMap(({ manager, step, why }) =>
    why.flatMap((one, index) => (one === undefined ? [] : [`- ${manager}, ${step}, ${MODES[index] ?? ""}: ${one}`])),
  );
  const text = [
    mark("played"),
    "",
    `Played on Linux: ${through} of ${rows.length} go through both ways, with nobody to ask.`,
    "",
    "| tool | step | command | `assent run -P` | sandboxed |",
    "|---|---|---|---|---|",
    ...rows.map(
      ({ manager, version, step, command, why }) => `| ${manager} ${version} | ${step} | \`${command}\` | ${why.map(cell).join(" | ")} |`,
    ),
    "",
    ...(failing.length === 0 ? [] : ["What does not, and why:", "", ...failing, ""]),
    `npm, pnpm, yarn and bun asked npm's registry; for the others packages lay in files. Not played: ${absent.join(", ")}.`,
    "",
    mark("end"),
  ]
    .join("\n")
    // Another folder on each machine and day.
    .replaceAll(scratch, "");
  const before = readFileSync(file, "utf8");
  const [from, to] = [before.indexOf(mark("played")), before.indexOf(mark("end"))];
  writeFileSync(file, from < 0 ? `${before.trimEnd()}\n\n${text}\n` : before.slice(0, from) + text + before.slice(to + mark("end").length));
}
