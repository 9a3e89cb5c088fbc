import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DIST } from "../scratch.ts";
import { here } from "./run-place.ts";

/** The commands that a run prints as ways out. */
const waysOf = (text: string): readonly string[] => [...new Set(text.match(/assent allow (?:'[^']+'|"[^"]+"|--run [\w-]+)/g) ?? [])];

const ASSENT = `${process.execPath} ${join(DIST, "bin.cjs")} allow`;

interface Played {
  readonly status: number | null;
  readonly said: string;
}

/** Plays a command in a home of its own, carries out the way of that number, and plays it again. */
function playTwice(command: string, at: number): { readonly first: string; readonly again: Played & { readonly last: string } } {
  const place = here();
  for (const name of ["file", "other"]) writeFileSync(join(place.outside, name), "text\n");
  mkdirSync(join(place.outside, "folder"));
  place.write(".env", "KEY=1\n");
  place.write("mine", "mine\n");
  place.write("connect.py", CONNECT);
  const play = (): Played => {
    const { status, stdout, stderr } = place.run(["-P", "--", "sh", "-c", command]);
    return { status, said: stdout + stderr };
  };
  const first = play().said;
  const way = waysOf(first)[at] ?? "";
  // What a person confirms at a terminal.
  const line = way.includes("--run")
    ? way.replace("assent allow", ASSENT).concat(" --all")
    : way.replace("assent allow", `${ASSENT} --yes`);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, NO_COLOR: "1" };
  const carried = spawnSync("sh", ["-c", line], { cwd: place.project, env, encoding: "utf8" });
  const again = play();
  const said = `${first}\n${line}\n${carried.stdout}${carried.stderr}\n${again.said}`;
  return { first, again: { status: again.status, last: again.said, said } };
}

/** Its words name no host of whom a person who typed them would be asked no more. Ends with 1 where it is not let through. */
const CONNECT = `
import socket, sys
kind, host, port = sys.argv[1], socket.inet_ntop(*{"a": (2, bytes([192, 0, 2, 1])), "b": (10, bytes.fromhex("20010db8" + "0" * 23 + "1")), "here": (2, bytes([127, 0, 0, 1]))}[sys.argv[2]]), int(sys.argv[3])
s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
s.settimeout(1)
try:
    s.connect((host, port)) if kind == "tcp" else s.sendto(b"x", (host, port))
except OSError as e:
    sys.exit(1 if isinstance(e, PermissionError) else 0)
`;

/** What is printed and does not let the same command through. */
function uselessWays(command: string): readonly string[] {
  const { first } = playTwice(command, -1);
  const ways = waysOf(first);
  if (ways.length === 0 || first.includes("…)")) return [first];
  return ways.flatMap((_, at) => {
    const { again } = playTwice(command, at);
    return again.status === 0 && !again.last.includes("refused:") ? [] : [again.said];
  });
}

describe("every way out that a run prints is one", () => {
  it.each([
    ["make a file elsewhere", 'echo x > "$OUT/new"'],
    ["change one", 'echo x >> "$OUT/file"'],
    ["remove one", 'rm "$OUT/file"'],
    ["remove a folder", 'rmdir "$OUT/folder"'],
    ["make a folder", 'mkdir "$OUT/made"'],
    ["change a mode", 'chmod 600 "$OUT/file"'],
    ["change times", 'touch -d 2001-01-01 "$OUT/file"'],
    ["make a link", 'ln -s file "$OUT/link"'],
    ["give a file another name", 'ln "$OUT/file" "$OUT/second"'],
    ["move one", 'mv "$OUT/file" "$OUT/moved"'],
    ["move one in", 'mv "$OUT/file" here'],
    ["move one out", 'mv mine "$OUT/mine"'],
    ["read a secret", "cat .env"],
    ["change a secret", "echo X=2 >> .env"],
    ["connect to an address", "python3 connect.py tcp a 80"],
    ["to another port", "python3 connect.py tcp a 8443"],
    ["to an address of IPv6", "python3 connect.py tcp b 443"],
    ["send a datagram", "python3 connect.py udp a 9"],
    ["send one by IPv6", "python3 connect.py udp b 9"],
  ])("%s", (_, command) => {
    expect(uselessWays(command)).toEqual([]);
  });

  it("connect to what listens here, which the run did not start", async () => {
    const server = createServer((socket) => socket.end("hello\n")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    expect(uselessWays(`python3 connect.py tcp here ${typeof address === "object" ? address?.port : ""}`)).toEqual([]);
  });
});
