import { createHash, randomBytes } from "node:crypto";
import { hashStatement, makeKeyPair, type PolicyCommand, type PolicyVersion, signStatement } from "@assent/guard/signature";
import { chainRecords, chainStart } from "@assent/team/team/protocol";
import { fleetKeys, makeCiRule, makeFleetKey, organisationOf } from "@assent/team-server/enrol";
import { addFirstKey } from "@assent/team-server/policies";
import type { TestMachine, TestServer } from "./server.ts";

const id = (): string => randomBytes(16).toString("base64url");
const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** What samples speak of: a machine of a team with a key, that asks something and has sent a record. */
export interface Scene {
  readonly server: TestServer;
  readonly machine: TestMachine;
  readonly other: TestMachine;
  readonly organisation: string;
  readonly key: ReturnType<typeof makeKeyPair>;
  readonly question: { readonly id: string; readonly request: string };
  readonly fleetKey: string;
  readonly ciRule: string;
}

export async function makeScene(server: TestServer): Promise<Scene> {
  const machine = await server.join("laptop", "ops");
  const other = await server.join("other");
  const key = makeKeyPair();
  await addFirstKey(server.db, key.publicKey, "administrator", server.now);
  const expires = server.now.getTime() + 30 * 86_400_000;
  await makeFleetKey(server.db, { name: "runners", group: "ci", uses: 2, expires }, "a test", server.now);
  const claims = { repository: "org/repo" };
  const rule = { name: "jobs", issuer: "https://ci.example.com", audience: "https://assent.example.com", claims, group: "ci", minutes: 10 };
  const ciRule = await makeCiRule(server.db, rule, "a test", server.now);
  const scene = {
    ciRule,
    fleetKey: (await fleetKeys(server.db))[0]?.id ?? "",
    server,
    machine,
    other,
    organisation: await organisationOf(server.db),
    key,
    question: { id: id(), request: digest("x") },
  };
  const [log, ask] = [ROUTES["POST /v1/log"]!, ROUTES["POST /v1/questions"]!];
  for (const [path, { json }] of [
    ["/v1/log", log],
    ["/v1/questions", ask],
  ] as const) {
    const { status } = await server.post(path, json!(scene), machine.token);
    if (status !== 200) throw new Error(`${path}: ${status}`);
  }
  return scene;
}

export interface RouteRow {
  /**
   * `anyone`: what it does is decided by what is sent. `machine`: by its token. `person`: who is signed in looks, or signs out.
   * `admin`: an administrator. `approver`: somebody with that role, or an administrator.
   */
  readonly who: "anyone" | "machine" | "person" | "admin" | "approver";
  /** A message that is taken. */
  readonly json?: (scene: Scene) => unknown;
  /** A form that is taken. */
  readonly form?: (scene: Scene) => Readonly<Record<string, string>>;
  /** What another server posts, as a form. */
  readonly foreign?: (scene: Scene) => Readonly<Record<string, string>>;
  /** Takes somebody who has just signed in. */
  readonly fresh?: true;
  readonly query?: Readonly<Record<string, string>>;
  /** The answer does not end. */
  readonly streams?: true;
}

const record = {
  salt: "s".repeat(22),
  body: JSON.stringify({ v: 1, time: "2026-11-20T09:00:00Z", verdict: "deny", agent: "claude", tool: "Bash", subject: "rm" }),
};
const commandOf = ({ organisation, key, server }: Scene, more: Partial<PolicyCommand> & Pick<PolicyCommand, "what">) =>
  signStatement<PolicyCommand>(
    {
      is: "command",
      organisation,
      at: server.now.toISOString(),
      about: null,
      group: null,
      version: null,
      percent: null,
      days: null,
      ...more,
    },
    key,
  );
const versionOf = ({ organisation, key, server }: Scene) =>
  signStatement<PolicyVersion>(
    {
      is: "policy",
      organisation,
      group: "default",
      version: 1,
      previous: null,
      made: server.now.toISOString(),
      expires: null,
      renewal: null,
      policy: "{}",
    },
    key,
  );

/** Every route that the server has, with who may use it and a request that is taken. A test fails where one is missing here. */
export const ROUTES: Readonly<Record<string, RouteRow>> = {
  "GET /healthz": { who: "anyone" },
  "GET /readyz": { who: "anyone" },
  "GET /style.css": { who: "anyone" },
  "GET /enter.js": { who: "anyone" },
  "GET /enter": { who: "anyone" },
  "GET /questions.js": { who: "anyone" },
  "GET /passkeys.js": { who: "anyone" },
  "GET /v1/policy/head": { who: "anyone" },
  "POST /enter": { who: "anyone", form: () => ({ key: "k".repeat(43) }) },
  "POST /v1/enrol": { who: "anyone", json: () => ({ v: 1, name: "box", platform: "linux x64", version: "0.1.0", group: "ci" }) },
  "POST /v1/enrol/poll": { who: "anyone", json: () => ({ v: 1, id: id(), secret: "s".repeat(43) }) },
  "POST /v1/enrol/fleet": {
    who: "anyone",
    json: () => ({ v: 1, name: "box", platform: "linux x64", version: "0.1.0", group: "ci", key: "k".repeat(43), secret: "s".repeat(43) }),
  },
  "POST /v1/enrol/ci": {
    who: "anyone",
    json: () => ({ v: 1, name: "job", platform: "linux x64", version: "0.1.0", group: "ci", token: "e30.e30.x", secret: "s".repeat(43) }),
  },
  "POST /v1/policy/command": {
    who: "anyone",
    json: (scene) => {
      const signed = versionOf(scene);
      return { v: 1, command: commandOf(scene, { what: "push", about: hashStatement(signed.statement) }), signed };
    },
  },
  "POST /v1/log": {
    who: "machine",
    json: ({ machine }) => {
      const start = chainStart(machine.machine, 1);
      return { v: 1, epoch: 1, after: start, records: [record], hash: chainRecords(start, [record])[0]!.hash };
    },
  },
  "GET /v1/machine": { who: "machine" },
  "POST /v1/leave": { who: "machine", json: () => ({}) },
  "POST /v1/policy": { who: "machine", json: () => ({ v: 1, have: { version: 1, hash: digest("y") }, problem: "none" }) },
  "GET /v1/events": { who: "machine", streams: true },
  "POST /v1/questions": {
    who: "machine",
    json: ({ question }) => ({
      v: 1,
      questions: [
        {
          ...question,
          expiresIn: 600_000,
          people: 1,
          about: { point: "hook", agent: "claude", what: "run it", reason: "no rule", folder: "~/project", rule: "ask Bash(x)" },
        },
      ],
    }),
  },
  "POST /v1/questions/withdraw": { who: "machine", json: ({ question }) => ({ v: 1, ids: [question.id] }) },
  "GET /v1/answers": { who: "machine" },
  "POST /v1/answers/taken": { who: "machine", json: ({ question }) => ({ v: 1, taken: [{ ...question, became: "applied" }] }) },
  "GET /sign-in": { who: "anyone" },
  "GET /sign-in/again": { who: "anyone" },
  "GET /sign-in/callback": { who: "anyone", query: { code: "c", state: "s" } },
  "POST /sign-in/logout": { who: "anyone", foreign: () => ({ logout_token: "e30.e30.x" }) },
  "GET /": { who: "person" },
  "GET /questions": { who: "person" },
  "GET /questions.json": { who: "person" },
  "POST /sign-out": { who: "person", form: () => ({}) },
  "GET /passkeys": { who: "person" },
  "POST /passkeys/start": { who: "person", form: () => ({}) },
  "POST /passkeys/add": { who: "person", form: () => ({ name: "my key", credential: JSON.stringify({ id: id(), type: "public-key" }) }) },
  "POST /passkeys/remove": { who: "person", form: () => ({ id: id() }) },
  "POST /answer": {
    who: "approver",
    form: ({ machine, question }) => ({ machine: machine.machine, ...question, answer: "allow", note: "a word" }),
  },
  "GET /people": { who: "admin" },
  "GET /keys": { who: "admin" },
  "POST /keys/revoke": { who: "admin", fresh: true, form: ({ fleetKey }) => ({ id: fleetKey, machines: "yes" }) },
  "POST /keys/remove-rule": { who: "admin", fresh: true, form: ({ ciRule }) => ({ id: ciRule }) },
  "GET /webhooks": { who: "admin" },
  "GET /policy": { who: "admin", query: { group: "default", version: "1" } },
  "GET /records": {
    who: "admin",
    query: {
      machine: "laptop",
      group: "ops",
      verdict: "deny",
      agent: "claude",
      text: "rm",
      since: "2026-11-01",
      until: "2026-12-01",
      after: Buffer.from(JSON.stringify(["2026-11-20T10:00:00.000000Z", "x", 1, 1])).toString("base64url"),
    },
  },
  "POST /records/erase": { who: "admin", form: () => ({ machine: "laptop", before: "2026-11-01", matching: "nothing" }) },
  "POST /confirm": { who: "admin", form: () => ({ code: "BCDF-GHJK" }) },
  "POST /refuse": { who: "admin", form: () => ({ id: id() }) },
  "POST /remove": { who: "admin", form: ({ machine }) => ({ id: machine.machine }) },
  "POST /group": { who: "admin", form: ({ machine }) => ({ id: machine.machine, group: "laptops" }) },
  "POST /people/invite": { who: "admin", form: () => ({ name: "Eve", role: "admin", machines: "" }) },
  "POST /people/remove": { who: "admin", form: () => ({ name: "Vera" }) },
  "POST /people/provider": { who: "admin", form: () => ({ name: "everybody", role: "viewer", machines: "" }) },
  "POST /webhooks/add": { who: "admin", form: () => ({ kind: "generic", url: "https://hooks.example/x" }) },
  "POST /webhooks/remove": { who: "admin", form: () => ({ id: id() }) },
  "POST /policy/key": { who: "admin", form: () => ({ key: makeKeyPair().publicKey }) },
  "POST /policy/push": { who: "admin", form: (scene) => ({ signed: JSON.stringify(versionOf(scene)) }) },
  "POST /policy/release": { who: "admin", form: () => ({ group: "default", version: "1", percent: "100" }) },
};

export const routeParts = (route: string): { readonly method: string; readonly path: string } => {
  const [method = "", path = ""] = route.split(" ");
  return { method, path };
};
