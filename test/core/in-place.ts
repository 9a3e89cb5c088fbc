import { CALLS, COMMANDS, FILES, POLICIES, verdictsOfGuards } from "./calls.ts";

type Core = typeof import("@assent/library/sdk/core");
type Rules = typeof import("@assent/library/sdk/core/rules");

/** What is said in one place: of each call by both guards, of each command, and of what no guard takes. */
export interface SaidInPlace {
  readonly calls: readonly string[];
  readonly rules: readonly string[];
  readonly commands: readonly string[];
  readonly questions: readonly string[];
}

/** Asks both guards everything. The same text in Node, in a page and in workers. */
export async function sayInPlace(core: Core, rules: Rules, commands: readonly string[]): Promise<SaidInPlace> {
  const cwd = "/repo";
  const files = Object.fromEntries(Object.entries(FILES).map(([path, entry]) => [`${cwd}/${path}`, entry]));
  const world = core.plainWorld({ cwd, home: `${cwd}/home`, files });
  // As they come out of a file.
  const compiled = Object.fromEntries(
    Object.entries(POLICIES).map(([name, policy]) => [
      name,
      policy === undefined ? undefined : (JSON.parse(JSON.stringify(core.compilePolicy(policy))) as unknown),
    ]),
  );
  const guard = core.createGuard({ world });
  const said: string[] = [];
  for (const shell of commands) {
    const { verdict, forPerson } = await guard.decide({ shell });
    said.push(`${verdict}: ${forPerson}`);
  }
  return {
    calls: await verdictsOfGuards(core, { cwd, files }, [...CALLS, ...COMMANDS]),
    rules: await verdictsOfGuards(rules as unknown as Core, { cwd, files }, CALLS, compiled),
    commands: said,
    questions: await answeredQuestions(core, rules, world),
  };
}

async function answeredQuestions(core: Core, rules: Rules, world: ReturnType<Core["plainWorld"]>): Promise<readonly string[]> {
  const said: string[] = [];
  for (const answer of [true, false, { no: "later" }, { yes: "session" }, { yes: "sure" }, undefined])
    for (const createGuard of [core.createGuard, rules.createGuard]) {
      const onAsk = answer === undefined ? {} : { onAsk: () => answer as boolean };
      const guard = createGuard({ world, ...onAsk });
      for (const call of [{ write: "src/b.ts" }, { write: "src/b.ts" }, { read: ".env" }, { shell: "make" }]) {
        const outcome = await guard.check(call);
        said.push(`${JSON.stringify(answer)} ${JSON.stringify(call)} ${outcome.verdict}: ${"forModel" in outcome ? outcome.forModel : ""}`);
      }
    }
  return said;
}
