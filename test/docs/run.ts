import { execFileSync, spawn } from "node:child_process";
import { accessSync, chmodSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { readPolicy } from "@assent/core/policy/read";
import { OUR_PACKS } from "@assent/guard/engine/reader";
import { type Block, readTyped } from "./blocks.ts";
import { compare } from "./compare.ts";

/** What became of an example. */
export interface Outcome {
  readonly block: Block;
  /** What is wrong with it. */
  readonly problem?: string;
  /** Its text with what is really printed in the place of what it says. */
  readonly written?: string;
}

interface Place {
  readonly repository: string;
  readonly root: string;
  readonly home: string;
  readonly project: string;
}

/** Longer names of places do not fit into the pictures' lines. */
const isLong = (folder: string): boolean => folder.length > 12;
/** No temporary folder: what lies in those may be changed without a question. */
const LASTING = [homedir(), "/srv", "/opt", "/var/lib"]
  .toSorted((a, b) => Number(isLong(a)) - Number(isLong(b)))
  .find((folder) => {
    try {
      accessSync(folder, constants.W_OK);
      return !/^\/(?:var\/)?tmp(?:\/|$)/.test(folder);
    } catch {
      return false;
    }
  });

/** A home with an empty repository `~/project`, where the examples of a page are typed, and `assent` on its PATH. */
function makePlace(repository: string): Place {
  if (LASTING === undefined) throw new Error("no folder outside the temporary ones can be written");
  const root = mkdtempSync(join(LASTING, "docs-"));
  const home = join(root, "home");
  const project = join(home, "project");
  for (const folder of [project, join(root, "bin"), join(root, "state"), join(project, "node_modules")])
    mkdirSync(folder, { recursive: true });
  const command = join(root, "bin/assent");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${join(repository, "bin/assent.cjs")}' "$@"\n`);
  chmodSync(command, 0o755);
  symlinkSync(repository, join(project, "node_modules/assent"));
  writeFileSync(join(project, ".gitignore"), "node_modules\n");
  execFileSync("git", ["init", "-q", "-b", "main", project]);
  writeFileSync(join(root, "state/cwd"), project);
  return { repository, root, home, project };
}

interface Ran {
  readonly output: string;
  readonly status: number | null;
  /** With its colours, at a terminal. */
  readonly raw?: string;
}

function start(program: string, args: readonly string[], place: Place): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: place.project,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 150_000,
      env: {
        PATH: `${place.root}/bin:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
        HOME: place.home,
        LANG: "C.UTF-8",
        TERM: "xterm",
        COLUMNS: "200",
        NO_COLOR: "1",
        USER: "you",
        GIT_CONFIG_COUNT: "3",
        ...Object.fromEntries(
          [
            ["user.name", "You"],
            ["user.email", "you@example.org"],
            ["init.defaultBranch", "main"],
          ].flatMap(([key, value], index) => [
            [`GIT_CONFIG_KEY_${index}`, key],
            [`GIT_CONFIG_VALUE_${index}`, value],
          ]),
        ),
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", reject);
    child.once("close", (status) => resolve({ output, status }));
  });
}

/** What the pages call a place, as it is called here; and back. */
const inPlace = (text: string, { home, project }: Place): string =>
  text.replaceAll(/\/home\/you(?=\/|\b)/g, home).replaceAll(/(?<![\w./~-])\/repo(?=\/|\b)/g, project);
const asPage = (text: string, { root, home }: Place): string => text.replaceAll(home, "/home/you").replaceAll(root, "/…");

/** Types a command where the one before it ended: its folder and variables stay. */
async function type(command: string, place: Place, answers?: string[]): Promise<Ran> {
  const state = join(place.root, "state");
  const script = join(state, "command");
  writeFileSync(
    script,
    [
      `[ -e '${state}/env' ] && . '${state}/env'`,
      `cd "$(cat '${state}/cwd')"`,
      inPlace(command, place),
      "assent_status=$?",
      `export -p > '${state}/env'; pwd > '${state}/cwd'; exit $assent_status`,
    ].join("\n"),
  );
  if (answers === undefined) {
    const { output, status } = await start("bash", [script], place);
    return { output: asPage(output, place), status };
  }
  const ran = await start("python3", [join(place.repository, "test/docs/at_terminal.py"), JSON.stringify(answers), "bash", script], place);
  if (ran.status !== 0) throw new Error(ran.output);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the driver prints
  const { output, status, left, raw = "" } = JSON.parse(ran.output) as Ran & { readonly left: readonly string[] };
  answers.splice(0, answers.length - left.length);
  return { output: asPage(output, place), status, raw: asPage(raw, place) };
}

/** What a terminal shows, colours included, when these lines are typed in a scratch home. */
export async function showTyped(
  repository: string,
  before: string,
  lines: readonly (readonly [command: string, answers: readonly string[]])[],
): Promise<readonly string[]> {
  const place = makePlace(repository);
  try {
    await type(before, place);
    const shown: string[] = [];
    for (const [command, answers] of lines) {
      const { raw = "" } = await type(`unset NO_COLOR\n${command}`, place, [...answers]);
      shown.push(raw);
    }
    return shown;
  } finally {
    rmSync(place.root, { recursive: true, force: true });
  }
}

/** Runs the examples of one page in order. `slow`: also those that take long. */
export async function runPage(repository: string, blocks: readonly Block[], slow: boolean): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let place: Place | undefined;
  try {
    for (const block of blocks) {
      if (block.newPlace && place !== undefined) {
        rmSync(place.root, { recursive: true, force: true });
        place = undefined;
      }
      if (block.notRun !== undefined || (block.slow !== undefined && !slow)) continue;
      place ??= makePlace(repository);
      outcomes.push(await runBlock(block, place));
    }
    return outcomes;
  } finally {
    if (place !== undefined) rmSync(place.root, { recursive: true, force: true });
  }
}

async function runBlock(block: Block, place: Place): Promise<Outcome> {
  for (const line of block.before.length === 0 ? [] : [block.before.join("\n")]) {
    const { status, output } = await type(line, place);
    if (status !== 0) return { block, problem: `what comes before ends with ${status}: ${line}\n${output}` };
  }
  const file = /^(?:\/\/|#) (~?[\w./-]*[\w-]+\.[\w-]+)$/.exec(block.text.split("\n")[0] ?? "")?.[1];
  if (file !== undefined && !/^(?:sh|bash|console)$/.test(block.language)) writeBlock(block, file, place);
  switch (block.language) {
    case "console":
      return runConsole(block, place);
    case "sh":
    case "bash": {
      const { status, output } = await type(`set -e\n${block.text}\nset +e`, place, block.answers && [...block.answers]);
      return status === 0 ? { block } : { block, problem: `ends with ${status}\n${output}` };
    }
    case "ts":
    case "js":
      return file === undefined ? runScript(block, place) : { block };
    case "json":
    case "jsonc":
      return checkPolicy(block);
    default:
      return { block };
  }
}

function writeBlock(block: Block, file: string, place: Place): void {
  const at = file.startsWith("~/") ? join(place.home, file.slice(2)) : join(place.project, file);
  mkdirSync(dirname(at), { recursive: true });
  const opened = block.language === "jsonc" && !block.text.replace(/^\/\/.*\n/, "").startsWith("{") ? `{ ${block.text}\n}` : block.text;
  writeFileSync(at, `${inPlace(opened, place)}\n`);
}

async function runConsole(block: Block, place: Place): Promise<Outcome> {
  const typed = readTyped(block.text);
  const lines: string[] = [];
  const problems: string[] = [];
  const answers = block.answers === undefined ? undefined : [...block.answers];
  for (const { command, prints } of typed) {
    const { output, status } = await type(command, place, answers);
    lines.push(...`$ ${command}`.split("\n"));
    const printed = output.replace(/\n+$/, "").split("\n");
    if (prints === undefined) {
      if (status !== 0) problems.push(`$ ${command}\nends with ${status}\n${output}`);
      continue;
    }
    const { same, written } = compare(prints, printed);
    lines.push(...written);
    if (!same) problems.push(`$ ${command}\nprints\n${output}\nand the page says\n${prints.join("\n")}`);
  }
  return problems.length === 0 ? { block } : { block, problem: problems.join("\n\n"), written: lines.join("\n") };
}

async function runScript(block: Block, place: Place): Promise<Outcome> {
  const { code } = await transform(block.text, { loader: block.language === "ts" ? "ts" : "js", format: "esm", target: "node20" });
  // A function that an example only declares says yes; anything else has its lines in front of the block.
  const declared = [...block.text.matchAll(/^declare function (\w+)/gm)].map(([, name]) => `globalThis.${name} = async () => true;`);
  const file = join(place.project, "example.mjs");
  const prelude = join(place.project, "prelude.mjs");
  writeFileSync(prelude, inPlace([...declared, ...block.beforeTs].join("\n"), place));
  writeFileSync(file, inPlace(`import "./prelude.mjs";\n${code}`, place));
  const { status, output } = await type("node example.mjs", place);
  for (const one of [file, prelude]) if (existsSync(one)) rmSync(one);
  if (status !== 0) return { block, problem: `ends with ${status}\n${output}` };
  const said = verdictsSaid(block.text);
  const printed = output.split("\n").filter((line) => said.includes(line));
  return printed.join() === said.join() ? { block } : { block, problem: `prints\n${output}\nand the page says ${said.join()}` };
}

/** The verdicts that comments say are printed: `console.log(…); // deny: why`. */
const verdictsSaid = (text: string): readonly string[] =>
  [...text.matchAll(/^ *(?:if \(.*\) )?console\.log\(.*\); \/\/ (allow|ask|deny|pending)\b/gm)].map(([, verdict = ""]) => verdict);

const POLICY_KEY =
  /^\s*"(?:permissions|operations|extends|version|preset|mode|unknown|allow|ask|deny|automation|audit|undo|team|wrappers|aliases|\$schema)"/;

/** A policy, a part of one, or a rule. */
function checkPolicy(block: Block): Outcome {
  const text = block.text.replace(/^\/\/.*\n/, "").trim();
  const bare = text.replace(/^\{\s*/, "");
  if (!POLICY_KEY.test(bare) && !/"(?:rule|command)":/.test(text)) {
    if (block.language === "jsonc") return { block, problem: "is no policy: say so in a comment" };
    try {
      JSON.parse(block.text);
      return { block };
    } catch (error) {
      return { block, problem: String(error) };
    }
  }
  const whole = text.startsWith("{") ? text : `{ ${text} }`;
  const policy = !POLICY_KEY.test(bare)
    ? `{ "permissions": { "ask": [${text}] } }`
    : /^"(?:allow|ask|deny)"/.test(bare)
      ? `{ "permissions": ${whole} }`
      : whole;
  const result = readPolicy(policy, { file: block.file, layer: "user", examples: () => [], packs: OUR_PACKS });
  const problems = result.ok ? [] : result.problems.filter(({ key }) => !/\.(?:match|notMatch)\[/.test(key));
  return problems.length === 0 ? { block } : { block, problem: problems.map(({ message }) => message).join("\n") };
}
