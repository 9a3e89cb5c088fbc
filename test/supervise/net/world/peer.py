"""The rest of the world, in a network namespace of its own: a name server, TCP and UDP servers that write down who came."""
import socket, struct, sys, threading, time

log = open(sys.argv[1], "a", buffering=1)
ZONE = {
    "allowed.test": "203.0.113.10", "other.test": "203.0.113.11", "inside.test": "10.77.0.10",
    "meta.test": "169.254.169.254", "here.test": "127.0.0.1", "sub.wild.test": "203.0.113.12", "db.wild.test": "10.77.0.10",
    "tracked.test": "203.0.113.13", "both.test": "203.0.113.11",
}
ZONE6 = {"both.test": "2001:db8::11"}
ALIAS = {"alias.test": "allowed.test", "shop.test": "tracked.test"}


def name(at, data):
    labels = []
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode("latin1"))
        at += 1 + data[at]
    return ".".join(labels).lower(), at + 1


def encode(text):
    return b"".join(bytes([len(l)]) + l.encode() for l in text.split(".")) + b"\0"


def dial(port):
    try:
        socket.create_connection(("203.0.113.1", port), 2).close()
    except OSError:
        pass


def answer(query):
    asked, end = name(12, query)
    if asked.startswith("dial-"):
        threading.Thread(target=dial, args=(int(asked[5:].split(".")[0]),)).start()
    kind = struct.unpack(">H", query[end : end + 2])[0]
    log.write(f"dns {asked}\n")
    records, owner = [], asked
    if asked in ALIAS:
        target = encode(ALIAS[asked])
        records.append(encode(asked) + struct.pack(">HHIH", 5, 1, 60, len(target)) + target)
        owner = ALIAS[asked]
    if owner in ZONE and kind == 1:
        records.append(encode(owner) + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(ZONE[owner]))
    if owner in ZONE6 and kind == 28:
        records.append(encode(owner) + struct.pack(">HHIH", 28, 1, 60, 16) + socket.inet_pton(socket.AF_INET6, ZONE6[owner]))
    code = 0 if owner in ZONE else 3
    return query[:2] + struct.pack(">BBHHHH", 0x81, 0x80 | code, 1, len(records), 0, 0) + query[12 : end + 4] + b"".join(records)


def dns():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("203.0.113.10", 53))
    while True:
        data, who = s.recvfrom(4096)
        s.sendto(answer(data), who)


def dns_tcp():
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("203.0.113.10", 53))
    s.listen()
    while True:
        c, _ = s.accept()
        size = struct.unpack(">H", c.recv(2, socket.MSG_WAITALL))[0]
        a = answer(c.recv(size, socket.MSG_WAITALL))
        c.sendall(struct.pack(">H", len(a)) + a)
        c.close()


def tcp(port, slow):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("0.0.0.0", port))
    s.listen()
    while True:
        c, _ = s.accept()
        log.write(f"tcp {c.getsockname()[0]}:{port}\n")
        threading.Thread(target=serve, args=(c, slow)).start()


def serve(c, slow):
    total = 0
    while True:
        data = c.recv(65536)
        if not data:
            break
        total += len(data)
        if slow:
            time.sleep(0.01)
        if data.endswith(b"\n"):
            c.sendall(b"HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\n%3d" % min(total, 999) if total < 4096 else str(total).encode())
    c.close()


def udp(port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("0.0.0.0", port))
    while True:
        data, who = s.recvfrom(65536)
        log.write(f"udp {port} {data[:40]!r}\n")
        s.sendto(data, who)


while True:
    try:
        probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        probe.bind(("203.0.113.10", 1))
        break
    except OSError:
        time.sleep(0.01)
for target, args in ((dns, ()), (dns_tcp, ()), (tcp, (80, False)), (tcp, (81, True)), (udp, (9999,)), (udp, (443,))):
    threading.Thread(target=target, args=args).start()
time.sleep(0.05)
log.write("ready\n")
