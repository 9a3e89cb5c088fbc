import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realWorld } from "@assent/guard/engine";
import {
  allTools,
  toolServiceOf,
  isToolItself,
  isHelper,
  laterPlaces,
  NO_TOOL_SERVICE,
  knownToolService,
} from "../../../packages/supervisor/src/supervise/services/services.ts";
import { isAtPlace, readToolServices } from "../../../packages/supervisor/src/supervise/services/read.ts";
import type { JudgedExec } from "../../../packages/supervisor/src/supervise/judge/types.ts";
import { RunJudge } from "../../../packages/supervisor/src/supervise/judge/run-judge.ts";
import { isFreePlace } from "../../../packages/supervisor/src/supervise/judge/free-places.ts";
import { isWithin } from "@assent/core/path";
import { verdictOf } from "@assent/core/policy";
import { reader } from "../../scratch.ts";

const FOLDER = join(import.meta.dirname, "../../../packages/core/knowledge/services");
const files = readdirSync(FOLDER).map((file) => ({ name: file.replace(".table", ""), text: readFileSync(join(FOLDER, file), "utf8") }));
const { blocks, mistakes } = readToolServices(files);

const HOME = "/nowhere/home";
const around = { home: HOME, cwd: "/nowhere/project", env: (): undefined => undefined, isFree: (): boolean => true };
const at = (place: string): string => place.replace(/^~/, HOME).replace(/^\./, around.cwd);

const does = (program: string, deed: string, what: string): boolean => {
  const { writes, hosts } = toolServiceOf(program, [], around);
  if (deed === "write") return writes.some((place) => isAtPlace(at(what), place));
  if (deed === "connect") return hosts.some(({ host }) => host === what);
  return (knownToolService(program)?.login ?? []).some((own) => isWithin(at(what), at(own)));
};

describe("packages/core/knowledge/services", () => {
  it("is understood, and is what the code has", () => {
    expect(mistakes).toEqual([]);
    expect(allTools()).toEqual(blocks.map(({ tool }) => tool));
    expect(new Set(blocks.flatMap(({ tool }) => tool.names)).size).toBeGreaterThan(100);
    expect(blocks.length).toBeGreaterThan(60);
  });

  for (const { tool, examples } of blocks)
    it(`${tool.names.join(" ")}: what it may do for itself, and what not`, () => {
      const wrong = examples.flatMap(({ verdict, does: deed, what }) =>
        tool.names.filter((name) => does(name, deed, what) !== (verdict === "allow")).map((name) => `${name}: ${verdict} ${deed} ${what}`),
      );
      expect(wrong).toEqual([]);
    });

  it("offers no place that programs are started from, and no settings", () => {
    const INSTALLED =
      /\/(?:bin|shims|toolchains|init\.d|plugins|extensions|startup|hooks)$|\/\.(?:npmrc|gitconfig|bazelrc|condarc|gemrc)$|settings\.xml$|\.config$/;
    const places = blocks.flatMap(({ tool }) => [...(tool.cache ?? []), ...(tool.later ?? []), ...(tool.builds ?? [])]);
    expect(places.filter((place) => INSTALLED.test(place) && place !== "~/.cache/rebar3/plugins")).toEqual([]);
    expect(places.filter((place) => place.split("/").length < 2 || /^~\/(?:\.cache|\.local|\.local\/share|\.config)$/.test(place))).toEqual(
      [],
    );
  });

  it("builds only in its own places, and opens to project code no host that takes anything", () => {
    const outside = blocks.flatMap(({ tool: { builds = [], cache = [], later = [] } }) =>
      builds.filter((place) => ![...cache, ...later].some((own) => isWithin(place, own))),
    );
    expect(outside).toEqual([]);
    const TAKES =
      /^(?:registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|rubygems\.org|(?:api\.)?github\.com|.*amazonaws\.com|storage\.googleapis\.com)$/;
    const open = blocks.flatMap(({ tool: { names, downloads = [], projectCode } }) =>
      projectCode === true ? downloads.filter((host) => TAKES.test(host)).map((host) => `${names[0]}: ${host}`) : [],
    );
    expect(open).toEqual([]);
  });

  it("names the mistakes of a table", () => {
    const wrong = (text: string): readonly string[] => readToolServices([{ name: "x", text }]).mistakes;
    expect(wrong("tool\n  cache: ../up\n  ask: write ~/a\n  allow: write ~/b\n")).toEqual([
      "packages/core/knowledge/services/x.table:2: cache: `../up` is not a place",
    ]);
    expect(wrong("tool\n  cache: ~/a\n")).toHaveLength(2);
    expect(wrong("tool\n  hosts: a b\n  allow: connect x.y\n  ask: connect z.y\n")).toHaveLength(1);
    expect(wrong("tool\n  moved: X\n  cache: ~/a\n  allow: write ~/a\n  ask: write ~/b\n")).toHaveLength(1);
    expect(wrong("tool\n  colour: red\n  ask: write ~/b\n")).toHaveLength(1);
  });
});

const npmInit = (word: string): Parameters<typeof toolServiceOf>[1] => [
  {
    kind: "exec",
    program: "npm",
    argv: ["npm", word].map((text) => ({ known: true, text }) as const),
    env: [],
    trusted: true,
    origin: { by: "tool" },
  },
];

describe("a tool service is the tool's own", () => {
  // npm init runs code that a project's settings may name.
  it.each([
    ["install", {}, true],
    ["install", { ofAgent: true }, true],
    ["init", {}, true],
    ["init", { loadsProject: true }, false],
    ["init", { ofAgent: true }, false],
    ["create", { ofAgent: true }, false],
  ])("npm %s with %j has its registry: %s", (word, more, has) => {
    const hosts = toolServiceOf("npm", npmInit(word), { ...around, ...more }).hosts.map(({ host }) => host);
    expect(hosts.includes("registry.npmjs.org")).toBe(has);
  });

  it("what git keeps in another repository than the project's is opened to nobody", () => {
    const index = { kind: "file", operation: "write", origin: { by: "command", exec: 0 }, upkeep: true } as const;
    const written = (path: string, more: object = {}): readonly string[] =>
      toolServiceOf("git", [{ ...index, ...more, target: { kind: "path", path } }], around).writes;
    expect(written("/nowhere/project/.git/index")).toContain("/nowhere/project/.git/index");
    expect(written("/nowhere/other/.git/index", { unopened: true })).not.toContain("/nowhere/other/.git/index");
  });

  it("what a shell is told to start gives the shell nothing", () => {
    const fetches = { kind: "remote", service: "npm", operation: "read", origin: { by: "command", exec: 1 } } as const;
    expect(toolServiceOf("bash", [fetches], around)).toEqual(NO_TOOL_SERVICE);
    expect(toolServiceOf("tool", [{ ...fetches, origin: { by: "command", exec: 0 } }], around).hosts).not.toEqual([]);
  });

  it.each([
    ["npm", "/usr/bin/git", ["git"], true],
    ["npm", "/home/u/bin/git", ["git"], false],
    ["npm", "/usr/bin/node", ["node", "postinstall.js"], false],
    ["pip", "/usr/bin/python3.12", ["python", "/usr/lib/python3/dist-packages/pip/__pip-runner__.py"], true],
    ["pip", "/usr/bin/python3.12", ["python", "/tmp/__pip-runner__.py"], false],
    ["pip", "/usr/bin/python3.12", ["python", "setup.py"], false],
    ["mvn", "/usr/lib/jvm/java-17/bin/java", ["java", "-cp", "x", "org.codehaus.plexus.classworlds.launcher.Launcher"], true],
    ["mvn", "/usr/lib/jvm/java-17/bin/java", ["java", "Evil"], false],
    ["tool", "/usr/bin/git", ["git"], false],
  ] as const)("%s starts %s %j: goes on with it: %s", (client, path, words, expected) => {
    expect(isHelper(client, path, words)).toBe(expected);
  });
});

describe("where a person has named another registry, or put a cache somewhere else", () => {
  let base: string;
  let home: string;
  beforeAll(() => {
    // No temporary folder: whatever lies there is open anyway.
    mkdirSync(join(homedir(), ".cache"), { recursive: true });
    base = realpathSync(mkdtempSync(join(homedir(), ".cache", "assent-errands-")));
    home = join(base, "home");
    for (const folder of ["proj", "other/.git", "photos", ".ssh", ".claude", "full-cache", ".cache"])
      mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, "photos/a.jpg"), "");
    writeFileSync(join(home, "full-cache/a"), "");
    writeFileSync(
      join(home, ".npmrc"),
      "registry=https://npm.corp.example/a/\n@team:registry=https://team.example:8443\n//npm.corp.example/:_authToken=x\n",
    );
    writeFileSync(join(home, "proj/.npmrc"), "registry=https://evil.example/\n");
    mkdirSync(join(home, ".config/pip"), { recursive: true });
    writeFileSync(join(home, ".config/pip/pip.conf"), "[global]\nindex-url = https://pip.corp.example/simple\n");
    writeFileSync(join(home, ".condarc"), "channels:\n  - https://conda.corp.example/main\n  - conda-forge\n");
    mkdirSync(join(home, ".m2"));
    writeFileSync(join(home, ".m2/settings.xml"), "<mirror><id>m</id><url>https://maven.corp.example/all</url></mirror>");
    mkdirSync(join(home, ".cargo"));
    writeFileSync(join(home, ".cargo/config.toml"), '[registries.corp]\nindex = "sparse+https://crates.corp.example/index/"\n');
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  const hostsOf = (program: string, env: Readonly<Record<string, string>> = {}): readonly string[] =>
    toolServiceOf(program, [], { home, cwd: join(home, "proj"), env: (name) => env[name], isFree: () => false }).hosts.map(
      ({ host }) => host,
    );

  it("the user's own files and variables count, a project's do not", () => {
    expect(hostsOf("npm")).toEqual(expect.arrayContaining(["npm.corp.example", "team.example"]));
    expect(hostsOf("npm")).not.toContain("evil.example");
    expect(hostsOf("npm", { npm_config_registry: "http://127.0.0.1:4873" })).toContain("127.0.0.1");
    expect(hostsOf("pip3")).toContain("pip.corp.example");
    expect(hostsOf("conda")).toContain("conda.corp.example");
    expect(hostsOf("cargo")).toContain("crates.corp.example");
    // Code of the project runs in maven.
    expect(hostsOf("mvn")).not.toContain("maven.corp.example");
  });

  it.each([
    ["npm_config_cache", "home/.npm-cache", true],
    ["npm_config_cache", "/data/npm", true],
    ["npm_config_cache", "home/proj/.cache", true],
    ["npm_config_cache", "home", false],
    ["npm_config_cache", "", false],
    ["npm_config_cache", "home/.ssh", false],
    ["npm_config_cache", "home/.ssh/x", false],
    ["npm_config_cache", "home/.claude", false],
    ["npm_config_cache", "home/other", false],
    ["npm_config_cache", "home/other/sub", false],
    ["npm_config_cache", "home/photos", false],
    ["npm_config_cache", "home/full-cache", true],
    ["npm_config_cache", "home/.cache", false],
    ["npm_config_cache", "home/.config", false],
    ["npm_config_cache", "home/.cache/uv", false],
    ["npm_config_cache", "home/.cargo", false],
    ["npm_config_cache", "home/Documents", false],
    ["npm_config_cache", "/etc/npm", false],
    ["npm_config_cache", "/home/somebody/npm", false],
    ["npm_config_cache", "/usr/local/share/npm", false],
  ] as const)("%s=%s is honoured: %s", (_, value, expected) => {
    const machine = {
      home,
      account: home,
      temp: [],
      env: { PATH: "/usr/bin", HOME: home, XDG_STATE_HOME: join(base, "state") },
      platform: "linux" as const,
      uid: process.getuid?.(),
      managedPolicy: join(base, "none"),
    };
    const cwd = join(home, "proj");
    const judge = new RunJudge({
      machine,
      cwd,
      env: {},
      policyFiles: [],
      profileFile: join(base, "none.jsonc"),
      reader,
      own: [],
    });
    const nobody = {
      programs: () => [],
      logins: () => [],
      trail: () => undefined,
      toolService: () => NO_TOOL_SERVICE,
      builds: () => [],
      hosts: () => ({ service: [], named: [] }),
    };
    const world = realWorld(machine, cwd, undefined);
    const folder = value.startsWith("/") ? value : join(base, value);
    expect(isFreePlace(folder, "npm", { world, home, file: (action) => judge.call([action], nobody) })).toBe(expected);
  });

  it("a look at it costs the same whatever lies there, at home, and in the table", () => {
    const many = join(home, "many");
    for (let at = 0; at < 50; at++) mkdirSync(join(many, `folder-${at}/inside`), { recursive: true });
    const machine = { home, account: home, env: {}, platform: "linux" as const, uid: 0, temp: [], managedPolicy: join(base, "none") };
    const world = realWorld(machine, home, undefined);
    const began = performance.now();
    for (let time = 0; time < 20; time++)
      isFreePlace(join(many, "folder-1"), "npm", { world, home, file: () => verdictOf("allow", "run.default") });
    // One of them took more than a second.
    expect(performance.now() - began).toBeLessThan(1500);
  });

  it("what lies there moves, and nothing else", () => {
    const { writes } = toolServiceOf("npm", [], {
      home,
      cwd: home,
      env: (name) => (name === "npm_config_cache" ? "/disk/npm" : undefined),
      isFree: () => true,
    });
    expect(writes).toEqual(expect.arrayContaining(["/disk/npm/_cacache", `${home}/.npm/_cacache`]));
    expect(writes).not.toContain("/disk/npm");
    const later = laterPlaces({ home, env: (name) => (name === "XDG_CACHE_HOME" ? "/disk/cache" : undefined) }).map(([folder]) => folder);
    expect(later).toEqual(expect.arrayContaining([`${home}/.npm/_npx`, `${home}/.cargo/registry/src`, "/disk/cache/ms-playwright"]));
  });
});

describe("a helper that is the tool itself has its settings", () => {
  const LAUNCHER = "org.codehaus.plexus.classworlds.launcher.Launcher";
  it.each([
    [
      "mvn",
      "/usr/lib/jvm/java-17-openjdk-amd64/bin/java",
      ["java", "-classpath", "/usr/share/maven/boot/x.jar", LAUNCHER, "compile"],
      true,
    ],
    ["gradle", "/usr/bin/java", ["java", "org.gradle.launcher.GradleMain", "build"], true],
    ["mvn", "/usr/bin/java", ["java", "-jar", "app.jar"], false],
    ["mvn", "/home/u/app/java", ["java", LAUNCHER], false],
    ["java", "/usr/bin/java", ["java", LAUNCHER], false],
    ["gradle", "/usr/bin/java", ["java", LAUNCHER], false],
    ["mvn", "/usr/bin/git", ["git", "clone", "x"], false],
    // Code of the project never works beside its logins: they stand in files that are only its own.
    ["npm", "/usr/bin/git", ["git", "clone", "x"], false],
    ["bundle", "/usr/bin/git", ["git", "clone", "x"], false],
    ["pip", "/usr/bin/python3", ["python3", "/usr/lib/python3/dist-packages/pip/__pip-runner__.py"], false],
  ] as const)("%s that starts %s %j: %s", (client, path, words, isItself) => {
    expect(isToolItself(client, path, words)).toBe(isItself);
  });
});

describe("whose credentials a program is trusted with", () => {
  const base = realpathSync(mkdtempSync(join(homedir(), "errand-logins-")));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const cwd = join(base, "project/sub");
  mkdirSync(cwd, { recursive: true });
  for (const folder of ["project/.git", "project/other", "home", "bin"]) mkdirSync(join(base, folder));
  for (const tool of ["npm", "pnpm", "yarn", "bun", "gem", "bundle", "dart", "dotnet", "pip", "poetry", "Rscript", "mvn", "gradle", "mix"])
    writeFileSync(join(base, "bin", tool), "#!/bin/sh\n", { mode: 0o755 });

  const judgeOf = (ofAgent: boolean): RunJudge => {
    const home = join(base, "home");
    const env = { PATH: join(base, "bin") };
    const machine = { home, account: home, env, platform: "linux" as const, uid: 0, temp: [], managedPolicy: join(base, "none") };
    return new RunJudge({ machine, cwd, env, policyFiles: [], profileFile: join(base, "none.jsonc"), reader, own: [], ofAgent });
  };
  const caller = {
    programs: () => [],
    logins: () => [],
    trail: () => undefined,
    toolService: () => NO_TOOL_SERVICE,
    builds: () => [],
    hosts: () => ({ service: [], named: [] }),
  };
  const startedFile = (argv: readonly string[]): JudgedExec => {
    const path = join("/usr/bin", argv[0] ?? "");
    return judgeOf(false).exec([{ word: path, path, id: "", size: 1, argv, file: path }], { name: "exec", args: [] }, caller);
  };
  const started = (argv: readonly string[], loaded: string, ofAgent: boolean): JudgedExec => {
    const [name = "", text = ""] = loaded.split(": ");
    const file = join(base, "project", name);
    writeFileSync(file, text);
    const [word = ""] = argv;
    const path = join(base, "bin", word);
    const script = { word, path, id: "", size: 1, argv, file: path };
    const node = { ...script, word: "node", path: "/usr/bin/node", argv: ["node", path, ...argv.slice(1)], file: "/usr/bin/node" };
    const found = judgeOf(ofAgent).exec([script, node], { name: "exec", args: [] }, caller);
    rmSync(file);
    return found;
  };
  const trusted = (argv: readonly string[], loaded: string = "README"): readonly string[] => {
    const { logins, toolService } = started(argv, loaded, false);
    return toolService === NO_TOOL_SERVICE ? [] : logins;
  };

  // The registry takes uploads: it is open while no code of the project is in the tool's process. [what, words, a file of the project, whether it is open]
  it.each([
    ["pnpm", ["pnpm", "add", "left-pad"], undefined, true],
    ["pnpm with an ordinary workspace", ["pnpm", "install"], "pnpm-workspace.yaml: packages: [a]", true],
    ["pnpm with a file that it loads", ["pnpm", "add", "left-pad"], ".pnpmfile.cjs", false],
    ["pnpm with settings that name one", ["pnpm", "install"], ".npmrc: pnpmfile=./x", false],
    ["pnpm with settings that let each package have one", ["pnpm", "install"], ".npmrc: shared-workspace-lockfile=false", false],
    ["pnpm with a key over two lines", ["pnpm", "install"], 'pnpm-workspace.yaml: ? "pnpm\\\nfile"\n: x.cjs', false],
    ["pnpm with an option that nobody knows", ["pnpm", "install", "--pnpmfile=x.cjs"], undefined, false],
    ["pnpm that works in another folder", ["pnpm", "-C", "../other", "install"], "other/.pnpmfile.cjs", false],
    ["however that is said", ["pnpm", "--dir=../other", "install"], "other/.pnpmfile.cjs", false],
    ["or attached", ["pnpm", "-C../other", "install"], "other/.pnpmfile.cjs", false],
    ["yarn", ["yarn", "add", "left-pad"], undefined, true],
    ["yarn with ordinary settings", ["yarn", "install"], ".yarnrc.yml: nodeLinker: node-modules", true],
    ["yarn with settings that name plugins", ["yarn", "install"], ".yarnrc.yml: plugins: [x.cjs]", false],
    ["yarn with settings that name another yarn", ["yarn", "install"], ".yarnrc: yarn-path x.cjs", false],
    ["yarn with what it resolves packages by", ["yarn", "install"], ".pnp.cjs", false],
    ["bun", ["bun", "add", "left-pad"], undefined, true],
    ["bun with what it preloads", ["bun", "add", "left-pad"], "bunfig.toml", false],
    ["bun that runs a file", ["bun", "x.ts"], undefined, false],
    ["bun that runs a script", ["bun", "run", "x"], undefined, false],
    ["bun that tests", ["bun", "test"], undefined, false],
    ["npm", ["npm", "install"], ".pnpmfile.cjs", true],
  ] as const)("the registry of %s", (_what, argv, loaded, isOpen) => {
    const hosts = [false, true].map((ofAgent) => {
      const { toolService } = started(argv, loaded ?? "README", ofAgent);
      return toolService.hosts.some(({ host }) => host === "registry.npmjs.org");
    });
    expect(hosts).toEqual([isOpen, isOpen]);
  });

  // A module works in its interpreter. [what, words, files of the project, whether pip's registry and cache are open]
  it.each([
    ["python -m pip", ["python3", "-m", "pip", "install", "a"], [], true],
    ["attached", ["python3", "-mpip", "install", "a"], [], true],
    ["beside what takes no module's place", ["python3", "-m", "pip", "install", "."], ["setup.py", "app/__init__.py", "tests/a.py"], true],
    ["beside a folder that is no package", ["python3", "-m", "pip", "install", "."], ["json/a.txt"], true],
    ["beside a pip of the project", ["python3", "-m", "pip", "install", "a"], ["pip.py"], false],
    ["beside a package of its name", ["python3", "-m", "pip", "install", "a"], ["pip/__init__.py"], false],
    ["beside what it imports", ["python3", "-m", "pip", "install", "a"], ["optparse.py"], false],
    ["beside what it imports where that is there", ["python3", "-m", "pip", "install", "a"], ["keyring/__init__.py"], false],
    ["beside what is compiled", ["python3", "-m", "pip", "install", "a"], ["ssl.cpython-311-x86_64-linux-gnu.so"], false],
    ["behind an option", ["python3", "-X", "importtime", "-m", "pip", "install", "a"], [], false],
    ["with an option that nobody knows", ["python3", "-m", "pip", "install", "--frobnicate", "a"], [], false],
    ["another module", ["python3", "-m", "venv", "pip"], [], false],
    ["a module of the project that is called alike", ["python3", "-m", "pip.evil", "install"], [], false],
    ["a script of that name", ["python3", "pip", "install", "a"], ["pip"], false],
    ["code that names it", ["python3", "-c", "-m", "pip", "install"], [], false],
    ["a program that is no interpreter", ["npm", "-m", "pip", "install"], [], false],
    ["a shell that starts it", ["bash", "-c", "python3 -m pip install a"], [], false],
  ] as const)("%s", (_what, argv, files, isOpen) => {
    for (const file of files) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), "");
    }
    const { toolService, programs } = startedFile(argv);
    for (const file of files) rmSync(join(cwd, file.split("/")[0] ?? ""), { recursive: true, force: true });
    const hosts = toolService.hosts.some(({ host }) => host === "pypi.org");
    const writes = toolService.writes.some((place) => place.endsWith("/.cache/pip/wheels"));
    expect([hosts, writes, programs.includes("pip")]).toEqual([isOpen, isOpen, isOpen]);
  });

  it.each([
    ["npm", ["npm", "ci"], undefined, true],
    ["npm with an option that nobody knows, which may load code", ["npm", "--init-module=./x.js", "init", "-y"], undefined, false],
    ["however it is cut", ["npm", "init", "--init-modul=./x.js"], undefined, false],
    ["pnpm", ["pnpm", "install"], undefined, true],
    ["pnpm where a file of the project is loaded into it", ["pnpm", "install"], ".pnpmfile.cjs", false],
    ["pnpm, whatever it is told", ["pnpm", "run", "build"], ".pnpmfile.mjs", false],
    ["npm, which loads none", ["npm", "ci"], ".pnpmfile.cjs", true],
    ["yarn where the project names another", ["yarn", "install"], ".yarnrc.yml: yarnPath: x.cjs", false],
    ["yarn where its settings are ordinary", ["yarn", "install"], ".yarnrc.yml: nodeLinker: node-modules", true],
    ["bun where the project preloads", ["bun", "install"], "bunfig.toml", false],
    ["npm init, which loads what settings name", ["npm", "init", "-y"], undefined, false],
    ["however it is shortened", ["npm", "ini", "-y"], undefined, false],
    ["wherever it stands", ["npm", "-w", "a", "innit"], undefined, false],
    ["npm told what nobody knows", ["npm", "evolve"], undefined, false],
    ["pnpm where a setting names what is loaded into it", ["pnpm", "install"], ".npmrc: pnpmfile=./x.cjs", false],
    ["with a letter written otherwise", ["pnpm", "install"], '.npmrc: "pnpm\\u0066ile"=./x.cjs', false],
    ["pnpm where settings name nothing such", ["pnpm", "install"], ".npmrc: save-exact=true", true],
    ["pnpm where the workspace names it", ["pnpm", "install"], "pnpm-workspace.yaml: pnpmfile: x.cjs", false],
    ["pnpm with an ordinary workspace", ["pnpm", "install"], "pnpm-workspace.yaml: packages: [a]", true],
    ["bun", ["bun", "install"], undefined, true],
    ["bun that runs a file", ["bun", "x.ts"], undefined, false],
    ["bun that runs a script", ["bun", "run", "x"], undefined, false],
    ["bun that tests", ["bun", "test"], undefined, false],
    ["gem", ["gem", "push", "x.gem"], undefined, true],
    ["gem that evaluates what it builds from", ["gem", "build", "x.gemspec"], undefined, false],
    ["bundle", ["bundle", "install"], undefined, true],
    ["bundle that loads a program", ["bundle", "exec", "rake"], undefined, false],
    ["dart", ["dart", "pub", "get"], undefined, true],
    ["dart that runs a file", ["dart", "x.dart"], undefined, false],
    ["dotnet", ["dotnet", "restore"], undefined, true],
    ["dotnet that runs a file", ["dotnet", "x.dll"], undefined, false],
    ["pip", ["pip", "install", "x"], undefined, true],
    ["pip told what nobody knows", ["pip", "instal", "x"], undefined, false],
    ["poetry where the project keeps plugins", ["poetry", "install"], ".poetry", false],
    ["poetry where it is to install some", ["poetry", "install"], "pyproject.toml: [tool.poetry.requires-plugins]", false],
    ["poetry with an ordinary project", ["poetry", "install"], "pyproject.toml: [tool.poetry]", true],
  ] as const)("%s", (_what, argv, loaded, own) => expect(trusted(argv, loaded).length > 0).toBe(own));

  /** These run a project's code in their own process even to install. [tool, words, file, what stands in it, whether it may read it] */
  it.each([
    [
      "mvn",
      ["package"],
      ".m2/settings.xml",
      "<settings><mirrors><mirror><url>https://maven.example</url></mirror></mirrors></settings>",
      true,
    ],
    [
      "mvn",
      ["package"],
      ".m2/settings.xml",
      "<settings><servers><server><id>a</id><password>x</password></server></servers></settings>",
      false,
    ],
    ["mvn", ["package"], ".m2/settings.xml", "<url>https://me:x@maven.example</url>", false],
    ["gradle", ["build"], ".gradle/gradle.properties", "org.gradle.jvmargs=-Xmx2g\norg.gradle.parallel=true\n", true],
    ["gradle", ["build"], ".gradle/gradle.properties", "nexusPassword=x\n", false],
    ["gradle", ["build"], ".gradle/gradle.properties", "artifactory_\\u0070assword=x\n", false],
    ["bundle", ["install"], ".bundle/config", '---\nBUNDLE_JOBS: "4"\nBUNDLE_PATH: "vendor"\n', true],
    ["bundle", ["install"], ".bundle/config", '---\nBUNDLE_GEMS__CORP__EXAMPLE: "me:x"\n', false],
    ["dotnet", ["build"], ".nuget/NuGet/NuGet.Config", '<add key="nuget.org" value="https://api.nuget.org/v3/index.json" />', true],
    ["dotnet", ["restore"], ".nuget/NuGet/NuGet.Config", "<packageSourceCredentials><corp /></packageSourceCredentials>", false],
    ["dotnet", ["build"], ".microsoft/usersecrets", undefined, false],
    ["mix", ["deps.get"], ".hex/hex.config", "{offline,false}.\n", true],
    ["mix", ["deps.get"], ".hex/hex.config", "{'$write_key',<<\"x\">>}.\n", false],
    ["npm", ["ci"], ".npmrc", "//registry.npmjs.org/:_authToken=x\n", true],
  ] as const)("%s %j: %s with %j: %s", (tool, words, name, text, own) => {
    const file = join(base, "home", name);
    mkdirSync(dirname(file), { recursive: true });
    if (text !== undefined) writeFileSync(file, text);
    expect(trusted([tool, ...words]).includes(`~/${name}`)).toBe(own);
    rmSync(file, { force: true });
  });
});
