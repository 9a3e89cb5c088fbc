import { describe, expect, it } from "vitest";
import { confined } from "./world.ts";

/**
 * A confined git goes through whole, or leaves everything as it was and fails. What it may put into protected files is what the
 * repository held before the session: what an earlier command of the session made counts as little as what it makes itself.
 */
const BEFORE = `git switch -qc feature; echo KEY= > cert.pem; echo '{}' > .mcp.json; echo f > f; git add -f cert.pem .mcp.json f; git commit -qm f
git switch -qc lines; echo MORE= >> cert.pem; echo g > f; git commit -qam lines; git switch -qc servers feature; echo '{"mcpServers":{"x":{"command":"x"}}}' > .mcp.json; echo h > f; git commit -qam s
git switch -q feature; find . -name .git -prune -o -type f -exec touch -d '1 hour ago' {} +; git update-index -q --refresh`;
const LOOK = "cat cert.pem .mcp.json f; git rev-parse --abbrev-ref HEAD; git status -s -uno; git stash list";
const WAS = "KEY=\n{}\nf\nfeature\n";
const FORGE = `o=$(echo FORGED=1 | git hash-object -w --stdin); t=$(git ls-tree HEAD | sed "s/blob [0-9a-f]*\\tcert.pem/blob $o\\tcert.pem/" | git mktree); c=$(git commit-tree -p HEAD -m x $t); git branch evil $c`;

describe.concurrent("whole, or as it was", () => {
  it("what the repository held goes through", async () => {
    const { status, after, said } = await confined({ command: "git switch -q lines", before: BEFORE, after: LOOK });
    expect({ status, after, said }).toEqual({ status: "0", after: "KEY=\nMORE=\n{}\ng\nlines\n", said: [] });
  });

  it("after commits of the session, too", async () => {
    const { status, after } = await confined({
      command: "git switch -q feature && git switch -q lines",
      before: `${BEFORE}; another s1 $PWD "git switch -q lines; echo h > f; git commit -qam h" > /dev/null 2>&1`,
      after: LOOK,
    });
    expect({ status, after }).toEqual({ status: "0", after: "KEY=\nMORE=\n{}\nh\nlines\n" });
  });

  it.each<readonly [what: string, command: string, before: string, ends: "foreseen" | "taken back"]>([
    ["a branch made by the command", `${FORGE}; git switch -q evil`, "", "taken back"],
    ["a branch made by one before it in the session", "git switch -q evil", `another s1 $PWD '${FORGE}' > /dev/null 2>&1`, "taken back"],
    ["a pipe, whose last part ends well", `${FORGE}; git switch -q evil 2>&1 | tail -1`, "", "taken back"],
    ["whatever comes behind it", `${FORGE}; git switch -q evil || true`, "", "taken back"],
    ["servers of agents", "git switch -q servers", "", "foreseen"],
    ["servers of agents, merged", "git merge -q servers", "", "foreseen"],
    ["servers of agents, at the end of a rebase", "git rebase -q servers", "", "foreseen"],
  ])("%s", async (_, command, before, ends) => {
    const { status, after, said } = await confined({ command, before: `${BEFORE}; ${before}`, after: LOOK });
    expect({ status: status === "0", after }).toEqual({ status: false, after: WAS });
    const why =
      ends === "foreseen"
        ? /^refused: run .*changes? (?:a file|files) that decides? what an agent may do/
        : /was ended, and what it had done was taken back/;
    expect(said.join("\n")).toMatch(why);
  });

  it("a branch of an earlier session is one like any other", async () => {
    const { status } = await confined({ command: "git switch -q evil", before: `${BEFORE}; another s0 $PWD '${FORGE}' > /dev/null 2>&1` });
    expect(status).toBe("0");
  });

  it("and is asked about beforehand the next time", async () => {
    const { after } = await confined({
      command: "git switch -q servers",
      before: BEFORE,
      after: "cat /srv/state/assent/confined-failures/*",
    });
    expect(after).toMatch(/"command":"git switch -q servers".*\.mcp\.json/);
  });
});
