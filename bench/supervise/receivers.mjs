// A prototype: so many threads of Node, each with the native half of koffi, wait in one listener (descriptor 3, of loop.c) and answer.
// What a call costs them is about what it costs the trap handler where its verdict is known: the path is read from the program's memory, looked
// up, opened, the call let go on. `node receivers.mjs THREADS`.
import { createRequire } from "node:module";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const LISTENER = 3;
const [RECV, SEND, VALID] = [0xc0502100n, 0xc0182101n, 0x40082102n];
const POLLIN = 1;

function answerAll() {
  const koffi = createRequire(import.meta.url)(`@koromix/koffi-linux-${process.arch}`);
  const libc = koffi.load(null);
  const ioctl = libc.func("int ioctl(int, unsigned long, void *)");
  const poll = libc.func("int poll(void *, unsigned long, int)");
  const read = libc.func("long process_vm_readv(int, void *, unsigned long, void *, unsigned long, unsigned long)");
  const open = libc.func("int open(const char *, int)");
  const close = libc.func("int close(int)");
  const [request, answer, polled, path] = [Buffer.alloc(80), Buffer.alloc(24), Buffer.alloc(8), Buffer.alloc(256)];
  const [local, remote] = [Buffer.alloc(16), Buffer.alloc(16)];
  local.writeBigUInt64LE(BigInt(koffi.address(path)), 0);
  local.writeBigUInt64LE(256n, 8);
  remote.writeBigUInt64LE(256n, 8);
  polled.writeInt32LE(LISTENER, 0);
  polled.writeInt16LE(POLLIN, 4);
  const verdicts = new Map();
  let count = 0;
  for (;;) {
    poll(polled, 1, -1);
    if ((polled.readInt16LE(6) & POLLIN) === 0) return count;
    request.fill(0);
    if (ioctl(LISTENER, RECV, request) !== 0) continue;
    count += 1;
    remote.writeBigUInt64LE(request.readBigUInt64LE(40), 0);
    const length = read(request.readInt32LE(8), local, 1, remote, 1, 0);
    const name = path.toString("latin1", 0, Math.max(0, path.indexOf(0)));
    if (length > 0 && !verdicts.has(name)) verdicts.set(name, true);
    ioctl(LISTENER, VALID, request);
    const fd = open(`/proc/${request.readInt32LE(8)}/cwd`, 0x200000);
    if (fd >= 0) close(fd);
    answer.fill(0);
    request.copy(answer, 0, 0, 8);
    answer.writeUInt32LE(1, 20);
    ioctl(LISTENER, SEND, answer);
  }
}

if (isMainThread) {
  const threads = Number(process.argv[2] ?? 1);
  const all = Array.from({ length: threads - 1 }, () => new Worker(new URL(import.meta.url), { workerData: "receiver" }));
  // Without the others' start in what is measured.
  await Promise.all(all.map((worker) => new Promise((go) => worker.once("online", go))));
  answerAll();
  process.exit(0);
} else if (workerData === "receiver") answerAll();
