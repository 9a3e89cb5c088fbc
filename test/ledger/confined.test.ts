import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decide } from "@assent/guard/engine";
import { type Decision, isConfined, unconfined } from "@assent/core/policy";
import { noteLiveRun, sessionName } from "@assent/guard/state";
import { engine } from "../scratch.ts";
import { place, type PolicyText } from "./place.ts";

/** `"unknown": "confine"`: what goes ahead supervised, what is still asked, and how often a person is interrupted. */

/** Above what a kernel gives out (proc(5), pid_max). */
const GONE = 4_194_305;

type Told = Decision | "confined";

/** Of a port that nobody holds nobody is asked (`needs-at-hand.test.ts`): where lines look for the holder of one, it has one. */
const holder = createServer();
beforeAll(async () => {
  await once(holder.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  holder.close();
});
const withHolder = (command: string): string =>
  command.replace(/(lsof -ti:)3000\b/, (_, before: string) => `${before}${(holder.address() as AddressInfo).port}`);

const here = place({
  "x.sh": "#!/bin/sh\n",
  "server.js": "",
  "requirements.txt": "",
  "build/out.js": "",
  ".env": "KEY=1",
  "conf/.env": "KEY=1",
  "vendor/.git/hooks/pre-commit": "",
  "~/other/a.txt": "",
});

const HOST = { shell: "any", decides: true, asks: true, bypassed: false, planning: false } as const;

function told(command: string, policy: PolicyText, confines = true, session?: string): Told {
  here.user(policy);
  const facts = { does: "shell", field: "command" } as const;
  const request = {
    tool: "Bash",
    facts,
    input: { command: withHolder(command) },
    cwd: here.project,
    host: { ...HOST, confines },
    point: "test",
    agent: "claude",
    ...(session === undefined ? {} : { session }),
  };
  const { verdict } = decide(request, { machine: here.machine, ...engine, audit: false });
  return isConfined(verdict) ? "confined" : verdict.decision;
}

const CONFINE = { unknown: "confine" };

describe("what is confined, and what is not", () => {
  const ROWS: Readonly<Record<string, readonly (readonly [command: string, told: Told])[]>> = {
    "what only looks needs no wall": [
      ["ls -la", "allow"],
      ["git status", "allow"],
      ["grep -rn TODO src", "allow"],
    ],
    "what is written below a drive of Windows fails where none is there": [
      ["go build -o /c/Users/x/AppData/Local/Temp/claude/a.exe .", "confined"],
      ["cd src && GOOS=linux go build -o '/c/Users/x/AppData/Local/Temp/o' . && echo BUILT", "confined"],
      ["S=/c/Users/x/AppData/Local/Temp/s; echo a > $S/a.json; ./x.sh --config $S/a.json", "confined"],
      ["cat > /mnt/c/Users/x/AppData/Local/Temp/a.md << 'EOF'\nx\nEOF", "confined"],
      ["npm test | tee -a /cygdrive/d/logs/out.txt", "confined"],
      ["cp a.txt /d/backup/a.txt", "confined"],
      ["python3 a.py >> /e/a.log 2>&1", "confined"],
      ["mkdir -p /c/Users/x/s && echo a > /c/Users/x/s/a", "ask"],
      ["mkdir -p /c/x; go build -o /c/x/a .", "ask"],
      ["rm -rf /c/Users/x/AppData/Local/Temp/s", "deny"],
      ["mv a.txt /c/Users/x/a.txt", "confined"],
      [
        "S='/c/Users/x/s' && cat > \"$S/a.zsh\" << 'EOF'\nls\nEOF\nsed -i 's/\\r$//' \"$S/a.zsh\" && wsl -- zsh /mnt/c/Users/x/s/a.zsh",
        "confined",
      ],
      ["perl -pi -e 's/a/b/' /mnt/d/x/a.txt", "confined"],
      ["chmod +x /mnt/d/x/a.sh && ./x.sh", "confined"],
      ["mv /c/Users/x/a /c/Users/x/b", "confined"],
      ["ln -s a.txt /cygdrive/c/Users/x/l", "confined"],
      ["rm -f /c/Users/x/a", "confined"],
      ["mv /c/Users/x/a ~/b", "ask"],
      ["sed -i s/a/b/ /mnt/data/x", "ask"],
      ["sed -i s/a/b/ /c/Users/x/.env", "deny"],
      ["echo a > /c", "ask"],
      ["echo a > /c/", "ask"],
      ["echo a > /c/../etc/x", "deny"],
      ["echo a > /c/../opt/x", "deny"],
      ["S=/c/..; echo a > $S/opt/x", "deny"],
      ["echo a > /mnt/data/x", "ask"],
      ["echo a > /opt/x", "deny"],
      ["echo a > /data/x", "ask"],
      ["cp .env /c/Users/x/e", "deny"],
      ["echo a > /c/Users/x/a; git push", "ask"],
      ["ln -s ~ /c && echo a > /c/.zshrc", "deny"],
    ],
    "no opinion: the project's code, inline code, programs that nobody knows": [
      ["npm test", "confined"],
      ["./x.sh", "confined"],
      ["node server.js &", "confined"],
      ["some-unknown-tool --flag", "confined"],
      ["source .venv/bin/activate && pytest -q | tail", "confined"],
    ],
    "what nobody can analyse": [
      ["$TOOL build", "confined"],
      ['eval "$(./x.sh)"', "confined"],
      ["cat $FILE", "confined"],
      ["rm $FILE", "confined"],
    ],
    "changes of the project's files and of temporary ones": [
      ["echo hi > out.txt", "confined"],
      ["sed -i s/a/b/ src/a.ts", "confined"],
      ["mkdir -p a/b && mv src/a.ts a/b", "confined"],
      ["rm -rf build", "confined"],
      ["chmod +x x.sh", "confined"],
    ],
    "databases that are files": [
      ['sqlite3 app.db "insert into t values (1)"', "confined"],
      ["sqlite3 app.db 'drop table t'", "confined"],
      ["sqlite3 ~/other/app.db 'drop table t'", "ask"],
      // Where it may not be made, sqlite says that there is none, and there is none.
      ["sqlite3 ~/other/none.db .tables", "confined"],
      ["sqlite3 -header ~/other/none.db 'select 1; pragma table_info(t)' 2>&1 | head", "confined"],
      ["echo 'select 1' | sqlite3 ~/other/none.db", "confined"],
      ["sqlite3 ~/other/none.db 'create table t (a)'", "ask"],
      ["sqlite3 ~/other/none.db '.output ../x' 'select 1'", "ask"],
      ["sqlite3 ~/other/none.db \"attach '../none.db' as o; create table o.t (a)\"", "ask"],
      ["sqlite3 ~/.ssh/none .tables", "deny"],
      ["sqlite3 app.db '.shell id'", "confined"],
      ["sqlite3 app.db \"attach '../other.db' as o; insert into o.t values (1)\"", "ask"],
      ["psql -c 'drop table t'", "ask"],
    ],
    "a tool that empties its own cache, which a run leaves open to it": [
      ["go clean -modcache -x 2>&1 | head -5", "confined"],
      ["go clean -cache -testcache && go test ./...", "confined"],
      ["npm cache clean --force && npm ci", "confined"],
      ["pip cache purge", "confined"],
      ["pnpm store prune; uv cache clean; cargo clean", "confined"],
      ["rm -rf ~/.cache/pip", "ask"],
      ["rm -rf ~/go/pkg/mod", "deny"],
      ["go clean -modcache -i", "ask"],
      ["go clean -modcache ./...", "ask"],
      ["trash-empty", "deny"],
      ["npm cache clean --force --cache ~/other", "ask"],
      ["GOMODCACHE=~/other go clean -modcache", "ask"],
      ["GOPATH=~/other go clean -modcache", "ask"],
      ["npm uninstall -g left-pad", "ask"],
      ["rustup toolchain uninstall nightly", "ask"],
    ],
    "a program by its path, where nothing lies": [
      ["which docker 2>/dev/null || docker ps || ~/.docker/bin/docker ps || echo none", "confined"],
      ["which docker || /nowhere/bin/docker ps || ~/.docker/bin/docker ps || echo none", "confined"],
      ["~/nowhere/docker compose ps; ls", "confined"],
      ["/nowhere/bin/kubectl get pods", "confined"],
      ["/opt/nowhere/tmux ls && npm test", "confined"],
      ["~/other/a.txt ps", "confined"],
      ["./docker build .", "ask"],
      ["~/nowhere/docker rm -f web", "ask"],
      ["~/nowhere/git push", "ask"],
      ["cp docker ~/nowhere/docker; ~/nowhere/docker ps", "ask"],
      ["~/nowhere/cat .env", "deny"],
    ],
    "what git is to do outside its working tree it refuses": [
      ["git checkout -- ../website/a.json", "confined"],
      ["sed -i s/a/b/ a.txt; npm test; git checkout -- a.txt ../b.txt 2>/dev/null", "confined"],
      ["cd src && git restore ../../b.txt ../a.txt", "confined"],
      ["git checkout HEAD~1 -- /srv/b.txt", "confined"],
      ["git stash push -- ../b.txt", "confined"],
      ["git rm -f ../b.txt", "confined"],
      ["git mv src/a.ts ../a.ts", "confined"],
      ["git --work-tree=.. checkout -- ../b.txt", "ask"],
      ["GIT_WORK_TREE=.. git checkout -- ../b.txt", "ask"],
      ["git -c core.worktree=.. checkout -- ../b.txt", "ask"],
      ["cd .. && git checkout -- ../b.txt", "ask"],
      ["git -C ~/other checkout -- a.txt", "ask"],
      ["git worktree add ../b", "ask"],
      ["git archive -o ../b.tar HEAD", "ask"],
      ["git diff --output=../b.diff", "ask"],
      ["git checkout -- ../a.txt && cp a.txt ../b.txt", "ask"],
      ["git checkout -- ../.bashrc", "deny"],
    ],
    "a public forge is read with the user's login, as its own client does": [
      ["git ls-remote --heads git@github.com:acme/lib.git 2>&1 | head -3", "allow"],
      ["git ls-remote ssh://git@gitlab.com/acme/lib", "allow"],
      ["git ls-remote --exit-code git@bitbucket.org:acme/lib.git refs/heads/main", "allow"],
      ["git ls-remote https://github.com/acme/lib", "confined"],
      ["git ls-remote git@git.example:acme/lib.git", "ask"],
      ["git ls-remote git@github.com.evil.example:acme/lib.git", "ask"],
      ["git ls-remote ssh://git@github.com:2222/acme/lib", "ask"],
      ["git ls-remote -- -oProxyCommand=x@github.com:a", "ask"],
      ["git clone git@github.com:acme/lib.git", "ask"],
      ["git fetch git@github.com:acme/lib.git", "ask"],
      ["git push git@github.com:acme/lib.git main", "ask"],
    ],
    "a trap at the end is sprung where the shell is, not where a subshell went": [
      ["cleanup() { git worktree prune; }; trap cleanup EXIT; git diff | (cd src && git apply -); (cd ~/other; ls)", "confined"],
      ["trap 'git status' EXIT; (cd ~/other; ls)", "allow"],
      ["trap 'rm -rf out' EXIT; x=$(cd ~/other && ls); echo $x", "confined"],
      ["trap 'git status' 0; (cd ~/other; (cd /srv; ls)); echo a", "allow"],
      ["trap 'git status' EXIT; cd ~/other; ls", "ask"],
      ["trap 'git status' EXIT; { cd ~/other; ls; }", "ask"],
      ["(trap 'git status' EXIT; cd ~/other; ls)", "ask"],
      ["trap 'git status' EXIT; (cd /srv; ls); cd ~/other", "ask"],
      ["trap 'git status' EXIT; ls | cd ~/other", "ask"],
      ["trap 'git status' DEBUG; (cd ~/other; ls)", "ask"],
    ],
    "ordinary local git": [
      ["git add -A && git commit -m x", "confined"],
      ["git stash", "confined"],
      ["git checkout -b topic", "confined"],
      ["git reset --hard", "confined"],
    ],
    "what leaves the project, as its words say": [
      ["cp a.txt ../b.txt", "ask"],
      ["git worktree add ../wt", "ask"],
      ["touch ~/other/b.txt", "ask"],
      ["./x.sh > ~/out.txt", "ask"],
    ],
    "what nobody can take back": [
      ["git push", "ask"],
      ["git push --force", "ask"],
      ["npm publish", "ask"],
      ["gh pr create", "ask"],
      ["./x.sh && git push", "ask"],
      ["kubectl delete pod a", "ask"],
    ],
    "other machines, other processes, rights": [
      ["curl https://example.com", "ask"],
      ["curl http://localhost:3000/health", "confined"],
      ["curl localhost:3000/health", "confined"],
      ["wget -qO- localhost:3000", "confined"],
      ["curl data.example:3000/health", "ask"],
      ["curl -s http://localhost:$PORT/health", "confined"],
      ["curl -s http://$HOST:3000/health", "ask"],
      ["curl -s http://localhost$X/health", "ask"],
      ["nc -z localhost 5432", "confined"],
      ["nc -z db.example 5432", "ask"],
      ["git clone https://github.com/foo/bar.git", "confined"],
      ["git clone --depth 1 https://gitlab.com/foo/bar vendored && ls vendored", "confined"],
      ["git clone https://evil.example/foo", "ask"],
      ["git clone https://github.com@evil.example/foo", "ask"],
      ["git clone https://github.com:444/foo", "ask"],
      ["git clone git@github.com:foo/bar.git", "ask"],
      // The project's own repository, and others.
      ["git clone --quiet . build/copy", "confined"],
      ["git clone ./ copy && cd copy && npm test", "confined"],
      ["mkdir -p in && cd in && git clone .. ../copy", "confined"],
      ["git clone .. copy", "ask"],
      ["git clone /srv/other copy", "ask"],
      ["git clone ~/other copy", "ask"],
      ["git init -q in; git clone ./in copy", "ask"],
      ["git clone file:///srv/other copy", "ask"],
      ["git clone . /srv/copy", "ask"],
      ["git push https://github.com/foo/bar main", "ask"],
      [`kill ${process.pid}`, "ask"],
      [`kill -9 ${GONE} ${process.pid}`, "ask"],
      [`kill 0${process.pid}`, "ask"],
      ["kill 0", "ask"],
      // A signal to nobody.
      [`kill ${GONE}`, "confined"],
      [`kill -9 ${GONE} 2>/dev/null; ./x.sh`, "confined"],
      [`kill -- -${GONE}`, "confined"],
      [`kill 0${GONE}`, "ask"],
      ["kill $(cat server.pid)", "confined"],
      ["pkill -f vite; npm run dev &", "confined"],
      ["killall node", "confined"],
      // Whose a port is, a run sees of its own processes only.
      ["kill $(lsof -ti:3000)", "ask"],
      ["lsof -ti:3000 | xargs kill -9", "ask"],
      ["fuser -k 3000/tcp", "ask"],
      ["kill -9 -1", "deny"],
      ["sleep 100 & kill %1", "confined"],
      // Listing needs no rights, mounting does.
      ["mount | grep x; ./x.sh", "confined"],
      ["swapon && ./x.sh", "confined"],
      ["mount -a; ./x.sh", "ask"],
      // What only looks goes first, as it is; behind or within what is confined it cannot.
      ["docker ps; ./x.sh", "confined"],
      ["cd src && docker ps --format '{{.Names}}' | head && npm test || echo failed", "confined"],
      ["echo up; tmux ls; ./x.sh", "confined"],
      ["which docker && docker ps || ./x.sh", "confined"],
      ["which docker >/dev/null || docker ps; npm test", "confined"],
      ["which $(./y.sh) || docker ps || ./x.sh", "ask"],
      // A format may have the server start something.
      ["tmux list-windows -F '#(touch x)'", "ask"],
      ["tmux list-windows -F '#(touch x)'; ./x.sh", "ask"],
      ["./x.sh; docker ps", "ask"],
      ["docker ps; ./x.sh; docker ps", "ask"],
      ["docker ps | ./x.sh", "ask"],
      ["docker ps $(./x.sh); ./x.sh", "ask"],
      ["PATH=.:$PATH; docker ps; ./x.sh", "ask"],
      ["docker() { ./x.sh; }; docker ps; ./x.sh", "confined"],
      ["docker compose up -d && npm test", "ask"],
      ["docker ps > a.txt; ./x.sh", "ask"],
      ["docker ps; git push", "ask"],
      ["docker ps; cat .env", "deny"],
      ["wsl -e sh -c 'cd ~/app && go test ./...'", "confined"],
      ["wsl.exe -e sh -c 'cd ~/app && go test ./...'", "ask"],
      ["wsl -u root -e ./x.sh", "ask"],
      // No Linux has a program of that name: what stands behind it would work in another home than this one.
      ["wsl -e sh -c 'cp /mnt/d/a ~/other/x && cd ~/other && go test ./...'", "confined"],
      ["wsl -d Ubuntu -e sh -c 'mkdir -p ~/spike && touch ~/spike/a'", "confined"],
      ["wsl bash -c 'echo a > ~/out.txt; sed -i s/a/b/ ~/other/a.txt' 2>&1 | tail -3", "confined"],
      ["MSYS_NO_PATHCONV=1 wsl -- zsh -i -c 'eval \"$(./x.sh init zsh)\"; echo ${widgets[a]-MISSING}; repaint'", "confined"],
      ["wsl -e script -qec 'zsh -fic \"f(){ coproc cat; disown %+ }; f\"' /dev/null 2>&1 | head -5; echo ===", "confined"],
      ["wsl -- nosuchtool --frob", "confined"],
      ["wsl.exe -e sh -c 'cp /mnt/d/a ~/other/x'", "ask"],
      ["wsl.exe -e script -qec 'zsh -fic \"f(){ coproc cat }; f\"' /dev/null", "ask"],
      ["wsl -e sh -c true > ~/out.txt", "ask"],
      ["wsl -e cat <(echo a > ~/out.txt)", "ask"],
      ["wsl -e ls | tee ~/out.txt", "ask"],
      ["wsl -e ls; cp a.txt ~/other/x", "ask"],
      ["wsl() { cp a.txt ~/other/x; }; wsl", "ask"],
      ["wsl -e sh -c 'git push'", "ask"],
      ["wsl --import x ./x ./x.tar", "ask"],
      ["wsl --unregister Ubuntu", "ask"],
      ["wsl --manage Ubuntu --move x", "ask"],
      ["wsl -e sh -c 'rm -rf ~/other'", "deny"],
      ["wsl -e sh -c 'echo a >> ~/.bashrc'", "deny"],
      ["wsl -e sh -c 'cat .env'", "deny"],
      ["sudo make install", "ask"],
      ["python3 -m http.server", "confined"],
    ],
    "what would be refused halfway through": [
      ["rm -rf vendor", "confined"],
      ["rm -rf conf", "ask"],
      ["rm -rf .git", "ask"],
      ["rm -rf .", "deny"],
    ],
    "what is denied stays denied, whatever stands beside it": [
      ["cat .env", "deny"],
      ["./x.sh; cat .env", "deny"],
      ["./x.sh; rm -rf ~", "deny"],
      ["npm test && echo x >> ~/.bashrc", "deny"],
    ],
    "what decides about agents": [
      ["./x.sh > .mcp.json", "ask"],
      ["echo '{}' > .claude/settings.json", "ask"],
      ["claude mcp add x ./x.sh", "ask"],
      ["assent confine on", "deny"],
      ["assent confine on --log", "deny"],
    ],
  };
  for (const [section, rows] of Object.entries(ROWS))
    it.each(rows)(`${section}: %s: %s`, (command, expected) => {
      expect(told(command, CONFINE)).toBe(expected);
    });

  it("never without somebody who can start it so", () => {
    for (const rows of Object.values(ROWS))
      for (const [command, expected] of rows) {
        const bare = told(command, {}, false);
        expect([command, told(command, CONFINE, false)]).toEqual([command, bare]);
        expect(bare).not.toBe("confined");
        if (expected === "allow" || expected === "deny") expect([command, bare]).toEqual([command, expected]);
      }
  });
});

describe("the policy's words", () => {
  const RULES: readonly (readonly [what: string, policy: PolicyText, command: string, told: Told])[] = [
    ["a written ask stays an ask", { ...CONFINE, permissions: { ask: ["Bash(npm test:*)"] } }, "npm test", "ask"],
    ["a written deny stays a deny", { ...CONFINE, permissions: { deny: ["Bash(npm test:*)"] } }, "npm test", "deny"],
    [
      "an allow for the project's code lifts the question, not the wall",
      { ...CONFINE, permissions: { allow: ["Bash(npm test:*)"] } },
      "npm test",
      "confined",
    ],
    ["unless it says so", { ...CONFINE, permissions: { allow: [{ rule: "Bash(npm test:*)", confined: false }] } }, "npm test", "allow"],
    ["and for what a project's own file says", { ...CONFINE, permissions: { allow: ["Bash(./x.sh)"] } }, "./x.sh", "confined"],
    ["an allow for what is no code is an allow", { ...CONFINE, permissions: { allow: ["Bash(gh pr create:*)"] } }, "gh pr create", "allow"],
    [
      "a deny that may apply is held against what really starts",
      { ...CONFINE, permissions: { deny: ["Bash(git push:*)"] } },
      "$TOOL x",
      "confined",
    ],
    ["and against what is really read", { ...CONFINE, permissions: { deny: ["Read(private/**)"] } }, "cat $FILE", "confined"],
    ["but a part of the shell starts nothing", { ...CONFINE, permissions: { deny: ["Bash(echo:*)"] } }, "$TOOL x", "ask"],
    ["nor does a rule about every command say which", { ...CONFINE, permissions: { ask: ["Bash(* x)"] } }, "$TOOL x", "ask"],
    ["without confining an allow is one", { permissions: { allow: ["Bash(npm test:*)"] } }, "npm test", "allow"],
    ["`ask` asks", { unknown: "ask" }, "npm test", "none"],
    ["`deny` refuses", { unknown: "deny" }, "npm test", "deny"],
    ["`confine-log` only logs", { unknown: "confine-log" }, "npm test", "none"],
    ["not where everything is asked", { ...CONFINE, preset: "strict" }, "npm test", "ask"],
    ["not where nothing may change", { ...CONFINE, preset: "readonly" }, "npm test", "deny"],
    ["full-auto confines what nobody speaks about", { mode: "full-auto" }, "npm test", "confined"],
    ["but opens no host", { mode: "full-auto" }, "curl https://example.com", "ask"],
    ["and no place outside", { mode: "full-auto" }, "touch ~/other/b.txt", "ask"],
    ["but no push", { mode: "full-auto" }, "git push", "ask"],
    ["and nothing under `deny`", { mode: "full-auto", unknown: "deny" }, "npm test", "deny"],
    ["a broken file confines nothing", '{ "unknown": "confine", ', "npm test", "ask"],
  ];
  it.each(RULES)("%s", (_, policy, command, expected) => {
    expect(told(command, policy)).toBe(expected);
  });

  it("a project's own file does not switch it on", () => {
    here.own({ unknown: "confine" }, true);
    expect(told("npm test", {})).toBe("none");
    here.own({ unknown: "ask" }, true);
    expect(told("npm test", CONFINE)).toBe("none");
    here.own({});
  });

  it("keeps what it would be where nothing confines", () => {
    here.user(CONFINE);
    const request = { tool: "Bash", facts: { does: "shell", field: "command" }, input: { command: "$X y" }, cwd: here.project } as const;
    const { verdict } = decide(
      { ...request, host: { ...HOST, confines: true }, point: "test", agent: "claude" },
      { machine: here.machine, ...engine, audit: false },
    );
    expect(verdict).toMatchObject({ decision: "allow", basis: "mode", builtin: "confined" });
    expect(unconfined(verdict)).toMatchObject({ decision: "ask", basis: "protection", builtin: "unknown" });
  });
});

describe("while a confined command is running", () => {
  const READING = ["cat a.txt", "grep -rn TODO src", "wc -l < a.txt", "diff a.txt b.txt"];
  const LOOKING = ["ls -la", "pwd", "echo hi", "date"];

  it("what reads the project reads it confined: a link could be put in the place of what was judged", () => {
    const [before] = READING.map((command) => told(command, CONFINE));
    expect(before).toBe("allow");
    const over = noteLiveRun(here.machine, "20260102-030405-abcdef");
    expect(READING.map((command) => told(command, CONFINE))).toEqual(READING.map(() => "confined"));
    expect(LOOKING.map((command) => told(command, CONFINE))).toEqual(LOOKING.map(() => "allow"));
    // Where nothing is confined nothing changes.
    expect(READING.map((command) => told(command, {}))).toEqual(READING.map(() => "allow"));
    over();
    expect(READING.map((command) => told(command, CONFINE))).toEqual(READING.map(() => "allow"));
  });

  it("but not for ever after one whose supervisor was killed", () => {
    const folder = join(here.home, ".local/state/assent/live");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // There is no such process, or it is another one that has the number now.
    for (const name of ["4194000-1-20260102-030405-abcdef", `${process.pid}-1-20260102-030405-abcdef`, "other"])
      writeFileSync(join(folder, name), "");
    expect(told("cat a.txt", CONFINE)).toBe("allow");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a process by its number", () => {
  const kill = (target: number, session?: string): Told => told(`kill ${target}`, CONFINE, true, session);

  it("is confined where a confined command of the same session has started it", () => {
    const started = spawn("sleep", ["60"]);
    const { pid = 0 } = started;
    const over = noteLiveRun(here.machine, "20260102-030405-abcdef", sessionName("claude", "s1"));
    try {
      expect([kill(pid, "s1"), kill(pid, "s2"), kill(pid), kill(process.pid, "s1"), kill(process.ppid, "s1")]).toEqual([
        "confined",
        "ask",
        "ask",
        "ask",
        "ask",
      ]);
    } finally {
      over();
      const after = kill(pid, "s1");
      started.kill();
      expect(after).toBe("ask");
    }
  });
});

/** What agents type all day. Lines with a verdict get exactly that one. */
describe("interruptions", () => {
  const lines = ["everyday.txt", "everyday-agents.txt"].flatMap((file) =>
    readFileSync(join("test/cases", file), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
  const command = (line: string): string =>
    line
      .replace(/^(?:allow|ask|deny|none): /, "")
      .replaceAll("⏎", "\n")
      .replaceAll("⇥", "\t");
  const harmless = lines.filter((line) => !/^(?:ask|deny): /.test(line));
  const interrupted = (policy: PolicyText): readonly string[] =>
    harmless.filter((line) => !["allow", "confined"].includes(told(command(line), policy)));

  it("at most 8 in a hundred with `confine`, and 5 with `full-auto`", { timeout: 120_000 }, () => {
    expect(harmless.length).toBeGreaterThan(1900);
    const confine = interrupted(CONFINE);
    expect(confine.length / harmless.length, confine.join("\n")).toBeLessThan(0.08);
    const auto = interrupted({ mode: "full-auto" });
    expect(auto.length / harmless.length, auto.join("\n")).toBeLessThan(0.05);
  });

  it("what must go on being asked is", () => {
    const agents = lines.slice(lines.indexOf("source .venv/bin/activate && pytest"));
    const marked = agents.filter((line) => /^(?:ask|deny): /.test(line));
    expect(marked.length).toBeGreaterThan(15);
    for (const line of marked) expect(`${told(command(line), CONFINE)}: ${command(line)}`).toBe(line.replaceAll("⏎", "\n"));
  });
});
