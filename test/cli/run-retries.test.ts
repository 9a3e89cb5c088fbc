import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { here, inTerminal, type Here } from "./run-place.ts";

/** Tries to connect, and says on standard error what came of it. */
const CONNECT = `
import socket, sys, time
host, tries, pause = "198.51.100." + sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
for _ in range(tries):
    try:
        socket.create_connection((host, 80), 1)
    except OSError as e:
        print(e, file=sys.stderr)
    time.sleep(pause)
`;

const REFUSED = /^assent: refused: .*$/gm;

function place(): Here {
  const made = here();
  writeFileSync(join(made.project, "connect.py"), CONNECT);
  return made;
}

/** What was told of refusals before the program said `end`, and behind it. */
function told(text: string): readonly [between: readonly string[], after: readonly string[]] {
  const at = text.indexOf("end\n");
  expect(at, text).toBeGreaterThan(-1);
  return [text.slice(0, at).match(REFUSED) ?? [], text.slice(at).match(REFUSED) ?? []];
}

// [what it does, command, what is told while it goes on]
describe("what a program tries again is told while it goes on, once, and not again at its end", () => {
  it.each([
    ["writes a file again and again", 'for i in 1 2 3 4; do touch "$OUT/f"; sleep .6; done', ["/f:"]],
    [
      "by other programs of the run each time",
      'touch "$OUT/f"; sleep .7; (echo x > "$OUT/f"); sleep .7; tee "$OUT/f" < /dev/null',
      ["/f:"],
    ],
    ["twice at once, and then something else", 'touch "$OUT/f"; touch "$OUT/f"; sleep 2', ["/f:"]],
    ["makes a folder again", 'for i in 1 2 3; do mkdir "$OUT/d"; sleep .7; done', ["/d:"]],
    ["reads a secret again", "for i in 1 2 3; do cat .env; sleep .7; done", ["/.env:"]],
    ["two things in turn", 'for i in 1 2 3; do touch "$OUT/f"; rm -f "$OUT/g"; mkdir "$OUT/d"; sleep .7; done', ["/f:", "/d:"]],
    ["connects again", "python3 connect.py 1 3 .7", ["connect to 198.51.100.1:80:"]],
    ["connects once, and waits before it tries again", "python3 connect.py 1 1 2", ["connect to 198.51.100.1:80:"]],
    ["connects to two hosts", "python3 connect.py 1 1 .2; python3 connect.py 2 1 2", ["198.51.100.1:80:", "198.51.100.2:80:"]],
    ["curl with --retry", "u=198.51.100; curl -sS --retry 2 --retry-all-errors http://$u.1/", ["connect to 198.51.100.1:80:"]],
    ["in the background", '(touch "$OUT/f"; sleep .6; touch "$OUT/f"; sleep .6; touch "$OUT/f") & wait', ["/f:"]],
  ])("%s", (_, command, things) => {
    const { run, write, script } = place();
    write(".env", "KEY=1\n");
    const { stderr } = run(["-P", "--", "sh", script(`${command}; echo end >&2`)]);
    const [between, after] = told(stderr);
    expect(between.length, stderr).toBe(things.length);
    for (const [at, thing] of things.entries()) expect(between[at]).toContain(thing);
    expect(after).toEqual([]);
    expect(stderr).toMatch(/^assent: .*\d calls? refused/m);
  });

  it("with -q, too", () => {
    const { run } = place();
    const { stderr } = run(["-P", "-q", "--", "sh", "-c", "python3 connect.py 1 3 .6; echo end >&2"]);
    expect(told(stderr)).toEqual([[expect.stringContaining("assent allow 'Net(198.51.100.1:80)'")], []]);
  });
});

describe("told at the end, as before", () => {
  it.each([
    ["what fails at once", 'touch "$OUT/f"', 1],
    ["what is tried twice at once", 'touch "$OUT/f"; touch "$OUT/f"', 1],
    ["a file that the program does without", 'touch "$OUT/f"; sleep 1.5', 1],
    ["a connection that fails at once", "python3 connect.py 1 2 0", 1],
    ["a fourth thing, as a number", 'for i in 1 2 3 4; do rm -f "$OUT/$i"; touch "$OUT/$i"; done', 4],
  ])("%s", (_, command, lines) => {
    const { run, script } = place();
    const [between, after] = told(run(["-P", "--", "sh", script(`${command}; echo end >&2`)]).stderr);
    expect(between).toEqual([]);
    expect(after.length).toBe(lines);
  });

  it("nothing, where the calls are JSON", () => {
    const { run } = place();
    expect(told(run(["-P", "--json", "--", "sh", "-c", "python3 connect.py 1 3 .6; echo end >&2"]).stderr)).toEqual([[], []]);
  });

  it("in a terminal whose keys a program reads one by one: it may have drawn the screen", async () => {
    const made = place();
    const command = "stty -icanon; python3 connect.py 1 3 .6 2> /dev/null; stty icanon; echo end";
    const { screen } = await inTerminal(made, ["run", "-P", "--", "sh", "-c", command], []);
    const [between, after] = told(screen.replaceAll("\r", ""));
    expect([between.length, after.length], screen).toEqual([0, 1]);
  });
});

it("in a terminal, a line of its own among those of the program", async () => {
  const made = place();
  const { screen } = await inTerminal(made, ["run", "-P", "--", "sh", "-c", "python3 connect.py 1 3 .6; echo end"], []);
  expect(told(screen.replaceAll("\r", ""))).toEqual([[expect.stringContaining("connect to 198.51.100.1:80")], []]);
});

it("what the program writes into a pipe stays whole", () => {
  const { run } = place();
  const line = "x".repeat(3000);
  const command = `python3 connect.py 1 3 .6 2> /dev/null & for i in 1 2 3 4 5 6 7 8; do echo ${line}; sleep .2; done | cat; wait; echo end >&2`;
  const { stdout, stderr } = run(["-P", "--", "sh", "-c", command]);
  expect(stdout).toBe(`${line}\n`.repeat(8));
  expect(told(stderr)).toEqual([[expect.stringContaining("connect to 198.51.100.1:80")], []]);
});
