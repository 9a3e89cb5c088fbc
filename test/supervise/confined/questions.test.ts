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
  /** Seconds that an answer takes. */
  readonly wait?: number;
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
function there(answers: readonly string[], wait = 0): string {
  const lines = answers.map(
    (answer, at) => `
  id=; while [ -z "$id" ]; do id=$(${ASSENT} approvals list --json | grep -o '"id":"[a-z0-9]*"' | head -1 | cut -d'"' -f4); done
  ${ASSENT} approvals list --json > /srv/told/question${at}
  sleep ${wait}; ${ASSENT} approvals answer "$id" ${answer} > /srv/told/answered${at} 2>&1`,
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
  it.concurrent.each(CASES)("$name", heldAndAnswered);
});

async function heldAndAnswered(row: HeldCase): Promise<void> {
  const { first = "", answers, nobody, wait = 0, status = "0", stdout = "", said = [], looks, ...what } = row;
  const found = await confined({ ...what, before: nobody === true ? first : `${first}\n${there(answers, wait)}` });
  const { stdout: out, after, said: told, stderr } = found;
  expect({ stdout: out, status: found.status, ...(looks === undefined ? {} : { after }) }, stderr + told.join("\n")).toEqual({
    stdout,
    status,
    ...(looks === undefined ? {} : { after: looks }),
  });
  expect(told).toHaveLength(said.length);
  said.forEach((line, at) => expect(told[at]).toMatch(line));
}

/** A name server, and a host behind another network device that it has the address of. What is looked up is in /srv/told/names. */
const HOST = `ip link add v0 type veth peer name v1
unshare -n sleep 100 & other=$!
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
ip link set v1 netns $other; ip addr add 203.0.113.1/24 dev v0; ip link set v0 up
nsenter -t $other -n sh -c 'ip addr add 203.0.113.5/24 dev v1; ip link set v1 up; ip link set lo up'
cat > /srv/told/host.py <<'END'
import socket
s = socket.create_server(("203.0.113.5", 7799)); open("/srv/told/up", "w").close()
while True:
  c, _ = s.accept(); c.send(b"hello\\n"); c.close()
END
nsenter -t $other -n python3 /srv/told/host.py & until [ -e /srv/told/up ]; do sleep 0.02; done
printf 'nameserver 127.0.0.9\n' > /srv/told/resolv; mount --bind /srv/told/resolv /etc/resolv.conf
: > /srv/told/names
cat > /srv/told/dns.py <<'END'
import socket, struct, threading
def answer(q):
  at, labels = 12, []
  while q[at]: labels.append(q[at + 1:at + 1 + q[at]].decode()); at += 1 + q[at]
  name, end = ".".join(labels), at + 5
  kind = struct.unpack(">H", q[at + 1:at + 3])[0]
  open("/srv/told/names", "a").write(name + "\\n")
  known = name == "web.test"
  rr = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4" + bytes([203, 0, 113, 5]) if known and kind == 1 else b""
  return q[:2] + (b"\\x81\\x80" if known else b"\\x81\\x83") + b"\\0\\1" + struct.pack(">H", 1 if rr else 0) + b"\\0\\0\\0\\0" + q[12:end] + rr
def stream(c):
  while True:
    head = c.recv(2)
    if len(head) < 2: return
    a = answer(c.recv(struct.unpack(">H", head)[0])); c.send(struct.pack(">H", len(a)) + a)
def streams():
  t = socket.create_server(("127.0.0.9", 53))
  while True: threading.Thread(target=stream, args=(t.accept()[0],), daemon=True).start()
threading.Thread(target=streams, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.9", 53)); open("/srv/told/dns", "w").close()
while True:
  q, a = s.recvfrom(512); s.sendto(answer(q), a)
END
python3 /srv/told/dns.py & until [ -e /srv/told/dns ]; do sleep 0.02; done`;
const NAMED = TOOL.replace("127.0.0.1", "web.test").replace(
  'print("begins", flush=True)',
  'import sys; print("begins", flush=True); sys.tracebacklimit = 0',
);
const NAMES = "sort -u /srv/told/names";

const NAMED_CASES: readonly HeldCase[] = [
  {
    name: "nobody is there: the name is not looked up",
    first: `${HOST}\n${NAMED}`,
    command: "./tool 2> /dev/null",
    answers: [],
    nobody: true,
    status: "1",
    stdout: "begins\n",
    said: [/^refused: look up "web.test"/],
    after: NAMES,
    looks: "",
  },
  {
    name: "yes, after longer than resolvers wait for a datagram: looked up and connected, by one question",
    first: `${HOST}\n${NAMED}`,
    command: "./tool",
    answers: ["yes"],
    wait: 7,
    stdout: "begins\nhello\n",
    after: `${NAMES}; ls /srv/told | grep -c ^question`,
    looks: "web.test\n1\n",
  },
  {
    name: "no: it is not looked up, and not asked about again",
    first: `${HOST}\n${NAMED}`,
    command: "./tool 2> /dev/null; ./tool 2> /dev/null",
    answers: ["no", "yes"],
    status: "1",
    stdout: "begins\nbegins\n",
    said: [/^refused: look up "web.test": the user was asked and said no\. Way out: go on without it$/],
    after: `${NAMES}; ls /srv/told | grep -c ^answered`,
    looks: "1\n",
  },
  {
    name: "for the session: a rule for the host, for other commands of it",
    first: `${HOST}\n${NAMED}`,
    command: "./tool",
    answers: ["yes --session"],
    stdout: "begins\nhello\n",
    after: "another s1 /srv/proj ./tool",
    looks: "begins\nhello\n",
  },
];

describe("a name that is looked up is held as well", () => {
  it.each(NAMED_CASES)("$name", heldAndAnswered);
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
