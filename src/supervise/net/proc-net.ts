import { readFileSync } from "node:fs";
import { addressOfBytes } from "./addresses.ts";

/** A socket that others can send to: proc_net_tcp.txt of the kernel's documentation. */
export interface OpenSocket {
  /** 4 or 16 bytes. */
  readonly address: Uint8Array;
  readonly port: number;
  /** As fstat(2) of its descriptor says. */
  readonly inode: number;
}

/** `st` of /proc/net/tcp: TCP_LISTEN. UDP sockets have TCP_CLOSE, connected ones TCP_ESTABLISHED; both receive. */
const LISTEN = "0A";

/** Lines of `/proc/net/{tcp,udp}{,6}` that can be reached; what does not read as such is skipped. */
export function readOpenSockets(text: string, protocol: "tcp" | "udp"): readonly OpenSocket[] {
  const found: OpenSocket[] = [];
  for (const line of text.split("\n")) {
    const match = /^\s*\d+: ([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4}) \S+ ([\dA-F]{2}) \S+ \S+ \S+ +\d+ +\d+ (\d+)/.exec(line);
    if (match === null) continue;
    const [, address = "", port = "", state, inode] = match;
    if (protocol === "tcp" && state !== LISTEN) continue;
    found.push({ address: words(address), port: Number.parseInt(port, 16), inode: Number(inode) });
  }
  return found;
}

/** 32-bit words as numbers, printed by a little-endian machine: the bytes of each word stand the other way round. */
function words(hex: string): Uint8Array {
  const bytes = Buffer.from(hex, "hex");
  return Uint8Array.from(bytes.swap32());
}

/** Every socket of this network namespace that receives. */
export function openSockets(protocol: "tcp" | "udp", root = "/proc/net"): readonly OpenSocket[] {
  return [`${root}/${protocol}`, `${root}/${protocol}6`].flatMap((path) => {
    try {
      return readOpenSockets(readFileSync(path, "latin1"), protocol);
    } catch {
      return [];
    }
  });
}

/** Whether what is sent to `address` and `port` may arrive at this socket. IPv6 wildcards take IPv4 unless told not to, which is not shown. */
export function receives(socket: OpenSocket, address: Uint8Array, port: number): boolean {
  if (socket.port !== port) return false;
  const own = addressOfBytes(socket.address);
  if (own.any) return socket.address.length === 16 || isV4(address);
  const wanted = addressOfBytes(address);
  // 0.0.0.0 and :: lead to 127.0.0.1 and ::1.
  return own.host === wanted.host || (wanted.any && own.reach === "loopback");
}

/** Whether two sockets on the same port would share what arrives. */
export function overlaps(socket: OpenSocket, address: Uint8Array, port: number): boolean {
  if (socket.port !== port || port === 0) return false;
  const [own, wanted] = [addressOfBytes(socket.address), addressOfBytes(address)];
  return own.any || wanted.any || own.host === wanted.host;
}

function isV4(address: Uint8Array): boolean {
  return address.length === 4 || addressOfBytes(address).embedded !== undefined;
}

/** A UNIX socket of this inode is there: /proc/net/unix, whose columns before the path hold no blanks. */
export function isOpenUnix(inode: number, root = "/proc/net"): boolean {
  try {
    return readFileSync(`${root}/unix`, "latin1")
      .split("\n")
      .some((line) => Number(line.trim().split(/ +/, 7)[6]) === inode);
  } catch {
    return false;
  }
}
