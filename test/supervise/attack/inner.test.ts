import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

const QUESTION = `import os, json
def opened():
    return os.open("/proc/assent", os.O_RDWR)
def answer(fd):
    text = b""
    while not text.endswith(b"\\n"):
        part = os.read(fd, 65536)
        if not part: break
        text += part
    return json.loads(text)["is"] if text else "closed"
def ask(fd):
    try:
        os.write(fd, b'{"ask":"run"}\\n')
    except OSError: pass
    try:
        return answer(fd)
    except OSError: return "closed"
`;
const python = (text: string): string => `cat > q.py <<'PY'\n${QUESTION}${text}\nPY\npython3 q.py`;
const CHECK = "node /srv/assent/dist/bin.cjs check --agent claude --event PreToolUse";
const INPUT = `echo '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status"},"cwd":"/srv/proj"}'`;

describe.concurrent("questions from inside a run", () => {
  it("are answered sixteen at once, and whoever holds them open keeps nobody for long", async () => {
    const { out } = await attack({
      program: python(`held = [opened() for _ in range(16)]
print("first", ask(held[0]))
more = [opened() for _ in range(20)]
print("more", sorted(set(map(ask, more))))
import time; time.sleep(11)
print("later", ask(opened()))`),
    });
    expect(out).toMatch(/^first run$/m);
    expect(out).toMatch(/^more \['problem'.*\]$/m);
    expect(out).toMatch(/^later run$/m);
  });

  it.runIf(process.arch === "x64")("are asked by open(2), too, as musl's programs do", async () => {
    const { out } = await attack({
      program: python(`import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print("by open", ask(libc.syscall(2, b"/proc/assent", os.O_RDWR)))`),
    });
    expect(out).toMatch(/^by open run$/m);
  });

  it("hold no more memory than two of the longest", async () => {
    const { out } = await attack({
      program: python(`import threading
sent = [0]
def fill(fd):
    try:
        while sent[0] < 200 << 20: sent[0] += os.write(fd, b"x" * 65536)
    except OSError: pass
threads = [threading.Thread(target=fill, args=(opened(),)) for _ in range(12)]
[t.start() for t in threads]; [t.join() for t in threads]
print("sent", "much" if sent[0] > 120 << 20 else "little")
print("later", ask(opened()))`),
    });
    expect(out).toMatch(/^sent little$/m);
    expect(out).toMatch(/^later run$/m);
  });

  it("name no policy file: it would be read with the supervisor's rights", async () => {
    const { out } = await attack({
      program: `${INPUT} | ${CHECK} --policy /srv/home/.ssh/id_rsa; ${INPUT} | ${CHECK} --policy=/nonexistent; ${INPUT} | ${CHECK}`,
    });
    const answers = out.split("\n").filter((line) => line.startsWith("{"));
    expect(answers).toHaveLength(3);
    for (const line of answers.slice(0, 2)) {
      expect(line).toMatch(/"permissionDecision":"ask"/);
      expect(line).toContain("is not taken from inside a run");
    }
    expect(answers[2]).toContain('"permissionDecision":"allow"');
    expect(out).not.toMatch(/SECRET|id_rsa|nonexistent/);
  });
});
