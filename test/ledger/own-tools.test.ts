import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * A project's own environment: a rule for a program that runs code of the project anyway covers the one that lies there
 * (whoever writes it could as well write a test). For a program that does not, it would be another one.
 */
const here = place({
  ".venv/bin/pytest": "",
  ".venv/bin/python3": "",
  ".venv/bin/ls": "",
  ".venv/bin/cat": "",
  ".venv/bin/pip": "",
  ".venv/bin/activate": "",
  ".venv/bin/evil": "",
  "venv/bin/pytest": "",
  "tools/bin/pytest": "",
  "node_modules/.bin/eslint": "",
  "node_modules/.bin/rm": "",
  "scripts/build.py": "",
  "packages/a/node_modules/.bin/jest": "",
  "~/other/.venv/bin/pytest": "",
});
const allowed = (rules: readonly string[], command: string): string => {
  here.user({ permissions: { allow: rules } });
  return here.verdict(command).decision;
};

describe("covered", () => {
  it.each([
    ["Bash(pytest:*)", ".venv/bin/pytest -q"],
    ["Bash(pytest:*)", "./.venv/bin/pytest tests"],
    ["Bash(pytest:*)", "venv/bin/pytest"],
    ["Bash(pytest:*)", "cd src && ../.venv/bin/pytest"],
    ["Bash(pytest -q)", ".venv/bin/pytest -q"],
    ["Shell(pytest ...)", ".venv/bin/pytest -q"],
    ["Bash(eslint:*)", "node_modules/.bin/eslint ."],
    ["Bash(jest:*)", "packages/a/node_modules/.bin/jest"],
    ["Bash(python3:*)", ".venv/bin/python3 scripts/build.py"],
    ["Bash(python3 scripts/build.py)", ".venv/bin/python3 scripts/build.py"],
    ["Bash(pytest:*)", "timeout 60 .venv/bin/pytest"],
  ])("%s: %s", (rule, command) => expect(allowed([rule], command)).toBe("allow"));
});

describe("not covered", () => {
  it.each([
    ["Bash(ls:*)", ".venv/bin/ls"],
    ["Bash(cat:*)", ".venv/bin/cat a.txt"],
    ["Bash(rm:*)", "node_modules/.bin/rm x"],
    ["Bash(pip list:*)", ".venv/bin/pip list"],
    ["Bash(python3 --version)", ".venv/bin/python3 --version"],
    ["Bash(evil:*)", ".venv/bin/evil"],
    ["Bash(eslint --version)", "node_modules/.bin/eslint --version"],
    ["Bash(pytest:*)", "tools/bin/pytest"],
    ["Bash(pytest:*)", "./pytest"],
    ["Bash(pytest:*)", "~/other/.venv/bin/pytest"],
    ["Bash(pytest:*)", "/tmp/.venv/bin/pytest"],
    ["Bash(pytest:*)", "$D/.venv/bin/pytest"],
    ["Bash(pytest:*)", "cd $D && .venv/bin/pytest"],
    ["Bash(pytest:*)", ".venv/bin/evil"],
    ["Bash(python3:*)", ".venv/bin/python3 -c \"import shutil; shutil.rmtree('/')\""],
    ["Bash(pytest:*)", ".venv/bin/pytest && rm -rf ~"],
  ])("%s: %s", (rule, command) => expect(allowed([rule], command)).not.toBe("allow"));

  it.each([
    ["Bash(pytest:*)", ".venv/bin/pytest"],
    ["Bash(pytest:*)", "tools/bin/pytest -q"],
    ["Bash(eslint:*)", "node_modules/.bin/eslint ."],
  ])("a refusal finds it wherever it lies: %s: %s", (rule, command) => {
    here.user({ permissions: { deny: [rule] } });
    expect(here.verdict(command).decision).toBe("deny");
  });
});

describe("one builtin, two names", () => {
  it.each([
    ["Bash(source .venv/bin/activate)", ". .venv/bin/activate"],
    ["Bash(. .venv/bin/activate)", "source .venv/bin/activate"],
    ["Bash(source:*)", ". ./scripts/env.sh"],
  ])("%s covers %s", (rule, command) => {
    expect(allowed([rule], command)).toBe("allow");
    here.user({ permissions: { deny: [rule] } });
    expect(here.verdict(command).decision).toBe("deny");
  });
  it.each([
    ["Bash(source .venv/bin/activate)", ". scripts/evil.sh"],
    ["Bash(source:*)", "./x"],
    ["Bash(. .venv/bin/activate)", ".venv/bin/activate"],
    ["Bash(source .venv/bin/activate)", "bash .venv/bin/activate"],
  ])("%s does not cover %s", (rule, command) => expect(allowed([rule], command)).not.toBe("allow"));
});
