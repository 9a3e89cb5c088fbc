import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";

// A project that was moved since the run: `assent undo ID --at FOLDER`.

const CHANGES = "echo changed > a; rm b; mkdir n; echo new > n/f; mv c sub/d; rm -r gone; chmod 600 kept; ln -s a link";

interface Ran extends Scratch {
  readonly id: string;
  readonly now: string;
}

function ran(where = ".", changes = CHANGES): Ran {
  const place = scratch();
  for (const folder of ["sub", "gone"]) mkdirSync(join(place.project, where, folder), { recursive: true });
  for (const name of ["a", "b", "c", "gone/x", "kept"]) writeFileSync(join(place.project, where, name), `${name}\n`);
  const at = { ...place, project: join(place.project, where) };
  const { stderr } = assent(at, ["run", "-P", "--", "sh", "-c", changes]);
  const [id = ""] = /\d{8}-\d{6}-[0-9a-f]{6}/.exec(stderr) ?? [];
  expect(id).not.toBe("");
  const now = join(place.home, "elsewhere");
  renameSync(place.project, now);
  return { ...place, project: place.home, id, now };
}

const text = (...path: readonly string[]): string => readFileSync(join(...path), "utf8");

describe("undo of a run whose project was moved", () => {
  it("says that the folder is gone, and what to type", () => {
    const { id, ...place } = ran();
    expect(assent(place, ["undo", id, "--yes"]).stdout).toContain(
      `nothing was undone: ${place.home}/project is gone. If it was moved: assent undo ${id} --at NEW_FOLDER`,
    );
  });

  it.each([
    { title: "started at its top", where: ".", at: "elsewhere" },
    { title: "started in a folder of it", where: "packages/one", at: "elsewhere/packages/one" },
  ])("brings everything back, $title", ({ where, at }) => {
    const { id, now, ...place } = ran(where, `${CHANGES}; echo top > ${where === "." ? "top" : "../../top"}`);
    const here = join(now, where);
    const { stdout, status } = assent(place, ["undo", id, "--at", at, "--yes"]);
    expect({ stdout, status }).toEqual({ stdout: expect.stringMatching(/^undone; /) as string, status: 0 });
    expect([text(here, "a"), text(here, "b"), text(here, "c"), text(here, "gone/x")]).toEqual(["a\n", "b\n", "c\n", "gone/x\n"]);
    for (const made of ["n", "link", "sub/d"]) expect(existsSync(join(here, made))).toBe(false);
    expect(existsSync(join(now, "top"))).toBe(false);
    // Nothing is made where it was.
    expect(existsSync(join(place.home, "project"))).toBe(false);
    // And the undo is undone where it lies now.
    const [back = ""] = /assent undo (\S+)/.exec(stdout)?.slice(1) ?? [];
    expect(assent(place, ["undo", back, "--yes"]).status).toBe(0);
    expect(text(here, "a")).toBe("changed\n");
  });

  it("leaves alone what was changed since", () => {
    const { id, now, ...place } = ran();
    writeFileSync(join(now, "a"), "mine\n");
    const { stderr, status } = assent(place, ["undo", id, "--at", "elsewhere", "--yes"]);
    expect(status).toBe(1);
    expect(stderr).toContain("left alone: elsewhere/a was changed since");
    expect([text(now, "a"), text(now, "b")]).toEqual(["mine\n", "b\n"]);
  });

  it("takes back commits", () => {
    const place = scratch();
    const git = (...words: string[]): string => execFileSync("git", ["-C", place.project, ...words], { encoding: "utf8" }).trim();
    execFileSync("git", ["init", "-q", place.project]);
    git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "one");
    const before = git("rev-parse", "HEAD");
    const commit = "echo x > x; git add x; git -c user.name=x -c user.email=x@x commit -qm two";
    const { stderr } = assent(place, ["run", "-P", "--", "sh", "-c", commit]);
    const [id = ""] = /\d{8}-\d{6}-[0-9a-f]{6}/.exec(stderr) ?? [];
    const now = join(place.home, "elsewhere");
    renameSync(place.project, now);
    expect(assent({ ...place, project: place.home }, ["undo", id, "--at", now, "--yes"]).status).toBe(0);
    expect(execFileSync("git", ["-C", now, "rev-parse", "HEAD"], { encoding: "utf8" }).trim()).toBe(before);
    expect(existsSync(join(now, "x"))).toBe(false);
  });

  it.each([
    { title: "another folder", make: (home: string) => mkdirSync(join(home, "other")) },
    { title: "a copy", make: (home: string) => cpSync(join(home, "elsewhere"), join(home, "other"), { recursive: true }) },
    {
      title: "a folder inside the project",
      make: (home: string) => cpSync(join(home, "elsewhere"), join(home, "other/sub"), { recursive: true }),
    },
    { title: "no folder", make: () => undefined, says: [2, "no such folder"] as const },
  ])("is not done in $title", ({ make, says = [1, "is not the folder in which"] }) => {
    const { id, now, ...place } = ran();
    make(place.home);
    const { stderr, status } = assent(place, ["undo", id, "--at", "other", "--yes"]);
    expect(status).toBe(says[0]);
    expect(stderr).toContain(says[1]);
    expect(existsSync(join(place.home, "other/b"))).toBe(false);
    expect(text(now, "a")).toBe("changed\n");
  });
});
