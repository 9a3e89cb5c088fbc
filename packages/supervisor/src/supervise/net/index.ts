export { type Address, addressOfBytes, parseAddress, type Reach } from "@assent/core/policy";
export { DnsRelay, type RelayAddress, type RelayOptions } from "./dns-relay.ts";
export { type SocketDestination, judgeConnect, judgeListen, type NetDeps, type NetVerdict } from "./judge-address.ts";
export { isResolverSocket, judgeUnixBind, judgeUnixConnect, powerOf, type SocketDeps } from "./judge-socket.ts";
export { type FoundNames, type NameOf, Names } from "./names.ts";
export { isHeard, isHeardOutside, isOpenUnix, type OpenSocket, overlaps, receives, socketsOn, unixPeer } from "./sock-diag.ts";
export {
  internetSockaddr,
  isRefused,
  LONGEST_SOCKADDR,
  mapToIpv6,
  readSockaddr,
  bindRefusingPort,
  sockaddrLength,
  type InternetAddress,
  type SocketAddress,
  type UnixAddress,
  unixSockaddr,
} from "./sockaddr.ts";
export { hostsOf, type NameServer, nameServersOf, WatchedFile } from "./resolv.ts";
