import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hasTurn, Suite, type User, USERS } from "../programs/place.ts";

/** What a program inside a run is told: of another `assent run`, of processes that are not its own, of programs known by name only later. */
const suite = new Suite();
afterAll(() => suite.remove());

interface Case {
  readonly name: string;
  /** bash; `$RUN` is `assent run`, with the policy of the run around it in `$POLICY`. */
  readonly inside: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly stderr?: RegExp;
}

const CASES: readonly Case[] = [
  { name: "a script that runs another with nobody to ask", inside: "$RUN -P echo hi; echo $?", stdout: "hi\n0\n" },
  {
    name: "its status is the program's",
    inside: "$RUN -P sh -c 'exit 7'; echo $?; $RUN -q sh -c 'kill -9 $$'; echo $?",
    stdout: "7\n137\n",
  },
  {
    name: "a sandboxed command ends as its shell does, by a signal too",
    inside: "$RUN --confined 0123456789abcdef -- 'kill -TERM $$'; echo $?; $RUN --confined 0123456789abcdef -- 'exit 7'; echo $?",
    stdout: "143\n7\n",
  },
  { name: "by the words of a shell", inside: 'sh -c "$RUN -q -P echo a; env $RUN -q echo b"', stdout: "a\nb\n" },
  { name: "its input and output", inside: "echo in | $RUN -q -P cat | tr a-z A-Z", stdout: "IN\n" },
  { name: "three deep", inside: "$RUN -q -P $RUN -q -P $RUN -q -P echo deep", stdout: "deep\n" },
  { name: "the same policy file", inside: '$RUN -q -P --policy "$POLICY" echo same', stdout: "same\n" },
  {
    name: "another policy file",
    inside: "echo '{}' > p; $RUN --policy p echo no; echo $?",
    stdout: "125\n",
    stderr: /does not do `--policy`/,
  },
  { name: "another profile", inside: "$RUN --profile p echo no; echo $?", stdout: "125\n", stderr: /does not do `--profile p`/ },
  {
    name: "what the outer run does not write",
    inside: "$RUN --log-only echo no; echo $?",
    stdout: "125\n",
    stderr: /leave the option out/,
  },
  { name: "it is under the outer policy", inside: "$RUN -q -P sh -c 'echo x > ../outside' 2>/dev/null; echo $?", stdout: "2\n" },
  { name: "a program that is not there", inside: "$RUN -P nosuch; echo $?", stdout: "127\n" },
  {
    name: "what loosens is refused all the same",
    inside: '"${RUN% run*}" trust . 2>/dev/null || ${RUN% run*} bypass on; echo $?',
    stdout: "126\n",
  },
  // deny Exec(**/shred), Shell(git push)
  { name: "words that are known only to the shell", inside: `env sh -c '$X "$Y"; "$X" c'`, env: { X: "echo", Y: "b" }, stdout: "b\nc\n" },
  {
    name: "words that come down a pipe",
    inside: "echo 'a b' | env xargs -n1 echo; echo a | env sh -c 'xargs $X'",
    env: { X: "echo" },
    stdout: "a\nb\na\n",
  },
  { name: "a shell that is named by a variable", inside: "env bash -c '$SHELL -c \"echo s\"'", env: { SHELL: "/bin/sh" }, stdout: "s\n" },
  { name: "an array", inside: `env bash -c 'a=($X); "\${a[@]}" 1; eval "$Y"'`, env: { X: "echo", Y: "echo e" }, stdout: "1\ne\n" },
  {
    name: "a denied one behind a variable",
    inside: "echo k > k; env sh -c 'shr$X k' 2>/dev/null; echo $?; cat k",
    env: { X: "ed" },
    stdout: "126\nk\n",
  },
  {
    name: "a denied one down a pipe",
    inside: "echo k > k; echo k | xargs sh -c 'xargs $0 k' $X 2>/dev/null; cat k",
    env: { X: "shred" },
    stdout: "k\n",
  },
  { name: "a denied command in pieces", inside: "env sh -c 'git p$X' 2>/dev/null; echo $?", env: { X: "ush" }, stdout: "126\n" },
  {
    name: "a process that is not there, and one that is another's",
    inside:
      "for p in 4194303 1; do prlimit --pid $p; renice -n 5 -p $p; taskset -p 1 $p; done 2>&1 | grep -o 'No such process\\|not permitted'",
    stdout: "No such process\nNo such process\nNo such process\nnot permitted\nnot permitted\nnot permitted\n",
  },
];

describe.each(USERS)("inside a run, as %s", { concurrent: true }, (user: User) => {
  for (const { name, inside, env, stdout, stderr } of CASES.filter((_, row) => hasTurn(user, row)))
    it(name, async () => {
      const place = suite.place();
      place.fresh(user);
      const argv = place.supervised(["bash", "-c", inside], ["-P", "-q"]);
      const policy = argv[argv.indexOf("--policy") + 1] ?? "";
      const allow = [place.cwd, place.home].flatMap((folder) => ["Read", "List", "Write", "Delete"].map((kind) => `${kind}(${folder}/**)`));
      writeFileSync(policy, JSON.stringify({ version: 1, permissions: { allow, deny: ["Exec(**/shred)", "Shell(git push)"] } }));
      const ran = await place.run({ user, argv, env: { RUN: argv.slice(0, 3).join(" "), POLICY: policy, ...env }, seconds: 60 });
      expect(ran.stdout, ran.stderr).toBe(stdout);
      if (stderr !== undefined) expect(ran.stderr).toMatch(stderr);
    });

  it("a run inside that asks nobody, in one that asks", async () => {
    const place = suite.place();
    place.fresh(user);
    const questions = join(place.folder, "home/questions");
    const argv = place.supervised(
      ["bash", "-c", `$RUN -q -P sh -c 'echo x > ${place.folder}/outside'; echo $?`],
      ["-q", "--background-dir", questions],
    );
    const ran = await place.run({
      user,
      argv: ["sh", "-c", 'mkdir -m 700 "$0" && exec "$@"', questions, ...argv],
      env: { RUN: argv.slice(0, 3).join(" ") },
      seconds: 60,
    });
    expect(ran, ran.stderr).toMatchObject({ status: 0, stdout: "2\n" });
  });
});
