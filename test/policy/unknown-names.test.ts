import { describe, expect, it } from "vitest";
import { parseRule } from "@assent/core/policy";
import { readPolicy } from "@assent/core/policy/read";

describe("a name that is a slip of the finger is no rule: it would guard nothing, in silence", () => {
  it.each([
    ["Raed(**)", "did you mean `Read(…)`?"],
    ["Raed", "did you mean `Read`?"],
    ["raed(x)", "did you mean `Read(…)`?"],
    ["Edti(src/**)", "did you mean `Edit(…)`?"],
    ["Wrtie", "did you mean `Write`?"],
    ["Delet(x)", "did you mean `Delete(…)`?"],
    ["Bsah(ls)", "did you mean `Bash(…)`?"],
    ["Webfetch", "did you mean `WebFetch`?"],
    ["WEBFETCH(domain:x.com)", "did you mean `WebFetch(domain:x.com)`?"],
    ["WebFecth(domain:x.com)", "did you mean `WebFetch(…)`?"],
    ["opne(/x, _)", "did you mean `open(path, mode)`?"],
    ["openat(/x, _)", "did you mean `open(path, mode)`?"],
    ["conect(x, _)", "did you mean `connect(host, port)`?"],
    ["renmae(/x, /y)", "did you mean `rename("],
    ["unlink(/x)", "did you mean `delete(path)`?"],
    ["unlnk(/x)", "did you mean `delete(path)`?"],
    ["Reed(x)", "did you mean `Read(…)`?"],
    ["Rea(x)", "did you mean `Read(…)`?"],
    ["Bas(ls)", "did you mean `Bash(…)`?"],
    ["Exe(/bin/x)", "did you mean `Exec(…)`?"],
    ["Nte(h:1)", "did you mean `Net(…)`?"],
    ["kil(1, _)", "did you mean `kill("],
    ["ope(/x, _)", "did you mean `open(path, mode)`?"],
  ])("%s: %s", (rule, help) => {
    const parsed = parseRule(rule);
    expect(parsed).toMatchObject({ ok: false, message: expect.stringMatching(/^unknown tool/) as string });
    expect(parsed.ok ? "" : parsed.help).toContain(help);
    // The way on that is named works.
    expect(parsed.ok ? "" : parsed.help).toContain(JSON.stringify({ tool: rule }).slice(1, -1).replace(":", ": "));
    expect(parseRule({ tool: rule })).toMatchObject({ ok: true, matcher: { kind: "tool" } });
  });

  it.each([
    "Task",
    "getWeather",
    "mytool(path:src/**)",
    "mcp__shop__buy",
    "reader",
    "Reader",
    "lint",
    "raed(*)",
    "TodoWrite",
    "run_tests",
    "open",
    "Get(x)",
    "Rea",
    "get(path:src/**)",
    "run(x)",
    "Red",
    "sendmail(to:*)",
  ])("%s is a tool of somebody's", (rule) => expect(parseRule(rule)).toMatchObject({ ok: true, matcher: { kind: "tool" } }));

  const SLIPS = [
    "Raed(**)",
    "Reads(x)",
    "Edti(x)",
    "Wirte(x)",
    "Bsah(rm:*)",
    "Shel(rm ...)",
    "Lsit(x)",
    "Nett(h:1)",
    "opne(/x, _)",
    "exce(_, _)",
  ];
  it.each(["managed", "user", "project", "explicit", "profile"] as const)(
    "in a file of the layer %s, as a text and with a reason",
    (layer) => {
      for (const effect of ["allow", "ask", "deny"])
        for (const rule of SLIPS.flatMap((slip) => [slip, { rule: slip, reason: "x" }])) {
          const read = readPolicy(JSON.stringify({ permissions: { [effect]: [rule] } }), { file: "p.jsonc", layer });
          expect(read.ok ? [rule] : read.problems).toMatchObject([{ message: expect.stringMatching(/^unknown tool `/) as string }]);
        }
    },
  );

  it("all of a file are named at once, with their places", () => {
    const text = `{ "permissions": {
  "deny": ["Raed(**)", "Bash(rm:*)", { "rule": "Edti(x)" }],
  "ask": [{ "tool": "Raed(**)", "reson": "x" }, "opne(/x, _)"],
} }`;
    const read = readPolicy(text, { file: "p.jsonc", layer: "user" });
    expect(read.ok ? [] : read.problems.map(({ line, message, help }) => [line, message, help?.split("?")[0]])).toEqual([
      [2, "unknown tool `Raed`", "did you mean `Read(…)`"],
      [2, "unknown tool `Edti`", "did you mean `Edit(…)`"],
      [3, "unknown key `reson`", "did you mean `reason`"],
      [3, "unknown tool `opne`", "did you mean `open(path, mode)`"],
    ]);
  });

  it.each([
    [{ tool: "Raed(**)" }, { kind: "tool", name: "Raed" }],
    [{ tool: "Raed" }, { kind: "tool", name: "Raed" }],
    [
      { tool: "my_tool", reason: "no" },
      { kind: "tool", name: "my_tool" },
    ],
  ])("%j names the tool that is really called so", (rule, matcher) => {
    expect(parseRule(rule)).toMatchObject({ ok: true, matcher });
  });

  it.each([
    [{ tool: "Read(x)" }, "is the name of a rule, not of a tool"],
    [{ tool: "Raed", reson: "x" }, "unknown key `reson`"],
    [{ tool: "Bash" }, "`command` is a program's name"],
    [{ tool: 1 }, "`tool` is a string"],
  ])("%j is wrong", (rule, message) => {
    expect(parseRule(rule)).toMatchObject({ ok: false, message: expect.stringContaining(message) as string });
  });
});
