import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  hashLine,
  LocalBackend,
  PermissionAskError,
  presets,
  type AskQuestion,
  type Failure,
  type GrepOptions,
  type LocalBackendOptions,
  type Ruleset,
} from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../scratch.ts";
import { workedSince } from "../worked.ts";

/** `LocalBackend`. Each way of holding objects passes the same rows. */

const LOOSE: Ruleset = { preset: "permissive" };
type Options = Partial<LocalBackendOptions>;

const backendIn = (place: Scratch, options: Options = {}): LocalBackend =>
  new LocalBackend({ root: place.project, permissions: LOOSE, machine: place.machine, audit: false, ...options });

const failed = (code: Failure["code"]): unknown =>
  expect.objectContaining({ ok: false, code, error: expect.stringMatching(/^Error: /) as unknown });

describe.each(["descriptor", "path"] as const)("files held by %s", (hold) => {
  const make = (options: Options = {}): { place: Scratch; backend: LocalBackend } => {
    const place = scratch();
    return { place, backend: backendIn(place, { hold, ...options }) };
  };

  describe("Y11: allowed directories", () => {
    it("only the root, unless others are named; made where they are missing", async () => {
      const { place, backend } = make();
      place.write("/" + join(place.root, "x").slice(1), "outside");
      expect(await backend.read("../../x")).toEqual(failed("outside"));
      expect(await backend.read(join(place.root, "x"))).toMatchObject({
        error: `Error: Access denied: '${place.root}/x' is outside allowed directories (${place.project})`,
      });
      const wide = backendIn(place, { hold, allowedDirectories: [place.project, join(place.root, "new")] });
      expect(existsSync(join(place.root, "new"))).toBe(true);
      expect(await wide.write(join(place.root, "new/a"), "a")).toMatchObject({ ok: true, created: true });
      const fresh = backendIn(place, { hold, root: join(place.root, "fresh/root") });
      expect(await fresh.write("a", "a")).toMatchObject({ ok: true });
    });

    it("tells nothing of what is outside", async () => {
      const { place, backend } = make();
      writeFileSync(join(place.root, "there"), "");
      for (const name of ["there", "not-there", "not/there", "there/x"])
        expect(await backend.read(`../../${name}`)).toEqual(failed("outside"));
      expect(await backend.read("/root/.ssh/id_rsa")).toEqual(failed("outside"));
    });

    it("YW9: links are followed, and what they lead to is judged", async () => {
      const { place, backend } = make();
      writeFileSync(join(place.root, "secret"), "outside");
      symlinkSync(join(place.root, "secret"), join(place.project, "link"));
      symlinkSync(place.root, join(place.project, "folder"));
      symlinkSync(join(place.root, "nothing"), join(place.project, "dangling"));
      for (const path of ["link", "folder/secret", "folder/nothing"]) expect(await backend.read(path)).toEqual(failed("outside"));
      for (const path of ["link", "folder/secret", "folder/new"]) expect(await backend.write(path, "x")).toEqual(failed("outside"));
      expect(await backend.edit("link", "outside", "x")).toEqual(failed("outside"));
      // A link to nothing is replaced by the file, not followed.
      expect(await backend.write("dangling", "x")).toMatchObject({ ok: true });
      expect(existsSync(join(place.root, "nothing"))).toBe(false);
      expect(readFileSync(join(place.root, "secret"), "utf8")).toBe("outside");
      symlinkSync("src", join(place.project, "inner"));
      expect(await backend.write("inner/a.ts", "x")).toMatchObject({ ok: true, path: join(place.project, "src/a.ts") });
    });

    it("then the ruleset, on the path that was opened and on the one that was asked for", async () => {
      const rules = [
        { pattern: "src/private/**", action: "deny" },
        { pattern: "**/alias", action: "deny" },
      ] as const;
      const { place, backend } = make({ permissions: { default: "allow", read: { default: "allow", rules } } });
      place.write("src/private/a", "a");
      place.write("b", "b");
      symlinkSync("src/private", join(place.project, "link"));
      symlinkSync("b", join(place.project, "alias"));
      for (const path of ["src/private/a", "link/a", "src/../src/private/a", "src/private/not-there", "alias"])
        expect(await backend.read(path), path).toEqual(failed("denied"));
    });
  });

  describe("Y12: refusals are values", () => {
    it("deny, and why", async () => {
      const { backend } = make({ permissions: presets.readonly });
      expect(await backend.write("a", "x")).toMatchObject({
        ok: false,
        code: "denied",
        error: expect.stringMatching(/^Error: Permission denied for write on 'a': /) as unknown,
      });
      expect(await backend.read(".env")).toEqual(failed("denied"));
    });
    it("ask without anybody: a value, or thrown", async () => {
      const { place, backend } = make({ permissions: presets.default });
      expect(await backend.write("a", "x")).toMatchObject({
        code: "approval-required",
        error: expect.stringMatching(/\(approval required\)$/) as unknown,
      });
      await expect(backendIn(place, { hold, permissions: presets.default, askFallback: "error" }).write("a", "x")).rejects.toBeInstanceOf(
        PermissionAskError,
      );
      expect(existsSync(join(place.project, "a"))).toBe(false);
    });
    it("YW6: questions reach the callback, and its answer holds", async () => {
      const asked: AskQuestion[] = [];
      let answer = true;
      const { place, backend } = make({ permissions: presets.default, onAsk: (question) => asked.push(question) > 0 && answer });
      expect(await backend.write("a", "x")).toMatchObject({ ok: true });
      answer = false;
      expect(await backend.edit("a", "x", "y")).toEqual(failed("denied"));
      expect(readFileSync(join(place.project, "a"), "utf8")).toBe("x");
      expect(asked.map(({ operation, target }) => `${operation} ${target}`)).toEqual(["write a", "edit a"]);
    });
    it("what is asked is what is done, however long it takes", async () => {
      const { place, backend } = make({
        permissions: presets.strict,
        onAsk: () => {
          symlinkSync(join(place.root, "outside"), join(place.project, "temporary"));
          for (const [from, to] of [
            ["a", "old"],
            ["temporary", "a"],
          ])
            renameIn(place, from, to);
          return true;
        },
      });
      writeFileSync(join(place.root, "outside"), "outside");
      place.write("a", "inside");
      const read = await backend.read("a");
      expect(read.ok ? read.text : "").not.toBe("outside");
    });
  });

  describe("Y16: reading", () => {
    it("ranges, ceilings and what is not text", async () => {
      const { place, backend } = make({ maxReadChars: 20 });
      place.write("a", "1\n2\n3\n4");
      place.write("long", "0123456789\n".repeat(9));
      writeFileSync(join(place.project, "binary"), Buffer.from([1, 0, 255]));
      writeFileSync(join(place.project, "latin"), Buffer.from([0xe4]));
      place.write("empty", "");
      expect(await backend.read("a")).toMatchObject({ ok: true, text: "1\n2\n3\n4", from: 1, to: 4, totalLines: 4, truncated: false });
      expect(await backend.read("a", { from: 2, lines: 2 })).toMatchObject({ text: "2\n3\n", from: 2, to: 3 });
      expect(await backend.read("a", { from: 4, lines: 99 })).toMatchObject({ text: "4", to: 4 });
      expect(await backend.read("empty")).toMatchObject({ ok: true, text: "", totalLines: 0 });
      expect(await backend.read("long")).toMatchObject({ truncated: true, text: "0123456789\n012345678", to: 2, totalLines: 9 });
      expect(await backend.read("long", { from: 1, lines: 9 })).toEqual(failed("too-large"));
      for (const range of [{ from: 5 }, { from: 0 }, { lines: 0 }, { from: 1.5 }])
        expect(await backend.read("a", range)).toEqual(failed("range"));
      for (const path of ["binary", "latin"]) expect(await backend.read(path)).toEqual(failed("binary"));
      expect(await backend.read("src")).toEqual(failed("wrong-kind"));
      expect(await backend.read("nothing")).toEqual(failed("not-found"));
      for (const path of ["", "a\0b"]) expect(await backend.read(path)).toEqual(failed("not-found"));
    });

    it("YW10: bytes, and a denial that is no empty file", async () => {
      const { place, backend } = make({ maxBytes: 8 });
      const png = Buffer.from("89504e470d0a1a0a", "hex");
      writeFileSync(join(place.project, "a.png"), png);
      writeFileSync(join(place.project, "big"), Buffer.alloc(9));
      writeFileSync(join(place.project, "key.pem"), "");
      expect(await backend.readBytes("a.png")).toMatchObject({ ok: true, mediaType: "image/png", bytes: new Uint8Array(png) });
      expect(await backend.readBytes("big")).toEqual(failed("too-large"));
      expect(await backend.readBytes("key.pem")).toEqual(failed("denied"));
    });
  });

  describe("Y16: changing", () => {
    it("replaces in one step and keeps the mode", async () => {
      const { place, backend } = make();
      place.write("a", "old");
      chmodSync(join(place.project, "a"), 0o750);
      expect(await backend.write("a", "new")).toMatchObject({ ok: true, created: false });
      expect(readFileSync(join(place.project, "a"), "utf8")).toBe("new");
      expect(statSync(join(place.project, "a")).mode & 0o777).toBe(0o750);
      expect(await backend.write("new/folder/b", "b")).toMatchObject({ ok: true, created: true });
      expect(await backend.write("src", "x")).toEqual(failed("wrong-kind"));
      expect(await backend.write("a/b", "x")).toEqual(failed("not-found"));
      expect(readdirSync(place.project).filter((name) => name.startsWith(".assent"))).toEqual([]);
    });

    it("edits what occurs once, or all", async () => {
      const { place, backend } = make();
      place.write("a", "x y x");
      expect(await backend.edit("a", "x", "z")).toEqual(failed("no-match"));
      expect(await backend.edit("a", "q", "z")).toEqual(failed("no-match"));
      expect(await backend.edit("a", "", "z")).toEqual(failed("no-match"));
      expect(await backend.edit("a", "y", "$& $1")).toMatchObject({ ok: true, replacements: 1 });
      expect(await backend.edit("a", "x", "z", { all: true })).toMatchObject({ replacements: 2 });
      expect(readFileSync(join(place.project, "a"), "utf8")).toBe("z $& $1 z");
      expect(await backend.edit("nothing", "a", "b")).toEqual(failed("not-found"));
    });

    it("refuses an edit when the file has changed since it was read", async () => {
      const { place, backend } = make();
      place.write("a", "one two");
      await backend.read("a");
      place.write("a", "one three");
      expect(await backend.edit("a", "one", "1")).toEqual(failed("changed"));
      await backend.read("a");
      expect(await backend.edit("a", "one", "1")).toMatchObject({ ok: true });
      expect(await backend.edit("a", "three", "3")).toMatchObject({ ok: true });
    });

    it("lines by their hashes, all or none, one after the other", async () => {
      const { place, backend } = make();
      place.write("a", "a\nb\nc");
      const read = await backend.read("a", { hashes: true });
      expect(read.ok ? read.text : read).toBe(["a", "b", "c"].map((line, at) => `${at + 1}:${hashLine(line)}|${line}`).join("\n"));
      const at = (line: number, text: string): { line: number; hash: string } => ({ line, hash: hashLine(text) });
      expect(await backend.editLines("a", [{ at: at(2, "B"), text: "x" }])).toEqual(failed("changed"));
      expect(await backend.editLines("a", [{ at: at(9, "b"), text: "x" }])).toEqual(failed("range"));
      expect(
        await backend.editLines("a", [
          { at: at(1, "a"), to: at(2, "b"), text: "x" },
          { at: at(2, "b"), text: "y" },
        ]),
      ).toEqual(failed("range"));
      expect(
        await backend.editLines("a", [
          { at: at(3, "c"), text: "C\nD" },
          { at: at(1, "a"), text: "A" },
          { at: at(2, "b"), text: "" },
        ]),
      ).toMatchObject({ ok: true });
      expect(readFileSync(join(place.project, "a"), "utf8")).toBe("A\nC\nD\n");
      expect(await backend.editLines("a", [{ at: at(3, "D"), text: "E", after: true }])).toMatchObject({ ok: true });
      const together = await Promise.all(
        [1, 2].map(async (line) => await backend.editLines("a", [{ at: at(line, line === 1 ? "A" : "C"), text: `${line}` }])),
      );
      expect(together.map(({ ok }) => ok)).toEqual([true, true]);
      expect(readFileSync(join(place.project, "a"), "utf8")).toBe("1\n2\nD\nE\n");
    });
  });

  describe("Y14: finding", () => {
    const RULES: Ruleset = {
      default: "allow",
      read: {
        default: "allow",
        rules: [
          { pattern: "**/hidden/**", action: "deny" },
          { pattern: "**/asked/**", action: "ask" },
        ],
      },
      glob: { default: "allow", rules: [{ pattern: "**/unlisted/**", action: "deny" }] },
      grep: { default: "allow", rules: [{ pattern: "**/ungrepped/**", action: "deny" }] },
    };
    const filled = (): ReturnType<typeof make> => {
      const made = make({ permissions: RULES });
      for (const name of ["src/a.ts", "src/b.js", "hidden/a.ts", "asked/a.ts", "unlisted/a.ts", "ungrepped/a.ts", "node_modules/a.ts"])
        made.place.write(name, "needle\nhay\n");
      made.place.write(".env", "needle");
      symlinkSync("/etc", join(made.place.project, "etc"));
      utimesSync(join(made.place.project, "asked/a.ts"), 1, 1);
      return made;
    };
    const names = (place: Scratch, files: readonly string[]): readonly string[] =>
      files.map((file) => file.slice(place.project.length + 1));

    it("glob: newest first, without what may not be listed or read", async () => {
      const { place, backend } = filled();
      const found = await backend.glob("*.ts");
      expect(found.ok ? names(place, found.files).toSorted() : found).toEqual(["asked/a.ts", "src/a.ts", "ungrepped/a.ts"]);
      expect(found.ok && found.files.at(-1)?.endsWith("asked/a.ts")).toBe(true);
      const below = await backend.glob("**/*.{ts,js}", "src");
      expect(below.ok ? names(place, below.files).toSorted() : below).toEqual(["src/a.ts", "src/b.js"]);
      for (const pattern of ["../*", "/etc/*", "~/*"]) expect(await backend.glob(pattern)).toEqual(failed("pattern"));
      expect(await backend.glob("*", "etc")).toEqual(failed("outside"));
      expect(await backend.glob("*", "unlisted")).toEqual(failed("denied"));
    });

    it("ls: what may be seen", async () => {
      const { backend } = filled();
      const listed = await backend.ls();
      expect(listed.ok ? listed.entries.map(({ name }) => name) : listed).toEqual([
        ".git",
        "asked",
        "etc",
        "node_modules",
        "src",
        "ungrepped",
        "unlisted",
      ]);
    });

    it.each(["ls", "glob"] as const)(
      "%s: a default that asks shows, a rule that asks puts the question, a refusal hides",
      async (operation) => {
        const found = async (action: "ask" | "deny", path: string): Promise<unknown> => {
          const rules = [
            { pattern: "**/apart", action },
            { pattern: "**/apart/**", action },
          ];
          const { place, backend } = make({ permissions: { default: "allow", [operation]: { default: "ask", rules } } });
          place.write("a.txt", "");
          place.write("apart/b.txt", "");
          const answer = operation === "ls" ? await backend.ls(path) : await backend.glob("**", path);
          if (!answer.ok) return answer.code;
          return "entries" in answer ? answer.entries.map(({ name }) => name) : names(place, answer.files);
        };
        expect(await found("deny", ".")).toContain("a.txt");
        expect(JSON.stringify(await found("deny", "."))).not.toContain("apart");
        expect(JSON.stringify(await found("ask", "."))).toContain("apart");
        expect(await found("deny", "apart")).toBe("denied");
        expect(await found("ask", "apart")).toBe("approval-required");
      },
    );

    it.each<readonly [what: string, options: GrepOptions, found: readonly string[]]>([
      ["not by itself", {}, ["a.txt"]],
      ["where it is said", { hidden: true }, [".github/b.txt", ".dot", ".x/.y/c.txt", "a.txt", "d/.e"]],
      ["but not what tools keep", { hidden: true, path: "." }, [".github/b.txt", ".dot", ".x/.y/c.txt", "a.txt", "d/.e"]],
      ["a folder that is named", { path: ".github" }, [".github/b.txt"]],
      ["a file that is named", { path: ".dot" }, [".dot"]],
      ["below a folder that is named, no others", { path: ".x" }, []],
      ["names that a pattern means", { glob: ".github/**" }, [".github/b.txt"]],
      ["unless it is said otherwise", { glob: ".github/**", hidden: false }, []],
      ["a pattern without a dot in front", { glob: "**/*.txt" }, ["a.txt"]],
    ])("grep: names with a dot: %s", async (_, options, expected) => {
      const place = scratch();
      for (const name of [".github/b.txt", ".dot", ".x/.y/c.txt", "a.txt", "d/.e", ".git/f"]) place.write(name, "needle\n");
      for (const ripgrep of [true, false]) {
        const found = await backendIn(place, { ripgrep }).grep("needle", options);
        expect(
          found.ok
            ? names(
                place,
                found.matches.map(({ path }) => path),
              ).toSorted()
            : found,
        ).toEqual([...expected].toSorted());
      }
    });

    it("grep: without what may not be searched or read", async () => {
      const { place, backend } = filled();
      const found = await backend.grep("need.e");
      expect(
        found.ok
          ? names(
              place,
              found.matches.map(({ path }) => path),
            ).toSorted()
          : found,
      ).toEqual(["src/a.ts", "src/b.js", "unlisted/a.ts"]);
      expect(await backend.grep("^hay$", { path: "src", glob: "*.ts" })).toMatchObject({ matches: [{ line: 2, text: "hay" }] });
      expect(await backend.grep("NEEDLE", { path: "src/a.ts", ignoreCase: true })).toMatchObject({ matches: [{ line: 1 }] });
      expect(await backend.grep("n.*e", { path: "src/a.ts", literal: true })).toMatchObject({ matches: [] });
      expect(await backend.grep("x", { path: "ungrepped" })).toEqual(failed("denied"));
      expect(await backend.grep("x", { path: "hidden/a.ts" })).toEqual(failed("denied"));
      expect(await backend.grep("(", {})).toEqual(failed("pattern"));
    });

    it("YW8: a pattern is a pattern", async () => {
      const { place, backend } = filled();
      place.write("x.sh", "#!/bin/sh\ntouch ran\n");
      chmodSync(join(place.project, "x.sh"), 0o755);
      for (const pattern of ["--pre=./x.sh", "-e", "--hostname-bin=./x.sh", "--", "-f/etc/passwd"])
        expect((await backend.grep(pattern)).ok).toBe(true);
      expect(existsSync(join(place.project, "ran"))).toBe(false);
    });

    it("no pattern takes long", async () => {
      const { place, backend } = filled();
      place.write("src/long", "a".repeat(100_000));
      const start = process.cpuUsage();
      await backend.grep("(a+)+b", { path: "src/long" });
      expect(workedSince(start)).toBeLessThan(5000);
    });
  });
});

function renameIn(place: Scratch, from = "", to = ""): void {
  mkdirSync(join(place.project, "tmp"), { recursive: true });
  renameSync(join(place.project, from), join(place.project, to));
}
