import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { consentId } from "@assent/guard/engine";
import { addConsent, listConsents, removeConsent } from "@assent/guard/policy-edit";
import { readPolicy } from "@assent/core/policy/read";
import { noteRefs, stateFolder } from "@assent/guard/state";
import { everyConsent, PORT, testRepository } from "./repository.ts";

describe("what was said yes to once goes ahead, and nothing is sent that was not said", () => {
  const at = testRepository(true);
  beforeEach(() => void everyConsent(at));
  it.each([
    "git push origin topic",
    "git push -u origin topic",
    "git push --set-upstream origin HEAD",
    "git push -q origin topic 2>&1 | tail -5",
    `cd ${at.project} && git push origin topic`,
    `git -C ${at.project} push origin topic`,
    "git status && git push origin topic",
  ])("%s", (command) => {
    const { verdict } = at.judge(command);
    expect([verdict.decision, verdict.basis, verdict.confined, verdict.reason]).toEqual([
      "allow",
      "grant",
      undefined,
      "you said yes once: push branches of acme/shop to github.com",
    ]);
    // Real git is who says where it goes.
    expect([...at.push(command).keys()]).toEqual(["refs/heads/topic"]);
  });

  it.each([
    ["git add -A && git commit -q -m done && git push origin topic", "a.txt"],
    ["git add b.txt; git commit -qm 'add b' 2>&1 | tail -1; git push -u origin topic 2>&1 | tail -3", "b.txt"],
    ["git add src && git commit -q -m \"$(cat <<'EOF'\nfix: a\n\nhow $x\nEOF\n)\" && git status && git push origin HEAD", "src/b.ts"],
    ["git commit -q -am 'change it' && git push origin topic", "README.md"],
  ])("what the line itself commits is sent with it: %s", (command, file) => {
    at.write(file, `${command.length}\n`);
    expect(at.judge(command).verdict).toMatchObject({ decision: "allow", basis: "grant" });
    expect(at.judge(command).verdict.confined).toBeUndefined();
    expect(at.push(command).get("refs/heads/topic")).toBe(at.git("rev-parse", "topic").trim());
    expect(at.git("show", `topic:${file}`)).toBe(`${command.length}\n`);
  });

  it.each([
    "gh pr create --draft --title a --body 'b c'",
    "gh pr comment 1 --body \"$(cat <<'EOF'\n## Summary\n- `x` $y\nEOF\n)\"",
    "gh issue comment 3 -R acme/shop -b done",
    "gh api repos/acme/shop/pulls/1/comments -f body=fixed -F in_reply_to=3",
    "gh api repos/acme/shop/issues/comments/9 -X PATCH -f body=fixed",
    "gh pr ready 1",
    "curl -s 'https://api.example.org/b?c=d' | head -3",
    "sleep 1 && curl -sI https://api.example.org/",
    `redis-cli -h 127.0.0.1 -p ${PORT} HSET a b c`,
    `psql -h localhost -p ${PORT} -U dev app -t -c "update a set b = 'it''s; fine' where c = 1; select count(*) from a"`,
    `psql -h localhost -p ${PORT} -d app -c "delete from a where b::int = 1"`,
    "git -C ~/code/lib add -A",
    "cd ~/code/lib && git add -A && git commit -q -m done",
    "cd ~/code/lib && git commit -am \"$(cat <<'EOF'\nfix: a\n\nhow $x\nEOF\n)\" && pwd",
  ])("%s", (command) => expect(at.judge(command).verdict).toMatchObject({ decision: "allow", basis: "grant" }));

  it("is offered as a sentence, and ends when it is taken out", () => {
    at.say([]);
    const { entry, sentence } = at.offered("git push origin topic");
    expect(sentence).toBe(
      "push branches of acme/shop to github.com? Never main, never by force, never deleting. A push can start CI there.",
    );
    if (entry === undefined) return;
    expect(addConsent(at.machine, entry)).toMatchObject({ is: "done" });
    expect(at.judge("git push origin topic").verdict.decision).toBe("allow");
    const [kept] = listConsents(at.machine);
    expect(kept).toMatchObject({ consent: "push-branches", remote: "git@github.com:acme/shop.git" });
    expect(removeConsent(at.machine, consentId(kept ?? entry))).toBe(true);
    expect(at.judge("git push origin topic").verdict.decision).toBe("ask");
  });

  it.each([
    [`redis-cli -p ${PORT} set a b`, `use localhost:${PORT} (redis, ${process.execPath}, process ${process.pid} since `],
    ["git -C ~/code/lib add -A", `read and commit in ${at.home}/code/lib, too? No push from there; its secrets stay closed.`],
  ])("%s is offered as a sentence that says what it is about", (command, sentence) => {
    at.say([]);
    expect(at.offered(command).sentence).toContain(sentence);
  });

  it("comments on merge requests of gitlab.com by glab, and does nothing else there", () => {
    const own = testRepository();
    own.git("remote", "set-url", "origin", "git@gitlab.com:acme/shop.git");
    const [entry] = everyConsent(own, ["glab mr note 1 -m done"]);
    expect(entry).toMatchObject({ consent: "pull-requests", host: "gitlab.com", repository: "acme/shop" });
    expect(own.judge("glab issue note 3 -R acme/shop --message 'done, thanks'").verdict).toMatchObject({
      decision: "allow",
      basis: "grant",
    });
    const asked = [
      "mr merge 1",
      "mr approve 1",
      "mr close 1",
      "mr create -t a -d b",
      "mr create --fill --push",
      "mr update 1 -t a",
      "issue close 1",
      "mr note 1 -m /merge",
      "mr note 1 -m 'ok\n/approve'",
      "mr note 1 -m '@ci-bot deploy'",
      "mr note 1",
      "mr note 1 -R evil/shop -m x",
      "mr note 1 -R https://evil.example/acme/shop -m x",
      "api projects/1/issues -f title=x",
      "ci run",
      "variable set A b",
      "mr note 1 -m x --unique",
    ];
    for (const command of [
      ...asked.map((one) => `glab ${one}`),
      "GITLAB_HOST=evil.example glab mr note 1 -m x",
      "gh pr comment 1 --body x",
    ])
      expect([command, own.judge(command).verdict.decision]).toEqual([command, "ask"]);
    own.write(".git/glab-cli/config.yml", "host: evil.example\n");
    expect(own.judge("glab mr note 1 -m done").verdict.decision).toBe("ask");
  });

  it("holds in its repository alone", () => {
    const other = testRepository();
    other.say(everyConsent(at));
    for (const command of ["git push origin topic", "gh pr ready 1", "curl https://api.example.org/", `redis-cli -p ${PORT} set a b`])
      expect(other.judge(command).verdict.decision).toBe("ask");
  });

  it("answers no written question, no deny, and nothing while a file has a mistake or automation is off", () => {
    const all = everyConsent(at);
    for (const permissions of [{ ask: ["Bash(git push:*)"] }, { deny: ["Bash(git push:*)"] }, { ask: ["Bash"] }]) {
      at.say(all, { permissions });
      expect(at.judge("git push origin topic").verdict.decision).not.toBe("allow");
    }
    at.say(all, { automation: { when: "off" } });
    expect(at.judge("git push origin topic").verdict.decision).toBe("ask");
    at.say(all, { permissons: {} });
    expect(at.judge("git push origin topic").verdict.decision).toBe("ask");
    at.say(all, { preset: "strict" });
    expect(at.judge("git push origin topic").verdict.decision).toBe("ask");
  });
});

describe("what a yes begins from", () => {
  /** A workflow of the agent's own, which `origin/main` is made to lead to. */
  const plant = (at: ReturnType<typeof testRepository>): void => {
    at.commit(".github/workflows/own.yml", "on: push\njobs: {}\n");
    at.git("update-ref", "refs/remotes/origin/main", "HEAD");
  };

  it("is where the remote's branch was before every session that is remembered", () => {
    const at = testRepository();
    noteRefs(at.machine, at.project, "claude-1");
    expect(at.offered("git push origin topic").entry).toMatchObject({
      consent: "push-branches",
      base: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
    });
    plant(at);
    // Without a base everything that is sent is looked at, the workflow, too.
    expect(at.offered("git push origin topic")).toEqual({ why: "it changes what CI or the forge runs" });
  });

  it("is not known where what is remembered cannot be read", () => {
    const at = testRepository();
    noteRefs(at.machine, at.project, "claude-1");
    const folder = join(stateFolder(at.machine), "session-refs");
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o666);
    expect(at.offered("git push origin topic")).toEqual({ why: "it changes what CI or the forge runs" });
  });
});

describe("only a person's own policy holds them", () => {
  const entry = { consent: "fetch", root: "/r", origin: "https://a.example" };
  const problems = (consents: unknown, layer: "user" | "project" | "explicit" | "managed" | "profile" = "user"): readonly string[] => {
    const read = readPolicy(JSON.stringify({ consents }), { file: "p", layer });
    return read.ok ? [] : read.problems.map(({ line, column, key, message }) => `${line}:${column} ${key}: ${message}`);
  };
  it.each([
    [[entry], "project", ["1:2 consents: `consents` belongs in your own policy only"]],
    [[entry], "explicit", ["1:2 consents: `consents` belongs in your own policy only"]],
    [[entry], "managed", ["1:2 consents: `consents` belongs in your own policy only"]],
    [[entry], "profile", ["1:2 consents: `consents` belongs in your own policy only"]],
    [[entry], "user", []],
    [[{ ...entry, consent: "fetsch" }], "user", ['1:25 consents[0].consent: unknown value `"fetsch"` for `consent`']],
    [[{ consent: "fetch", root: "/r" }], "user", ["1:14 consents[0]: `fetch` needs the key `origin`"]],
    [[{ ...entry, remote: "x" }], "user", ["1:74 consents[0].remote: `fetch` has no key `remote`"]],
    [[{ ...entry, root: "r" }], "user", ["1:40 consents[0].root: `root`: is not an absolute path"]],
  ] as const)("%j in a file of the layer %s", (consents, layer, expected) => expect(problems(consents, layer)).toEqual(expected));

  it("a repository's file that has one is no policy at all", () => {
    const at = testRepository();
    const all = everyConsent(at);
    at.say([]);
    writeFileSync(join(at.project, ".agent-permissions.jsonc"), JSON.stringify({ consents: all, permissions: { allow: ["Bash"] } }));
    expect(at.judge("git push origin topic").verdict.decision).toBe("ask");
    expect(readFileSync(join(at.home, ".agent-permissions.jsonc"), "utf8")).toContain('"consents":[]');
  });

  it.each([
    "assent allow --here git push origin topic",
    "assent grants add x",
    `sed -i 's/a/b/' ~/.agent-permissions.jsonc`,
    "echo '{}' > ~/.agent-permissions.jsonc",
  ])("an agent gives itself none: %s", (command) => {
    const at = testRepository();
    everyConsent(at);
    expect(at.judge(command).verdict.decision).toBe("deny");
  });
});
