// Files and commands for an agent, in a folder of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalBackend } from "assent/compat";

const root = mkdtempSync(join(tmpdir(), "assent-example-"));
try {
  const backend = new LocalBackend({ root, permissions: { preset: "permissive" } });
  console.log(await backend.write("notes/a.txt", "one\ntwo\n"));
  console.log(await backend.edit("notes/a.txt", "two", "2"));
  console.log(await backend.read("notes/a.txt"));
  console.log(await backend.read("../../etc/passwd"));
  console.log(await backend.write(".env", "KEY=1"));
  console.log(await backend.grep("o.e"));
  console.log(await backend.execute("wc -l notes/a.txt"));
  console.log(await backend.execute("rm -rf ~"));
} finally {
  rmSync(root, { recursive: true, force: true });
}
