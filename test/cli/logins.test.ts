import { chmodSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { isConfinedCommand } from "@assent/core/action";
import { scratch, type Scratch } from "../scratch.ts";
import { hooked, start } from "./confined-start.ts";

const READS = (file: string): string => `require("fs").readFileSync(require("os").homedir() + "/${file}", "utf8")`;

/** Code that shows npm's login, in whatever process it runs. It writes its letters apart, lest npm hide them. */
const EVIL_JS = `try { const text = ${READS(".npmrc")}; console.error("GOT", [...text].join(" ")); } catch (error) { console.error("no", error.code); }
module.exports = {};`;
const EVIL_RB = `begin; $stderr.puts "GOT " + File.read(File.join(Dir.home, ".gem/credentials")).chars.join(" "); rescue => error; $stderr.puts "no #{error.class}"; end`;
const EVIL_PY = `import os, sys
try: print("GOT", " ".join(open(os.path.expanduser("~/.config/pip/pip.conf")).read()), file=sys.stderr)
except OSError as error: print("no", error.errno, file=sys.stderr)`;

/** Ways in which a script of the project makes a tool show what it logs in with: by its words, its environment, its settings. */
const WAYS: readonly (readonly [what: string, script: string])[] = [
  ["a script of its own", "npm run show"],
  ["a module that a setting of the project names", "echo init-module=$PWD/evil.cjs > .npmrc; npm init -y"],
  ["the same, in a word that is shortened", "echo init-module=$PWD/evil.cjs > .npmrc; npm ini -y"],
  ["the same, by another word", "echo init-module=$PWD/evil.cjs > .npmrc; npm innit -y; npm create -y"],
  ["an option", "npm --init-module=$PWD/evil.cjs init -y"],
  ["an option that names settings", "echo init-module=$PWD/evil.cjs > rc; npm init -y --userconfig rc; npm init -y --globalconfig=rc"],
  ["a variable", "npm_config_init_module=$PWD/evil.cjs npm init -y; env NPM_CONFIG_INIT-MODULE=$PWD/evil.cjs npm init -y"],
  ["a variable that names settings", "echo init-module=$PWD/evil.cjs > rc; NPM_CONFIG_USERCONFIG=rc npm init -y"],
  ["a variable that says where npm lies", "mkdir -p x/etc; echo init-module=$PWD/evil.cjs > x/etc/npmrc; PREFIX=$PWD/x npm init -y"],
  ["what node loads first", "NODE_OPTIONS='--require ./evil.cjs' npm view x --fetch-retries=0"],
  ["settings that name settings", "echo userconfig=rc > .npmrc; echo init-module=$PWD/evil.cjs > rc; npm init -y"],
  ["npm's own file, started with other code", 'node -r ./evil.cjs "$(command -v npm)" view x --fetch-retries=0'],
  ["a package's program", "npx ./evil.cjs; npm exec -c 'node evil.cjs'"],
  [
    "npm's inspector, asked for by a signal",
    "npm run wait & sleep 3; kill -USR1 $!; sleep 1; (exec 3<>/dev/tcp/127.0.0.1/9229) 2> /dev/null && echo T-O-K-E-N; kill $!",
  ],
  ["what shows every message", "NODE_DEBUG=http,https,fs npm config ls"],
  ["a script in ruby", "ruby evil.rb"],
  ["what gem builds from", "cp evil.rb x.gemspec; gem build x.gemspec"],
  [
    "what gem loads from where a variable says",
    "mkdir -p g/plugins; cp evil.rb g/plugins/x_plugin.rb; GEM_HOME=$PWD/g GEM_PATH=$PWD/g gem list",
  ],
  ["what ruby loads first", "RUBYOPT=-r./evil.rb gem list; RUBYLIB=$PWD gem list"],
  [
    "what python imports first",
    "cp evil.py sitecustomize.py; PYTHONPATH=$PWD pip3 download --retries 0 x; PYTHONPATH=$PWD /usr/bin/python3 -m pip config list",
  ],
  ["a module in pip's place", "mkdir pip; cp evil.py pip/__init__.py; cp evil.py pip/__main__.py; python3 -m pip list"],
];

function placed(): Scratch {
  // What lies in a temporary folder, or among packages, may be read by anybody.
  vi.stubEnv("TMPDIR", homedir());
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", '{ "unknown": "confine" }');
  place.write("~/.npmrc", "//registry.npmjs.org/:_authToken=T-O-K-E-N\ninit-license=Unlicense\n");
  place.write("~/.gem/credentials", "---\n:rubygems_api_key: T-O-K-E-N\n");
  place.write("~/.config/pip/pip.conf", "[global]\nindex-url = https://me:T-O-K-E-N@127.0.0.1:1/simple\n");
  place.write("evil.cjs", `#!/usr/bin/env node\n${EVIL_JS}`);
  chmodSync(join(place.project, "evil.cjs"), 0o755);
  place.write("evil.rb", EVIL_RB);
  place.write("evil.py", EVIL_PY);
  place.write("package.json", '{ "name": "x", "version": "1.0.0", "scripts": { "show": "node evil.cjs", "wait": "sleep 9" } }');
  return place;
}

async function shown(script: string): Promise<string> {
  const place = placed();
  chmodSync(place.write("tool.sh", `#!/bin/bash\nexec > shown.txt 2>&1\n${script}\necho done\n`), 0o755);
  const confined = hooked(place, "./tool.sh") ?? "";
  expect(isConfinedCommand(place.home, confined)).toBe(true);
  await start(place, confined);
  return readFileSync(join(place.project, "shown.txt"), "utf8");
}

describe("what a tool logs in with is shown to nobody in a confined run", () => {
  it.each(WAYS)("%s: %s", async (_what, script) => {
    const text = await shown(script);
    expect(text).toMatch(/^done$/m);
    expect(text.replaceAll(" ", "")).not.toContain("T-O-K-E-N");
  });

  it("and the tool itself has it", async () => {
    expect(await shown("npm config get init-license; npm_config_loglevel=warn npm config get init-license")).toBe(
      "Unlicense\nUnlicense\ndone\n",
    );
  });
});
