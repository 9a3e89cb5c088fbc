import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ContainerOptions, type ContainerSession, openContainer } from "@assent/library/sdk";
import { sandboxContract } from "./contract.ts";
import { type StartedEngine, startEngine } from "./engines.ts";
import { behindAiSession } from "./places.ts";

/** `openContainer` by the command lines of Podman and Docker themselves: `npm run test:sandboxes`. */

const LONG = process.env["TEST_SANDBOXES"] !== undefined;
const LATER = "it takes a while: npm run test:sandboxes";

export function containerContract(name: "podman" | "docker"): void {
  describe(`by ${name}`, () => {
    let engine: StartedEngine | string = LATER;
    let container: ContainerSession | undefined;
    beforeAll(async () => {
      if (LONG) engine = await startEngine(name);
    }, 180_000);
    afterAll(async () => {
      await container?.close();
      if (typeof engine !== "string") engine.close();
    }, 120_000);

    const open = async (more: Partial<ContainerOptions> = {}): Promise<ContainerSession> => {
      if (typeof engine === "string") throw new Error(engine);
      return await openContainer({ ...engine.options, ...more });
    };
    const row = (what: string, check: (session: ContainerSession, own: StartedEngine) => Promise<void>): void =>
      it(what, { timeout: 120_000 }, async (context) => {
        if (typeof engine === "string") return context.skip(engine);
        container ??= await open();
        expect.hasAssertions();
        await check(container, engine);
      });

    sandboxContract(`a container of ${name} behind a guard`, async () => {
      if (typeof engine === "string") return engine;
      const own = await open();
      return {
        cwd: "/work",
        home: "/home/agent",
        raw: async (command) => (await own.run({ command })).stdout.trimEnd(),
        behind: behindAiSession(own, "/work"),
        close: async () => await own.close(),
      };
    });

    describe("a command", () => {
      row("gives its output, errors and exit code, in its folder, with its variables", async (session) => {
        expect(await session.run({ command: "echo out; echo err >&2; exit 7" })).toEqual({ exitCode: 7, stdout: "out\n", stderr: "err\n" });
        const env = { A: "a 'b' \"c\" $d", B: "" };
        expect((await session.run({ command: 'pwd; echo "$A$B$HOME"', workingDirectory: "/tmp", env })).stdout).toBe(
          `/tmp\n${env.A}/home/agent\n`,
        );
        await session.run({ command: "mkdir -p 'a folder'" });
        expect((await session.run({ command: "pwd", workingDirectory: "a folder" })).stdout).toBe("/work/a folder\n");
        expect((await session.run({ command: "no-such-program" })).exitCode).toBe(127);
        expect((await session.run({ command: "kill -9 $$" })).exitCode).toBe(137);
      });

      row("is kept up to `maxOutput`, and goes on", async () => {
        const session = await open({ maxOutput: 1000 });
        onTestFinished(async () => await session.close());
        const { stdout, exitCode } = await session.run({ command: "yes | head -c 300000; echo done > /tmp/done" });
        expect([stdout.length, exitCode, await session.readTextFile({ path: "/tmp/done" })]).toEqual([1000, 0, "done\n"]);
      });

      /** What a command leaves: a child, one of a child that has ended, one in a session of its own, one with no variables. */
      const TREE = (time: string): string =>
        [
          `sleep ${time} &`,
          `(sleep ${time} &)`,
          `setsid sleep ${time} &`,
          `env -i sleep ${time} &`,
          `env -i sh -c 'sleep ${time} & wait' &`,
        ].join("\n");
      const left = async (session: ContainerSession, time: string): Promise<string> =>
        (await session.run({ command: `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done | grep '^sleep ${time}'; true` }))
          .stdout;

      row("is ended after `timeout` with all that it started: 124", async () => {
        const session = await open({ timeout: 4000 });
        onTestFinished(async () => await session.close());
        const other = await session.spawn({ command: "sleep 77777" });
        const { exitCode, stdout } = await session.run({ command: `echo begun\n${TREE("4001")}\nsleep 4001` });
        expect([exitCode, stdout, await left(session, "4001")]).toEqual([124, "begun\n", ""]);
        // What belongs to another command goes on.
        expect(await left(session, "77777")).toContain("sleep 77777");
        await other.kill();
      });

      row("is ended by its signal with all that it started: 130", async (session) => {
        const given = new AbortController();
        const running = session.run({ command: `${TREE("4002")}\nsleep 4002`, abortSignal: given.signal });
        await expect.poll(async () => (await left(session, "4002")).split("\n").length, { timeout: 30_000 }).toBe(7);
        given.abort();
        expect([(await running).exitCode, await left(session, "4002")]).toEqual([130, ""]);
      });

      row("does not begin where its signal came before", async (session) => {
        const abortSignal = AbortSignal.abort();
        await expect(session.run({ command: "touch /tmp/begun", abortSignal })).rejects.toThrow("aborted");
        await expect(session.spawn({ command: "touch /tmp/begun", abortSignal })).rejects.toThrow("aborted");
        await expect(session.writeTextFile({ path: "/tmp/begun", content: "", abortSignal })).rejects.toThrow("aborted");
        expect(await session.stat({ path: "/tmp/begun" })).toBe(null);
      });

      row("that goes on by itself gives its output as it comes, takes input, and says how it ended", async (session) => {
        const { stdout, stderr, stdin, wait } = await session.spawn({
          command: 'while read -r l; do echo "<$l>"; done; echo e >&2; exit 3',
          stdin: true,
        });
        const [reader, writer] = [stdout.getReader(), stdin!.getWriter()];
        const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
        for (const word of ["one", "two"]) {
          await writer.write(new TextEncoder().encode(`${word}\n`));
          expect(await next()).toBe(`<${word}>\n`);
        }
        await writer.close();
        expect([await wait(), (await reader.read()).done, await new Response(stderr).text()]).toEqual([{ exitCode: 3 }, true, "e\n"]);
        expect((await session.spawn({ command: "true" })).stdin).toBe(undefined);
      });

      row("that goes on by itself is ended with all that it started, at any moment", async (session) => {
        const running = await session.spawn({ command: `${TREE("4003")}\nwait` });
        await expect.poll(async () => (await left(session, "4003")).split("\n").length, { timeout: 30_000 }).toBe(6);
        await running.kill();
        expect([(await running.wait()).exitCode, await left(session, "4003")]).toEqual([137, ""]);
        await running.kill();

        for (let pause = 0; pause < 400; pause += 80) {
          const early = await session.spawn({ command: "exec sleep 4004" });
          await new Promise((resolve) => setTimeout(resolve, pause));
          await early.kill();
          expect([pause, await left(session, "4004")]).toEqual([pause, ""]);
        }

        const given = new AbortController();
        const signalled = await session.spawn({ command: "exec sleep 4005", abortSignal: given.signal });
        await expect.poll(async () => await left(session, "4005"), { timeout: 30_000 }).not.toBe("");
        given.abort();
        await signalled.wait();
        expect(await left(session, "4005")).toBe("");
      });

      row("whose output nobody reads any more goes on to its end", async (session) => {
        const running = await session.spawn({ command: "yes | head -c 300000; echo e >&2; echo end > /tmp/end" });
        await Promise.all([running.stdout.cancel(), running.stderr.cancel()]);
        await running.wait();
        expect(await session.readTextFile({ path: "/tmp/end" })).toBe("end\n");
      });
    });

    describe("files", () => {
      const BYTES = Uint8Array.from({ length: 1 << 20 }, (_, at) => (at * 7 + (at >> 8)) % 256);

      row("are written and read byte by byte, in folders that are made for them", async (session) => {
        await session.writeBinaryFile({ path: "new/folder/bytes", content: BYTES });
        expect(Buffer.compare(Buffer.from((await session.readBinaryFile({ path: "new/folder/bytes" }))!), Buffer.from(BYTES))).toBe(0);
        await session.writeFile({ path: "/tmp/stream", content: new Blob([BYTES, BYTES]).stream() });
        const stream = await session.readFile({ path: "/tmp/stream" });
        expect((await new Response(stream).arrayBuffer()).byteLength).toBe(2 << 20);
        await session.writeTextFile({ path: "lines", content: "one\ntwo\nthree\nä\n" });
        expect(await session.readTextFile({ path: "lines", startLine: 2, endLine: 3 })).toBe("two\nthree");
        expect(await session.readTextFile({ path: "lines", startLine: 4 })).toBe("ä\n");
        expect(await session.stat({ path: "lines" })).toEqual({ type: "file", size: 17 });
      });

      row("may be called anything", async (session) => {
        await session.run({ command: "mkdir -p names && cd names && ln -s nowhere link && mkdir folder && mkfifo pipe" });
        const names = ["a b", "-rf", "$(touch x)", "'\"`", "ä\n*", "..a", ".hidden"];
        for (const one of names) await session.writeTextFile({ path: `names/${one}`, content: one });
        for (const one of names) expect(await session.readTextFile({ path: `names/${one}` })).toBe(one);
        const listed = await session.listDirectory({ path: "names" });
        const expected = [
          ...names.map((one) => ({ name: one, type: "file" })),
          { name: "link", type: "symlink" },
          { name: "folder", type: "directory" },
          { name: "pipe", type: "other" },
        ];
        const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
        expect(listed?.toSorted(byName)).toEqual(expected.toSorted(byName));
        for (const one of [...names, "link"]) expect(await session.deleteFile({ path: `names/${one}` })).toBe(true);
        expect((await session.listDirectory({ path: "names" }))?.length).toBe(2);
      });

      row("that are not there are nothing, and what cannot be done is an error", async (session) => {
        expect(await session.readFile({ path: "no" })).toBe(null);
        expect(await session.readBinaryFile({ path: "no" })).toBe(null);
        expect(await session.readTextFile({ path: "no" })).toBe(null);
        expect(await session.stat({ path: "no" })).toBe(null);
        expect(await session.listDirectory({ path: "no" })).toBe(null);
        expect(await session.deleteFile({ path: "no" })).toBe(false);
        expect(await session.stat({ path: "/tmp" })).toEqual({ type: "directory", size: 0 });
        await expect(session.readTextFile({ path: "/tmp" })).rejects.toThrow("/tmp");
        await expect(session.writeTextFile({ path: "/proc/none/x", content: "" })).rejects.toThrow("/proc/none/x");
        await expect(session.deleteFile({ path: "/tmp" })).rejects.toThrow("/tmp");
      });
    });

    describe("the container", () => {
      row("has no network and no rights, and sees of this machine what is mounted", async () => {
        const folder = mkdtempSync(join(tmpdir(), "assent-mounted-"));
        onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
        writeFileSync(join(folder, "here"), "here");
        const session = await open({ mounts: { [folder]: "/work", [tmpdir()]: "/other:ro" } });
        onTestFinished(async () => await session.close());
        expect(await session.readTextFile({ path: "here" })).toBe("here");
        await session.writeTextFile({ path: "made", content: "there" });
        expect(readFileSync(join(folder, "made"), "utf8")).toBe("there");
        await expect(session.writeTextFile({ path: "/other/made-by-assent", content: "" })).rejects.toThrow(/[Rr]ead-only/);
        const { stdout } = await session.run({
          command: "ls /sys/class/net; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; ls -d /root/.ssh /var/lib /opt 2>/dev/null",
        });
        expect(stdout.replaceAll(/\s+/g, " ").trim()).toMatch(/^lo(?: \w+)* CapEff: 0+ CapBnd: 0+ NoNewPrivs: 1$/);
        expect((await session.run({ command: "wget -T 2 -q -O - http://1.1.1.1/" })).exitCode).not.toBe(0);
      });

      row("is removed when it is closed, with whatever runs in it", async (_, own) => {
        const session = await open();
        const running = await session.spawn({ command: "sleep 4006" });
        const named = (): string => own.say("ps", "--all", "--quiet", "--filter", `name=${session.container}`).trim();
        expect(named()).not.toBe("");
        await session[Symbol.asyncDispose]();
        expect(named()).toBe("");
        await running.wait();
        await session.close();
        expect((await session.run({ command: "true" })).exitCode).not.toBe(0);
        await expect(session.readTextFile({ path: "x" })).rejects.toThrow("x");
      });

      row("that cannot be started says why", async (_, own) => {
        await expect(open({ image: "no/such/image:here", runOptions: ["--pull", "never"] })).rejects.toThrow(
          /could not be started: .*no\/such\/image/s,
        );
        await expect(open({ runOptions: ["--no-such-option"] })).rejects.toThrow("no-such-option");
        await expect(openContainer({ ...own.options, engine: "/no/such/engine" })).rejects.toThrow("ENOENT");
      });
    });
  });
}
