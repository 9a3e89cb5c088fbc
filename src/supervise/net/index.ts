export { type Address, addressOfBytes, parseAddress, type Reach } from "./addresses.ts";
export { DnsRelay, type RelayAddress, type RelayOptions } from "./dns-relay.ts";
export { type Destination, judgeConnect, judgeListen, type NetDeps, type NetVerdict } from "./judge-address.ts";
export { isResolverSocket, judgeUnixBind, judgeUnixConnect, powerOf, type SocketDeps } from "./judge-socket.ts";
export { type FoundNames, type NameOf, Names } from "./names.ts";
export { isOpenUnix, type OpenSocket, overlaps, receives } from "./proc-net.ts";
export { refuser } from "./bound.ts";
export { socketsOn, unixPeer } from "./sock-diag.ts";
export { hostsOf, type NameServer, nameServersOf, WatchedFile } from "./resolv.ts";
export {
  AF,
  internetSockaddr,
  isRefused,
  LONGEST_SOCKADDR,
  mapped,
  readSockaddr,
  type SocketAddress,
  sockaddrLength,
  unixSockaddr,
} from "./sockaddr.ts";
