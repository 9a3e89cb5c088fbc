import { get, type IncomingMessage } from "node:http";
import * as v from "valibot";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hashStatement, makeKeyPair, type PolicyVersion, type Signed, signStatement } from "@assent/guard/signature";
import { readHeld, takeToldPolicy, writePin } from "@assent/team/team";
import { PolicyTold } from "@assent/team/team/protocol";
import { scratch, type Scratch } from "../scratch.ts";
import { organisationOf } from "@assent/team-server/enrol";
import { addFirstKey, partOf, pushPolicy, releasePolicy } from "@assent/team-server/policies";
import { onEveryDatabase } from "./harness/databases.ts";
import { type TestMachine, TestServer } from "./harness/server.ts";

/** A stream of events as a machine has it open. */
class Stream {
  readonly events: { readonly event: string; readonly data: string }[] = [];
  hasEnded = false;
  readonly #response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      const whole = text.split("\n\n");
      text = whole.pop() ?? "";
      for (const block of whole) {
        const [, event = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        this.events.push({ event, data });
      }
    });
    response.on("error", () => undefined);
    response.on("close", () => (this.hasEnded = true));
  }

  static open(base: string, token: string): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const asked = get(`${base}/v1/events`, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) =>
        response.statusCode === 200 ? resolve(new Stream(response)) : reject(new Error(`${response.statusCode}`)),
      );
      asked.on("error", reject);
    });
  }

  has(event: string): readonly string[] {
    return this.events.filter((one) => one.event === event).map(({ data }) => data);
  }

  close(): void {
    this.#response.destroy();
  }
}

const soon = { timeout: 40_000, interval: 20 };

onEveryDatabase("streams of events", (place) => {
  let server: TestServer;
  let organisation: string;
  const key = makeKeyPair();
  const streams: Stream[] = [];
  const open = async (machine: TestMachine): Promise<Stream> => {
    const stream = await Stream.open(server.base, machine.token);
    streams.push(stream);
    return stream;
  };
  const there = async (...machines: readonly TestMachine[]): Promise<readonly Stream[]> => {
    const all = await Promise.all(machines.map(open));
    await vi.waitFor(() => expect(all.map((one) => one.has("state").length)).toEqual(all.map(() => 1)), soon);
    return all;
  };

  beforeEach(async () => {
    server = await TestServer.start(await place.fresh());
    organisation = await organisationOf(server.db);
    await addFirstKey(server.db, key.publicKey, "a test", server.now);
  });
  afterEach(async () => {
    for (const one of streams.splice(0)) one.close();
    await server.close();
  });

  const version = (number: number, previous?: Signed<PolicyVersion>, policy = `{"unknown":"ask"}`): Signed<PolicyVersion> =>
    signStatement<PolicyVersion>(
      {
        is: "policy",
        organisation,
        group: "default",
        version: number,
        previous: previous === undefined ? null : hashStatement(previous.statement),
        made: server.now.toISOString(),
        expires: null,
        renewal: null,
        policy,
      },
      key,
    );
  const release = async (signed: Signed<PolicyVersion>, percent = 100): Promise<void> => {
    await pushPolicy(server.db, signed, server.now);
    await releasePolicy(server.db, { group: "default", version: signed.statement.version, percent }, "a test", server.now);
  };
  const numberIn = (data: string): number | undefined => v.parse(PolicyTold, JSON.parse(data)).answer?.signed?.statement.version;
  const member = (): Scratch => {
    const home = scratch();
    writePin(home.machine, {
      v: 1,
      organisation,
      group: "default",
      keys: [{ key: key.publicKey, last: null }],
      least: { version: 0, hash: null },
    });
    return home;
  };

  it("bring a policy that is released, and the machine takes what is signed and newer alone", async () => {
    const [stream] = await there(await server.join());
    const first = version(1);
    await release(first);
    await vi.waitFor(() => expect(stream!.has("policy").map(numberIn)).toEqual([1]), soon);
    await release(version(2, first));
    await vi.waitFor(() => expect(stream!.has("policy").map(numberIn)).toEqual([1, 2]), soon);
    const [one = "", two = ""] = stream!.has("policy");
    const { machine } = member();
    const take = (data: string) => takeToldPolicy(machine, data, () => server.now.getTime());
    for (const none of ["", "null", '{"v":1}', '{"v":2}', '{"v":1,"answer":{}}', one.slice(0, -1)])
      expect([none, take(none)]).toEqual([none, undefined]);
    expect(take(one.replace('\\"ask\\"', '\\"allow\\"'))?.is).toBe("kept");
    expect(readHeld(machine)?.version).toBeUndefined();
    expect(take(one)).toMatchObject({ is: "changed", version: 1 });
    expect(take(one)).toMatchObject({ is: "current" });
    expect(take(two)).toMatchObject({ is: "changed", version: 2 });
    expect(take(one)?.is).toBe("kept");
    expect(readHeld(machine)).toMatchObject({ version: 2 });
  });

  it("say of a large one that it is there, and no more", async () => {
    const [stream] = await there(await server.join());
    await release(version(1, undefined, JSON.stringify({ unknown: "ask", permissions: { deny: [`Bash(echo ${"x".repeat(40_000)})`] } })));
    await vi.waitFor(() => expect(stream!.has("policy")).toEqual(['{"v":1}']), soon);
  });

  it("tell those alone that are to have another version than they have", async () => {
    const machines: TestMachine[] = [];
    for (let nth = 0; nth < 8; nth++) machines.push(await server.join());
    const [first, last] = [machines[0]!, machines.at(-1)!];
    const one = version(1);
    await release(one);
    const have = { version: 1, hash: hashStatement(one.statement) };
    for (const { token } of machines.slice(1)) expect((await server.post("/v1/policy", { v: 1, have }, token)).status).toBe(200);
    const all = await there(...machines);
    const two = version(2, one);
    await release(two, 50);
    // What it is told was looked up for all.
    await vi.waitFor(() => expect(all[0]!.has("policy")).toHaveLength(1), soon);
    await release(two, 100);
    const early = ({ machine }: TestMachine): boolean => partOf(machine, "default", 2) < 50;
    const expected = (machine: TestMachine): readonly number[] => (early(machine) ? [2, 2] : machine === first ? [1, 2] : [2]);
    await vi.waitFor(() => expect(all.map((stream) => stream.has("policy").map(numberIn))).toEqual(machines.map(expected)), soon);
    await server.post("/v1/policy", { v: 1, have: { version: 2, hash: hashStatement(two.statement) } }, last.token);
    await releasePolicy(server.db, { group: "default", version: 2, percent: 100 }, "a test", server.now);
    await vi.waitFor(() => expect(all[0]!.has("policy").map(numberIn)).toEqual([...expected(first), 2]), soon);
    expect(all.at(-1)!.has("policy").map(numberIn)).toEqual(expected(last));
  });

  it("end where one machine opens many, and where machines go away in the middle; the server goes on", async () => {
    const machine = await server.join();
    const mine = await Promise.all(Array.from({ length: 9 }, () => open(machine)));
    await vi.waitFor(() => expect(mine.filter(({ hasEnded }) => !hasEnded)).toHaveLength(2), soon);
    for (let nth = 0; nth < 9; nth++)
      get(`${server.base}/v1/events`, { headers: { authorization: `Bearer ${machine.token}` }, agent: false })
        .on("error", () => undefined)
        .on("socket", (socket) => socket.on("connect", () => setTimeout(() => socket.destroy(), nth % 5)));
    expect((await server.get("/readyz")).status).toBe(200);
    server.pass(60_000);
    const [again] = await there(machine);
    expect(again!.hasEnded).toBe(false);
  });
});
