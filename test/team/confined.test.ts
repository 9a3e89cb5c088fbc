import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endOfLog } from "@assent/guard/audit";
import { stateFolder } from "@assent/guard/state";
import { isTeamReached } from "@assent/team/team/remote";
import { readSender, writeMembership } from "@assent/team/team";
import { lasting } from "../cli/run-place.ts";
import { HAS_CLIENT, startJudge } from "../daemon/judge.ts";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import { organisationOf } from "@assent/team-server/enrol";
import { onEveryDatabase } from "./harness/databases.ts";
import { type TestMachine, TestServer } from "./harness/server.ts";

/**
 * A host's hook has a command confined, the host starts it, and what it asks while it runs is answered on the page of the team: by real
 * processes all the way, on a machine where nobody sits.
 */

const Told = v.object({
  hookSpecificOutput: v.object({ permissionDecision: v.literal("allow"), updatedInput: v.object({ command: v.string() }) }),
});
const Listed = v.object({
  questions: v.array(
    v.object({
      id: v.string(),
      machine: v.string(),
      request: v.string(),
      about: v.object({ what: v.string() }),
    }),
  ),
});
const Answered = v.object({ person: v.string(), answer: v.string() });
const soon = { timeout: 20_000, interval: 50 };

describe.skipIf(!HAS_CLIENT || process.platform !== "linux")("a confined command asks the team", () => {
  onEveryDatabase("on a server", (where) => {
    let server: TestServer;
    let place: Scratch;
    let joined: TestMachine;
    let judge: ChildProcess;
    let approver: { readonly cookie: string };
    let out: string;

    beforeEach(async () => {
      const db = await where.fresh();
      server = await TestServer.start(db);
      joined = await server.join();
      server.now = new Date();
      approver = await server.person("Ada", "approver");
      place = scratch();
      out = mkdtempSync(join(lasting(), "outside-"));
      place.write("tool.sh", `echo begins; echo said > "${out}/f" && echo goes on`);
      place.write(
        "~/.agent-permissions.jsonc",
        JSON.stringify({ unknown: "confine", team: { answers: [`Write(${out}/**)`], waits: [{ wait: "1m" }] } }),
      );
      const failed = writeMembership(place.machine, {
        v: 1,
        url: server.base,
        machine: joined.machine,
        organisation: await organisationOf(db),
        name: "laptop",
        token: joined.token,
        salt: Buffer.alloc(32, 1).toString("base64url"),
        joined: "2026-11-20T10:00:00Z",
        from: endOfLog(stateFolder(place.machine)),
      });
      if (failed !== undefined) throw new Error(`this machine is of no team: ${JSON.stringify(failed)}`);
      judge = await startJudge(place);
      await connected();
    });
    afterEach(async () => {
      judge.kill("SIGKILL");
      rmSync(out, { recursive: true, force: true });
      await server.close();
    });

    const connected = () =>
      vi.waitFor(() => expect([readSender(place.machine)?.by, isTeamReached(place.machine)]).toEqual(["daemon", true]), soon);
    const env = (): NodeJS.ProcessEnv => ({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home });
    async function run(words: readonly string[], input: string): Promise<{ readonly status: number | null; readonly said: string }> {
      const child = spawn("setsid", ["-w", ...words], { cwd: place.project, env: env() });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
      child.stdin.end(input);
      await once(child, "close");
      return { status: child.exitCode, said };
    }
    /** As Droid does it: the hook is asked, and what it says is started. */
    async function start(command: string): ReturnType<typeof run> {
      const asked = await run(
        [process.execPath, join(DIST, "bin.cjs"), "check", "--agent", "droid"],
        JSON.stringify({
          session_id: "s1",
          cwd: place.project,
          permission_mode: "off",
          hook_event_name: "PreToolUse",
          tool_name: "Execute",
          tool_input: { command },
        }),
      );
      const told = v.parse(Told, JSON.parse(asked.said));
      expect(told.hookSpecificOutput.updatedInput.command).not.toBe(command);
      return run(["bash", "-c", told.hookSpecificOutput.updatedInput.command], "");
    }
    async function question(): Promise<v.InferOutput<typeof Listed>["questions"][number]> {
      return vi.waitFor(async () => {
        const [first] = v.parse(Listed, JSON.parse((await server.get("/questions.json", approver)).text)).questions;
        if (first === undefined) throw new Error("nothing is asked");
        return first;
      }, soon);
    }
    const say = async (answer: "allow" | "deny", note = ""): Promise<void> => {
      const { machine, id, request } = await question();
      await server.form("/answer", { machine, id, request, answer, note }, approver);
    };

    it("yes: the call goes on, as if it had never been held, and the machine and the server know who said it", async () => {
      const ended = start("sh tool.sh");
      const asked = await question();
      expect(asked).toMatchObject({ machine: joined.machine, about: { what: expect.stringContaining(join(out, "f")) as unknown } });
      expect(existsSync(join(out, "f"))).toBe(false);
      await say("allow");
      const { status, said } = await ended;
      expect([status, said]).toEqual([0, expect.stringContaining("begins\ngoes on\n")]);
      expect(readFileSync(join(out, "f"), "utf8")).toBe("said\n");
      expect(readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8")).toContain('"answeredBy":"team: Ada"');
      const kept = await server.db.rows(Answered, "select person, answer from answers where question = $1", [asked.id]);
      expect(kept).toEqual([{ person: "Ada", answer: "allow" }]);
    });

    it("no: the call fails, and the model hears the word", async () => {
      const ended = start("sh tool.sh");
      await say("deny", "write into the project");
      const { status, said } = await ended;
      expect(status).not.toBe(0);
      expect(said).toContain(': "Ada" of the team was asked and said no, and says: write into the project');
      expect(said).not.toContain("goes on");
      expect(existsSync(join(out, "f"))).toBe(false);
    });
  });
});
