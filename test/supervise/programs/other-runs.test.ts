import { afterAll, describe, expect, it } from "vitest";
import { Suite, type User, USERS } from "./place.ts";

/** Servers of one run, and who of another may reach them without a question. */
const suite = new Suite();
afterAll(() => suite.remove());

const SERVER = `
const [, , file, host, outside] = process.argv;
const server = require("http").createServer((_, answer) => answer.end("hello"));
if (outside) require("fs").writeFileSync(outside, "x");
server.listen(0, host || undefined, () => {
  require("fs").writeFileSync(file + ".new", String(server.address().port));
  require("fs").renameSync(file + ".new", file);
});
setInterval(() => require("fs").existsSync("stop") && process.exit(), 50);
setTimeout(() => process.exit(), 60000);
`;
const CLIENT = `
const port = require("fs").readFileSync(process.argv[2], "utf8");
require("http").get({ host: process.argv[3] || "127.0.0.1", port }, (answer) => answer.pipe(process.stdout).on("error", () => 0))
  .on("error", (error) => process.stdout.write(error.code))
  .on("close", () => console.log());
`;

interface Case {
  readonly name: string;
  /** bash: \`serve OPTIONS -- FILE [HOST]\` starts a server in a run and waits until it listens, \`get FILE\` asks it from another. */
  readonly script: string;
  readonly stdout: string;
}

const CASES: readonly Case[] = [
  { name: "a run that may do no more", script: "serve -- a 127.0.0.1; get a", stdout: "hello\n" },
  { name: "one that listens at every address", script: "serve -- a; get a; get a ::1", stdout: "hello\nhello\n" },
  { name: "what a run left behind", script: "run -- sh -c 'node s.js a 127.0.0.1 & exit 0'; wait_for a; get a", stdout: "hello\n" },
  { name: "a program outside any run", script: "node s.js a 127.0.0.1 & pids+=($!); wait_for a; get a", stdout: "EACCES\n" },
  { name: "a run that nothing can be taken back of", script: "serve --no-undo -- a 127.0.0.1; get a", stdout: "EACCES\n" },
  { name: "a run that refuses nothing", script: "serve --log-only -o log -- a 127.0.0.1; get a", stdout: "EACCES\n" },
  {
    name: "a run in another folder",
    script: "mkdir d; cp s.js d; cd d; serve -- a 127.0.0.1; cd ..; cp d/a .; get a",
    stdout: "EACCES\n",
  },
  {
    name: "a run with another policy file",
    script: "echo '{}' > p.jsonc; serve --policy p.jsonc -- a 127.0.0.1; get a",
    stdout: "EACCES\n",
  },
  {
    name: "a policy that was changed since",
    script: `serve -- a 127.0.0.1; echo '{"permissions":{"deny":["Write(**/never)"]}}' > ~/.agent-permissions.jsonc; get a`,
    stdout: "EACCES\n",
  },
  {
    name: "a policy that closes it",
    script: `echo '{"permissions":{"deny":["Net(localhost)"]}}' > ~/.agent-permissions.jsonc; serve -- a 127.0.0.1; get a`,
    stdout: "EACCES\n",
  },
  {
    name: "a policy that asks about it",
    script: `echo '{"permissions":{"ask":["Net(localhost)"]}}' > ~/.agent-permissions.jsonc; serve -- a 127.0.0.1; get a`,
    stdout: "EACCES\n",
  },
  {
    name: "a run to which a person has said yes",
    script:
      "mkdir -m 700 q; assent run --background-dir q -- node s.js a 127.0.0.1 $OUTSIDE > /dev/null 2>&1 & pids+=($!); " +
      "assent run --background-wait q > /dev/null; assent run --background-respond q 1 approve > /dev/null 2>&1 & pids+=($!); wait_for a; get a; cat $OUTSIDE",
    stdout: "EACCES\nx",
  },
  {
    name: "another program at the port of a run that has ended",
    script:
      "serve -- a 127.0.0.1; get a; touch stop; wait ${pids[-1]}; rm stop; sed 's/listen(0/listen(+process.env.AT/' s.js > t.js; " +
      "AT=$(cat a) node t.js b 127.0.0.1 & pids+=($!); wait_for b; get b",
    stdout: "hello\nEACCES\n",
  },
  {
    name: "what a run notes is closed to it",
    script:
      "serve -- a 127.0.0.1; for f in $XDG_STATE_HOME/assent/runs/*/listens.json; do run -- sh -c \"echo '{}' > $f\" 2> /dev/null || echo refused; done; get a",
    stdout: "refused\nhello\n",
  },
];

describe.each(USERS.slice(-1))("servers of other runs, as %s", { concurrent: true }, (user: User) => {
  for (const { name, script, stdout } of CASES)
    it(name, async () => {
      const place = suite.place();
      place.fresh(user, { "s.js": SERVER, "c.js": CLIENT });
      const [node = "", command = ""] = place.supervised([]);
      const defined = `
node() { ${node} "$@"; }
assent() { node ${command} "$@"; }
run() { assent run -q -P "$@"; }
wait_for() { for _ in $(seq 300); do [ -s "$1" ] && return; sleep 0.1; done; }
serve() {
  local options=(); while [ "$1" != -- ]; do options+=("$1"); shift; done
  run "\${options[@]}" -- ${node} s.js "\${@:2}" > /dev/null 2>&1 & pids+=($!)
  wait_for "$2"
}
get() { run -- ${node} c.js "$@" 2> /dev/null; }
# A server that outlives its shell would hold the test's output open.
pids=(); trap 'touch stop d/stop 2> /dev/null; kill "\${pids[@]}" 2> /dev/null' EXIT
PATH=${node.slice(0, node.lastIndexOf("/"))}:$PATH
OUTSIDE=${place.folder}/outside
cat > /dev/null
`;
      const ran = await place.run({ user, argv: ["bash", "-c", `${defined}${script}`], seconds: 100 });
      expect(ran.stdout, ran.stderr).toBe(stdout);
    });
});
