import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as core from "@assent/library/sdk/core";
import * as node from "@assent/library/sdk";
import { CALLS, COMMANDS, FILES, POLICIES, PRINCIPALS, verdictsOfGuards, withoutFound } from "../../core/calls.ts";
import { commandsOf, CORPORA } from "../../corpora.ts";

const FOLDERS = ["/usr/bin", "/bin"];
let cwd = "";
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "assent-core-")));
  for (const [path, entry] of Object.entries(FILES)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    if (typeof entry === "object" && "link" in entry) symlinkSync(entry.link, join(cwd, path));
    else writeFileSync(join(cwd, path), "");
  }
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const files = (): NonNullable<core.PlainWorld["files"]> =>
  Object.fromEntries(Object.entries(FILES).map(([path, entry]) => [`${cwd}/${path}`, entry]));

/** What the guard on this machine says, in the same words. */
async function onNode(calls: readonly core.GuardCall[], policies: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const said: string[] = [];
  for (const [name, policy] of Object.entries(policies))
    for (const principal of PRINCIPALS)
      for (const call of calls) {
        // A new one for each: what one remembers of refusals is no part of the core.
        const guard = node.createGuard({
          cwd,
          home: join(cwd, "home"),
          ...(policy === undefined ? {} : { policy: policy as node.CodePolicy }),
        });
        const { verdict, forPerson, forModel } = await guard.decide(call, principal === undefined ? {} : { principal });
        said.push(
          `${name}, ${principal?.user ?? "nobody"}, ${JSON.stringify(call)}: ${verdict}: ${withoutFound(`${forPerson} / ${forModel}`)}`,
        );
      }
  return said;
}

describe("a guard of the core says what a guard on Node says of the same files", () => {
  it.each(Object.entries(POLICIES))("under the policy %s", async (name, policy) => {
    const calls = [...CALLS, ...COMMANDS];
    const policies = { [name]: policy };
    const said = await verdictsOfGuards(core, { cwd, files: files() }, calls, policies);
    expect(said).toEqual(await onNode(calls, policies));
    expect(new Set(said.map((line) => /: (allow|ask|deny): /.exec(line)?.[1])).size).toBeGreaterThan(1);
  });

  it("of every command of the corpora", async () => {
    const calls = CORPORA.flatMap(commandsOf).map((shell) => ({ shell }));
    const world: core.World = {
      ...core.plainWorld({ cwd, home: `${cwd}/home`, files: files(), platform: "linux" }),
      // As it is here: no index, and programs that are not installed.
      tracked: () => false,
      lookup: (name) => ({ path: FOLDERS.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)), trusted: true }),
    };
    const guard = core.createGuard({ world });
    const different: unknown[] = [];
    for (const call of calls) {
      const here = await guard.decide(call);
      const there = await node.createGuard({ cwd, home: join(cwd, "home"), env: { PATH: FOLDERS.join(":") } }).decide(call);
      if (here.verdict !== there.verdict) different.push([call.shell, here.verdict, here.forPerson, there.verdict, there.forPerson]);
    }
    expect(calls.length).toBeGreaterThan(4000);
    expect(different).toEqual([]);
  });
});
