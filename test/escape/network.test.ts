import { python, sh, type Expect, type Program } from "./harness/program.ts";
import { escapes, type Row, type Seen } from "./harness/suite.ts";

/**
 * Beside the run: servers for TCP on 7001, UDP on 7002 of every address, and a name server. What reaches them is a line of
 * /srv/hits. 203.0.113.5 and .6 are addresses of this machine that look like the internet's (lo-up.c).
 */
const SERVERS = `cat > /tmp/servers.py <<'END'
import os, socket, threading, struct, sys
def hit(what):
    fd = os.open("/srv/hits", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666); os.write(fd, (what + "\\n").encode()); os.close(fd)
def tcp():
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.setsockopt(socket.IPPROTO_TCP, 23, 16)
    s.bind(("0.0.0.0", 7001)); s.listen(64)
    while True:
        c, a = s.accept(); hit("tcp"); c.sendall(b"hello\\n"); c.close()
def udp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("0.0.0.0", 7002))
    while True: s.recvfrom(4096); hit("udp")
NAMES = {b"allowed.test": "203.0.113.5", b"evil.test": "203.0.113.6", b"inside.test": "127.0.0.1", b"allowed.test.evil.test": "203.0.113.6", b"metadata.test": "169.254.169.254"}
def dns():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", int(os.environ.get("DNS_PORT", "53"))))
    while True:
        q, a = s.recvfrom(4096); name = []; at = 12
        while q[at]: name.append(q[at+1:at+1+q[at]]); at += 1 + q[at]
        end = at + 5; kind = struct.unpack(">H", q[at+1:at+3])[0]; full = b".".join(name).lower()
        if kind == 16: hit("dns " + full.decode("latin1"))
        ip = NAMES.get(full)
        answer = struct.pack(">HHHLH", 0xc00c, 1, 1, 60, 4) + socket.inet_aton(ip) if ip and kind == 1 else b""
        s.sendto(q[:2] + (b"\\x81\\x80" if ip else b"\\x81\\x83") + struct.pack(">HHHH", 1, 1 if answer else 0, 0, 0) + q[12:end] + answer, a)
def sockets():
    for path in sys.argv[1:]:
        abstract = path.startswith("@")
        for kind, suffix in ((socket.SOCK_STREAM, ""), (socket.SOCK_DGRAM, ".dgram")):
            s = socket.socket(socket.AF_UNIX, kind)
            p = path + suffix
            if not abstract: os.makedirs(os.path.dirname(p), exist_ok=True)
            s.bind("\\0" + p[1:] if abstract else p)
            if not abstract: os.chmod(p, 0o777)
            def stream(s=s):
                s.listen(16)
                while True: c, _ = s.accept(); hit("unix"); c.close()
            def dgram(s=s):
                while True: s.recvfrom(100); hit("dgram")
            threading.Thread(target=stream if kind == socket.SOCK_STREAM else dgram, daemon=True).start()
for f in (tcp, udp): threading.Thread(target=f, daemon=True).start()
if os.getuid() == 0 or os.environ.get("DNS_PORT"): pass
sockets()
try: threading.Thread(target=dns, daemon=True).start()
except OSError: pass
import time; time.sleep(0.3)
open("/srv/ready", "w").close()
threading.Event().wait()
END
`;
/** As root of the namespaces, so that the ports are free and `/run` can be written. */
const servers = (...sockets: readonly string[]): string =>
  `${SERVERS} touch /srv/hits; chmod 666 /srv/hits; echo 'nameserver 127.0.0.1' > /tmp/resolv.conf; mount --bind /tmp/resolv.conf /etc/resolv.conf; echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range; python3 /tmp/servers.py ${sockets.join(" ")} & for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -e /srv/ready ] || sleep 0.2; done`;
/** Each of a stream and of datagrams. */
const ON_WHICH_OTHERS_LISTEN = ["a", "b", "c", "d", "e", "in/f", "in/er/g"];
const HITS = "sleep 0.2; echo hits $(wc -l < /srv/hits)";
const nothing = ({ labels }: Seen): readonly string[] =>
  labels.get("hits") === "0" ? [] : [`${labels.get("hits")} things arrived outside`];

const A = "203.0.113.5";
const refusedOr = (text: string): RegExp => new RegExp(`^(?:EACCES|EPERM|${text})$`);
const off: Expect = ["any", /^(?:EACCES|EPERM|ENOSYS|EAFNOSUPPORT|EPROTONOSUPPORT|ESOCKTNOSUPPORT|EINVAL|EOPNOTSUPP)$/];

/** Python knows EOPNOTSUPP by its other name. */
const fastOpen: Expect = ["works", /^(?:EACCES|EPERM|ENOTSUP)$/];

const attempt = (text: string, expect: Readonly<Record<string, Expect>>): Program => python(text, expect);

const rows: readonly Row[] = [
  {
    number: "91",
    title: "TCP fast open",
    prelude: servers(),
    after: HITS,
    program: attempt(
      `
def s(): return socket.socket()
t("sendto", lambda: s().sendto(b"x", 0x20000000, ("${A}", 7001)))
t("sendmsg", lambda: s().sendmsg([b"x"], [], 0x20000000, ("${A}", 7001)))
name = ctypes.create_string_buffer(struct.pack("<H", 2) + struct.pack(">H", 7001) + socket.inet_aton("${A}") + bytes(8), 16)
data = ctypes.create_string_buffer(b"x", 1); iov = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(data), 1), 16)
msg = ctypes.create_string_buffer(struct.pack("QIIQQQQiI", ctypes.addressof(name), 16, 0, ctypes.addressof(iov), 1, 0, 0, 0, 0) + bytes(16), 72)
k = s(); t("sendmmsg", lambda: sc(307, k.fileno(), msg, 1, 0x20000000))
k2 = s(); t("high-flags", lambda: sc(44, k2.fileno(), B("x"), 1, 0x120000000, name, 16))
def by_option():
    k = s(); k.setsockopt(6, 30, 1); k.connect(("${A}", 7001)); k.send(b"x")
t("option", by_option)
t("plain", lambda: s().connect(("${A}", 7001)))
`,
      { sendto: fastOpen, sendmsg: fastOpen, sendmmsg: fastOpen, "high-flags": fastOpen, option: "refused", plain: "refused" },
    ),
    refused: ["connect"],
    check: nothing,
  },
  {
    number: "93",
    title: "datagrams, pings and raw packets",
    prelude: servers(),
    after: HITS,
    program: attempt(
      `
def u(): return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
A = ("${A}", 7002)
t("sendto", lambda: u().sendto(b"x", A))
def connected(): k = u(); k.connect(A); k.send(b"x")
t("connected", connected)
t("sendmsg", lambda: u().sendmsg([b"x"], [], 0, A))
name = ctypes.create_string_buffer(struct.pack("<H", 2) + struct.pack(">H", 7002) + socket.inet_aton("${A}") + bytes(8), 16)
data = ctypes.create_string_buffer(b"x", 1); iov = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(data), 1), 16)
msg = ctypes.create_string_buffer(struct.pack("QIIQQQQiI", ctypes.addressof(name), 16, 0, ctypes.addressof(iov), 1, 0, 0, 0, 0) + bytes(16), 72)
def mmsg(): k = u(); return sc(307, k.fileno(), msg, 1, 0)
t("sendmmsg", mmsg)
def second():
    k = u(); k.connect(("127.0.0.1", 9)); return k.sendto(b"x", A)
t("connected-elsewhere", second)
t("broadcast", lambda: (lambda k: (k.setsockopt(1, 6, 1), k.sendto(b"x", ("255.255.255.255", 7002))))(u()) and 0)
t("six", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x", ("::ffff:${A}", 7002)))
t("ping", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).sendto(b"\\x08\\0\\0\\0\\0\\0\\0\\0", ("${A}", 0)))
t("udplite", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136).sendto(b"x", A))
t("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 255) and 0)
query = b"\\1\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + b"\\7secrets\\4evil\\4test\\0" + b"\\0\\x10\\0\\1"
t("dns-chosen", lambda: u().sendto(query, ("${A}", 53)))
`,
      {
        sendto: "absent",
        // Connecting sends nothing; it is how the C library looks for its own address.
        connected: ["works", /^(?:EACCES|EPERM|EDESTADDRREQ)$/],
        sendmsg: "absent",
        sendmmsg: "absent",
        "connected-elsewhere": ["any", "absent"],
        six: ["any", /^(?:EACCES|EPERM|ENOSYS|EAFNOSUPPORT|ENETUNREACH)$/],
        ping: "absent",
        udplite: off,
        raw: off,
        // The one asked is the system's own name server, whoever was meant.
        "dns-chosen": "any",
      },
    ),
    check: nothing,
  },
  {
    number: "95",
    title: "being reachable",
    prelude: servers(),
    after: HITS,
    program: attempt(
      `
def l(kind=socket.SOCK_STREAM): return socket.socket(socket.AF_INET, kind)
def listening(): k = l(); k.listen()
t("unbound", listening)
def anywhere(): k = l(); k.bind(("0.0.0.0", 0)); k.listen()
t("anywhere", anywhere)
def fixed(): k = l(); k.bind(("${A}", 8000)); k.listen()
t("address", fixed)
def hijack():
    k = l(); k.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); k.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    k.bind(("${A}", 7001)); k.listen()
t("hijack", hijack)
def six(): k = socket.socket(socket.AF_INET6); k.bind(("::", 8001)); k.listen()
t("six", six)
def local(): k = l(); k.bind(("127.0.0.1", 0)); k.listen(); c = socket.create_connection(k.getsockname()); s, _ = k.accept(); s.send(b"x"); return c.recv(1).decode()
t("local", local)
def pair(): a, b = socket.socketpair(); a.send(b"x"); return b.recv(1).decode()
t("pair", pair)
`,
      {
        // Bound to the loopback device: nobody outside hears them.
        unbound: "0",
        anywhere: "0",
        address: "refused",
        hijack: ["EADDRINUSE", refusedOr("EADDRINUSE")],
        six: ["any", /^(?:0|EAFNOSUPPORT)$/],
        local: "x",
        pair: "x",
      },
    ),
    check: nothing,
  },
  {
    number: "97",
    title: "sockets of services",
    prelude: `mkdir -p -m 777 /tmp/.X11-unix; ${servers("/run/docker.sock", "/run/user/1000/bus", "/run/systemd/private", "/run/agent.sock", "@/tmp/.X11-unix/X0", "@outside", "/srv/O/s")}; ln -s /run/docker.sock /srv/O/dl`,
    unchanged: ["$S", "$O/d"],
    env: { SSH_AUTH_SOCK: "/run/agent.sock" },
    after: HITS,
    program: attempt(
      `
def c(p, kind=socket.SOCK_STREAM):
    k = socket.socket(socket.AF_UNIX, kind); k.connect(p)
def d(p):
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", p)
os.symlink("/run/docker.sock", W + "/l")
t("docker", lambda: c("/run/docker.sock")); t("var", lambda: c("/var/run/docker.sock")); t("link", lambda: c(W + "/l")); t("link2", lambda: c(O + "/dl"))
t("agent", lambda: c(os.environ["SSH_AUTH_SOCK"])); t("bus", lambda: c("/run/user/1000/bus")); t("systemd", lambda: c("/run/systemd/private"))
t("abstract", lambda: c("\\0outside")); t("x11", lambda: c("\\0/tmp/.X11-unix/X0")); t("plain", lambda: c(O + "/s"))
t("dgram", lambda: d("/run/docker.sock.dgram")); t("dgram-abstract", lambda: d("\\0outside.dgram")); t("dgram-connected", lambda: c("/run/docker.sock.dgram", socket.SOCK_DGRAM)); t("dgram-plain", lambda: d(O + "/s.dgram"))
os.chdir("/run"); t("relative", lambda: c("docker.sock")); t("dots", lambda: c("../run/./docker.sock")); t("proc", lambda: c("/proc/self/root/run/docker.sock"))
fd = os.open("/run", os.O_PATH); t("fd", lambda: c("/proc/self/fd/%d/docker.sock" % fd))
`,
      Object.fromEntries(
        [
          "docker",
          "var",
          "link",
          "link2",
          "agent",
          "bus",
          "systemd",
          "abstract",
          "x11",
          "plain",
          "dgram",
          "dgram-abstract",
          "dgram-connected",
          "dgram-plain",
          "relative",
          "dots",
          "proc",
          "fd",
        ].map((label) => [label, "absent" as const]),
      ),
    ),
    refused: ["connect"],
    check: nothing,
  },
  {
    number: "97c",
    title: "sockets on which others listen are not taken away, moved or changed",
    // In places of the run's own, and one that nobody listens on any more.
    prelude: `${servers(...ON_WHICH_OTHERS_LISTEN.map((name) => `/srv/W/${name}`))}; chmod 777 /srv/W/in /srv/W/in/er
      python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/srv/W/stale")'; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/srv/W/stale2")'; chmod 777 /srv/W/stale /srv/W/stale2`,
    after: `${HITS}; for s in ${ON_WHICH_OTHERS_LISTEN.join(" ")}; do [ -S /srv/W/$s ] && [ -S /srv/W/$s.dgram ] || echo "gone $s"; done`,
    program: attempt(
      `
def own(p): k = socket.socket(socket.AF_UNIX); k.bind(p); return k
os.chdir(W)
t("unlink", lambda: os.unlink("a")); t("dgram", lambda: os.unlink(W + "/a.dgram"))
t("rename", lambda: os.rename("b", "x")); t("out", lambda: os.rename("b.dgram", "in/x"))
open("y", "w").close(); t("over", lambda: os.rename("y", "c"))
open("z", "w").close()
def exchange(a, b):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, a, -100, b, 2): raise OSError(ctypes.get_errno(), "")
t("exchange", lambda: exchange(b"z", b"c.dgram"))
t("chmod", lambda: os.chmod("d", 0)); t("proc", lambda: os.chmod("/proc/self/fd/%d" % os.open("d.dgram", os.O_PATH), 0))
t("times", lambda: os.utime("e")); t("link", lambda: os.link("e", "h"))
os.symlink("in/f", "l"); t("symlink", lambda: os.unlink("l"))
t("nested", lambda: os.rename("in/er", "er")); t("folder", lambda: os.rename("in", "moved"))
k = own("mine"); k.listen(); t("own", lambda: os.rename("mine", "mine2")); t("own-chmod", lambda: os.chmod("mine2", 0o700)); t("own-unlink", lambda: os.unlink("mine2"))
os.makedirs("m/n"); own("m/n/s"); t("own-folder", lambda: os.rename("m", "m2"))
t("stale", lambda: os.unlink("stale")); t("stale-rename", lambda: os.rename("stale2", "stale3"))
os.mkfifo("pipe"); t("pipe", lambda: os.unlink("pipe"))
os.symlink("nowhere", "dangling"); t("dangling", lambda: os.unlink("dangling")); os.symlink("loop", "loop"); t("loop", lambda: os.unlink("loop"))
`,
      {
        ...Object.fromEntries(
          "unlink dgram rename out over exchange folder nested symlink".split(" ").map((label) => [label, "refused" as const]),
        ),
        ...Object.fromEntries("chmod proc times link".split(" ").map((label) => [label, ["any", refusedOr("EPERM")] as const])),
        ...Object.fromEntries(
          "own own-chmod own-unlink own-folder stale stale-rename pipe dangling loop".split(" ").map((label) => [label, "works" as const]),
        ),
      },
    ),
    refused: ["delete", "rename"],
    check: ({ stdout, ...seen }) => [...nothing({ stdout, ...seen }), ...(stdout.match(/^gone .*/gm) ?? [])],
  },
  {
    number: "97a",
    title: "sockets of the run's own",
    program: attempt(
      `
k = socket.socket(socket.AF_UNIX); k.bind(W + "/s"); k.listen()
t("own", lambda: socket.socket(socket.AF_UNIX).connect(W + "/s"))
os.chdir(W); t("relative", lambda: socket.socket(socket.AF_UNIX).connect("s"))
a = socket.socket(socket.AF_UNIX); a.bind("\\0mine"); a.listen(); t("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0mine"))
t("missing", lambda: socket.socket(socket.AF_UNIX).connect(W + "/none"))
t("file", lambda: socket.socket(socket.AF_UNIX).connect(W + "/f"))
# getsockname() gives another path: docs/security.md.
`,
      { own: "0", relative: "0", abstract: ["0", "any"], missing: "ENOENT", file: "ECONNREFUSED" },
    ),
  },
  {
    number: "99",
    title: "names",
    prelude: servers(),
    allow: ["Net(allowed.test:7001)", "Net(inside.test:7001)", "Net(metadata.test:80)"],
    after: HITS,
    program: attempt(
      `
def go(name, port=7001):
    k = socket.create_connection((name, port), 5); r = k.recv(5).decode(); k.close(); return r
t("allowed", lambda: go("allowed.test"))
t("upper", lambda: go("ALLOWED.test"))
t("dot", lambda: go("allowed.test."))
t("port", lambda: go("allowed.test", 7009))
t("evil", lambda: go("evil.test"))
t("suffix", lambda: go("allowed.test.evil.test"))
t("address-evil", lambda: go("203.0.113.6"))
t("nul", lambda: go("allowed.test\\0.evil.test"))
t("userinfo", lambda: go("allowed.test@evil.test"))
t("mapped", lambda: (socket.socket(socket.AF_INET6).connect(("::ffff:203.0.113.6", 7001)), 0)[1])
t("inside", lambda: go("inside.test"))
t("metadata", lambda: go("metadata.test", 80))
t("decimal", lambda: go("3405803782"))
`,
      {
        allowed: "hello",
        upper: "hello",
        dot: "hello",
        port: ["ECONNREFUSED", refusedOr("ECONNREFUSED")],
        evil: ["hello", "refused"],
        suffix: ["hello", "refused"],
        "address-evil": ["hello", "refused"],
        // The C library ends the name there.
        nul: "any",
        userinfo: ["any", /^(?!hello$)/],
        mapped: ["any", /^(?:EACCES|EPERM|EAFNOSUPPORT|ENETUNREACH)$/],
        inside: ["hello", "refused"],
        metadata: ["any", refusedOr("ENETUNREACH|EHOSTUNREACH|gaierror")],
        decimal: ["any", /^(?!hello$)/],
      },
    ),
    refused: ["connect"],
    check: ({ labels }) => (/^[34]$/.test(labels.get("hits") ?? "") ? [] : [`${labels.get("hits")} connections arrived, not 3`]),
  },
  {
    number: "101",
    title: "families and kinds of sockets",
    program: attempt(
      `
for name, f, k, p in [("vsock", 40, 1, 0), ("netlink-audit", 16, 3, 9), ("netlink-generic", 16, 3, 16), ("netlink-diag", 16, 3, 4), ("packet", 17, 3, 768), ("packet-old", 2, 10, 768), ("alg", 38, 5, 0),
    ("bluetooth", 31, 3, 0), ("xdp", 44, 3, 0), ("mptcp", 2, 1, 262), ("sctp", 2, 1, 132), ("smc", 43, 1, 0), ("smc-inet", 2, 1, 256), ("raw", 2, 3, 1), ("raw6", 10, 3, 58), ("tipc", 30, 1, 0), ("can", 29, 3, 1), ("key", 15, 3, 2), ("rds", 21, 5, 0), ("ax25", 3, 5, 0), ("kcm", 41, 5, 0), ("dccp", 2, 6, 33)]:
    t(name, lambda: sc(41, f, k, p) * 0)
t("high-domain", lambda: sc(41, 0x100000000 + 40, 1, 0) * 0)
t("flags", lambda: sc(41, 40, 1 | 0o4000 | 0o2000000, 0) * 0)
t("pair", lambda: sc(53, 40, 1, 0, B(bytes(8))))
t("tcp", lambda: sc(41, 2, 1, 0) * 0); t("tcp6", lambda: sc(41, 10, 1 | 0o2000000, 6) * 0); t("unix", lambda: sc(41, 1, 1 | 0o4000, 0) * 0)
t("addresses", lambda: len(socket.if_nameindex()) > 0)
`,
      {
        ...Object.fromEntries(
          [
            "vsock",
            "netlink-audit",
            "netlink-generic",
            "packet",
            "packet-old",
            "alg",
            "bluetooth",
            "xdp",
            "mptcp",
            "sctp",
            "smc",
            "smc-inet",
            "raw",
            "raw6",
            "tipc",
            "can",
            "key",
            "rds",
            "ax25",
            "kcm",
            "dccp",
            "high-domain",
            "flags",
          ].map((label) => [label, off]),
        ),
        tcp: "0",
        tcp6: "same",
        unix: "0",
        // ss(8): it tells what /proc/net does. Ending somebody's connection needs CAP_NET_ADMIN, which no run has.
        "netlink-diag": "0",
        addresses: "True",
      },
    ),
  },
  {
    number: "101a",
    title: "a shell's own connections, and those of tools",
    prelude: servers(),
    after: HITS,
    program: sh(
      `t bash 'bash -c "exec 3<>/dev/tcp/${A}/7001"'; t udp 'bash -c "echo x > /dev/udp/${A}/7002"'; t node '$NODE -e "require(\\"net\\").connect(7001, \\"${A}\\").on(\\"error\\", () => process.exit(1)).on(\\"connect\\", () => process.exit(0))"'`,
      { bash: "refused", udp: "refused", node: "refused" },
    ),
    check: nothing,
  },
];

escapes("I. Network", rows);
