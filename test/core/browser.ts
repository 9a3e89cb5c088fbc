import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { existsSync } from "node:fs";
import { build } from "esbuild";
import * as core from "../../src/sdk/core/index.ts";
import { commandsOf, CORPORA } from "../corpora.ts";
import { verdictsOf } from "./verdicts.ts";

/**
 * `npm run test:browser [-- PROGRAM]`: `dist/core.mjs` in a headless Chromium says of every command of the corpora what the
 * sources say in Node. On Debian: `apt-get install chromium-headless-shell`.
 */

const PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/** A browser that has not answered by then never will. */
const SECONDS = 120;

const programOf = (given: string | undefined): string | undefined =>
  given ??
  PROGRAMS.flatMap((name) => (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** What the page finds at the browser's address. */
async function inBrowser(program: string, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const profile = mkdtempSync(join(tmpdir(), "assent-browser-"));
  let answer: (text: string) => void = () => undefined;
  const answered = new Promise<string>((resolve) => (answer = resolve));
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      void textOf(request).then((text) => (response.end(), answer(text)));
      return;
    }
    const text = files.get(request.url ?? "");
    const type = request.url === "/" ? "text/html" : "text/javascript";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` }).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const flags = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", `--user-data-dir=${profile}`];
  if (process.getuid?.() === 0) flags.push("--no-sandbox");
  const browser = spawn(program, [...flags, "--remote-debugging-port=0", `http://127.0.0.1:${port}/`], { stdio: "ignore" });
  const late = setTimeout(() => answer(JSON.stringify({ error: `no answer within ${SECONDS} s` })), SECONDS * 1000);
  browser.once("error", (error) => answer(JSON.stringify({ error: error.message })));
  try {
    const said = JSON.parse(await answered) as { readonly verdicts?: readonly string[]; readonly error?: string };
    if (said.verdicts === undefined) throw new Error(`${program}: ${said.error ?? "no verdicts"}`);
    return said.verdicts;
  } finally {
    clearTimeout(late);
    const ended = new Promise((resolve) => browser.once("exit", resolve));
    if (browser.exitCode === null && browser.kill()) await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const program = programOf(process.argv[2]);
if (program === undefined) throw new Error(`no browser found: none of ${PROGRAMS.join(", ")} is in PATH`);
const { outputFiles } = await build({
  entryPoints: [resolve("test/core/verdicts.ts")],
  bundle: true,
  platform: "neutral",
  format: "esm",
  write: false,
});
const commands = CORPORA.flatMap(commandsOf);
const page = `<!doctype html><script type="module">
const send = (what) => fetch("/", { method: "POST", body: JSON.stringify(what) });
try {
  const [core, { verdictsOf }, { default: commands }] = await Promise.all([import("/core.mjs"), import("/verdicts.mjs"), import("/commands.mjs")]);
  send({ verdicts: verdictsOf(core, commands) });
} catch (error) { send({ error: String(error) }); }
</script>`;
const said = await inBrowser(
  program,
  new Map([
    ["/", page],
    ...["core.mjs", "knowledge.mjs", ...readdirSync("dist/chunks").map((name) => `chunks/${name}`)].map(
      (file) => [`/${file}`, readFileSync(`dist/${file}`, "utf8")] as const,
    ),
    ["/verdicts.mjs", outputFiles[0]?.text ?? ""],
    ["/commands.mjs", `export default ${JSON.stringify(commands)};`],
  ]),
);
const expected = verdictsOf(core, commands);
const different = commands.flatMap((command, at) =>
  said[at] === expected[at] ? [] : [{ command, browser: said[at], node: expected[at] }],
);
for (const one of different.slice(0, 20)) process.stderr.write(`${JSON.stringify(one)}\n`);
const allowed = said.filter((verdict) => verdict.startsWith("allow")).length;
process.stdout.write(`${said.length} commands in ${program}: ${allowed} allowed, ${different.length} judged differently from Node\n`);
process.exitCode = different.length === 0 && said.length === commands.length ? 0 : 1;
