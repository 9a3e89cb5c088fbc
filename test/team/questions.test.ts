import { createHash, randomBytes } from "node:crypto";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeptAtTeam, TeamAnswers, TeamQuestion } from "@assent/team/team/protocol";
import { answersFor, keepQuestions } from "../../packages/team-server/src/questions/store.ts";
import { onEveryDatabase } from "./harness/databases.ts";
import { type Got, type TestMachine, TestServer } from "./harness/server.ts";

const Listed = v.object({ questions: v.array(v.object({ id: v.string() })) });
const Page = v.object({
  questions: v.array(v.object({ id: v.string(), machine: v.string(), request: v.string() })),
  open: v.number(),
  next: v.optional(v.string()),
});
const Asked = v.array(TeamQuestion);
type Cookie = { readonly cookie: string };

const newId = (): string => randomBytes(16).toString("base64url");
const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");
const about = { point: "hook", agent: "claude", what: "run npm publish", reason: "no rule allows it", folder: "~/project" };
const questionOf = (over: Readonly<Record<string, unknown>> = {}) => ({
  id: newId(),
  request: digest("npm publish"),
  expiresIn: 600_000,
  people: 1,
  about,
  ...over,
});
type Question = ReturnType<typeof questionOf>;

onEveryDatabase("questions", (place) => {
  let server: TestServer;
  let machine: TestMachine;
  let approver: Cookie;

  beforeEach(async () => {
    const db = await place.fresh();
    server = await TestServer.start(db, place.kind === "embedded" ? [] : [place.again(), place.again()]);
    machine = await server.join();
    approver = await server.person("Ada", "approver");
  });
  afterEach(() => server.close());

  const put = async (question: Question, { token } = machine): Promise<string> => {
    const got = await server.post("/v1/questions", { v: 1, questions: [question] }, token);
    return got.status === 200 ? v.parse(KeptAtTeam, JSON.parse(got.text)).questions[0]!.is : `HTTP ${got.status}`;
  };
  const answers = async ({ token } = machine) =>
    v.parse(TeamAnswers, JSON.parse((await server.get("/v1/answers", { authorization: `Bearer ${token}` })).text)).answers;
  const answer = (question: Question, word: string, who: Readonly<Record<string, string>> = approver, more = {}): Promise<Got> =>
    server.form("/answer", { machine: machine.machine, id: question.id, request: question.request, answer: word, ...more }, who);
  const taken = (question: Question, became: string, { token } = machine): Promise<Got> =>
    server.post("/v1/answers/taken", { v: 1, taken: [{ id: question.id, request: question.request, became }] }, token);
  const seen = async (who: Cookie): Promise<readonly { id: string }[]> =>
    v.parse(Listed, JSON.parse((await server.get("/questions.json", who)).text)).questions;

  it("a machine asks, a person says yes, the machine hears it with the name until it has said so", async () => {
    const question = questionOf();
    expect(await put(question)).toBe("taken");
    expect((await seen(approver)).map(({ id }) => id)).toEqual([question.id]);
    expect(await answers()).toEqual([]);
    expect((await answer(question, "allow")).status).toBe(200);
    const told = [{ id: question.id, request: question.request, answer: "allow", by: ["Ada"] }];
    expect(await answers()).toEqual(told);
    // The machine was killed before it said so.
    expect(await answers()).toEqual(told);
    await taken(question, "applied");
    expect(await answers()).toEqual([]);
    expect(await seen(approver)).toEqual([]);
    expect((await server.get("/questions", approver)).text).toContain("Ada");
  });

  it("the page says whether a yes is for once or from now on, and no command makes the one look like the other", async () => {
    const buttons = async (what: string): Promise<readonly string[]> => {
      const question = questionOf({ about: { ...about, what } });
      await put(question);
      const { text } = await server.get("/questions", approver);
      await answer(question, "deny");
      return [...text.matchAll(/value="allow">\s*([^<]*?)\s*</g)].map(([, words = ""]) => words);
    };
    expect(await buttons("run git push")).toEqual(["Yes, once"]);
    expect(await buttons("run go on from now on, without asking: x")).toEqual(["Yes, once"]);
    expect(await buttons("go on from now on, without asking: push branches of acme/shop to github.com?")).toEqual(["Yes, from now on"]);
  });

  it("a no comes with its word, from one person, though two would have to say yes", async () => {
    const question = questionOf({ people: 2 });
    await put(question);
    await answer(question, "deny", approver, { note: "use the staging registry" });
    expect(await answers()).toMatchObject([{ answer: "deny", by: ["Ada"], note: "use the staging registry" }]);
  });

  it("where two have to say yes, one alone does nothing, however often", async () => {
    const question = questionOf({ people: 2 });
    await put(question);
    expect((await answer(question, "allow")).status).toBe(200);
    expect((await answer(question, "allow")).status).toBe(409);
    expect(await answers()).toEqual([]);
    await answer(question, "allow", await server.person("Grace", "approver"));
    expect(await answers()).toMatchObject([{ answer: "allow", by: ["Ada", "Grace"] }]);
  });

  it("the yes of somebody who was removed meanwhile does not count as one of two", async () => {
    const question = questionOf({ people: 2 });
    await put(question);
    await answer(question, "allow");
    await server.form("/people/remove", { name: "Ada" }, await server.admin());
    await answer(question, "allow", await server.person("Grace", "approver"));
    expect(await answers()).toEqual([]);
    await answer(question, "allow", await server.person("Joan", "approver"));
    expect((await answers()).length).toBe(1);
  });

  it("names nobody whose role was taken since, of more than had to say yes", async () => {
    const question = questionOf({ people: 2 });
    await put(question);
    const [grace, kay] = [await server.person("Grace", "approver"), await server.person("Kay", "approver")];
    await answer(question, "allow");
    await server.form("/people/remove", { name: "Ada" }, await server.admin());
    await answer(question, "allow", grace);
    expect(await answers()).toEqual([]);
    await answer(question, "allow", kay);
    expect(await answers()).toMatchObject([{ answer: "allow", by: ["Grace", "Kay"] }]);
  });

  it("of many answers at once one holds, and it is never answered twice", async () => {
    const question = questionOf();
    await put(question);
    const people = await Promise.all(["B", "C", "D"].map((name) => server.person(name, "approver")));
    const got = await Promise.all([approver, ...people].flatMap((who) => [answer(question, "allow", who), answer(question, "deny", who)]));
    expect(got.filter(({ status }) => status === 200).length).toBe(1);
    expect((await answers()).length).toBe(1);
    expect(await server.db.rows(v.object({}), "select 1 from answers")).toHaveLength(1);
  });

  it("a question that is sent again is there once, and not another one under its id", async () => {
    const question = questionOf();
    expect(await put(question)).toBe("taken");
    expect(await put(question)).toBe("taken");
    expect(await put({ ...question, request: digest("rm -rf /") })).toBe("other");
    expect(await put({ ...question, about: { ...about, what: "run something harmless" } })).toBe("taken");
    expect(await seen(approver)).toHaveLength(1);
    // What people see is what came first.
    expect((await server.get("/questions", approver)).text).not.toContain("something harmless");
  });

  it("what is over, withdrawn or answered takes no answer", async () => {
    const [over, withdrawn, answered] = [questionOf({ expiresIn: 1000 }), questionOf(), questionOf()];
    for (const one of [over, withdrawn, answered]) await put(one);
    await server.post("/v1/questions/withdraw", { v: 1, ids: [withdrawn.id] }, machine.token);
    await answer(answered, "deny");
    server.pass(2000);
    for (const one of [over, withdrawn, answered]) expect((await answer(one, "allow")).status).toBe(409);
    expect(await answers()).toMatchObject([{ id: answered.id, answer: "deny" }]);
    // And a withdrawal takes no answer back.
    await server.post("/v1/questions/withdraw", { v: 1, ids: [answered.id] }, machine.token);
    expect(await answers()).toHaveLength(1);
  });

  it("an answer is for what was seen: another hash in the form answers nothing", async () => {
    const question = questionOf();
    await put(question);
    expect((await answer({ ...question, request: digest("something else") }, "allow")).status).toBe(409);
    expect(await answers()).toEqual([]);
  });

  describe("roles", () => {
    it.each<[string, string, string, boolean, boolean]>([
      ["an administrator", "admin", "", true, true],
      ["an approver", "approver", "", true, true],
      ["an approver of the group", "approver", "build", true, true],
      ["an approver of another group", "approver", "other", false, false],
      ["a viewer", "viewer", "", true, false],
      ["a viewer of the group", "viewer", "build", true, false],
      ["a viewer of another group", "viewer", "other", false, false],
    ])("%s sees and answers as the role says", async (_, role, machines, sees, may) => {
      machine = await server.join("builder", "build");
      const question = questionOf();
      await put(question);
      const who = await server.person("Eve", role, machines);
      expect((await seen(who)).length).toBe(sees ? 1 : 0);
      expect((await server.get("/questions", who)).text.includes('value="allow"')).toBe(may);
      expect((await answer(question, "allow", who)).status).toBe(may ? 200 : 403);
      expect((await answers()).length).toBe(may ? 1 : 0);
    });

    it.each(["/confirm", "/refuse", "/remove", "/group", "/people/invite", "/people/remove"])("%s is for administrators", async (path) => {
      const fields = { code: "BCDF-GHJK", id: machine.machine, group: "x", name: "Eve", role: "admin", machines: "" };
      for (const role of ["approver", "viewer"])
        expect((await server.form(path, fields, await server.person(`an ${role}`, role))).status).toBe(403);
      expect((await server.get("/people", approver)).status).toBe(403);
      expect((await server.get("/", approver)).status).toBe(303);
      expect(await answers()).toEqual([]);
    });

    it("a role that is taken ends at once, with its sessions", async () => {
      const question = questionOf();
      await put(question);
      await server.form("/people/remove", { name: "Ada" }, await server.admin());
      expect((await answer(question, "allow")).status).toBe(401);
      expect(await answers()).toEqual([]);
    });

    it("the last administrator stays, and an administrator of a part is none", async () => {
      const admin = await server.admin();
      expect((await server.form("/people/remove", { name: "administrator" }, admin)).status).toBe(409);
      expect((await server.form("/people/invite", { name: "Eve", role: "admin", machines: "build" }, admin)).status).toBe(400);
      expect((await server.form("/people/invite", { name: "Eve", role: "root", machines: "" }, admin)).status).toBe(400);
      expect((await server.form("/people/invite", { name: "E\nve", role: "viewer", machines: "" }, admin)).status).toBe(400);
    });

    it("an invitation signs in once, by a POST", async () => {
      const { text } = await server.form("/people/invite", { name: "Eve", role: "approver", machines: "" }, await server.admin());
      const [, key] = /\/enter#([\w-]{43})/.exec(text) ?? [];
      expect((await server.get(`/enter?key=${key}`)).headers["set-cookie"]).toBeUndefined();
      server.pass(60_000);
      expect((await server.form("/enter", { key: key! })).status).toBe(303);
      expect((await server.form("/enter", { key: key! })).status).toBe(403);
    });
  });

  describe("answers nothing", () => {
    let question: Question;
    beforeEach(async () => {
      question = questionOf();
      await put(question);
    });
    const given = (): Record<string, string> => ({
      machine: machine.machine,
      id: question.id,
      request: question.request,
      answer: "allow",
    });

    it.each<[string, () => Promise<Got>, number]>([
      ["a scanner that opens every link", () => server.get(`/answer?${new URLSearchParams(given()).toString()}`, approver), 404],
      ["a HEAD", () => server.ask("HEAD", `/answer?${new URLSearchParams(given()).toString()}`, undefined, approver), 404],
      ["somebody who is not signed in", () => server.form("/answer", given()), 401],
      ["a session of nobody", () => server.form("/answer", given(), { cookie: `assent_team=${"n".repeat(43)}` }), 401],
      ["another site", () => server.form("/answer", given(), { ...approver, origin: "https://evil.example" }), 403],
      ["a site that hides", () => server.form("/answer", given(), { ...approver, origin: "null" }), 403],
      ["a form without an origin", () => server.ask("POST", "/answer", new URLSearchParams(given()).toString(), approver), 403],
      ["JSON", () => server.ask("POST", "/answer", JSON.stringify(given()), { ...approver, origin: server.base }), 403],
      ["another word", () => server.form("/answer", { ...given(), answer: "always" }, approver), 400],
      ["two words", () => server.form("/answer", { ...given(), answer: "allow,deny" }, approver), 400],
      ["SQL in the machine", () => server.form("/answer", { ...given(), machine: "' or 1=1 --" }, approver), 409],
      ["SQL in the id", () => server.form("/answer", { ...given(), id: "' or '1'='1" }, approver), 409],
      ["a NUL in the id", () => server.form("/answer", { ...given(), id: `${question.id}\0x` }, approver), 409],
      ["a hash of nothing", () => server.form("/answer", { ...given(), request: "" }, approver), 409],
      ["the machine's own token", () => server.form("/answer", given(), { authorization: `Bearer ${machine.token}` }), 401],
      [
        "the token of a machine in the place of a session",
        () => server.form("/answer", given(), { cookie: `assent_team=${machine.token}` }),
        401,
      ],
    ])("%s", async (_, act, status) => {
      expect((await act()).status).toBe(status);
      expect(await answers()).toEqual([]);
      expect(await server.db.rows(v.object({}), "select 1 from answers")).toEqual([]);
    });

    it("another machine's token hears, withdraws and acknowledges nothing of it", async () => {
      const other = await server.join("other");
      await server.post("/v1/questions/withdraw", { v: 1, ids: [question.id] }, other.token);
      expect((await answer(question, "allow")).status).toBe(200);
      expect(await answers(other)).toEqual([]);
      await taken(question, "applied", other);
      expect(await answers()).toHaveLength(1);
      // Nor does it take the id of another one's question.
      expect(await put({ ...question, request: digest("x") }, other)).toBe("taken");
      expect(await answers(other)).toEqual([]);
    });

    it("a machine that was removed", async () => {
      await server.form("/remove", { id: machine.machine }, await server.admin());
      expect((await answer(question, "allow")).status).toBe(409);
      expect(await put(questionOf())).toBe("HTTP 401");
    });
  });

  it.each<[string, unknown]>([
    ["a field too many", { ...questionOf(), answer: "allow" }],
    ["an id that is none", questionOf({ id: "x" })],
    ["no hash", questionOf({ request: "" })],
    ["nobody has to say yes", questionOf({ people: 0 })],
    ["an age", questionOf({ expiresIn: 1e12 })],
    ["a text without an end", questionOf({ about: { ...about, what: "x".repeat(5000) } })],
    ["an agent that steers a terminal", questionOf({ about: { ...about, agent: "a\u001b[2J" } })],
    ["a NUL", questionOf({ about: { ...about, what: "a\0b" } })],
  ])("refuses a question with %s", async (_, question) => {
    expect((await server.post("/v1/questions", { v: 1, questions: [question] }, machine.token)).status).toBe(400);
  });

  it("a machine has no more than 200 open, and asks no faster than it may", async () => {
    for (let nth = 0; nth < 4; nth++)
      await server.post("/v1/questions", { v: 1, questions: Array.from({ length: 50 }, () => questionOf()) }, machine.token);
    expect(await put(questionOf())).toBe("full");
    const statuses: string[] = [];
    for (let nth = 0; nth < 200; nth++) statuses.push(await put(questionOf()));
    if (place.kind === "embedded") expect(statuses).toContain("HTTP 429");
    expect(statuses).not.toContain("taken");
  });

  it.each(["newest", "urgent"] as const)("a thousand that wait are all found page by page, the %s first", async (first) => {
    const wait = async (count: number, expiresIn: number): Promise<readonly string[]> => {
      const asked = Array.from({ length: count }, (_, at) => questionOf({ expiresIn: expiresIn - at * 100 }));
      await keepQuestions(server.db, (await server.join()).machine, v.parse(Asked, asked), server.now);
      server.pass(1000);
      return asked.map(({ id }) => id);
    };
    const all: string[] = [];
    for (let nth = 0; nth < 5; nth++) all.push(...(await wait(200, 3_600_000 - nth * 300_000)));
    const last = all.slice(-200);
    const page = async (after: string) =>
      v.parse(Page, JSON.parse((await server.get(`/questions.json?${new URLSearchParams({ first, after }).toString()}`, approver)).text));
    const found: string[] = [];
    let after: string | undefined = "";
    for (let looks = 0; after !== undefined && looks < 100; looks++) {
      const { questions, open, next }: v.InferOutput<typeof Page> = await page(after);
      found.push(...questions.map(({ id }) => id));
      expect(open).toBe(1000 - looks);
      // What is answered meanwhile makes nothing slip past.
      const { id, request, machine: whose } = questions[0]!;
      expect((await server.form("/answer", { machine: whose, id, request, answer: "deny", first, after }, approver)).status).toBe(200);
      after = next;
    }
    expect(found).toHaveLength(1000);
    expect(new Set(found)).toEqual(new Set(all));
    expect(new Set(found.slice(0, 200))).toEqual(new Set(last));
    if (first === "urgent") expect(found[0]).toBe(last.at(-1));
  });

  it("an answer shows the page again that it was given on, with the way to the next", async () => {
    const asked = Array.from({ length: 120 }, (_, at) =>
      questionOf({ expiresIn: 600_000 + at * 1000, about: { ...about, what: `run it ${at}.` } }),
    );
    await keepQuestions(server.db, machine.machine, v.parse(Asked, asked), server.now);
    const { text } = await server.get("/questions?first=urgent", approver);
    expect(text).toContain("120 wait; 50 of them are here.");
    const [, after = ""] = /href="\/questions\?first=urgent&amp;after=([^"]+)"/.exec(text) ?? [];
    const answered = await answer(asked[60]!, "allow", approver, { first: "urgent", after });
    expect(answered.text).toContain("run it 50.");
    expect(answered.text).not.toContain("run it 49.");
    expect(answered.text).toContain(`data-look="/questions.json?first=urgent&amp;after=${after}"`);
  });

  it.each(["x", "1.a", "1.a.b.c", "-1.a.b", "99999999999999.a.b", "1.'.b", "1.a.\0"])(
    "a place that is none, or far away, %j breaks nothing",
    async (after) => {
      await put(questionOf());
      for (const first of ["newest", "urgent", "asked; drop table questions"]) {
        const got = await server.get(`/questions.json?${new URLSearchParams({ first, after }).toString()}`, approver);
        expect(got.status).toBe(200);
        expect(v.parse(Page, JSON.parse(got.text)).open).toBe(1);
      }
    },
  );

  it("answers that a machine does not acknowledge keep none from another one", async () => {
    const other = await server.join("another");
    // Of days in which it said nothing.
    await server.db.run(
      `insert into questions (machine, id, request, asked, expires, people, about, state, decided)
       select $1, lpad(nth::text, 22, '0'), decode($2, 'hex'), $3::timestamptz - interval '2 days', $3, 1, $4, 'refused',
              $3::timestamptz - interval '1 day' + nth * interval '1 second'
       from generate_series(1, 1100) nth`,
      [machine.machine, "00".repeat(32), server.now, JSON.stringify(about)],
    );
    await server.db.run(
      "insert into answers (machine, question, person, answer, at) select machine, id, 'Ada', 'deny', decided from questions where state = 'refused'",
    );
    const question = questionOf();
    await put(question, other);
    expect((await answer(question, "allow", approver, { machine: other.machine })).status).toBe(200);
    const told = await answersFor(server.db, [machine.machine, other.machine]);
    expect(told.filter((one) => one.machine === other.machine).map((one) => one.answer.id)).toEqual([question.id]);
    const first = Array.from({ length: 200 }, (_, nth) => String(nth + 1).padStart(22, "0"));
    expect(told.filter((one) => one.machine === machine.machine).map((one) => one.answer.id)).toEqual(first);
    expect((await answers()).map(({ id }) => id)).toEqual(first);
    // One that was told makes room for one that was not.
    await taken({ ...question, id: first[0]!, request: Buffer.alloc(32).toString("base64url") }, "late");
    expect((await answers()).at(-1)?.id).toBe("201".padStart(22, "0"));
  });

  it("hostile text stays text", async () => {
    await put(questionOf({ about: { ...about, what: "<script>alert(1)</script>\u202e\u001b[2J\"'&", reason: "<img src=x onerror=y>" } }));
    const { text, headers } = await server.get("/questions", approver);
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;[U+202E][U+001B][2J&quot;&#39;&amp;");
    expect(text).not.toContain("<img");
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });
});
