"""Programs of this machine that do not belong to the run."""
import os, socket, sys, threading, time

log = open(sys.argv[1], "a", buffering=1)
folder = os.path.dirname(sys.argv[1])


def accept(s, what):
    while True:
        c, _ = s.accept()
        log.write(f"{what}\n")
        c.settimeout(2)
        try:
            if c.recv(100):
                c.sendall(b"yes")
        except OSError:
            pass
        c.close()


tcp = socket.socket()
tcp.bind(("127.0.0.1", 18080))
share = socket.socket()
share.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
share.bind(("127.0.0.1", 18082))
every = socket.socket()
every.bind(("0.0.0.0", 18083))
path = socket.socket(socket.AF_UNIX)
path.bind(f"{folder}/outside.sock")
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\0assent-test-outside")
for s, what in ((tcp, "here tcp"), (share, "here shared"), (every, "here every"), (path, "here path"), (abstract, "here abstract")):
    s.listen()
    threading.Thread(target=accept, args=(s, what)).start()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 18081))
log.write("outside\n")
while True:
    data, _ = udp.recvfrom(1000)
    log.write(f"here udp {data!r}\n")
