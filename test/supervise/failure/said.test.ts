import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hasTurn, Suite, type User, USERS } from "../programs/place.ts";

/** What is said about a run on standard error, for people and for models that see nothing else. */
const suite = new Suite();
afterAll(() => suite.remove());

interface Case {
  readonly name: string;
  readonly run: string;
  readonly options?: readonly string[];
  readonly says?: readonly RegExp[];
  readonly not?: readonly RegExp[];
}

const REASON = /^assent: refused: write \S+\/outside: it lies outside the working folder/m;

const CASES: readonly Case[] = [
  { name: "why a call was refused", run: "echo x > ../outside", says: [REASON] },
  { name: "also when it is to say less", run: "echo x > ../outside", options: ["-P", "-q"], says: [REASON], not: [/receipt/] },
  {
    name: "once, however often it was",
    run: "for i in 1 2 3; do echo x > ../outside; done",
    options: ["-P", "-q"],
    says: [/outside: .* \(3 times\)$/m],
  },
  {
    name: "three reasons and a number",
    run: "for i in 1 2 3 4 5 6 7; do echo x > ../outside$i; done",
    options: ["-P", "-q"],
    says: [/outside3: it lies outside/, /^assent: refused: 4 more$/m],
    not: [/outside4: it lies outside/],
  },
  { name: "no control characters of a name", run: "echo x > ../outside$'\\e[2J'", options: ["-P", "-q"], not: [/assent:.*(?!\n)\p{Cc}/u] },
  {
    name: "in JSON as JSON",
    run: "echo x > ../outside",
    options: ["-P", "-q", "--json"],
    says: [/"outcome":"refused"/],
    not: [/^assent: refused/m],
  },
  { name: "nothing, where nothing was refused", run: "echo x > inside", options: ["-P", "-q"], not: [/./] },
];

describe.each(USERS)("what a run says, as %s", { concurrent: true }, (user: User) => {
  for (const { name, run, options = ["-P"], says = [], not = [] } of CASES.filter((_, row) => hasTurn(user, row)))
    it(name, async () => {
      const place = suite.place();
      place.fresh(user);
      writeFileSync(join(place.cwd, "p.sh"), `{ ${run}\n} 2> /dev/null`);
      const ran = await place.run({ user, argv: place.supervised(["bash", "p.sh"], options), seconds: 60 });
      for (const text of says) expect(ran.stderr).toMatch(text);
      for (const text of not) expect(ran.stderr).not.toMatch(text);
    });
});
