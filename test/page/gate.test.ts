import { request } from "node:http";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";
import { endPage } from "./browser.ts";

/** Who comes in, by plain HTTP: what a browser would never send can be sent by any program. */

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

let place: Scratch;
let port = 0;
let name = "";
let folder = "";

async function ask({ method = "GET", path = "/", headers = {}, body }: Asked): Promise<Answered> {
  return await new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port, method, path, headers: { host: `${name}:${port}`, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          // The stream of news does not end by itself.
          if (String(response.headers["content-type"]).startsWith("text/event-stream")) response.destroy();
        });
        response.on("close", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

const link = (): { readonly file: string; readonly secret: string } => {
  const { file } = JSON.parse(assent(place, ["open", "--json"]).stdout) as { file: string };
  const [, secret = ""] = /enter#([\w-]+)/.exec(readFileSync(file, "utf8")) ?? [];
  return { file, secret };
};

const origin = (): string => `http://${name}:${port}`;
const enter = async (secret: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
  await ask({
    method: "POST",
    path: "/enter/in",
    headers: { origin: origin(), "content-type": "application/json", ...headers },
    body: JSON.stringify({ secret }),
  });

let cookie = "";
let token = "";

beforeAll(async () => {
  place = scratch({ keep: true });
  const { link: address } = JSON.parse(assent(place, ["open", "--json", "--link"]).stdout) as { link: string };
  const { hostname, port: text } = new URL(address);
  name = hostname;
  port = Number(text);
  const at = join(place.home, ".local/state/assent/questions/page");
  folder = join(at, readdirSync(at)[0] ?? "");
  const entered = await enter(link().secret);
  cookie = String(entered.headers["set-cookie"]).split(";")[0] ?? "";
  ({ token } = JSON.parse(entered.text) as { token: string });
});
afterAll(() => endPage(place));

/** All that there is to ask for. */
const ADDRESSES = [
  "/",
  "/page.js",
  "/page.css",
  "/api/news",
  "/api/where?folder=/",
  "/api/nothing",
  "/nothing",
  "/../etc/passwd",
  "//",
  "*",
];

describe("a program without the cookie", () => {
  it.each(ADDRESSES)("gets 403 for %s", async (path) => {
    expect(await ask({ path })).toMatchObject({ status: 403 });
    expect(await ask({ path, headers: { cookie: cookie.replace(/=.*/, `=${"A".repeat(43)}`), "x-assent-token": token } })).toMatchObject({
      status: 403,
    });
    expect(await ask({ path, method: "POST", headers: { "content-type": "application/json" }, body: "{}" })).toMatchObject({ status: 403 });
  });

  it("finds nothing at the way in but the way in", async () => {
    for (const path of ["/enter", "/enter.js", "/icon.svg"]) {
      const { status, text } = await ask({ path });
      expect(status).toBe(200);
      expect(text).not.toContain(place.home);
    }
  });
});

describe("who has the cookie alone, as a server on another port gets it from the browser", () => {
  it.each(["/api/news", "/api/where?folder=/"])("gets 403 for %s", async (path) => {
    expect(await ask({ path, headers: { cookie } })).toMatchObject({ status: 403 });
    expect(await ask({ path, headers: { cookie, "x-assent-token": token } })).toMatchObject({ status: 200 });
  });
});

describe("another site in the same browser", () => {
  const own = (): Record<string, string> => ({ cookie, "x-assent-token": token });
  const ROWS: readonly (readonly [what: string, asked: () => Asked, status: number])[] = [
    ["by another name (DNS rebinding)", () => ({ headers: { ...own(), host: `evil.example:${port}` } }), 403],
    ["by localhost", () => ({ headers: { ...own(), host: `localhost:${port}` } }), 403],
    ["by the machine's address", () => ({ headers: { ...own(), host: `127.0.0.1:${port}` } }), 403],
    ["without a port", () => ({ headers: { ...own(), host: name } }), 403],
    ["by a name like it", () => ({ headers: { ...own(), host: `x${name}:${port}` } }), 403],
    ["reading across sites", () => ({ path: "/api/where?folder=/", headers: { ...own(), "sec-fetch-site": "cross-site" } }), 403],
    ["from another port", () => ({ path: "/api/where?folder=/", headers: { ...own(), "sec-fetch-site": "same-site" } }), 403],
    ["leading here by a link", () => ({ headers: { ...own(), "sec-fetch-site": "cross-site" } }), 403],
    ["with its origin", () => ({ path: "/api/where?folder=/", headers: { ...own(), origin: "http://127.0.0.1:1" } }), 403],
    ["posting without an origin", () => ({ method: "POST", path: "/api/where", headers: own(), body: "{}" }), 403],
    ["posting from a file", () => ({ method: "POST", path: "/api/where", headers: { ...own(), origin: "null" }, body: "{}" }), 403],
    [
      "posting a form",
      () => ({ method: "POST", path: "/api/where", headers: { ...own(), origin: origin(), "content-type": "text/plain" }, body: "{}" }),
      415,
    ],
    ["asking what may be sent", () => ({ method: "OPTIONS", headers: { ...own(), origin: "http://evil.example" } }), 405],
  ];
  it.each(ROWS)("%s", async (_, asked, status) => {
    const answered = await ask(asked());
    expect(answered).toMatchObject({ status });
    expect(answered.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("a link", () => {
  it("works once, and leaves nothing behind", async () => {
    const { file, secret } = link();
    expect(await enter(secret)).toMatchObject({ status: 200 });
    expect(await enter(secret)).toMatchObject({ status: 403 });
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("lets one of many in who come at once", async () => {
    const { secret } = link();
    const answers = await Promise.all(Array.from({ length: 20 }, () => enter(secret)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("works for a minute", async () => {
    const { secret, file } = link();
    const name = readdirSync(folder).find((one) => one.startsWith(`link-${/open-(\w+)/.exec(file)?.[1] ?? "?"}`)) ?? "";
    const made = JSON.parse(readFileSync(join(folder, name), "utf8")) as { made: number };
    writeFileSync(join(folder, name), JSON.stringify({ ...made, made: made.made - 61_000 }));
    expect(await enter(secret)).toMatchObject({ status: 403 });
  });

  it("that nobody used is taken away", () => {
    const { file } = link();
    const old = Date.now() / 1000 - 120;
    utimesSync(file, old, old);
    link();
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });

  it.each([
    ["from another site", { origin: "http://evil.example" }],
    ["from no site", { origin: "null" }],
    ["across sites", { "sec-fetch-site": "cross-site" }],
  ])("is not taken %s, and stays good", async (_, headers) => {
    const { secret } = link();
    expect(await enter(secret, headers)).toMatchObject({ status: 403 });
    expect(await enter(secret)).toMatchObject({ status: 200 });
  });

  it.each(["", "x", "../process", "A".repeat(43), "A".repeat(5000), "link-\0"])("that was made up does nothing: %s", async (secret) => {
    expect(await enter(secret)).toMatchObject({ status: 403 });
  });
});

describe("what stands on the disk", () => {
  it("is closed to others", () => {
    link();
    for (const at of [folder, join(folder, "..")]) expect(statSync(at).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  it("has no secret of an open page", () => {
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    for (const secret of [token, cookie.split("=")[1] ?? ""]) expect(texts.some((text) => text.includes(secret))).toBe(false);
  });
});

describe("every answer", () => {
  it.each(["/", "/enter", "/page.js", "/api/where?folder=/", "/nothing"])(
    "%s: runs nothing inline, is framed by nobody and kept by nobody",
    async (path) => {
      for (const headers of [{}, { cookie, "x-assent-token": token }]) {
        const { headers: said } = await ask({ path, headers });
        expect(said["content-security-policy"]).toContain("default-src 'none'");
        expect(said["content-security-policy"]).toContain("frame-ancestors 'none'");
        expect(said["content-security-policy"]).not.toMatch(/unsafe|https?:|\*/);
        expect(said).toMatchObject({
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cache-control": "no-store",
          "cross-origin-resource-policy": "same-origin",
        });
      }
    },
  );

  it("sets a cookie that no script reads and no other site sends", async () => {
    const { headers } = await enter(link().secret);
    expect(headers["set-cookie"]).toEqual([expect.stringMatching(/^assent-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/)]);
  });
});

describe("too much", () => {
  it("of a body is not read", async () => {
    const answered = await enter("x".repeat(70_000)).catch((error: unknown) => error);
    if (!(answered instanceof Error)) expect(answered).toMatchObject({ status: 413 });
    expect(await enter(link().secret)).toMatchObject({ status: 200 });
  });

  it("of headers, and what is no HTTP, ends the connection alone", async () => {
    for (const text of [`GET / HTTP/1.1\r\nHost: ${name}:${port}\r\nX: ${"x".repeat(40_000)}\r\n\r\n`, "\u0016\u0003\u0001 hello\r\n\r\n"])
      await new Promise<void>((resolve) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(text));
        socket.on("error", () => undefined).on("data", () => undefined);
        socket.on("close", () => resolve());
      });
    expect(await ask({ path: "/enter" })).toMatchObject({ status: 200 });
  });

  it("of open pages end the oldest: its cookie is worth nothing any more", async () => {
    const entered = await enter(link().secret);
    const old = String(entered.headers["set-cookie"]).split(";")[0] ?? "";
    for (let at = 0; at < 8; at++) await enter(link().secret);
    expect(await ask({ path: "/page.js", headers: { cookie: old } })).toMatchObject({ status: 403 });
  });
});
