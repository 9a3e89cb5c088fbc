/** Seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Family {
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly values: Map<string, number>;
}

/** Gauges of one name, as they are at the moment. */
export interface GaugeFamily {
  readonly name: string;
  readonly help: string;
  readonly values: readonly { readonly labels?: Readonly<Record<string, string | number>>; readonly value: number }[];
}

/** What a look at the database cost last serves others for so long. Milliseconds. */
const LOOK_MS = 5000;

/** Numbers for Prometheus (text format 0.0.4). Names are our own words; a label may hold the name of a group. */
export class Metrics {
  #look: (() => Promise<readonly GaugeFamily[]>) | undefined;
  #looked: { readonly at: number; readonly text: Promise<string> } | undefined;

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

  /** Gauges that take a look at the database, when they are asked for. */
  gauges(look: () => Promise<readonly GaugeFamily[]>): void {
    this.#look = look;
  }

  /** All of it. Where the database does not answer, its numbers are not there: an old number would say that all is well. */
  async whole(): Promise<string> {
    const look = this.#look;
    if (look === undefined) return this.text();
    const now = performance.now();
    if (this.#looked === undefined || now - this.#looked.at > LOOK_MS)
      this.#looked = {
        at: now,
        text: look().then(
          (families) => families.map(familyText).join(""),
          () => "",
        ),
      };
    const gauges = await this.#looked.text;
    return this.text() + gauges;
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

const familyText = ({ name, help, values }: GaugeFamily): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...values.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
    "",
  ].join("\n");

function labelText(labels: Readonly<Record<string, string | number>>): string {
  // As the text format wants it: backslash, quote and line break are escaped.
  const escaped = (value: string | number): string => String(value).replace(/[\\"\n]/g, (sign) => (sign === "\n" ? "\\n" : `\\${sign}`));
  const all = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return all.length === 0 ? "" : `{${all.join(",")}}`;
}
