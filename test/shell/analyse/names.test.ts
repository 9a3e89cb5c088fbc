import { describe, expect, it } from "vitest";
import { lowerShell } from "@assent/core/shell";
import { smallWorld } from "../world.ts";

const P = "/home/u/p";
const world = smallWorld({
  files: { [`${P}/.git`]: "directory", [`${P}/sub/.git`]: "directory", [`${P}/.env`]: "file", [`${P}/a.txt`]: "file" },
});

/** Files that are read or listed, as far as they are known, and doubts. */
function read(line: string): readonly string[] {
  const { actions, unknowns } = lowerShell(line, { world });
  const files = actions.flatMap((action) => {
    if (action.kind !== "file" || action.upkeep === true) return [];
    const { target } = action;
    if (target.kind !== "unknown") return [target.kind === "glob" ? target.pattern : target.path];
    const { filter } = target;
    return [`${target.within ?? "anywhere"} ${filter === undefined ? "any" : Object.keys(filter).sort().join(" ")}`];
  });
  return [...new Set(files), ...unknowns.map(({ reason }) => reason)];
}

describe("names that git prints", () => {
  it.each([
    ['cat "$(git merge-base a b)"', `${P} hidden only`],
    ['cat "$(git rev-parse HEAD)"', `${P} hidden only`],
    ["cat \"$(git rev-parse --verify 'HEAD^{tree}')\"", `${P} hidden only`],
    ['cat "$(git rev-parse main)"', `${P} hidden`],
    ['git log main.."$(git branch --show-current)"', `${P} hidden`],
    ["git rev-list -3 HEAD | xargs cat", `${P} hidden only`],
    ["git log --format=%h -3 | xargs cat", `${P} hidden only`],
    ["git diff --name-only | xargs cat", `${P} tracked`],
    ["git diff --name-only main | xargs cat", `${P} any`],
    ["git diff --name-only --cached | xargs cat", `${P} any`],
    ["git ls-files 'src/*.ts' | xargs cat", `${P}/src tracked`],
    ['cat "$(git rev-parse --show-toplevel)/a.txt"', `${P}/a.txt`],
  ])("%s", (line, expected) => {
    expect(read(line)).toContain(expected);
  });

  it.each([
    // What it does not know it prints as it is.
    'cat "$(git rev-parse .env)"',
    'cat "$(git rev-parse x/.env)"',
    'cat "$(git rev-parse "$X")"',
    // Other options print other things.
    'cat "$(git rev-parse --verify "$X")"',
    'git rev-list "$X" | xargs cat',
    "git for-each-ref --format='%(refname)' \"$X\" | xargs cat",
    "git rev-list --objects HEAD | xargs cat",
    "git log --format=%s | xargs cat",
    "git log --format=%h -p | xargs cat",
    "git diff --name-only --no-index a b | xargs cat",
    "git diff --name-only --stat | xargs cat",
    "git ls-files ':/*.ts' | xargs cat",
    // Another repository, or one inside.
    'cd sub && cat "$(git rev-parse --show-toplevel)/a.txt"',
    'cd "$X" && cat "$(git rev-parse --show-toplevel)/a.txt"',
  ])("are not certain: %s", (line) => {
    expect(read(line).some((one) => one.startsWith("anywhere"))).toBe(true);
  });

  it.each(['cat .env"$(git rev-parse HEAD)"', 'cat "$(git rev-parse HEAD)".env', 'cat "$(git branch --show-current)"/.env'])(
    "with text around them may be other files: %s",
    (line) => {
      expect(read(line)).toContain(`${P} any`);
    },
  );

  it("may be options, where they name references", () => {
    expect(read('git log "$(git branch --show-current)"').join()).toContain("may turn out to be an option");
    expect(read('git log "$(git merge-base a b)"').join()).not.toContain("may turn out to be an option");
  });
});

describe("numbers in a sed program", () => {
  const said = (line: string): string =>
    lowerShell(line, { world })
      .unknowns.map(({ reason }) => reason)
      .join();

  it("change nothing", () => {
    expect(said('sed -n "$((1+2)),$((3+4))p" a.txt')).toBe("");
  });

  it.each([
    'sed "s$((1))a$((1))b$((1))" a.txt',
    'sed -n "\\\\$((1))x$((1))p" a.txt',
    'sed "y$((1))a$((1))b$((1))" a.txt',
    'sed "$X" a.txt',
  ])("may be a delimiter: %s", (line) => {
    expect(said(line)).not.toBe("");
  });
});
