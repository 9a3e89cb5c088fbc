import { readdirSync, readFileSync } from "node:fs";
import { type ToolServiceBlock, readToolServices } from "../packages/supervisor/src/supervise/services/read.ts";

const FOLDER = "packages/core/knowledge/services";
const FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".table"))
  .toSorted()
  .map((file) => ({ name: file.replace(".table", ""), text: readFileSync(`${FOLDER}/${file}`, "utf8") }));
const { blocks, mistakes } = readToolServices(FILES);
if (mistakes.length > 0) throw new Error(mistakes.join("\n"));

const code = (list: readonly string[] | undefined): string => (list ?? []).map((one) => `\`${one}\``).join(" ") || "–";

const row = ({ tool: { names, cache, later, hosts = [], downloads = [], login, moved = [], projectCode } }: ToolServiceBlock): string =>
  [
    names.map((name) => `\`${name}\``).join(" "),
    code(cache),
    code(later),
    moved.map(([variable]) => `\`${variable}\``).join(" ") || "–",
    code(projectCode === true ? downloads : [...hosts, ...downloads]),
    code(login),
  ].join(" | ");

const PAGE = `# What tools do for themselves in a supervised run

<!-- Generated from \`packages/core/knowledge/services/*.table\` by \`npm run generate\`. -->

\`npm ci\` writes npm's cache and asks npm's registry, whatever else it does. That is the tool's *tool service*: in a run it goes ahead without a question, for the tool's own process and for nothing that it starts. A script of a package, another program, or the tool where its environment makes it load foreign code (\`LD_PRELOAD\`, \`NODE_OPTIONS=--require …\`) has none of it.

- **What becomes the tool is the tool**: shims of pyenv, rbenv, rustup, volta, asdf, mise, nvm, fnm and their like (judged is what they start in the end, where that lies), what corepack runs in its own process, and \`python -m pip\` of a Python that the run cannot change, where nothing in the folder takes the place of a module of it. A script is its tool only where the interpreter that its first line names reads it, and that is a trusted program itself: \`./node /usr/bin/npm\` is not npm. A virtual environment in the project is the project's: it has no tool service, whoever starts it, and neither has a tool in a Python that is started under the name of one.
- **Cache**: data, what is checked against a hash before it is used, or what is made anew when it is missing.
- **Runs later**: code that a later command runs as it finds it, outside this run too (what \`npx\` installed, unpacked crates, a browser, jars of a build). Writing it goes ahead, is kept for \`assent undo\`, and the receipt names it under "runs later".
- **Installations are no cache** and are asked about: \`~/.local/bin\`, \`~/.cargo/bin\`, \`~/go/bin\`, \`npm i -g\`, toolchains of rustup, pythons of uv, \`pipx\`, \`dotnet tool\`, environments of pre-commit (they run at every later commit), plugins of helm, and all settings (\`~/.npmrc\`, \`~/.m2/settings.xml\`, \`~/.gradle/init.d\` …).
- **Variables** that put a cache somewhere else count as they stand in the environment of the run, and only where they name a place that is nobody else's: below home or a data disk, in nobody's repository, not home itself or a folder of the system, no folder of secrets, of an agent or of another tool. \`XDG_CACHE_HOME\`, \`XDG_DATA_HOME\` and \`XDG_STATE_HOME\` move what lies in \`~/.cache\`, \`~/.local/share\` and \`~/.local/state\`. A project's own settings move nothing.
- **Hosts** are open to the tool's process, on the public network. Another registry counts where the user's own files or the environment name it. A project's \`.npmrc\` or \`pip.conf\` may be written by anybody: a host that only it names is asked.
- Where **the project's code runs in the tool itself** (plugins of maven and gradle, a \`Gemfile\`, \`.pnpmfile.cjs\`, tests), only hosts that hand out and take nothing are open. Where a file of the project is there that a tool would load into itself (\`.pnpmfile.cjs\`, a \`.yarnrc.yml\` that names plugins, \`bunfig.toml\`), the same holds, and no login is open; nor is one for a subcommand that runs the project's code (\`npm init\`, \`bun script.ts\`, \`bundle exec\`, \`gem build\`) or that nobody knows. An option that Assent does not know may load code into a package manager as well (\`npm --init-module\`): with one it has no tool service. Where an agent wrote the command, such a tool has its registry and its logins until anybody else changes such a file, moves a folder or makes a link while it runs.
- **Variables** of a tool or of what it is written in (\`NPM_CONFIG_USERCONFIG\`, \`PIP_CONFIG_FILE\`, \`PREFIX\` for npm) that a script of the run has set, or that name what the run can write, take its logins away; switches and levels that load nothing (\`npm_config_loglevel\`, \`PIP_NO_INPUT\`) do not.
- **A Gemfile, \`mix.exs\`, plugins of maven and gradle, targets of dotnet** are evaluated in the tool's own process even by \`install\`. So these tools read their settings (\`~/.m2/settings.xml\`, \`~/.gradle/gradle.properties\`, \`~/.bundle/config\`, \`NuGet.Config\`) only where no login stands in them; with one it is asked, refused in a sandboxed command.
- **Not promised**: what \`yarnPath\` of home names works in yarn's own process, and can read what yarn logs in with. It can send it only to hosts that take nothing, but it can print it.
- What still leaves: a tool asks its registry for whatever the project names, so names of packages reach it; \`proxy.golang.org\` passes the name of a module on to the host in it.

tool | cache | runs later | moved by | hosts | login
---|---|---|---|---|---
${blocks.map(row).join("\n")}
`;

export const toolServiceDocs: readonly { readonly file: string; readonly update: () => string }[] = [
  { file: "site/generated/errands.md", update: () => PAGE },
];
