import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Asked, DAEMON, SENTENCE, WORDS, always, answer, listen, placeAsk, daemon, runs, unlike, shell } from "./ask-world.ts";
import { WAYS } from "./stubs.ts";

/** What these cannot do need not be done: the answer is heard, or the launcher becomes what it would have become. */
const MAY_FAIL = new Set(["close", "rt_sigaction", "write", "read", "ppoll", "clone", "flock", "open", "getpid", "getppid"]);
/** What is tried again. */
const INTERRUPTED = new Set(["read", "write", "ppoll", "sendto", "recvfrom"]);

describe.each(WAYS)("the client, started by %s (%s)", (_, architecture, front) => {
  const placed = () => placeAsk(architecture, front);

  describe("where nobody listens, a daemon is started", () => {
    const free = (lock: string): boolean => spawnSync("flock", ["-n", lock, "true"]).status === 0;

    it("with what it is to have of the words, and nothing of the host's", { timeout: 30_000 }, async () => {
      const place = placed();
      const { root, base, namespace } = place;
      place.put("launcher", DAEMON);
      const wrap = shell("trap '' PIPE HUP TERM; umask 022; exec 3< /dev/zero 5< /dev/zero 9< /dev/zero; exec \"$@\"");
      const words = ["HOME=/h o", "B=", "/node", "/b in.cjs", "check", "--event"];
      expect(await place.start({ wrap, words, env: { SECRET: "1", PATH: "/usr/bin:/bin" } })).toMatchObject({
        status: 3,
      });
      const said = await daemon(root);
      const pid = Number(/^pid (\d+)$/m.exec(said)?.[1]);
      const lock = `${base}lock.${namespace}`;
      expect(said.match(/^word .*$/gm)).toEqual([...words.slice(0, 4), "daemon", "--serve", "3"].map((word) => `word ${word}`));
      expect(said.match(/^\/.*$/gm)).toEqual([lock, "/dev/null", "/dev/null", lock]);
      expect(said).toContain("environment of 0\n");
      expect(said).toMatch(/^folder \/\numask 0077$/m);
      expect(said).toMatch(/^SigBlk: 0{16}\nSigIgn: 0{16}$/m);
      expect(said).toContain(`group ${pid} session ${pid}\n`);
      expect([statSync(lock).mode & 0o777, free(lock)]).toEqual([0o700, false]);
    });

    it("one that has never listened is tried again after a minute, one that has at once", { timeout: 30_000 }, async () => {
      const { root, base, namespace, put, start } = placed();
      // In its place a file that says how often it was started; the lock is free when it has ended.
      put("launcher", '#!/bin/sh\ncase "$*" in *" daemon --serve 3") echo x >> "${0%/*}/starts" ;; *) exit 3 ;; esac\n');
      const lock = `${base}lock.${namespace}`;
      const starts = async (): Promise<number> => {
        expect(await start()).toMatchObject({ status: 3 });
        await pause(20);
        for (let round = 0; round < 500 && !free(lock); round++) await pause(10);
        return readFileSync(join(root, "starts"), "utf8").length / 2;
      };
      const ago = (seconds: number): void => utimesSync(lock, new Date(), new Date(Date.now() - seconds * 1000));
      expect([await starts(), await starts(), await starts()]).toEqual([1, 1, 1]);
      ago(50);
      expect(await starts()).toBe(1);
      ago(61);
      expect([await starts(), await starts()]).toEqual([2, 2]);
      // Clocks are set.
      ago(-1000);
      expect([await starts(), await starts()]).toEqual([3, 3]);
      chmodSync(lock, 0o600);
      expect([await starts(), await starts()]).toEqual([4, 4]);
    });

    it("once, while the lock is held, and by the next call when its holder has gone", { timeout: 30_000 }, async () => {
      const { root, base, namespace, put, start } = placed();
      put("launcher", DAEMON);
      const lock = `${base}lock.${namespace}`;
      const holder = spawn("flock", [lock, "sh", "-c", "echo held; read -r _"], { stdio: ["pipe", "pipe", "ignore"] });
      await new Promise((resolve) => holder.stdout.once("data", resolve));
      for (let call = 0; call < 3; call++) expect(await start()).toMatchObject({ status: 3 });
      await pause(100);
      expect(existsSync(join(root, "started"))).toBe(false);
      holder.stdin.end("\n");
      await new Promise((resolve) => holder.once("exit", resolve));
      expect(await start()).toMatchObject({ status: 3 });
      expect(await daemon(root)).toContain("word --serve\n");
    });

    /** [what, the words] */
    const WITHOUT: readonly (readonly [string, readonly string[]])[] = [
      ["a program", ["A=1", "B"]],
      ["its file", ["A=1", "/node"]],
      ["an end of the words", Array.from({ length: 2000 }, () => "/x")],
    ];
    it.each(WITHOUT)("not without %s", async (_what, words) => {
      const { root, start, put } = placed();
      put("launcher", DAEMON);
      expect(await start({ words })).toMatchObject({ status: 3 });
      await pause(50);
      expect(readdirSync(join(root, "resident"))).toEqual([]);
    });
  });

  /** [what the other side does, what it ends with if all goes well] */
  const FAULTY: readonly (readonly [string, ((connection: Socket, asked: Promise<Asked>) => void) | undefined, "answered" | "fresh"])[] = [
    ["answers", always(answer(7, "allow", "note")), "answered"],
    ["ends when it is asked", (connection, asked) => void asked.then(() => connection.destroy()), "fresh"],
    ["is not there", undefined, "fresh"],
  ];
  it.skipIf(front.length > 0 || !runs("strace", "true")).each(FAULTY)(
    "whichever system call fails, once, no failure looks like an answer, and no input is lost: the other side %s",
    { timeout: 60_000, retry: 2 },
    async (_what, part, comes) => {
      const { root, start, socket, fresh } = placed();
      if (part !== undefined) await listen(socket, part);
      const log = join(root, "trace");
      const ending = async (...options: readonly string[]): Promise<string> => {
        const { status, signal, stdout, stderr } = await start({ wrap: ["strace", "-o", log, ...options], input: "in\n" });
        if (status === 7 && stdout.toString() === "allow") return "answered";
        if (status === 3 && stdout.equals(fresh(WORDS, "in\n").stdout) && stderr === "") return "fresh";
        return status === 2 && stdout.length === 0 && stderr.endsWith(SENTENCE)
          ? "refused"
          : `${status} ${signal} ${stdout.toString()} ${stderr}`;
      };
      expect(await ending()).toBe(comes);
      const calls: readonly string[] = readFileSync(log, "utf8").match(/^\w+(?=\()/gm) ?? [];
      // What comes after the second execve is the stand-in's.
      const own = calls.slice(1, comes === "fresh" ? calls.indexOf("execve", 1) + 1 : calls.indexOf("exit_group"));
      expect(own.length).toBeGreaterThan(8);
      const wrong: string[] = [];
      for (const error of ["EIO", "EINTR"] as const) {
        for (const [at, name] of own.entries()) {
          const nth = own.slice(0, at + 1).filter((other) => other === name).length + (name === "execve" ? 1 : 0);
          const end = await ending(`--inject=${name}:error=${error}:when=${nth}`);
          const may = error === "EINTR" && INTERRUPTED.has(name) ? [comes] : ["fresh", "refused", ...(MAY_FAIL.has(name) ? [comes] : [])];
          if (!may.includes(end)) wrong.push(`${name} ${nth} ${error}: ${end}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it.skipIf(front.length > 0 || !runs("strace", "true"))("on older kernels, too", async () => {
    const { root, start, socket, put, fresh } = placed();
    const wrap = (calls: string): readonly string[] => ["strace", "-f", "-o", "/dev/null", `--inject=${calls}`];
    const server = await listen(socket, (connection, asked) => void asked.then(() => connection.destroy()));
    expect(unlike(await start({ wrap: wrap("memfd_create:error=EINVAL:when=1"), input: "in" }), fresh(WORDS, "in"))).toEqual([]);
    expect(await start({ wrap: wrap("memfd_create:error=ENOSYS"), input: "in" })).toMatchObject({ status: 2, stderr: SENTENCE });
    await new Promise((resolve) => server.close(resolve));
    put("launcher", DAEMON.replace("sleep 60", "sleep 0.1"));
    const leak = shell('exec 5< /dev/zero 9< /dev/zero; exec "$@"');
    expect(await start({ wrap: [...leak, ...wrap("close_range:error=ENOSYS")] })).toMatchObject({ status: 3 });
    const said = await daemon(root);
    expect(said).toContain("descriptors 0");
    expect(said).not.toContain("zero");
  });
});
