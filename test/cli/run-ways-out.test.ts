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

interface Place {
  readonly play: () => Played;
  /** Does what is printed, as a person who confirms it at a terminal. */
  readonly carryOut: (way: string) => string;
}

/** A home of its own, in which a command is played. */
function placeFor(command: string): Place {
  const place = here();
  for (const name of ["file", "other"]) writeFileSync(join(place.outside, name), "text\n");
  mkdirSync(join(place.outside, "folder"));
  mkdirSync(join(place.home, ".config"));
  place.write(".env", "KEY=1\n");
  place.write("mine", "mine\n");
  place.write("connect.py", CONNECT);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, NO_COLOR: "1" };
  return {
    play: () => {
      const { status, stdout, stderr } = place.run(["-P", "--", "sh", "-c", command]);
      return { status, said: stdout + stderr };
    },
    carryOut: (way) => {
      const line = way.includes("--run")
        ? way.replace("assent allow", ASSENT).concat(" --all")
        : way.replace("assent allow", `${ASSENT} --yes`);
      const { stdout, stderr } = spawnSync("sh", ["-c", line], { cwd: place.project, env, encoding: "utf8" });
      return `${line}\n${stdout}${stderr}`;
    },
  };
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
  let place = placeFor(command);
  let first = place.play();
  const ways = waysOf(first.said);
  if (ways.length === 0 || first.said.includes("…)")) return [first.said];
  const useless: string[] = [];
  for (const [at] of ways.entries()) {
    if (at > 0) {
      place = placeFor(command);
      first = place.play();
    }
    const carried = place.carryOut(waysOf(first.said)[at] ?? "");
    const again = place.play();
    if (again.status !== 0 || again.said.includes("refused:")) useless.push(`${first.said}\n${carried}\n${again.said}`);
  }
  return useless;
}

const PYTHON = (words: string): string => `/usr/bin/python3 -c "import os,socket;o=os.environ['OUT'];${words}"`;

describe("every way out that a run prints is one", () => {
  it.each([
    ["make a file elsewhere", 'echo x > "$OUT/new"'],
    ["make one by touch", 'touch "$OUT/new"'],
    ["make one with tee", 'echo x | tee "$OUT/new"'],
    ["copy one there", 'cp mine "$OUT/copy"'],
    ["copy over one", 'cp mine "$OUT/file"'],
    ["copy a tree there", 'mkdir -p t && echo 1 > t/f && cp -rT t "$OUT/t"'],
    ["install one there", 'install -m 600 mine "$OUT/new"'],
    ["archive into one", 'tar cf "$OUT/a.tar" mine'],
    ["change one by sed, which makes another beside it", 'sed -i s/text/new/ "$OUT/file"'],
    ["change two by sed", 'sed -i s/text/new/ "$OUT/file" "$OUT/other"'],
    ["make one with a name filled in", 'mktemp "$OUT/tmp.XXXXXX"'],
    ["make one with a long name filled in, and an ending", 'mktemp -p "$OUT" --suffix=.txt'],
    ["make a folder with a name filled in", 'd=$(mktemp -d "$OUT/work.XXXX") && echo x > "$d/f"'],
    ["make one with a name made up", PYTHON("import tempfile;tempfile.NamedTemporaryFile(dir=o)")],
    ["make a database", PYTHON("import sqlite3;c=sqlite3.connect(o+'/d.db');c.execute('create table if not exists t(x)');c.commit()")],
    ["make one without a name", PYTHON("os.open(o,os.O_TMPFILE|os.O_RDWR)")],
    ["clone a repository there", 'git init -q r; rm -rf c; git clone -q r c && cp -rT c/.git "$OUT/copy"'],
    ["change one", 'echo x >> "$OUT/file"'],
    ["change one by a descriptor", 'exec 3>>"$OUT/file"; echo x >&3'],
    ["change one by its name in /proc", 'echo x > "/proc/self/root$OUT/file"'],
    ["change one by a link", 'ln -sf "$OUT/file" here; echo x >> here'],
    ["map one", PYTHON("import mmap;mmap.mmap(os.open(o+'/file',os.O_RDWR),4)")],
    ["cut one", 'truncate -s 1 "$OUT/file"'],
    ["lengthen one", 'fallocate -l 10 "$OUT/file"'],
    ["write into one", 'dd if=/dev/zero of="$OUT/file" bs=1 count=1 conv=notrunc status=none'],
    ["remove one", 'rm -f "$OUT/file"'],
    ["remove two", 'rm -f "$OUT/file" "$OUT/other"'],
    ["remove a folder", 'rmdir "$OUT/folder"'],
    ["remove a tree", 'rm -r "$OUT/folder"'],
    ["make a folder", 'mkdir "$OUT/made"'],
    ["make folders in one another", 'mkdir -p "$OUT/a/b/c"'],
    ["change two", 'echo x | tee -a "$OUT/file" "$OUT/other"'],
    ["change one by python", PYTHON("open(o+'/file','a').write('x')")],
    ["copy one into a folder", 'cp mine "$OUT/folder"'],
    ["make a link that leads out", 'ln -s "$OUT" "$OUT/self"'],
    ["change a mode", 'chmod 600 "$OUT/file"'],
    ["change the mode of a folder", 'chmod 700 "$OUT/folder"'],
    ["change the modes of a tree", 'chmod -R go-w "$OUT"'],
    ["change times", 'touch -d 2001-01-01 "$OUT/file"'],
    ["change attributes", PYTHON("os.setxattr(o+'/file','user.a',b'1')")],
    ["make a link", 'ln -s file "$OUT/link"'],
    ["give a file another name", 'ln "$OUT/file" "$OUT/second"'],
    ["give a file of one's own another name there", 'ln mine "$OUT/second"'],
    ["give a file from there a name here", 'ln "$OUT/file" here'],
    ["make a pipe", 'mkfifo "$OUT/pipe"'],
    ["make a socket", PYTHON("socket.socket(socket.AF_UNIX).bind(o+'/s')")],
    ["move one", 'mv "$OUT/file" "$OUT/moved"'],
    ["move one over another", 'mv "$OUT/file" "$OUT/other"'],
    ["move one into a folder", 'mv "$OUT/file" "$OUT/folder/file"'],
    ["move one in", 'mv "$OUT/file" here'],
    ["move one out", 'mv mine "$OUT/mine"'],
    ["exchange two", PYTHON("import ctypes;a=o.encode();exit(ctypes.CDLL(None).renameat2(-100,a+b'/file',-100,a+b'/other',2)!=0)")],
    ["set git's name", "git config --global user.name x"],
    ["read a secret", "cat .env"],
    ["copy a secret", "cp .env copy"],
    ["change a secret", "echo X=2 >> .env"],
    ["delete a secret", "rm -f .env"],
    ["move a secret and back", "mv .env other && mv other .env"],
    ["change what names a registry for later commands", "echo 'registry=https://r.example/' > .npmrc"],
    ["connect to an address", "python3 connect.py tcp a 80"],
    ["to another port", "python3 connect.py tcp a 8443"],
    ["to an address of IPv6", "python3 connect.py tcp b 443"],
    [
      "to where a cloud keeps its machines' logins",
      PYTHON("s=socket.socket();s.settimeout(1);exit(s.connect_ex(('169.254.169.254',80)) in (1,13))"),
    ],
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

// No rule should allow it, or none could: what is said instead of a command to type. [what, command, what is said]
describe("where nothing would let it through, no command is printed", () => {
  it.each([
    ["a hook of git", "git init -q; echo '#!/bin/sh' > .git/hooks/pre-commit", "make this change yourself"],
    [
      "what git runs",
      "git init -q; echo '[core] fsmonitor = x' >> .git/config",
      "look at the change before you agree, or make it yourself",
    ],
    [
      "an agent's settings",
      "mkdir -p .claude && echo '{}' > .claude/settings.json",
      "look at the change before you agree, or make it yourself",
    ],
    ["the servers of agents", "echo '{}' > .mcp.json", "look at the change before you agree, or make it yourself"],
    ["a policy", "echo '{}' > .agent-permissions.jsonc", "look at the change before you agree, or make it yourself"],
    ["what a shell starts with", "echo x >> ~/.bashrc", "make this change yourself"],
    ["a system file", "echo x >> /etc/hosts", "this is a system file; make this change yourself"],
    ["another name of a system file", "ln /etc/passwd here", "this is a system file; make this change yourself"],
    ["another name of a secret", "ln .env here", "make the link yourself, if you want it"],
    ["a disk", "dd if=/dev/null of=/dev/sda count=0", "do it yourself, in a terminal of your own"],
    ["namespaces", "unshare -Un true", "leave it out, or start it without `assent run`"],
    ["another program's memory", "strace -o /dev/null true", "start it without `assent run`"],
    ["a socket without a file", PYTHON("socket.socket(socket.AF_UNIX).connect('\\0/tmp/.X11-unix/X0')"), ""],
  ])("%s", (_, command, says) => {
    const { said, status } = placeFor(command).play();
    expect(waysOf(said), said).toEqual([]);
    expect(said).toContain(says);
    expect(status, said).not.toBe(0);
  });
});

describe("a receipt", () => {
  it.each([
    ["names of processes", "echo x > /proc/self/comm; echo 5 > /proc/self/oom_score_adj; echo y > /proc/self/fd/1 | cat"],
    ["a process of the run", "sleep 1 & echo 0 > /proc/$!/coredump_filter; cat /proc/$!/environ > /dev/null; wait"],
    ["a file by its name there", 'exec 3> made; echo x > /proc/self/fd/3; echo y > "/proc/$$/cwd/other"'],
  ])("lists no file of /proc: %s", (_, command) => {
    const place = here();
    place.run(["-P", "--", "sh", "-c", command]);
    const receipt = spawnSync(process.execPath, [join(DIST, "bin.cjs"), "receipt", "--all"], {
      cwd: place.project,
      env: { PATH: "/usr/bin:/bin", HOME: place.home, NO_COLOR: "1" },
      encoding: "utf8",
    }).stdout;
    const files = receipt.split("\n\n").filter((part) => !part.startsWith("commands\n") && !/^\d{8}-/m.test(part));
    expect(receipt).toContain("commands\n");
    expect(files.join("\n\n")).not.toContain("/proc/");
  });
});
