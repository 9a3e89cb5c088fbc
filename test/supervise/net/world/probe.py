"""Tries one thing after the other and prints what became of each: `probe.py FOLDER NAME...`."""
import errno, os, signal, socket as S, struct, sys, threading, time

folder = sys.argv[1]
INET, DGRAM = S.AF_INET, S.SOCK_DGRAM


def tcp(host, port, send=b"x\n"):
    with S.create_connection((host, port), 5) as s:
        s.sendall(send)
        return s.recv(100)[-3:].decode().strip()


def udp(host, port, how="sendto"):
    s = S.socket(INET, DGRAM)
    s.settimeout(2)
    if how == "sendto":
        s.sendto(b"secret", (host, port))
    elif how == "sendmsg":
        s.sendmsg([b"sec", b"ret"], [], 0, (host, port))
    elif how == "pktinfo":
        s.sendmsg([b"secret"], [(0, 8, struct.pack("i4s4s", S.if_nametoindex("v0"), b"\0" * 4, b"\0" * 4))], 0, (host, port))
    else:
        s.connect((host, port))
        s.send(b"secret")
    return s.recv(100).decode()


def unix(address):
    s = S.socket(S.AF_UNIX)
    s.connect(address)
    return "connected"


def own_tcp():
    s = S.socket()
    s.bind(("127.0.0.1", 0))
    s.listen()
    c = S.create_connection(s.getsockname())
    a, _ = s.accept()
    c.sendmsg([b"a", b"bc"])
    return a.recv(10).decode()


def own_udp():
    a, b = S.socket(INET, DGRAM), S.socket(INET, DGRAM)
    a.bind(("127.0.0.1", 0))
    b.sendto(b"q", a.getsockname())
    data, who = a.recvfrom(10)
    a.sendmsg([data, b"r"], [], 0, who)
    b.settimeout(2)
    data, who = b.recvfrom(10)
    return data.decode() + str(who == a.getsockname())


def own_unix():
    path = f"{folder}/own.sock"
    os.umask(0o027)
    s = S.socket(S.AF_UNIX)
    s.bind(path)
    s.listen()
    mode = oct(os.stat(path).st_mode & 0o777)
    os.chdir(folder)
    c = S.socket(S.AF_UNIX)
    c.connect("own.sock")
    a, _ = s.accept()
    r, w = os.pipe()
    os.write(w, b"through")
    S.send_fds(c, [b"m"], [r])
    _, fds, _, _ = S.recv_fds(a, 10, 4)
    return f"{mode} {os.read(fds[0], 10).decode()}"


def own_abstract():
    s = S.socket(S.AF_UNIX)
    s.bind("\0assent-test-own")
    s.listen()
    return unix("\0assent-test-own")


def listen(host, reuse=False, port=0):
    s = S.socket(S.AF_INET6 if ":" in host else INET)
    if reuse:
        s.setsockopt(S.SOL_SOCKET, S.SO_REUSEPORT, 1)
    if host != "-":
        s.bind((host, port))
    s.listen()
    return "listens"


def heard():
    """Somebody outside dials a server that listens everywhere: the peer does, when it is told to."""
    s = S.socket()
    s.bind(("0.0.0.0", 18335))
    s.listen()
    s.settimeout(4)
    # The name that is looked up tells the peer.
    try:
        S.getaddrinfo("dial-18335.test", 80)
    except S.gaierror:
        pass
    try:
        s.accept()
        return "heard"
    except TimeoutError:
        return "refused"


def raw_dns(receive, unconnected):
    """As musl asks: the answer counts only when it comes from the name server."""
    s = S.socket(INET, DGRAM)
    s.settimeout(5)
    query = b"\x12\x34\x01\0\0\1\0\0\0\0\0\0" + b"\7allowed\4test\0" + b"\0\1\0\1"
    server = ("203.0.113.10", 53)
    if unconnected:
        s.sendto(query, server)
    else:
        s.connect(server)
        s.send(query)
    if receive == "recvfrom":
        data, who = s.recvfrom(512)
    elif receive == "recvmsg":
        data, _, _, who = s.recvmsg(512)
    else:
        data, who = s.recv(512), server
    return f"{S.inet_ntoa(data[-4:])} {who == server}"


def sorted_addresses():
    s = S.socket(INET, DGRAM)
    s.connect(("203.0.113.11", 443))
    name = s.getsockname()[0]
    try:
        s.send(b"secret")
        return "sent"
    except OSError as e:
        return f"{name} {errno.errorcode[e.errno]}"


def blocking():
    s = S.socket()
    s.connect(("203.0.113.10", 80))
    return tcp("203.0.113.10", 80)


def big():
    """More than the buffers hold, in one call, to a slow reader."""
    s = S.create_connection(("203.0.113.10", 81))
    s.settimeout(None)
    data = b"x" * 5_000_000 + b"\n"
    sent = s.sendmsg([data])
    return f"{sent == len(data)} {s.recv(100).decode() == str(len(data))}"


def nonblocking():
    s = S.socket()
    s.setblocking(False)
    result = s.connect_ex(("203.0.113.10", 80))
    import select
    select.select([], [s], [], 5)
    return f"{errno.errorcode[result]} {s.getsockopt(S.SOL_SOCKET, S.SO_ERROR)}"


def interrupted():
    """A blocking connect to nowhere ends by a signal, as it does natively."""
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("alarm")))
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    begun = time.time()
    try:
        s = S.socket()
        s.connect(("203.0.113.99", 80))
    except TimeoutError:
        return f"alarm {time.time() - begun < 2}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def timeout():
    s = S.socket()
    s.setsockopt(S.SOL_SOCKET, S.SO_SNDTIMEO, struct.pack("ll", 0, 200_000))
    begun = time.time()
    result = s.connect_ex(("203.0.113.99", 80))
    return f"{errno.errorcode[result]} {time.time() - begun < 2}"


def broken_pipe():
    seen = []
    signal.signal(signal.SIGPIPE, lambda *_: seen.append(1))
    a, b = S.socketpair()
    b.close()
    try:
        a.sendmsg([b"x"])
    except OSError as e:
        return f"{errno.errorcode[e.errno]} {len(seen)}"


def route(level, name, value, family=INET):
    S.socket(family).setsockopt(level, name, value)
    return "set"


def race():
    """Another thread puts a datagram socket in the place of a stream, while sendmsg is on its way (IP_PKTINFO leaves by any interface)."""
    a, b = S.socketpair()
    datagrams = S.socket(INET, DGRAM)
    slot = os.dup(a.fileno())
    stop = []

    def swap():
        while not stop:
            os.dup2(datagrams.fileno(), slot)
            os.dup2(a.fileno(), slot)

    threading.Thread(target=swap).start()
    info = (0, 8, struct.pack("i4s4s", S.if_nametoindex("v0"), b"\0" * 4, b"\0" * 4))
    held = S.socket(INET, DGRAM, 0, slot)
    b.setblocking(False)
    end = time.time() + 2
    tries = 0
    while time.time() < end:
        tries += 1
        try:
            held.sendmsg([b"raced"], [info], 0, ("8.8.8.8", 9999))
        except OSError:
            pass
        try:
            b.recv(4096)
        except OSError:
            pass
    stop.append(1)
    held.detach()
    return "tried" if tries > 100 else str(tries)


PROBES = {
    "allowed": lambda: tcp("allowed.test", 80),
    "ALLOWED.": lambda: tcp("ALLOWED.test.", 80),
    "allowed:81": lambda: tcp("allowed.test", 81),
    "alias": lambda: tcp("alias.test", 80),
    "other": lambda: tcp("other.test", 80),
    "shop": lambda: tcp("shop.test", 80),
    "wild": lambda: tcp("sub.wild.test", 80),
    "wild inside": lambda: tcp("db.wild.test", 80),
    "inside": lambda: tcp("inside.test", 80),
    "meta": lambda: tcp("meta.test", 80),
    "meta address": lambda: tcp("169.254.169.254", 80),
    "here by name": lambda: tcp("here.test", 18080),
    "address": lambda: tcp("203.0.113.10", 80),
    "mapped": lambda: tcp("::ffff:203.0.113.10", 80),
    "other address": lambda: tcp("203.0.113.11", 80),
    "outer tcp": lambda: tcp("127.0.0.1", 18080),
    "outer zero": lambda: tcp("0.0.0.0", 18080),
    "outer by own address": lambda: tcp("203.0.113.1", 18083),
    "nobody": lambda: tcp("127.0.0.1", 18999),
    "outer udp": lambda: udp("127.0.0.1", 18081),
    "outer path": lambda: unix(f"{folder}/outside.sock"),
    "outer abstract": lambda: unix("\0assent-test-outside"),
    "own tcp": own_tcp,
    "own udp": own_udp,
    "own unix": own_unix,
    "own abstract": own_abstract,
    "listen any": lambda: listen("0.0.0.0"),
    "listen any6": lambda: listen("::"),
    "listen unbound": lambda: listen("-"),
    "listen 3000": lambda: listen("0.0.0.0", port=3000),
    "listen far": lambda: listen("203.0.113.1"),
    "listen 53": lambda: listen("0.0.0.0", port=53),
    "heard from outside": heard,
    "listen loopback": lambda: listen("127.0.0.1"),
    "hijack": lambda: listen("127.0.0.1", True, 18082),
    "udp": lambda: udp("203.0.113.10", 9999),
    "udp sendmsg": lambda: udp("203.0.113.10", 9999, "sendmsg"),
    "udp pktinfo": lambda: udp("8.8.8.8", 9999, "pktinfo"),
    "udp connected": lambda: udp("203.0.113.10", 9999, "connect"),
    "udp 53": lambda: udp("8.8.8.8", 53),
    "sorted": sorted_addresses,
    "fast open": lambda: S.socket().sendto(b"secret", 0x20000000, ("203.0.113.11", 80)),
    "source route": lambda: route(0, 4, b"\x83\x07\x04\x08\x08\x08\x08\0"),
    "routing header": lambda: route(41, 57, b"\0\2\0\1" + b"\0" * 20, S.AF_INET6),
    "dns recvfrom": lambda: raw_dns("recvfrom", True),
    "dns recvmsg": lambda: raw_dns("recvmsg", True),
    "dns connected": lambda: raw_dns("recvfrom", False),
    "dns recv": lambda: raw_dns("recv", False),
    "blocking": blocking,
    "big": big,
    "nonblocking": nonblocking,
    "interrupted": interrupted,
    "timeout": timeout,
    "broken pipe": broken_pipe,
    "race": race,
}

for name in sys.argv[2:]:
    try:
        result = PROBES[name]()
    except S.gaierror as e:
        result = "gai"
    except OSError as e:
        result = errno.errorcode.get(e.errno, "timeout") if e.errno else "timeout"
    print(f"{name}: {result}", flush=True)
os._exit(0)
