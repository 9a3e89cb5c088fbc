import { randomBytes } from "node:crypto";
import { chainRecords, chainStart, type ChainPoint, type LogRecord } from "@assent/team/team/protocol";
import { Histogram, type Quantiles, quantilesOf } from "./histogram.ts";
import { bearer, handshakes, RawConnection, type Target } from "./socket.ts";
import { bodyOf, machineId, machineToken } from "./who.ts";

/** What the bench tells its generator, a process of its own; each is answered once. */
export type GeneratorCommand =
  | {
      readonly is: "start";
      readonly targets: readonly Target[];
      readonly machines: number;
      readonly epochs: readonly number[];
      readonly sockets: number;
    }
  | { readonly is: "load"; readonly rate: number; readonly seconds: number }
  | {
      readonly is: "connect";
      readonly withinMs: number;
      readonly waitMs: number;
      /** Without the TLS sessions of before. */ readonly anew: boolean;
    }
  | { readonly is: "disconnect" }
  | { readonly is: "policy"; readonly version: number; readonly waitMs: number }
  | {
      readonly is: "questions";
      readonly open: number;
      readonly rate: number;
      readonly seconds: number;
      readonly cookie: string;
      readonly origin: string;
    };

/** From when a request was due until its answer was there. Milliseconds. */
export interface LoadResult {
  readonly due: number;
  readonly taken: number;
  readonly refused: number;
  readonly failed: number;
  readonly latency: Quantiles;
  /** How late requests went out that had a connection: the generator's own fault. */
  readonly late: Quantiles;
  /** The p99 of what was due in each second. */
  readonly p99s: readonly number[];
  readonly processor: number;
  readonly sockets: number;
}

/** When so many of all had it. Milliseconds. */
export interface SpreadResult {
  readonly of: number;
  readonly reached: number;
  readonly half: number;
  readonly p99: number;
  readonly all: number;
  readonly refused: number;
  readonly handshakes: typeof handshakes;
  readonly processor: number;
}

export interface QuestionsResult {
  readonly open: number;
  readonly asked: number;
  readonly answered: number;
  readonly kept: Quantiles;
  readonly seen: Quantiles;
  readonly whole: Quantiles;
  readonly page: Quantiles;
  readonly processor: number;
}

class SimMachine {
  readonly id: string;
  readonly headers: string;
  readonly at: number;
  epoch: number;
  head: ChainPoint;
  /** What was sent and not answered: it is sent again, as a machine does. */
  unanswered: LogRecord | undefined;
  stream: RawConnection | undefined;
  isSending = false;
  onEvent: ((event: string, data: string) => void) | undefined;
  #text = "";

  constructor(at: number, epoch: number) {
    this.at = at;
    this.id = machineId(at);
    this.headers = bearer(machineToken(at));
    this.epoch = epoch + 1;
    this.head = chainStart(this.id, this.epoch);
  }

  hear(text: string): void {
    // Chunks of HTTP stand between the lines of events; no line of an event looks like one.
    this.#text += text;
    for (let end = this.#text.indexOf("\n\n"); end >= 0; end = this.#text.indexOf("\n\n")) {
      const block = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const [, event = ""] = /^event: (\w+)/m.exec(block) ?? [];
      const [, data = ""] = /^data: (.*)$/m.exec(block) ?? [];
      this.onEvent?.(event, data);
    }
  }

  forget(): void {
    this.#text = "";
  }
}

const sleep = (ms: number): Promise<void> => new Promise((done) => void setTimeout(done, ms));

class Generator {
  #targets: readonly Target[] = [];
  #machines: SimMachine[] = [];
  #pool: RawConnection[] = [];
  #free: RawConnection[] = [];
  #waiting: ((connection: RawConnection) => void)[] = [];
  #next = 0;
  #own = 0;
  #waitingOwn: (() => void)[] = [];

  start({ targets, machines, epochs, sockets }: Extract<GeneratorCommand, { is: "start" }>): null {
    this.#targets = targets;
    this.#machines = Array.from({ length: machines }, (_, at) => new SimMachine(at, epochs[at] ?? 0));
    this.#pool = Array.from({ length: sockets }, (_, at) => new RawConnection(() => this.#target(at)));
    this.#free = [...this.#pool];
    return null;
  }

  async load({ rate, seconds }: Extract<GeneratorCommand, { is: "load" }>): Promise<LoadResult> {
    await this.#connectPool();
    const [latency, late] = [new Histogram(), new Histogram()];
    const bySecond = Array.from({ length: Math.ceil(seconds) }, () => new Histogram());
    const counts = { taken: 0, refused: 0, failed: 0 };
    const total = Math.round(rate * seconds);
    const before = process.cpuUsage();
    const begin = performance.now();
    let sent = 0;
    let open = 0;
    await new Promise<void>((done) => {
      const over = (): void => {
        if (sent === total && open === 0) done();
      };
      const tick = (): void => {
        const now = performance.now();
        while (sent < total && begin + (sent * 1000) / rate <= now) {
          const due = begin + (sent * 1000) / rate;
          sent += 1;
          open += 1;
          void this.#sendOne(due, late).then((status) => {
            open -= 1;
            const took = (performance.now() - due) * 1000;
            latency.add(took);
            bySecond[Math.floor((due - begin) / 1000)]?.add(took);
            counts[status === 200 ? "taken" : status === 503 || status === 429 ? "refused" : "failed"] += 1;
            over();
          });
        }
        if (sent < total) setTimeout(tick, 1);
        over();
      };
      tick();
    });
    return {
      due: total,
      ...counts,
      latency: quantilesOf(latency),
      late: quantilesOf(late),
      p99s: bySecond.map((one) => Math.round(quantilesOf(one).p99)),
      processor: since(before),
      sockets: this.#pool.length,
    };
  }

  /** Handshakes of TLS are no part of what a request takes: a machine's sender keeps its connection. */
  async #connectPool(): Promise<void> {
    for (let tries = 0; tries < 5; tries += 1) {
      const closed = this.#pool.filter((one) => !one.isOpen);
      if (closed.length === 0) return;
      await Promise.allSettled(closed.map((one) => one.ask("GET", "/healthz", "")));
    }
  }

  /** All machines connect to the stream of events, each at some moment of this time, and try again as a machine does. */
  async connect({ withinMs, waitMs, anew }: Extract<GeneratorCommand, { is: "connect" }>): Promise<SpreadResult> {
    Object.assign(handshakes, { full: 0, resumed: 0, failed: 0 });
    let refused = 0;
    const over = new AbortController();
    if (anew) for (const machine of this.#machines) machine.stream = undefined;
    const coming = async (machine: SimMachine): Promise<void> => {
      await sleep(Math.random() * withinMs);
      for (let wait = 0; !over.signal.aborted;) {
        machine.forget();
        const stream = (machine.stream = new RawConnection(() => this.#target(machine.at), machine.stream?.session));
        let state: (() => void) | undefined;
        const isThere = new Promise<void>((resolve) => (state = resolve));
        machine.onEvent = (event) => {
          if (event === "state") state?.();
        };
        const lost = new Promise<"lost">((resolve) => {
          void stream
            .hear(
              "/v1/events",
              machine.headers,
              (text) => machine.hear(text),
              () => resolve("lost"),
            )
            .then(({ status, retryAfter = 1 }) => {
              if (status === 200) return;
              refused += 1;
              wait = retryAfter * 1000;
              resolve("lost");
            })
            .catch(() => resolve("lost"));
        });
        if ((await Promise.race([isThere.then(() => "there" as const), lost])) === "there") return;
        stream.close();
        wait = Math.min(60_000, Math.max(1000, wait));
        await sleep(wait * (0.5 + Math.random()));
        wait = 0;
      }
    };
    const result = await this.#spread(this.#machines.map(coming), waitMs);
    over.abort();
    return { ...result, refused };
  }

  disconnect(): null {
    for (const { stream } of this.#machines) stream?.close();
    return null;
  }

  /** From now until the machines have the version, which somebody is about to release: it comes by their streams, or each fetches it by a connection of its own. */
  async policy({ version, waitMs }: Extract<GeneratorCommand, { is: "policy" }>): Promise<SpreadResult & { readonly told: number }> {
    Object.assign(handshakes, { full: 0, resumed: 0, failed: 0 });
    let refused = 0;
    let told = 0;
    const held = this.#machines.map(
      (machine) =>
        new Promise<void>((resolve) => {
          machine.onEvent = (event, data) => {
            if (event !== "policy") return;
            told += 1;
            if (data.includes(`"version":${version}`)) return resolve();
            void (async () => {
              await sleep(Math.random() * RELEASED_WITHIN_MS);
              for (let tries = 0; tries < 30; tries += 1) {
                await this.#openOwn();
                const own = new RawConnection(() => this.#target(machine.at), machine.stream?.session);
                const {
                  status,
                  body,
                  retryAfter = 1,
                } = await own
                  .ask("POST", "/v1/policy", machine.headers, '{"v":1}')
                  .catch(() => ({ status: 0, body: "", retryAfter: undefined }));
                own.close();
                this.#closeOwn();
                if (status === 200 && body.includes(`"version":${version}`)) return resolve();
                refused += 1;
                await sleep(retryAfter * 1000 * (0.5 + Math.random()));
              }
            })();
          };
        }),
    );
    return { ...(await this.#spread(held, waitMs)), refused, told };
  }

  /** So many questions wait already; more come, a person who looks at the page says yes to each of these, and its machine hears it. */
  async questions({ open, rate, seconds, cookie, origin }: Extract<GeneratorCommand, { is: "questions" }>): Promise<QuestionsResult> {
    const before = process.cpuUsage();
    const [kept, seen, whole, page] = [new Histogram(), new Histogram(), new Histogram(), new Histogram()];
    const count = this.#machines.length;
    for (let at = 0; at < open; at += 1) await this.#ask(this.#machines[at % Math.min(count, 200)]!, `open-${at}`);
    const asked = new Map<string, { readonly due: number; readonly machine: SimMachine; readonly request: string }>();
    const answering = new Map<string, number>();
    let answered = 0;
    const total = Math.round(rate * seconds);
    for (const machine of this.#machines)
      machine.onEvent = (event, data) => {
        if (event !== "answers") return;
        for (const [, id = "", request = ""] of data.matchAll(/"id":"([\w-]{22})","request":"([\w-]{43})"/g)) {
          const known = asked.get(id);
          if (known === undefined || !answering.has(id)) continue;
          answering.delete(id);
          answered += 1;
          whole.add((performance.now() - known.due) * 1000);
          void this.#send(
            "POST",
            "/v1/answers/taken",
            machine.headers,
            JSON.stringify({ v: 1, taken: [{ id, request, became: "applied" }] }),
          );
        }
      };
    const over = new AbortController();
    const looking = (async () => {
      const person = new RawConnection(() => this.#target(0));
      const cookies = `cookie: ${cookie}\r\norigin: ${origin}\r\n`;
      while (!over.signal.aborted) {
        const began = performance.now();
        const { body } = await person.ask("GET", "/questions.json", cookies);
        page.add((performance.now() - began) * 1000);
        for (const [id, known] of asked) {
          if (answering.has(id) || !body.includes(id)) continue;
          seen.add((performance.now() - known.due) * 1000);
          answering.set(id, performance.now());
          const form = new URLSearchParams({ machine: known.machine.id, id, request: known.request, answer: "allow" }).toString();
          void this.#form("/answer", cookies, form);
        }
        await sleep(PAGE_MS);
      }
      person.close();
    })();
    const begin = performance.now();
    for (let sent = 0; sent < total; sent += 1) {
      const due = begin + (sent * 1000) / rate;
      await sleep(Math.max(0, due - performance.now()));
      const machine = this.#machines[(sent * 7919) % count]!;
      void this.#ask(machine, `asked-${sent}`, (id, request) => asked.set(id, { due, machine, request })).then(() =>
        kept.add((performance.now() - due) * 1000),
      );
    }
    for (let tries = 0; tries < 100; tries += 1) {
      if (answered === total) break;
      await sleep(100);
    }
    over.abort();
    await looking;
    return {
      open,
      asked: total,
      answered,
      kept: quantilesOf(kept),
      seen: quantilesOf(seen),
      whole: quantilesOf(whole),
      page: quantilesOf(page),
      processor: since(before),
    };
  }

  async #ask(machine: SimMachine, what: string, onId?: (id: string, request: string) => void): Promise<void> {
    const id = randomBytes(16).toString("base64url");
    const request = randomBytes(32).toString("base64url");
    onId?.(id, request);
    const about = {
      point: "hook",
      agent: "claude",
      what: `run npm publish --tag ${what}`,
      reason: "no rule allows it",
      folder: "~/project",
    };
    const question = { id, request, expiresIn: 600_000, people: 1, about };
    for (let tries = 0; tries < 20; tries += 1) {
      const { status } = await this.#send("POST", "/v1/questions", machine.headers, JSON.stringify({ v: 1, questions: [question] }));
      if (status === 200) return;
      await sleep(1000);
    }
  }

  async #sendOne(due: number, late: Histogram): Promise<number> {
    // Where none is free the server is what is late.
    if (this.#free.length > 0) late.add(Math.max(0, performance.now() - due) * 1000);
    const connection = await this.#take();
    const machine = this.#nextMachine();
    machine.isSending = true;
    try {
      const record = (machine.unanswered ??= {
        salt: randomBytes(16).toString("base64url"),
        body: bodyOf(machine.at, machine.head.seq + 1, new Date().toISOString()),
      });
      const last = chainRecords(machine.head, [record])[0]!;
      const batch = { v: 1, epoch: machine.epoch, after: machine.head, records: [record], hash: last.hash };
      const { status } = await connection.ask("POST", "/v1/log", machine.headers, JSON.stringify(batch));
      if (status === 200) {
        machine.head = { seq: last.seq, hash: last.hash };
        machine.unanswered = undefined;
      }
      return status;
    } catch {
      return 0;
    } finally {
      machine.isSending = false;
      this.#give(connection);
    }
  }

  /** In turn, one that waits for nothing. */
  #nextMachine(): SimMachine {
    for (let tries = 0; ; tries += 1) {
      const machine = this.#machines[this.#next++ % this.#machines.length]!;
      if (!machine.isSending || tries > this.#machines.length) return machine;
    }
  }

  async #send(method: string, path: string, headers: string, body: string): Promise<{ readonly status: number; readonly body: string }> {
    const connection = await this.#take();
    try {
      return await connection.ask(method, path, headers, body);
    } catch {
      return { status: 0, body: "" };
    } finally {
      this.#give(connection);
    }
  }

  async #form(path: string, headers: string, body: string): Promise<void> {
    const own = new RawConnection(() => this.#target(0), this.#pool[0]?.session);
    // Two content types would be none: this one is said by itself.
    await own.post(path, `${headers}content-type: application/x-www-form-urlencoded\r\n`, body).catch(() => undefined);
    own.close();
  }

  #openOwn(): Promise<void> | undefined {
    if (this.#own < MOST_OWN) {
      this.#own += 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waitingOwn.push(resolve));
  }

  #closeOwn(): void {
    const next = this.#waitingOwn.shift();
    if (next === undefined) this.#own -= 1;
    else next();
  }

  #take(): Promise<RawConnection> {
    // In turn: one that is not used for some seconds the server closes.
    const free = this.#free.shift();
    return free === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(free);
  }

  #give(connection: RawConnection): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
  }

  #target(at: number): Target {
    return { ...this.#targets[at % this.#targets.length]!, from: `127.0.0.${2 + (at % ADDRESSES)}` };
  }

  async #spread(all: readonly Promise<void>[], waitMs: number): Promise<Omit<SpreadResult, "refused">> {
    const before = process.cpuUsage();
    const begin = performance.now();
    const times: number[] = [];
    const each = all.map(async (one) => {
      await one;
      times.push(performance.now() - begin);
    });
    const enough = new Promise<void>((done) => {
      const timer = setInterval(() => {
        if (times.length < all.length && performance.now() - begin < waitMs) return;
        clearInterval(timer);
        done();
      }, 50);
    });
    void Promise.all(each);
    await enough;
    const at = (share: number): number => times[Math.ceil(all.length * share) - 1] ?? Number.NaN;
    return {
      of: all.length,
      reached: times.length,
      half: at(0.5),
      p99: at(0.99),
      all: at(1),
      handshakes: { ...handshakes },
      processor: since(before),
    };
  }
}

/** Loopback addresses that the generator connects from. */
const ADDRESSES = 16;
/** As `packages/team/src/team/connect/follow.ts` has it. */
const RELEASED_WITHIN_MS = 500;
/** Beside the streams: a process may have 20,000 files, here as at the server. */
const MOST_OWN = 8000;

/** The bench's person looks this often; the page itself every three seconds. */
const PAGE_MS = 250;

/** Seconds. */
function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** The process that makes load: obeys what comes by its channel. */
export function obey(): void {
  const generator = new Generator();
  process.on("message", (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- by the process that started this one
    const command = message as GeneratorCommand;
    void (async () => process.send?.({ result: await runCommand(generator, command) }))();
  });
  process.on("disconnect", () => process.exit(0));
}

function runCommand(generator: Generator, command: GeneratorCommand): unknown {
  switch (command.is) {
    case "start":
      return generator.start(command);
    case "load":
      return generator.load(command);
    case "connect":
      return generator.connect(command);
    case "disconnect":
      return generator.disconnect();
    case "policy":
      return generator.policy(command);
    case "questions":
      return generator.questions(command);
  }
}
