import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

/** What Vercel's client of sandboxes asks of Vercel, answered by a shell of this machine: its cloud cannot be reached by tests. */

interface StartedCommand {
  readonly command: { readonly id: string; readonly name: string; readonly args: readonly string[] };
  readonly child: ChildProcess;
  readonly lines: { readonly stream: "stdout" | "stderr"; readonly data: string }[];
  readonly ended: Promise<number>;
}

interface CommandRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly wait?: boolean;
}

/** A `fetch` for `createVercelSandbox`. `asked`: each path, as it came. */
export function vercelApi({ cwd, home }: { readonly cwd: string; readonly home: string }): {
  readonly fetch: typeof fetch;
  readonly asked: readonly string[];
} {
  const asked: string[] = [];
  const started = new Map<string, StartedCommand>();
  const now = Date.now();
  const session = {
    id: "session-1",
    memory: 2048,
    vcpus: 1,
    region: "iad1",
    timeout: 60_000,
    status: "running",
    requestedAt: now,
    createdAt: now,
    updatedAt: now,
    cwd,
  } as const;
  const sandbox = { name: "box", persistent: false, createdAt: now, updatedAt: now, currentSessionId: session.id, status: "running", cwd };

  const start = ({ command: name, args, cwd: from = cwd, env }: CommandRequest): StartedCommand => {
    const child = spawn(name, args, {
      cwd: resolve(cwd, from),
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const lines: { stream: "stdout" | "stderr"; data: string }[] = [];
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].setEncoding("utf8").on("data", (data: string) => void lines.push({ stream, data }));
    const ended = new Promise<number>((settle) => {
      child.once("error", () => settle(127));
      child.once("close", (code) => settle(code ?? 137));
    });
    const one = { command: { id: `command-${started.size}`, name, args }, child, lines, ended };
    started.set(one.command.id, one);
    return one;
  };
  const shown = ({ command }: StartedCommand, exitCode: number | null): object => ({
    command: { ...command, cwd, sessionId: session.id, exitCode, startedAt: now },
  });
  const lines = (all: readonly object[]): Response =>
    new Response(all.map((one) => `${JSON.stringify(one)}\n`).join(""), { headers: { "content-type": "application/x-ndjson" } });

  const answer = async (method: string, path: string, headers: Headers, body: Uint8Array): Promise<Response> => {
    const given = (): unknown => JSON.parse(new TextDecoder().decode(body));
    const at = path.replace(`/api/v2/sandboxes/sessions/${session.id}`, "");
    const [, id = "", part] = /^\/cmd\/([^/]+)(\/\w+)?$/.exec(at) ?? [];
    const one = started.get(id);
    if (method === "POST" && path === "/api/v2/sandboxes") return Response.json({ sandbox, session, routes: [] });
    if (method === "POST" && at === "/cmd") {
      const request = given() as CommandRequest;
      const begun = start(request);
      if (request.wait !== true) return Response.json(shown(begun, null));
      const code = await begun.ended;
      return lines([shown(begun, null), ...begun.lines, shown(begun, code)]);
    }
    if (one !== undefined && part === "/logs") return await one.ended.then(() => lines(one.lines));
    if (one !== undefined && part === "/kill")
      return one.child.kill("SIGKILL") ? Response.json(shown(one, null)) : Response.json(shown(one, 137));
    if (one !== undefined && part === undefined) return Response.json(shown(one, await one.ended));
    if (at === "/fs/read") {
      const { path: file, cwd: from = cwd } = given() as { readonly path: string; readonly cwd?: string };
      const whole = resolve(cwd, from, file);
      if (!existsSync(whole) || statSync(whole).isDirectory())
        return Response.json({ error: { code: "not_found", message: "not found" } }, { status: 404 });
      return new Response(new Uint8Array(readFileSync(whole)), { headers: { "content-type": "application/octet-stream" } });
    }
    if (at === "/fs/write") {
      const { status, stderr } = spawnSync("tar", ["-xzf", "-", "-C", headers.get("x-cwd") ?? "/", "--no-same-owner"], {
        input: body,
        encoding: "utf8",
      });
      return status === 0 ? Response.json({}) : Response.json({ error: { code: "bad_request", message: stderr } }, { status: 400 });
    }
    return Response.json({ error: { code: "not_found", message: path } }, { status: 404 });
  };

  return {
    asked,
    fetch: async (input, init) => {
      const request = new Request(input, { ...init, duplex: "half" });
      const { pathname } = new URL(request.url);
      asked.push(`${request.method} ${pathname}`);
      return await answer(request.method, pathname, request.headers, new Uint8Array(await request.arrayBuffer()));
    },
  };
}
