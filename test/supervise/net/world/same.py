"""What sockets say of themselves, one thing after the other: `same.py FOLDER`. Ports and numbers of processes that differ from run to run are left out."""
import array, asyncio, errno, json, multiprocessing, multiprocessing.managers, os, select, socket as S, socketserver, stat, struct, subprocess, sys, threading

folder = sys.argv[1]
os.chdir(folder)
V4, V6, DGRAM, STREAM, UNIX = S.AF_INET, S.AF_INET6, S.SOCK_DGRAM, S.SOCK_STREAM, S.AF_UNIX
FAR4, FAR6, HERE4, HERE6 = "203.0.113.11", "2001:db8::11", "203.0.113.1", "2001:db8::1"
libc_connect = None


def code(call, *args):
    try:
        result = call(*args)
        return result if result is not None else 0
    except OSError as e:
        return errno.errorcode.get(e.errno, str(e))


def unspec(s):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    return 0 if libc.connect(s.fileno(), b"\0" * 16, 16) == 0 else errno.errorcode[ctypes.get_errno()]


def host(name):
    """Without a port, but whether there is one."""
    return name if isinstance(name, (str, bytes)) else [name[0], name[1] != 0, *name[2:]]


def names(s):
    own, peer = code(s.getsockname), code(s.getpeername)
    return [host(own), peer if isinstance(peer, str) else list(peer)]


def udp(family, *steps, options=()):
    s = S.socket(family, DGRAM)
    for option in options:
        s.setsockopt(*option)
    found = []
    for step in steps:
        if step == "end":
            found.append(["end", unspec(s), names(s)])
        elif step[0] == "bind":
            found.append([code(s.bind, (step[1], 0)), names(s)])
        else:
            found.append([code(s.connect, step), names(s)])
    return found


V6ONLY = (41, 26, 1)
LO = (1, 25, b"lo\0")
TEST = {}


def probe(function):
    TEST[function.__name__] = function
    return function


@probe
def udp4():
    return udp(V4, (FAR4, 443), "end", (FAR4, 444), (HERE4, 1), "end")


@probe
def udp4_again():
    """Connected anew it keeps the address of before, until it is ended."""
    return udp(V4, ("127.0.0.1", 9), (FAR4, 443), "end", (FAR4, 443))


@probe
def udp6():
    return udp(V6, (FAR6, 443), "end", (FAR6, 444), "end", ("::1", 444))


@probe
def udp_dual():
    """As getaddrinfo(3) goes through addresses of both kinds with one socket."""
    return udp(V6, (FAR6, 443), "end", ("::ffff:" + FAR4, 443), "end", (FAR6, 1), "end", ("::ffff:127.0.0.1", 1))


@probe
def udp_v6only():
    return udp(V6, ("::ffff:" + FAR4, 443), (FAR6, 443), options=[V6ONLY])


@probe
def udp_bound():
    return udp(V4, ("bind", HERE4), (FAR4, 443), "end", ("127.0.0.1", 9), "end")


@probe
def udp_bound_loopback():
    return udp(V4, ("bind", "127.0.0.1"), (FAR4, 443), "end")


@probe
def udp_any():
    return udp(V6, ("bind", "::"), (FAR6, 443), "end", ("::ffff:" + FAR4, 443), "end")


@probe
def udp_device():
    return udp(V4, (FAR4, 443), ("127.0.0.1", 9), "end", options=[LO])


@probe
def udp_errors():
    return [
        udp(V4, ("255.255.255.255", 9)),
        udp(V4, ("255.255.255.255", 9), options=[(1, 6, 1)]),
        udp(V6, ("2001:db9::1", 9)),
        udp(V4, (FAR4, 0)),
        udp(V4, ("224.0.0.1", 9)),
        code(S.socket(V6, DGRAM).connect, ("fe80::1", 9)),
        unspec(S.socket(V4, DGRAM)),
    ]


@probe
def udp_echo():
    """Connected to a program of the run, ended, connected again."""
    found = []
    for family, at in ((V4, "127.0.0.1"), (V6, "::1"), (V6, "::ffff:127.0.0.1")):
        a, b = S.socket(family, DGRAM), S.socket(family, DGRAM)
        a.bind((at, 0))
        b.connect((FAR4 if family == V4 else FAR6, 9))
        unspec(b)
        b.connect(a.getsockname())
        b.send(b"ask")
        data, who = a.recvfrom(9)
        a.sendto(data[::-1], who)
        found.append([b.recv(9).decode(), who[:2] == b.getsockname()[:2], b.getpeername() == a.getsockname(), host(who)])
    return found


@probe
def getaddrinfo():
    found = [code(S.getaddrinfo, None, 80), code(S.getaddrinfo, "both.test", 80, 0, STREAM), code(S.getaddrinfo, "localhost", 80, 0, STREAM)]
    return [sorted(map(str, f)) if isinstance(f, list) else f for f in found]


@probe
def tcp():
    found = []
    for family, at in ((V4, "127.0.0.1"), (V6, "::1"), (V6, "::ffff:127.0.0.1"), (V6, "::"), (V4, "0.0.0.0")):
        s = S.socket(family)
        s.bind((at, 0))
        s.listen()
        port = s.getsockname()[1]
        for to in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
            c = S.socket(V6 if ":" in to else V4)
            result = code(c.connect, (to, port))
            if result != 0:
                found.append([at, to, result, names(c)[0]])
                continue
            a, who = s.accept()
            again = code(c.connect, (to, port)), code(c.connect, ("127.0.0.1", 1))
            found.append([at, to, host(names(c)[0]), c.getpeername()[0], host(who), host(a.getsockname()), again, unspec(c), names(c)])
        found.append([host(s.getsockname()), code(s.connect, ("127.0.0.1", port)), code(s.listen)])
    return found


@probe
def tcp_nonblocking():
    found = []
    for at in ("127.0.0.1", "::1"):
        family = V6 if ":" in at else V4
        s = S.socket(family)
        s.bind((at, 0))
        c = S.socket(family)
        c.setblocking(False)
        found.append(code(c.connect, s.getsockname()))
        select.select([], [c], [], 5)
        found.append(errno.errorcode[c.getsockopt(1, 4)])
        s.listen()
        c = S.socket(family)
        c.setblocking(False)
        found.append(code(c.connect, s.getsockname()))
        select.select([], [c], [], 5)
        found += [c.getsockopt(1, 4), code(c.connect, s.getsockname()), code(c.connect, s.getsockname()), host(names(c)[0])]
    return found


@probe
def tcp_refused():
    s = S.socket()
    s.bind(("127.0.0.1", 0))
    c = S.socket()
    return [code(c.connect, s.getsockname()), names(c)[1], code(c.connect, s.getsockname()), unspec(c), names(c)]


@probe
def listening():
    """Wherever: the whole machine, or a port of its own choice."""
    found = []
    for family, at, options in ((V4, "0.0.0.0", ()), (V6, "::", ()), (V6, "::", (V6ONLY,)), (V4, None, ()), (V6, None, ())):
        for port in (0, 18333):
            s = S.socket(family)
            s.setsockopt(1, 2, 1)
            for option in options:
                s.setsockopt(*option)
            if at is not None:
                s.bind((at, port))
            s.listen()
            name = s.getsockname()
            for to in ("127.0.0.1", "::1", HERE4, HERE6):
                c = S.socket(V6 if ":" in to else V4)
                found.append([at, port, host(name), code(c.connect, (to, name[1])), c.close()])
            s.close()
    u = S.socket(V4, DGRAM)
    u.bind(("0.0.0.0", 18334))
    v = S.socket(V4, DGRAM)
    v.sendto(b"x", ("127.0.0.1", 18334))
    return [found, u.recvfrom(5)[0].decode(), host(u.getsockname())]


def pair(path, shown=None, client=None):
    s = S.socket(UNIX)
    bound = code(s.bind, path)
    if bound != 0:
        return bound
    s.listen()
    c = S.socket(UNIX)
    if client is not None:
        c.bind(client)
    connected = code(c.connect, path)
    if connected != 0:
        return [bound, connected, names(s)]
    a, who = s.accept()
    a.send(b"hello")
    data, sender = c.recvfrom(2)
    rest, _, _, from_ = c.recvmsg(9)
    pids = [struct.unpack("3i", x.getsockopt(1, 17, 12)) for x in (a, c)]
    return [bound, names(s), names(a), names(c), str(who), data.decode(), str(sender), rest.decode(), str(from_), [p == (os.getpid(), os.geteuid(), os.getegid()) for p in pids]]


@probe
def unix_absolute():
    return [x for x in pair(folder + "/absolute.sock")]


@probe
def unix_relative():
    os.makedirs("deep/er", exist_ok=True)
    return [pair("relative.sock"), pair("./deep/../deep/er/a.sock"), pair("deep//er/./b.sock")]


@probe
def unix_linked():
    os.makedirs("real", exist_ok=True)
    os.symlink("real", "link")
    return [pair("link/s.sock"), os.listdir("real")]


@probe
def unix_long():
    found = []
    for length in (60, 88, 95, 100, 106, 107, 108):
        name = "n" * length
        found.append(pair(name))
        found.append([os.path.exists(name) and stat.S_ISSOCK(os.stat(name).st_mode), [n for n in os.listdir(".") if n.startswith(".")]])
    return found + [code(S.socket(UNIX).bind, "n" * 107), code(S.socket(UNIX).bind, "gone/" + "n" * 90)]


@probe
def unix_abstract():
    a = S.socket(UNIX)
    a.bind("")
    return [pair(b"\0assent-same"), len(a.getsockname()), a.getsockname()[:1] == b"\0"]


@probe
def unix_errors():
    s = S.socket(UNIX)
    s.bind("once.sock")
    return [
        code(s.bind, "twice.sock"),
        os.path.exists("twice.sock"),
        code(S.socket(UNIX).bind, "once.sock"),
        code(S.socket(UNIX).bind, "no/such"),
        code(S.socket(UNIX).bind, "once.sock/x"),
        code(S.socket(UNIX).bind, "slash/"),
        code(S.socket(UNIX).connect, "once.sock"),
        code(S.socket(UNIX).connect, "nobody"),
        names(s),
        names(S.socket(UNIX)),
        [names(x) for x in S.socketpair()],
    ]


@probe
def unix_modes():
    found = []
    for mask in (0, 0o22, 0o77, 0o777):
        before = os.umask(mask)
        s = S.socket(UNIX)
        os.fchmod(s.fileno(), 0o640) if mask == 0 else None
        s.bind(f"mode{mask}")
        os.umask(before)
        found.append(oct(os.stat(f"mode{mask}").st_mode))
        os.chmod(f"mode{mask}", 0o600)
        found.append([oct(os.stat(f"mode{mask}").st_mode), oct(os.fstat(s.fileno()).st_mode), names(s)])
        os.rename(f"mode{mask}", f"moved{mask}")
        found.append(names(s))
        os.unlink(f"moved{mask}")
        found.append(names(s))
    return found


@probe
def unix_children():
    """Who connected is told, whoever inherits the socket."""
    s = S.socket(UNIX)
    s.bind("children.sock")
    s.listen()
    child = subprocess.Popen([sys.executable, "-c", "import socket,struct,os,sys;c=socket.socket(socket.AF_UNIX);c.connect('children.sock');p=struct.unpack('3i',c.getsockopt(1,17,12));print(p[0]==os.getppid());sys.stdin.read()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    a, _ = s.accept()
    pid = struct.unpack("3i", a.getsockopt(1, 17, 12))[0]
    short = a.getsockopt(1, 17, 4)
    out, _ = child.communicate(b"")
    return [pid == child.pid, len(short), out.decode()]


@probe
def unix_bound_client():
    return pair("server.sock", client="client.sock")[:4]


@probe
def descriptors():
    found = []
    s = S.socket(UNIX)
    s.bind("fds.sock")
    s.listen()
    c = S.socket(UNIX)
    c.connect("fds.sock")
    a, _ = s.accept()
    r, w = os.pipe()
    os.write(w, b"through")
    S.send_fds(a, [b"m"], [r])
    data, fds, _, _ = S.recv_fds(c, 9, 3)
    return [data.decode(), os.read(fds[0], 9).decode()]


@probe
def manager():
    with multiprocessing.Manager() as m:
        d = m.dict()
        d["x"] = 1
        return dict(d)


@probe
def server():
    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(self.rfile.readline().upper())

    with socketserver.ThreadingUnixStreamServer("server2.sock", Handler) as s:
        threading.Thread(target=s.serve_forever, daemon=True).start()
        c = S.socket(UNIX)
        c.connect(s.server_address)
        c.sendall(b"line\n")
        data = c.recv(9).decode()
        s.shutdown()
        return [s.server_address, data]


@probe
def asyncio_unix():
    async def main():
        async def serve(reader, writer):
            writer.write((await reader.readline()).upper())
            await writer.drain()
            writer.close()

        s = await asyncio.start_unix_server(serve, "asyncio.sock")
        r, w = await asyncio.open_unix_connection("asyncio.sock")
        w.write(b"line\n")
        data = await r.readline()
        found = [data.decode(), w.get_extra_info("peername"), w.get_extra_info("sockname"), s.sockets[0].getsockname()]
        w.close()
        s.close()
        return found

    return asyncio.run(main())


for name, function in TEST.items():
    if len(sys.argv) > 2 and name not in sys.argv[2:]:
        continue
    try:
        result = function()
    except BaseException as e:
        result = f"{type(e).__name__}: {e}"
    print(json.dumps([name, result], default=str).replace(folder, "FOLDER"), flush=True)
os._exit(0)
