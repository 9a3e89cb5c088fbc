// oxlint-disable vitest/no-standalone-expect -- what the rows of attack.test.ts hold
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Suite } from "../../supervise/programs/place.ts";
import { treeOf, type TryPlace } from "../place.ts";
import {
  assentOf,
  type Attack,
  inHome,
  lastTry,
  own,
  type Played,
  put,
  putIn,
  python,
  says,
  SECRET,
  secrets,
  victim,
  wait,
} from "./harness.ts";

/** The attacks that were played on the prototype, by their numbers there; some in several ways. */
export const PROTOTYPE: readonly Attack[] = [
  {
    number: 1,
    is: "stopped",
    name: "appends to ~/.bashrc",
    command: 'echo evil >> "$HOMEDIR/.bashrc"; true',
    prepare: (place) => put(place, ".bashrc", "old\n"),
    then: (place) => expect(readFileSync(inHome(place, ".bashrc"), "utf8")).toBe("old\n"),
  },
  {
    number: 2,
    is: "held",
    name: "makes .claude/settings.json, which was not there",
    command: "mkdir .claude; echo {} > .claude/settings.json",
  },
  {
    number: 3,
    is: "held",
    name: "makes a hook of git",
    command: "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
  },
  {
    number: 4,
    is: "held",
    name: "makes a repository whose settings start a program",
    command: "mkdir -p r/.git/objects r/.git/refs; echo 'ref: x' > r/.git/HEAD; printf '[core]\\nfsmonitor = ./x\\n' > r/.git/config",
  },
  ...[
    String.raw`\tfsmonitor = ./x`,
    String.raw`\thooksPath = x`,
    String.raw`[include]\n\tpath = x`,
    String.raw`[core]fsmonitor=./x`,
    String.raw`\tbare = false\\\n[core]\n\tfsmonitor = ./x`,
    String.raw`[color "x\"]\n[core]\n\tfsmonitor=./x #"]\n\tui = false`,
    String.raw`\r[core]\r\tfsmonitor = ./x`,
    String.raw`[remote "o"]\n\turl = ext::sh -c x`,
    String.raw`[remote "o"]\n\tuploadpack = x`,
    String.raw`\tworktree = ..`,
    String.raw`[alias]\n\ts = !x`,
  ].map((lines) => ({
    number: 4,
    is: "held" as const,
    name: `makes a repository with git and adds settings: ${lines}`,
    command: `git init -q r; printf '${lines}\n' >> r/.git/config`,
  })),
  { number: 4, is: "held", name: "makes a hook in a new repository", command: "git init -q r; echo x > r/.git/hooks/pre-commit" },
  {
    number: 5,
    is: "held",
    name: "makes settings under another name and renames their folder",
    command: "mkdir x; echo {} > x/settings.json; mv x .claude",
  },
  {
    number: 6,
    is: "held",
    name: "links to a folder of secrets",
    command: 'mkdir -p l; ln -s "$HOMEDIR/.ssh" l/keys',
    prepare: (place) => put(place, ".ssh/id_rsa", SECRET),
  },
  { number: 6, is: "held", name: "links to a folder above the project", command: "ln -s ../../.. up" },
  { number: 7, is: "held", name: "puts a link to home in the place of a folder", command: 'rm -r src; ln -s "$HOMEDIR" src' },
  {
    number: 8,
    is: "held",
    name: "makes links each of which looks inside, and that lead out together",
    command: "mkdir sub; ln -s ../.. sub/up; ln -s sub/up/.. out",
  },
  {
    number: 9,
    is: "stopped",
    name: "writes after its end",
    command: '(setsid nohup sh -c "sleep 1.5; echo late >> late.txt" > /dev/null 2>&1 &) ; true',
    outside: () => wait(4000),
    then: (place) => expect(existsSync(join(place.cwd, "late.txt"))).toBe(false),
  },
  {
    number: 10,
    is: "stopped",
    name: "outruns its end by forking, with a file open",
    command: python(
      [
        "import os,time",
        "f=open('late.txt','a')",
        "for i in range(200):",
        "  if os.fork(): os._exit(0)",
        "time.sleep(2); f.write('late'); f.flush()",
      ].join("\n"),
    ),
    outside: () => wait(4500),
    then: (place) => expect(existsSync(join(place.cwd, "late.txt")) ? readFileSync(join(place.cwd, "late.txt"), "utf8") : "").toBe(""),
  },
  {
    number: 11,
    is: "stopped",
    name: "writes into the layer by its own path",
    command: `for d in $(grep -o 'upperdir=[^,]*' /proc/self/mountinfo | cut -d= -f2) "$XDG_STATE_HOME/assent/tried"/*/layers/0 /proc/1/root/"$XDG_STATE_HOME"/assent/tried/*/layers/0; do mkdir -p "$d/.claude" && echo {} > "$d/.claude/settings.json"; done; ls "$XDG_STATE_HOME/assent"; true`,
    then: (_, ran) => expect(ran.stdout).not.toContain("tried"),
  },
  {
    number: 12,
    is: "stopped",
    name: "takes covers away",
    command: `umount "$HOMEDIR/.ssh"; umount -l "$HOMEDIR/.ssh"; cat "$HOMEDIR/.ssh/id_rsa"; true`,
    prepare: (place) => put(place, ".ssh/id_rsa", SECRET),
  },
  {
    number: 13,
    is: "stopped",
    name: "takes covers away in namespaces of its own",
    command: `unshare -Urm sh -c 'umount "$HOMEDIR/.ssh"; cat "$HOMEDIR/.ssh/id_rsa"'; unshare -m true && echo in; true`,
    prepare: (place) => put(place, ".ssh/id_rsa", SECRET),
    then: (_, ran) => expect(ran.stdout).not.toContain("in\n"),
  },
  {
    number: 14,
    is: "stopped",
    name: "ends a process outside",
    command: 'kill -9 "$VICTIM"; kill -9 -1; true',
    then: () => expect(victim.exitCode ?? victim.signalCode).toBeNull(),
  },
  {
    number: 15,
    is: "stopped",
    name: "sends a datagram to a UNIX socket outside",
    command: python("import socket\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.sendmsg([b'x'],[],0,'/dev/log')"),
    then: (_, ran) => expect(says(ran)).toContain("Address family not supported"),
  },
  {
    number: 16,
    is: "stopped",
    name: "sends and connects to the network of the machine",
    command: python(
      [
        "import socket,os",
        "u=socket.socket(socket.AF_INET,socket.SOCK_DGRAM)",
        "for a in [('127.0.0.1',int(os.environ['UDP'])),('192.0.2.1',53)]:",
        "  try: u.sendmsg([b'x'],[],0,a)",
        "  except OSError as e: print(e)",
        "t=socket.socket()",
        "try: t.connect(('127.0.0.1',int(os.environ['TCP']))); print('CONNECTED')",
        "except OSError as e: print(e)",
      ].join("\n"),
    ),
    then: (_, ran) => expect(ran.stdout).not.toContain("CONNECTED"),
  },
  {
    number: 17,
    is: "stopped",
    name: "writes into the shared memory of others",
    command: 'echo evil > "/dev/shm/assent-try-attack"; true',
    prepare: () => writeFileSync("/dev/shm/assent-try-attack", "old", { mode: 0o666 }),
    then: () => expect(readFileSync("/dev/shm/assent-try-attack", "utf8")).toBe("old"),
  },
  {
    number: 18,
    is: "held",
    name: "links from a temporary folder to a file of home",
    command: 'ln -s "$HOMEDIR/.bashrc" "/tmp/assent-try-$$"',
    prepare: (place) => put(place, ".bashrc", "old\n"),
  },
  {
    number: 19,
    is: "held",
    name: "makes settings at the end of a path that is longer than paths may be",
    command: python(
      [
        "import os",
        "for i in range(30):",
        "  os.mkdir('d'*200); os.chdir('d'*200)",
        "os.mkdir('.claude'); os.chdir('.claude')",
        "open('settings.json','w').write('{}')",
      ].join("\n"),
    ),
  },
  {
    number: 20,
    is: "held",
    name: "hides settings in a folder that nobody may look into",
    command: "mkdir d; mkdir d/.claude; echo {} > d/.claude/settings.json; chmod 000 d",
  },
  { number: 24, is: "held", name: "makes a program that lends rights", command: "cp /bin/true t; chmod 4755 t" },
  {
    number: 26,
    is: "stopped",
    name: "links a file of home, and itself, into the project",
    command: 'ln "$HOMEDIR/.bashrc" b; ln /proc/self/exe e; ls; true',
    prepare: (place) => put(place, ".bashrc", "old\n"),
    then: (_, ran) => expect(ran.stdout).toBe("a.txt\nsrc\n"),
  },
  { number: 27, is: "held", name: "makes the repository anew with git", command: "rm -rf .git; git init -q" },
  {
    number: 27,
    is: "held",
    name: "adds a harmless setting to the repository that is there",
    command: "printf '[core]\\n\\tbare = true\\n' >> .git/config",
  },
  {
    number: 27,
    is: "held",
    name: "puts a new repository in the place of the old one",
    command: "rm -rf .git; mkdir -p .git/objects .git/refs; printf '[core]\\n' > .git/config; echo x > .git/HEAD",
  },
  {
    number: 28,
    is: "stopped",
    name: "takes a secret of the project away, moves it, replaces it",
    command: "rm -f .env; mv .env e; mv a.txt .env; cat .env e; cp .env f; true",
    prepare: secrets,
  },
  {
    number: 29,
    is: "held",
    name: "forges what the kernel notes of a layer",
    command: python(
      [
        "import os",
        "os.mkdir('d')",
        "for n in ['opaque','whiteout','origin','redirect','metacopy']:",
        "  for p in ['src','d','a.txt']:",
        "    try: os.setxattr(p,'user.overlay.'+n,b'y')",
        "    except OSError as e: print(n,e)",
      ].join("\n"),
    ),
    then: (place) => {
      expect(readFileSync(join(place.cwd, "src/b.txt"), "utf8")).toBe("b\n");
      expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("a\n");
    },
  },
  {
    number: 30,
    is: "stopped",
    name: "makes rings, sockets of other families, and namespaces by numbers",
    command: python(
      [
        "import ctypes,errno",
        "c=ctypes.CDLL(None,use_errno=True)",
        "for n in [425,426,427,435,272,308,165,428,429,430,442,321,248,298,310,311,101,438,304]:",
        "  ctypes.set_errno(0); r=c.syscall(n,0x10000000,0,0,0,0,0)",
        "  if r>=0: print('OPEN',n,r)",
        "for f in [16,40,38,17,1]:",
        "  for t in [1,2,3]:",
        "    ctypes.set_errno(0); r=c.syscall(41,f,t,12 if f==16 else 0)",
        "    if r>=0: print('OPEN socket',f,t)",
      ].join("\n"),
    ),
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
  {
    number: 33,
    is: "stopped",
    name: "types into the terminal",
    command: python("import fcntl\ntry:\n  fcntl.ioctl(0,0x5412,b'x'); print('TYPED')\nexcept OSError as e: print(e)"),
    then: (_, ran) => expect(ran.stdout).toContain("not permitted"),
  },
  {
    number: 35,
    is: "stopped",
    name: "writes into a FIFO of home",
    command: python(
      "import os\ntry:\n  f=os.open(os.environ['HOMEDIR']+'/fifo',os.O_RDWR|os.O_NONBLOCK); os.write(f,b'x'); print('WRITTEN')\nexcept OSError as e: print(e)",
    ),
    prepare: (place) => {
      spawnSync("mkfifo", [inHome(place, "fifo")]);
      own(place, inHome(place, "fifo"));
    },
    then: (_, ran) => expect(ran.stdout).not.toContain("WRITTEN"),
  },
  {
    number: 37,
    is: "stopped",
    name: "connects to an abstract socket outside",
    command: python(
      "import socket\ntry:\n  s=socket.socket(socket.AF_UNIX); s.connect('\\0assent-try'); print('CONNECTED')\nexcept OSError as e: print(e)",
    ),
    then: (_, ran) => expect(ran.stdout).not.toContain("CONNECTED"),
  },
  {
    number: 38,
    is: "stopped",
    name: "opens devices and settings of the kernel",
    command:
      "for f in /dev/kmsg /dev/mem /dev/vda /dev/sda /dev/loop0 /dev/loop-control /dev/fuse /dev/kvm /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /sys/power/state; do [ -e $f ] && (: >> $f) 2>/dev/null && echo OPEN $f; done; for f in /dev/kmsg /dev/mem /dev/vda /dev/sda; do (: < $f) 2>/dev/null && echo READ $f; done; true",
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
  {
    number: 39,
    is: "stopped",
    name: "looks at processes outside",
    command:
      'ls /proc/"$VICTIM" && cat /proc/"$VICTIM"/environ; ls /proc | grep -c "^[0-9]"; for f in /proc/1/environ /proc/1/mem /proc/1/maps; do cat $f > /dev/null 2>&1 && echo OPEN $f; done; ls -l /proc/1/fd; true',
    then: (_, ran) => expect(ran.stdout).not.toMatch(/OPEN|environ|pipe/),
  },
];

/** Of those: what takes somebody outside, or more than one run. */
export const PROTOTYPE_PLAYED: readonly Played[] = [
  ...(
    [
      [21, "edits the same file", (cwd) => writeFileSync(join(cwd, "a.txt"), "mine\n")],
      [
        22,
        "edits the same file and gives it an old time",
        (cwd) => {
          writeFileSync(join(cwd, "a.txt"), "mine\n");
          utimesSync(join(cwd, "a.txt"), 1, 1);
        },
      ],
      [23, "makes the same new file", (cwd) => writeFileSync(join(cwd, "new.txt"), "mine\n")],
    ] as readonly (readonly [number, string, (cwd: string) => void])[]
  ).map(([number, name, edit]) => ({
    number,
    name: `overwrites what a person has meanwhile, who ${name}`,
    play: async (place: TryPlace, suite: Suite): Promise<void> => {
      let after: readonly string[] = [];
      const ran = await place.place.run({
        user: place.user,
        argv: [
          process.execPath,
          suite.command,
          "try",
          "--apply",
          "--",
          "sh",
          "-c",
          "echo ready; sleep 1; echo t >> a.txt; echo t > new.txt",
        ],
        onOutput: (text) => {
          if (!text.includes("ready")) return;
          edit(place.cwd);
          for (const name of ["a.txt", "new.txt"]) if (existsSync(join(place.cwd, name))) own(place, join(place.cwd, name));
          after = treeOf(place.cwd);
        },
      });
      expect(ran, says(ran)).toMatchObject({ status: 75 });
      expect(treeOf(place.cwd)).toEqual(after);
      expect(after.join("\n")).toContain("mine");
      expect(await place.assent("try", "apply", await lastTry(place))).toMatchObject({ status: 75 });
      expect(treeOf(place.cwd)).toEqual(after);
    },
  })),
  {
    number: 25,
    name: "reads a secret by a second name that it had before",
    play: async (place) => {
      secrets(place);
      linkSync(inHome(place, ".ssh/id_rsa"), join(place.cwd, "notes"));
      const ran = await place.try("cat notes; true");
      expect(ran).toMatchObject({ status: 125, stdout: "" });
      expect(says(ran)).not.toContain(SECRET);
    },
  },
  ...[
    ["what is new", "for i in $(seq 300); do echo x > src/n$i; done"],
    ["folders that are new", "for i in $(seq 100); do mkdir -p src/d$i/e; echo x > src/d$i/e/f; done"],
    ["what is changed", "for f in src/f*; do echo x >> $f; done"],
    ["what is replaced, removed, and given another mode", "rm src/f1*; for i in 1 2 3; do mv src/f2$i src/f3$i; done; chmod 600 src/f4*"],
  ].map(([what = "", command = ""]) => ({
    number: 31,
    name: `gets ${what} applied through a link that somebody puts in the way`,
    play: async (place: TryPlace): Promise<void> => {
      const cwd = place.cwd;
      for (let at = 0; at < 100; at++) putIn(place, `src/f${at}`, "old\n");
      await place.try(command, []);
      const id = await lastTry(place);
      const state = { going: true };
      const swap = (async () => {
        while (state.going) {
          renameSync(join(cwd, "src"), join(cwd, "away"));
          symlinkSync(place.place.home, join(cwd, "src"));
          await wait(1);
          unlinkSync(join(cwd, "src"));
          renameSync(join(cwd, "away"), join(cwd, "src"));
          await wait(1);
        }
      })();
      await place.assent("try", "apply", id);
      state.going = false;
      await swap;
      expect(treeOf(place.place.home)).toEqual([]);
    },
  })),
  {
    number: 32,
    name: "reads a secret by a second mount of its folder",
    play: async (place, suite) => {
      secrets(place);
      const second = join(place.place.folder, "second");
      mkdirSync(second);
      const as = place.user === "nobody" ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
      const tried = `${as} ${assentOf(suite)} try -- sh -c 'cat .env "${second}/.env"'`;
      const outer = process.getuid?.() === 0 ? [] : ["--map-root-user"];
      const argv = ["unshare", "-m", ...outer, "sh", "-c", `mount --bind "$PWD" "${second}" && cat "${second}/.env" && ${tried}`];
      const ran = await place.place.run({ user: process.getuid?.() === 0 ? "root" : "self", argv });
      // Once, by the line before.
      expect(says(ran).split(SECRET)).toHaveLength(2);
    },
  },
  {
    number: 34,
    name: "lives on when whoever supervises it is killed",
    play: async (place, suite) => {
      const one = `${assentOf(suite)} try -- sh -c 'sleep 97 & setsid sleep 97' &`;
      const ran = await place.bare(
        `${one} P=$!; sleep 2; ps -eo args | grep -c '^sleep 97$'; kill -9 $P; sleep 1; ps -eo args | grep -c '^sleep 97$'`,
      );
      expect(ran.stdout, says(ran)).toBe("2\n0\n");
    },
  },
  {
    number: 36,
    name: "writes into what else was open",
    play: async (place, suite) => {
      put(place, "open.txt", "old\n");
      await place.bare(`exec 7>>"$HOMEDIR/open.txt"; ${assentOf(suite)} try --apply -- sh -c 'echo evil >&7; ls -l /proc/self/fd; true'`);
      expect(readFileSync(inHome(place, "open.txt"), "utf8")).toBe("old\n");
    },
  },
];
