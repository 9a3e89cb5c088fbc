/** Seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Family {
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly values: Map<string, number>;
}

/** Numbers for Prometheus (text format 0.0.4). Names and labels are our own words: nothing that came from outside. */
export class Metrics {
  readonly #families = new Map<string, Family>();
  readonly #gauges = new Map<string, { readonly help: string; readonly read: () => number }>();

  count(name: string, help: string, labels: Readonly<Record<string, string | number>> = {}, by = 1): void {
    this.#add(name, help, "counter", `${name}${labelText(labels)}`, by);
  }

  observe(name: string, help: string, seconds: number): void {
    for (const bound of [...BOUNDS, Number.POSITIVE_INFINITY])
      this.#add(
        name,
        help,
        "histogram",
        `${name}_bucket{le="${bound === Number.POSITIVE_INFINITY ? "+Inf" : bound}"}`,
        seconds <= bound ? 1 : 0,
      );
    this.#add(name, help, "histogram", `${name}_sum`, seconds);
    this.#add(name, help, "histogram", `${name}_count`, 1);
  }

  /** Read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.set(name, { help, read });
  }

  text(): string {
    const lines: string[] = [];
    for (const [name, { help, type, values }] of this.#families) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const [key, value] of values) lines.push(`${key} ${value}`);
    }
    for (const [name, { help, read }] of this.#gauges) lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${read()}`);
    return `${lines.join("\n")}\n`;
  }

  #add(name: string, help: string, type: Family["type"], key: string, by: number): void {
    let family = this.#families.get(name);
    if (family === undefined) this.#families.set(name, (family = { help, type, values: new Map() }));
    family.values.set(key, (family.values.get(key) ?? 0) + by);
  }
}

function labelText(labels: Readonly<Record<string, string | number>>): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return all.length === 0 ? "" : `{${all.join(",")}}`;
}
