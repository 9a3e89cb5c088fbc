import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, expect, it } from "vitest";
import { stepsOf } from "../ci-steps.ts";
import { here, type Here } from "../cli/run-place.ts";
import { DIST } from "../scratch.ts";
import { makeCiRule } from "@assent/team-server/enrol";
import { onEveryDatabase } from "./harness/databases.ts";
import { JobIssuer } from "./harness/job-issuer.ts";
import { TestServer } from "./harness/server.ts";

/** The steps of examples/ci with an agent: they join, ask, wait, and leave. The agent is a script that a person of the team has to let write. */

const Listed = v.object({
  questions: v.array(v.object({ id: v.string(), machine: v.string(), request: v.string(), about: v.object({ what: v.string() }) })),
});
const Machines = v.object({ gone: v.boolean(), name: v.string(), records: v.number() });

onEveryDatabase("an agent in CI", (where) => {
  let server: TestServer;
  let issuer: JobIssuer;
  let place: Here;

  beforeEach(async () => {
    server = await TestServer.start(await where.fresh());
    server.now = new Date();
    issuer = await JobIssuer.start();
    const claims = { repository: "acme/app", ref: "refs/heads/main" };
    await makeCiRule(
      server.db,
      { name: "app", issuer: issuer.url, audience: server.base, claims, group: "ci", minutes: 60 },
      "a test",
      server.now,
    );
    place = here();
    place.write("~/.agent-permissions.jsonc", JSON.stringify({ team: { answers: [`Write(${place.outside}/**)`] } }));
    place.write("agent.sh", 'echo released > "$OUT/release"\n');
  });
  afterEach(async () => {
    issuer.close();
    await server.close();
  });

  /** Each in a shell of its own, as a runner does. The server is in this process: nothing waits for them in one piece. */
  const runStep = async (
    step: string,
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number | null; readonly said: string }> => {
    const child = spawn("setsid", ["-w", "bash", "-e", "-o", "pipefail", "-c", step], {
      cwd: place.project,
      env: {
        PATH: `${place.home}/.local/bin:/usr/local/bin:/usr/bin:/bin`,
        HOME: place.home,
        CI: "true",
        ASSENT: join(DIST, ".."),
        ASSENT_TEAM: server.base,
        AGENT: "sh agent.sh",
        OUT: place.outside,
        GITHUB_PATH: join(place.project, "path.txt"),
        GITHUB_STEP_SUMMARY: join(place.project, "assent.md"),
        ...env,
      },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
    const [status] = (await once(child, "close")) as [number | null];
    return { status, said };
  };

  /** Says yes or no to the first question. */
  const answerFirst = async (word: "allow" | "deny", signal: AbortSignal): Promise<void> => {
    const ada = await server.person("Ada", "approver");
    server.now = new Date();
    while (!signal.aborted) {
      const { questions } = v.parse(Listed, JSON.parse((await server.get("/questions.json", ada)).text));
      const [first] = questions;
      if (first !== undefined) {
        expect(first.about.what).toContain("/release");
        await server.form("/answer", { machine: first.machine, id: first.id, request: first.request, answer: word }, ada);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it.each<[string, string, "allow" | "deny"]>([
    ["GitHub", "github-agent.yml", "allow"],
    ["GitHub", "github-agent.yml", "deny"],
    ["GitLab", "gitlab-agent.yml", "allow"],
  ])("%s: the steps of %s, and a person says %s", async (host, file, word) => {
    const env =
      host === "GitHub"
        ? {
            ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/job?api-version=2`,
            ACTIONS_ID_TOKEN_REQUEST_TOKEN: "job-secret",
            GITHUB_REPOSITORY: "acme/app",
            GITHUB_RUN_ID: "7",
          }
        : { ASSENT_ID_TOKEN: await issuer.token({}, server.base) };
    const over = new AbortController();
    const answered = answerFirst(word, over.signal);
    const said: string[] = [];
    const statuses: (number | null)[] = [];
    for (const step of stepsOf(file)) {
      const one = await runStep(step, env);
      said.push(one.said);
      statuses.push(one.status);
    }
    over.abort();
    await answered;
    expect(
      statuses.filter((status) => status !== 0),
      said.join("\n"),
    ).toHaveLength(word === "allow" ? 0 : 1);
    expect(existsSync(join(place.outside, "release"))).toBe(word === "allow");
    expect(readFileSync(join(place.project, "assent.md"), "utf8")).toContain("agent.sh");
    // It left, and what it did is here, with who let it.
    const [machine] = await server.db.rows(
      Machines,
      `select m.name, m.gone is not null as gone, (select count(*)::int from log l where l.machine = m.id) as records from machines m`,
    );
    expect(machine?.gone).toBe(true);
    expect(machine?.records).toBeGreaterThan(0);
    if (host === "GitHub") expect(machine?.name).toBe("acme/app 7");
    const bodies = await server.db.rows(v.object({ body: v.string() }), "select body from log where body like '%team: Ada%'");
    expect(bodies.length).toBeGreaterThan(0);
  });
});
