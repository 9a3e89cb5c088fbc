import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { changePins, keepAgreed, readAgreed } from "@assent/guard/state";
import { scratch } from "../scratch.ts";

/** Texts that a person agreed to: what still holds where a project's policy has changed. */

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const [ONE, OTHER] = ["{ one: 1 }", "{ other: 1 }"];

it("a text is kept while a yes is about it, and no longer", () => {
  const { machine } = scratch();
  for (const [file, text] of [
    ["/a", ONE],
    ["/b", OTHER],
  ] as const) {
    expect(changePins(machine, (pins) => pins.set(file, sha256(text)))).toBeUndefined();
    keepAgreed(machine, sha256(text), text);
  }
  changePins(machine, (pins) => pins.delete("/a"));
  expect([readAgreed(machine, sha256(ONE), sha256), readAgreed(machine, sha256(OTHER), sha256)]).toEqual([undefined, OTHER]);
});

it("what another process is about to keep is left alone", () => {
  const place = scratch();
  const folder = join(place.home, ".local/state/assent/agreed");
  const half = `${sha256(ONE)}.7.1.abcdefgh`;
  place.write(`${folder}/${half}`, ONE);
  place.write(`${folder}/${sha256(OTHER)}`, OTHER);
  changePins(place.machine, (pins) => pins.set("/a", sha256(ONE)));
  expect(readdirSync(folder)).toEqual([half]);
});
