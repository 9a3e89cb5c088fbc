import { GNU_HELP, NO_OTHERS, rows } from "./rows.ts";
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
    reads: NO_OTHERS,
    summary: "makes folders",
    options: rows("-m --mode=text; -p --parents; -v --verbose; -Z; --context[=text]", GNU_HELP),
    operands: "mkdir+",
    analyse: "modes",
    examples: { ask: ["mkdir lib", "mkdir -p lib/a/{b,c}", "mkdir -m 700 /tmp/x", "mkdir -m 777 x"], allow: ["mkdir --help"] },
  },
  {
    names: "touch",
    reads: NO_OTHERS,
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
    reads: NO_OTHERS,
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
    reads: NO_OTHERS,
    summary: "makes named pipes",
    options: rows("-m --mode=text; -Z; --context[=text]", GNU_HELP),
    operands: "write+",
    analyse: "modes",
    examples: { ask: ["mkfifo pipe", "mkfifo -m 600 /tmp/p"], deny: ["mkfifo ~/.bashrc"] },
  },
  {
    names: "mknod",
    reads: NO_OTHERS,
    summary: "makes pipes (device nodes are not understood)",
    options: rows("-m --mode=text; -Z; --context[=text]; --help; --version"),
    operands: "write word",
    analyse: "modes",
    examples: { ask: ["mknod pipe p", "mknod disk b 8 0"], deny: ["mknod ~/.bashrc p"] },
  },
  {
    names: "truncate",
    reads: NO_OTHERS,
    summary: "shortens or extends files",
    options: rows("-c --no-create; -o --io-blocks; -r --reference=list; -s --size=text; --help; --version"),
    operands: "write+",
    analyse: "sizes",
    examples: {
      ask: ["truncate -s 1T x", "truncate -s 0 a.txt", "truncate --size=+1K a.txt"],
      deny: ["truncate -s 0 .env", "truncate -s 0 /dev/sda", "truncate -s 0 ~/.bashrc"],
    },
  },
  {
    names: "fallocate",
    summary: "reserves disk space for a file",
    options: rows(
      "-l --length=text; -o --offset=text; -n --keep-size; -x --posix; -v --verbose; -c --collapse-range; -d --dig-holes; -i --insert-range; -p --punch-hole; -z --zero-range; -h --help -> stop; -V --version -> stop",
    ),
    operands: "write",
    analyse: "sizes",
    examples: { allow: ["fallocate --version"], ask: ["fallocate -l 1T x", "fallocate -l 1M x"], deny: ["fallocate -l 1G ~/.bashrc"] },
  },
  {
    names: "dd",
    reads: NO_OTHERS,
    summary: "copies blocks",
    // `if=FILE` reads, `of=FILE` writes, `iflag= oflag= conv= bs= count= …` are inert, anything else is unknown.
    style: "none",
    operands: "text*",
    analyse: "dd",
    examples: {
      allow: ["dd if=/dev/zero of=/dev/null bs=1M count=1", "dd if=a.txt bs=1 count=4", "dd if=/dev/urandom bs=16 count=1 status=none"],
      ask: [
        "dd if=a.txt of=c.txt",
        "dd if=/dev/zero of=disk.img bs=1M count=10",
        "dd if=/dev/zero of=x",
        "dd if=/dev/urandom of=x bs=1G count=100",
        "dd nonsense=1",
        'dd "$X"',
      ],
      deny: ["dd if=/dev/zero of=/dev/sda", "dd if=.env", "dd if=x of=$HOME/.bashrc", "dd of=.git/hooks/pre-commit"],
    },
  },
  {
    names: "chmod",
    reads: NO_OTHERS,
    summary: "changes file modes",
    // A mode may look like options: `chmod -x f`, `chmod -rw f`.
    options: rows(
      "-c --changes; -f --silent --quiet; -v --verbose; --no-preserve-root -> danger delete-outside; --preserve-root",
      "--reference=list -> drop mode; -R --recursive -> metadata becomes metatree; --dereference; -h --no-dereference; -H; -L; -P",
      "-r[=text] -> drop mode; -w[=text] -> drop mode; -x[=text] -> drop mode; -X[=text] -> drop mode; -s[=text] -> drop mode",
      "-t[=text] -> drop mode; -u[=text] -> drop mode; -g[=text] -> drop mode; -o[=text] -> drop mode; --help; --version",
    ),
    operands: "mode:word metadata+",
    analyse: "modes",
    examples: {
      ask: [
        "chmod +x build.sh",
        "chmod 644 a.txt",
        "chmod -x a.txt",
        "chmod -R u+w src",
        "chmod --reference=a.txt b.txt",
        "chmod u+s a.txt",
        "chmod 777 a.txt",
        "chmod a+w a.txt",
        "chmod -R o+w src",
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
    reads: NO_OTHERS,
    summary: "changes owner or group",
    options: OWNER,
    operands: "owner:text metadata+",
    effects: "danger ownership",
    examples: {
      ask: ["chown me a.txt", "chown -R me:me src", "chgrp staff a.txt", "chown x *", "chown --reference=a.txt b.txt"],
      deny: ["chown -R me /", "chown -R me ~", "chgrp -R staff /etc", "chown me ~/.ssh/id_rsa", "chown --no-preserve-root -R me /"],
    },
  },
  {
    names: "setfacl",
    summary: "changes access lists",
    options: rows(
      "-m --modify=text; -M --modify-file=read; -x --remove=text; -X --remove-file=read; --set=text; --set-file=read; -b --remove-all; -k --remove-default; -n --no-mask; --mask; -d --default; --test",
      "-R --recursive -> metadata becomes metatree; -L --logical; -P --physical; -v --version -> stop; -h --help -> stop",
    ),
    operands: "metadata+",
    effects: "danger ownership",
    examples: { allow: ["setfacl --version"], ask: ["setfacl -m o::rwx a.txt", "setfacl -R -m u:x:rwX src"], deny: ["setfacl -R -b ~"] },
  },
  {
    names: "chattr",
    summary: "changes attributes of the file system",
    style: "none",
    operands: "mode:word metadata+",
    effects: "danger ownership",
    examples: { ask: ["chattr +i a.txt", "chattr -R +i src"], deny: ["chattr +i ~/.bashrc"] },
  },
  {
    names: "chcon",
    reads: NO_OTHERS,
    summary: "changes the security context",
    options: rows(
      "--dereference; -h --no-dereference; -u --user=text -> drop context; -r --role=text -> drop context",
      "-t --type=text -> drop context; -l --range=text -> drop context; --no-preserve-root -> danger delete-outside; --preserve-root",
      "--reference=list -> drop context; -R --recursive -> metadata becomes metatree; -v --verbose; -H; -L; -P; --help; --version",
    ),
    operands: "context:text metadata+",
    effects: "danger ownership",
    examples: {
      ask: ["chcon -t httpd_sys_content_t a.txt", "chcon -R system_u:object_r:tmp_t:s0 src"],
      deny: ["chcon -R -t tmp_t /", "chcon --no-preserve-root -R -t tmp_t /"],
    },
  },
  {
    names: "sync",
    reads: NO_OTHERS,
    summary: "flushes file data to disk",
    options: rows("-d --data; -f --file-system", GNU_HELP),
    operands: "list*",
    examples: { allow: ["sync", "sync -d a.txt"] },
  },
];
