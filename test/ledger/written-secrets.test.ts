import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Input } from "@assent/guard/engine";
import { place } from "./place.ts";

// A key or token on its way into a file that git tracks, or would, asks, by whatever tool: the shapes are those of the log.

const GH = ["ghp", "k7Qm2xT9vLp4Rw8sYb3NcZ6hJd1FgA0eUi5o"].join("_");
const AWS = ["AKIA", "Q3ZT7W5K2MXN8P4R"].join("");
const SLACK = ["xoxb", "294857203948", "kT8mQ2wZx5Lr9Vn4Bc7Yp1Hd"].join("-");
const OPENAI = ["sk", "proj", "h3Kd92LmQx7Tz4Vb8Nw1Rc6Yp5Js0Gf"].join("-");
const KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\n${"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt".repeat(2)}\n-----END OPENSSH PRIVATE KEY-----\n`;

const here = place({
  ".gitignore": "secret.ts\nlocal/\n",
  "config.ts": "export {};\n",
  "has.ts": `const t = "${GH}";\n`,
  "local/x.ts": "",
});
beforeAll(() => {
  const git = (...words: readonly string[]): void =>
    void execFileSync("git", ["-C", here.project, ...words], { env: { PATH: process.env["PATH"], HOME: here.home } });
  git("init", "-q");
  git("add", "config.ts", "has.ts");
  here.write("forced/secret.ts", "");
  git("add", "-f", "forced/secret.ts");
  here.user({ permissions: { allow: ["Edit(**)", "Write(**)", "Bash(tee:*)", "Bash(sed:*)"] } });
});

const line = (command: string): string => here.verdict(command).decision;
const tool = (name: string, input: Input): string => here.verdict({ tool: name, input }).decision;
const path = (name: string): string => join(here.project, name);

describe("asks", () => {
  it.each([
    `echo '${GH}' > config.ts`,
    `echo "export const t = '${AWS}'" >> config.ts`,
    `cat > config.ts <<'E'\nconst t = "${SLACK}";\nE`,
    `cat <<E | tee config.ts\n${OPENAI}\nE`,
    `echo ${GH} | tee -a new.ts > /dev/null`,
    `sed -i 's/TOKEN/${GH}/' config.ts`,
    `printf '%s' '${KEY}' > deploy.pem.ts`,
    `T=${GH}; echo "t=$T" > config.ts`,
    `cd src && echo ${AWS} > ../config.ts`,
    `echo ${GH} > forced/secret.ts`,
    `echo ${AWS} > has.ts`,
  ])("%s", (command) => expect(line(command)).toBe("ask"));

  it.each<[string, Input]>([
    ["Write", { file_path: "config.ts", content: `const t = "${GH}";` }],
    ["Write", { file_path: "src/new.ts", content: KEY }],
    ["Write", { file_path: "docs/setup.md", content: `use ${OPENAI}` }],
    ["Edit", { file_path: "config.ts", old_string: "export {}", new_string: `t = "${SLACK}"` }],
    ["MultiEdit", { file_path: "config.ts", edits: [{ old_string: "a", new_string: AWS }] }],
    ["NotebookEdit", { notebook_path: "a.ipynb", new_source: GH }],
    ["mcp__fs__write_file", { path: "config.ts", content: GH }],
  ])("%s %j", (name, input) => expect(tool(name, input)).toBe("ask"));
});

describe("goes ahead", () => {
  it.each([
    `echo '${GH}' > /tmp/x`,
    `echo '${GH}' > secret.ts`,
    `echo '${GH}' > local/x.ts`,
    `echo '${GH}' > test/fixtures/key.ts`,
    `echo '${GH}' > src/key.test.ts`,
    `echo '${GH}' > config.example`,
    `sed -i 's/${GH}/process.env.TOKEN/' has.ts`,
    "echo 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' > config.ts",
    "echo 'AKIAIOSFODNN7EXAMPLE' > config.ts",
    "echo 'OPENAI_API_KEY=sk-your-key-goes-here' > config.ts",
    "echo '.sk-folding-cube-animation-2 {}' > style.css",
    "echo 'if (pem.includes(\"-----BEGIN PRIVATE KEY-----\"))' > config.ts",
    "echo 'secret_access_key_of_user_2024 = 1' > config.ts",
  ])("%s", (command) => expect(line(command)).toBe("allow"));

  it.each<[string, Input]>([
    ["Write", { file_path: "has.ts", content: `// same\nconst t = "${GH}";` }],
    ["Edit", { file_path: "has.ts", old_string: `"${GH}"`, new_string: "process.env.T" }],
    ["Write", { file_path: "test/a.test.ts", content: GH }],
    ["Write", { file_path: "local/x.ts", content: GH }],
    ["Write", { file_path: "config.ts", content: "const t = process.env.GITHUB_TOKEN; // ghp_..." }],
  ])("%s %j", (name, input) => expect(tool(name, input)).toBe("allow"));

  it("where a rule names the file", () => {
    here.user({ permissions: { allow: ["Write(config.ts)"] } });
    expect(tool("Write", { file_path: path("config.ts"), content: GH })).toBe("allow");
    expect(tool("Write", { file_path: path("other.ts"), content: GH })).toBe("ask");
  });
});
