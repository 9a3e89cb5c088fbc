import { each, has, is, masked, no, type Clause, type Rule, type Rules, type Test } from "./ruling.ts";

const AF = { UNIX: 1, INET: 2, INET6: 10, NETLINK: 16 } as const;
const SOCK = { STREAM: 1, DGRAM: 2, RAW: 3, SEQPACKET: 5 } as const;
/** The type without SOCK_NONBLOCK and SOCK_CLOEXEC. */
const SOCK_TYPE_MASK = 0xf;
const IPPROTO = { IP: 0, TCP: 6, UDP: 17 } as const;
const NETLINK_ROUTE = 0;
const MSG_FASTOPEN = 0x20000000;
const SOL = { IP: 0, SOCKET: 1, IPV6: 41 } as const;
const SO_PEERCRED = 17;

const inet = is(0, AF.INET, AF.INET6);
const unix = is(0, AF.UNIX);
const netlink = is(0, AF.NETLINK);
const type = (...types: readonly number[]): Test => masked(1, SOCK_TYPE_MASK, ...types);

/** A stream socket reaches nobody but through connect, which is asked about; other kinds are asked about or refused. */
const socket = (udp: boolean): Rule => ({
  clauses: [
    { when: [unix, type(SOCK.STREAM, SOCK.SEQPACKET)], then: "allow" },
    // Datagrams name their receiver in memory. SOCK_RAW becomes SOCK_DGRAM here (unix_create).
    { when: [unix], then: no("EACCES") },
    { when: [inet, type(SOCK.STREAM), is(2, IPPROTO.IP, IPPROTO.TCP)], then: "allow" },
    { when: [inet, type(SOCK.STREAM)], then: no("EPROTONOSUPPORT") }, // MPTCP, SCTP, SMC
    { when: [inet, type(SOCK.DGRAM), is(2, IPPROTO.IP, IPPROTO.UDP)], then: udp ? "allow" : "trap" },
    { when: [inet, type(SOCK.DGRAM)], then: no("EACCES") }, // ICMP "ping" sockets
    { when: [inet, type(SOCK.RAW)], then: no("EPERM") },
    { when: [inet], then: no("ESOCKTNOSUPPORT") },
    { when: [netlink, is(2, NETLINK_ROUTE)], then: "allow" }, // getifaddrs(3)
    { when: [netlink], then: no("EPROTONOSUPPORT") },
  ],
  otherwise: no("EAFNOSUPPORT"),
});

const socketpair: Rule = {
  clauses: [
    { when: [{ arg: 0, not: [AF.UNIX] }], then: no("EOPNOTSUPP") },
    { when: [type(SOCK.STREAM, SOCK.SEQPACKET)], then: "allow" },
  ],
  otherwise: no("EACCES"),
};

/** TCP Fast Open connects without connect(2); EOPNOTSUPP is what a kernel says that has it turned off (tcp(7)). */
const noFastOpen = (flags: number): Clause => ({ when: [has(flags, MSG_FASTOPEN)], then: no("EOPNOTSUPP") });

/**
 * A source route sends packets to its first stop, wherever the connection that was judged leads. IP_OPTIONS; IPV6_2292RTHDR,
 * IPV6_2292PKTOPTIONS, IPV6_RTHDR, which need no privilege (ip(7), RFC 3542).
 */
const SOURCE_ROUTES: readonly Clause[] = [
  { when: [is(1, SOL.IP), is(2, 4)], then: no("EPERM") },
  { when: [is(1, SOL.IPV6), is(2, 5, 6, 57)], then: no("EPERM") },
];

export function socketRules(udp: boolean): Rules {
  return [
    ["socket", socket(udp)],
    ["socketpair", socketpair],
    ...each(["connect", "bind", "listen"], "trap"),
    // The door binds and connects for the program: what that shows of the door is put right.
    ...each(["getsockname", "getpeername"], "trap"),
    ["getsockopt", { clauses: [{ when: [is(1, SOL.SOCKET), is(2, SO_PEERCRED)], then: "trap" }], otherwise: "allow" }],
    // A send without a receiver's address goes where connect was allowed to.
    ["sendto", { clauses: [noFastOpen(3), { when: [{ arg: 4, pointer: true }], then: "trap" }], otherwise: "allow" }],
    ["sendmsg", { clauses: [noFastOpen(2)], otherwise: "trap" }],
    ["sendmmsg", { clauses: [noFastOpen(3)], otherwise: "trap" }],
    // Who wants to know the sender of an answer may have asked the name relay in the place of a name server.
    ["recvfrom", { clauses: [{ when: [{ arg: 4, pointer: true }], then: "trap" }], otherwise: "allow" }],
    ["recvmsg", "trap"],
    ["setsockopt", { clauses: SOURCE_ROUTES, otherwise: "allow" }],
  ];
}
