import { describe, expect, it } from "vitest";
import { CONFINED_NEEDS } from "@assent/core/action";
import { isObject } from "@assent/core/data";
import { allEntries } from "../../packages/core/src/shell/knowledge/entries.ts";
import { readConfined } from "../../packages/core/src/shell/knowledge/read-spec.ts";
import { assent, scratch } from "../scratch.ts";

/** Under `"unknown": "confine"`: `ask` beforehand for the need, `confined`, or `as before`: allowed or asked without it. */
const LINES: readonly (readonly [line: string, expected: string])[] = [
  ["make", "confined"],
  ["./build.sh", "confined"],
  ["cargo test", "confined"],
  ["gdb -batch -ex run ./a", "as before"],
  ["gdb -batch", "tracing"],
  ["strace -f ./a", "tracing"],
  ["ltrace ./a", "tracing"],
  ["strace --version", "as before"],
  ["bwrap --ro-bind / / ./a", "namespaces"],
  ["unshare -r ./a", "namespaces"],
  ["make && unshare -r ./a", "namespaces"],
  ["./x.sh && podman build .", "as before"],
  ["docker build .", "as before"],
  ["docker compose up -d", "as before"],
  ["nix develop", "namespaces"],
  ["chromium --headless --dump-dom page.html", "browser"],
  ["chromium --headless --no-sandbox --no-zygote --dump-dom page.html", "confined"],
  ["bash -c 'strace ./a'", "tracing"],
  ["timeout 5 strace ./a", "tracing"],
  ["tmux attach", "terminals"],
  ["notify-send done", "as before"],
  ["./x.sh && notify-send done", "bus"],
  ["kinit me@EXAMPLE.COM", "tickets"],
  ["./x.sh && git commit -S -m x", "keys"],
  ["./x.sh && git commit -m x", "confined"],
  ["./x.sh; nvidia-smi", "gpu"],
  ["npx playwright test", "confined"],
  ["cd src && npx playwright test a.spec.ts --reporter=line 2>&1 | tail -20", "confined"],
  ["npx playwright@1.50 test --grep x", "confined"],
  ["node_modules/.bin/playwright test", "confined"],
  ["npx playwright test --headed", "desktop"],
  ["npx playwright test --ui", "desktop"],
  // It serves on loopback, says where, and passes by that no window opens.
  ["npx playwright show-report", "confined"],
  ["cd src && npx playwright show-report --port 9400 my-report", "confined"],
  ["npx playwright show-trace a.zip", "desktop"],
  ["npx playwright codegen", "desktop"],
  ["npx playwright screenshot https://example.com a.png", "browser"],
  ["npx playwright install", "confined"],
  ["node_modules/.bin/cypress run", "browser"],
  ["npm i -g typescript", "outside"],
  ["npm i -D typescript", "confined"],
  ["npm ls -g", "as before"],
  ["pnpm add --global x", "outside"],
  ["yarn global add x", "outside"],
  ["yarn add x", "confined"],
  ["bun add -g x", "outside"],
  ["pip install --user black", "outside"],
  ["pip install black", "confined"],
  ["pipx install black", "outside"],
  ["uv tool install ruff", "outside"],
  ["uv add ruff", "confined"],
  ["cargo install ripgrep", "outside"],
  ["cargo install --root ./tools ripgrep", "confined"],
  ["go install golang.org/x/tools/gopls@latest", "outside"],
  ["go get golang.org/x/tools", "confined"],
  ["composer global require x/y", "outside"],
  ["cd src && npm i -g x 2>&1 | tail -3", "outside"],
];

describe('under "unknown": "confine", what is known to fail confined is asked beforehand', () => {
  const place = scratch({ keep: true });
  place.write("~/.agent-permissions.jsonc", '{ "version": 1, "unknown": "confine" }');
  place.write("build.sh", "true\n");
  place.write("x.sh", "true\n");
  place.write("Makefile", "all:\n\ttrue\n");

  it.each(LINES)("%s → %s", (line, expected) => {
    const { stdout, stderr } = assent(place, ["explain", "--json", "--confined", line], "", { DISPLAY: ":0" });
    expect(stderr).toBe("");
    const found: unknown = JSON.parse(stdout);
    const text = JSON.stringify(found);
    // What a command needs stands among its actions, too, where the question is another one.
    const reason = isObject(found) && found["builtin"] === "confine.fails" ? JSON.stringify(found["reason"]) : "";
    const need = Object.entries(CONFINED_NEEDS).find(([, words]) => reason.includes(words))?.[0];
    const said = need ?? (text.includes('"confined":true') ? "confined" : "as before");
    expect(said).toBe(expected);
    if (need !== undefined) expect(text).toContain("confine.fails");
  });

  it("a first part that changes a file goes with the rest: what it changes would be written down nowhere", () => {
    const allow = ["Write(**)", "Edit(**)", "Bash(make:*)"];
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ version: 1, unknown: "confine", permissions: { allow } }));
    const lines = [
      "docker ps > Makefile && ./x.sh",
      "echo all: > Makefile && docker ps && ./x.sh",
      "docker ps | tee Makefile; ./x.sh",
      "cp x.sh build.sh && docker ps; ./x.sh",
      "touch a; docker ps; ./x.sh",
      "docker ps 2> build.sh; ./x.sh",
    ];
    const said = (line: string): string => assent(place, ["explain", "--json", "--confined", line]).stdout;
    expect(lines.filter((line) => said(line).includes("goes first"))).toEqual([]);
    for (const line of ["docker ps && ./x.sh", "docker ps > /dev/null 2>&1 && ./x.sh", "ls; docker ps; ./x.sh"])
      expect(said(line)).toContain("goes first");
  });

  it("the rules that the question names run it unconfined; a plain allow does not", () => {
    const said = (...allow: readonly unknown[]): Readonly<Record<string, unknown>> => {
      place.write("~/.agent-permissions.jsonc", JSON.stringify({ version: 1, unknown: "confine", permissions: { allow } }));
      const found: unknown = JSON.parse(assent(place, ["explain", "--json", "--confined", "strace ./x.sh"]).stdout);
      return isObject(found) ? found : {};
    };
    const bare = ["Bash(strace:*)", "Bash(./x.sh:*)"].map((rule) => ({ rule, confined: false }));
    const { verdict, help } = said();
    expect(verdict).toBe("ask");
    for (const rule of bare) expect(help).toContain(JSON.stringify(rule));
    expect(said(...bare)).toMatchObject({ verdict: "allow" });
    expect(said(...bare)).not.toHaveProperty("confined");
    expect(said("Bash(strace:*)", "Bash(./x.sh:*)")).toMatchObject({ verdict: "ask", builtin: "confine.fails" });
  });
});

it("every need of the tables is one that is known", () => {
  const wrong = allEntries().flatMap(({ confined, names }) => {
    try {
      if (confined !== undefined) for (const name of names.split(" ")) readConfined(confined, name, () => false);
      return [];
    } catch (error) {
      return [`${names}: ${String(error)}`];
    }
  });
  expect(wrong).toEqual([]);
});
