import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

const without = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0;

const SEEN = `ls ~/.gnupg | grep ^S; ls -i ~/.gnupg/S.gpg-agent; pgrep -x gpg-agent; gpg-connect-agent 'GETINFO pid' /bye`;

/** A key whose passphrase the agent holds, and a repository that has its commits and tags signed. */
const BEFORE = `
mkdir -m 700 ~/.gnupg
gpg --batch --quiet --pinentry-mode loopback --passphrase secret --quick-gen-key 'A <a@example.org>' rsa2048 sign never
git init -q . && git config user.name A && git config user.email a@example.org && git config user.signingkey a@example.org
echo x | gpg --batch --quiet --pinentry-mode loopback --passphrase secret --sign > /dev/null
git commit -q --allow-empty -m first
seen() { ${SEEN}; echo y | gpg --batch --sign > /dev/null && echo signs; }
seen > /srv/out/before`;
const AFTER = "seen > /srv/out/after; cmp /srv/out/before /srv/out/after && echo SAME; cat /srv/out/after";

const SIGNING = [
  "git commit -q --allow-empty -S -m x",
  "git -c commit.gpgsign=true commit -q --allow-empty -m x",
  "git tag -s t -m x",
  "git -c tag.gpgsign=true tag t",
  "git commit-tree -S HEAD^{tree} -m x",
  "git rebase -q --gpg-sign --force-rebase HEAD~0",
  "echo x | gpg --sign",
  "gpg-agent --daemon",
  "gpgconf --kill gpg-agent",
  "gpgconf --launch gpg-agent",
  "rm -f ~/.gnupg/S.*",
  "mv ~/.gnupg ~/.gnupg2",
  "kill $(cat /srv/out/pid)",
];

describe.skipIf(without("gpg") || without("gpg-connect-agent"))("the agent that holds the person's keys", () => {
  it("lives, holds them and is where it was after twenty signatures that were refused", async () => {
    const { out } = await attack({
      before: BEFORE,
      program: `for i in $(seq 20); do git -c commit.gpgsign=true commit -q --allow-empty -m x && echo SIGNED; done 2> /dev/null; echo done`,
      after: `pgrep -x gpg-agent; ${AFTER}`,
    });
    expect(out).toContain("done\nstatus 0");
    expect(out).not.toContain("SIGNED");
    expect(out).toMatch(/SAME\n[^]*signs/);
  });

  it("is asked for nothing by a command that would sign where nobody is there: it is not started, and says why", async () => {
    const start = (line: string): string => `"$NODE" /srv/assent/dist/bin.cjs run -P --quiet -- ${line}; echo "ended $?"`;
    const { out } = await attack({
      before: `${BEFORE}; git config --global commit.gpgsign true`,
      program: "true",
      after: [
        start("git commit --allow-empty -qm a"),
        start("git -c commit.gpgsign=false commit --allow-empty -qm b"),
        start("git tag t"),
        `printf '{"permissions":{"allow":["Write(~/.gnupg/S.gpg-agent)"]}}' > ~/.agent-permissions.jsonc`,
        start("git commit --allow-empty -qm c"),
        "git log --format='%s %G?'",
        AFTER,
      ].join("\n"),
    });
    expect(out).toMatch(/git may not be started: git asks the agent that holds your keys \(commit\.gpgsign is set\).*; start it without/);
    expect(out).toMatch(/ended 125\nended 0\nended 0\nended 0\nc G\nb N\nfirst N\nSAME/);
  });

  it("and after whatever else ends it, or signs", async () => {
    const { out } = await attack({
      before: `${BEFORE}; pgrep -x gpg-agent > /srv/out/pid`,
      program: SIGNING.map((line) => `{ ${line}; } > /dev/null 2>&1`).join("\n"),
      after: AFTER,
    });
    expect(out).toMatch(/SAME\n[^]*signs/);
  });

  it("is ssh-agent as well, after twenty signatures that were refused, in a folder that is the run's own to write", async () => {
    const lines = [
      "for i in $(seq 20); do git commit -q --allow-empty -S -m x && echo DID; done; false",
      "git commit -q --allow-empty -S -m x",
      "git tag -s t -m x",
      "ssh-add -D",
      "rm -rf $(dirname $SSH_AUTH_SOCK)",
      "mv $(dirname $SSH_AUTH_SOCK) /srv/tmp/moved",
      "mv $SSH_AUTH_SOCK /srv/tmp/moved",
      "chmod 0 $SSH_AUTH_SOCK",
      "ssh-agent -k",
    ];
    const { out } = await attack({
      before: `
mkdir -p ~/.ssh; ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id; eval "$(ssh-agent)" > /dev/null; ssh-add -q ~/.ssh/id; rm ~/.ssh/id
git init -q . && git config user.name A && git config user.email a@example.org
git config gpg.format ssh && git config user.signingkey ~/.ssh/id.pub
seen() { ls -i $SSH_AUTH_SOCK; ssh-add -l; echo y | ssh-keygen -q -Y sign -n x -f ~/.ssh/id.pub > /dev/null && echo signs; }
seen > /srv/out/before`,
      program: lines.map((line) => `{ ${line} && echo "DID ${line}"; } 2> /dev/null`).join("\n"),
      after: AFTER,
    });
    expect(out).not.toContain("DID");
    expect(out).toMatch(/SAME\n[^]*signs/);
  });

  it("and where it is in another network namespace, as a container's host is", async () => {
    const { out } = await attack({
      before: `cat > /srv/tmp/s.py <<'X'
import socket
k = socket.socket(socket.AF_UNIX); k.bind("/srv/proj/agent"); k.listen(); open("/srv/tmp/up", "w").close()
while True: k.accept()
X
unshare -n python3 /srv/tmp/s.py & for i in $(seq 100); do [ -e /srv/tmp/up ] || sleep 0.1; done
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/srv/proj/stale")'`,
      program: "rm -f agent; mv agent other; rm stale && echo FREE",
      after: "ls /srv/proj",
    });
    expect(out).toContain("FREE");
    expect(out).toMatch(/^agent$/m);
    expect(out).not.toMatch(/^(?:other|stale)$/m);
  });
});
