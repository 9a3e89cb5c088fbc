import { AF } from "../../kernel/index.ts";
import { networkInterfaces } from "node:os";
import type { Action, NetAction } from "@assent/core/action";
import { type Verdict, verdictOf, addressOfBytes, parseAddress } from "@assent/core/policy";
import { isLoopbackHost, type KnownHost } from "../../services/services.ts";
import type { Caller } from "../../judge/types.ts";
import { bindRefusingPort, internetSockaddr, mapToIpv6, type InternetAddress } from "../../net/sockaddr.ts";
import { judgeConnect, type NetDeps, type NetVerdict, type SocketDestination } from "../../net/judge-address.ts";
import type { Names } from "../../net/names.ts";
import { nameServersOf } from "../../net/resolv.ts";
import { receives, socketsOn } from "../../net/sock-diag.ts";
import type { RelayAddress } from "../../net/dns-relay.ts";
import type { OtherRuns } from "../../other-runs.ts";
import { type TaskSocket } from "./socket.ts";

export interface NetOptions {
  /** What the policy says about actions, with the defaults of a run. */
  readonly judge: { readonly call: (actions: readonly Action[], caller: Caller) => Verdict };
  /** Names that the relay finds are put here. */
  readonly names: Names;
  /** The relay; it is there once this has been asked. Undefined: no names, and the resolver is refused. */
  readonly relay: () => RelayAddress | undefined;
  /** Other runs that live: told of who listens here, and asked who listens elsewhere. */
  readonly otherRuns?: Pick<OtherRuns, "listens" | "of" | "binds" | "hasFile">;
  /** Observe: nothing is blocked. */
  readonly observes: boolean;
  /** Of the program: where its agents are. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The names of a socket that are not the kernel's. */
export interface SocketNames {
  readonly peer: Buffer | undefined;
  /** The port in it is the kernel's all the same. */
  readonly own: Buffer;
}

const MOST = 65_536;
const INTERFACES_FOR = 5000;
const DNS = 53;
const LEAVES = verdictOf("ask", "login.leaves");

/** Whether somebody who has a login may talk to a program of the run, which may pose as the service. `otherwise`: what is said of others that listen. */
export function withLogin(verdict: Verdict, caller: Caller, otherwise: () => Verdict): Verdict {
  const trail = caller.trail();
  if (trail === undefined || (verdict.builtin !== "own-listener" && verdict.builtin !== "own-socket")) return verdict;
  if (trail.at === "read") {
    const other = otherwise();
    return other.decision === "allow" ? other : LEAVES;
  }
  trail.at = "connected";
  return verdict;
}
const TYPED = verdictOf("allow", "run.typed");
const TOOL_SERVICE = verdictOf("allow", "run.errand");

/** What a run knows about its sockets. Everything in it is bounded: what is forgotten is asked about again. */
export class NetState {
  readonly #options: NetOptions;
  readonly #servers = nameServersOf();
  /** Where it is, once somebody has needed it. */
  #relayAt: RelayAddress | undefined;
  #interfaces: ReadonlySet<string> = new Set();
  #interfacesAt = 0;
  #binds = 0;
  #refuser: number | undefined;
  /** Inodes of sockets made by the run: TCP ones that listen, and all UDP ones. */
  readonly own = new RecentMap<number, true>(MOST);
  /** Of those, who is heard by the loopback device only. */
  readonly confined = new RecentMap<number, true>(MOST);
  /** What a socket was bound to with somebody's consent. */
  readonly bound = new RecentMap<number, string>(MOST);
  /** Sockets that talk to the relay, and the name server they think they talk to. */
  readonly asResolver = new RecentMap<number, Buffer>(MOST);
  /** Datagram sockets that seem to be connected, and those that talk to the relay, with the names they show. */
  readonly socketNames = new RecentMap<number, SocketNames>(MOST);
  /** Streams whose connecting nobody waited for. */
  readonly connecting = new RecentMap<number, true>(MOST);
  /** What UNIX sockets were bound to for the kernel, and the sockaddr that was asked for: whoever is connected to one sees it too. */
  readonly unixNames = new RecentMap<string, Buffer>(MOST);
  /** `struct ucred` of who listens on a UNIX socket, of who connected one, and of who listened where one was connected to. */
  readonly listeners = new RecentMap<number, Buffer>(MOST);
  readonly connectors = new RecentMap<number, Buffer>(MOST);
  readonly peers = new RecentMap<number, Buffer>(MOST);
  /** Files of sockets made by the run, by device, inode and birth; abstract names, by their hex; with the inode of the socket. */
  readonly ownFiles = new RecentMap<string, number>(MOST);
  readonly ownAbstract = new RecentMap<string, number>(MOST);

  constructor(options: NetOptions) {
    this.#options = options;
  }

  get env(): NetOptions["env"] {
    return this.#options.env;
  }

  get observes(): boolean {
    return this.#options.observes;
  }

  /** A number for each bind of a UNIX socket, of at most 16 binary digits. */
  nextBind(): number {
    this.#binds = (this.#binds % 0xffff) + 1;
    return this.#binds;
  }

  judge(actions: readonly Action[], caller: Caller): Verdict {
    return this.#options.judge.call(actions, caller);
  }

  /** The sockaddr of the relay, as this kind of socket takes it, where the address is a name server of the system's. */
  relayFor(to: InternetAddress, sock: TaskSocket): Buffer | undefined {
    const relay = to.port === DNS && this.#isNameServer(to) ? this.#relay() : undefined;
    if (relay === undefined) return undefined;
    const v4 = Uint8Array.of(127, 0, 0, 1);
    if (sock.domain === AF.INET) return internetSockaddr(v4, relay.v4);
    // A socket for IPv6 only says so by the address it asks for.
    if (relay.v6 !== undefined && to.version === 6 && to.address.embedded === undefined)
      return internetSockaddr(parseAddress("::1") ?? v4, relay.v6);
    return to.version === 4 ? internetSockaddr(v4, relay.v4) : internetSockaddr(mapToIpv6(v4), relay.v4);
  }

  /** An address that refuses whoever connects: a port that is ours and where nobody will ever listen. */
  refuserFor(sock: TaskSocket, to: InternetAddress): Buffer | undefined {
    this.#refuser ??= bindRefusingPort();
    return this.#refuser === undefined ? undefined : this.#loopback(sock, to, this.#refuser);
  }

  #loopback(sock: TaskSocket, to: InternetAddress, port: number): Buffer {
    const v4 = Uint8Array.of(127, 0, 0, 1);
    if (sock.domain === AF.INET) return internetSockaddr(v4, port);
    const v6 = parseAddress("::1");
    return internetSockaddr(v6 === undefined || to.version === 4 || to.address.embedded !== undefined ? mapToIpv6(v4) : v6, port);
  }

  #relay(): RelayAddress | undefined {
    this.#relayAt ??= this.#options.relay();
    return this.#relayAt;
  }

  #isNameServer(to: InternetAddress): boolean {
    return this.#servers.value.some(({ address }) => addressOfBytes(address).host === to.address.host);
  }

  isRelay({ port, address }: InternetAddress): boolean {
    const relay = this.#relayAt;
    return relay !== undefined && address.reach === "loopback" && (port === relay.v4 || port === relay.v6);
  }

  /** What is known of an address that a socket is to reach. */
  destination(to: InternetAddress, protocol: "tcp" | "udp"): SocketDestination {
    const { address, port } = to;
    const local = address.reach === "loopback" || this.#isOwnAddress(address.host);
    const names = this.#options.names.of(unwrapped(to), performance.now());
    return { address, port, names, local, ...(local ? this.#listener(address.bytes, port, protocol) : {}) };
  }

  #listener(address: Uint8Array, port: number, protocol: "tcp" | "udp"): Pick<SocketDestination, "listener" | "confined" | "run"> {
    const there = socketsOn(protocol, port).filter((socket) => receives(socket, address, port));
    if (there.length === 0) return { listener: "none" };
    const isOwn = there.every(({ inode }) => this.own.has(inode));
    const other = isOwn || protocol !== "tcp" ? undefined : this.#options.otherRuns?.of(there.map(({ inode }) => inode));
    if (other !== undefined) return { listener: other.equal ? "equal" : "other", confined: other.confined, run: other.run };
    return { listener: isOwn ? "own" : "other", confined: isOwn && there.every(({ inode }) => this.confined.has(inode)) };
  }

  /** A UNIX socket of the run has a file. */
  binds(file: string, inode: number): void {
    this.ownFiles.set(file, inode);
    this.#options.otherRuns?.binds(file);
  }

  /** The socket's file was made by another run that belongs to the same session. */
  isOfSession(file: string): boolean {
    return this.#options.otherRuns?.hasFile(file) === true;
  }

  /** A stream socket of the run listens. */
  listens(inode: number): void {
    this.own.set(inode, true);
    this.#options.otherRuns?.listens(inode, this.confined.has(inode));
  }

  /** Loopback in the place of another address of this machine, for whoever listens there only. */
  loopbackFor(sock: TaskSocket, to: InternetAddress): Buffer {
    return this.#loopback(sock, to, to.port);
  }

  #isOwnAddress(host: string): boolean {
    const now = performance.now();
    if (now - this.#interfacesAt > INTERFACES_FOR || this.#interfacesAt === 0) {
      const all = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces ?? []);
      this.#interfaces = new Set(
        all.flatMap(({ address }) => {
          const bytes = parseAddress(address);
          return bytes === undefined ? [] : [addressOfBytes(bytes).host];
        }),
      );
      this.#interfacesAt = now;
    }
    return this.#interfaces.has(host);
  }

  /** It may be connected to, whoever starts to listen there a moment later. */
  isOpen(to: SocketDestination, caller: Caller): boolean {
    return this.connect(to.listener === "none" ? { ...to, listener: "other" } : to, caller).verdict.decision === "allow";
  }

  /** Judges a connection; what the program was started for needs no question, on the public network. */
  connect(to: SocketDestination, caller: Caller): NetVerdict {
    const deps: NetDeps = { judge: (action) => this.#toolService(action, this.judge([action], caller), to, caller) };
    const found = judgeConnect(to, deps);
    const isLocalRegistry =
      found.verdict.builtin === "loopback-address" && to.run === undefined && isOwnRegistry(to, caller.hosts().service);
    if (isLocalRegistry) return { ...found, verdict: TOOL_SERVICE };
    return { ...found, verdict: withLogin(found.verdict, caller, () => judgeConnect({ ...to, listener: "other" }, deps).verdict) };
  }

  #toolService(action: NetAction, verdict: Verdict, to: SocketDestination, caller: Caller): Verdict {
    if (verdict.decision !== "ask" || verdict.basis !== "default") return verdict;
    const names = ({ host, port }: KnownHost): boolean => host === action.host && (port === undefined || port === action.port);
    const { service, named } = caller.hosts();
    // Whoever types an address means it, wherever it lies.
    if (to.address.reach !== "metadata" && named.some(names)) return TYPED;
    if (to.local === true || to.address.reach !== "public") return verdict;
    return service.some(names) ? TOOL_SERVICE : verdict;
  }
}

/** The user's own settings name a registry that listens there (services.ts). */
const isOwnRegistry = ({ address, port: there }: SocketDestination, service: readonly KnownHost[]): boolean =>
  address.reach === "loopback" && service.some(({ host, port }) => port === there && isLoopbackHost(host));

/** The bytes names are known by: an IPv4 address in IPv6 wrapping is itself. */
function unwrapped({ address }: InternetAddress): Uint8Array {
  return address.embedded === undefined ? address.bytes : (parseAddress(address.embedded) ?? address.bytes);
}

/** A map that forgets the oldest. */
export class RecentMap<K, V> {
  readonly #known = new Map<K, V>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  set(key: K, value: V): void {
    this.#known.delete(key);
    this.#known.set(key, value);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest);
  }

  get(key: K): V | undefined {
    return this.#known.get(key);
  }

  has(key: K): boolean {
    return this.#known.has(key);
  }

  delete(key: K): void {
    this.#known.delete(key);
  }

  get size(): number {
    return this.#known.size;
  }
}
