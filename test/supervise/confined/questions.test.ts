import { describe, expect, it } from "vitest";
import { confined, type ConfinedCase } from "./world.ts";

/** Questions of confined commands, answered elsewhere while the call is held. */
interface HeldCase extends Omit<ConfinedCase, "before"> {
  readonly name: string;
  /** Arguments of `assent approvals answer ID …`, one for each question in turn; none: nobody answers. */
  readonly answers: readonly string[];
  /** Shell before; somebody is there after it, unless `nobody`. */
  readonly first?: string;
  readonly nobody?: true;
  readonly status?: string;
  readonly stdout?: string;
  readonly said?: readonly RegExp[];
  readonly looks?: string;
}

const ASSENT = '"$NODE" /srv/assent/dist/bin.cjs';
const SERVER = `python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 7799)); open("/srv/told/up", "w").close()
while True:
  c, _ = s.accept(); c.send(b"hello\\n"); c.close()' & until [ -e /srv/told/up ]; do sleep 0.02; done`;
const TOOL = `printf '%s\\n' '#!/usr/bin/env python3' 'import socket' 'print("begins", flush=True)' 's = socket.create_connection(("127.0.0.1", 7799))' 'print(s.recv(9).decode(), end="")' > tool; chmod +x tool`;
const WRITES = `printf 'echo one > "$HOME/out.txt"; cat "$HOME/out.txt"' > writes.sh`;

/** A terminal on which the questions are shown, and somebody who answers the first that is asked, then the next. */
function there(answers: readonly string[]): string {
  const lines = answers.map(
    (answer, at) => `
  id=; while [ -z "$id" ]; do id=$(${ASSENT} approvals list --json | grep -o '"id":"[a-z0-9]*"' | head -1 | cut -d'"' -f4); done
  ${ASSENT} approvals list --json > /srv/told/question${at}
  ${ASSENT} approvals answer "$id" ${answer} > /srv/told/answered${at} 2>&1`,
  );
  return `
export TERM=xterm
sleep 100 | script -qfc '${ASSENT} approvals' /dev/null > /srv/told/terminal 2>&1 &
until ls /srv/state/assent/questions/approvers/terminal-* > /dev/null 2>&1; do sleep 0.02; done
( : ${lines.join("\n")}
) > /dev/null 2>&1 &`;
}

const LOG = `${ASSENT} log --json | grep -o '"answered":"[^"]*"\\|"answeredBy":"[^"]*"\\|"note":"[^"]*"' | sort -u`;

const CASES: readonly HeldCase[] = [
  {
    name: "nobody is there: refused at once, as ever",
    first: `${SERVER}; ${TOOL}`,
    command: "./tool 2>&1 | tail -1",
    answers: [],
    nobody: true,
    stdout: "PermissionError: [Errno 13] Permission denied\n",
    said: [/^refused: connect to "localhost:7799"/],
  },
  {
    name: "yes lets the call go on, as if it had never been held",
    first: `${SERVER}; ${TOOL}`,
    command: "./tool",
    answers: ["yes"],
    stdout: "begins\nhello\n",
    after: LOG,
    looks: '"answered":"allow (once)"\n"answeredBy":"terminal"\n',
  },
  {
    name: "no, with a word for the model",
    first: `${SERVER}; ${TOOL}`,
    command: "./tool 2> /dev/null",
    answers: ["no --note 'use the copy in vendor'"],
    status: "1",
    stdout: "begins\n",
    said: [
      /^refused: connect to "localhost:7799": the user was asked and said no, and says: use the copy in vendor\. Way out: go on without it$/,
    ],
    after: LOG,
    looks: '"answered":"deny (once)"\n"answeredBy":"terminal"\n"note":"use the copy in vendor"\n',
  },
  {
    name: "for the session: other commands of it are not asked about again",
    first: `${SERVER}; ${TOOL}`,
    command: "./tool",
    answers: ["yes --session"],
    stdout: "begins\nhello\n",
    after: 'another s1 /srv/proj ./tool; another s2 /srv/proj "timeout 2 ./tool 2> /dev/null"',
    looks: "begins\nhello\nbegins\n",
  },
  {
    name: "for a time: commands of every session",
    first: `${SERVER}; ${TOOL}`,
    command: "./tool",
    answers: ["yes --for 10m"],
    stdout: "begins\nhello\n",
    after: `another s2 /srv/proj ./tool; ${ASSENT} grants list | grep -c 'for the agent\\|10 min\\|Net(localhost:7799)'`,
    looks: "begins\nhello\n1\n",
  },
  {
    name: "always: a rule of the profile of confined commands",
    first: WRITES,
    command: "bash writes.sh",
    answers: ["yes --always"],
    stdout: "one\n",
    after: "rm ~/out.txt; another s2 /srv/proj 'bash writes.sh'",
    looks: "one\n",
  },
  {
    name: "a burst of alike questions is one",
    first: "mkdir ~/many; printf 'for i in 1 2 3 4 5 6; do (echo $i > ~/many/$i) & done; wait; ls ~/many | wc -l' > many.sh",
    command: "bash many.sh",
    answers: ["yes --session"],
    stdout: "6\n",
  },
];

describe("a call of a confined command is held", () => {
  it.concurrent.each(CASES)("$name", async ({ first = "", answers, nobody, status = "0", stdout = "", said = [], looks, ...what }) => {
    const found = await confined({ ...what, before: nobody === true ? first : `${first}\n${there(answers)}` });
    const { stdout: out, after, said: told, stderr } = found;
    expect({ stdout: out, status: found.status, ...(looks === undefined ? {} : { after }) }, stderr + told.join("\n")).toEqual({
      stdout,
      status,
      ...(looks === undefined ? {} : { after: looks }),
    });
    expect(told).toHaveLength(said.length);
    said.forEach((line, at) => expect(told[at]).toMatch(line));
  });
});

describe("what is asked about is out of reach of whom it is asked about", () => {
  const forged = `printf '{"v":1,"is":"answered","by":"page","at":1,"seen":1,"answer":{"answer":"allow","scope":"once"}}'`;
  it("neither read nor answered from inside", async () => {
    const { stdout, status, stderr, said } = await confined({
      before: `${SERVER}; ${TOOL}; ${there([])}
mkdir -p /srv/told/x; cat > attack.sh <<'END'
./tool > tool.out 2>&1 &
sleep 1
ls /srv/state/assent/questions 2>&1 | sed 's/.*: //'
cat /srv/state/assent/questions/* 2>&1 | sed 's/.*: //' | sort -u
for id in 00000000 $(ls /srv/state/assent/questions 2> /dev/null | sed -n 's/\\.question//p'); do
  (${forged} > /srv/state/assent/questions/$id.end) 2>&1 | sed 's/.*: //'
  ${forged} > forged; ln forged /srv/state/assent/questions/$id.end 2>&1 | sed 's/.*: //'
done
(cd /srv/state/assent/questions && ls) 2>&1 | sed 's/.*: //'
${ASSENT} approvals list > /dev/null 2>&1; echo list $?
${ASSENT} approvals answer 00000000 yes > /dev/null 2>&1; echo answer $?
kill %1
cat tool.out
END
export NODE`,
      command: "bash attack.sh",
    });
    const denied = "Permission denied\n";
    // Reading, listing, writing, linking, working in it; the floor keeps its commands from starting.
    const expected = `${denied}No such file or directory\n${denied}${denied}${denied}list 126\nanswer 126\nbegins\n`;
    expect(stdout, stderr + said.join("\n")).toBe(expected);
    expect(status).toBe("0");
  });
});
