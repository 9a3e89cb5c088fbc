import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildFilter, buildListenedFilter } from "../../packages/supervisor/src/supervise/sandbox/filter.ts";
import { DIST, scratch } from "../scratch.ts";

describe("the parts of a run", () => {
  const text = ["run", "try"].map((name) => readFileSync(join(DIST, `${name}.cjs`), "latin1")).join("");

  it.each(
    (["x64", "arm64"] as const).flatMap((architecture) =>
      [false, true].flatMap((trapKill) => [false, true].map((ownIpc) => ({ architecture, trapKill, ownIpc }))),
    ),
  )("the filter made by the build is that of the source: %j", ({ architecture, trapKill, ownIpc }) => {
    const made = buildFilter(architecture, { observeReads: true, udp: false, trapSignals: false, trapKill, ownIpc });
    expect(text.includes(made.toString("base64"))).toBe(true);
  });

  it.each(["x64", "arm64"] as const)("and those of a tried run: %s", (architecture) => {
    const made = [
      buildFilter(architecture, { observeReads: false, ownIpc: true, tried: true }),
      ...[false, true].map((talks) => buildListenedFilter(architecture, talks)),
    ];
    expect(made.map((filter) => text.includes(filter.toString("base64")))).toEqual([true, true, true]);
  });

  it.each([
    [
      ["run", "-P", "-q", "--", "true"],
      ["run-for-run", "shell-for-run", "try-for-run"],
    ],
    [
      ["try", "--", "true"],
      ["shell-for-try", "try-for-try"],
    ],
    [
      ["try", "--apply", "--", "mkdir", "d"],
      ["apply-for-try", "shell-for-try", "try-for-try"],
    ],
  ])("load nothing of what few runs need where nothing is asked: %j", (words, kept) => {
    const place = scratch();
    mkdirSync(join(place.project, ".git"), { recursive: true });
    const env = { PATH: process.env["PATH"], HOME: place.home, XDG_STATE_HOME: join(place.root, "state") };
    const ran = spawnSync(process.execPath, [join(DIST, "bin.cjs"), ...words], { cwd: place.project, env, encoding: "utf8" });
    // Where no folder can be laid above another.
    if (ran.status === 125 && words[0] === "try") return;
    expect(ran).toMatchObject({ status: 0, ...(words.at(-1) === "true" ? { stderr: "" } : {}) });
    const caches = readdirSync(join(place.root, "state/assent")).filter((name) => name.endsWith(".cache"));
    // Every part that was compiled without a cache of its own leaves one.
    expect(new Set(caches.map((name) => /^(.+?)-[0-9a-f]{16}-/.exec(name)?.[1]))).toEqual(new Set(kept));
  });
});
