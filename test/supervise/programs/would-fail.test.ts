import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Ran, Suite, USERS } from "./place.ts";

/**
 * A change that the kernel would refuse to the program anyway is no question and no refusal: it fails as it does without Assent, and no
 * way is printed that leads nowhere. Where root starts the run, its programs have none of root's rights, and that is said.
 */
const suite = new Suite();
afterAll(() => suite.remove());
const NOBODY = 65_534;
const OTHER = 12_345;

async function play(user: "root" | "nobody", command: string): Promise<{ readonly bare: Ran; readonly run: Ran }> {
  const place = suite.place();
  const outside = join(place.folder, "outside");
  const lay = (): void => {
    place.fresh(user);
    const own = user === "nobody" ? NOBODY : 0;
    for (const [folder, owner] of [
      [outside, own],
      [join(outside, "closed"), OTHER],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      chownSync(folder, owner, owner);
    }
    for (const [name, owner] of [
      ["own", own],
      ["theirs", OTHER],
      ["closed/file", OTHER],
    ] as const) {
      writeFileSync(join(outside, name), "text\n");
      chmodSync(join(outside, name), 0o644);
      chownSync(join(outside, name), owner, owner);
    }
  };
  const start = async (before: readonly string[]): Promise<Ran> => {
    lay();
    return await place.run({ user, argv: [...before, "sh", "-c", command], env: { O: outside } });
  };
  return { bare: await start([]), run: await start([process.execPath, suite.command, "run", "-P", "--"]) };
}

const FAILS = [
  'chown 12345 "$O/own"',
  'chown 0:0 "$O/own"',
  'chown -h 12345 "$O/own"',
  'chgrp 12345 "$O/own"',
  'chown 65534 "$O/theirs"',
  'chmod 600 "$O/theirs"',
  'chmod -R 600 "$O/closed"',
  'echo x >> "$O/theirs"',
  'truncate -s 1 "$O/theirs"',
  'touch "$O/closed/new"',
  'mkdir "$O/closed/new"',
  'rm -f "$O/closed/file"',
  'mv "$O/closed/file" "$O/closed/other"',
  'mv "$O/own" "$O/closed/own"',
  'ln -s x "$O/closed/link"',
  'ln "$O/own" "$O/closed/second"',
  'mkfifo "$O/closed/pipe"',
  'cp "$O/own" "$O/closed/copy"',
  `python3 -c "import os; os.lchown(os.environ['O'] + '/own', 12345, -1)"`,
];
/** These succeed without Assent, so that they are refused, with a way. */
const SUCCEEDS = [
  'chmod 600 "$O/own"',
  'chgrp 65534 "$O/own"',
  'echo x >> "$O/own"',
  'touch "$O/new"',
  'rm -f "$O/own"',
  'mv "$O/own" "$O/other"',
  'rm -f "$O/theirs"',
];

describe.skipIf(!USERS.includes("nobody"))("what fails without Assent", () => {
  it.each(FAILS)("%s: fails in a run the same way, and nothing is said", async (command) => {
    const { bare, run } = await play("nobody", command);
    expect(bare.status).not.toBe(0);
    expect([run.status, run.stdout], run.stderr).toEqual([bare.status, bare.stdout]);
    expect(run.stderr).toContain(bare.stderr.trim());
    expect(run.stderr).not.toMatch(/refused|assent allow/);
  });

  it.each(SUCCEEDS)("%s: works without, and is refused with a way", async (command) => {
    const { bare, run } = await play("nobody", command);
    expect(bare.status, bare.stderr).toBe(0);
    expect(run.stderr).toContain("refused");
    expect(run.stderr).toContain("assent allow");
  });
});

describe.skipIf(!USERS.includes("root"))("what only root may do", () => {
  it.each(['chown 12345 "$O/own"', 'chmod 600 "$O/theirs"', 'touch "$O/closed/new"', 'rm -f "$O/closed/file"', 'echo x >> "$O/theirs"'])(
    "%s: no rule lets it through, and none is named",
    async (command) => {
      const { bare, run } = await play("root", command);
      expect(bare.status, bare.stderr).toBe(0);
      expect(run.status).not.toBe(0);
      expect(run.stderr).toContain("programs of a run have none of root's rights");
      expect(run.stderr).not.toContain("assent allow");
    },
  );
});
