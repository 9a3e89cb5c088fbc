"""Answers every question of a run on a terminal of its own: python3 answer_questions.py KEYS -- COMMAND...

KEYS has one key for each question; the last one is for all that follow. Prints {"questions", "output"} as JSON.
"""
import json, os, pty, re, select, sys, time

keys, command = sys.argv[1], sys.argv[sys.argv.index("--") + 1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
output, seen, questions = b"", 0, 0
end = time.monotonic() + 100


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


while time.monotonic() < end and read(0.1):
    if output.find(b"q  end the run", seen) == -1:
        continue
    # Nobody answers at first sight; what is answered too early does not count, and is answered again.
    early = output.find(b"are ignored", seen) != -1
    look = time.monotonic() + (0.7 if early else 0.3)
    while time.monotonic() < look and read(0.1):
        pass
    seen = len(output)
    questions += 0 if early else 1
    os.write(terminal, keys[min(questions - 1, len(keys) - 1)].encode())
print(json.dumps({"questions": questions, "output": re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.decode("utf8", "replace"))}))
