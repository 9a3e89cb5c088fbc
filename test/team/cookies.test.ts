import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { COOKIE, ownCookies } from "@assent/team-server/web";

const HTTPS = "https://assent.example.com";
const HTTP = "http://127.0.0.1:8414";

function serverAt(origin: string | undefined): Hono {
  const cookies = ownCookies(origin);
  return new Hono()
    .get("/", (context) => context.text(cookies.get(context, COOKIE) ?? "nobody"))
    .post("/", (context) => {
      cookies.set(context, COOKIE, "s", { sameSite: "Strict", maxAge: 60 });
      return context.text("");
    })
    .post("/out", (context) => {
      cookies.set(context, COOKIE, "", { sameSite: "Strict", maxAge: 60 });
      return context.text("");
    });
}

describe("a cookie of the server", () => {
  it.each<readonly [what: string, own: string | undefined, by: string, from: string | undefined, name: string]>([
    ["whose address has TLS", HTTPS, HTTPS, HTTPS, "__Host-assent_team"],
    ["whose address has TLS, behind something that ends it", HTTPS, HTTP, HTTPS, "__Host-assent_team"],
    ["whose address has TLS, of a request that says nothing of its origin", HTTPS, HTTP, undefined, "__Host-assent_team"],
    ["that knows no address, over TLS", undefined, HTTPS, undefined, "__Host-assent_team"],
    ["that knows no address, behind something that ends TLS", undefined, HTTP, HTTPS, "__Host-assent_team"],
    ["of this machine alone", undefined, HTTP, HTTP, "assent_team"],
    ["of this machine alone, by its address", HTTP, HTTP, HTTPS, "assent_team"],
  ])("%s", async (_, own, by, from, name) => {
    const set = await serverAt(own).request(`${by}/`, { method: "POST", headers: from === undefined ? {} : { origin: from } });
    const cookie = set.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(new RegExp(`^${name}=s; Max-Age=60; Path=/; HttpOnly;(?: Secure;)? SameSite=Strict$`));
    expect(cookie.includes("Secure")).toBe(name.startsWith("__Host-"));
    expect(await (await serverAt(own).request(`${by}/`, { headers: { cookie: `${name}=s` } })).text()).toBe("s");
  });

  it.each<readonly [own: string | undefined, by: string, cookie: string, taken: string]>([
    // What a sibling domain can set: a cookie of the whole domain, whose name has no `__Host-`.
    [HTTPS, HTTPS, "assent_team=theirs", "nobody"],
    [HTTPS, HTTP, "assent_team=theirs", "nobody"],
    [undefined, HTTPS, "assent_team=theirs", "nobody"],
    [HTTPS, HTTPS, "assent_team=theirs; __Host-assent_team=ours", "ours"],
    [HTTPS, HTTPS, "__Host-assent_team=ours; assent_team=theirs", "ours"],
    [undefined, HTTP, "assent_team=theirs; __Host-assent_team=ours", "ours"],
    [HTTPS, HTTPS, "__host-assent_team=theirs", "nobody"],
    [HTTPS, HTTPS, "__Secure-assent_team=theirs", "nobody"],
  ])("of %s by %s, with %s: %s", async (own, by, cookie, taken) => {
    expect(await (await serverAt(own).request(`${by}/`, { headers: { cookie } })).text()).toBe(taken);
  });

  it("is taken away under the name that it has", async () => {
    const out = await serverAt(HTTPS).request(`${HTTPS}/out`, { method: "POST" });
    expect(out.headers.get("set-cookie")).toMatch(/^__Host-assent_team=; Max-Age=0; Path=\/;/);
  });
});
