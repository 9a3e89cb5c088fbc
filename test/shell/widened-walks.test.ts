import { expect, test } from "vitest";
import type { FileAction } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "./world.ts";

/** What the project says in `pyproject.toml` (or the file named), and whether the walk then opens more than Python files. */
const ROWS: readonly (readonly [command: string, text: string, widened: boolean, file?: string])[] = [
  ["black --diff .", "", false],
  ["black --diff .", "[tool.black]\nline-length = 100\n", false],
  ["black --diff .", "[tool.black]\ninclude = '.*'\n", true],
  ["black --diff .", "[tool.black]\nexclude = '''\n[\n'''\ninclude = '.*'\n", true],
  ["black --diff .", "[tool]\nblack = { include = '.*' }\n", true],
  ["black --diff .", 'tool.black."incl\\u0075de" = ".*"\n', true],
  ["black --diff .", '[tool.black]\nline-length = 100\n[tool.poetry]\npackages = [{ include = "x" }]\n', false],
  ["black --diff .", '[tool.black]\n[tool.setuptools.packages.find]\nwhere = ["src"]\ninclude = ["x*"]\n', false],
  ["black --diff . --config other.toml", "", true],
  ["black .", "[tool.black]\ninclude = '.*'\n", true],
  ["ruff check .", '[tool.ruff]\nextend-include = ["*.env"]\n', true],
  ["ruff format --diff .", 'include = ["*"]\n', true, "ruff.toml"],
  ["isort --diff .", "[settings]\nsupported_extensions = env\n[isort]\n", true, ".isort.cfg"],
  ["pycodestyle .", "[pycodestyle]\nfilename = *\n", true, "setup.cfg"],
  ["pycodestyle .", "[metadata]\nname = x\n", false, "setup.cfg"],
];

test.each(ROWS.map(([command, text, widened, file = "pyproject.toml"]) => ({ command, text, widened, file })))(
  "$command, with $text: widened $widened",
  ({ command, text, widened, file }) => {
    const path = `/home/u/p/${file}`;
    const world = smallWorld({ files: { "/home/u/p": "directory", [path]: "file" }, text: (at) => (at === path ? text : undefined) });
    const walks = lowerShell(command, { world, shell: "bash" }).actions.filter(
      (action): action is FileAction => action.kind === "file" && action.target.kind === "tree" && action.target.path === "/home/u/p",
    );
    const opens = walks.map(({ target }) => (target.kind === "tree" ? (target.filter?.only ?? "everything") : ""));
    const all = walks.some(({ target }) => target.kind === "tree" && target.filter?.only === undefined);
    expect(all || (walks.length === 0 && widened), JSON.stringify(opens)).toBe(widened);
  },
);
