import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { challengeOf, credentialMark, isPasskeyKey, keyIdOf, makeKeyPair, passkeyPrint, type PasskeyProof } from "@assent/guard/signature";
import { readPolicy } from "@assent/core/policy/read";
import { askRemote, demandHere, hashRequest, readAnswer } from "@assent/team/team/remote";
import { carryQuestions, type TeamMembership, writeMembership } from "@assent/team/team";
import { KeptAtTeam, TeamAnswers } from "@assent/team/team/protocol";
import { launchBrowser } from "../page/chromium.ts";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import { FLAGS, type PasskeyAlgorithm, type SaidOtherwise, SoftPasskey } from "../soft-authenticator.ts";
import { invitePerson, MOST_PASSKEYS, organisationOf } from "@assent/team-server/enrol";
import { addFirstKey } from "@assent/team-server/policies";
import { onEveryDatabase } from "./harness/databases.ts";
import { type Got, type TestMachine, TestServer } from "./harness/server.ts";

const Begun = v.object({
  publicKey: v.object({
    challenge: v.string(),
    rp: v.object({ id: v.string() }),
    excludeCredentials: v.array(v.object({ id: v.string() })),
  }),
});
const Listed = v.object({
  questions: v.array(v.object({ id: v.string(), passkey: v.optional(v.object({ challenge: v.string(), allowed: v.array(v.string()) })) })),
});
type Cookie = { readonly cookie: string };

const about = { point: "hook", agent: "claude", what: "run npm publish", reason: "a rule asks", folder: "~/project" };
const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

onEveryDatabase("passkeys", (place) => {
  let server: TestServer;
  let machine: TestMachine;
  let ada: Cookie;
  let site: string;

  beforeEach(async () => {
    const db = await place.fresh();
    server = await TestServer.start(db, place.kind === "embedded" ? [] : [place.again(), place.again()]);
    machine = await server.join();
    ada = await server.person("Ada", "approver");
    // Passkeys belong to names.
    site = server.base.replace("127.0.0.1", "localhost");
  }, 120_000);
  afterEach(() => server.close());

  const form = (path: string, fields: Readonly<Record<string, string>>, who: Cookie, more = {}): Promise<Got> =>
    server.form(path, fields, { ...who, origin: site, host: new URL(site).host, ...more });
  const begin = async (who = ada): Promise<v.InferOutput<typeof Begun>["publicKey"]> =>
    v.parse(Begun, JSON.parse((await form("/passkeys/start", {}, who)).text)).publicKey;
  const add = (passkey: SoftPasskey, challenge: string, who = ada, otherwise: SaidOtherwise = {}, name = "laptop"): Promise<Got> =>
    form("/passkeys/add", { name, credential: passkey.register(challenge, site, otherwise) }, who);
  const kept = async (): Promise<readonly { readonly id: string; readonly person: string; readonly key: string }[]> =>
    server.db.rows(
      v.object({ id: v.string(), person: v.string(), key: v.string() }),
      "select id, person, key from passkeys order by person, made, id",
    );
  const registered = async (who = ada, algorithm: PasskeyAlgorithm = "ES256"): Promise<SoftPasskey> => {
    const passkey = new SoftPasskey(algorithm);
    const { challenge } = await begin(who);
    expect((await add(passkey, challenge, who)).status).toBe(303);
    return passkey;
  };

  describe("are registered", () => {
    it.each<PasskeyAlgorithm>(["ES256", "RS256", "EdDSA"])("%s", async (algorithm) => {
      const passkey = await registered(ada, algorithm);
      expect(await kept()).toEqual([{ id: passkey.id, person: "Ada", key: passkey.key }]);
      expect(isPasskeyKey(passkey.key)).toBe(true);
      expect((await server.get("/passkeys", ada)).text).toContain(passkeyPrint(passkey.key));
      expect((await begin()).excludeCredentials).toEqual([{ id: passkey.id }]);
    });

    it.each<[string, (passkey: SoftPasskey, challenge: string) => string]>([
      ["for another challenge", (passkey) => passkey.register(digest("x"), site)],
      ["at another site", (passkey, challenge) => passkey.register(challenge, "https://evil.example")],
      ["at a subdomain", (passkey, challenge) => passkey.register(challenge, site, { origin: site.replace("//", "//www.") })],
      ["for another host", (passkey, challenge) => passkey.register(challenge, site, { host: "evil.example" })],
      ["that did not check who used it", (passkey, challenge) => passkey.register(challenge, site, { flags: FLAGS.present })],
      ["that nobody touched", (passkey, challenge) => passkey.register(challenge, site, { flags: FLAGS.verified })],
      ["that is a sign-in", (passkey, challenge) => passkey.register(challenge, site, { type: "webauthn.get" })],
      ["under another id", (passkey, challenge) => passkey.register(challenge, site, { credential: new SoftPasskey().id })],
      [
        "with a certificate",
        (passkey, challenge) =>
          passkey.register(
            challenge,
            site,
            {},
            {
              format: "packed",
              statement: new Map<string, number | Buffer | Buffer[]>([
                ["alg", -7],
                ["sig", randomBytes(70)],
                ["x5c", [randomBytes(300)]],
              ]),
            },
          ),
      ],
      ["that is no JSON", () => "{"],
      ["that is null", () => "null"],
      ["that is empty", () => ""],
    ])("but not one %s, and what had begun is over", async (_, made) => {
      const { challenge } = await begin();
      const passkey = new SoftPasskey();
      expect((await form("/passkeys/add", { name: "x", credential: made(passkey, challenge) }, ada)).status).toBe(400);
      expect((await add(passkey, challenge)).status).toBe(409);
      expect(await kept()).toEqual([]);
    });

    it("once, in the session that began it, within ten minutes, by a form of the page", async () => {
      const grace = await server.person("Grace", "approver");
      const passkey = new SoftPasskey();
      const { challenge } = await begin();
      expect((await add(passkey, challenge, grace)).status).toBe(409);
      expect(
        (await form("/passkeys/add", { name: "x", credential: passkey.register(challenge, site) }, ada, { origin: "https://evil.example" }))
          .status,
      ).toBe(403);
      expect((await form("/passkeys/start", {}, { cookie: "" })).status).toBe(401);
      expect((await server.get("/passkeys/start", ada)).status).toBe(404);
      server.pass(601_000);
      expect((await add(passkey, challenge)).status).toBe(409);
      const again = await begin();
      expect((await add(passkey, again.challenge)).status).toBe(303);
      expect((await add(new SoftPasskey(), again.challenge)).status).toBe(409);
      // Nobody has somebody else's.
      const other = await begin(grace);
      expect((await add(passkey, other.challenge, grace)).status).toBe(409);
      expect((await form("/passkeys/remove", { id: passkey.id }, grace)).status).toBe(303);
      expect((await kept()).map(({ person }) => person)).toEqual(["Ada"]);
      await form("/passkeys/remove", { id: passkey.id }, ada);
      expect(await kept()).toEqual([]);
    });

    it("so many of one person, and none of one who was removed", async () => {
      for (let nth = 0; nth < MOST_PASSKEYS; nth++) {
        await registered();
        server.pass(5000);
      }
      const { challenge } = await begin();
      expect((await add(new SoftPasskey(), challenge)).status).toBe(409);
      expect(await kept()).toHaveLength(MOST_PASSKEYS);
      await server.form("/people/remove", { name: "Ada" }, await server.admin());
      expect(await kept()).toEqual([]);
    });
  });

  describe("sign a yes", () => {
    const until = Date.parse("2026-11-20T12:00:00Z");
    const put = async (passkeys: readonly SoftPasskey[], people = 1) => {
      const question = {
        id: randomBytes(16).toString("base64url"),
        request: digest("npm publish"),
        expiresIn: 600_000,
        people,
        passkeys: { site, until, credentials: passkeys.map(({ id }) => credentialMark(id)) },
        about,
      };
      const got = await server.post("/v1/questions", { v: 1, questions: [question] }, machine.token);
      expect(v.parse(KeptAtTeam, JSON.parse(got.text)).questions[0]!.is).toBe("taken");
      return question;
    };
    type Question = Awaited<ReturnType<typeof put>>;
    const challengeFor = async ({ id, request }: Question): Promise<string> =>
      challengeOf({ organisation: await organisationOf(server.db), machine: machine.machine, id, request, until });
    const answer = async ({ id, request }: Question, proof?: PasskeyProof, who = ada, word = "allow"): Promise<number> => {
      const fields = { machine: machine.machine, id, request, answer: word };
      return (await form("/answer", { ...fields, ...(proof === undefined ? {} : { proof: JSON.stringify(proof) }) }, who)).status;
    };
    const answers = async () =>
      v.parse(TeamAnswers, JSON.parse((await server.get("/v1/answers", { authorization: `Bearer ${machine.token}` })).text)).answers;
    const seen = async (who = ada) => v.parse(Listed, JSON.parse((await server.get("/questions.json", who)).text)).questions;

    it("that the machine gets word for word, with what the page gave to sign", async () => {
      const passkey = await registered();
      const question = await put([passkey]);
      const challenge = await challengeFor(question);
      expect(await seen()).toEqual([{ id: question.id, passkey: { challenge, allowed: [passkey.id] } }]);
      expect((await server.get("/questions", ada)).text).toContain(`data-challenge="${challenge}"`);
      const proof = passkey.prove(challenge, site);
      expect(await answer(question, proof)).toBe(200);
      expect(await answers()).toEqual([{ id: question.id, request: question.request, answer: "allow", by: ["Ada"], proofs: [proof] }]);
    });

    it("of two people, each with their own", async () => {
      const grace = await server.person("Grace", "approver");
      const [one, two] = [await registered(), await registered(grace)];
      const question = await put([one, two], 2);
      const challenge = await challengeFor(question);
      const proofs = [one.prove(challenge, site), two.prove(challenge, site)];
      expect(await answer(question, proofs[0])).toBe(200);
      expect(await answers()).toEqual([]);
      expect(await answer(question, proofs[0], grace)).toBe(403);
      expect(await answer(question, proofs[1], grace)).toBe(200);
      expect(await answers()).toMatchObject([{ by: ["Ada", "Grace"], proofs }]);
    });

    it("and nothing else does; a no needs none", async () => {
      const grace = await server.person("Grace", "approver");
      const [own, hers] = [await registered(), await registered(grace)];
      const notTaken = await registered();
      const [question, other] = [await put([own, hers]), await put([own, hers])];
      const challenge = await challengeFor(question);
      const wrong: readonly (PasskeyProof | undefined)[] = [
        undefined,
        hers.prove(challenge, site),
        notTaken.prove(challenge, site),
        own.prove(await challengeFor(other), site),
        own.prove(challenge, "https://evil.example"),
        own.prove(challenge, site, { flags: FLAGS.present }),
        { ...own.prove(challenge, site), signature: "AAAA" },
      ];
      for (const proof of wrong) expect(await answer(question, proof)).toBe(403);
      expect(await answers()).toEqual([]);
      expect(await seen(grace)).toHaveLength(2);
      expect(await answer(question, undefined, ada, "deny")).toBe(200);
      expect(await answers()).toMatchObject([{ answer: "deny", by: ["Ada"] }]);
    });
  });

  it("are taken over into the policy that is signed, after they were shown", async () => {
    const [grace, key, laptop] = [await server.person("Grace", "approver"), makeKeyPair(), scratch()];
    const [one, two] = [await registered(), await registered(grace, "RS256")];
    await addFirstKey(server.db, key.publicKey, "a test", server.now);
    const keyFile = laptop.write(
      "~/team-policy-key.json",
      JSON.stringify({
        v: 1,
        is: "assent team policy key",
        id: keyIdOf(key.publicKey),
        public: key.publicKey,
        private: key.privateKey,
        before: [],
      }),
    );
    // The command's clock is the real one.
    server.now = new Date();
    const file = join(laptop.project, "policy.jsonc");
    const take = (...more: string[]) =>
      called(laptop, ["team", "policy", "passkeys", file, "--key", keyFile, "--server", server.base, ...more]);
    laptop.write("~/project/policy.jsonc", '{ "team": { "answers": ["Bash(weird:*)"] } }');
    expect(await take()).toMatchObject({ status: 1, said: expect.stringContaining("passkeys have to sign") as unknown });
    laptop.write(
      "~/project/policy.jsonc",
      `{\n  // ours\n  "team": { "answers": ["Bash(weird:*)"], "passkeys": { "rules": ["Bash"], "site": "${site}", "credentials": [] } }\n}\n`,
    );
    const before = readFileSync(file, "utf8");
    const asked = await take();
    expect(asked).toMatchObject({ status: 1 });
    for (const part of [passkeyPrint(one.key), passkeyPrint(two.key), "Ada", "Grace", "laptop", "nothing is written"])
      expect(asked.said).toContain(part);
    expect(readFileSync(file, "utf8")).toBe(before);
    const credentials = () => credentialsIn(file);
    expect(await take("--person", "Ada", "--yes")).toMatchObject({ status: 0 });
    expect(credentials()).toEqual([one.of("Ada")]);
    expect(readFileSync(file, "utf8")).toContain("// ours");
    expect(await take("--yes", "--json")).toMatchObject({ status: 0 });
    expect(credentials()).toEqual([one.of("Ada"), two.of("Grace")]);
    expect(await take()).toMatchObject({ status: 0, said: expect.stringContaining("Nothing is new") as unknown });
    // A server that gives Ada's passkey to somebody else is seen doing so.
    await server.db.run("update passkeys set person = 'Grace' where person = 'Ada'");
    expect((await take()).said).toMatch(/CHANGED +Grace.*was Ada's/);
    await server.db.run("delete from passkeys");
    expect((await take("--yes")).said).toMatch(/goes +Ada/);
    expect(credentials()).toEqual([]);
  }, 120_000);

  it.runIf(place.kind === "embedded")(
    "the whole way in a browser: added, taken over, asked, signed, and verified by the machine",
    async () => {
      server.now = new Date();
      const browser = await launchBrowser();
      const over = new AbortController();
      let carried: Promise<void> | undefined;
      try {
        const context = await browser.newContext();
        const link = await invitePerson(server.db, { name: "Joan", role: "approver", machines: "", by: "a test" }, server.now);
        const page = await context.newPage();
        const faults: string[] = [];
        page.on("pageerror", (error) => faults.push(error.message));
        page.on("console", (message) => void (message.type() === "error" && faults.push(message.text())));
        const devtools = await context.newCDPSession(page);
        await devtools.send("WebAuthn.enable");
        const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true } as const;
        const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
          options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
        });

        await page.goto(`${site}/enter#${link}`);
        await page.getByRole("button").click();
        await page.getByText("Signed in as Joan.").waitFor();
        await page.getByRole("link", { name: "Passkeys" }).click();
        await page.getByLabel("What you call it").fill("my key");
        await page.getByRole("button", { name: "Add" }).click();
        await page.getByRole("cell", { name: "my key" }).waitFor();
        const credentials = (await kept()).map(({ person, id, key }) => ({ person, id, key }));
        expect(await page.getByText(passkeyPrint(credentials[0]!.key)).count()).toBe(1);

        const laptop = scratch();
        const membership: TeamMembership = {
          v: 1,
          url: server.base,
          machine: machine.machine,
          organisation: await organisationOf(server.db),
          name: "laptop",
          token: machine.token,
          salt: "s",
          joined: "",
          from: { segment: 0, offset: 0, seq: 0 },
        };
        expect(writeMembership(laptop.machine, membership)).toBeUndefined();
        carried = carryQuestions({ machine: laptop.machine, membership, notice: () => undefined, signal: over.signal });
        const asks = (what: string) =>
          askRemote(laptop.machine, {
            request: hashRequest([what]),
            asked: Date.now(),
            until: Date.now() + 600_000,
            people: 1,
            passkeys: demandHere(laptop.machine, { site, credentials }),
            about: { point: "hook", agent: "claude", what, reason: "a rule asks", folder: "~" },
          });
        const arrives = async (what: string) => {
          await vi.waitFor(
            async () => {
              await page.goto(`${site}/questions`);
              expect(await page.getByText(what).count()).toBe(1);
            },
            { timeout: 60_000, interval: 300 },
          );
        };
        const asked = asks("run npm publish");
        await arrives("run npm publish");
        await page.getByRole("button", { name: "Yes, once" }).click();
        await page.getByText("Yes. The machine is told.").waitFor();
        await vi.waitFor(() => expect(readAnswer(laptop.machine, asked)).toMatchObject({ answer: "allow", by: ["Joan"] }), {
          timeout: 60_000,
        });

        // Who cannot show that it is them says no yes; and a no needs none.
        await devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
        const second = asks("run npm unpublish");
        await arrives("run npm unpublish");
        await page.getByRole("button", { name: "Yes, once" }).click();
        await page.getByText("Your passkey did not sign").waitFor();
        expect(readAnswer(laptop.machine, second)).toBeUndefined();
        await page.getByRole("button", { name: "No", exact: true }).click();
        await page.getByText("No. The machine is told.").waitFor();
        await vi.waitFor(() => expect(readAnswer(laptop.machine, second)).toMatchObject({ answer: "deny" }), { timeout: 60_000 });
        expect(faults).toEqual([]);
      } finally {
        over.abort();
        await carried;
        await browser.close();
      }
    },
    300_000,
  );
});

function credentialsIn(file: string): unknown {
  const read = readPolicy(readFileSync(file, "utf8"), { file, layer: "user" });
  return read.ok ? read.policy.settings.team?.passkeys?.credentials : read.problems;
}

/** Without a terminal, while the server of this process goes on. */
async function called(place: Scratch, args: readonly string[]): Promise<{ readonly status: unknown; readonly said: string }> {
  const child = spawn(process.execPath, [join(DIST, "bin.cjs"), ...args], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, NO_COLOR: "1" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await once(child, "close");
  return { status: child.exitCode, said };
}
