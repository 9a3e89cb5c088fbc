import { describe, expect, it } from "vitest";
import { createGuard } from "@assent/library/sdk";
import { openGuard } from "@assent/library/sdk/compat";
import { createGuard as createCoreGuard, plainWorld } from "@assent/library/sdk/core";
import { scratch } from "../../scratch.ts";

/** A tool whose facts name the folder in which it runs its command: that is where the command is judged, whoever judges. */

const FACTS = { does: "shell", field: "command", folder: "workdir" } as const;
const POLICY = { permissions: { allow: ["Bash(rm:*)"], deny: ["Read(plans/**)"] } } as const;

const GUARDS = {
  createGuard: (place: ReturnType<typeof scratch>) => createGuard({ cwd: place.project, home: place.home, policy: POLICY }),
  "createGuard of assent/core": ({ project, home }: ReturnType<typeof scratch>) =>
    createCoreGuard({ policy: POLICY, world: plainWorld({ cwd: project, home }) }),
};

describe.each(Object.entries(GUARDS))("%s", (_, open) => {
  it.each([
    ["rm x", undefined, "allow"],
    ["rm x", null, "allow"],
    ["rm x", "", "allow"],
    ["rm x", "/usr/bin", "deny"],
    ["rm x", "../../../../../../../../usr/bin", "deny"],
    ["cat next", "plans", "deny"],
    ["cat plans/next", "src", "allow"],
    ["cat ../plans/next", "src", "deny"],
    ["ls", 7, "ask"],
    ["ls", "de\0ep", "ask"],
  ])("%j in %j: %s", async (command, workdir, verdict) => {
    const place = scratch();
    for (const file of ["plans/next", "a"]) place.write(file, "");
    const said = await open(place).decide({ tool: "run", input: { command, workdir }, facts: FACTS });
    expect(said.verdict, said.forPerson).toBe(verdict);
  });
});

it("the machine's own guard says the same of the folders that no policy names", () => {
  const place = scratch();
  const guard = openGuard({ cwd: place.project, machine: place.machine, audit: false });
  const said = (workdir: unknown) => guard.decide({ tool: "run", input: { command: "rm x", workdir }, facts: FACTS }).decision;
  expect([said("/usr/bin"), said(7)]).toEqual(["deny", "ask"]);
});
