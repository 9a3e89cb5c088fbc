"""Runs a command at a terminal of its own and types an answer at each question: python3 at_terminal.py ANSWERS COMMAND...

ANSWERS is a JSON list; what is left to ask after the last one gets the end of input. Prints {"output", "status"} as JSON.
"""
import json, os, pty, re, select, sys, time

answers, command = json.loads(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
output, seen = b"", 0
end = time.monotonic() + 100
ASKS = re.compile(rb"(?:[\]:?>] ?|q  end the run\s*)\Z")


def read(seconds):
    global output
    if not select.select([terminal], [], [], seconds)[0]:
        return True
    try:
        more = os.read(terminal, 65536)
    except OSError:
        return False
    output += more
    return more != b""


def plain(text):
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", text)


while time.monotonic() < end and read(0.2):
    if len(output) == seen or not ASKS.search(plain(output)[-400:]):
        continue
    # Nobody answers at first sight; and more may come.
    look, length = time.monotonic() + 0.7, len(output)
    while time.monotonic() < look and read(0.1):
        pass
    if len(output) != length:
        continue
    seen = len(output)
    key = answers.pop(0) if answers else None
    single = b"end the run" in plain(output)[-400:]
    os.write(terminal, b"\x04" if key is None else key.encode() + (b"" if single else b"\n"))
done, status = 0, 0
for _ in range(50):
    try:
        done, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        break
    if done:
        break
    time.sleep(0.1)
if not done:
    os.kill(pid, 9)
    status = 9
# How far something is, told on a slow machine alone (cli/progress.ts), is no part of what is printed.
text = plain(re.sub(rb"(?:\r\x1b\[K[^\r\n\x1b]*)*\r\x1b\[K", b"", output)).decode("utf8", "replace").replace("\r\n", "\n")
raw = output.decode("utf8", "replace").replace("\r\n", "\n")
print(json.dumps({"output": text, "raw": raw, "left": answers, "status": os.waitstatus_to_exitcode(status)}))
