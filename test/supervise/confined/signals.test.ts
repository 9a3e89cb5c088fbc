import { describe, expect, it } from "vitest";
import { confined } from "./world.ts";

/**
 * What one confined command left running, another of the same session may signal: by its number, its name, its group, its port. Nobody
 * else's process is reached, whatever the agent writes: each is refused, and told.
 */
const SERVER = `python3 -m http.server 4321 --bind 127.0.0.1`;
const LEFT = (session: string): string =>
  `another ${session} /srv/proj 'echo $$ > leader.pid; ${SERVER} > log 2>&1 & echo $! > server.pid' 2> /dev/null; until grep -q 10E1 /proc/net/tcp; do sleep 0.05; done`;
const BARE = "setsid bash -c 'echo $$ > server.pid; exec -a victim sleep 300' & until [ -s server.pid ]; do sleep 0.05; done";
const ALIVE = 'sleep 0.3; kill -0 "$(cat server.pid)" 2>/dev/null && echo alive || echo ended';

interface SignalCase {
  readonly name: string;
  readonly before: string;
  readonly command: string;
  readonly after: string;
  readonly said?: RegExp;
}

const CASES: readonly SignalCase[] = [
  { name: "by its number", before: LEFT("s1"), command: "kill $(cat server.pid)", after: "ended" },
  { name: "for good", before: LEFT("s1"), command: "kill -9 $(cat server.pid)", after: "ended" },
  { name: "whether it lives", before: LEFT("s1"), command: "kill -0 $(cat server.pid) && echo yes", after: "alive" },
  { name: "by its name", before: LEFT("s1"), command: "pkill -f http.server", after: "ended" },
  { name: "by the program", before: LEFT("s1"), command: `/bin/kill "$(cat server.pid)"`, after: "ended" },
  { name: "by code", before: LEFT("s1"), command: `python3 -c 'import os; os.kill(int(open("server.pid").read()), 15)'`, after: "ended" },
  {
    name: "by its group",
    before: `another s1 /srv/proj 'setsid ${SERVER} > log 2>&1 & echo $! > server.pid' 2> /dev/null; until grep -q 10E1 /proc/net/tcp; do sleep 0.05; done`,
    command: "kill -- -$(cat server.pid)",
    after: "ended",
  },
  { name: "not of another session", before: LEFT("s2"), command: "kill $(cat server.pid)", after: "alive", said: /signal/ },
  { name: "not by name of another session", before: LEFT("s2"), command: "pkill -f http.server", after: "alive", said: /signal/ },
  { name: "not what a person started", before: BARE, command: "kill $(cat server.pid)", after: "alive", said: /signal/ },
  { name: "nor by name", before: BARE, command: "pkill -f victim; killall victim 2> /dev/null; true", after: "alive", said: /signal/ },
  {
    name: "nor by everything",
    before: `${BARE}; printf 'import os\nos.kill(-1, 15)\n' > all.py`,
    command: "python3 all.py",
    after: "alive",
  },
  {
    name: "nor by its group",
    before: BARE,
    command: `python3 -c 'import os; os.killpg(os.getpgid(int(open("server.pid").read())), 9)'`,
    after: "alive",
    said: /signal/,
  },
  {
    name: "nor the one who supervises a run of the session",
    before: `${LEFT("s1")}; p=$(ps -o ppid= -p $(cat server.pid)); echo $p > server.pid`,
    command: "kill -9 $(cat server.pid)",
    after: "alive",
  },
  { name: "nor the host", before: "echo $$ > server.pid", command: "kill -9 $(cat server.pid)", after: "alive", said: /signal/ },
  {
    name: "nor through a pidfd",
    before: BARE,
    command: `python3 -c 'import os, signal; signal.pidfd_send_signal(os.pidfd_open(int(open("server.pid").read())), 9)'`,
    after: "alive",
  },
];

describe("whom a confined command may signal", () => {
  it.each(CASES)("$name", async ({ before, command, after, said }) => {
    const result = await confined({ command, before, after: ALIVE });
    expect({ after: result.after.trim(), said: result.said }).toEqual({
      after,
      said: said === undefined ? [] : (expect.arrayContaining([expect.stringMatching(said)]) as unknown),
    });
  });
});
