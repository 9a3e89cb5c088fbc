import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { LocalBackend } from "@assent/library/sdk/compat";
import { scratch } from "../scratch.ts";

/**
 * Links and folders that change while the backend works: nothing outside the root is read or changed, whichever way a
 * path points at the moment. `npm run races:library` tries 100 000 times.
 */

const TRIES = Number(process.env["LIBRARY_TRIES"] ?? 500);

/** Swaps as fast as it can: a link that points in and out, a folder that is a folder or a link, a file that is a file or a link. */
const ATTACKER = `
const { renameSync, symlinkSync, rmSync, writeFileSync, mkdirSync, existsSync } = require("node:fs");
const [project, outside] = process.argv.slice(1);
process.chdir(project);
const quietly = (work) => { try { work(); } catch {} };
symlinkSync(outside, "to-outside"); mkdirSync("inner", { recursive: true });
let swaps = 0;
const started = Date.now();
for (;;) {
  quietly(() => { symlinkSync(outside, "t1"); renameSync("t1", "link"); });
  quietly(() => { symlinkSync("inner", "t2"); renameSync("t2", "link"); });
  quietly(() => { renameSync("folder", "folder.kept"); renameSync("to-outside", "folder"); });
  quietly(() => { renameSync("folder", "to-outside"); renameSync("folder.kept", "folder"); });
  quietly(() => { symlinkSync(outside + "/file", "t3"); renameSync("t3", "plain"); });
  quietly(() => { writeFileSync("t4", "inside"); renameSync("t4", "plain"); });
  swaps += 6;
  if (swaps % 6000 === 0 && process.stdout.writableLength < 1000) process.stdout.write(swaps + "\\n");
}
`;

let attacker: ChildProcess | undefined;
afterEach(() => attacker?.kill("SIGKILL"));

describe("links and folders that change meanwhile", () => {
  it.each(["read", "write", "edit", "grep"] as const)(
    "%s",
    async (operation) => {
      const place = scratch();
      const outside = join(place.root, "outside");
      for (const folder of [outside, join(place.project, "inner"), join(place.project, "folder")]) {
        mkdirSync(folder);
        writeFileSync(join(folder, "file"), folder === outside ? "OUTSIDE" : "inside");
      }
      writeFileSync(join(place.project, "plain"), "inside");
      symlinkSync("inner", join(place.project, "link"));
      let swaps = 0;
      attacker = spawn(process.execPath, ["-e", ATTACKER, place.project, outside], { stdio: ["ignore", "pipe", "ignore"] });
      attacker.stdout?.on("data", (chunk: Buffer) => (swaps = Number(chunk.toString().trim().split("\n").at(-1))));
      const backend = new LocalBackend({
        root: place.project,
        permissions: { preset: "permissive" },
        machine: place.machine,
        audit: false,
        files: "none",
      });
      const paths = ["link/file", "folder/file", "plain", "link/new/file", "folder/fresh"];
      const outcomes = { done: 0, refused: 0 };
      for (let at = 0; at < TRIES; at += 1) {
        const path = paths[at % paths.length] ?? "";
        const result =
          operation === "read"
            ? await backend.read(path)
            : operation === "write"
              ? await backend.write(path, "inside")
              : operation === "edit"
                ? await backend.edit(path, "inside", "inside")
                : await backend.grep("[A-Z]+", { path: path.includes("/") ? path.slice(0, path.indexOf("/")) : path });
        outcomes[result.ok ? "done" : "refused"] += 1;
        if (result.ok && "text" in result) expect(result.text).not.toContain("OUTSIDE");
        if (result.ok && "matches" in result) expect(result.matches).toEqual([]);
        // Lets the attacker's figures in.
        if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(readdirSync(outside)).toEqual(["file"]);
      expect(readFileSync(join(outside, "file"), "utf8")).toBe("OUTSIDE");
      // Both happen, else nothing was tried.
      expect(outcomes.done).toBeGreaterThan(0);
      expect(outcomes.refused).toBeGreaterThan(0);
      if (TRIES > 10_000) console.log(operation, outcomes, `${swaps} swaps`);
    },
    TRIES * 20 + 60_000,
  );
});
