import { spawnSync } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { installedLevels, ownCases, SettingsPlace, sharedCases } from "./settings/run.ts";

/** `npm run hostile-settings` tries all. */
const CASES = Number(process.env["SETTINGS_CASES"] ?? 6);
const PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

const isWatched = [
  ["unshare", "-mpnif", "true"],
  ["strace", "-V"],
].every(([command = "", ...args]) => spawnSync(command, args).status === 0);

const places: SettingsPlace[] = [];
afterAll(() => places.forEach((place) => place.close()));

test.skipIf(!isWatched)(
  "no program that goes ahead among hostile settings starts, reads or writes what they say",
  { timeout: 600_000 },
  () => {
    const place = new SettingsPlace(PATH);
    places.push(place);
    const levels = installedLevels(PATH, []);
    const cases = [sharedCases(levels, place), ownCases(levels, place)].flatMap((all) =>
      all.filter((_, i) => i % Math.ceil(all.length / CASES) === 0),
    );
    const ahead = cases.filter((one) => place.goesAhead(one));
    const wrong = place.watch(ahead).filter((one) => one.wrong.length > 0);
    expect(wrong.map(({ one, wrong: found }) => [one.line, one.at, ...found])).toEqual([]);
    // A judge that lets nothing ahead would pass.
    expect(ahead.length).toBeGreaterThan(CASES / 2);
  },
);

test.skipIf(!isWatched)("what the settings name leaves a canary where it is started", { timeout: 60_000 }, () => {
  const place = new SettingsPlace(PATH);
  places.push(place);
  const watched = place.watch(["sh evil.sh", "./evil.sh", "cat ../other/.env", "ls"].map((line) => ({ line, at: ".", files: {} })));
  expect(watched.map(({ wrong }) => wrong)).toEqual([["sh"], ["sh"], ["other/.env"], []]);
});
