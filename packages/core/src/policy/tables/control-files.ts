import { STEERED } from "#knowledge/steered";
import { foldCase } from "../../path/index.ts";
import { PROJECT_SETTINGS } from "./agent-files.ts";

/**
 * Files of a project that name programs or hosts for commands that come later, as data. Which programs obey them say the tables
 * (`steered`); here are those of programs that nobody starts by a command that is judged: editors, shells and their helpers, git's hooks
 * of a person. Names are lower case; a path of several segments matches at the end of a path, a `/` at its end is a folder with
 * everything in it.
 *
 * `asked`: few programs write it and what it names is started outside of any run, or by programs nobody takes for runners.
 * `noted`: written all day; who obeys it is confined until a person has seen the change.
 */
export type ControlEffect = "asked" | "noted";

const OF_NOBODY: readonly (readonly [files: string, inRun: ControlEffect])[] = [
  // Debuggers, interpreters and editors read these in the folder they are started in.
  [
    ".gdbinit .lldbinit .pdbrc .irbrc .pryrc .rprofile .renviron .inputrc .rvmrc .vimrc .gvimrc .exrc .nvimrc .nvim.lua .dir-locals.el",
    "asked",
  ],
  [".pdbrc.py .byebugrc .rdbgrc .rdbgrc.rb .perldb .octaverc .ghci .ocamlinit .iex.exs", "asked"],
  [".lazy.lua .lvimrc .dir-locals-2.el .helix/", "asked"],
  [".curlrc .wgetrc .docker/config.json .kube/config .ssh/config", "asked"],
  [".vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/mcp.json *.code-workspace", "asked"],
  [".vscode/c_cpp_properties.json .vscode/cmake-kits.json", "asked"],
  [".idea/ .fleet/ .zed/ .vs/ .devcontainer/ .devcontainer.json devcontainer.json .gitpod.yml .mcp.json", "asked"],
  [".husky/ .pre-commit-config.yaml lefthook.yml .lefthook.yml .lintstagedrc", "noted"],
];

/** A file as the table has it: the programs that obey it, and what writing it in a run is. */
export interface ControlFile {
  readonly programs: readonly string[];
  readonly effect: ControlEffect;
}

interface Entry extends ControlFile {
  /** Segments before the last, with a `/` behind each. */
  readonly tail: string;
  readonly folder: boolean;
}

/** By the last segment, or that of the folder. */
let entries: ReadonlyMap<string, readonly Entry[]> | undefined;

function table(): ReadonlyMap<string, readonly Entry[]> {
  if (entries !== undefined) return entries;
  const made = new Map<string, Entry[]>();
  const rows = STEERED.split("\n").map((row) => /^ (.+) \t(asked|noted) (.+)$/.exec(row) ?? []);
  const all = [
    ...OF_NOBODY.map(([files, effect]) => ({ programs: [], effect, files })),
    ...rows.map(([, programs = "", how, files = ""]): Pick<Entry, "programs" | "effect"> & { readonly files: string } => ({
      programs: programs.split(" "),
      effect: how === "noted" ? how : "asked",
      files,
    })),
  ];
  for (const { programs, effect, files } of all) {
    for (const file of files.split(" ").filter((one) => one !== "")) {
      const folder = file.endsWith("/");
      const path = folder ? file.slice(0, -1) : file;
      const name = path.slice(path.lastIndexOf("/") + 1);
      const entry = { programs, effect, tail: path, folder };
      made.set(name, [...(made.get(name) ?? []), entry]);
    }
  }
  return (entries = made);
}

/** Every name that the table compares a segment with, but for those with a star. */
export const controlNames = (): readonly string[] => [
  ...new Set([...table().values()].flatMap((all) => all.flatMap(({ tail }) => tail.split("/")))),
];

/**
 * What may not be put into a project without a question, settings of agents included: closed by name where it is not there yet.
 * Relative to a folder; which files a star stands for is only known once they are there.
 */
export const controlPlaces = (): readonly string[] => {
  const asked = [...table().values()].flatMap((all) => all.flatMap(({ effect, tail }) => (effect === "asked" ? [tail] : [])));
  return [...new Set([...PROJECT_SETTINGS.map((entry) => entry.replace(/\/$/, "")), ...asked])].filter((place) => !place.includes("*"));
};

/** Every program that obeys a file of the table. */
export const controlPrograms = (): readonly string[] => [
  ...new Set([...table().values()].flatMap((all) => all.flatMap(({ programs }) => programs))),
];

/** Other people's packages: what lies in them is obeyed by nobody who works in the project. */
const PACKAGES = /\/(?:node_modules|site-packages|dist-packages|\.venv|vendor\/bundle)\//;

/**
 * What a path is to later commands; undefined: nothing. `taking`: the action takes along what lies below, so that a folder
 * in which such a file may lie (`.cargo`) counts as well. Where several rows have it, all their programs and the stricter effect.
 */
export function controlFile(path: string, taking = false): ControlFile | undefined {
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
export const isObeyedBy = ({ programs }: ControlFile, program: string): boolean =>
  programs.includes(program) ||
  (program.startsWith("ansible-") && programs.includes("ansible")) ||
  (/^python3?\.\d+$/.test(program) && programs.includes("python3"));
