import { spawn } from "node:child_process";
import { visible } from "@assent/core/action";
import { BUILD, findPageProcess, newLink, pageFolder, type PageProcess, removeOldLinks, runPage } from "@assent/page/page";
import { type Machine, thisMachine, withLock, isProgram } from "@assent/guard/state";
import { isInside } from "@assent/supervisor/supervise/outer";
import { engine } from "@assent/page/preview";
import { writeJson } from "./json.ts";
import { absolute, folderProblem } from "./place.ts";
import { complain } from "./policy-target.ts";
import { statusForPage } from "./status.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { noPerson } from "./terminal.ts";

const COMMAND = "open";
const LOCK_MS = 8000;
const START_MS = 6000;
const POLL_MS = 10;
/** A browser's starter that fails does so at once; one that becomes the browser stays. */
const BROWSER_MS = 1500;

export interface OpenOptions {
  readonly cwd?: string;
  readonly print?: boolean;
  readonly link?: boolean;
  readonly json?: boolean;
  /** Be the page's process. */
  readonly serve?: boolean;
}

/** `assent open`: opens the page in the browser. Exit 0 when it is open or what opens it was printed, 1 when it cannot be, 2 wrong use. */
export async function open(options: OpenOptions): Promise<number> {
  const machine = thisMachine();
  if (options.serve === true) return await serve(machine);
  const folder = absolute(options.cwd ?? ".");
  const problem = folderProblem(folder);
  if (problem !== undefined) {
    complain(COMMAND, `${problem}: ${visible(folder)}`);
    return 2;
  }
  const nobody = noPerson(machine.env);
  if (nobody !== undefined) {
    complain(COMMAND, nobody, "open the page from a terminal of your own");
    return 1;
  }
  if (isInside()) {
    complain(COMMAND, "the page cannot be opened from inside a supervised run", "open it from a terminal of your own");
    return 1;
  }
  const where = pageFolder(machine);
  if ("problem" in where) return failed(where.problem);
  const page = withLock(`${where.folder}/lock`, LOCK_MS, () => startedPage(where.folder, machine));
  if (page === undefined) return failed("the page's process did not start");
  removeOldLinks(where.folder);
  const { file, address } = newLink(where.folder, page, folder);
  const quiet = options.print === true || options.link === true || options.json === true;
  const browser = quiet ? undefined : await openInBrowser(file, machine);
  if (options.json === true) writeJson({ file, port: page.port, ...(options.link === true ? { link: address } : {}) });
  else if (options.link === true) writeStdout(`${address}\n`);
  else if (options.print === true) writeStdout(`${file}\n`);
  else if (browser === "opened") writeStdout("the page is open in your browser\n");
  else writeStdout(`${browser ?? "no browser was found"}: open this file with it within a minute\n  ${visible(file)}\n`);
  return 0;
}

function failed(why: string): number {
  complain(COMMAND, visible(why));
  return 1;
}

async function serve(machine: Machine): Promise<number> {
  const page = await runPage(machine, engine.own, statusForPage);
  if ("problem" in page) return failed(page.problem);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, page.close);
  await page.ended;
  return 0;
}

const sleep = (milliseconds: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** The page process that is there, or a new one; one of another build is ended first. */
function startedPage(folder: string, machine: Machine): PageProcess | undefined {
  const there = findPageProcess(folder, machine);
  if (there?.build === BUILD) return there;
  if (there !== undefined) {
    process.kill(there.pid, "SIGTERM");
    if (waitFor(() => (findPageProcess(folder, machine)?.pid === there.pid ? undefined : true)) === undefined) return undefined;
  }
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [`${engine.own[0] ?? ""}/bin.cjs`, COMMAND, "--serve"], {
    cwd: "/",
    env,
    detached: true,
    stdio: "ignore",
  });
  child.once("error", (error) => writeStderr(`assent ${COMMAND}: ${visible(error.message)}\n`));
  child.unref();
  return waitFor(() => findPageProcess(folder, machine));
}

function waitFor<T>(look: () => T | undefined): T | undefined {
  for (let waited = 0; waited < START_MS; waited += POLL_MS) {
    const found = look();
    if (found !== undefined) return found;
    sleep(POLL_MS);
  }
  return undefined;
}

/** What opens a file in the browser here, the likeliest first. */
function browsers({ env, platform }: Machine): readonly string[] {
  // A list, as in `BROWSER=firefox:chromium` (the convention of xdg-open and Debian).
  const own = (env["BROWSER"] ?? "").split(":").filter((command) => /^[^\s%]+$/.test(command));
  if (platform === "darwin") return [...own, "open"];
  const screen = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "" || (env["WSL_DISTRO_NAME"] ?? "") !== "";
  return screen ? [...own, "xdg-open", "wslview"] : own;
}

/** `opened`, or why the browser did not open; undefined: there is none. The file's name is no secret: its folder is closed to others. */
async function openInBrowser(file: string, machine: Machine): Promise<string | undefined> {
  const program = browsers(machine).find((name) => isFound(name, machine.env["PATH"] ?? ""));
  if (program === undefined) return undefined;
  return await new Promise((resolve) => {
    const child = spawn(program, [file], { detached: true, stdio: "ignore" });
    const late = setTimeout(() => resolve("opened"), BROWSER_MS);
    child.once("error", () => {
      clearTimeout(late);
      resolve(`${visible(program)} cannot be started`);
    });
    child.once("exit", (code) => {
      clearTimeout(late);
      resolve(code === 0 ? "opened" : `${visible(program)} failed`);
    });
    child.unref();
  });
}

function isFound(name: string, path: string): boolean {
  const places = name.includes("/") ? [name] : path.split(":").flatMap((folder) => (folder.startsWith("/") ? [`${folder}/${name}`] : []));
  return places.some(isProgram);
}
