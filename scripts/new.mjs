// `npm run new command NAME`: a new command of the CLI, whole: its file, its row in the table of commands, its line in
// docs/cli.md, and a test that fails until it does something of its own.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const USAGE = "usage: npm run new command NAME    (a lower-case word, hyphens allowed)";

/**
 * What is written for a command, from what is there: file to text. Throws where the name cannot be one.
 * @param {string} name
 * @param {(file: string) => string | undefined} read
 * @returns {Record<string, string>}
 */
export function newCommand(name, read) {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) throw new Error(`\`${name}\` cannot be the name of a command\n${USAGE}`);
  const table = read("packages/assent/src/cli/program.ts") ?? "";
  const source = `packages/assent/src/cli/${name}.ts`;
  if (read(source) !== undefined) throw new Error(`${source} is there already: choose another name`);
  const page = read("docs/cli.md") ?? "";
  if (page.includes(`\`assent ${name}`)) throw new Error(`\`assent ${name}\` is a command already`);
  const verb = name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const called = `print${verb[0].toUpperCase()}${verb.slice(1)}`;
  return {
    "packages/assent/src/cli/program.ts": before(
      table,
      "  addUndoCommands(assent);\n",
      `  assent
    .command("${name}")
    .summary("say what ${name} is")
    .description("Prints what ${name} is.")
    .option(...JSON_OPTION)
    .action(starts(async () => (await import("./${name}.ts")).${called}));

`,
    ),
    [source]: `import { JSON_VERSION } from "./json.ts";
import { writeStdout } from "./stdio.ts";

/** \`assent ${name}\`. Returns the exit code. */
export function ${called}(options: { readonly json?: true }): number {
  const found = { v: JSON_VERSION, ${/^[a-z]\w*$/.test(name) ? name : `"${name}"`}: "nothing yet" };
  writeStdout(options.json === true ? \`\${JSON.stringify(found)}\\n\` : "nothing yet\\n");
  return 0;
}
`,
    "docs/cli.md": after(page, "| `assent demo` |", `| \`assent ${name}\` | what ${name} is |\n`),
    [`test/cli/${name}.test.ts`]: `import { expect, test } from "vitest";
import { assent, scratch } from "../scratch.ts";

test("assent ${name}", () => {
  const place = scratch();
  expect(assent(place, ["${name}"])).toMatchObject({ status: 0, stdout: "nothing yet\\n", stderr: "" });
  expect(JSON.parse(assent(place, ["${name}", "--json"]).stdout)).toEqual({ v: 1, ${/^[a-z]\w*$/.test(name) ? name : `"${name}"`}: "nothing yet" });
});
`,
  };
}

function before(text, anchor, added) {
  const at = text.indexOf(anchor);
  if (at < 0) throw new Error(`no place for a command: \`${anchor.trim()}\` is gone`);
  return text.slice(0, at) + added + text.slice(at);
}

function after(text, start, line) {
  const at = text.indexOf(start);
  const end = text.indexOf("\n", at) + 1;
  if (at < 0 || end === 0) throw new Error(`no place for a line: \`${start}\` is gone`);
  return text.slice(0, end) + line + text.slice(end);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [kind, name, ...others] = process.argv.slice(2);
  if (kind !== "command" || name === undefined || others.length > 0) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
  } else {
    try {
      const read = (file) => (existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), "utf8") : undefined);
      const written = newCommand(name, read);
      for (const [file, text] of Object.entries(written)) {
        writeFileSync(join(ROOT, file), text);
        console.log(`wrote ${file}`);
      }
      // Help, completions and the man page are made from the table.
      execFileSync(process.execPath, ["scripts/generate.mjs"], { cwd: ROOT, stdio: "inherit" });
      console.log(`\nNow: npx vitest run test/cli/${name}.test.ts test/cli/completion.test.ts`);
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
  }
}
