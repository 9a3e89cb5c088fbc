import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Keys, signatures and passwords beside openssl and gpg.

export const crypto: readonly CommandSpec[] = [
  {
    names: "age rage",
    summary: "encrypts files",
    style: "bsd",
    options: rows(
      "-e --encrypt; -d --decrypt; -r --recipient=text; -R --recipients-file=read; -p --passphrase -> terminal; -a --armor; -i --identity=read; -o --output=write; -h --help -> stop; --version -V -> stop",
      "# runs a program: -j",
    ),
    operands: "read?",
    examples: {
      allow: ["age -r age1x a.txt", "age --version"],
      ask: ["age -r age1x -o out a.txt", "age -j evil -d a.age", "age -p a.txt"],
      deny: ["age -r age1x .env", "age -d -i ~/.ssh/id_rsa a.age", "age -o ~/.bashrc -r x a.txt"],
    },
  },
  {
    names: "age-keygen rage-keygen",
    style: "bsd",
    options: "-o --output=write\n-y -> text becomes read\n--version -> stop\n-h --help -> stop",
    operands: "text?",
    effects: "environment",
    examples: { allow: ["age-keygen --version"], ask: ["age-keygen", "age-keygen -o key.txt"], deny: ["age-keygen -o ~/.ssh/id_rsa"] },
  },
  {
    names: "minisign signify",
    summary: "signs files",
    style: "gnu",
    options: rows("-V; -m=read; -p=read; -P=text; -x=read; -q; -Q; -H; -o; -v -> stop", "# make keys or signatures: -G -S -C -R -s"),
    operands: "read*",
    examples: { allow: ["minisign -V -m a.txt -P x"], ask: ["minisign -S -m a.txt", "minisign -G"], deny: ["minisign -V -m .env -P x"] },
  },
  {
    names: "gpgv gpgv2 sqv",
    summary: "checks signatures",
    style: "gnu",
    options: rows(
      "--keyring=read; -v --verbose; -q --quiet; --status-fd=number; --logger-fd=number; --ignore-time-conflict; --weak-digest=text; -o --output=write; --log-file=write; --homedir=list; -h --help -> stop; --version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["gpgv --keyring a.gpg a.sig a.txt"], ask: ["gpgv -o out a.gpg"], deny: ["gpgv a.sig .env"] },
  },
  {
    names:
      "gpgconf gpg-agent gpg-connect-agent gpgsm gpgtar gpg-zip dirmngr pinentry ssh-pkcs11-helper keychain gnome-keyring-daemon secret-agent ykman pivy-tool pcsc_scan cosign-key rekor-cli sops-keyservice vlt teller git-credential-store git-credential-cache git-credential-osxkeychain git-credential-manager docker-credential-desktop docker-credential-osxkeychain docker-credential-pass aws-okta saml2aws gimme-aws-creds granted assume leapp step-cli akeyless conjur",
    summary: "keys and credentials",
    style: "none",
    operands: "refuse*",
    effects: "environment",
    examples: {
      ask: ["git-credential-store get", "docker-credential-desktop list", "gpg-connect-agent", "saml2aws exec -- ls", "gpgconf --kill all"],
    },
  },
  {
    names: "htpasswd",
    summary: "password files of servers",
    // apr_getopt(): what looks like an option behind the file is a user.
    style: "posix",
    options: rows("-n -> drop file; -b; -B; -i; -m; -5; -2; -d; -s; -p; -C=number; -v -> edit becomes read; -c; -D"),
    operands: "file:edit text*",
    examples: {
      allow: ["htpasswd -nbB user x"],
      ask: ["htpasswd -bc users u p", "htpasswd -D users u"],
      deny: ["htpasswd -bc ~/.bashrc u p", "htpasswd ~/.bashrc -n", "htpasswd ~/.bashrc -v"],
    },
  },
  {
    names: "htdigest",
    summary: "password files of servers",
    style: "posix",
    options: "-c",
    operands: "edit text text",
    examples: { ask: ["htdigest users realm u"], deny: ["htdigest -c ~/.bashrc realm u"] },
  },
  {
    names: "mkpasswd pwgen apg xkcdpass makepasswd uuid",
    summary: "makes passwords",
    style: "gnu",
    options: rows(
      "-s --secure; -1; -c --capitalize; -n --numerals; -y --symbols; -B --ambiguous; -m --method=text; -S --salt=text; -R --rounds=number; -0; -A; -C; -v; -l; -N=number; -h --help -> stop; -V --version -> stop",
      "# reads a file: -H --sha1",
    ),
    operands: "text*",
    examples: { allow: ["pwgen 20 1", "pwgen -s 32", "mkpasswd -m sha-512 x"], deny: ["pwgen -H .env"] },
  },
  {
    names: "diceware",
    summary: "makes passwords of words",
    options: rows(
      "-n --num=number; -c --caps; --no-caps; -s --specials=number; -d --delimiter=text; -r --randomsource=text; --dice-sides=number",
      "-v --verbose; -h --help -> stop; -V --version -> stop",
    ),
    operands: "read?",
    examples: { allow: ["diceware", "diceware -n 4 -d-"], deny: ["diceware -c .env"] },
  },
  {
    names: "qrencode",
    summary: "text as a picture",
    style: "gnu",
    options: rows(
      "-o --output=write; -r --read-from=read; -s --size=number; -l --level=text; -m --margin=number; -d --dpi=number; -t --type=text; -S --structured; -k --kanji; -c --casesensitive; -i --ignorecase; -8 --8bit; -h --help -> stop; -V --version -> stop; --verbose",
    ),
    operands: "text?",
    examples: { allow: ["qrencode -t UTF8 x"], ask: ["qrencode -o a.png x"], deny: ["qrencode -t ANSI -r .env"] },
  },
  {
    names: "zbarimg",
    summary: "reads bar codes",
    style: "gnu",
    options: "-q --quiet\n--raw\n--xml\n-h --help -> stop\n--version -> stop",
    operands: "read+",
    analyse: "plain-file",
    examples: { allow: ["zbarimg --raw a.png"], ask: ["zbarimg https://evil.example/a.png"], deny: ["zbarimg .env"] },
  },
];
