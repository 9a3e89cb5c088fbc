import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratch } from "../scratch.ts";
import { putStub, WAYS } from "./stubs.ts";

describe.each(WAYS)("the launcher, started by %s (%s)", (_, architecture, front) => {
  const placed = (): { readonly root: string; readonly start: (...args: readonly string[]) => ReturnType<typeof spawnSync> } => {
    const { root } = scratch();
    const file = putStub("when", architecture, join(root, "when"));
    const [program, ...rest] = [...front, file];
    return { root, start: (...args) => spawnSync(program, [...rest, ...args], { env: { A: "1" }, encoding: "utf8", input: "in" }) };
  };

  it("nothing of the path: nothing is started, nothing said", () => {
    const { root, start } = placed();
    expect(start(join(root, "none"), "/bin/echo", "x")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(start(join(root, "when/below"), "/bin/echo", "x")).toMatchObject({ status: 0, stdout: "" });
  });

  it("something is there: it becomes the program, with its words, input and environment", () => {
    const { root, start } = placed();
    mkdirSync(join(root, "there"));
    const script = 'printf "%s|" "$0" "$@" "$A"; cat; exit 7';
    expect(start(join(root, "there"), "/bin/sh", "-c", script, "a b", "", "c")).toMatchObject({
      status: 7,
      stdout: "a b||c|1|in",
      stderr: "",
    });
  });

  it("the program is gone, or words are missing: it says so", () => {
    const { root, start } = placed();
    expect(start(root, join(root, "gone"))).toMatchObject({
      status: 125,
      stdout: "",
      stderr: expect.stringMatching(/assent doctor/) as unknown,
    });
    expect(start(root)).toMatchObject({ status: 125, stderr: expect.stringMatching(/when PATH PROGRAM/) as unknown });
    expect(start()).toMatchObject({ status: 125 });
  });
});
