import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REFERENCE } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { isMissing } from "@assent/guard/state";
import { engine, scratch } from "../scratch.ts";

/** Under `"unknown": "confine"`, `sandboxed` or `ask`. PORT: nobody holds it; HELD: this process does. */
const LINES: readonly (readonly [line: string, expected: "sandboxed" | "ask"])[] = [
  ["kill $(lsof -ti:PORT)", "sandboxed"],
  ["kill -9 $(lsof -t -i tcp:PORT) 2>/dev/null; npm run dev", "sandboxed"],
  ["lsof -ti :PORT | xargs kill -9", "sandboxed"],
  ['pids=$(lsof -ti tcp:PORT); if [ -n "$pids" ]; then kill $pids; fi', "sandboxed"],
  ["lsof -nP -tiTCP:PORT -sTCP:LISTEN | xargs -r kill", "sandboxed"],
  ["fuser -k PORT/tcp", "ask"],
  ["kill $(lsof -ti:HELD)", "ask"],
  ["lsof -ti :HELD | xargs kill -9", "ask"],
  ["fuser -k HELD/tcp", "ask"],
  ["kill $(lsof -ti:PORT,HELD)", "ask"],
  ["kill $(lsof -ti:PORT) $(lsof -ti:HELD)", "ask"],
  // More than the holders of a port.
  ["kill $(lsof -ti:PORT -u root)", "ask"],
  ["kill $(lsof -ti:PORT -c node)", "ask"],
  ["kill $(lsof -t a.txt)", "ask"],
  ["kill $(lsof -ti)", "ask"],
  ["kill $(lsof -ti@example.com:PORT)", "ask"],
  ["kill $(lsof -ti:1-65535)", "ask"],
  ["kill $(lsof -ti:$P)", "ask"],
  ["kill $(lsof -ti:PORT; lsof -t -c node)", "ask"],
  ["kill $(ss -lptn | grep PORT)", "ask"],
  ["fuser -k .", "ask"],
  ["fuser -mk PORT/tcp", "ask"],
  // What a killed git leaves behind.
  ["rm .git/index.lock", "sandboxed"],
  ["rm -f .git/index.lock && git status", "sandboxed"],
  ["rm .git/refs/heads/main.lock", "sandboxed"],
  ["rm .git/worktrees/x/index.lock", "sandboxed"],
  ["rm .git/index", "ask"],
  ["rm .git/HEAD", "ask"],
  ["rm .git/refs/heads/main", "ask"],
  ["rm -rf .git/index.lock", "ask"],
  ["rm .git/*.lock", "ask"],
  ["rm .git/hooks/x.lock", "ask"],
  ["rm .git/x.lock/../config", "ask"],
  ["rm ../other/.git/index.lock", "ask"],
  ["rm .git/objects/x.lock", "ask"],
];

describe("nobody is asked about what is not there", () => {
  const place = scratch({ keep: true });
  place.write("~/.agent-permissions.jsonc", '{ "version": 1, "unknown": "confine" }');
  place.write(".git/HEAD", "ref: refs/heads/main\n");
  const host = { shell: "bash", decides: true, asks: true, bypassed: false, planning: false, confines: true } as const;
  const facts = REFERENCE.protocol.tools["Bash"];
  const said = (line: string, env: Readonly<Record<string, string>>): string => {
    const request = { tool: "Bash", facts, input: { command: line }, cwd: place.project, host, point: "hook", agent: "claude" };
    const machine = { ...place.machine, env: { PATH: "/usr/bin:/bin", ...env } };
    const { verdict } = decide(request, { machine, ...engine, policyFiles: [], audit: false, memory: "none" });
    return verdict.decision === "allow" ? (verdict.confined === undefined ? "allow" : "sandboxed") : "ask";
  };
  const servers: Server[] = [];
  const listen = async (): Promise<number> => {
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  };
  let [free, held] = [0, 0];
  beforeAll(async () => {
    [free, held] = [await listen(), await listen()];
    await new Promise((resolve) => servers[0]?.close(resolve));
  });
  afterAll(() => void servers[1]?.close());

  it.skipIf(process.platform !== "linux").each(LINES)("%s → %s", (line, expected) => {
    expect(said(line.replaceAll("PORT", String(free)).replaceAll("HELD", String(held)), { DISPLAY: ":0" })).toBe(expected);
  });

  it.each(["npx playwright test --headed", "npx playwright test --ui"])("%s asks where there is a place for windows", (line) => {
    expect(said(line, { DISPLAY: ":0" })).toBe("ask");
    expect(said(line, { WAYLAND_DISPLAY: "wayland-0" })).toBe("ask");
    for (const other of ["./x.sh | xclip", "xdg-open a.html", "code .", "xdotool key Return"]) expect(said(other, {})).toBe("ask");
    if (isMissing("desktop", {})) expect(said(line, {})).toBe("sandboxed");
    expect(said(`${line}; git push`, {})).toBe("ask");
  });
});
