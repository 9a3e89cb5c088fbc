import { describe, expect, test } from "vitest";
import { verdictFor, verdictUnderBroadAllow } from "./decide.ts";

// Danger classes hold against a rule that allows everything; a person who means them names them.

const HELD = [
  // Open to everybody, or run with the owner's rights.
  "chmod 777 a.txt",
  "chmod 0666 a.txt",
  "chmod -R 777 src",
  "chmod a+w a.txt",
  "chmod o+w a.txt",
  "chmod go=rw a.txt",
  "chmod ugo+rwx a.txt",
  "chmod o=u a.txt",
  "chmod u+s a.txt",
  "chmod +s a.txt",
  "chmod 4755 a.txt",
  "chmod u=rwx,o+w a.txt",
  "chmod =777 a.txt",
  'chmod "$MODE" a.txt',
  "mkdir -m 777 x",
  "mkdir --mode=a+rwx x",
  "mkfifo -m 666 x",
  "install -m 777 a.txt x",
  "umask 000",
  "umask 0",
  "umask a=rwx",
  "find src -exec chmod 777 {} +",
  "chmod 777 $(ls)",
  // Whose it is.
  "chown root a.txt",
  "chown -R me:me src",
  "chgrp staff a.txt",
  "chown --reference=a.txt b.txt",
  "setfacl -m o::rwx a.txt",
  "chattr +i a.txt",
  "chcon -t tmp_t a.txt",
  // Processes by name.
  "killall node",
  "killall -9 node",
  "pkill -9 x",
  "pkill -f server",
  "kill -9 -1",
  "kill -1 -1",
  // Waiting for others.
  "nc -l 8080",
  "nc -lvp 8080",
  "ncat -l 80",
  "netcat -l -p 1234",
  "socat TCP-LISTEN:1 STDOUT",
  "socat - TCP:evil.example:80",
  "telnet example.com",
  "nc evil.example 80",
  "python3 -m http.server",
  "python -m SimpleHTTPServer 80",
  "php -S 0.0.0.0:80",
  "http-server -p 8080",
  "openssl s_server -accept 4433",
  // Without end.
  "echo {1..1000000000}",
  "echo {1..99999999999999999999}",
  "touch x{1..99999999}",
  "yes > a.txt",
  "yes hello >> b.txt",
  "seq 1000000000000 > a.txt",
  "seq inf > a.txt",
  "cat /dev/zero > x",
  "cat /dev/urandom >> x",
  "head -c 100G /dev/zero > x",
  "fallocate -l 1T x",
  "truncate -s 10T x",
  "dd if=/dev/zero of=x",
  "dd if=/dev/urandom of=x bs=1G count=500",
  // Through a pipe, too.
  "yes | tee a.txt",
  "yes | tee -a a.txt > /dev/null",
  "yes | cat > a.txt",
  "yes | sed s/y/n/ > a.txt",
  "yes no | tr a-z A-Z | gzip > a.gz",
  "cat /dev/zero | tee x | wc -c",
  "cat /dev/urandom | base64 > x",
  "seq inf | grep 7 > a.txt",
  "yes | dd of=x",
  "yes | split - x",
  "(yes) > a.txt",
  "{ echo x; yes; } > a.txt",
  "{ yes | cat; } | tee a.txt",
  "env yes > a.txt",
  "nice yes | tee a.txt",
  "while :; do yes; done | tee a.txt",
  "cat < /dev/zero > x",
  // Kept until the end.
  "yes | sort",
  "sort /dev/zero",
  "sort < /dev/zero",
  "seq inf | sort | head -1",
  "tac /dev/zero",
  "yes | tac",
  "cat /dev/zero | sponge",
  "yes | shuf | head -1",
  "tail -n 5 /dev/zero",
  ":(){ :|:& };:",
  "sh -c 'cp /dev/zero x'",
  "timeout 5 cp /dev/zero x",
  "bash -c 'dd if=/dev/zero of=x bs=1M count=9999999'",
  "env tar cf x.tar /dev/zero",
  "bash -c 'cat /dev/zero' > x",
] as const;

const HARMLESS = [
  "chmod +x build.sh",
  "chmod 755 build.sh",
  "chmod 644 a.txt",
  "chmod 600 a.txt",
  "chmod -R u+w src",
  "chmod -R go-w src",
  "chmod a+x build.sh",
  "chmod a+r a.txt",
  "chmod o-w a.txt",
  "chmod u=rwx,go=rx a.txt",
  "chmod -x a.txt",
  "chmod g+w a.txt",
  "mkdir -p build",
  "mkdir -m 700 x",
  "install -m 755 a.txt x",
  "umask 022",
  "umask 077",
  "umask",
  "kill 1234",
  "kill -9 1234",
  "nc -zv localhost 8080",
  "echo {1..20}",
  "seq 100 > a.txt",
  "yes | head -3",
  "yes > /dev/null",
  "yes | head -3 | tee a.txt",
  "yes | tee /dev/null | head -1",
  "yes | sed 3q > a.txt",
  "yes | grep -m1 y > a.txt",
  "yes | dd of=x count=1",
  "head -c 16 /dev/urandom | base64 > x",
  "head -c 100 /dev/zero | tr '\\0' x > a.txt",
  "yes | cp -i a.txt c.txt",
  "yes | head -3 | sort",
  "sort -R --random-source=/dev/urandom a.txt",
  "seq 10 | shuf -n 1",
  "head -c 100 /dev/urandom | base64 | sort",
  "tail -n 5 a.txt",
  "yes | cat > /dev/null",
  "seq 10 | tee a.txt",
  "head -c 16 /dev/urandom > x",
  "head -c 1M /dev/zero > x",
  "dd if=/dev/zero of=x bs=1M count=10",
  "dd if=/dev/zero of=/dev/null count=100",
  // What a shell starts is bounded by itself.
  "sh -c 'dd if=/dev/zero of=x bs=1k count=3'",
  "bash -c 'dd if=/dev/zero of=x bs=1k count=3 2>/dev/null; stat -c %s x'",
  "sh -c 'head -c 1M /dev/zero > x'",
  "timeout 5 dd if=/dev/zero of=x bs=1k count=3",
  "bash -c 'head -c 16 /dev/urandom | base64 > x; cp a.txt b.txt'",
  "fallocate -l 10M x",
  "truncate -s 0 a.txt",
] as const;

describe("danger classes under a rule that allows everything", () => {
  test.each(HELD)("%s: held", (command) => {
    expect(verdictUnderBroadAllow(command).decision).not.toBe("allow");
  });

  test.each(HARMLESS)("%s: allowed", (command) => {
    const verdict = verdictUnderBroadAllow(command);
    // What a rule for commands does not speak of (`nc` dials, `kill` signals) may still be a default's question.
    expect([...verdict.actions, ...verdict.unknowns].filter(({ verdict: one }) => one.basis === "protection")).toEqual([]);
  });
});

describe("a certificate is public, a key is not", () => {
  test.each([
    "openssl x509 -in cert.pem -noout -text",
    "openssl x509 -in certs/server.crt -noout -subject -issuer -dates",
    "openssl x509 -noout -fingerprint -sha256 -in fullchain.pem",
    "openssl x509 -in ca.pem -pubkey -noout",
    "openssl crl -in crl.pem -noout -text",
    "openssl verify cert.pem",
    "openssl verify -CAfile ca.pem -untrusted chain.pem cert.pem",
    "openssl pkcs7 -in bundle.pem -print_certs",
    "keytool -printcert -file cert.pem",
  ])("%s: allowed", (command) => {
    expect(verdictFor(command).decision).toBe("allow");
  });

  test.each([
    "openssl x509 -in privkey.pem -noout -text",
    "openssl x509 -in server-key.pem",
    "openssl x509 -in ~/.ssh/id_rsa",
    "openssl x509 -in .env",
    "openssl x509 -in secrets/cert.pem",
    "openssl rsa -in server.pem -text",
    "openssl pkey -in cert.pem",
    "openssl asn1parse -in cert.pem",
    "openssl pkcs12 -in a.p12",
    "cat privkey.pem",
    "base64 server.key",
  ])("%s: not allowed", (command) => {
    expect(verdictFor(command).decision).not.toBe("allow");
  });
});
