import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import buildOnce from "../../build-once.ts";
import { enginePlace } from "../../engines/place.ts";
import { OTHER_ENGINE } from "./other-engine.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PROBES = join(import.meta.dirname, "../probes");

/**
 * Compiles the probes and copies the built program beside them, where an unprivileged user can read both. ESCAPE_BUILT: `dist/` is
 * built already. A compiler that is missing is an error: `.ci/run` installs it.
 */
export default function setUp(): () => void {
  if (process.env["ESCAPE_BUILT"] === undefined) buildOnce();
  const folder = mkdtempSync(join(tmpdir(), "assent-probes-"));
  chmodSync(folder, 0o755);
  for (const file of readdirSync(PROBES).filter((name) => name.endsWith(".c"))) {
    const source = join(PROBES, file);
    const options = /^\/\/ gcc (.*)$/m.exec(readFileSync(source, "utf8"))?.[1]?.split(" ") ?? [];
    execFileSync("gcc", ["-O1", "-Wall", "-pthread", source, "-o", join(folder, basename(file, ".c")), ...options], { stdio: "inherit" });
  }
  mkdirSync(join(folder, "assent/node_modules"), { recursive: true });
  for (const part of ["dist", "package.json", "node_modules/@koromix"])
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(folder, "assent", part), { recursive: true });
  if (OTHER_ENGINE) {
    const place = enginePlace();
    if (typeof place === "string") throw new Error(place);
    cpSync(place.modules, join(folder, "node_modules"), {
      recursive: true,
      dereference: true,
      filter: (path) => !path.includes("/assent/"),
    });
    cpSync(place.node, join(folder, "node"));
    place.remove();
  }
  process.env["ESCAPE_SUITE"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
