/** A line of the log as read back. Only what printing needs is named; the rest is kept as it is. */
export interface LogEntry {
  readonly time: string;
  readonly agent: string;
  readonly tool: string;
  readonly verdict: string;
  readonly answer: string;
  readonly reason: string;
  readonly session: string;
  readonly subject: string;
}

const string = (value: unknown): string => (typeof value === "string" ? value : "");

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Entries of complete lines; a damaged line is skipped (`assent log verify` finds those). */
export function readLog(text: string): { readonly line: string; readonly entry: LogEntry }[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      const parsed = fields(JSON.parse(line));
      const input = fields(parsed["input"]);
      const subject = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query"]
        .map((name) => string(input[name]))
        .find((found) => found !== "");
      return [
        {
          line,
          entry: {
            time: string(parsed["time"]),
            agent: string(parsed["agent"]),
            tool: string(parsed["tool"]),
            verdict: string(parsed["verdict"]),
            answer: string(parsed["answer"]),
            reason: string(parsed["reason"]),
            session: string(parsed["session"]),
            subject: subject ?? "",
          },
        },
      ];
    } catch {
      return [];
    }
  });
}
