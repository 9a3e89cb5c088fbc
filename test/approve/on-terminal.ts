// Asks on its controlling terminal, for pty.test.ts: `node on-terminal.mjs RESULT [HOW]`.
import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { controlForeground } from "@assent/guard/approve";
import { addressOf, alloc, sys } from "@assent/supervisor/supervise/kernel";
import { askedHere } from "./asked.ts";
import { question } from "./question.ts";

const [result = "", how] = process.argv.slice(2);

// A program in a foreground group of its own, that goes on writing and reads what it can get.
const NOISY = `
import os, select, signal, time
os.setpgid(0, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
terminal = os.open("/dev/tty", os.O_RDWR)
os.tcsetpgrp(terminal, os.getpgid(0))
signal.signal(signal.SIGTTOU, signal.SIG_DFL)
while True:
    os.write(terminal, b"noise\\n")
    if select.select([terminal], [], [], 0.05)[0]:
        got = os.read(terminal, 100)
        os.write(terminal, b"got " + got)
        if b"end" in got: break
`;
let program: ChildProcess | undefined;
if (how === "shared") program = spawn("python3", ["-c", NOISY], { stdio: "ignore" });

const foreground = controlForeground({ sys, addressOf, alloc }, (group) => group === program?.pid);
const approver = askedHere({ home: "/home/me", foreground });
if (approver === undefined) writeFileSync(result, JSON.stringify("no terminal"));
else {
  // A session leader dies of a hang-up by default.
  if (how === "ignore-hangup") process.on("SIGHUP", () => undefined);
  const wait = how === "late" ? 700 : how === "shared" ? 1500 : 0;
  setTimeout(() => {
    const signal = new AbortController().signal;
    if (how === "throw")
      setTimeout(() => {
        throw new Error("thrown on purpose");
      }, 300);
    const asked = [approver.ask(question(1), signal), approver.ask(question(2, { group: "other" }), signal)];
    // Held up right after the question was drawn.
    if (how === "busy") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    void Promise.all(asked).then(async (answers) => {
      writeFileSync(result, JSON.stringify({ answers, cpu: process.cpuUsage().user + process.cpuUsage().system }));
      await approver.close(0);
    });
  }, wait);
}
