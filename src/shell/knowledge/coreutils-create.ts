import { GNU_HELP, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Making files and folders, and changing what they are.

const OWNER = rows(
  "-c --changes; -f --silent --quiet; -v --verbose; --dereference; -h --no-dereference; --from=text",
  "--no-preserve-root -> danger delete-outside; --preserve-root; --reference=list -> drop owner",
  "-R --recursive -> metadata becomes metatree; -H; -L; -P; -n; -x; --help; --version",
);

export const coreutilsCreate: readonly CommandSpec[] = [
  {
    names: "mkdir",
    summary: "makes folders",
    options: rows("-m --mode=text; -p --parents; -v --verbose; -Z; --context[=text]", GNU_HELP),
    operands: "mkdir+",
    examples: { ask: ["mkdir lib", "mkdir -p lib/a/{b,c}", "mkdir -m 700 /tmp/x"], allow: ["mkdir --help"] },
  },
  {
    names: "touch",
    summary: "creates empty files or sets times",
    options: rows(
      "-a; -c --no-create -> write becomes metadata; -d --date=text; -f; -h --no-dereference; -m; -r --reference=list; -t=text; --time=text",
      "-A=text",
      GNU_HELP,
    ),
    operands: "write+",
    examples: {
      ask: ["touch a.txt new.txt", "touch -d yesterday a.txt", "touch -c a.txt", "touch -r a.txt b.txt"],
      deny: ["touch ~/.bashrc", "touch .git/hooks/pre-commit", "touch ~/.ssh/authorized_keys"],
    },
  },
  {
    names: "mktemp",
    summary: "makes a fresh temporary file or folder",
    options: rows(
      "-d --directory -> write becomes mkdir; -u --dry-run -> write becomes text; -q --quiet; --suffix=text; -p=writetree",
      "--tmpdir[=writetree]; -t -> write becomes text",
      GNU_HELP,
    ),
    operands: "template:write?",
    upkeep: ["write /tmp/**", "mkdir /tmp/**"],
    examples: {
      allow: ["mktemp", "mktemp -d", "mktemp -u", "mktemp -t build.XXXXXX"],
      ask: ["mktemp ./a.XXXXXX", "mktemp -p src"],
      deny: ["mktemp -d /var/lib/x.XXXX"],
    },
  },
  {
    names: "mkfifo",
    summary: "makes named pipes",
    options: rows("-m --mode=text; -Z; --context[=text]", GNU_HELP),
    operands: "write+",
    examples: { ask: ["mkfifo pipe", "mkfifo -m 600 /tmp/p"], deny: ["mkfifo ~/.bashrc"] },
  },
  {
    names: "mknod",
    summary: "makes pipes (device nodes are not understood)",
    options: rows("-m --mode=text; -Z; --context[=text]; --help; --version"),
    operands: "write word",
    examples: { ask: ["mknod pipe p", "mknod disk b 8 0"], deny: ["mknod ~/.bashrc p"] },
  },
  {
    names: "truncate",
    summary: "shortens or extends files",
    options: rows("-c --no-create; -o --io-blocks; -r --reference=list; -s --size=text; --help; --version"),
    operands: "write+",
    examples: {
      ask: ["truncate -s 0 a.txt", "truncate --size=+1K a.txt"],
      deny: ["truncate -s 0 .env", "truncate -s 0 /dev/sda", "truncate -s 0 ~/.bashrc"],
    },
  },
  {
    names: "dd",
    summary: "copies blocks",
    // `if=FILE` reads, `of=FILE` writes, `iflag= oflag= conv= bs= count= …` are inert, anything else is unknown.
    style: "none",
    operands: "text*",
    analyse: "dd",
    examples: {
      allow: ["dd if=/dev/zero of=/dev/null bs=1M count=1", "dd if=a.txt bs=1 count=4", "dd if=/dev/urandom bs=16 count=1 status=none"],
      ask: ["dd if=a.txt of=c.txt", "dd if=/dev/zero of=disk.img bs=1M count=10", "dd nonsense=1", 'dd "$X"'],
      deny: ["dd if=/dev/zero of=/dev/sda", "dd if=.env", "dd if=x of=$HOME/.bashrc", "dd of=.git/hooks/pre-commit"],
    },
  },
  {
    names: "chmod",
    summary: "changes file modes",
    // A mode may look like options: `chmod -x f`, `chmod -rw f`.
    options: rows(
      "-c --changes; -f --silent --quiet; -v --verbose; --no-preserve-root -> danger delete-outside; --preserve-root",
      "--reference=list -> drop mode; -R --recursive -> metadata becomes metatree; --dereference; -h --no-dereference; -H; -L; -P",
      "-r[=text] -> drop mode; -w[=text] -> drop mode; -x[=text] -> drop mode; -X[=text] -> drop mode; -s[=text] -> drop mode",
      "-t[=text] -> drop mode; -u[=text] -> drop mode; -g[=text] -> drop mode; -o[=text] -> drop mode; --help; --version",
    ),
    operands: "mode:word metadata+",
    examples: {
      ask: [
        "chmod +x build.sh",
        "chmod 644 a.txt",
        "chmod -x a.txt",
        "chmod -R u+w src",
        "chmod --reference=a.txt b.txt",
        "chmod u+s a.txt",
      ],
      deny: [
        "chmod -R 777 /",
        "chmod -R 777 ~",
        "chmod -R 000 .",
        "chmod 777 ~/.ssh/id_rsa",
        "chmod +x .git/hooks/pre-commit",
        "chmod -R -x /usr",
        "chmod --no-preserve-root 777 /",
      ],
    },
  },
  {
    names: "chown chgrp",
    summary: "changes owner or group",
    options: OWNER,
    operands: "owner:text metadata+",
    examples: {
      ask: ["chown me a.txt", "chown -R me:me src", "chgrp staff a.txt", "chown x *", "chown --reference=a.txt b.txt"],
      deny: ["chown -R me /", "chown -R me ~", "chgrp -R staff /etc", "chown me ~/.ssh/id_rsa", "chown --no-preserve-root -R me /"],
    },
  },
  {
    names: "chcon",
    summary: "changes the security context",
    options: rows(
      "--dereference; -h --no-dereference; -u --user=text -> drop context; -r --role=text -> drop context",
      "-t --type=text -> drop context; -l --range=text -> drop context; --no-preserve-root -> danger delete-outside; --preserve-root",
      "--reference=list -> drop context; -R --recursive -> metadata becomes metatree; -v --verbose; -H; -L; -P; --help; --version",
    ),
    operands: "context:text metadata+",
    examples: {
      ask: ["chcon -t httpd_sys_content_t a.txt", "chcon -R system_u:object_r:tmp_t:s0 src"],
      deny: ["chcon -R -t tmp_t /", "chcon --no-preserve-root -R -t tmp_t /"],
    },
  },
  {
    names: "sync",
    summary: "flushes file data to disk",
    options: rows("-d --data; -f --file-system", GNU_HELP),
    operands: "list*",
    examples: { allow: ["sync", "sync -d a.txt"] },
  },
];
