import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { postDue } from "@assent/team-server/webhooks";
import { isPublicAddress, postSafely } from "../../packages/team-server/src/webhooks/safe-post.ts";
import { onEveryDatabase } from "./harness/databases.ts";
import { type TestMachine, TestServer } from "./harness/server.ts";

interface Posted {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let receiver: Server;
let posted: Posted[];
let status: number;
let location: string | undefined;
const portOf = (): number => (receiver.address() as AddressInfo).port;

beforeEach(async () => {
  posted = [];
  status = 200;
  location = undefined;
  receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      posted.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(status, location === undefined ? {} : { location }).end("secret of the inside");
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  receiver.close();
  receiver.closeAllConnections();
});

describe("an address is public", () => {
  it.each(["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"])("%s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("an address is not public", () => {
  it.each(
    [
      "127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200 0.0.0.0 224.0.0.1",
      "255.255.255.255 192.0.0.192 198.18.0.1 ::1 :: fe80::1 fc00::1 fd00:ec2::254 ff02::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1",
      "64:ff9b::7f00:1 2002:7f00:1:: 2001:0:1::1 2001:db8::1 localhost 0x7f000001 017700000001 2130706433",
    ].flatMap((line) => line.split(" ")),
  )("%s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("is not posted to", () => {
  const NAMES: Readonly<Record<string, readonly string[]>> = {
    "inside.example": ["127.0.0.1"],
    "cloud.example": ["169.254.169.254"],
    "both.example": ["1.1.1.1", "127.0.0.1"],
    "six.example": ["::1"],
    "nowhere.example": [],
  };
  it.each([
    "https://inside.example/",
    "https://cloud.example/latest/meta-data/",
    "https://both.example/",
    "https://six.example/",
    "https://nowhere.example/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://017700000001/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[64:ff9b::127.0.0.1]/",
    "http://1.1.1.1/",
    "ftp://1.1.1.1/",
    "file:///etc/passwd",
    "https://user:password@1.1.1.1/",
    "gopher://1.1.1.1/",
    "",
  ])("%s", async (url) => {
    const result = await postSafely({
      url,
      headers: {},
      body: "x",
      allowPrivate: false,
      timeoutMs: 2000,
      resolve: (host) => Promise.resolve(NAMES[host] ?? []),
    });
    expect(result.is).toBe("failed");
    expect(posted).toEqual([]);
  });

  it("where a name leads is looked up once, and connected to: another answer later leads nowhere", async () => {
    let asked = 0;
    const result = await postSafely({
      url: `http://rebinding.example:${portOf()}/x`,
      headers: {},
      body: "x",
      allowPrivate: true,
      resolve: () => Promise.resolve([asked++ === 0 ? "127.0.0.1" : "127.0.0.2"]),
    });
    expect([result.is, asked]).toEqual(["sent", 1]);
    expect(posted[0]?.headers.host).toBe(`rebinding.example:${portOf()}`);
  });

  it("a redirect is not followed", async () => {
    status = 307;
    location = `http://127.0.0.1:${portOf()}/inside`;
    const result = await postSafely({ url: `http://127.0.0.1:${portOf()}/x`, headers: {}, body: "x", allowPrivate: true });
    expect(result).toEqual({ is: "failed", why: "HTTP 307" });
    expect(posted.map(({ path }) => path)).toEqual(["/x"]);
  });
});

onEveryDatabase("webhooks", (place) => {
  let server: TestServer;
  let machine: TestMachine;

  beforeEach(async () => {
    server = await TestServer.start(await place.fresh(), [], { privateWebhooks: true });
    machine = await server.join("<laptop>");
  });
  afterEach(() => server.close());

  const add = async (kind: string, url = `http://127.0.0.1:${portOf()}/${kind}`) =>
    server.form("/webhooks/add", { kind, url }, await server.admin());
  const asks = (what = "run npm publish --token hidden") =>
    server.post(
      "/v1/questions",
      {
        v: 1,
        questions: [
          {
            id: "A".repeat(22),
            request: "B".repeat(43),
            expiresIn: 600_000,
            people: 1,
            about: { point: "hook", agent: "claude", what, reason: "because" },
          },
        ],
      },
      machine.token,
    );
  const due = () =>
    postDue(server.db, {
      now: () => server.now,
      origin: () => "https://assent.example.com",
      allowPrivate: true,
      tell: () => undefined,
    });

  it("tells each that a question waits, and nothing of it", async () => {
    for (const kind of ["slack", "ntfy", "generic"]) await add(kind);
    await asks();
    expect(await due()).toBe(3);
    expect(await due()).toBe(0);
    expect(posted.map(({ path }) => path).toSorted()).toEqual(["/generic", "/ntfy", "/slack"]);
    for (const { body } of posted) {
      expect(body).not.toContain("npm");
      expect(body + JSON.stringify(posted)).toContain("https://assent.example.com/questions");
    }
    expect(posted.find(({ path }) => path === "/slack")?.body).toContain("&lt;laptop&gt;");
  });

  it("a generic one is signed with the secret that was shown once", async () => {
    const { text } = await add("generic");
    const [, secret = ""] = /shown once: <code>([\w-]{43})</.exec(text) ?? [];
    expect((await server.get("/webhooks", await server.admin())).text).not.toContain(secret);
    await asks();
    await due();
    const { headers, body } = posted[0]!;
    const [, time, signature] = /^t=(\d+),sha256=(.*)$/.exec(String(headers["x-assent-signature"])) ?? [];
    expect(signature).toBe(createHmac("sha256", Buffer.from(secret, "base64url")).update(`${time}.${body}`).digest("hex"));
  });

  it("is tried again, later each time, and given up in the end", async () => {
    await add("ntfy");
    await asks();
    status = 500;
    for (let attempt = 1; attempt <= 6; attempt++) {
      expect(await due()).toBe(1);
      expect(await due()).toBe(0);
      server.pass(5000 * 4 ** attempt);
    }
    expect(await due()).toBe(0);
    expect(posted).toHaveLength(6);
    expect((await server.get("/webhooks", await server.admin())).text).toContain("HTTP 500");
  });

  it("a question that is sent again is told once", async () => {
    await add("ntfy");
    await asks();
    await asks();
    await due();
    expect(posted).toHaveLength(1);
  });

  it.runIf(place.kind === "postgresql")("of several processes each post is made by one", async () => {
    for (let nth = 0; nth < 8; nth++) await add("ntfy", `http://127.0.0.1:${portOf()}/${nth}`);
    await asks();
    await Promise.all([due(), due(), due()]);
    expect(posted.map(({ path }) => path).toSorted()).toEqual(Array.from({ length: 8 }, (_, nth) => `/${nth}`));
  });

  it("is for administrators, and takes no address that is none", async () => {
    const approver = await server.person("Ada", "approver");
    expect((await server.get("/webhooks", approver)).status).toBe(403);
    expect((await server.form("/webhooks/add", { kind: "ntfy", url: "https://ntfy.example.com/x" }, approver)).status).toBe(403);
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "https://a:b@c.example/", "x"])
      expect((await add("ntfy", url)).status).toBe(400);
    expect((await add("carrier pigeon")).status).toBe(400);
    expect(await server.db.rows(v.object({}), "select 1 from webhooks")).toEqual([]);
  });
});
