import { readdirSync, readFileSync } from "node:fs";
import { errorCode } from "./files.ts";
import type { Machine } from "./machine.ts";

/** What a command needs of this machine: a place for windows, or somebody who holds a port. */
export type Need = "desktop" | `port ${number}`;

/** True where this machine surely has none: who looks for it finds nothing, sandboxed or not. */
export function isMissing(need: Need, env: Machine["env"]): boolean {
  if (process.platform !== "linux") return false;
  const [, port] = /^port (\d+)$/.exec(need) ?? [];
  return port === undefined ? !hasDisplay(env) : !isHeld(Number(port));
}

/** Named, or a socket of an X server (Xserver(1)) or of Wayland (wl_display_connect(3)); WSLg keeps them below /mnt/wslg. */
function hasDisplay({ DISPLAY, WAYLAND_DISPLAY, XDG_RUNTIME_DIR = "/run/user/0" }: Machine["env"]): boolean {
  if (DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined) return true;
  return mayHold("/tmp/.X11-unix", /./) || mayHold("/mnt/wslg", /./) || mayHold(XDG_RUNTIME_DIR, /^wayland-/);
}

function mayHold(folder: string, name: RegExp): boolean {
  try {
    return readdirSync(folder).some((entry) => name.test(entry));
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
}

/** proc_net(5): a socket at either end, with an inode, is some process's. That lsof and fuser show both ends is measured (lsof 4.95). */
function isHeld(port: number): boolean {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return ["tcp", "tcp6", "udp", "udp6"].some((protocol) => {
    try {
      const rows = readFileSync(`/proc/self/net/${protocol}`, "utf8").trim().split("\n").slice(1);
      return rows.some((row) => {
        const [, local = end, remote = end, , , , , , , inode] = row.trim().split(/\s+/);
        return inode !== "0" && (local.endsWith(end) || remote.endsWith(end));
      });
    } catch (error) {
      return errorCode(error) !== "ENOENT" || protocol === "tcp";
    }
  });
}
