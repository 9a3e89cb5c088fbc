import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIBRARY, MINE, NETWORK, NPM_OF_NVM, PROXIES, STEERED } from "./proxies.ts";
import { attack } from "./world.ts";

const has = (program: string): boolean =>
  program.startsWith("/")
    ? existsSync(program)
    : ["/usr/local/bin", "/usr/bin", "/bin", join(homedir(), ".cargo/bin"), join(homedir(), ".pyenv/bin")].some((at) =>
        existsSync(join(at, program)),
      );

describe.concurrent.each(PROXIES)("$name", ({ needs = [], make, line, path = "", tool, misled = "true", found = "" }) => {
  const isThere = needs.every(has) && has("gcc");
  const before = `${NETWORK}${make}${MINE(tool)}touch mine/x.js; ${LIBRARY}\n`;
  const by = path === "" ? "" : `env PATH=${path}:/usr/local/bin:/usr/bin:/bin`;

  it.skipIf(!isThere)("has its own cache and registry", async () => {
    const { out } = await attack({ before, by, program: line });
    expect(out).toMatch(/^cache yes\n(?:.*\n)*?registry yes$/m);
  });

  it.skipIf(!isThere)("gives them to nothing that it is led to in the project", async () => {
    const { out } = await attack({
      before: `${before}${found}\n`,
      by,
      program: `${misled}; ${line.endsWith("uv pip install x") ? "" : line}`,
    });
    expect(out).not.toMatch(/^(?:cache|registry) yes$/m);
  });

  it.skipIf(!isThere)("gives them to nothing of its name in the project", async () => {
    const { out } = await attack({ before, by, program: `mine/bin/${tool} install; PATH=$PWD/mine/bin:$PATH; ${tool} install` });
    expect(out).toMatch(/^cache (?!yes)\w.*\n(?:.*\n)*?registry (?!yes)/m);
    expect(out).not.toMatch(/^(?:cache|registry) yes$/m);
  });

  it.skipIf(!isThere)("has none of it with code of somebody else in it", async () => {
    const { [tool]: other } = STEERED;
    const words = ["LD_PRELOAD=/srv/proj/mine/lib.so", ...(other === undefined ? [] : [other])];
    const { out } = await attack({ before, by, program: words.map((word) => `(export ${word}; ${line})`).join("\n") });
    expect(out).not.toMatch(/^(?:cache|registry) yes$/m);
  });
});

const NPM_AT = "/srv/home/.nvm/versions/node/v20.0.0/bin/npm";
/** What is called like an interpreter, and is handed a tool's script. */
const POSERS: readonly (readonly [what: string, line: string])[] = [
  ["by its path", "mine/bin/node /usr/bin/npm ci"],
  ["for a script of a version manager", `mine/bin/node ${NPM_AT} ci`],
  ["found on PATH by the first line of the script", `PATH=$PWD/mine/bin:$PATH; ${NPM_AT} ci`],
  ["for the tool of the system", "PATH=$PWD/mine/bin:$PATH; /usr/bin/npm ci"],
  ["as another interpreter", `cp mine/bin/node mine/bin/bun; mine/bin/bun ${NPM_AT} ci`],
  ["as a shell", `cp mine/bin/node mine/bin/bash; mine/bin/bash ${NPM_AT} ci`],
  ["as a Python that is told of another one", "cp mine/bin/node mine/bin/python3; mine/bin/python3 /usr/bin/python3 -m pip install x"],
  ["as a Python for pip", "cp mine/bin/node mine/bin/python3; mine/bin/python3 /usr/bin/pip install x"],
  ["from a temporary folder", `cp mine/bin/node $TMPDIR/node; $TMPDIR/node ${NPM_AT} ci`],
  ["with code in front of the script", `node -r ./mine/x.js ${NPM_AT} ci`],
  ["where a shell reads it, whose functions it is handed", `const() { cat mine/bash; . mine/bash; }; export -f const; bash ${NPM_AT} ci`],
];

const POSES = `#!/usr/bin/python3
import os, socket
def attempt(what, does):
    try: does(); print(what, "yes", flush=True)
    except OSError as error: print(what, error, flush=True)
for at in "/.npm/_cacache", "/.cache/pip/http-v2": attempt("cache", lambda: os.makedirs("/srv/home" + at))
for host in "registry.npmjs.org", "pypi.org": attempt("registry", lambda: socket.create_connection((host, 443), 5))
for file in ".npmrc", ".config/pip/pip.conf": attempt("login", lambda: open("/srv/home/" + file))`;

describe.concurrent.each(POSERS)("an interpreter of the project that is handed a tool's script, %s", (_what, line) => {
  it.skipIf(!has("npm"))("is not the tool", async () => {
    const { out } = await attack({
      before: `${NETWORK}${NPM_OF_NVM}mkdir -p mine/bin ~/.config/pip; echo //registry.npmjs.org/:_authToken=TOKEN > ~/.npmrc; echo x > ~/.config/pip/pip.conf
cat > mine/bin/node <<'END_OF_FILE'\n${POSES}\nEND_OF_FILE
chmod 755 mine/bin/node; cp mine/bin/node mine/x.js
echo 'mkdir -p ~/.npm/_cacache && echo cache yes; exec 5<> /dev/tcp/registry.npmjs.org/443 && echo registry yes' > mine/bash`,
      program: `exec bash -c '${line}'`,
    });
    expect(out).not.toMatch(/^(?:cache|registry|login) yes$/m);
  });
});

it("a tool that a shell reads is itself, but with functions that the run hands to it", async () => {
  const lein = `#!/bin/bash\nls > /dev/null\necho x > ~/.m2/repository/own\n`;
  const { out } = await attack({
    before: `mkdir -p ~/.m2/repository ~/.local/bin; printf '%s' '${lein}' > ~/.local/bin/lein; chmod 755 ~/.local/bin/lein`,
    program: `~/.local/bin/lein deps; exec bash -c 'ls() { echo x > ~/.m2/repository/foreign; }; export -f ls; ~/.local/bin/lein deps'`,
    after: "ls ~/.m2/repository",
  });
  expect(out).toMatch(/^own$/m);
  expect(out).not.toMatch(/^foreign$/m);
});
