import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { spareClientCode, spareClientProgram } from "../../src/agents/install/index.ts";
import { DIST, scratch } from "../scratch.ts";
import { describeSource } from "./assembled.ts";
import { collect, PATIENT, WAYS } from "./ask-world.ts";

describeSource("spare", spareClientCode);

it("lies beside the program", () => {
  for (const architecture of ["x64", "arm64"] as const)
    expect(readFileSync(join(DIST, `spare-${architecture}`)).equals(spareClientProgram(architecture))).toBe(true);
});

it.each(["x64", "arm64"])("the assembly is what was made from the C that lies there (%s)", (architecture) => {
  const folder = join(import.meta.dirname, "../../src/agents/install");
  const sum = createHash("sha256")
    .update(readFileSync(join(folder, "spare.c")))
    .digest("hex");
  expect(readFileSync(join(folder, `spare.${architecture}.s`), "utf8")).toContain(`(sha256 ${sum})`);
});

/** In the place of Node: says its words, its input and its environment, and ends with 3. */
const NODE = `#!/bin/sh
printf '%s|' "$@"; cat; echo "$A"; exit 3
`;

describe.each(WAYS)("the client, started by %s (%s)", (_, architecture, front) => {
  const placed = () => {
    const { root } = scratch();
    const put = (name: string, content: string | Buffer): string => {
      writeFileSync(join(root, name), content);
      chmodSync(join(root, name), 0o755);
      return join(root, name);
    };
    const base = join(root, "resident/");
    mkdirSync(base);
    return { root, base, client: put("spare", spareClientProgram(architecture)), node: put("node", NODE) };
  };

  it.each([[[]], [["/folder/"]]])("says that it could not start anything, with too few words: %j", (words) => {
    const [program = "", ...rest] = [...front, placed().client, ...words];
    expect(spawnSync(program, rest, { stdio: "ignore" }).status).toBe(2);
  });

  it("says so where today's way is gone", () => {
    const { client, base } = placed();
    const [program = client, ...rest] = [...front, client, base, "/nowhere/node", "bin", "run"].map(String);
    const { status, stderr } = spawnSync(program, rest, { encoding: "utf8" });
    expect([status, stderr]).toEqual([125, "assent: this command was not started, because Assent could not be: run: assent doctor\n"]);
  });

  /** [what listens, what it does when somebody comes] */
  const OTHERS: readonly (readonly [string, ((word: Buffer) => Buffer | "end" | undefined) | undefined])[] = [
    ["nobody", undefined],
    ["who ends at once", () => "end"],
    ["who says nothing", () => undefined],
    ["who says something else", () => Buffer.from("x")],
  ];
  it.each(OTHERS)("becomes today's way where there is %s", PATIENT, async (_what, does) => {
    const { root, base, client, node } = placed();
    if (does !== undefined) {
      const server = createServer((connection) => {
        connection.on("error", () => undefined);
        connection.on("data", (bytes: Buffer) => {
          const answer = does(bytes);
          if (answer === "end") connection.destroy();
          else if (answer !== undefined) connection.write(answer);
        });
      });
      await new Promise<void>((resolve) => server.listen(`${base}spare.${readlinkSync("/proc/self/ns/mnt")}`, resolve));
      onTestFinished(() => void server.close());
    }
    const outcome = await collect([...front, client, base, node, "bin", "run", "a b"], root, { env: { A: "é" }, input: "input\n" });
    expect([outcome.status, outcome.stdout.toString(), outcome.stderr]).toEqual([3, "bin|run|a b|input\né\n", ""]);
  });
});
