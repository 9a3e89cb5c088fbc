import { closeSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isUnlinked } from "../../../packages/supervisor/src/supervise/trap/paths.ts";
import { statFd } from "@assent/supervisor/supervise/undo";
import { scratch } from "../../scratch.ts";
import { attack } from "./world.ts";

it("a file system that counts no names does not take a file its name", () => {
  const { root, write } = scratch();
  const named = write(join(root, "x"), "");
  const oddly = write(join(root, "x (deleted)"), "");
  const gone = write(join(root, "y"), "");
  const fds = [named, oddly, gone].map((path) => openSync(path, "r"));
  unlinkSync(gone);
  const [plain, odd, none] = fds.map((fd) => {
    const stat = statFd(fd);
    if (typeof stat === "number") throw new Error(String(stat));
    return { ...stat, nlink: 0 };
  });
  if (plain === undefined || odd === undefined || none === undefined) throw new Error("three files");
  // As such a file system reports them.
  expect(isUnlinked({ path: named, stat: plain })).toBe(false);
  expect(isUnlinked({ path: oddly, stat: odd })).toBe(false);
  expect(isUnlinked({ path: `${named} (deleted)`, stat: plain })).toBe(true);
  expect(isUnlinked({ path: `${gone} (deleted)`, stat: none })).toBe(true);
  for (const fd of fds) closeSync(fd);
});

it("a name that ends like one that is gone is a name; what is gone is the program's own", async () => {
  const { out } = await attack({
    before: "echo KEY > '/srv/out/k (deleted)'; echo KEY > 'p (deleted)'",
    deny: ["Read(/srv/out/*)", "Read(/srv/proj/p*)"],
    program: `cat '/srv/out/k (deleted)' 'p (deleted)'; chmod 777 '/srv/out/k (deleted)'; ln '/srv/out/k (deleted)' l; cat l
exec 3<> t; rm t; echo mine >&3; cat /proc/self/fd/3; chmod 600 /proc/self/fd/3 && echo changed`,
    after: "stat -c %a '/srv/out/k (deleted)'",
  });
  expect(out).not.toMatch(/KEY|^777$/m);
  expect(out).toMatch(/^mine$/m);
  expect(out).toMatch(/^changed$/m);
});
