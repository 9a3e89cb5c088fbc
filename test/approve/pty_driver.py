"""Runs a program on a terminal of its own and plays a script: python3 pty_driver.py SCRIPT -- COMMAND...

SCRIPT is a JSON list of steps: {"until": TEXT}, {"send": TEXT}, {"sleep": SECONDS}, {"kill": SIGNAL}, {"size": [ROWS, COLUMNS]},
{"hangup": true}, {"mode": NAME} (notes the terminal's mode). Prints {"output", "status", "modes", "after"} as JSON.
"""
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

steps = json.loads(sys.argv[1])
command = sys.argv[sys.argv.index("--") + 1:]
master, slave = pty.openpty()


def resize(rows, columns):
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def mode():
    flags = termios.tcgetattr(slave)
    return {"canonical": bool(flags[3] & termios.ICANON), "echo": bool(flags[3] & termios.ECHO), "signals": bool(flags[3] & termios.ISIG)}


resize(24, 140)
before = mode()
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    # Standard streams are not the terminal: the question must find it by itself.
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.closerange(3, 64)
    os.execvp(command[0], command)

output = b""
modes = {}
hung_up = False
deadline = time.monotonic() + float(os.environ.get("PTY_SECONDS", "40"))


def read(seconds):
    global output
    if hung_up:
        time.sleep(seconds)
        return
    if select.select([master], [], [], seconds)[0]:
        try:
            output += os.read(master, 65536)
        except OSError:
            pass


seen = 0
for step in steps:
    if "until" in step:
        wanted = step["until"].encode()
        while output.find(wanted, seen) == -1:
            if time.monotonic() > deadline:
                print(json.dumps({"problem": "no " + step["until"], "output": output.decode("utf8", "replace")}))
                os.kill(pid, signal.SIGKILL)
                sys.exit(1)
            read(0.05)
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None and output.find(wanted, seen) == -1:
                print(json.dumps({"problem": "ended before " + step["until"], "output": output.decode("utf8", "replace")}))
                sys.exit(1)
        seen = output.find(wanted, seen) + len(wanted)
    if "sleep" in step:
        end = time.monotonic() + step["sleep"]
        while time.monotonic() < end:
            read(max(0, end - time.monotonic()))
    if "send" in step:
        os.write(master, step["send"].encode())
    if "kill" in step:
        os.kill(pid, getattr(signal, step["kill"]))
    if "size" in step:
        resize(*step["size"])
        os.kill(pid, signal.SIGWINCH)
    if "mode" in step:
        modes[step["mode"]] = mode()
    if "hangup" in step:
        os.close(master)
        hung_up = True

while True:
    done, status = os.waitpid(pid, os.WNOHANG)
    if done != 0:
        break
    if time.monotonic() > deadline:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        print(json.dumps({"problem": "does not end", "output": output.decode("utf8", "replace")}))
        sys.exit(1)
    read(0.02)
for _ in range(3):
    read(0.02)
after = None if hung_up else mode()
print(json.dumps({"output": output.decode("utf8", "replace"), "status": os.waitstatus_to_exitcode(status), "modes": modes, "before": before, "after": after}))
