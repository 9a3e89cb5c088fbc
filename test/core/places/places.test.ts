import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import * as core from "@assent/library/sdk/core";
import * as rules from "@assent/library/sdk/core/rules";
import { commandsOf, CORPORA } from "../../corpora.ts";
import { launchBrowser } from "../../page/chromium.ts";
import { DIST } from "../../scratch.ts";
import { type SaidInPlace, sayInPlace } from "../in-place.ts";

/** The built guards of `assent/core` in the places that they are for, held to the sources in Node. */

const COMMANDS = CORPORA.flatMap(commandsOf);

/** As whoever ships it does: what gives what both guards say, in one file, or with parts that come by `import()`. By their names. */
async function shipped(ending: string, way: "one" | "script" | "parts" = "one"): Promise<Readonly<Record<string, string>>> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import * as core from ${JSON.stringify(join(DIST, "core.mjs"))};
        import * as rules from ${JSON.stringify(join(DIST, "core-rules.mjs"))};
        import { sayInPlace } from ${JSON.stringify(join(import.meta.dirname, "../in-place.ts"))};
        const say = async () => await sayInPlace(core, rules, ${JSON.stringify(COMMANDS)});
        ${ending}`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    bundle: true,
    minify: true,
    platform: "browser",
    format: way === "script" ? "iife" : "esm",
    splitting: way === "parts",
    outdir: OUT,
    absWorkingDir: OUT,
    write: false,
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path === join(OUT, "stdin.js") ? ENTRY : path.slice(OUT.length), text]));
}

const ENTRY = "/guards.js";
const OUT = tmpdir();

/** A page from this server, in Chromium, that gives what the expression `ask` gives in it. */
async function inPage(files: Readonly<Record<string, string>>, ask: string): Promise<SaidInPlace> {
  const server = createServer((request, response) => {
    const text = request.url === "/" ? "<!doctype html><title>guards</title>" : files[request.url ?? ""];
    const type = request.url === "/" ? "text/html" : "text/javascript";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` }).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const address = server.address();
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
    return (await page.evaluate(ask)) as SaidInPlace;
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

const configOf = (modules: readonly string[]): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [${modules.map((name) => `(name = "${name}", esModule = embed "${name}")`).join(", ")}],
  compatibilityDate = "2026-01-01",
);
`;

/** A worker in Cloudflare's own runtime, asked once. */
async function inWorkerd(files: Readonly<Record<string, string>>): Promise<SaidInPlace> {
  const folder = mkdtempSync(join(tmpdir(), "assent-workerd-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  // The first is where it starts.
  const names = [ENTRY, ...Object.keys(files).filter((name) => name !== ENTRY)].map((name) => name.slice(1));
  writeFileSync(join(folder, "config.capnp"), configOf(names));
  const program = join(import.meta.dirname, "node_modules/@cloudflare/workerd-linux-64/bin/workerd");
  const running = spawn(program, ["serve", "--control-fd=3", join(folder, "config.capnp")], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] },
  });
  let problem = "";
  running.stderr?.on("data", (chunk: Buffer) => (problem += chunk.toString()));
  const ended = new Promise<void>((resolve) => running.once("exit", () => resolve()));
  try {
    const port = await new Promise<number>((resolve, reject) => {
      let told = "";
      running.stdio[3]?.on("data", (chunk: Buffer) => {
        told += chunk.toString();
        const found = /"socket":"http","port":(\d+)/.exec(told)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
      running.once("exit", () => reject(new Error(`workerd ended: ${problem}`)));
    });
    const response = await fetch(`http://127.0.0.1:${port}/`);
    if (!response.ok) throw new Error(`workerd: ${await response.text()} ${problem}`);
    return (await response.json()) as SaidInPlace;
  } finally {
    running.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

const PAGE = "export { say };";
const ASKS_PAGE = `import("${ENTRY}").then(({ say }) => say())`;
const WORKER = "export default { fetch: async () => Response.json(await say()) };";
const SERVICE_WORKER = `self.addEventListener("message", ({ ports: [port] }) => {
  say().then((said) => port.postMessage(said), (error) => port.postMessage({ error: String(error) }));
});`;
const asksServiceWorker = (
  options: string,
): string => `navigator.serviceWorker.register("${ENTRY}", ${options}).then(({ installing, waiting, active }) => {
  const { port1, port2 } = new MessageChannel();
  (installing ?? waiting ?? active).postMessage("say", [port2]);
  return new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
})`;

const PLACES: Readonly<Record<string, () => Promise<SaidInPlace>>> = {
  "a page": async () => await inPage(await shipped(PAGE), ASKS_PAGE),
  "a page, with parts that come when they are needed": async () => await inPage(await shipped(PAGE, "parts"), ASKS_PAGE),
  "a service worker": async () => await inPage(await shipped(SERVICE_WORKER, "script"), asksServiceWorker("{}")),
  "a service worker that is a module": async () => await inPage(await shipped(SERVICE_WORKER), asksServiceWorker('{ type: "module" }')),
  workerd: async () => await inWorkerd(await shipped(WORKER)),
  "workerd, with parts that come when they are needed": async () => await inWorkerd(await shipped(WORKER, "parts")),
};

let expected: SaidInPlace;
beforeAll(async () => {
  expected = await sayInPlace(core, rules, COMMANDS);
});

describe("the guards of assent/core say the same in every place", () => {
  it.skipIf(process.arch !== "x64").each(Object.keys(PLACES))("in %s", async (place) => {
    const said = await PLACES[place]!();
    expect(said).toEqual(expected);
  });

  it.skipIf(process.arch !== "x64")(
    "but in a service worker no part comes: what needs one is a question, and nothing more is allowed",
    async () => {
      const said = await inPage(await shipped(SERVICE_WORKER, "parts"), asksServiceWorker('{ type: "module" }'));
      const changed = said.commands.filter((line, at) => line !== expected.commands[at]);
      expect(changed.filter((line) => !/^ask: .*the part [\w-]+ could not be fetched/s.test(line))).toEqual([]);
      expect(changed.length).toBeGreaterThan(expected.commands.length * 0.9);
      const allowed = (lines: readonly string[]): ReadonlySet<number> =>
        new Set(lines.flatMap((line, at) => (/(?:^|: )allow: /.test(line) ? [at] : [])));
      for (const form of ["calls", "rules", "commands"] as const) {
        const before = allowed(expected[form]);
        expect([...allowed(said[form])].filter((at) => !before.has(at))).toEqual([]);
      }
    },
  );

  it("and what they say is something", () => {
    const kinds = (lines: readonly string[]): readonly string[] =>
      [...new Set(lines.flatMap((line) => /(?:^|: )(allow|ask|deny): /.exec(line)?.[1] ?? []))].toSorted();
    expect([expected.commands.length > 4000, expected.calls.length > 1000, expected.rules.length > 800]).toEqual([true, true, true]);
    for (const lines of [expected.commands, expected.calls, expected.rules]) expect(kinds(lines)).toEqual(["allow", "ask", "deny"]);
  });
});
