import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileOperation } from "@assent/core/action";
import { read } from "@assent/guard/engine/reader";
import { NO_TOOL_SERVICE } from "../../../packages/supervisor/src/supervise/services/services.ts";
import { RunJudge } from "../../../packages/supervisor/src/supervise/judge/run-judge.ts";

/** Every word of what judges paths: whatever means something there is among them. */
const SOURCES = ["packages/core/src/policy", "packages/supervisor/src/supervise/judge"];
const words = [
  ...new Set(
    SOURCES.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .flatMap((file) => readFileSync(join(folder, file), "utf8").match(/[\w.@~+-]+/g) ?? []),
    ),
  ),
].filter((word) => word !== "." && word !== ".." && word.length < 60);

const IRRELEVANT = [
  "alpha",
  "Beta",
  "one-two",
  "x1",
  "pkg@2",
  "_private",
  "index.js",
  "data.json",
  "notes.txt",
  "a.b.c",
  "README.md",
  "1f2e3d",
];
const PECULIAR = [
  ".git",
  ".ssh",
  ".env",
  "hooks",
  "secrets",
  "node_modules",
  "lib",
  "bin",
  "config",
  ".claude",
  ".config",
  "python3.11",
  "src",
];
const EXTENSIONS = ["", "", "", ".js", ".json", ".pem", ".sample", ".bak", ".sh", ".lock", "~"];
const OPERATIONS: readonly (readonly [FileOperation, "open" | "mkdir" | "rename" | "chmod" | "delete" | "symlink"])[] = [
  ["read", "open"],
  ["list", "open"],
  ["write", "open"],
  ["edit", "open"],
  ["delete", "delete"],
  ["mkdir", "mkdir"],
  ["metadata", "chmod"],
  ["rename", "rename"],
  ["write", "rename"],
  ["link", "symlink"],
];

const POLICIES: Readonly<Record<string, object>> = {
  "no rules": {},
  "a mode": { mode: "auto-edit", writableRoots: ["out", "~/alpha"] },
  "a strict preset": { preset: "strict" },
  "a permissive preset": { preset: "permissive" },
  rules: {
    permissions: {
      deny: ["Read(**/*.key.json)", "Write(src/one-*/**)", "Edit(~/alpha)", "Delete(/srv/*/x1)", "Write(link/Beta/**)"],
      ask: ["Write(**/notes.*)", "Read(**/[a-c]*/x?)"],
      allow: ["Read(**)", "Write(src/**)", "Edit(/opt/alpha/*)"],
    },
  },
  operations: {
    operations: {
      write: {
        default: "ask",
        rules: [
          { pattern: "alpha/*", action: "allow" },
          { pattern: "**/*.md", action: "deny" },
        ],
      },
    },
  },
};

/** A sequence that is always the same. */
function random(seed: number): <T>(items: readonly [T, ...T[]] | readonly T[]) => T {
  let state = seed;
  return <T>(items: readonly T[]): T => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const item = items[Math.floor((state / 2 ** 32) * items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  };
}

const nobody = {
  programs: () => [],
  logins: () => [],
  trail: () => undefined,
  toolService: () => NO_TOOL_SERVICE,
  builds: () => [],
  hosts: () => ({ service: [], named: [] }),
};
let scratch = "";

beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "assent-ordinary-")));
  for (const folder of ["home/proj/.git", "home/proj/src", "home/.local/state", "far", "tmp"])
    mkdirSync(join(scratch, folder), { recursive: true });
  symlinkSync(join(scratch, "far"), join(scratch, "home/proj/link"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function judges(policy: object): readonly [quick: RunJudge, exact: RunJudge] {
  const file = join(scratch, "policy.jsonc");
  writeFileSync(file, JSON.stringify(policy));
  const home = join(scratch, "home");
  const options = {
    machine: {
      home,
      env: { HOME: home, PATH: "/usr/bin:/bin" },
      platform: "linux",
      uid: 1000,
      temp: [join(scratch, "tmp")],
      managedPolicy: join(scratch, "none.jsonc"),
    },
    cwd: join(home, "proj"),
    env: {},
    policyFiles: [file],
    profileFile: join(scratch, "none-either.jsonc"),
    reader: () => ({ read }),
    own: [join(scratch, "own/assent")],
  };
  return [new RunJudge(options), new RunJudge({ ...options, exact: true })];
}

describe("an ordinary name is judged as any other in its place", () => {
  it.each(Object.entries(POLICIES))("%s", (title, policy) => {
    // The tables are the same for all.
    const tried = title === "no rules" ? words : words.filter((_, at) => at % 3 === title.length % 3);
    const [quick, exact] = judges(policy);
    expect(quick.policy.broken).toBeUndefined();
    const choose = random(7);
    const home = join(scratch, "home");
    const starts = [
      home,
      `${home}/proj`,
      `${home}/proj/src`,
      `${scratch}/tmp`,
      `${scratch}/far`,
      scratch,
      "/usr/share",
      "/usr/lib",
      "/opt",
      "/var/lib",
    ];
    const own = [`${home}/proj`, `${home}/proj/src/alpha`, `${scratch}/tmp/alpha`];
    const told = [`${home}/proj/.git`, `${home}/proj/.git/modules/alpha`, `${home}/proj/.claude`, home, `${home}/.config/alpha`, scratch];
    const library = [
      `${home}/.ssh/lib/python3.11`,
      `${home}/.ssh/alpha/Beta`,
      `${home}/.aws/go/pkg/mod`,
      `${home}/.aws/alpha/Beta/one-two`,
    ];
    const more = [
      "/srv",
      "/home",
      "/home/other",
      "/home/other/.config",
      "/root",
      "/etc",
      "/dev",
      "/dev/shm",
      "/proc/1",
      "",
      "/private/var",
      "/var/run",
    ];
    const folders: string[] = [...starts, ...starts, ...more, ...library];
    for (let i = 0; i < 250; i++)
      folders.push(`${choose(folders.slice(-280))}/${choose(choose([IRRELEVANT, IRRELEVANT, PECULIAR, words]))}`);
    const wrong: string[] = [];
    let knowns = 0;
    const compare = (path: string, [operation, name] = choose(OPERATIONS)): void => {
      const call = { name, args: [path] };
      const action = { kind: "file", operation, target: { kind: "path", path }, origin: { by: "tool" }, call } as const;
      const [found, expected] = [quick.call([action], nobody), exact.call([action], nobody)];
      if (JSON.stringify(found) !== JSON.stringify(expected))
        wrong.push(`${operation} ${path}: ${found.decision} ${found.reason}, not ${expected.decision} ${expected.reason}`);
      // What is known before anybody looks is what is said after looking.
      const known = operation === "read" || operation === "list" ? quick.known(operation, path) : undefined;
      if (known !== undefined) knowns += 1;
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(expected))
        wrong.push(`known, ${operation} ${path}: ${known.decision}, not ${expected.decision} ${expected.reason}`);
    };
    for (let i = 0; i < 3000; i++) compare(`${choose(folders)}/${choose(IRRELEVANT)}${choose(EXTENSIONS)}`);
    for (const word of tried) {
      compare(`${choose(folders)}/${word}${choose(EXTENSIONS)}`);
      compare(`${choose(folders)}/${word}/${choose(IRRELEVANT)}`);
      // A table may hold what a name begins with, or ends with.
      for (const text of [word, `${word}1`, `${word}_k`, `1${word}`]) compare(`${choose(own)}/${text}`, ["read", "open"]);
      compare(`${choose(own)}/${word}`);
      compare(`${choose(told)}/${word}${choose(EXTENSIONS)}`);
    }
    // An ordinary name stands before one that means something, and after one.
    for (const word of tried) {
      const [base, between] = [choose(choose([own, told, library])), choose(IRRELEVANT)];
      for (const path of [`${word}`, `${word}/${between}`, `.${word}`, `${word}/.${between}`])
        for (const before of ["alpha", choose(IRRELEVANT)]) compare(`${base}/${before}/${path}`, ["read", "open"]);
      compare(`${choose(own)}/${between}/${word}/${choose(IRRELEVANT)}`);
    }
    const pieces = words.filter((word) => word.startsWith("."));
    for (const word of words.filter((one) => one.length < 12)) compare(`${choose(told)}/${word}${choose(pieces)}`);
    for (const name of ["config", "attributes", "commondir"]) for (const piece of pieces) compare(`${home}/proj/.git/${name}${piece}`);
    for (const path of [".config/alpha/mcp-server.json", ".config/mcphub/alpha.json", ".local/share/mcp/alpha.yaml", ".alpha/mcpOne.json"])
      compare(`${home}/${path}`, ["read", "open"]);
    for (let i = 0; i < 300; i++) compare(`${choose(library)}/${choose(IRRELEVANT)}`);
    expect(wrong.slice(0, 20)).toEqual([]);
    if (title === "no rules") expect(knowns).toBeGreaterThan(500);
  });

  it("is known to be open to readers in every package after one, but for names of secrets and what a rule closes", () => {
    const [quick] = judges({ permissions: { deny: ["Read(**/closed.*)"] } });
    const names = [
      "lib/index.js",
      ".eslintrc",
      "package.json",
      "lib/#",
      "lib/.env",
      "lib/.env.local",
      "lib/closed.js",
      "lib/id_rsa",
      "x.pem",
    ];
    const paths = (at: number): readonly string[] => names.map((name) => `${scratch}/home/proj/packages/package-${at}/${name}`);
    for (const path of paths(1)) {
      const call = { name: "open", args: [path] } as const;
      quick.call([{ kind: "file", operation: "read", target: { kind: "path", path }, origin: { by: "tool" }, call }], nobody);
    }
    const known = paths(2).filter((path) => quick.known("read", path) !== undefined);
    expect(known).toEqual(paths(2).slice(0, 4));
  });

  it("most names are", () => {
    const [quick, exact] = judges({});
    const taken = (judge: RunJudge, paths: number): number => {
      const began = process.cpuUsage();
      for (let at = 0; at < paths; at++) {
        const path = `${scratch}/home/proj/node_modules/package-${at % 50}/dist/module-${at}.js`;
        const call = { name: "open", args: [path] } as const;
        judge.call([{ kind: "file", operation: "write", target: { kind: "path", path }, origin: { by: "tool" }, call }], nobody);
      }
      const { user, system } = process.cpuUsage(began);
      return (user + system) / paths;
    };
    expect(taken(quick, 20_000)).toBeLessThan(taken(exact, 5000) / 2);
  });
});
