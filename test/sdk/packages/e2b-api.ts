import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { basename, dirname, resolve } from "node:path";

/** What E2B's client asks of E2B and of the program in its sandboxes, answered by a shell of this machine: its cloud cannot be reached. */

interface StartRequest {
  readonly process: { readonly cmd: string; readonly args?: readonly string[]; readonly cwd?: string; readonly envs?: NodeJS.ProcessEnv };
}

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Uint8Array;
}

const json = (body: unknown, status = 200): Answer => ({ status, type: "application/json", body: JSON.stringify(body) });
const missing = (): Answer => json({ code: "not_found", message: "not found" }, 404);

/** One message of a stream of the Connect protocol. */
function message(value: unknown, flags = 0): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, text]);
}

/** Where such a server listens, until it is closed. */
export async function e2bApi({
  cwd,
  home,
}: {
  readonly cwd: string;
  readonly home: string;
}): Promise<{ readonly url: string; readonly close: () => void }> {
  const runs = async ({ process: { cmd, args = [], cwd: from = cwd, envs } }: StartRequest): Promise<Buffer> => {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, ...envs };
    const child = spawn(cmd, args, { cwd: resolve(cwd, from), env, stdio: ["ignore", "pipe", "pipe"] });
    const events: object[] = [{ start: { pid: child.pid ?? 0 } }];
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].on("data", (part: Buffer) => void events.push({ data: { [stream]: part.toString("base64") } }));
    const exitCode = await new Promise<number>((settle) => {
      child.once("error", () => settle(127));
      child.once("close", (code) => settle(code ?? 137));
    });
    events.push({ end: { exitCode, exited: true, status: `exit status ${exitCode}` } });
    return Buffer.concat([...events.map((event) => message({ event })), message({}, 2)]);
  };
  const entry = (path: string): object => ({
    entry: { name: basename(path), path, type: statSync(path).isDirectory() ? "FILE_TYPE_DIRECTORY" : "FILE_TYPE_FILE" },
  });
  const answer = async (method: string, url: URL, headers: IncomingMessage["headers"], body: Buffer<ArrayBuffer>): Promise<Answer> => {
    const { pathname, searchParams } = url;
    const file = resolve(cwd, searchParams.get("path") ?? "");
    const given = (): { readonly path?: string } => JSON.parse(body.toString()) as { readonly path?: string };
    switch (`${method} ${pathname}`) {
      case "POST /v2/sandboxes":
        return json({ sandboxID: "box", templateID: "base", clientID: "c", envdVersion: "0.5.0", envdAccessToken: "t" }, 201);
      case "GET /health":
        return { status: 204, body: "" };
      case "GET /files":
        if (!existsSync(file) || statSync(file).isDirectory()) return missing();
        return { type: "application/octet-stream", body: readFileSync(file) };
      case "POST /files": {
        const form = await new Response(body, { headers: { "content-type": headers["content-type"] ?? "" } }).formData();
        const part = form.get("file");
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, part instanceof Blob ? Buffer.from(await part.arrayBuffer()) : (part ?? ""));
        return json([{ name: basename(file), type: "file", path: file }]);
      }
      case "POST /process.Process/Start":
        // The request of a stream is a message, too.
        return { type: "application/connect+json", body: await runs(JSON.parse(body.subarray(5).toString()) as StartRequest) };
      case "POST /filesystem.Filesystem/MakeDir": {
        const path = resolve(cwd, given().path ?? "");
        if (existsSync(path)) return json({ code: "already_exists", message: "exists" }, 409);
        mkdirSync(path, { recursive: true });
        return json(entry(path));
      }
      case "POST /filesystem.Filesystem/Stat": {
        const path = resolve(cwd, given().path ?? "");
        return existsSync(path) ? json(entry(path)) : missing();
      }
      case "POST /filesystem.Filesystem/Remove":
        rmSync(resolve(cwd, given().path ?? ""), { recursive: true, force: true });
        return json({});
      default:
        return method === "DELETE" ? { status: 204, body: "" } : missing();
    }
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://localhost");
      void answer(request.method ?? "", url, request.headers, Buffer.concat(parts)).then(
        ({ status = 200, type, body }) => response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
