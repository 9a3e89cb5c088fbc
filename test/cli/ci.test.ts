import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible } from "@assent/core/action";
import { junitOf } from "../../packages/assent/src/cli/test.ts";
import { codeBlock, codeSpan, seenJson } from "../../packages/assent/src/cli/run-summary.ts";
import { assent, DIST, run as shell } from "../scratch.ts";
import { EXAMPLES, stepsOf } from "../ci-steps.ts";
import { here, type Here } from "./run-place.ts";

/** Characters that mean something in Markdown, HTML, XML or to whoever reads. */
const HOSTILE = fc.string({
  unit: fc.constantFrom("`", "``", "a", " ", "\n", "<", ">", "[", "](x)", "|", "\\", "&", '"', "\u202e", "\u0007", "]]>"),
  maxLength: 30,
});

describe("Markdown of texts that others chose", () => {
  it("a code span holds the whole text, and ends where it ends", () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const span = codeSpan(text);
        const [, ticks = "", inner = ""] = /^(`+)([^]*?)\1$/.exec(span) ?? [];
        if (visible(text).trim() === "") {
          expect(span).toMatch(/^\((?:empty|blanks)\)$/);
          return;
        }
        for (const char of ["\n", "\u202e", "\u0007"]) expect(span).not.toContain(char);
        // No row of as many backticks inside: nothing there ends it (CommonMark 6.1).
        expect([...inner.matchAll(/`+/g)].some(([row]) => row.length === ticks.length)).toBe(false);
        const stripped = /^ .*[^ ].* $|^ \S $/.test(inner) ? inner.slice(1, -1) : inner;
        expect(stripped).toBe(visible(text));
      }),
    );
  });

  it("a block ends at its own fence only", () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const [fence = "", ...lines] = codeBlock("x", text).split("\n");
        expect(lines.findIndex((line) => line.trim() === fence.slice(0, -1))).toBe(lines.length - 1);
      }),
    );
  });

  it("JSON in it is all to be seen, and means the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = seenJson(text);
        expect(JSON.parse(json)).toBe(text);
        expect(visible(json)).toBe(json);
      }),
    );
  });
});

/** Parsed by somebody else's parser. */
function parseXml(text: string): unknown {
  const script =
    "import sys,json,xml.etree.ElementTree as e\n" +
    "w=lambda n:[n.tag,dict(n.attrib),n.text or '',[w(c) for c in n]]\n" +
    "print(json.dumps([w(e.fromstring(t)) for t in json.load(sys.stdin)]))";
  const { stdout, stderr } = spawnSync("python3", ["-c", script], { input: text, encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describe("assent test --junit", () => {
  it("is XML, whatever stands in the tests", () => {
    const texts = fc.sample(fc.oneof(HOSTILE, fc.string({ unit: "binary" })), 100);
    const files = texts.map((text) =>
      junitOf(
        [{ file: "/p/a", line: 1, column: 1, kind: "request", text, expected: "deny", got: "allow", passed: false, why: text }],
        (path) => path,
      ),
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the script prints
    for (const [tag, { failures }] of parseXml(JSON.stringify(files)) as readonly [string, Record<string, string>][])
      expect([tag, failures]).toEqual(["testsuites", "1"]);
  });

  it("has a suite for each file and says what was expected", () => {
    const place = here();
    place.write("a.assent-test", "## every day\nallow: ls\ndeny: ls -l\n");
    const { status, stdout } = assent(place, ["test", "--junit", "-"]);
    expect(status).toBe(1);
    expect(parseXml(JSON.stringify([stdout]))).toEqual([
      [
        "testsuites",
        { name: "assent test", tests: "2", failures: "1", errors: "0", skipped: "0" },
        expect.any(String),
        [
          [
            "testsuite",
            { name: "a.assent-test", tests: "2", failures: "1", errors: "0", skipped: "0" },
            expect.any(String),
            [
              ["testcase", { classname: "a.assent-test", name: "2: every day: ls", file: "a.assent-test", line: "2" }, "", []],
              [
                "testcase",
                { classname: "a.assent-test", name: "3: every day: ls -l", file: "a.assent-test", line: "3" },
                expect.any(String),
                [["failure", { type: "request", message: "expected deny, got allow" }, expect.stringContaining("a.assent-test:3"), []]],
              ],
            ],
          ],
        ],
      ],
    ]);
    const { stdout: text } = assent(place, ["test", "--junit", "out.xml"]);
    expect(text).toContain("1 failed, 1 passed");
    expect(readFileSync(join(place.project, "out.xml"), "utf8")).toBe(stdout);
    expect(assent(place, ["test", "--junit", "no/such/folder.xml"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("ENOENT") as unknown,
    });
    expect(assent(place, ["test", "--json", "--junit", "-"])).toMatchObject({ status: 2 });
  });
});

describe("assent lint --sarif", () => {
  it("names the rule, the line and the columns of each finding", () => {
    const place = here();
    place.write(".agent-permissions.jsonc", '{\n  "permissions": {\n    "deny": ["Bash(git push *)"]\n  }\n}\n');
    place.write("~/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Bash(python3:*)"] } }');
    const { status, stdout } = assent(place, ["lint", "--sarif", "-"]);
    expect(status).toBe(1);
    const sarif: unknown = JSON.parse(stdout);
    const at = (uri: object, region: object): object => ({ locations: [{ physicalLocation: { artifactLocation: uri, region } }] });
    expect(sarif).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          originalUriBaseIds: { ROOT: { uri: `file://${place.project}/` } },
          results: [
            {
              ruleId: "AL001",
              level: "warning",
              ...at({ uri: `file://${place.home}/.agent-permissions.jsonc` }, { startLine: 1, startColumn: 30, endLine: 1, endColumn: 47 }),
            },
            {
              ruleId: "AL025",
              level: "warning",
              ...at({ uri: ".agent-permissions.jsonc", uriBaseId: "ROOT" }, { startLine: 3, startColumn: 14, endLine: 3, endColumn: 32 }),
            },
          ],
        },
      ],
    });
    expect(assent(place, ["lint", "--json", "--sarif", "-"])).toMatchObject({ status: 2 });
  });
});

describe("assent run --summary", () => {
  const SHARED = "job.md";

  it("tells a red job what was done and refused, and at its end what would allow it", () => {
    const place = here();
    const name = "a`](javascript:x)<img src=x onerror=y>|<details>.txt";
    place.script(`echo > '${name}'; echo > "$OUT/b"; cat ~/.ssh/id_rsa; exit 3`);
    place.write("~/.ssh/id_rsa", "");
    place.write(SHARED, "earlier\n");
    expect(place.run(["-P", "-q", "--summary", SHARED, "sh", "s.sh"]).status).toBe(3);
    const page = readFileSync(join(place.project, SHARED), "utf8");
    expect(page).toMatch(/^### Assent: `\S*sh s\.sh`\n\n❌ ended with status 3/);
    // What is no code span is Assent's own.
    const own = page.replaceAll(/(`+)(?!`)[^]*?[^`]\1(?!`)/g, "");
    expect(page).toContain(name);
    expect(own).not.toMatch(/javascript|img/);
    expect(page.indexOf("id_rsa")).toBeGreaterThan(0);
    expect(page.slice(page.lastIndexOf("**To allow"))).toMatch(/"allow": \[\n {6}"Edit\(\S*\/b\)"\n {4}\]/);
  });

  it("is added to the page of a GitHub job, and says what could not be run", () => {
    const place = here();
    const env = { GITHUB_STEP_SUMMARY: join(place.project, SHARED) };
    place.write(SHARED, "earlier\n");
    expect(place.run(["-P", "-q", "--summary", SHARED, "true"], env).status).toBe(0);
    expect(place.run(["-P", "-q", "--summary", SHARED, "no-such-program"], env).status).toBe(127);
    const page = readFileSync(join(place.project, SHARED), "utf8");
    expect(page).toMatch(/^earlier\n### Assent: `\S*true`\n[^]*✅[^]*Nothing was refused\.\n\n### Assent: `no-such-program` was not run/);
  });

  it("is out of the program's reach", () => {
    const place = here();
    place.script(`echo forged > ${SHARED}`);
    place.run(["-P", "-q", "--summary", SHARED, "sh", "s.sh"]);
    const page = readFileSync(join(place.project, SHARED), "utf8");
    expect(page).toMatch(/^### Assent/);
    expect(page).toContain("**Refused (1)**");
  });

  it("a file that cannot be written is said before anything runs", () => {
    const place = here();
    place.script("touch ran");
    expect(place.run(["-P", "--summary", "no/such/folder.md", "sh", "s.sh"])).toMatchObject({ status: 125 });
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });
});

/** A repository with the files of the example in it, and a project whose test does this. */
function repository(test: string): Here {
  const place = here();
  shell("git", ["init", "-q"], place.project);
  place.write("package.json", JSON.stringify({ name: "p", version: "1.0.0", scripts: { test } }));
  for (const [from, to] of [
    ["agent-permissions.jsonc", ".agent-permissions.jsonc"],
    ["ci-policy.jsonc", "ci-policy.jsonc"],
    ["agents.assent-test", "agents.assent-test"],
  ] as const)
    copyFileSync(join(EXAMPLES, from), join(place.project, to));
  mkdirSync(join(place.home, ".local"));
  return place;
}

function runSteps(
  place: Here,
  lines: readonly string[],
  env: Record<string, string>,
): { readonly status: number | null; readonly said: string } {
  // Each in a shell of its own, as a runner does, or all in one.
  const { status, stdout, stderr } = spawnSync("setsid", ["-w", "bash", "-e", "-o", "pipefail", "-c", lines.join("\n")], {
    cwd: place.project,
    encoding: "utf8",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, CI: "true", ASSENT: join(DIST, ".."), OUT: place.outside, ...env },
  });
  return { status, said: `${stdout}${stderr}` };
}

describe("examples/ci", () => {
  const github = (place: Here): { readonly status: number | null; readonly said: string }[] => {
    const path = join(place.project, "path.txt");
    const env = { GITHUB_PATH: path, GITHUB_STEP_SUMMARY: join(place.project, "step.md") };
    return stepsOf("github-actions.yml").map((step) => {
      const more = existsSync(path) ? `${readFileSync(path, "utf8").trim()}:` : "";
      return runSteps(place, [step], { ...env, PATH: `${more}/usr/local/bin:/usr/bin:/bin` });
    });
  };

  it("the steps for GitHub run, and leave their reports", () => {
    const place = repository("echo tested");
    const done = github(place);
    expect(done).toHaveLength(4);
    for (const { status, said } of done) expect([status, said]).toEqual([0, said]);
    expect(done.at(-1)?.said).toContain("tested");
    expect(readFileSync(join(place.project, "assent-tests.xml"), "utf8")).toContain('failures="0"');
    expect(readFileSync(join(place.project, "assent.sarif"), "utf8")).toContain('"version": "2.1.0"');
    expect(readFileSync(join(place.project, "step.md"), "utf8")).toContain("✅");
  });

  it("a test that does more than the job may is red, and the summary ends with the lines for it", () => {
    const place = repository('echo > "$OUT/b"');
    expect(github(place).map(({ status }) => status === 0)).toEqual([true, true, true, false]);
    expect(readFileSync(join(place.project, "step.md"), "utf8").trim()).toMatch(/"Edit\(\S*\/b\)"\n {4}\]\n {2}\}\n\}\n```$/);
  });

  it("the script for GitLab runs", () => {
    const place = repository("echo tested");
    const { status, said } = runSteps(place, stepsOf("gitlab-ci.yml"), {});
    expect([status, said]).toEqual([0, expect.stringContaining("tested")]);
    expect(readFileSync(join(place.project, "assent.md"), "utf8")).toContain("✅");
    expect(readFileSync(join(place.project, "assent-tests.xml"), "utf8")).toContain('failures="0"');
  });
});
