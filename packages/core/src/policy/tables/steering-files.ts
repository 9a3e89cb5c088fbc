import { foldCase } from "../../path/index.ts";
import { PROJECT_SETTINGS } from "./agent-files.ts";

/**
 * Files of a project that name programs or hosts for commands that come later, as data. A row: the programs that obey them,
 * the files, and what writing one in a run is. Names are lower case; a path of several segments matches at the end of a path,
 * a `/` at its end is a folder with everything in it.
 *
 * `asked`: few programs write it and what it names is started outside of any run, or by programs nobody takes for runners.
 * `noted`: written all day; who obeys it is confined until a person has seen the change.
 */
type Row = readonly [programs: string, files: string, inRun: SteeringEffect];

export type SteeringEffect = "asked" | "noted";

/** Programs that nobody starts by a command that is judged: editors, shells and their helpers, git's hooks of a person. */
const NOBODY = "";

const ROWS: readonly Row[] = [
  // npmrc(5): registry, script-shell, git, node-options, ${VARIABLES} in addresses.
  ["npm npx", ".npmrc", "asked"],
  // yarnrc: yarnPath is started in yarn's place, plugins are loaded, npmRegistryServer; corepack(1): .corepack.env.
  ["yarn yarnpkg corepack pnpm pnpx", ".yarnrc .yarnrc.yml .yarnrc.yaml .corepack.env", "asked"],
  ["pnpm pnpx", ".pnpmfile.cjs .pnpmfile.mjs .npmrc", "asked"],
  ["pnpm pnpx", "pnpmfile.js pnpmfile.cjs", "noted"],
  ["bun bunx", "bunfig.toml .bunfig.toml .npmrc", "asked"],
  ["npm npx pnpm pnpx yarn yarnpkg bun bunx", "package.json pnpm-workspace.yaml lerna.json", "noted"],
  ["pip pip3 python python3 uv uvx poetry", "pip.conf pip.ini", "asked"],
  ["uv uvx", "uv.toml", "asked"],
  ["uv uvx", ".python-version", "noted"],
  ["poetry", "poetry.toml", "asked"],
  ["uv uvx pip pip3 poetry python python3", "pyproject.toml setup.cfg setup.py", "noted"],
  // The Cargo book, "Configuration": build.rustc, rustc-wrapper, linker, source replacement; rustup: `path` of a toolchain.
  ["cargo rustc rustfmt rustup", ".cargo/config .cargo/config.toml", "asked"],
  // rustup's own names for what it starts in a toolchain; pip asks `rustc --version` for what it tells an index of itself.
  ["cargo rustc rustfmt rustup rustdoc rust-analyzer", "rust-toolchain rust-toolchain.toml", "asked"],
  ["pip pip3 pipx python python3", "rust-toolchain rust-toolchain.toml", "asked"],
  ["cargo", "cargo.toml", "noted"],
  ["mvn mvnw", ".mvn/", "asked"],
  ["gradle gradlew", "init.gradle init.gradle.kts .gradle/init.d/", "asked"],
  ["gradle gradlew", "gradle.properties gradle/wrapper/gradle-wrapper.properties settings.gradle settings.gradle.kts", "noted"],
  ["dotnet nuget msbuild", "nuget.config", "asked"],
  ["dotnet nuget msbuild", "global.json directory.build.props directory.build.targets directory.packages.props", "noted"],
  ["bundle bundler gem rake", ".bundle/config .gemrc", "asked"],
  ["composer", "composer.json auth.json", "noted"],
  ["go", "go.mod go.work", "noted"],
  // git-lfs-config(5): lfs.url. What else git obeys is git's own configuration, which is protected as such.
  ["git git-lfs", ".lfsconfig", "asked"],
  ["git git-lfs", ".gitmodules .gitattributes", "noted"],
  ["glab", ".git/glab-cli/config.yml", "asked"],
  ["hg", ".hg/hgrc", "asked"],
  ["jj", ".jj/repo/config.toml", "asked"],
  // What the shims of version managers start; mise also runs what templates in it say.
  ["mise asdf", ".tool-versions mise.toml .mise.toml mise.local.toml .mise.local.toml .config/mise.toml .config/mise/ .mise/", "asked"],
  // Variables (rbenv-vars), places of packages, plugins and programs (volta: `hooks.json`) for whatever a shim starts.
  ["mise asdf", ".rbenv-vars .rbenv-gemsets .nodenv-vars .prototools .rtx.toml .vfox.toml .volta/", "asked"],
  // Shims start the version that these say; versions can be folders (`path:`).
  ["mise asdf", ".node-version .nvmrc .ruby-version .go-version .java-version .python-version .sdkmanrc", "noted"],
  ["direnv", ".envrc .direnvrc", "asked"],
  ["terraform tofu terragrunt", ".terraformrc terraform.rc", "asked"],
  // tfenv, tenv, tfswitch: which program is started; the last two name where it lies.
  ["terraform tofu terragrunt", ".terraform-version .opentofu-version .terragrunt-version .tfswitchrc .tgswitchrc", "noted"],
  ["terraform tofu terragrunt", ".tfswitch.toml .tgswitch.toml", "asked"],
  // The second is the backend that states are read from, an address among others.
  ["terraform tofu terragrunt", ".terraform.lock.hcl", "noted"],
  // `backend.url`: who gets the token.
  ["pulumi", "pulumi.yaml pulumi.yml", "noted"],
  // go-jira runs a configuration that is executable; az(1): extensions from a folder.
  ["jira", ".jira.d/", "asked"],
  ["az", ".azure/", "asked"],
  ["ansible", "ansible.cfg", "asked"],
  ["ack ack-grep", ".ackrc", "asked"],
  ["sentry-cli", ".sentryclirc", "asked"],
  ["proxychains proxychains4", "proxychains.conf", "asked"],
  ["valgrind", ".valgrindrc", "asked"],
  ["kustomize", "kustomization.yaml kustomization.yml", "noted"],
  ["deno", "deno.json deno.jsonc import_map.json", "noted"],
  // Debuggers, interpreters and editors read these in the folder they are started in.
  [
    NOBODY,
    ".gdbinit .lldbinit .pdbrc .irbrc .pryrc .rprofile .renviron .inputrc .rvmrc .vimrc .gvimrc .exrc .nvimrc .nvim.lua .dir-locals.el",
    "asked",
  ],
  [NOBODY, ".pdbrc.py .byebugrc .rdbgrc .rdbgrc.rb .perldb .octaverc .ghci .ocamlinit .iex.exs", "asked"],
  [NOBODY, ".lazy.lua .lvimrc .dir-locals-2.el .helix/", "asked"],
  [NOBODY, ".curlrc .wgetrc .docker/config.json .kube/config .ssh/config", "asked"],
  [NOBODY, ".vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/mcp.json *.code-workspace", "asked"],
  [NOBODY, ".vscode/c_cpp_properties.json .vscode/cmake-kits.json", "asked"],
  [NOBODY, ".idea/ .fleet/ .zed/ .vs/ .devcontainer/ .devcontainer.json devcontainer.json .gitpod.yml .mcp.json", "asked"],
  [NOBODY, ".husky/ .pre-commit-config.yaml lefthook.yml .lefthook.yml .lintstagedrc", "noted"],
];

/** A file as the table has it: the programs that obey it, and what writing it in a run is. */
export interface SteeringFile {
  readonly programs: readonly string[];
  readonly effect: SteeringEffect;
}

interface Entry extends SteeringFile {
  /** Segments before the last, with a `/` behind each. */
  readonly tail: string;
  readonly folder: boolean;
}

/** By the last segment, or that of the folder. */
let entries: ReadonlyMap<string, readonly Entry[]> | undefined;

function table(): ReadonlyMap<string, readonly Entry[]> {
  if (entries !== undefined) return entries;
  const made = new Map<string, Entry[]>();
  for (const [programs, files, effect] of ROWS) {
    for (const file of files.split(" ")) {
      const folder = file.endsWith("/");
      const path = folder ? file.slice(0, -1) : file;
      const name = path.slice(path.lastIndexOf("/") + 1);
      const entry = { programs: programs.split(" ").filter((one) => one !== ""), effect, tail: path, folder };
      made.set(name, [...(made.get(name) ?? []), entry]);
    }
  }
  return (entries = made);
}

/** Every name that the table compares a segment with, but for those with a star. */
export const steeringNames = (): readonly string[] => [
  ...new Set([...table().values()].flatMap((all) => all.flatMap(({ tail }) => tail.split("/")))),
];

/**
 * What may not be put into a project without a question, settings of agents included: closed by name where it is not there yet.
 * Relative to a folder; which files a star stands for is only known once they are there.
 */
export const steeringPlaces = (): readonly string[] => {
  const asked = [...table().values()].flatMap((all) => all.flatMap(({ effect, tail }) => (effect === "asked" ? [tail] : [])));
  return [...new Set([...PROJECT_SETTINGS.map((entry) => entry.replace(/\/$/, "")), ...asked])].filter((place) => !place.includes("*"));
};

/** Every program that obeys a file of the table. */
export const steeringPrograms = (): readonly string[] => [
  ...new Set([...table().values()].flatMap((all) => all.flatMap(({ programs }) => programs))),
];

/** Other people's packages: what lies in them is obeyed by nobody who works in the project. */
const PACKAGES = /\/(?:node_modules|site-packages|dist-packages|\.venv|vendor\/bundle)\//;

/**
 * What a path is to later commands; undefined: nothing. `taking`: the action takes along what lies below, so that a folder
 * in which such a file may lie (`.cargo`) counts as well. Where several rows have it, all their programs and the stricter effect.
 */
export function steeringFile(path: string, taking = false): SteeringFile | undefined {
  const lower = foldCase(path);
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  const found: Entry[] = [];
  const ends = (entry: Entry, at: string): boolean => at.endsWith(`/${entry.tail}`);
  for (const entry of table().get(name) ?? []) if (ends(entry, lower)) found.push(entry);
  if (name.endsWith(".code-workspace")) found.push(...(table().get("*.code-workspace") ?? []));
  for (let slash = lower.lastIndexOf("/"); slash > 0; slash = lower.lastIndexOf("/", slash - 1)) {
    const above = lower.slice(0, slash);
    for (const entry of table().get(above.slice(above.lastIndexOf("/") + 1)) ?? [])
      if (entry.folder && ends(entry, above)) found.push(entry);
  }
  if (taking) for (const all of table().values()) found.push(...all.filter(({ tail }) => leads(lower, tail)));
  if (found.length === 0 || PACKAGES.test(lower)) return undefined;
  return {
    programs: [...new Set(found.flatMap(({ programs }) => programs))],
    effect: found.some(({ effect }) => effect === "asked") ? "asked" : "noted",
  };
}

/** The folder is one in which the entry lies: `…/.cargo` and `.cargo/config`. */
function leads(folder: string, tail: string): boolean {
  const slash = tail.lastIndexOf("/");
  return slash > 0 && folder.endsWith(`/${tail.slice(0, slash)}`);
}

/** The program obeys one of the files of the table. */
export const isObeyedBy = ({ programs }: SteeringFile, program: string): boolean =>
  programs.includes(program) ||
  (program.startsWith("ansible-") && programs.includes("ansible")) ||
  (/^python3?\.\d+$/.test(program) && programs.includes("python3"));
