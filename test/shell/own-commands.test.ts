import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS, floorPaths, joinLayers, judge } from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";
import { lowerShell } from "@assent/core/shell";
import { EXAMPLE_WORLD, verdictUnderBroadAllow } from "./knowledge/decide.ts";

/** `"wrappers"` and `"aliases"` of the user's policy: programs that no table knows, of which a person has said what they do. */
const OWN = {
  wrappers: ["wrap-x", "factor-x run", "git"],
  aliases: { k: "kubectl", gp: "git push origin", loop: "pool", pool: "loop", cat: "ls" },
};

type Places = Readonly<Record<string, boolean>>;

const read = (layer: "user" | "project", policy: object): ReturnType<typeof readPolicy> =>
  readPolicy(JSON.stringify(policy), { file: "policy.jsonc", layer, examples: () => [] });

function verdict(command: string, places: Places = {}): string {
  const found = read("user", {
    ...OWN,
    permissions: { deny: ["Bash(git push:*)", "Bash(wrap-x gain:*)"], allow: ["Bash(kubectl apply:*)"] },
  });
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  const { settings, rules } = found.policy;
  const world = {
    ...EXAMPLE_WORLD,
    lookup: (name: string) => ({ path: `/usr/bin/${name}`, trusted: places[name] ?? true }),
    ownCommands: { wrappers: settings.wrappers ?? [], aliases: settings.aliases ?? {} },
  };
  return judge(
    lowerShell(command, { world }),
    { settings: DEFAULT_SETTINGS, rules, operations: [], warnings: [] },
    {
      world,
      host: true,
      floor: floorPaths(world.home),
      dangersOf: () => new Set(),
      supervised: false,
    },
  ).decision;
}

describe("what the user's policy says of a program", () => {
  it.each([
    ["allow", "wrap-x git status"],
    ["allow", "wrap-x -- git status"],
    ["allow", "/usr/bin/wrap-x git status"],
    ["allow", "factor-x run ls -la"],
    ["allow", "k get pods"],
    ["allow", "k apply -f a.yml"],
    ["allow", "wrap-x k get pods"],
    ["allow", "env A=1 wrap-x ls"],
    // Deny and ask rules hold for both, and so does what is dangerous.
    ["deny", "wrap-x git push"],
    ["deny", "wrap-x -- git -C . push origin x"],
    ["deny", "timeout 5 wrap-x git push"],
    ["deny", "bash -c 'wrap-x git push'"],
    ["deny", "factor-x run git push"],
    ["deny", "wrap-x wrap-x git push"],
    ["deny", "gp main"],
    ["deny", "wrap-x gp main"],
    ["deny", "wrap-x gain x"],
    ["deny", "wrap-x rm -rf ~"],
    ["deny", "wrap-x cat .env"],
    ["ask", "k delete pod x"],
    ["ask", "wrap-x npm publish"],
    // What nobody has said something of stays as it was.
    ["none", "wrap-x --verbose ls"],
    ["ask", "wrap-x $X ls"],
    ["none", "wrap-x"],
    ["none", "factor-x list"],
    ["none", "./wrap-x ls"],
    ["ask", "loop x"],
    // Names that the tables know are what the tables say.
    ["deny", "git push"],
    ["deny", "cat .env"],
  ])("%s: %s", (decision, command) => expect(verdict(command)).toBe(decision));

  it.each([
    ["none", "wrap-x ls"],
    ["none", "k get pods"],
  ])("%s: %s, where an agent may write the program", (decision, command) =>
    expect(verdict(command, { "wrap-x": false, k: false })).toBe(decision),
  );
});

describe("who may say so", () => {
  const joined = (layer: "user" | "project") => {
    const found = read(layer, OWN);
    if (!found.ok) throw new Error(JSON.stringify(found.problems));
    return joinLayers([{ ok: true, policy: found.policy, ...(layer === "project" ? { trusted: true as const } : {}) }]);
  };

  it("the user's file", () => expect(joined("user").settings).toMatchObject(OWN));

  it("not a repository's file, trusted or not: it is said, and nothing else", () => {
    const { settings, warnings } = joined("project");
    expect([settings.wrappers, settings.aliases]).toEqual([undefined, undefined]);
    expect(warnings.join()).toContain('"wrappers" ignored');
  });

  it.each([
    { wrappers: ["wrap-x;x"] },
    { wrappers: ["-x"] },
    { wrappers: [""] },
    { wrappers: "wrap-x" },
    { aliases: { "a b": "ls" } },
    { aliases: { k: "ls $X" } },
  ])("%j is a mistake", (policy) => expect(read("user", policy).ok).toBe(false));
});

describe("what GNU has, with a g in front, is that where it lies among the programs of the machine", () => {
  it.each([
    ["grm -rf ~", "deny"],
    ["gfind . -delete", "deny"],
    ["gcp a.txt ~/.bashrc", "deny"],
    ["gtee ~/.bashrc", "deny"],
    ["gcat .env", "deny"],
    ["grm -rf src", "ask"],
    ["gls", "allow"],
    ["gfind . -name x", "allow"],
  ])("%s: %s, under a rule that allows everything", (line, decision) => expect(verdictUnderBroadAllow(line).decision).toBe(decision));

  it("gls of a folder that an agent may write is no ls", () => expect(verdict("gls", { gls: false })).toBe("none"));
});
