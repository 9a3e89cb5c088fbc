import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quote } from "@assent/core/action";
import { lowerShell } from "@assent/core/shell";
import { verdictFor } from "../knowledge/decide.ts";
import { smallWorld } from "../world.ts";

/** The commands that xargs is said to start, each as its words; undefined for one with a word that is not known. */
function predicted(text: string, options: readonly string[], template: readonly string[]): readonly (readonly string[] | undefined)[] {
  const quoted = `'${text.replaceAll("'", `'"'"'`)}'`;
  const line = `printf %s ${quoted} | xargs ${[...options, "rec", ...template].map(quote).join(" ")}`;
  return lowerShell(line, { world: smallWorld() }).actions.flatMap((action) => {
    if (action.kind !== "exec" || action.program !== "rec") return [];
    const words = action.argv.slice(1).map((word) => (word.known ? word.text : undefined));
    return [words.some((word) => word === undefined) ? undefined : words.filter((word) => word !== undefined)];
  });
}

/** The commands that the xargs of this machine starts; undefined when it gives up. */
function observed(text: string, options: readonly string[], template: readonly string[]): readonly (readonly string[])[] | undefined {
  const recorder = String.raw`printf 'start\0'; for word; do printf '=%s\0' "$word"; done`;
  const { status, stdout } = spawnSync("xargs", [...options, "sh", "-c", recorder, "rec", ...template], { input: text, encoding: "utf8" });
  if (status !== 0) return undefined;
  const commands: string[][] = [];
  for (const record of stdout.split("\0").slice(0, -1)) {
    if (record === "start") commands.push([]);
    else commands.at(-1)?.push(record.slice(1));
  }
  return commands;
}

const OPTIONS: readonly (readonly string[])[] = [
  [],
  ["-0"],
  ["-d", "a"],
  ["-d", "\\n"],
  ["-d", "\\x62"],
  ["-d:"],
  ["-n", "1"],
  ["-n2"],
  ["-L", "1"],
  ["-L2"],
  ["-l"],
  ["-I", "{}"],
  ["-i"],
  ["-I{}", "-n1"],
  ["-E", "b"],
  ["-0", "-n", "1"],
  ["-d", ":", "-n", "2"],
];

const isGnu = spawnSync("xargs", ["--version"], { encoding: "utf8" }).stdout.includes("GNU findutils");

describe.runIf(isGnu)("xargs splits its input as was said", () => {
  it("for texts and options of all kinds", { timeout: 120_000 }, () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "rm", " ", " ", "\n", "\n", "\t", "'", '"', "\\", ":", "{}", "-x", "~"), { maxLength: 12 })
      .map((parts) => parts.join(""));
    let known = 0;
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...OPTIONS),
        fc.constantFrom<readonly string[]>([], ["{}"], ["x{}y", "z"]),
        (input, options, template) => {
          const real = observed(input, ["-r", ...options], template);
          const said = predicted(input, ["-r", ...options], template);
          if (real === undefined || said.includes(undefined)) return;
          known++;
          // What is said and not done (no input: no command) does no harm, and the same twice is said once.
          for (const command of real) expect(said).toContainEqual(command);
        },
      ),
      { numRuns: Number(process.env["FUZZ_RUNS"] ?? 400) },
    );
    expect(known).toBeGreaterThan(100);
  });
});

describe("what xargs hands on", () => {
  it.each([
    ["deny", "echo 'rm -rf ~' | xargs -0 sh -c"],
    ["deny", "echo 'rm -rf ~' | xargs -d '\\n' sh -c"],
    ["deny", "echo 'rm -rf ~' | xargs -d: sh -c"],
    ["deny", "echo 'x:rm -rf ~' | xargs -d : -n 1 sh -c"],
    ["deny", "echo 'rm -rf ~' | xargs --null bash -c"],
    ["deny", "echo '\"rm -rf ~\"' | xargs sh -c"],
    ["deny", "echo \"'rm -rf ~'\" | xargs sh -c"],
    ["deny", "printf %s 'rm\\ -rf\\ ~' | xargs sh -c"],
    ["deny", "printf 'ls\\nrm -rf ~\\n' | xargs -I{} sh -c {}"],
    ["deny", "printf 'ls\\nrm -rf ~\\n' | xargs -d '\\n' -n1 sh -c"],
    ["deny", "printf 'ls\\n-rf /\\n' | xargs -L1 rm"],
    ["deny", "echo 'echo hi' | xargs -I % sh -c '%; rm -rf ~'"],
    ["deny", "echo 'rm -rf ~' | xargs -a /dev/null sh"],
    ["deny", "printf '\"%s\" x' 'rm -rf ~' | xargs -n1 sh -c"],
    ["ask", "echo 'rm a.txt' | xargs -0 sh -c"],
    ["ask", "xargs -a a.txt -0 sh -c"],
    ["ask", "echo 'a b' | xargs -d $X cat"],
    ["ask", "echo a | xargs -I{} -n 2 sh -c"],
    ["ask", "echo a | xargs -n 2 -I{} sh -c"],
    ["ask", "echo a.txt | xargs --process-slot-var=BASH_ENV bash -c ls"],
    ["ask", "echo a.txt | xargs --process-slot-var=GIT_DIR git status"],
    ["ask", "echo . | xargs --process-slot-var=GIO_EXTRA_MODULES gio list"],
    ["ask", "echo . | xargs --process-slot-var=POSIXLY_CORRECT ls"],
    ["ask", "echo a.txt | xargs --process-slot-var=$X ls"],
    ["ask", "printf 'rm x\\nls\\n' | xargs -I{} echo {} | sh"],
    ["deny", "printf 'rm -rf ~\\nls\\n' | xargs -I{} echo {} | sh"],
    // The other parallel, of moreutils, and the separators of GNU's.
    ["deny", "parallel sh -c -- 'rm -rf ~'"],
    ["deny", "parallel -- 'rm -rf ~' ls"],
    ["deny", "parallel -i sh -c {} -- 'rm -rf ~'"],
    ["deny", "echo 'ls:rm -rf ~' | parallel -d : sh -c"],
    ["deny", "echo 'rm -rf ~' | parallel -0"],
    ["ask", "echo a.txt | parallel -d $X cat"],
    ["allow", "echo a.txt b.txt | xargs cat"],
    ["allow", "printf 'a.txt\\nb.txt\\n' | xargs -I{} cat {}"],
    ["allow", "printf 'a.txt\\nb.txt\\n' | xargs -d '\\n' cat"],
    ["allow", "printf 'a.txt b.txt' | xargs -d ' ' -n1 cat"],
    ["allow", "echo \"'a.txt' 'b.txt'\" | xargs wc -l"],
    ["allow", "printf 'a.txt\\nb.txt\\n' | xargs -L 1 cat"],
    ["allow", "echo a.txt | xargs --process-slot-var=SLOT cat"],
    ["allow", "ls src | xargs -n1 echo"],
    ["allow", "echo 1 2 3 | xargs -n1 echo"],
    ["allow", "echo 'ls -la' | xargs -0 sh -c"],
  ] as const)("%s: %s", (expected, command) => {
    const { decision, reason } = verdictFor(command);
    expect(decision, reason).toBe(expected);
  });
});
