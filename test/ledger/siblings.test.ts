import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { run } from "../scratch.ts";
import { place, type PolicyText } from "./place.ts";

// Names that are options, or code where text is evaluated; files that programs obey; a stash.
const here = place({
  ".env": "A=1",
  "a[$(touch zz)]": "",
  "-delete": "",
  "-r": "",
  "-ozz": "",
  "--pre=touch": "",
  "-i": "",
  "--files0-from=.env": "",
  ".cargo/config.toml": '[alias]\nfmt = "run"\nclippy = "run"\ntree = "run"\naudit = "run"\nb = "run"\nt = "run"\n',
  "Cargo.toml": "",
  "~/.pi/agent/auth.json": "{}",
});
beforeAll(() => {
  run("git", ["init", "-q"], here.project);
  run("git", ["add", "a.txt", "b.txt", "src"], here.project);
  run("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "one"], here.project);
  here.write("b.txt", "changed");
  here.write("u.txt", "A=1");
  run("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", "stash", "-qu", "--", "b.txt", "u.txt"], here.project);
});

/** `## MECHANISM: deny Bash(…)`, and the lines. */
const groups = readFileSync(new URL("siblings.txt", import.meta.url), "utf8")
  .split(/^## /m)
  .slice(1)
  .map((group): { title: string; lines: readonly string[]; policy: PolicyText } => {
    const [title = "", ...lines] = group.split("\n").filter((line) => line !== "");
    const [, effect = "", rule = ""] = /: (deny|allow) (\S.*\))$/.exec(title) ?? [];
    const permissions = { allow: ["Bash(*)"], ...(effect === "" ? { allow: [] } : { [effect]: [rule] }) };
    return { title, lines, policy: { permissions } };
  });

describe("none of these lines goes ahead without a question", () => {
  it.each(groups)("$title", { timeout: 120_000 }, ({ lines, policy }) => {
    expect(lines.length).toBeGreaterThanOrEqual(10);
    here.user(policy);
    expect(lines.filter((line) => here.verdict(line.replaceAll("⏎", "\n")).decision === "allow")).toEqual([]);
  });
});
