import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

describe.concurrent("a credential is its program's own, for its own use", () => {
  it.each<readonly [program: string]>([
    [
      "curl -s file:///srv/home/.netrc; curl -s -K ~/.netrc; curl -s -d @/srv/home/.netrc http://127.0.0.1:1; curl -s -o .x file://localhost/srv/home/.netrc",
    ],
    ["git config -f ~/.git-credentials --list; git diff --no-index /dev/null ~/.git-credentials; git hash-object -w ~/.git-credentials"],
    [
      "LD_PRELOAD=/srv/proj/x.so curl -s file:///srv/home/.netrc; cp /usr/bin/curl .; ./curl -s file:///srv/home/.netrc; ln -s /bin/cat curl2; (exec -a curl cat ~/.netrc)",
    ],
    ["scp -q ~/.ssh/id_rsa ./stolen; cat stolen"],
  ])("%s", async (program) => {
    const { out } = await attack({
      before:
        "echo machine x login y password TOKEN > ~/.netrc; echo https://u:TOKEN@example.com > ~/.git-credentials; rm -rf .git; git init -q .",
      program: `${program}; echo done`,
      after:
        "cat .x 2>/dev/null; for f in .git/objects/??/*; do zcat -f $f | strings; python3 -c 'import sys,zlib; print(zlib.decompress(open(sys.argv[1],\"rb\").read()))' $f; done 2>/dev/null",
    });
    expect(out).toMatch(/^done$/m);
    expect(out).not.toMatch(/TOKEN|SECRETKEY/);
  });

  it("which it may read", async () => {
    const { events } = await attack({
      before: "echo machine x login y password TOKEN > ~/.netrc",
      program: "curl -s -n http://127.0.0.1:1; curl -s --netrc-file ~/.netrc http://127.0.0.1:1; cat ~/.netrc",
    });
    const reads = events.filter(({ text }) => text.startsWith("open(/srv/home/.netrc"));
    expect(reads.map(({ outcome }) => outcome)).toEqual(["done", "done", "refused"]);
  });
});
