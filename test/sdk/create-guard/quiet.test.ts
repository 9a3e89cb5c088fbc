import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

let scratch = "";
beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "assent-quiet-")));
  for (const folder of ["home", "repo", "repo/src"]) mkdirSync(join(scratch, folder));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const LIBRARY = resolve("dist/library.mjs");

/** The paths that a program touches between two marks, by the kernel's word. */
function touched(program: string): readonly string[] {
  const log = join(scratch, "strace.log");
  const file = join(scratch, "program.mjs");
  writeFileSync(file, program);
  const { status, stderr } = spawnSync(
    "strace",
    ["-f", "-qq", "-e", "trace=file", "-e", "signal=none", "-o", log, process.execPath, file],
    {
      cwd: join(scratch, "repo"),
      env: { PATH: "/usr/bin:/bin", HOME: join(scratch, "home") },
      encoding: "utf8",
    },
  );
  expect([status, stderr]).toEqual([0, ""]);
  const lines = readFileSync(log, "utf8").split("\n");
  const [from, to] = ["begin", "end"].map((mark) => lines.findIndex((line) => line.includes(`/mark-${mark}`)));
  return [...new Set(lines.slice((from ?? 0) + 1, to).flatMap((line) => /"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? []))].filter(
    // Node looks whether it is in a container's memory group.
    (path) => !path.startsWith("/sys/fs/cgroup") && path !== "/proc/self/cgroup",
  );
}

it("a guard that asks for no files touches nothing of the machine but what a request names", () => {
  const calls = [
    { shell: "git status && rm -rf build" },
    { write: "src/a.ts" },
    { edit: ["src/b.ts", join(scratch, "home/.claude/settings.json")] },
    { read: ".env" },
    { fetch: "https://example.com/" },
    { mcp: { server: "db", tool: "query", input: { path: "src/c.ts" } } },
    { tool: "save", input: { path: "src/a.ts" } },
  ];
  const paths = touched(`
    import { statSync } from "node:fs";
    const { createGuard } = await import(${JSON.stringify(LIBRARY)});
    const mark = (name) => statSync("/mark-" + name, { throwIfNoEntry: false });
    const calls = ${JSON.stringify(calls)};
    const run = async () => {
      const guard = createGuard({ policy: { permissions: { deny: ["Read(secrets/**)"] } }, principal: { user: "ann" }, onAsk: () => ({ yes: "session" }) });
      for (const call of calls) await guard.check(call);
    };
    await run(); // What is loaded when it is needed first.
    mark("begin");
    await run();
    mark("end");
  `);
  const repo = join(scratch, "repo");
  // The folders on the way to what is named are on the way to it; programs are looked for where `PATH` says.
  const isNamed = (path: string): boolean =>
    [repo, join(scratch, "home/.claude")].some(
      (place) => path === place || path.startsWith(`${place}/`) || `${place}/`.startsWith(path === "/" ? "/" : `${path}/`),
    ) ||
    /^(?:\/usr)?\/bin(?:\/(?:git|rm))?$|^\/usr$/.test(path) ||
    path === join(scratch, "home");
  expect(paths.filter((path) => !isNamed(path))).toEqual([]);
  expect(paths).not.toEqual([]);
});
