import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import type { Scratch } from "../scratch.ts";
import { Screen } from "./screen.ts";

export interface Terminal {
  readonly press: (keys: string) => void;
  /** Waits until it was written, behind what was waited for before. */
  readonly sees: (text: string | RegExp) => Promise<void>;
  readonly screen: () => readonly string[];
  readonly ended: Promise<number | null>;
}

/** A command line on a terminal of its own, of so many columns. */
export function startTerminal(
  place: Pick<Scratch, "home" | "project">,
  line: string,
  width = 100,
  env: Record<string, string> = {},
): Terminal {
  const child = spawn("script", ["-qefc", `stty cols ${width} rows 30; ${line}`, "/dev/null"], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, TERM: "xterm", NO_COLOR: "1", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  let seen = 0;
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const plain = (): string => {
    const screen = new Screen(width);
    screen.write(text);
    return screen.lines.join("\n");
  };
  return {
    press: (keys) => child.stdin.write(keys),
    sees: async (wanted) => {
      const found = (): number => {
        if (typeof wanted !== "string") return text.slice(seen).search(wanted) === -1 ? -1 : text.length;
        const at = text.indexOf(wanted, seen);
        return at === -1 ? -1 : at + wanted.length;
      };
      let end = found();
      for (const last = performance.now() + 30_000; end === -1; end = found()) {
        if (performance.now() > last) throw new Error(`not seen: ${String(wanted)}\n${plain()}`);
        await pause(10);
      }
      seen = end;
      // What is pressed before it could be seen does not count.
      await pause(400);
    },
    screen: () => plain().split("\n"),
    ended: new Promise((resolve) => child.once("close", resolve)),
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
