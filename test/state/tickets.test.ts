import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it, vi } from "vitest";
import { bypassHere, changeBypass, takeTicket, TICKET_LASTS_MS, ticketIdOf, ticketsFolder, writeTicket } from "@assent/guard/state";
import { scratch, type Scratch } from "../scratch.ts";

const NOW = Date.now();
const TICKET = { agent: "claude", session: "s-1", toolUse: "t-1", command: "npm test -- 'a b'", cwd: "/p", root: "/p" };

function left(place: Scratch, ticket: Parameters<typeof writeTicket>[1] = TICKET, now = NOW): string {
  const written = writeTicket(place.machine, ticket, now);
  if ("problem" in written) throw new Error(written.problem);
  return written.id;
}

const fileOf = (place: Scratch, id: string): string => join(ticketsFolder(place.machine), `${id}.json`);
const rewrite = (place: Scratch, id: string, change: (ticket: Record<string, unknown>) => unknown): void => {
  const ticket = JSON.parse(readFileSync(fileOf(place, id), "utf8")) as Record<string, unknown>;
  writeFileSync(fileOf(place, id), JSON.stringify(change(ticket)));
};

describe("a ticket", () => {
  it("is taken as it was left, once", () => {
    const place = scratch();
    const id = left(place);
    expect(takeTicket(place.machine, id, NOW + 1)).toEqual({ ...TICKET, time: NOW });
    expect(takeTicket(place.machine, id, NOW + 2)).toBeUndefined();
    expect(readdirSync(ticketsFolder(place.machine))).toEqual([]);
  });

  it("holds across runtimes whose own clock begins with the process, as that of Bun, in which OpenCode and Kilo load their plugin", () => {
    const place = scratch();
    changeBypass(place.machine, undefined, NOW + 60_000, NOW);
    const clock = vi.spyOn(process.hrtime, "bigint").mockReturnValue(374_000_000n);
    const id = left(place);
    const waived = bypassHere(place.machine, NOW);
    clock.mockRestore();
    expect(waived).toBeDefined();
    expect(takeTicket(place.machine, id, NOW + 1)).toEqual({ ...TICKET, time: NOW });
  });

  it("lies where this user alone can read it", () => {
    const place = scratch();
    mkdirSync(ticketsFolder(place.machine), { recursive: true, mode: 0o755 });
    const id = left(place);
    expect(statSync(ticketsFolder(place.machine)).mode & 0o777).toBe(0o700);
    expect(statSync(fileOf(place, id)).mode & 0o777).toBe(0o600);
  });

  it("has an id of its own each time, or the one that session and command give", () => {
    const place = scratch();
    expect(new Set(Array.from({ length: 50 }, () => left(place))).size).toBe(50);
    const id = ticketIdOf("s-1", "npm test");
    expect(writeTicket(place.machine, { ...TICKET, bare: true }, NOW, id)).toEqual({ id });
    expect(takeTicket(place.machine, ticketIdOf("s-1", "npm tes"), NOW)).toBeUndefined();
    expect(takeTicket(place.machine, ticketIdOf("s-", "1npm test"), NOW)).toBeUndefined();
    expect(takeTicket(place.machine, id, NOW)).toEqual({ ...TICKET, time: NOW, bare: true });
  });

  it("goes to one of many who take it at the same time", async () => {
    const place = scratch();
    const outfile = join(place.root, "taker.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "taker.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
    });
    const ids = Array.from({ length: 100 }, () => left(place, TICKET, Date.now()));
    const takers = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, [outfile, place.home, ...ids], { stdio: "pipe" });
      let said = "";
      let wrong = "";
      child.stdout.on("data", (part: Buffer) => (said += part.toString()));
      const ready = new Promise<void>((resolve) => child.stderr.on("data", (part: Buffer) => ((wrong += part.toString()), resolve())));
      const done = new Promise<string>((resolve) => child.on("close", () => resolve(said.trim())));
      return { child, ready, done, wrong: () => wrong };
    });
    await Promise.all(takers.map(({ ready }) => ready));
    for (const { child } of takers) child.stdin.end("go\n");
    const taken = (await Promise.all(takers.map(({ done }) => done))).flatMap((line) => line.split(" ")).filter((id) => id !== "");
    expect(takers.map(({ wrong }) => wrong().trim())).toEqual(takers.map(() => "ready"));
    expect(taken.toSorted()).toEqual(ids.toSorted());
  });
});

describe("what is no ticket", () => {
  const ROWS: readonly (readonly [what: string, spoil: (place: Scratch, id: string) => { id?: string; now?: number } | void])[] = [
    ["an id that was never given", () => ({ id: "0123456789abcdef" })],
    ["an id that leads out of the folder", (place) => (place.write(join(ticketsFolder(place.machine), "../x.json"), "{}"), { id: "../x" })],
    ["an id of another length", (_, id) => ({ id: id.slice(1) })],
    ["an id in capitals", (_, id) => ({ id: id.toUpperCase() === id ? "ABCDEF0123456789" : id.toUpperCase() })],
    ["an empty id", () => ({ id: "" })],
    ["one as old as they get", () => ({ now: NOW + TICKET_LASTS_MS })],
    ["one from the future", () => ({ now: NOW - 61_000 })],
    ["one whose time is not a number", (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, time: "now" }))],
    ["one from before the machine was started", (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, boot: "another" }))],
    ["one that nobody knows the start of", (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, boot: undefined }))],
    [
      "one that is too old by the clock that cannot be set back",
      (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, up: Number(ticket["up"]) - TICKET_LASTS_MS - 1 })),
    ],
    ["a damaged file", (place, id) => place.write(fileOf(place, id), '{"v":1,') && undefined],
    ["an empty file", (place, id) => place.write(fileOf(place, id), "") && undefined],
    ["a list", (place, id) => rewrite(place, id, (ticket) => [ticket])],
    ["one of another version", (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, v: 2 }))],
    ["one with a field that nobody knows", (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, only: "x" }))],
    ["one without a command", (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, command: undefined }))],
    ["one whose session is a number", (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, session: 7 }))],
    ["one that is bare in other words", (place, id) => rewrite(place, id, (ticket) => ({ ...ticket, bare: "yes" }))],
    [
      "one under another's id",
      (place, id) => {
        renameSync(fileOf(place, id), fileOf(place, "00000000000000aa"));
        return { id: "00000000000000aa" };
      },
    ],
    ["a file that others may write", (place, id) => chmodSync(fileOf(place, id), 0o622)],
    ["a folder that others may write", (place) => chmodSync(ticketsFolder(place.machine), 0o777)],
    [
      "a link",
      (place, id) => {
        renameSync(fileOf(place, id), join(place.root, "elsewhere.json"));
        symlinkSync(join(place.root, "elsewhere.json"), fileOf(place, id));
      },
    ],
    ["a folder", () => ({ id: "00000000000000bb" })],
  ];

  it.each(ROWS)("%s", (_, spoil) => {
    const place = scratch();
    const id = left(place);
    mkdirSync(fileOf(place, "00000000000000bb"));
    const { id: tried = id, now = NOW } = spoil(place, id) ?? {};
    expect(takeTicket(place.machine, tried, now)).toBeUndefined();
    // The same, unspoilt, is one.
    expect(takeTicket(place.machine, left(mended(place)), NOW)).toEqual({ ...TICKET, time: NOW });
  });
});

/** The place with its folder as it should be. */
function mended(place: Scratch): Scratch {
  chmodSync(ticketsFolder(place.machine), 0o700);
  return place;
}

describe("writing", () => {
  it("clears away what is too old", () => {
    const place = scratch();
    const old = left(place);
    const young = left(place);
    const long = (NOW - TICKET_LASTS_MS - 1000) / 1000;
    utimesSync(fileOf(place, old), long, long);
    utimesSync(fileOf(place, young), NOW / 1000, NOW / 1000);
    left(place);
    expect(existsSync(fileOf(place, old))).toBe(false);
    expect(existsSync(fileOf(place, young))).toBe(true);
  });

  it("says what keeps it from it", () => {
    const place = scratch();
    expect(writeTicket(place.machine, { ...TICKET, command: "x".repeat(1 << 20) }, NOW)).toEqual({ problem: "the command is too long" });
    const away = join(place.root, "away");
    mkdirSync(away);
    renameSync(ticketsFolder(place.machine), join(place.root, "kept"));
    symlinkSync(away, ticketsFolder(place.machine));
    expect(writeTicket(place.machine, TICKET, NOW)).toEqual({
      problem: `${ticketsFolder(place.machine)} is not a folder of this user alone`,
    });
    const none = { ...place.machine, env: { ...place.machine.env, XDG_STATE_HOME: join(place.write("file", ""), "below") } };
    expect(writeTicket(none, TICKET, NOW)).toHaveProperty("problem");
  });
});
