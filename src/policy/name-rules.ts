import type { NetAction, ToolAction } from "../action/index.ts";
import { wordGlob } from "../pattern/index.ts";
import { SMALL } from "./path-rules.ts";
import { put, select } from "./rule-lists.ts";
import type { Rule } from "./types.ts";

/** Rules about connections, by host. */
export class HostRules {
  readonly #rules: readonly Rule[];
  readonly #hosts = new Map<string, number[]>();
  readonly #always = new Set<number>();

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    if (rules.length <= SMALL) return;
    for (const [at, { matcher }] of rules.entries()) {
      if (matcher.kind !== "net" || matcher.host === "*") this.#always.add(at);
      else put(this.#hosts, matcher.host.startsWith("*.") ? matcher.host.slice(2) : matcher.host, at);
    }
  }

  matching({ host }: NetAction): readonly Rule[] {
    if (host === undefined || this.#rules.length <= SMALL) return this.#rules;
    const found = new Set(this.#always);
    // A host and the domains it lies in, written with or without the dot at its end.
    let name = host.endsWith(".") ? host.slice(0, -1) : host;
    for (;;) {
      for (const at of this.#hosts.get(name) ?? []) found.add(at);
      const dot = name.indexOf(".");
      if (dot === -1) return select(this.#rules, found);
      name = name.slice(dot + 1);
    }
  }
}

/** Rules about tools, by name or by what their name begins with. */
export class ToolRules {
  readonly #rules: readonly Rule[];
  readonly #names = new Map<string, number[]>();
  readonly #starts = new Map<string, number[]>();
  readonly #lengths = new Set<number>();
  readonly #always = new Set<number>();

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    if (rules.length <= SMALL) return;
    for (const [at, { matcher }] of rules.entries()) {
      if (matcher.kind !== "tool") {
        // The rules of files and hosts reach a tool of their own name that nobody described.
        if ((matcher.kind === "path" || matcher.kind === "net") && matcher.tool !== undefined) put(this.#names, matcher.tool, at);
        continue;
      }
      const { literal, start, hasSet } = wordGlob(matcher.name);
      if (literal !== undefined) put(this.#names, literal, at);
      else if (start === "" || hasSet) this.#always.add(at);
      else {
        put(this.#starts, start, at);
        this.#lengths.add(start.length);
      }
    }
  }

  matching({ name, names = [], guesses = [] }: ToolAction): readonly Rule[] {
    if (this.#rules.length <= SMALL) return this.#rules;
    const found = new Set(this.#always);
    for (const each of [name, ...names, ...guesses]) {
      for (const at of this.#names.get(each) ?? []) found.add(at);
      for (const length of this.#lengths) for (const at of this.#starts.get(each.slice(0, length)) ?? []) found.add(at);
    }
    return select(this.#rules, found);
  }
}
