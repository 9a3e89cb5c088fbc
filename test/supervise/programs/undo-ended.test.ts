import { afterAll, describe, expect, it } from "vitest";
import { Suite, type User, USERS } from "./place.ts";

/** An undo that is killed in the middle, or runs twice at once: the next one brings back the rest, and nothing is lost. */
const suite = new Suite();
afterAll(() => suite.remove());

const BEFORE = `
mkdir a b c; for i in $(seq 150); do echo "o$i" > a/f$i; echo "m$i" > b/f$i; echo "r$i" > c/f$i; done
ln a/f1 a/hard; ln -s f2 a/soft; mkdir -p d/e/f; echo x > d/e/f/g; chmod 750 d`;
const RUN = `
rm -r a; for i in $(seq 150); do echo new >> b/f$i; mv c/f$i c/g$i; done; mv c k; rm -r d; mkdir n
for i in $(seq 100); do echo $i > n/$i; done; for i in $(seq 1 2 149); do mv k/g$i k/f$((i+1)); done`;

interface Case {
  readonly name: string;
  /** bash, behind the run: `killed N` is an undo that is killed once it has noted N steps, `undo` a whole one. */
  readonly script: string;
  /** What is not as before in the end. */
  readonly differs?: string;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  ...[1, 60, 300, 450].map((steps) => ({
    name: `killed after ${steps} steps`,
    script: `killed ${steps}; undo`,
    says: /ended before it was done: it goes on where it stopped/,
  })),
  { name: "killed twice", script: "killed 40; killed 200; undo", says: /it goes on where it stopped/ },
  {
    name: "killed, and a file that it had brought back written to since",
    script: "killed 450; echo mine > b/f3; undo",
    differs: "b/f3: mine\n",
    says: /failed: b\/f3 was changed since the undo was ended/,
  },
  { name: "two at once", script: "undo & undo & wait; undo", says: /every run is undone already|nothing was undone/ },
];

describe.each(USERS.slice(-1))("an undo that is ended, as %s", { concurrent: true }, (user: User) => {
  for (const { name, script, differs = "", says } of CASES)
    it(name, async () => {
      const place = suite.place();
      place.fresh(user);
      const [node = "", command = ""] = place.supervised([]);
      const text = `
undo() { ${node} ${command} undo --yes >> ../said 2>&1; }
killed() {
  ls $XDG_STATE_HOME/assent/runs > ../known
  ${node} ${command} undo --yes >> ../said 2>&1 & local pid=$! new=
  while kill -0 $pid 2>/dev/null; do
    # Nothing is started while it is watched: some hundred steps take a few hundredths of a second.
    [ -n "$new" ] || { new=$(ls $XDG_STATE_HOME/assent/runs | grep -vxFf ../known); continue; }
    mapfile -t steps < $XDG_STATE_HOME/assent/runs/$new/journal.jsonl
    [ \${#steps[@]} -ge $1 ] && kill -9 $pid && break
  done
  wait $pid
}
look() { find . -printf '%p %y %m %n %s %l\\n' | sed 's/\\(d [0-7]* \\)[0-9]* [0-9]*/\\1/' | sort; find . -type f | sort | xargs stat -c '%n %y'; find . -type f | sort | xargs sha1sum; }
${BEFORE}
look > ../before
${place.supervised(["bash", "-c", `'${RUN}'`], ["-q", "-P"]).join(" ")}
{ ${script}; } 2> /dev/null
look > ../after
diff ../before ../after | sed -n 's/^> [0-9a-f]\\{40\\}  \\.\\///p' | while read f; do echo "$f: $(cat $f)"; done
[ -n "${differs}" ] || diff ../before ../after
cat ../said >&2`;
      const ran = await place.run({ user, argv: ["bash", "-c", text], seconds: 100 });
      expect(ran.stdout, ran.stderr).toBe(differs);
      expect(ran.stderr).toMatch(says);
    });
});
