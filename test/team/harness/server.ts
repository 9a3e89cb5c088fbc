import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { EnrolStarted, EnrolState } from "@assent/team/team/protocol";
import { type Database, migrate } from "@assent/team-server/database";
import { foundOrganisation, invitePerson, newAdminLink } from "@assent/team-server/enrol";
import { LogIntake } from "@assent/team-server/log";
import { TeamConnections } from "@assent/team-server/connection";
import type { AppOptions } from "../../../packages/team-server/src/serve/app.ts";
import { makeListener } from "../../../packages/team-server/src/serve/listener.ts";
import { Metrics } from "../../../packages/team-server/src/serve/metrics.ts";

export interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface TestMachine {
  readonly token: string;
  readonly machine: string;
}

/** The server on a database, or several that take turns, with a clock of the test's own. */
export class TestServer {
  now = new Date("2026-11-20T10:00:00Z");
  readonly #server: Server;
  readonly #connections: TeamConnections[] = [];
  readonly metrics = new Metrics();
  readonly db: Database;

  private constructor(db: Database, others: readonly Database[], more: Partial<AppOptions>) {
    this.db = db;
    const listeners = [db, ...others].map((one) => {
      const intake = new LogIntake(one, { now: () => this.now, quota: more.quota });
      return makeListener({
        db: one,
        intake,
        metrics: this.metrics,
        connections: this.#connect(one),
        now: () => this.now,
        isDraining: () => false,
        tell: () => undefined,
        ...more,
      }).listener;
    });
    let turn = 0;
    this.#server = createServer((incoming, outgoing) => listeners[turn++ % listeners.length]!(incoming, outgoing));
  }

  static async start(db: Database, others: readonly Database[] = [], more: Partial<AppOptions> = {}): Promise<TestServer> {
    await migrate(db);
    await foundOrganisation(db);
    const made = new TestServer(db, others, more);
    await new Promise<void>((resolve) => made.#server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const one of this.#connections) await one.close();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  pass(milliseconds: number): void {
    this.now = new Date(this.now.getTime() + milliseconds);
  }

  ask(method: string, path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
    return new Promise((resolve, reject) => {
      const asked = request(`${this.base}${path}`, { method, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }

  /** What a machine sends. */
  post(path: string, message: unknown, token?: string): Promise<Got> {
    return this.ask("POST", path, typeof message === "string" ? message : JSON.stringify(message), {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    });
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
    return this.ask("GET", path, undefined, headers);
  }

  form(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
    return this.ask("POST", path, new URLSearchParams(fields).toString(), {
      "content-type": "application/x-www-form-urlencoded",
      origin: this.base,
      ...headers,
    });
  }

  #connect(db: Database): TeamConnections {
    const made = new TeamConnections(db, { tell: () => undefined, lookMs: 500, now: () => this.now });
    this.#connections.push(made);
    return made;
  }

  async #enter(key: string): Promise<{ readonly cookie: string }> {
    const { headers, status } = await this.form("/enter", { key });
    if (status !== 303) throw new Error(`not let in: ${status}`);
    return { cookie: String(headers["set-cookie"]).split(";")[0]! };
  }

  async admin(): Promise<{ readonly cookie: string }> {
    // Few may come in at once.
    this.pass(60_000);
    return this.#enter(await newAdminLink(this.db, "administrator", this.now));
  }

  async person(name: string, role: string, machines = ""): Promise<{ readonly cookie: string }> {
    this.pass(60_000);
    return this.#enter((await invitePerson(this.db, { name, role, machines, by: "a test" }, this.now))!);
  }

  async join(name = "laptop", group = ""): Promise<TestMachine> {
    this.pass(60_000);
    const started = v.parse(
      EnrolStarted,
      JSON.parse((await this.post("/v1/enrol", { v: 1, name, platform: "linux x64", version: "0.1.0" })).text),
    );
    const admin = await this.admin();
    await this.form("/confirm", { code: started.code }, admin);
    const state = v.parse(
      EnrolState,
      JSON.parse((await this.post("/v1/enrol/poll", { v: 1, id: started.id, secret: started.secret })).text),
    );
    if (state.is !== "joined") throw new Error(state.is);
    if (group !== "") await this.form("/group", { id: state.machine, group }, admin);
    return state;
  }
}
