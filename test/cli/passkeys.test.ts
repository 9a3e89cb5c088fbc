import { type ChildProcess, spawn } from "node:child_process";
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { agentNamed } from "@assent/hosts/agents";
import { challengeOf, type PasskeyCredential, type PasskeyProof } from "@assent/guard/signature";
import {
  type RemoteAnswer,
  remoteFolder,
  announceTeam,
  askRemote,
  type AskedRemote,
  demandHere,
  hashRequest,
  knownRemote,
  noteAnswer,
  openLedger,
  readAnswer,
} from "@assent/team/team/remote";
import { writeMembership } from "@assent/team/team";
import { DIST, scratch, type Scratch } from "../scratch.ts";
import { FLAGS, type SaidOtherwise, SoftPasskey } from "../soft-authenticator.ts";

/** A machine whose policy wants passkeys, and a server that says yes to everything, with whatever it can get hold of. */

const SITE = "https://assent.example.com";
const ORGANISATION = "o".repeat(22);
const MACHINE = "m".repeat(22);
const [ada, adasPhone, grace, stranger] = [new SoftPasskey(), new SoftPasskey("EdDSA"), new SoftPasskey("RS256"), new SoftPasskey()];
const CREDENTIALS = [ada.of("Ada"), adasPhone.of("Ada"), grace.of("Grace")];

function member(): Scratch {
  const place = scratch();
  openLedger(place.machine);
  const membership = { v: 1, url: "http://127.0.0.1:1", machine: MACHINE, organisation: ORGANISATION, name: "laptop", token: "t" } as const;
  const problem = writeMembership(place.machine, { ...membership, salt: "s", joined: "", from: { segment: 0, offset: 0, seq: 0 } });
  if (problem !== undefined) throw new Error(problem);
  return place;
}

interface AskedHow {
  readonly people?: 1 | 2;
  readonly credentials?: readonly PasskeyCredential[];
  readonly site?: string;
}

function ask(place: Scratch, what: string, { people = 1, credentials = CREDENTIALS, site = SITE }: AskedHow = {}): AskedRemote {
  const now = Date.now();
  const about = { point: "hook", agent: "gemini", what, reason: "a rule asks", folder: "~" } as const;
  const passkeys = demandHere(place.machine, { site, credentials });
  if (passkeys === undefined) throw new Error("no member");
  return askRemote(place.machine, { request: hashRequest([what]), asked: now, until: now + 600_000, people, passkeys, about });
}

type Signed = Pick<AskedRemote, "id" | "request" | "until"> & { readonly machine?: string; readonly organisation?: string };
const challengeFor = ({ organisation = ORGANISATION, machine = MACHINE, id, request, until }: Signed): string =>
  challengeOf({ organisation, machine, id, request, until });
const prove = (passkey: SoftPasskey, asked: Signed, otherwise: SaidOtherwise = {}, site = SITE): PasskeyProof =>
  passkey.prove(challengeFor(asked), site, otherwise);
const yes = ({ id, request }: AskedRemote, ...proofs: readonly PasskeyProof[]): RemoteAnswer => ({
  id,
  request,
  answer: "allow",
  by: ["Ada", "Grace"],
  ...(proofs.length === 0 ? {} : { proofs }),
});

describe("a yes that passkeys signed", () => {
  it.each<[string, AskedHow, (asked: AskedRemote) => readonly PasskeyProof[], readonly string[]]>([
    ["ES256", {}, (asked) => [prove(ada, asked)], ["Ada"]],
    ["EdDSA", {}, (asked) => [prove(adasPhone, asked)], ["Ada"]],
    ["RS256", {}, (asked) => [prove(grace, asked)], ["Grace"]],
    ["two people", { people: 2 }, (asked) => [prove(grace, asked), prove(ada, asked)], ["Grace", "Ada"]],
    ["more than had to", {}, (asked) => [prove(ada, asked), prove(grace, asked)], ["Ada", "Grace"]],
    ["another port", { site: "http://localhost:8414" }, (asked) => [prove(ada, asked, {}, "http://localhost:8414")], ["Ada"]],
    ["without a word on other sites", {}, (asked) => [prove(ada, asked, { client: { crossOrigin: undefined } })], ["Ada"]],
    ["with words that came later", {}, (asked) => [prove(ada, asked, { client: { other_keys_can_be_added_here: "…" } })], ["Ada"]],
  ])("counts, by the names that the policy has for them: %s", (_, how, proofs, by) => {
    const place = member();
    const asked = ask(place, "weird", how);
    expect(noteAnswer(place.machine, { ...yes(asked, ...proofs(asked)), by: ["Mallory"] }, Date.now())).toBe("applied");
    expect(readAnswer(place.machine, asked)).toMatchObject({ answer: "allow", by });
  });

  it("a no needs none", () => {
    const place = member();
    const asked = ask(place, "weird");
    expect(noteAnswer(place.machine, { ...yes(asked), answer: "deny" }, Date.now())).toBe("applied");
    expect(readAnswer(place.machine, asked)).toMatchObject({ answer: "deny" });
  });
});

const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

function changed(proof: PasskeyProof, part: "signature" | "authenticatorData" | "clientDataJSON"): PasskeyProof {
  const bytes = Buffer.from(proof[part], "base64url");
  bytes[bytes.length - 1]! ^= 1;
  return { ...proof, [part]: bytes.toString("base64url") };
}

const asKey = ({ publicKey, privateKey }: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }) => ({
  key: publicKey.export({ format: "der", type: "spki" }).toString("base64url"),
  signer: privateKey,
});
const weak = asKey(generateKeyPairSync("rsa", { modulusLength: 1024 }));
const p384 = asKey(generateKeyPairSync("ec", { namedCurve: "P-384" }));

/** What a server that lies can put together. `other`: what somebody honestly said yes to. */
const ATTACKS: readonly (readonly [string, AskedHow, (asked: AskedRemote, other: AskedRemote) => readonly PasskeyProof[]])[] = [
  ["its own words, without a proof", {}, () => []],
  ["a random challenge", {}, () => [ada.prove("A".repeat(43), SITE)]],
  ["the yes to another question", {}, (_, other) => [prove(ada, other)]],
  ["the request of another question", {}, (asked, { request }) => [prove(ada, { ...asked, request })]],
  ["the id of another question", {}, (asked, { id }) => [prove(ada, { ...asked, id })]],
  ["another end", {}, (asked) => [prove(ada, { ...asked, until: asked.until - 1 })]],
  ["another machine", {}, (asked) => [prove(ada, { ...asked, machine: "x".repeat(22) })]],
  ["another team", {}, (asked) => [prove(ada, { ...asked, organisation: "x".repeat(22) })]],
  [
    "a signed no",
    {},
    ({ id, request, until }) => {
      const text = `assent passkey 1\n${JSON.stringify([ORGANISATION, MACHINE, id, request, "deny", until])}\n`;
      return [ada.prove(hash(text), SITE)];
    },
  ],
  ["another site", {}, (asked) => [prove(ada, asked, {}, "https://assent.example.org")]],
  ["another origin, of the same passkey", {}, (asked) => [prove(ada, asked, { origin: "https://evil.example" })]],
  ["a subdomain", {}, (asked) => [prove(ada, asked, { origin: "https://www.assent.example.com" })]],
  ["the domain above", {}, (asked) => [prove(ada, asked, { origin: "https://example.com" })]],
  ["another port", {}, (asked) => [prove(ada, asked, { origin: `${SITE}:8443` })]],
  ["no TLS", {}, (asked) => [prove(ada, asked, { origin: "http://assent.example.com" })]],
  ["a slash behind", {}, (asked) => [prove(ada, asked, { origin: `${SITE}/` })]],
  ["inside another site's page", {}, (asked) => [prove(ada, asked, { client: { crossOrigin: true } })]],
  ["inside a page, said oddly", {}, (asked) => [prove(ada, asked, { client: { crossOrigin: "false" } })]],
  ["below another site's page", {}, (asked) => [prove(ada, asked, { client: { topOrigin: "https://evil.example" } })]],
  ["the passkey of another host", {}, (asked) => [prove(ada, asked, { host: "evil.example" })]],
  ["the passkey of a subdomain", {}, (asked) => [prove(ada, asked, { host: "www.assent.example.com" })]],
  ["nobody was verified", {}, (asked) => [prove(ada, asked, { flags: FLAGS.present })]],
  ["nobody was present", {}, (asked) => [prove(ada, asked, { flags: FLAGS.verified })]],
  ["no flags", {}, (asked) => [prove(ada, asked, { flags: 0 })]],
  ["a registration", {}, (asked) => [prove(ada, asked, { type: "webauthn.create" })]],
  ["a payment", {}, (asked) => [prove(ada, asked, { type: "payment.get" })]],
  ["a passkey that the policy does not know", {}, (asked) => [prove(stranger, asked)]],
  ["that passkey under a known id", {}, (asked) => [prove(stranger, asked, { credential: ada.id })]],
  ["one person's under another's id", {}, (asked) => [prove(ada, asked, { credential: grace.id })]],
  ["another key of the same kind", {}, (asked) => [prove(ada, asked, { signer: stranger.privateKey })]],
  ["RSA for a key on P-256", {}, (asked) => [prove(ada, asked, { signer: grace.privateKey })]],
  ["Ed25519 for a key on P-256", {}, (asked) => [prove(ada, asked, { signer: adasPhone.privateKey, hash: null })]],
  ["another hash", {}, (asked) => [prove(ada, asked, { hash: "sha512" })]],
  ["another hash, with RSA", {}, (asked) => [prove(grace, asked, { hash: "sha512" })]],
  ["a signature with a bit turned", {}, (asked) => [changed(prove(ada, asked), "signature")]],
  ["data with a bit turned", {}, (asked) => [changed(prove(ada, asked), "authenticatorData")]],
  ["client data with a bit turned", {}, (asked) => [changed(prove(ada, asked), "clientDataJSON")]],
  ["an empty signature", {}, (asked) => [{ ...prove(ada, asked), signature: "" }]],
  ["half of the data", {}, (asked) => [{ ...prove(ada, asked), authenticatorData: prove(ada, asked).authenticatorData.slice(0, 40) }]],
  ["an id that is written in another way", {}, (asked) => [prove(ada, asked, { credential: `${ada.id}=` })]],
  ["client data that is no JSON", {}, (asked) => [{ ...prove(ada, asked), clientDataJSON: "bm90IGpzb24" }]],
  ["client data that is null", {}, (asked) => [{ ...prove(ada, asked), clientDataJSON: Buffer.from("null").toString("base64url") }]],
  ["a good one and a bad one", {}, (asked) => [prove(ada, asked), prove(stranger, asked)]],
  ["one person where two have to", { people: 2 }, (asked) => [prove(ada, asked)]],
  ["two proofs of one passkey", { people: 2 }, (asked) => [prove(ada, asked), prove(ada, asked)]],
  ["two passkeys of one person", { people: 2 }, (asked) => [prove(ada, asked), prove(adasPhone, asked)]],
  ["one of two for another question", { people: 2 }, (asked, other) => [prove(ada, asked), prove(grace, other)]],
  ["no passkey in the policy", { credentials: [] }, (asked) => [prove(ada, asked)]],
  ["an id that the policy has twice", { credentials: [ada.of("Ada"), { ...ada.of("Grace") }] }, (asked) => [prove(ada, asked)]],
  ["a key that is none", { credentials: [{ ...ada.of("Ada"), key: "AAAA" }] }, (asked) => [prove(ada, asked)]],
  ["a weak RSA key", { credentials: [{ ...grace.of("Grace"), key: weak.key }] }, (asked) => [prove(grace, asked, { signer: weak.signer })]],
  [
    "a key on another curve",
    { credentials: [{ ...ada.of("Ada"), key: p384.key }] },
    (asked) => [prove(ada, asked, { signer: p384.signer })],
  ],
  ["a policy whose site is no address", { site: "assent.example.com" }, (asked) => [prove(ada, asked, { origin: "assent.example.com" })]],
];

describe("a hostile server says yes with", () => {
  it.each(ATTACKS)("%s: nothing", (_, how, proofs) => {
    const place = member();
    const [asked, other] = [ask(place, "weird", how), ask(place, "harmless", how)];
    const lie = yes(asked, ...proofs(asked, other));
    expect(noteAnswer(place.machine, lie, Date.now())).toBe("refused");
    expect(readAnswer(place.machine, asked)).toBeUndefined();
    // Whoever could write the file itself: it is read by the same rule.
    writeFileSync(join(remoteFolder(place.machine), `${asked.id}.answer`), JSON.stringify({ v: 1, ...lie, at: 1 }), { mode: 0o600 });
    expect(readAnswer(place.machine, asked)).toBeUndefined();
  });

  it("what was signed for one question, for a second one", () => {
    const place = member();
    const [first, second] = [ask(place, "weird"), ask(place, "weird")];
    const proof = prove(ada, first);
    expect(noteAnswer(place.machine, yes(first, proof), Date.now())).toBe("applied");
    expect(noteAnswer(place.machine, yes(second, proof), Date.now())).toBe("refused");
  });

  it("what was signed, when it is too late", () => {
    const place = member();
    const asked = ask(place, "weird");
    expect(noteAnswer(place.machine, yes(asked, prove(ada, asked)), asked.until)).toBe("late");
    expect(readAnswer(place.machine, asked)).toBeUndefined();
  });
});

describe("a hook", () => {
  const TEAM = { answers: ["Bash(weird:*)"] };
  const policyOf = (passkeys: object | undefined, twoPeople: readonly string[] = []): string =>
    JSON.stringify({
      permissions: { ask: ["Bash(weird:*)"] },
      team: { ...TEAM, twoPeople, ...(passkeys === undefined ? {} : { passkeys }) },
    });
  const DEMAND = { rules: ["Bash(weird:*)"], site: SITE, credentials: CREDENTIALS };
  const POLICY = "~/.agent-permissions.jsonc";

  function world(policy: string): Scratch {
    const place = member();
    place.write(POLICY, policy);
    const there = announceTeam(place.machine);
    onTestFinished(() => there.close());
    return place;
  }

  function started(place: Scratch): { readonly child: ChildProcess; readonly said: Promise<string> } {
    const sample = agentNamed("gemini")?.setup?.sample("weird thing", place.project);
    const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "check", "--agent", "gemini"], {
      cwd: place.project,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...sample?.env },
    });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stdin.end(JSON.stringify({ ...sample?.payload, session_id: "s1" }));
    return { child, said: once(child, "close").then(() => stdout) };
  }
  const isAllowed = (stdout: string): boolean => /"decision":"allow"|^\{\}$/.test(stdout.trim());

  /** The question that comes after so many; whoever asks is ended by a host that does not wait. */
  async function asks(place: Scratch, before = 0): Promise<AskedRemote> {
    const { child, said } = started(place);
    const asked = await vi.waitFor(
      () => {
        const known = knownRemote(place.machine);
        if (known.length <= before) throw new Error("nothing is asked");
        return known.at(-1)!.asked;
      },
      { timeout: 30_000, interval: 10 },
    );
    child.kill("SIGKILL");
    await said;
    return asked;
  }

  it("is answered by a passkey, once, with the policy's name in the log", async () => {
    const place = world(policyOf(DEMAND));
    const asked = await asks(place);
    expect(asked.passkeys).toEqual({ organisation: ORGANISATION, machine: MACHINE, site: SITE, credentials: CREDENTIALS });
    expect(noteAnswer(place.machine, yes(asked), Date.now())).toBe("refused");
    expect(noteAnswer(place.machine, { ...yes(asked, prove(ada, asked)), by: ["Mallory"] }, Date.now())).toBe("applied");
    expect(isAllowed(await started(place).said)).toBe(true);
    expect(readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8")).toContain('"answeredBy":"team: Ada"');
    await asks(place, 1);
  });

  it.each<[string, string]>([
    ["does not know the passkey any more", policyOf({ ...DEMAND, credentials: [grace.of("Grace")] })],
    ["knows another key under its id", policyOf({ ...DEMAND, credentials: [{ ...ada.of("Ada"), key: stranger.key }] })],
    ["says that it is somebody else's", policyOf({ ...DEMAND, credentials: [ada.of("Mallory")] })],
    ["wants another site", policyOf({ ...DEMAND, site: "https://other.example.com" })],
    ["wants two people", policyOf(DEMAND, ["Bash"])],
  ])("a signed yes is worth nothing once the policy %s: it is asked anew", async (_, policy) => {
    const place = world(policyOf(DEMAND));
    const asked = await asks(place);
    expect(noteAnswer(place.machine, yes(asked, prove(ada, asked)), Date.now())).toBe("applied");
    place.write(POLICY, policy);
    expect((await asks(place, 1)).id).not.toBe(asked.id);
  });

  it("the server's word from before is worth nothing once the policy wants passkeys", async () => {
    const place = world(policyOf(undefined));
    const asked = await asks(place);
    expect(noteAnswer(place.machine, yes(asked), Date.now())).toBe("applied");
    place.write(POLICY, policyOf(DEMAND));
    expect((await asks(place, 1)).passkeys).toBeDefined();
  });

  it.each<[string, string, (place: Scratch) => void]>([
    ["knows no passkey", policyOf({ ...DEMAND, credentials: [] }), () => undefined],
    [
      "knows one person's where two have to say yes",
      policyOf({ ...DEMAND, credentials: CREDENTIALS.slice(0, 2) }, ["Bash"]),
      () => undefined,
    ],
    [
      "is of a machine in no team",
      policyOf(DEMAND),
      (place) => writeFileSync(join(remoteFolder(place.machine), "../membership.json"), "{"),
    ],
  ])("asks nobody where the policy %s", async (_, policy, before) => {
    const place = world(policy);
    before(place);
    expect(await started(place).said).toContain("approval required");
    expect(knownRemote(place.machine)).toEqual([]);
  });
});
