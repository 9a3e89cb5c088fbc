import { afterAll, describe, expect, it } from "vitest";
import { hasTurn, Suite, type User, USERS } from "./place.ts";

/** Several runs in one folder, and what `assent undo` takes back of them. */
const suite = new Suite();
afterAll(() => suite.remove());

interface Case {
  readonly name: string;
  /** bash: `run CMD` is a run, `undo [ID]` an undo, `nth N` the id of a run; what they say goes to a file `said`. */
  readonly script: string;
  readonly stdout: string;
}

const CASES: readonly Case[] = [
  {
    name: "runs that changed nothing are passed over, and it is said",
    script:
      "echo O > f; run 'echo N > f'; run true; run 'cat f > /dev/null'; undo; cat f; grep -o 'the 2 runs after it have changed nothing' said",
    stdout: "O\nthe 2 runs after it have changed nothing\n",
  },
  {
    name: "one that only opened a file for writing, or made something and took it away, changed nothing",
    script: "echo O > f; run 'echo N > f'; run ': >> f; echo t > t; rm t; mkdir d; rmdir d'; undo; cat f",
    stdout: "O\n",
  },
  {
    name: "two over one file, newest first",
    script: "echo O > f; run 'echo one > f'; run 'echo two > f'; undo; cat f; undo; cat f; undo; tail -2 said",
    stdout: "one\nO\nassent undo: every run is undone already\n  `assent receipt --list` shows the runs that are kept\n",
  },
  { name: "the second alone", script: "echo O > f; run 'echo one > f'; run 'echo two > f'; undo $(nth 2); cat f", stdout: "one\n" },
  {
    name: "the first alone: what the second changed stays, and it is said which run did",
    script:
      "echo O > f; run 'echo one > f; echo mine > g'; run 'echo two > f'; undo $(nth 1); cat f; ls g; grep -c \"by a later run: undo that one first (assent undo $(nth 2))\" said",
    stdout: "two\n1\n",
  },
  {
    name: "one that was changed by hand since is no later run's",
    script: "echo O > f; run 'echo one > f'; echo hand > f; undo; cat f; grep -c 'later run' said",
    stdout: "hand\n0\n",
  },
  {
    name: "an undo that was undone: the run can be undone again",
    script: "echo O > f; run 'echo one > f'; undo; undo $(nth 2); cat f; undo; cat f",
    stdout: "one\nO\n",
  },
  {
    name: "created, changed, removed by three",
    script: "run 'echo 1 > n'; run 'echo 2 > n'; run 'rm n'; undo; cat n; undo; cat n; undo; ls",
    stdout: "2\n1\nsaid\n",
  },
  { name: "appended by both", script: "echo O > f; run 'echo a >> f'; run 'echo b >> f'; undo; cat f; undo; cat f", stdout: "O\na\nO\n" },
  {
    name: "a file that replaced another, then changed",
    script: "echo a > a; echo b > b; run 'mv a b'; run 'echo c > b'; undo; cat b; undo; cat a b",
    stdout: "a\na\nb\n",
  },
  {
    name: "modes",
    script: "touch f; chmod 640 f; run 'chmod 600 f'; run 'chmod 755 f'; undo; stat -c %a f; undo; stat -c %a f",
    stdout: "600\n640\n",
  },
  {
    name: "a folder that one made and the next filled",
    script: "run 'mkdir -p a/b'; run 'echo x > a/b/c; ln -s c a/b/l'; undo; find a | sort; undo; ls",
    stdout: "a\na/b\nsaid\n",
  },
  {
    name: "a sparse file, and names with every odd byte",
    script:
      "truncate -s 300M s; echo e >> s; printf x > $'a\\nb \\377\\\\'; run 'rm s; rm a*; : > \"-rf\"'; undo; stat -c %s s; du -m s | cut -f1; ls | wc -l",
    stdout: "314572802\n1\n4\n",
  },
  {
    name: "hard links stay links",
    script: "echo O > f; ln f g; run 'echo N > f; rm g'; undo; cat f g; [ f -ef g ] && echo same",
    stdout: "O\nO\nsame\n",
  },
  {
    name: "what was swapped for a link meanwhile is not followed",
    script: "mkdir d; echo O > d/f; run 'echo N > d/f'; mv d e; mkdir ../t; echo T > ../t/f; ln -s ../t d; undo; cat ../t/f e/f",
    stdout: "T\nN\n",
  },
  {
    name: "times to the nanosecond",
    script: "echo O > f; touch -d '2001-02-03 04:05:06.123456789' f; run 'echo N > f'; undo; stat -c %y f",
    stdout: "2001-02-03 04:05:06.123456789 +0000\n",
  },
];

describe.each(USERS)("several runs, as %s", { concurrent: true }, (user: User) => {
  for (const { name, script, stdout } of CASES.filter((_, row) => hasTurn(user, row)))
    it(name, async () => {
      const place = suite.place();
      place.fresh(user);
      const assent = place.supervised([]).slice(0, 2).join(" ");
      const defined = `run() { ${place.supervised([], ["-q", "-P"]).join(" ")} sh -c "$1"; }
undo() { ${assent} undo "$@" --yes >> said 2>&1; }
nth() { ${assent} receipt --list | sed -n "$1p" | cut -d' ' -f1; }
`;
      const ran = await place.run({ user, argv: ["bash", "-c", defined + script], seconds: 100 });
      expect(ran.stdout, ran.stderr).toBe(stdout);
    });
});
