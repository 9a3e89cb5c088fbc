// What is built, as npm would install it, under a Node that need not be the one that built it.
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const OLD = ["v18.0.0", "v18.1.0", "v18.2.0", "v18.3.0"];

/** Into `scratch`: the files that `npm pack` puts into the archive, with koffi beside them. */
function installed(scratch) {
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", scratch], { cwd: root, encoding: "utf8" }),
  );
  execFileSync("tar", ["-xzf", join(scratch, filename), "-C", scratch]);
  const folder = join(scratch, "node_modules/assent");
  mkdirSync(join(scratch, "node_modules"));
  cpSync(join(scratch, "package"), folder, { recursive: true });
  cpSync(join(root, "node_modules/@koromix"), join(scratch, "node_modules/@koromix"), { recursive: true, dereference: true });
}

/** What was looked at of the package under a Node (its program), in order; `others` made code caches before it. */
export function tryBuilt(node, others) {
  const scratch = mkdtempSync(join(tmpdir(), "assent-built-"));
  try {
    installed(scratch);
    return tryInstalled(scratch, node, others);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const versionOf = (node) => execFileSync(node, ["--version"], { encoding: "utf8" }).trim();

/** The same of the package that lies in `scratch`/node_modules. */
export function tryInstalled(scratch, node, others) {
  const folder = join(scratch, "node_modules/assent");
  const home = join(scratch, "home");
  const project = join(home, "project");
  const state = join(home, ".local/state/assent");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh/id_rsa"), "a key");
  writeFileSync(join(project, "draft"), "kept");
  // As of many updates of Node before this one.
  for (const [at, version] of OLD.entries()) {
    const file = join(state, `hook-0123456789abcdef-${version}-${process.arch}.cache`);
    writeFileSync(file, "old");
    utimesSync(file, 1000 + at, 1000 + at);
  }

  const env = { HOME: home, PATH: "/usr/bin:/bin", NO_COLOR: "1" };
  const bin = join(folder, "dist/bin.cjs");
  const runBy = (by, args, input = "") => {
    const { stdout, stderr, status } = spawnSync(by, args, { cwd: project, env, input, encoding: "utf8" });
    return { stdout, all: stdout + stderr, status };
  };
  const run = (args) => runBy(node, args);
  const ask = (by) =>
    runBy(
      by,
      [bin, "check", "--agent", "claude", "--event", "PreToolUse"],
      JSON.stringify({
        session_id: "s",
        cwd: project,
        permission_mode: "default",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "rm -rf ~" },
      }),
    );
  const version = versionOf(node);
  const kept = (part, of = version) =>
    readdirSync(state).filter((name) => name.startsWith(`${part}-`) && name.endsWith(`-${of}-${process.arch}.cache`));
  const checks = [];
  const look = (cell, text, right, seen) => checks.push({ cell, text, right, ...(right ? {} : { seen: String(seen) }) });

  const first = ask(node);
  look("hook", "the hook denies `rm -rf ~`", first.stdout.includes('"permissionDecision":"deny"'), first.all);
  const [cache] = kept("hook");
  look("hook", "code caches of this Node are kept", cache !== undefined, readdirSync(state));
  const gone = OLD.filter((each) => kept("hook", each).length === 0);
  look("hook", "of four old ones the two oldest are gone", gone.join() === OLD.slice(0, 2).join(), readdirSync(state));
  if (cache !== undefined) {
    const file = join(state, cache);
    const before = statSync(file).mtimeMs;
    const again = ask(node);
    look("hook", "they are taken by the next hook", again.stdout.includes('"deny"') && statSync(file).mtimeMs === before, again.all);
    // What another Node made, under the name of this one's: whole, and of the same text.
    for (const other of others) {
      ask(other);
      const [foreign] = kept("hook", versionOf(other));
      if (foreign === undefined) throw new Error(`${other} kept no cache`);
      copyFileSync(join(state, foreign), file);
      const made = readFileSync(file);
      const mixed = ask(node);
      const replaced = existsSync(file) && !readFileSync(file).equals(made);
      look(
        "hook",
        `one that ${versionOf(other)} made is not believed, and replaced`,
        mixed.stdout.includes('"deny"') && replaced,
        mixed.all,
      );
    }
  }

  const explained = run([bin, "explain", "git log | head && rm -rf ~"]);
  look("judge", "`assent explain` denies a line that ends in `rm -rf ~`", /\bden(?:y|ied)/i.test(explained.all), explained.all);
  const code = 'const m = await import("assent"); console.log(typeof m.createGuard);';
  writeFileSync(join(scratch, "loads.mjs"), code);
  const loaded = run([join(scratch, "loads.mjs")]);
  look("library", '`import("assent")` gives `createGuard`', loaded.stdout.trim() === "function", loaded.all);
  const doctor = JSON.parse(run([bin, "doctor", "--json"]).stdout || "{}");
  look(
    "doctor",
    "`assent doctor` says that commands can be supervised",
    doctor.supervision?.ok === true,
    JSON.stringify(doctor.supervision),
  );

  writeFileSync(join(project, "tidy"), "rm draft; echo new > made; cat ~/.ssh/id_rsa > stolen 2>/dev/null; true\n");
  const ran = run([bin, "run", "-P", "--", "sh", "./tidy"]);
  const there = (name) => (existsSync(join(project, name)) ? readFileSync(join(project, name), "utf8").trim() : undefined);
  look(
    "run",
    "`assent run` lets the project be changed",
    ran.status === 0 && there("draft") === undefined && there("made") === "new",
    ran.all,
  );
  look("run", "`assent run` lets no secret be read", there("stolen") === "", there("stolen"));
  const undone = run([bin, "undo", "--yes"]);
  look("undo", "`assent undo` brings it back", undone.status === 0 && there("draft") === "kept" && there("made") === undefined, undone.all);
  return checks;
}
