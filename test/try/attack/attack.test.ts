import { spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Ran, Suite, USERS } from "../../supervise/programs/place.ts";
import { treeOf, TryPlace } from "../place.ts";

/**
 * Programs of a tried run that try to change something outside their view, to read a secret, to live on, or to get something applied that
 * the policy does not allow. The numbers are those of the table of attacks on the prototype.
 */
const suite = new Suite();
afterAll(() => suite.remove());

interface Attack {
  readonly name: string;
  readonly command: string;
  /** Before: beside the project, in home. */
  readonly prepare?: (place: TryPlace) => void;
  /** Meanwhile. */
  readonly outside?: (place: TryPlace) => Promise<void>;
  /** It is applied all the same, for what is dangerous in it failed. */
  readonly applied?: true;
  readonly then?: (place: TryPlace, ran: Ran) => void;
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const own = (place: TryPlace, ...paths: readonly string[]): void => {
  if (place.user === "nobody") for (const path of paths) chownSync(path, 65_534, 65_534);
};
const inHome = (place: TryPlace, name: string): string => join(place.place.home, name);
function put(place: TryPlace, name: string, text: string, mode = 0o600): void {
  const path = inHome(place, name);
  const folder = path.slice(0, path.lastIndexOf("/"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text, { mode });
  own(place, folder, path);
}
const SECRET = "swordfish";
const says = (ran: Ran): string => ran.stdout + ran.stderr;
const python = (code: string): string => `python3 - <<'END'\n${code}\nEND`;

const HELD: readonly Attack[] = [
  { name: "2: makes .claude/settings.json, which was not there", command: "mkdir .claude; echo {} > .claude/settings.json" },
  { name: "3: makes a hook of git", command: "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit" },
  {
    name: "4: makes a repository whose settings start a program",
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
    name: `4: makes a repository with git and adds settings: ${lines}`,
    command: `git init -q r; printf '${lines}\n' >> r/.git/config`,
  })),
  { name: "4: makes a hook in a new repository", command: "git init -q r; echo x > r/.git/hooks/pre-commit" },
  { name: "27: makes the repository anew with git", command: "rm -rf .git; git init -q" },
  { name: "27: adds a harmless setting to the repository that is there", command: "printf '[core]\\n\\tbare = true\\n' >> .git/config" },
  { name: "5: makes settings under another name and renames their folder", command: "mkdir x; echo {} > x/settings.json; mv x .claude" },
  {
    name: "6: links to a folder of secrets",
    command: 'mkdir -p l; ln -s "$HOMEDIR/.ssh" l/keys',
    prepare: (place) => put(place, ".ssh/id_rsa", SECRET),
  },
  { name: "6: links to a folder above the project", command: "ln -s ../../.. up" },
  { name: "7: puts a link to home in the place of a folder", command: 'rm -r src; ln -s "$HOMEDIR" src' },
  {
    name: "8: makes links each of which looks inside, and that lead out together",
    command: "mkdir sub; ln -s ../.. sub/up; ln -s sub/up/.. out",
  },
  {
    name: "19: makes settings at the end of a path that is longer than paths may be",
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
    name: "20: hides settings in a folder that nobody may look into",
    command: "mkdir d; mkdir d/.claude; echo {} > d/.claude/settings.json; chmod 000 d",
  },
  { name: "24: makes a program that lends rights", command: "cp /bin/true t; chmod 4755 t" },
  {
    name: "27: puts a new repository in the place of the old one",
    command: "rm -rf .git; mkdir -p .git/objects .git/refs; printf '[core]\\n' > .git/config; echo x > .git/HEAD",
  },
  { name: "makes a FIFO", command: "mkfifo pipe" },
  {
    name: "18: links from a temporary folder to a file of home",
    command: 'ln -s "$HOMEDIR/.bashrc" "/tmp/assent-try-$$"',
    prepare: (place) => put(place, ".bashrc", "old\n"),
  },
  {
    name: "makes a file that starts programs at a login, by a link in the project",
    command: 'ln -s "$HOMEDIR" h; echo x >> h/.profile; true',
  },
  {
    name: "makes a policy of its own",
    command: `echo '{"version":1,"permissions":{"allow":["*"]}}' > .assent.jsonc; mkdir .assent; echo x > .assent/policy.json; echo {} > .mcp.json`,
  },
];

const STOPPED: readonly Attack[] = [
  {
    name: "1: appends to ~/.bashrc",
    command: 'echo evil >> "$HOMEDIR/.bashrc"; true',
    prepare: (place) => put(place, ".bashrc", "old\n"),
    then: (place) => expect(readFileSync(inHome(place, ".bashrc"), "utf8")).toBe("old\n"),
  },
  {
    name: "9: writes after its end",
    command: '(setsid nohup sh -c "sleep 1.5; echo late >> late.txt" > /dev/null 2>&1 &) ; true',
    outside: () => wait(4000),
    then: (place) => expect(existsSync(join(place.cwd, "late.txt"))).toBe(false),
  },
  {
    name: "10: outruns its end by forking, with a file open",
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
    name: "11: writes into the layer by its own path",
    command: `for d in $(grep -o 'upperdir=[^,]*' /proc/self/mountinfo | cut -d= -f2) "$XDG_STATE_HOME/assent/tried"/*/layers/0 /proc/1/root/"$XDG_STATE_HOME"/assent/tried/*/layers/0; do mkdir -p "$d/.claude" && echo {} > "$d/.claude/settings.json"; done; ls "$XDG_STATE_HOME/assent"; true`,
    then: (_, ran) => expect(ran.stdout).not.toContain("tried"),
  },
  {
    name: "12: takes covers away",
    command: `umount "$HOMEDIR/.ssh"; umount -l "$HOMEDIR/.ssh"; cat "$HOMEDIR/.ssh/id_rsa"; true`,
    prepare: (place) => put(place, ".ssh/id_rsa", SECRET),
  },
  {
    name: "13: takes covers away in namespaces of its own",
    command: `unshare -Urm sh -c 'umount "$HOMEDIR/.ssh"; cat "$HOMEDIR/.ssh/id_rsa"'; unshare -m true && echo in; true`,
    prepare: (place) => put(place, ".ssh/id_rsa", SECRET),
    then: (_, ran) => expect(ran.stdout).not.toContain("in\n"),
  },
  { name: "chmods a cover", command: 'chmod 777 .env "$HOMEDIR/.ssh"; cat .env "$HOMEDIR/.ssh/id_rsa"; true', prepare: secrets },
  {
    name: "28: takes a secret of the project away, moves it, replaces it",
    command: "rm -f .env; mv .env e; mv a.txt .env; cat .env e; cp .env f; true",
    prepare: secrets,
    applied: true,
  },
  {
    name: "reads a secret through the folder descriptors of init",
    command: 'cat /proc/1/cwd/.env /proc/1/root/"$PWD"/.env /proc/1/fd/*/.env /proc/self/root/"$PWD"/.env; true',
    prepare: secrets,
  },
  {
    name: "14: ends a process outside",
    command: 'kill -9 "$VICTIM"; kill -9 -1; true',
    then: () => expect(victim.exitCode ?? victim.signalCode).toBeNull(),
  },
  {
    name: "15: sends a datagram to a UNIX socket outside",
    command: python("import socket\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.sendmsg([b'x'],[],0,'/dev/log')"),
    then: (_, ran) => expect(says(ran)).toContain("Address family not supported"),
  },
  {
    name: "16: sends and connects to the network of the machine",
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
    name: "17: writes into the shared memory of others",
    command: 'echo evil > "/dev/shm/assent-try-attack"; true',
    prepare: () => writeFileSync("/dev/shm/assent-try-attack", "old", { mode: 0o666 }),
    then: () => expect(readFileSync("/dev/shm/assent-try-attack", "utf8")).toBe("old"),
  },
  {
    name: "26: links a file of home, and itself, into the project",
    command: 'ln "$HOMEDIR/.bashrc" b; ln /proc/self/exe e; ls; true',
    prepare: (place) => put(place, ".bashrc", "old\n"),
    then: (_, ran) => expect(ran.stdout).toBe("a.txt\nsrc\n"),
  },
  {
    name: "29: forges what the kernel notes of a layer",
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
    applied: true,
    then: (place) => {
      expect(readFileSync(join(place.cwd, "src/b.txt"), "utf8")).toBe("b\n");
      expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("a\n");
    },
  },
  {
    name: "30: makes rings, sockets of other families, and namespaces by numbers",
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
    name: "33: types into the terminal",
    command: python("import fcntl\ntry:\n  fcntl.ioctl(0,0x5412,b'x'); print('TYPED')\nexcept OSError as e: print(e)"),
    then: (_, ran) => expect(ran.stdout).toContain("not permitted"),
  },
  {
    name: "35: writes into a FIFO of home",
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
    name: "37: connects to an abstract socket outside",
    command: python(
      "import socket\ntry:\n  s=socket.socket(socket.AF_UNIX); s.connect('\\0assent-try'); print('CONNECTED')\nexcept OSError as e: print(e)",
    ),
    then: (_, ran) => expect(ran.stdout).not.toContain("CONNECTED"),
  },
  {
    name: "38: opens devices and settings of the kernel",
    command:
      "for f in /dev/kmsg /dev/mem /dev/vda /dev/sda /dev/loop0 /dev/loop-control /dev/fuse /dev/kvm /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /sys/power/state; do [ -e $f ] && (: >> $f) 2>/dev/null && echo OPEN $f; done; for f in /dev/kmsg /dev/mem /dev/vda /dev/sda; do (: < $f) 2>/dev/null && echo READ $f; done; true",
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
  {
    name: "39: looks at processes outside",
    command:
      'ls /proc/"$VICTIM" && cat /proc/"$VICTIM"/environ; ls /proc | grep -c "^[0-9]"; for f in /proc/1/environ /proc/1/mem /proc/1/maps; do cat $f > /dev/null 2>&1 && echo OPEN $f; done; ls -l /proc/1/fd; true',
    then: (_, ran) => expect(ran.stdout).not.toMatch(/OPEN|environ|pipe/),
  },
  {
    name: "writes its own status where init reports it",
    command:
      'for f in /proc/1/fd/*; do printf "S 0 0\\n" > $f; done 2>/dev/null; for f in 3 4 5 6 7 8 9; do printf "S 0 0\\n" >&$f; done 2>/dev/null; exit 9',
    then: (_, ran) => expect(ran.status).toBe(9),
  },
  { name: "ends init", command: "kill -9 1; kill -TERM 1; kill -STOP 1; exit 5", then: (_, ran) => expect(ran.status).toBe(5) },
  {
    name: "traces init and writes its memory",
    command: python(
      "import ctypes\nc=ctypes.CDLL(None,use_errno=True)\nprint([c.syscall(101,16,1,0,0),c.syscall(438,c.syscall(434,1,0),0,0)])\ntry: open('/proc/1/mem','r+b'); print('OPEN')\nexcept OSError as e: print(e)",
    ),
    then: (_, ran) => expect(ran.stdout).toMatch(/^\[-1, -1\]\n(?!OPEN)/),
  },
  {
    name: "changes modes and times of devices and of files outside",
    command:
      "for f in /dev/null /dev/tty /dev/pts /etc/passwd /sys/power /usr/bin/env; do chmod 600 $f && echo CHANGED $f; touch -d 2001-01-01 $f && echo TOUCHED $f; done 2>/dev/null; true",
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
  {
    name: "renames folders outside, by paths, links, descriptors and dots",
    command: python(
      [
        "import os",
        "h=os.environ['HOMEDIR']; fd=os.open(h,os.O_RDONLY); os.mkdir('d'); os.symlink(h,'d/h')",
        "for a in [(h+'/victim','v'),('src',h+'/x'),('d/h/victim','d/h/v2'),('src','d/h/x'),('src','../home/x'),('../home/victim','../home/v3'),",
        "          ('src','/etc/x'),('src','/proc/x'),('/etc','e'),('src','/proc/1/root'+h+'/x'),('/proc/self/root'+h+'/victim','w')]:",
        "  try: os.rename(*a); print('RENAMED',a)",
        "  except OSError as e: pass",
        "for f,t in [((fd,'victim'),(fd,'v4')),((None,'src'),(fd,'x')),((fd,'victim'),(None,'w'))]:",
        "  try: os.rename(f[1],t[1],src_dir_fd=f[0],dst_dir_fd=t[0]); print('RENAMED',t)",
        "  except OSError as e: pass",
        "os.chdir(h)",
        "try: os.rename('victim','v5'); print('RENAMED')",
        "except OSError as e: pass",
      ].join("\n"),
    ),
    prepare: (place) => put(place, "victim/file", "old\n"),
    then: (place, ran) => {
      expect(ran.stdout).toBe("");
      expect(treeOf(place.place.home).map((line) => line.split(" ")[0])).toEqual(["victim/", "victim/file"]);
    },
  },
  {
    name: "swaps a folder for a link to home while it is renamed",
    command: python(
      [
        "import os,threading,time",
        "h=os.environ['HOMEDIR']; end=time.time()+2",
        "os.symlink(h,'link')",
        "def swap():",
        "  while time.time()<end:",
        "    for n in ('link','src'):",
        "      try: os.rename(n,'t'); os.rename('u' if n=='link' else 'link',n)",
        "      except OSError: pass",
        "threading.Thread(target=swap).start()",
        "i=0",
        "while time.time()<end:",
        "  i+=1",
        "  for a in [('src','n%d'%i),('src/victim','m%d'%i),('link/victim','o%d'%i),('n%d'%i,'link/p%d'%i)]:",
        "    try: os.rename(*a)",
        "    except OSError: pass",
      ].join("\n"),
    ),
    prepare: (place) => put(place, "victim/file", "old\n"),
    then: (place) => expect(treeOf(place.place.home).map((line) => line.split(" ")[0])).toEqual(["victim/", "victim/file"]),
  },
  {
    name: "moves a folder with a secret, by which the copy would hold it",
    command: "mkdir k; mv .env k/ 2>/dev/null; mv k l; cat l/.env; mv l m; cat m/.env; true",
    prepare: secrets,
  },
  {
    name: "reaches others where its words name somebody: by sockets of all kinds, and of other families",
    command: `curl -s -m 1 http://127.0.0.1:9/; ${python(
      [
        "import socket,os",
        "for f,t,p,a in [(2,1,0,('127.0.0.1',22)),(2,2,0,('192.0.2.1',53)),(10,1,0,('::1',22)),(1,1,0,'/dev/log'),(1,2,0,'/run/x'),(1,1,0,'\\0assent'),",
        "                (16,3,9,(0,0)),(17,3,0,('lo',0)),(40,1,0,(2,22)),(2,3,1,('127.0.0.1',0)),(2,1,262,('127.0.0.1',22))]:",
        "  try: s=socket.socket(f,t,p); s.connect(a); s.send(b'x'); print('REACHED',f,t)",
        "  except (OSError,TypeError) as e: pass",
        "try: socket.socket(2,2).sendmsg([b'x'],[],0,('192.0.2.1',53)); print('SENT')",
        "except OSError as e: pass",
      ].join("\n"),
    )}`,
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
  {
    name: "leaves links and files in caches of tools",
    command:
      'mkdir -p "$HOMEDIR/.cache/pip/wheels"; ln -s "$HOMEDIR/.ssh" "$HOMEDIR/.cache/pip/http"; echo evil > "$HOMEDIR/.cache/pip/wheels/x"; echo evil > "$HOMEDIR/.npm/_cacache/x"; echo evil >> "$HOMEDIR/.npm/_cacache/old"; rm -rf "$HOMEDIR/.npm/_logs"; true',
    prepare: (place) => {
      for (const name of [".cache/a", ".npm/_cacache/old", ".npm/_logs/l"]) put(place, name, "old\n");
      own(place, inHome(place, ".npm"));
      put(place, ".ssh/id_rsa", SECRET);
    },
    then: (place) => {
      expect(treeOf(inHome(place, ".cache")).map((line) => line.split(" ")[0])).toEqual(["a"]);
      expect(treeOf(inHome(place, ".npm")).map((line) => line.replace(/ \d+ 1 /, " "))).toEqual([
        "_cacache/ 755",
        "_cacache/old old\n",
        "_logs/ 755",
        "_logs/l old\n",
      ]);
    },
  },
  {
    name: "writes to places that are mounted beside the view",
    command:
      "for d in / /etc /usr/bin /var/lib /srv /run /root /boot /sys /proc /dev; do (echo x > $d/assent-try-attack) 2>/dev/null && echo WRITTEN $d; done; true",
    then: (_, ran) => expect(ran.stdout).toBe(""),
  },
];

function secrets(place: TryPlace): void {
  put(place, ".ssh/id_rsa", SECRET);
  writeFileSync(join(place.cwd, ".env"), `TOKEN=${SECRET}\n`);
  own(place, join(place.cwd, ".env"));
}

const victim = spawn("sleep", ["600"], { stdio: "ignore" });
afterAll(() => {
  victim.kill();
  rmSync("/dev/shm/assent-try-attack", { force: true });
});

describe.each(USERS)("a program of a tried run of %s", (user) => {
  const start = async ({ command, prepare, outside }: Attack): Promise<{ readonly place: TryPlace; readonly ran: Ran }> => {
    const place = new TryPlace(suite, user);
    prepare?.(place);
    const ran = await place.try(command, ["--apply"], { VICTIM: String(victim.pid), UDP: "5353", TCP: "22" });
    await outside?.(place);
    return { place, ran };
  };

  it.each(HELD.map((attack) => [attack.name, attack] as const))("applies nothing that it did: %s", async (_, attack) => {
    const place = new TryPlace(suite, user);
    attack.prepare?.(place);
    const before = [place.cwd, place.place.home].map((folder) => treeOf(folder));
    const ran = await place.try(attack.command);
    expect(ran.status, says(ran)).toBe(75);
    expect([place.cwd, place.place.home].map((folder) => treeOf(folder))).toEqual(before);
  });

  it.each(STOPPED.map((attack) => [attack.name, attack] as const))("does not succeed: %s", async (_, attack) => {
    const { place, ran } = await start(attack);
    expect(says(ran)).not.toContain(SECRET);
    attack.then?.(place, ran);
    for (const [name, text] of [
      [join(place.cwd, ".env"), `TOKEN=${SECRET}\n`],
      [inHome(place, ".ssh/id_rsa"), SECRET],
    ] as const)
      if (existsSync(name)) expect(readFileSync(name, "utf8")).toBe(text);
  });

  it("does not start where a secret has a second name", async () => {
    const place = new TryPlace(suite, user);
    secrets(place);
    linkSync(inHome(place, ".ssh/id_rsa"), join(place.cwd, "notes"));
    const ran = await place.try("cat notes; true");
    expect(says(ran)).not.toContain(SECRET);
  });

  it("36: does not inherit what else was open", async () => {
    const place = new TryPlace(suite, user);
    put(place, "open.txt", "old\n");
    const script = `exec 7>>"$HOMEDIR/open.txt"; "${process.execPath}" "${suite.command}" try --apply -- sh -c 'echo evil >&7; ls -l /proc/self/fd; true'`;
    await place.bare(script);
    expect(readFileSync(inHome(place, "open.txt"), "utf8")).toBe("old\n");
  });

  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`src/f${at}`, "old\n"]));
  it.each([
    ["what is new", "for i in $(seq 300); do echo x > src/n$i; done"],
    ["folders that are new", "for i in $(seq 100); do mkdir -p src/d$i/e; echo x > src/d$i/e/f; done"],
    ["what is changed", "for f in src/f*; do echo x >> $f; done"],
    ["what is replaced, removed, and given another mode", "rm src/f1*; for i in 1 2 3; do mv src/f2$i src/f3$i; done; chmod 600 src/f4*"],
  ])("31: follows no link that somebody puts in the way while %s is applied", async (_, command) => {
    const place = new TryPlace(suite, user, many);
    const cwd = place.cwd;
    await place.try(command, []);
    const id = (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";
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
  });

  it("34: does not live on when whoever supervises it is killed", async () => {
    const place = new TryPlace(suite, user);
    const one = `"${process.execPath}" "${suite.command}" try -- sh -c 'sleep 97 & setsid sleep 97' &`;
    const ran = await place.bare(
      `${one} P=$!; sleep 2; ps -eo args | grep -c '^sleep 97$'; kill -9 $P; sleep 1; ps -eo args | grep -c '^sleep 97$'`,
    );
    expect(ran.stdout, says(ran)).toBe("2\n0\n");
  });
});
