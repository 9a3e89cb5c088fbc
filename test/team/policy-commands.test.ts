import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import { addFirstKey } from "@assent/team-server/policies";
import { onEveryDatabase } from "./harness/databases.ts";
import { TestServer } from "./harness/server.ts";

/** `assent team policy …` as people and CI start it: what it says and how it ends, when it works and when it may not. */

const KeyFile = v.object({ public: v.string() });

onEveryDatabase("the commands of policies", (place) => {
  let server: TestServer;
  let own: Scratch;

  beforeEach(async () => {
    server = await TestServer.start(await place.fresh());
    server.now = new Date();
    own = scratch();
  });
  afterEach(() => server.close());

  interface Said {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }
  /** The server is in this process: it is not waited for in one piece. */
  async function policy(...words: readonly string[]): Promise<Said> {
    server.now = new Date();
    const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "team", "policy", ...words], {
      cwd: own.project,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: own.home, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    child.stdout.on("data", (part: Buffer) => (said.stdout += part.toString()));
    child.stderr.on("data", (part: Buffer) => (said.stderr += part.toString()));
    const [status] = (await once(child, "close")) as (number | null)[];
    return { status: status ?? null, ...said };
  }
  const keyAt = async (folder: string): Promise<string> => {
    own.write(`${folder}/.keep`, "");
    const file = join(own.project, folder, "team-policy-key.json");
    expect((await policy("key", "--out", file)).status).toBe(0);
    return file;
  };

  it("say what went wrong, change nothing then, and end with 1, or with 2 where they were used wrongly", async () => {
    const [ours, theirs] = [await keyAt("ours"), await keyAt("theirs")];
    const { public: publicKey } = v.parse(KeyFile, JSON.parse(readFileSync(ours, "utf8")));
    await addFirstKey(server.db, publicKey, "a test", server.now);
    own.write("policy.jsonc", JSON.stringify({ permissions: { deny: ["Bash(echo 1)"] } }));
    own.write("wrong.jsonc", JSON.stringify({ permissions: { denny: [] } }));
    own.write("damaged/team-policy-key.json", "{}");
    const at = ["--server", server.base];
    const us = ["--key", ours, ...at];
    const rows: readonly (readonly [string, readonly string[], number, string])[] = [
      ["no key", ["sign", "policy.jsonc", "--key", "none.json", ...at], 2, "no such file: none.json"],
      ["a damaged key", ["sign", "policy.jsonc", "--key", "damaged/team-policy-key.json", ...at], 1, "is not a key that"],
      ["no server", ["sign", "policy.jsonc", "--key", ours], 1, "--server https://HOST names it"],
      ["a server that is away", ["sign", "policy.jsonc", "--key", ours, "--server", "http://127.0.0.1:1"], 1, "http://127.0.0.1:1: "],
      ["a server that is not encrypted", ["list", "--key", ours, "--server", "http://example.com"], 1, "is not encrypted"],
      ["another key signs", ["sign", "policy.jsonc", "--key", theirs, "--out", "x.json", ...at], 1, "key"],
      ["a policy with mistakes", ["sign", "wrong.jsonc", ...us], 1, "wrong.jsonc has mistakes: nothing is signed"],
      ["a policy that is not there", ["sign", "nowhere.jsonc", ...us], 2, "no such file: nowhere.jsonc"],
      ["a group that is none", ["sign", "policy.jsonc", "--group", "C I", ...us], 2, "a group's name has a-z, 0-9 and -"],
      ["a time that is none", ["sign", "policy.jsonc", "--expires", "soon", ...us], 2, "soon"],
      ["nothing is there yet", ["release", "1", ...us], 1, "the server has no version 1 of default"],
      ["it is signed", ["sign", "policy.jsonc", "--out", "1.json", ...us], 0, "Version 1 of default, signed by "],
      ["another key hands it in", ["push", "1.json", "--key", theirs, ...at], 1, "key"],
      ["what nobody signed", ["push", "policy.jsonc", ...us], 1, "is not what `assent team policy sign` writes"],
      ["a server that is away, again", ["push", "1.json", "--key", ours, "--server", "http://127.0.0.1:1"], 1, "http://127.0.0.1:1: "],
      ["it is handed in", ["push", "1.json", ...us], 0, "Version 1 of default is on the server"],
      ["another key releases", ["release", "1", "--key", theirs, ...at], 1, "key"],
      ["a version that there is not", ["release", "7", ...us], 1, "the server has no version 7 of default"],
      ["of another group", ["release", "1", "--group", "ci", ...us], 1, "the server has no version 1 of ci"],
      ["more than all", ["release", "1", "--percent", "101", ...us], 2, "101"],
      ["no version at all", ["release", "one", ...us], 2, "one"],
      ["to a part", ["release", "1", "--percent", "10", ...us], 0, "10 of 100 of its machines"],
      ["to all", ["release", "1", ...us], 0, "Version 1 of default goes to all its machines"],
      ["the next one is signed", ["sign", "policy.jsonc", "--out", "2.json", ...us], 0, "Version 2 of default"],
      ["and handed in", ["push", "2.json", ...us], 0, "Version 2 of default is on the server"],
      ["and released", ["release", "2", ...us], 0, "Version 2 of default goes to all its machines"],
      ["an older one is released", ["release", "1", ...us], 1, "older"],
      ["to fewer than have it", ["release", "2", "--percent", "5", ...us], 1, "all"],
      [
        "another follows the first one, too",
        ["sign", "policy.jsonc", "--previous", "1.json", "--key", ours, "--out", "other.json"],
        0,
        "Version 2",
      ],
      ["and is another version of that number", ["push", "other.json", ...us], 1, "version"],
      [
        "what follows is of another group",
        ["sign", "policy.jsonc", "--group", "ci", "--previous", "1.json", "--key", ours],
        1,
        "1.json is of the group default",
      ],
      [
        "what follows another key's",
        ["sign", "policy.jsonc", "--previous", "1.json", "--key", theirs],
        1,
        "1.json is not signed by this key",
      ],
      ["nobody with another key sees anything", ["show", "2", "--key", theirs, ...at], 1, "key"],
      ["what there is", ["list", ...us], 0, "version 2 is out to all"],
    ];
    const found: (readonly [string, number | null, string])[] = [];
    for (const [what, words, status, says] of rows) {
      const { status: ended, stdout, stderr } = await policy(...words);
      const said = status === 0 ? stdout : stderr;
      const isSaid = said.includes(says) && (status === 0 ? stderr === "" : stdout === "");
      if (ended !== status || !isSaid || /\n\s+at |\bundefined\b/.test(said)) found.push([what, ended, `${stdout}|${stderr}`]);
    }
    expect(found).toEqual([]);
    // A key that was lost to somebody is one that signs: what was written over is not.
    writeFileSync(join(own.project, "2.json"), readFileSync(join(own.project, "2.json"), "utf8").replace("echo 1", "echo 2"));
    expect(await policy("push", "2.json", ...us)).toMatchObject({ status: 1, stdout: "" });
  }, 300_000);
});
