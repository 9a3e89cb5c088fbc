import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { agentNamed } from "@assent/hosts/agents";
import { decide, offerConsent, type Outcome } from "@assent/guard/engine";
import type { ConsentEntry } from "@assent/core/policy";
import { engine, scratch, type Scratch } from "../../scratch.ts";

/** A repository with a bare one for its remote, reached by ssh as a forge is. */
export interface TestRepository extends Scratch {
  readonly bare: string;
  readonly git: (...words: readonly string[]) => string;
  /** Writes a file and commits it. */
  readonly commit: (path: string, text: string, message?: string) => void;
  readonly judge: (command: string) => Outcome;
  /** What a person would be offered for it. */
  readonly offered: (command: string) => { readonly entry?: ConsentEntry; readonly sentence?: string; readonly why?: string };
  /** Writes the user's policy. */
  readonly say: (consents: readonly ConsentEntry[], more?: object) => void;
  /** Really runs it, ssh leading to the bare repository; the refs that it then has. */
  readonly push: (command: string) => ReadonlyMap<string, string>;
}

const facts = agentNamed("claude")?.protocol.tools["Bash"];

/** `shared`: by the tests around it. */
export function testRepository(shared = false): TestRepository {
  const place = scratch({ keep: shared });
  if (shared) afterAll(() => rmSync(place.root, { recursive: true, force: true }));
  const bare = join(place.root, "remote.git");
  const env = { PATH: "/usr/bin:/bin", HOME: place.home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };
  const run = (program: string, words: readonly string[], more: Record<string, string> = {}): string =>
    execFileSync(program, words, { cwd: place.project, env: { ...env, ...more }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const git = (...words: readonly string[]): string => run("git", words);
  run("git", ["init", "-q", "--bare", bare]);
  git("init", "-q", "-b", "main");
  place.write("~/.gitconfig", "[user]\n\tname = a\n\temail = a@example.org\n");
  const commit = (path: string, text: string, message = `change ${path}`): void => {
    mkdirSync(dirname(join(place.project, path)), { recursive: true });
    writeFileSync(join(place.project, path), text);
    git("add", "-f", path);
    git("commit", "-qm", message);
  };
  commit("README.md", "# shop\n");
  commit(".github/workflows/ci.yml", "on: push\n");
  git("remote", "add", "origin", "git@github.com:acme/shop.git");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
  git("checkout", "-qb", "topic");
  commit("src/a.ts", "export {};\n");
  const judge = (command: string): Outcome =>
    decide(
      {
        tool: "Bash",
        facts,
        input: { command },
        cwd: place.project,
        host: { shell: "any", decides: true, asks: true, bypassed: false, planning: false, confines: true },
        point: "test",
        agent: "claude",
      },
      { machine: place.machine, ...engine, audit: false, memory: "none" },
    );
  const say = (consents: readonly ConsentEntry[], more: object = {}): void =>
    void place.write("~/.agent-permissions.jsonc", JSON.stringify({ unknown: "confine", consents, ...more }));
  const offered = (command: string): ReturnType<TestRepository["offered"]> => {
    const { offer, why } = offerConsent(judge(command), place.machine);
    return { ...offer, ...(why === undefined ? {} : { why }) };
  };
  const ssh = join(place.root, "ssh");
  writeFileSync(ssh, `#!/bin/sh\nfor last; do :; done\ncase $last in *acme/shop*) exec git-receive-pack '${bare}' ;; esac\nexit 1\n`);
  chmodSync(ssh, 0o755);
  const push = (command: string): ReadonlyMap<string, string> => {
    run("sh", ["-c", command], { GIT_SSH_COMMAND: ssh });
    const refs = run("git", ["-C", bare, "for-each-ref", "--format=%(refname) %(objectname)"]);
    return new Map(refs.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ") as [string, string]])));
  };
  return { ...place, bare, git, commit, judge, offered, say, push };
}

const server = createServer().listen(0).unref();
const listening = server.address();
/** A port on which this very process listens. */
export const PORT = String(typeof listening === "object" ? listening?.port : 0);

/** What goes ahead by each of the consents. */
export const MEANT = [
  "git push origin topic",
  "gh pr comment 1 --body hello",
  "curl -s https://api.example.org/a",
  `redis-cli -p ${PORT} set a b`,
  `psql -h localhost -p ${PORT} -c "insert into a values (1)"`,
  "git -C ~/code/lib commit -m done",
] as const;

/** Another repository, in `~/code/NAME`. */
export function otherRepository(at: Pick<TestRepository, "home" | "git">, name = "lib"): string {
  const folder = join(at.home, "code", name);
  mkdirSync(folder, { recursive: true });
  at.git("-C", folder, "init", "-q");
  at.git("-C", folder, "commit", "-q", "--allow-empty", "-m", "first");
  return folder;
}

/** Says yes to everything there is. */
export function everyConsent(at: TestRepository, meant: readonly string[] = MEANT): readonly ConsentEntry[] {
  at.say([]);
  otherRepository(at);
  const all = meant.map((command) => {
    const { entry, why } = at.offered(command);
    if (entry === undefined) throw new Error(`${command}: ${why ?? "nothing is offered"}`);
    return entry;
  });
  at.say(all);
  return all;
}
