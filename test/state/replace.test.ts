import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changePins, readEditable, readTrust, replaceFile } from "@assent/guard/state";
import { scratch } from "../scratch.ts";

const asRoot = process.getuid?.() === 0;

describe("a file is replaced in one step", () => {
  it("keeps its mode, and leaves nothing beside it", () => {
    const place = scratch();
    const file = place.write("a.jsonc", "old");
    for (const mode of [0o640, 0o600, 0o444]) {
      chmodSync(file, mode);
      expect(replaceFile(file, readFileSync(file, "utf8"), `new ${mode}`)).toEqual({ is: "done" });
      expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([`new ${mode}`, mode]);
    }
    expect(readdirSync(place.project).filter((name) => name.startsWith("a.jsonc"))).toEqual(["a.jsonc"]);
  });

  it.runIf(asRoot)("keeps its owner and group", () => {
    const file = scratch().write("a.jsonc", "old");
    chownSync(file, 1234, 4321);
    expect(replaceFile(file, "old", "new")).toEqual({ is: "done" });
    const { uid, gid } = statSync(file);
    expect([uid, gid]).toEqual([1234, 4321]);
  });

  it("only if it still says what was read", () => {
    const file = scratch().write("a.jsonc", "theirs");
    expect(replaceFile(file, "mine", "new")).toEqual({ is: "changed" });
    expect(replaceFile(file, undefined, "new")).toEqual({ is: "changed" });
    expect(readFileSync(file, "utf8")).toBe("theirs");
    rmSync(file);
    expect(replaceFile(file, "theirs", "new")).toEqual({ is: "changed" });
    expect(existsSync(file)).toBe(false);
  });

  it("is made with the mode asked for, never over another", () => {
    const file = join(scratch().project, "new.jsonc");
    expect(replaceFile(file, undefined, "a", 0o644)).toEqual({ is: "done" });
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(replaceFile(file, undefined, "b")).toEqual({ is: "changed" });
  });

  it("refuses what is not a plain file, and links in its last place", () => {
    const place = scratch();
    const target = place.write("target", "old");
    const link = join(place.project, "link");
    symlinkSync(target, link);
    expect(replaceFile(link, "old", "new")).toMatchObject({ is: "failed" });
    mkdirSync(join(place.project, "folder"));
    expect(replaceFile(join(place.project, "folder"), "old", "new")).toMatchObject({ is: "failed" });
    expect(replaceFile(join(place.project, "none/such"), undefined, "new")).toMatchObject({
      is: "failed",
      why: "the folder does not exist",
    });
    expect([readFileSync(target, "utf8"), lstatSync(link).isSymbolicLink()]).toEqual(["old", true]);
  });

  it("does not write through what was planted in the place of its lock", () => {
    const place = scratch();
    const file = place.write("a.jsonc", "old");
    const victim = place.write("victim", "precious");
    symlinkSync(victim, `${file}.lock`);
    expect(replaceFile(file, "old", "new")).toEqual({ is: "done" });
    expect([readFileSync(file, "utf8"), readFileSync(victim, "utf8")]).toEqual(["new", "precious"]);
  });

  it("what an edit left behind that was killed does not stand in the way", () => {
    const place = scratch();
    const file = place.write("a.jsonc", "old");
    // Of this version: no process has the largest number there is. Of one before: a file.
    symlinkSync(`4194303 ${readlinkSync("/proc/self/ns/pid")}`, `${file}.lock`);
    expect(replaceFile(file, "old", "newer")).toEqual({ is: "done" });
    utimesSync(place.write("a.jsonc.lock", "half"), new Date(0), new Date(0));
    expect(replaceFile(file, "newer", "newest")).toEqual({ is: "done" });
    expect(readdirSync(place.project).filter((name) => name.startsWith("a.jsonc"))).toEqual(["a.jsonc"]);
  });

  it("a folder in the place of its lock is said, and nothing hangs", () => {
    const place = scratch();
    const file = place.write("a.jsonc", "old");
    mkdirSync(`${file}.lock`);
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    expect(replaceFile(file, "old", "new")).toMatchObject({ is: "failed", why: expect.stringContaining(`${file}.lock`) as string });
  }, 20_000);
});

describe("a text that is to be changed", () => {
  it("is read as it is, byte order mark and all", () => {
    const file = scratch().write("a", "\ufeff{}\r\n");
    expect(readEditable(file, 100)).toEqual({ is: "text", text: "\ufeff{}\r\n" });
    expect(readEditable(`${file}x`, 100)).toEqual({ is: "missing" });
    expect(readEditable(`${file}/x`, 100)).toEqual({ is: "missing" });
  });

  it("is refused when its bytes would not survive", () => {
    const place = scratch();
    const file = place.write("a", "");
    writeFileSync(file, Buffer.from([0x7b, 0xf0, 0x9f, 0x98, 0x7d]));
    expect(readEditable(file, 100)).toEqual({ is: "broken", why: "is not valid UTF-8" });
    expect(readEditable(file, 3)).toMatchObject({ is: "broken" });
    expect(readEditable(place.project, 100)).toEqual({ is: "broken", why: "is a directory" });
  });
});

describe("pins", () => {
  it("are added and taken away; what is damaged trusts nobody and gives way", () => {
    const { machine, write } = scratch();
    expect(changePins(machine, (pins) => pins.set("/a", "1"))).toBeUndefined();
    expect(changePins(machine, (pins) => pins.set("/b", "2"))).toBeUndefined();
    expect([...readTrust(machine).pins]).toEqual([
      ["/a", "1"],
      ["/b", "2"],
    ]);
    expect(changePins(machine, (pins) => pins.delete("/a"))).toBeUndefined();
    expect([...readTrust(machine).pins.keys()]).toEqual(["/b"]);
    const file = write("~/.local/state/assent/trust.json", "{ damaged");
    expect(changePins(machine, (pins) => pins.set("/c", "3"))).toBeUndefined();
    expect([...readTrust(machine).pins.keys()]).toEqual(["/c"]);
    expect(statSync(file).mode & 0o022).toBe(0);
  });
});
