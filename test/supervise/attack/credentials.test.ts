import { describe, expect, it } from "vitest";
import { attack, SLOWER } from "./world.ts";

describe.concurrent("a credential is its program's own, for its own use", () => {
  it.each<readonly [program: string]>([
    [
      "curl -s file:///srv/home/.netrc; curl -s -K ~/.netrc; curl -s -d @/srv/home/.netrc http://127.0.0.1:1; curl -s -o .x file://localhost/srv/home/.netrc",
    ],
    ["git config -f ~/.git-credentials --list; git diff --no-index /dev/null ~/.git-credentials; git hash-object -w ~/.git-credentials"],
    [
      "LD_PRELOAD=/srv/proj/x.so curl -s file:///srv/home/.netrc; cp /usr/bin/curl .; ./curl -s file:///srv/home/.netrc; ln -s /bin/cat curl2; (exec -a curl cat ~/.netrc)",
    ],
    ["scp -q ~/.ssh/id_rsa ./stolen; cat stolen"],
  ])("%s", async (program) => {
    const { out } = await attack({
      before:
        "echo machine x login y password TOKEN > ~/.netrc; echo https://u:TOKEN@example.com > ~/.git-credentials; rm -rf .git; git init -q .",
      program: `${program}; echo done`,
      after:
        "cat .x 2>/dev/null; for f in .git/objects/??/*; do zcat -f $f | strings; python3 -c 'import sys,zlib; print(zlib.decompress(open(sys.argv[1],\"rb\").read()))' $f; done 2>/dev/null",
    });
    expect(out).toMatch(/^done$/m);
    expect(out).not.toMatch(/TOKEN|SECRETKEY/);
  });

  it.each([
    // A file that a program is told to take for something else is shown in its complaint about it.
    "ssh -F ~/.ssh/id_rsa h; ssh -G -vF ~/.ssh/id_rsa h; scp -F ~/.ssh/id_rsa a h:b",
    "printf 'Include /srv/home/.ssh/id_rsa\\n' > c; ssh -G -F c h",
    "ssh-keyscan -f ~/.ssh/id_rsa; (cd ~/.ssh && ssh-keyscan -f id_rsa)",
    "printf 'blob\\ndata 3\\nabc\\n' | git fast-import --import-marks=/srv/home/.git-credentials",
    // What it reads is named by its input, or by a file of the project.
    "echo ~/.git-credentials | git hash-object -w --stdin-paths",
    "printf 'url = file:///srv/home/.netrc\\n' > c; curl -s -K c; curl -ns -K c; curl -s -K - < c",
    "printf 'url = file:///srv/home/.netrc\\nnetrc\\n' > .curlrc; CURL_HOME=. curl -s -n http://127.0.0.1:1",
    "printf 'input = /srv/home/.netrc\\n' > w; WGETRC=./w wget -O-",
    // By another name.
    "ln -s ~/.git-credentials l; git diff --no-index /dev/null l; git hash-object -w l; rm l",
    "ln -s ~/.netrc n; curl -s file://$PWD/n; curl -sn file://$PWD/n; rm n",
    "ln -s ~/.ssh/id_rsa k; ssh-keyscan -f k; ssh -F k h; rm k",
    "ln -s ~ h; curl -sn file://$PWD/h/.netrc; curl -ns https://127.0.0.1:1 --netrc-file h/.netrc; rm h",
    // It is there to hand it out.
    "printf 'protocol=https\\nhost=example.com\\n\\n' | git -c credential.helper=store credential fill",
    "printf 'protocol=https\\nhost=example.com\\n\\n' | git credential-store get",
  ])("nor shown, or handed out: %s", async (program) => {
    const { out } = await attack({
      before:
        "echo machine 127.0.0.1 login y password TOKEN > ~/.netrc; echo https://u:TOKEN@example.com > ~/.git-credentials; rm -rf .git; git init -q .; git config --global credential.helper store",
      program: `(${program}) 2>&1; echo done`,
      after:
        "for f in .git/objects/??/*; do python3 -c 'import sys,zlib; print(zlib.decompress(open(sys.argv[1],\"rb\").read()))' $f; done 2>/dev/null; cat .[a-z]* * 2>/dev/null",
    });
    expect(out).toMatch(/^done$/m);
    expect(out).not.toMatch(/TOKEN|SECRETKEY/i);
  });

  const SERVER = `cat > server.py <<'PY'
import http.server, os, socketserver, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("heard", self.headers.get("Authorization"), flush=True)
        self.send_response(401); self.send_header("WWW-Authenticate", 'Basic realm="x"'); self.send_header("Content-Length", "0"); self.end_headers()
    do_POST = do_CONNECT = do_HEAD = do_GET
    def log_message(self, *_): pass
class Unix(socketserver.UnixStreamServer):
    def get_request(self):
        request, _ = super().get_request()
        return request, ("local", 0)
tcp = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=tcp.serve_forever, daemon=True).start()
unix = Unix("s", Handler)
threading.Thread(target=unix.serve_forever, daemon=True).start()
port = tcp.server_address[1]
print("ready", port, flush=True)
os.system(sys.argv[1].replace("PORT", str(port)))
PY
python3 server.py`;

  it.each([
    "curl -s -n http://127.0.0.1:PORT/",
    "curl -s -n --unix-socket ./s http://127.0.0.1/",
    "curl -s -n -x http://127.0.0.1:PORT http://example.com/",
    "git ls-remote http://127.0.0.1:PORT/x.git",
    "https_proxy=http://127.0.0.1:PORT git ls-remote https://example.com/x.git",
    "wget -q --tries=1 -T 5 -O- http://127.0.0.1:PORT/",
    "HTTP_PROXY=http://127.0.0.1:PORT http_proxy=http://127.0.0.1:PORT npm view x --registry=http://registry.npmjs.org/ --fetch-retries=0",
  ])("nor sent to a program of the run that poses as its service: %s", async (client) => {
    const { out } = await attack({
      before:
        "ip link set lo up; echo machine 127.0.0.1 login y password TOKEN > ~/.netrc; echo machine example.com login y password TOKEN >> ~/.netrc; echo //registry.npmjs.org/:_authToken=TOKEN > ~/.npmrc",
      program: `${SERVER} "${client}"; echo done`,
    });
    expect(out).toMatch(/^ready \d+$/m);
    expect(out).toMatch(/^done$/m);
    // `y:TOKEN`.
    expect(out).not.toMatch(/heard (?:Basic eTpUT0tFTg|Bearer)/);
  });

  it("and one who has none is heard there", async () => {
    const { out } = await attack({ before: "ip link set lo up", program: `${SERVER} "curl -sS http://127.0.0.1:PORT/ 2>&1"; echo done` });
    expect(out).toMatch(/^heard None$/m);
  });

  it("which it may read", async () => {
    const { events } = await attack({
      before: "echo machine x login y password TOKEN > ~/.netrc",
      program: "curl -s -n http://127.0.0.1:1; curl -s --netrc-file ~/.netrc http://127.0.0.1:1; cat ~/.netrc",
    });
    const reads = events.filter(({ text }) => text.startsWith("open(/srv/home/.netrc"));
    expect(reads.map(({ outcome }) => outcome)).toEqual(["done", "done", "refused"]);
  });

  const READS = `
import os, time
def read(path):
    try: return open(path).read().strip()
    except OSError: return 'denied'
`;

  it.each<readonly [how: string, program: string]>([
    [
      "forked before its parent became the program",
      `${READS}
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    if os.fork() == 0:
        while read('/proc/%d/comm' % os.getppid()) != 'ssh-keygen': time.sleep(0.01)
        print('got', read('/srv/home/.ssh/id_rsa'), flush=True)
        os._exit(0)
    os.dup2(r, 0)
    os.execv('/usr/bin/ssh-keygen', ['ssh-keygen', '-q', '-f', '/srv/tmp/k'])
time.sleep(1)
os.close(w)`,
    ],
    [
      "adopted by the program",
      `${READS}
import ctypes
libc = ctypes.CDLL(None)
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    program = os.getpid()
    libc.prctl(36, 1, 0, 0, 0) # PR_SET_CHILD_SUBREAPER
    if os.fork() == 0:
        while read('/proc/%d/comm' % program) != 'ssh-keygen': time.sleep(0.01)
        if os.fork() != 0: os._exit(0)
        while os.getppid() != program: time.sleep(0.01)
        print('got', read('/srv/home/.ssh/id_rsa'), flush=True)
        os._exit(0)
    os.dup2(r, 0)
    os.execv('/usr/bin/ssh-keygen', ['ssh-keygen', '-q', '-f', '/srv/tmp/k'])
time.sleep(1)
os.close(w)`,
    ],
    [
      "looking into the program's memory",
      `${READS}
import subprocess
p = subprocess.Popen(['ssh-keygen', '-q', '-f', '/srv/tmp/k'], stdin=subprocess.PIPE)
time.sleep(0.3)
at = int(read('/proc/%d/maps' % p.pid).split('-')[0], 16)
try:
    f = open('/proc/%d/mem' % p.pid, 'rb'); f.seek(at); print('got', f.read(4))
except OSError: print('got denied')
f = open('/proc/self/mem', 'rb'); f.seek(int(read('/proc/self/maps').split('-')[0], 16)); print('own', len(f.read(4)))
p.stdin.close()`,
    ],
  ])("not of a process %s", async (_, program) => {
    const { out } = await attack({ program: `cat > /srv/tmp/p.py <<'PY'\n${program}\nPY\ntimeout ${20 * SLOWER} python3 /srv/tmp/p.py` });
    expect(out).toMatch(/^got denied$/m);
  });

  it("of what it forks, too", async () => {
    const { out } = await attack({
      // A program of that name, as root installs it, which goes on in a process of its own.
      before:
        "mkdir -m 700 ~/.gnupg; echo KEYFILE > ~/.gnupg/secring.gpg; mount -t tmpfs -o mode=755 none /usr/local/sbin; cp /bin/dash /usr/local/sbin/gpg-agent",
      program: "gpg-agent -c '( ( sleep 0.3; read key < ~/.gnupg/secring.gpg; echo got $key ) & )'; sleep 1",
    });
    expect(out).toMatch(/^got KEYFILE$/m);
  });
});
