import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { here, type Here } from "../../cli/run-place.ts";
import { DIST } from "../../scratch.ts";

/** Something under the name of an object that is not that object: git reads it in the place of what was there before the run. */

const COMMIT = "git -c user.name=a -c user.email=a@b commit -q";

/** A pack whose index gives its one blob the name of `HEAD:a.txt`. */
const FALSE_PACK = `import hashlib, os, struct, subprocess
def git(*args, stdin=b''): return subprocess.run(['git', *args], input=stdin, capture_output=True, check=True).stdout.decode().strip()
name = bytes.fromhex(git('rev-parse', 'HEAD:a.txt'))
pack = git('pack-objects', 'x', stdin=git('hash-object', '-w', '--stdin', stdin=b'EVIL\\n').encode() + b'\\n')
old = open(f'x-{pack}.idx', 'rb').read()
new = old[:8] + b''.join(struct.pack('>I', 1 if i >= name[0] else 0) for i in range(256)) + name + old[8 + 1024 + 20:-20]
open(f'.git/objects/pack/pack-{pack}.idx', 'wb').write(new + hashlib.sha1(new).digest())
os.rename(f'x-{pack}.pack', f'.git/objects/pack/pack-{pack}.pack'); os.remove(f'x-{pack}.idx')
`;

const sh = (place: Here, line: string): string =>
  spawnSync("bash", ["-c", line], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" },
    encoding: "utf8",
  }).stdout;

function undone(script: string, since = "true"): Here {
  const place = here();
  rmSync(join(place.project, ".git"), { recursive: true });
  sh(place, `git init -q -b main . && echo hello > a.txt && git add a.txt && ${COMMIT} -m 0 && echo 2 > b && git add b && ${COMMIT} -m 1`);
  place.write("s.py", FALSE_PACK);
  place.run(["-P", "--quiet", "--", "bash", "-c", script]);
  sh(place, since);
  sh(place, `'${process.execPath}' '${join(DIST, "bin.cjs")}' undo --yes`);
  return place;
}

const FILES = "find .git/objects -type f";

describe("undo leaves nothing behind that git would take for an object", () => {
  it.each(["true", `echo since > c; git add c; ${COMMIT} -m 2`])("a pack with a false index; then a person: %s", (since) => {
    const place = undone("python3 s.py; git show HEAD:a.txt > seen", since);
    expect(sh(place, "git show HEAD:a.txt")).toBe("hello\n");
    expect(sh(place, `${FILES} -name '*.idx'`)).toBe("");
    expect(sh(place, "git fsck --strict 2>&1 | grep -v dangling")).toBe("");
  });

  it("objects under another name", () => {
    const write = `import os, zlib; os.makedirs(".git/objects/11"); open(".git/objects/11/" + "1" * 38, "wb").write(zlib.compress(b"blob 5\\0EVIL\\n"))`;
    expect(sh(undone(`python3 -c '${write}'`), `${FILES} -path '*/11/*'`)).toBe("");
  });

  it("what git makes of objects, and makes again", () => {
    const place = undone(
      "git commit-graph write --reachable; git repack -adq --write-bitmap-index; git multi-pack-index write; ls .git/objects/pack",
    );
    expect(sh(place, `${FILES} -name '*graph*' -o -name '*.bitmap' -o -name 'multi-pack-index*'`)).toBe("");
    expect(sh(place, "git fsck --strict 2>&1 | grep -v dangling; git log --format=%s")).toBe("1\n0\n");
  });

  it("but leaves objects that are what they are called", () => {
    const place = undone("echo x > x; git add x; git repack -adq; git gc -q");
    expect(sh(place, `${FILES} -name '*.idx'`)).not.toBe("");
    expect(sh(place, "echo x | git hash-object --stdin | xargs git cat-file -t")).toBe("blob\n");
  });
});
