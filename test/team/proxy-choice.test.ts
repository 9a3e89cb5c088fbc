import { describe, expect, it } from "vitest";
import { chooseProxy, proxyHost } from "@assent/team/team";

const AT = "https://team.example.com";
const P = "http://proxy.example.com:3128";
const chosen = (server: string, env: Readonly<Record<string, string>>, named?: string): string => {
  const way = chooseProxy(server, env, named);
  return "problem" in way ? way.problem : (way.proxy ?? "none");
};

describe("NO_PROXY", () => {
  const rows: readonly (readonly [list: string, server: string, isWithout: boolean])[] = [
    ["", AT, false],
    [" , ,", AT, false],
    ["*", AT, true],
    ["a.example.org,*", AT, true],
    ["team.example.com", AT, true],
    ["TEAM.Example.COM.", AT, true],
    ["other.example.com team.example.com", AT, true],
    ["other.example.com,\n\tteam.example.com", AT, true],
    ["example.com", AT, true],
    [".example.com", AT, true],
    ["*.example.com", AT, true],
    [".example.com", "https://example.com", true],
    ["xample.com", AT, false],
    ["team.example.com", "https://team.example.com.attacker.example", false],
    ["team.example.com", "https://xteam.example.com", false],
    ["team.*", AT, false],
    ["bücher.example", "https://xn--bcher-kva.example", true],
    ["team.example.com:443", AT, true],
    ["team.example.com:0443", AT, true],
    ["team.example.com:8443", AT, false],
    ["team.example.com:8443", "https://team.example.com:8443", true],
    [".example.com:8443", "https://team.example.com:8443", true],
    ["team.example.com", "https://team.example.com:8443", true],
    ["https://team.example.com", AT, false],
    ["192.0.2.7", "https://192.0.2.7", true],
    ["192.0.2.7:8443", "https://192.0.2.7:8443", true],
    ["192.0.2.7:8443", "https://192.0.2.7", false],
    ["2.7", "https://192.0.2.7", false],
    [".2.7", "https://192.0.2.7", false],
    ["192.0.2.0/24", "https://192.0.2.7", true],
    ["192.0.2.0/24", "https://192.0.3.7", false],
    ["192.0.2.7/32", "https://192.0.2.7", true],
    ["0.0.0.0/0", "https://192.0.2.7", true],
    ["192.0.2.0/33", "https://192.0.2.7", false],
    ["192.0.2.0/", "https://192.0.2.7", false],
    ["192.0.2/24", "https://192.0.2.7", false],
    ["192.0.2.0/24", AT, false],
    ["2001:db8::7", "https://[2001:db8::7]", true],
    ["2001:DB8:0::7", "https://[2001:db8::7]", true],
    ["[2001:db8::7]", "https://[2001:db8::7]", true],
    ["[2001:db8::7]:8443", "https://[2001:db8::7]:8443", true],
    ["[2001:db8::7]:8443", "https://[2001:db8::7]", false],
    ["2001:db8::/32", "https://[2001:db8::7]", true],
    ["2001:db8::/32", "https://[2001:db9::7]", false],
    ["2001:db8::/129", "https://[2001:db8::7]", false],
    ["::/0", "https://192.0.2.7", false],
    ["%, [, /8, :443, ::/x, a b", AT, false],
  ];
  it.each(rows)("%j, %s", (list, server, isWithout) => {
    for (const name of ["no_proxy", "NO_PROXY"]) expect(chosen(server, { HTTPS_PROXY: P, [name]: list })).toBe(isWithout ? "none" : P);
  });
});

describe("which proxy", () => {
  const rows: readonly (readonly [
    what: string,
    env: Readonly<Record<string, string>>,
    named: string | undefined,
    server: string,
    is: string,
  ])[] = [
    ["nothing says one", {}, undefined, AT, "none"],
    ["capitals", { HTTPS_PROXY: P }, undefined, AT, P],
    ["small letters", { https_proxy: P }, undefined, AT, P],
    ["small letters come first", { HTTPS_PROXY: "http://b:1", https_proxy: P }, undefined, AT, P],
    ["what is empty says nothing", { HTTPS_PROXY: P, https_proxy: "" }, undefined, AT, P],
    ["small letters of no_proxy come first", { HTTPS_PROXY: P, no_proxy: "x", NO_PROXY: "*" }, undefined, AT, P],
    ["HTTP_PROXY is for another kind", { HTTP_PROXY: P, http_proxy: P }, undefined, AT, "none"],
    ["without a scheme", { HTTPS_PROXY: "proxy.example.com:3128" }, undefined, AT, "proxy.example.com:3128"],
    ["this machine", { HTTPS_PROXY: P }, undefined, "http://127.0.0.1:8414", "none"],
    ["this machine, by TLS", { HTTPS_PROXY: P }, undefined, "https://127.3.2.1:8414", "none"],
    ["this machine, by name", { HTTPS_PROXY: P }, undefined, "https://localhost:8414", "none"],
    ["this machine, by a name below", { HTTPS_PROXY: P }, undefined, "https://a.localhost", "none"],
    ["this machine, IPv6", { HTTPS_PROXY: P }, undefined, "https://[::1]", "none"],
    ["this machine, wrapped", { HTTPS_PROXY: P }, undefined, "https://[::ffff:127.0.0.1]", "none"],
    ["this machine, named", {}, P, "https://localhost:8414", P],
    ["named, whatever NO_PROXY says", { HTTPS_PROXY: "http://b:1", NO_PROXY: "*" }, P, AT, P],
    ["none, whatever HTTPS_PROXY says", { HTTPS_PROXY: P }, "none", AT, "none"],
    ["the environment, by its word", { HTTPS_PROXY: P }, "environment", AT, P],
  ];
  it.each(rows)("%s", (_, env, named, server, is) => expect(chosen(server, env, named)).toBe(is));

  it.each([
    ["socks5://u:s3cret@proxy.example.com:1080", "is of a kind that cannot be used"],
    ["http://u:s3cret@proxy.example.com:99999", "is not an address"],
    ["http://u:s3cret@proxy.example.com:3128/path", "has a path"],
    ["http://u:s3cret%@proxy.example.com:3128", "means nothing"],
    ["u:s3cret@", "is not an address"],
  ])("%s is refused, and its password not told", (text, why) => {
    for (const said of [chosen(AT, { HTTPS_PROXY: text }), chosen(AT, {}, text)]) {
      expect(said).toContain(why);
      expect(said).not.toMatch(/s3cret|u:/);
    }
  });

  it("what is not encrypted goes through none", () =>
    expect(chosen("http://127.0.0.1:8414", {}, P)).toContain("could read all that is sent"));

  it.each([
    ["http://u:s3cret@proxy.example.com", "proxy.example.com:80"],
    ["https://u:s3cret@proxy.example.com/", "proxy.example.com:443"],
    ["u:s3cret@[2001:db8::1]:3128", "[2001:db8::1]:3128"],
    ["ftp://u:s3cret@h", "a proxy whose address is damaged"],
  ])("of %s people see %s", (proxy, shown) => expect(proxyHost(proxy)).toBe(shown));
});
