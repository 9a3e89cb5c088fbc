import { expect, it } from "vitest";
import { GitNames } from "../../../packages/supervisor/src/supervise/trap/git-names.ts";
import { GitObjects } from "../../../packages/supervisor/src/supervise/trap/git-objects.ts";

it.each(["~", "^", "~1^"])("a name of as many %s as a command line takes holds nobody up", (sign) => {
  const names = new GitNames("/nowhere", "/nowhere", new GitObjects("/nowhere", "/nowhere", 40));
  const began = performance.now();
  expect(names.commit(`${sign.repeat(130_000 / sign.length)}x`)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(1000);
});
