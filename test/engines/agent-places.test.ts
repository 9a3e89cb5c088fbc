import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENTS, type HostFacts, OTHERS } from "@assent/hosts/agents";
import { judgeOnly } from "@assent/page/preview";
import { compiledPolicy, findSources, judgeBy, judgeContext, realWorld } from "@assent/guard/engine";
import { read } from "@assent/guard/engine/reader";
import { planOf } from "../../packages/supervisor/src/engines/sandbox-runtime.ts";
import { isWithin } from "@assent/core/path";
import { policyFor } from "@assent/core/policy";
import { createGuard } from "@assent/library/sdk";
import { scratch } from "../scratch.ts";

/**
 * What agents declare of themselves is closed to whoever acts for a model, whichever engine holds the program: each place of each
 * agent, by each of them, whether something is there or not. Allows of the user's do not open it.
 */

const FACTS = [
  ...AGENTS.map(({ id, facts }) => ({ id: id as string, files: facts.files })),
  ...OTHERS.map(({ files }, at) => ({ id: `other ${at}`, files })),
  { id: "Assent", files: { userLocked: [], userAsked: [], project: [".agent-permissions.jsonc"], machine: ["/etc/assent/"] } },
];

/** Absolute; a folder stands for what lies in it. */
function placesOf(
  { files }: { readonly files: Pick<HostFacts["files"], "userLocked" | "userAsked" | "project" | "machine"> },
  home: string,
  project: string,
): readonly string[] {
  const below =
    (folder: string) =>
    (entry: string): string =>
      join(folder, entry, ...(entry.endsWith("/") ? ["x.json"] : []));
  return [
    ...[...files.userLocked, ...files.userAsked].map(below(home)),
    ...files.project.flatMap((entry) => [below(project)(entry), below(join(project, "pkg"))(entry)]),
    ...files.machine.map(below("/")),
  ];
}

const ALLOWED =
  '{ "preset": "permissive", "permissions": { "allow": ["Bash", "Write(**)", "Edit(**)", "Write(~/**)", "Edit(~/**)", "mcp__*"] } }';

type Place = ReturnType<typeof scratch>;
type Decides = (path: string, place: Place) => string | Promise<string>;

const byTool =
  (tool: string, input: (path: string) => Readonly<Record<string, unknown>>): Decides =>
  (path, { project, machine }) =>
    judgeOnly({ tool, input: input(path), cwd: project }, machine, []).verdict.decision;
const byLine = (line: (path: string) => string): Decides => byTool("Bash", (path) => ({ command: line(`'${path}'`) }));

const ENGINES: Readonly<Record<string, Decides>> = {
  "the hook, Write": byTool("Write", (path) => ({ file_path: path, content: "{}" })),
  "the hook, Edit": byTool("Edit", (path) => ({ file_path: path, old_string: "a", new_string: "b" })),
  "a line: >": byLine((path) => `echo x > ${path}`),
  "a line: cp": byLine((path) => `cp a.txt ${path}`),
  "a line: tee": byLine((path) => `echo x | tee -a ${path}`),
  "a line: ln": byLine((path) => `ln -sf a.txt ${path}`),
  "a line: in a folder": byLine((path) => `cd ${dirname(path.slice(1, -1))} && touch ${path.slice(path.lastIndexOf("/") + 1, -1)}`),
  "a line: sed": byLine((path) => `sed -i 's/a/b/' ${path}`),
  "a run": (path, { project, machine }) => {
    const world = realWorld(machine, project, undefined);
    const situation = { machine, reader: () => ({ read }), own: [], supervised: true } as const;
    const sources = findSources(situation, world, { actions: [], unknowns: [] }, project);
    const policy = policyFor(compiledPolicy(machine, sources, situation.reader), () => ({ user: machine.user }));
    return judgeBy(
      { actions: [{ kind: "file", operation: "write", target: { kind: "path", path }, origin: { by: "tool" } }], unknowns: [] },
      { policy, context: judgeContext(situation, world, sources) },
    ).decision;
  },
  "the library": async (path, { home, project, machine }) => {
    const guard = createGuard({
      cwd: project,
      home,
      env: machine.env,
      policy: { preset: "permissive", permissions: { allow: ["Write(**)", "Write(~/**)"] } },
    });
    return (await guard.check({ write: path })).verdict;
  },
};

describe.each([["not there", false] as const, ["there", true] as const])("places of agents that are %s", (_, isThere) => {
  /** Such a machine, and each place with whose it is. */
  function made(): { readonly place: Place; readonly all: readonly (readonly [id: string, path: string])[] } {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", ALLOWED);
    const all = FACTS.flatMap((one) => placesOf(one, place.home, place.project).map((path) => [one.id, path] as const));
    for (const [, path] of isThere ? all : []) if (path.startsWith(place.home)) place.write(path, "{}");
    return { place, all };
  }

  test.each(Object.entries(ENGINES))("are closed by %s", { timeout: 120_000 }, async (_name, decide) => {
    const { place, all } = made();
    expect(all.length).toBeGreaterThan(300);
    const open: string[] = [];
    for (const [id, path] of all) {
      const decision = await decide(path, place);
      if (decision !== "ask" && decision !== "deny") open.push(`${id}: ${path.replace(place.home, "~")} ${decision}`);
    }
    expect(open).toEqual([]);
  });

  test("are closed by the engine of macOS", () => {
    const { place, all } = made();
    const { project, machine } = place;
    const request = {
      cwd: project,
      env: {},
      machine,
      policyFiles: [],
      own: [],
      approver: undefined,
      undo: false,
      onNotice: () => undefined,
    };
    const { plan } = planOf({ ...request, argv: ["/bin/true"] });
    const closed = plan.denyWrite.filter((one) => typeof one === "string");
    const isOpen = (path: string): boolean =>
      plan.allowWrite.some((folder) => isWithin(path, folder)) && !closed.some((one) => isWithin(path, one));
    // Of folders below the project it knows what is there when it starts: `cannot` says so.
    const looked = all.filter(([, path]) => isThere || !path.startsWith(join(project, "pkg/")));
    expect(looked.filter(([, path]) => isOpen(path))).toEqual([]);
    expect(isOpen(join(project, "src/index.ts"))).toBe(true);
  });
});
