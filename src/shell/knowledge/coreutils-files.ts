import { GNU_HELP, NO_OTHERS, rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Options of GNU coreutils 9.1 (`node scripts/check-options.mjs`), newer ones up to 9.7 added by hand. BSD spellings are added
// where GNU has none. Left out on purpose: `--parents` of cp (the target is not named after the source) and `-S` of
// cp, mv, ln and install (an attacker's suffix turns `.bash` into `.bashrc`).

const LS = rows(
  "-a --all; -A --almost-all; --author; -b --escape; --block-size=text; -B --ignore-backups; -c; -C; --color[=text]",
  "-d --directory; -D --dired; -f; -F --classify[=text]; --file-type; --format=text; --full-time; -g",
  "--group-directories-first; -G --no-group; -h --human-readable; --si; -H --dereference-command-line",
  "--dereference-command-line-symlink-to-dir; --hide=text; --hyperlink[=text]; --indicator-style=text; -i --inode",
  "-I --ignore=text; -k --kibibytes; -l; -L --dereference; -m; -n --numeric-uid-gid; -N --literal; -o; -p",
  "-q --hide-control-chars; --show-control-chars; -Q --quote-name; --quoting-style=text; -r --reverse",
  "-R --recursive -> list becomes listtree; -s --size; -S; --sort=text; --time=text; --time-style=text; -t",
  "-T --tabsize=text; -u; -U; -v; -w --width=text; -x; -X; -Z --context; --zero; -1",
  "# BSD; -@; -e; -O; -%",
  GNU_HELP,
);

const BACKUP = "--backup[=text]; -b";

export const coreutilsFiles: readonly CommandSpec[] = [
  {
    names: "ls dir vdir",
    reads: NO_OTHERS,
    closed: true,
    summary: "lists folders",
    options: LS,
    operands: "list*=.",
    output: "paths",
    examples: {
      allow: ["ls", "ls -la src", "ls -lR --color=auto src a.txt", "ls --all --sort=size", "ls --help", "dir -1", "ls src/*.ts"],
      ask: ["ls --nonsense"],
      deny: ["ls; rm -rf ~"],
    },
  },
  {
    names: "cp",
    reads: NO_OTHERS,
    summary: "copies files",
    options: rows(
      "-a --archive -> read becomes tree; --attributes-only; -b; --backup[=text]; --copy-contents; -d; --debug; -f --force",
      "-i --interactive; -H; --keep-directory-symlink; -l --link -> read becomes link; -L --dereference; -n --no-clobber",
      "-P --no-dereference; -p; --preserve[=text]; --no-preserve=text; -R -r --recursive -> read becomes tree; --reflink[=text]",
      "--remove-destination; --sparse=text; --strip-trailing-slashes; -s --symbolic-link -> read becomes link",
      "-t --target-directory=dest -> drop target; -T --no-target-directory -> dest becomes writetree; -u --update[=text]",
      "-v --verbose; -x --one-file-system; -Z; --context[=text]; -c; -X; --help; --version",
    ),
    operands: "read+ target:dest",
    examples: {
      ask: ["cp a.txt c.txt", "cp a.txt b.txt src", "cp -r src lib", "cp -t src a.txt", "cp --parents a.txt src", "cp a.txt /tmp/x"],
      deny: [
        "cp .env env.txt",
        "cp a.txt ~/.bashrc",
        "cp evil .git/hooks/pre-commit",
        "cp ~/.ssh/id_rsa key",
        "cp -t ~/.ssh authorized_keys",
        "cp a.txt /dev/sda",
        "cp a.txt /etc/hosts.new",
        "cp authorized_keys ~/.ssh",
      ],
    },
  },
  {
    names: "mv",
    reads: NO_OTHERS,
    summary: "renames files",
    options: rows(
      BACKUP,
      "--debug; -f --force; -i --interactive; -n --no-clobber; --no-copy; --strip-trailing-slashes",
      "-t --target-directory=dest -> drop target; -T --no-target-directory -> dest becomes write; -u --update[=text]",
      "-v --verbose; -Z --context; -h; --help; --version",
    ),
    operands: "rename+ target:dest",
    examples: {
      ask: ["mv a.txt c.txt", "mv a.txt b.txt src/", "mv -t src a.txt", "mv src lib", "mv -n a.txt /tmp/x"],
      deny: ["mv a.txt ~/.bashrc", "mv .env x", "mv evil .git/hooks/pre-commit", "mv authorized_keys ~/.ssh/", "mv -T x ~/.zshrc"],
    },
  },
  {
    names: "ln",
    reads: NO_OTHERS,
    summary: "makes links",
    options: rows(
      BACKUP,
      "-d -F --directory; -f --force; -i --interactive; -L --logical; -n --no-dereference; -P --physical; -r --relative",
      "-s --symbolic -> link becomes read; -t --target-directory=dest -> drop target; -T --no-target-directory -> dest becomes write; -v --verbose; -h",
      GNU_HELP,
    ),
    operands: "link+ target:dest?=.",
    analyse: "symbolic-links",
    examples: {
      ask: ["ln -s a.txt c.txt", "ln -sf ../a.txt src/", "ln a.txt c.txt", "ln -s /usr/share/dict/words", "ln -s src lib"],
      deny: ["ln /usr/bin/env e", "ln -sf evil ~/.bashrc", "ln -s evil .git/hooks/pre-commit", "ln .env visible.txt"],
    },
  },
  {
    names: "link",
    reads: NO_OTHERS,
    summary: "makes one hard link",
    options: GNU_HELP,
    operands: "link write",
    examples: { ask: ["link a.txt c.txt"], deny: ["link evil ~/.bashrc", "link .env c.txt"] },
  },
  {
    names: "install",
    reads: NO_OTHERS,
    summary: "copies files with a mode and owner",
    options: rows(
      BACKUP,
      "-c; -C --compare; --debug; -d --directory -> read becomes mkdir, drop target; -D; -g --group=text; -m --mode=text; -o --owner=text",
      "-p --preserve-timestamps; -s --strip; --strip-program=refuse; -t --target-directory=dest -> drop target",
      "-T --no-target-directory -> dest becomes write; -v --verbose; --preserve-context; -Z; --context[=text]; --help; --version",
    ),
    operands: "read+ target:dest",
    analyse: "modes",
    examples: {
      ask: [
        "install -m 777 a.txt src/a",
        "install -m 755 a.txt src/a",
        "install -d build/out",
        "install -D a.txt x/y/z",
        "install -s --strip-program=./evil a b",
      ],
      deny: ["install -m 755 evil .git/hooks/pre-commit", "install .env copy", "install a.txt ~/.profile"],
    },
  },
  {
    names: "rm",
    reads: NO_OTHERS,
    summary: "deletes",
    options: rows(
      "-f --force; -i; -I; --interactive[=text]; --one-file-system; --no-preserve-root -> danger delete-outside",
      "--preserve-root[=text]; -r -R --recursive -> delete becomes deletetree; -d --dir; -v --verbose; -P; -W; -x; --help; --version",
    ),
    operands: "delete+",
    examples: {
      ask: [
        "rm a.txt",
        "rm -f a.txt b.txt",
        "rm -rf src",
        "rm -rf node_modules",
        "rm *",
        'rm -rf "$DIR"',
        "rm -rf /tmp/scratch",
        "rm -rf .git",
        "rm --nonsense a.txt",
      ],
      deny: [
        "rm -rf ~",
        "rm -r -f ~",
        "rm --recursive --force ~",
        "rm --rec ~",
        "rm -rf /",
        "rm -rf .",
        "rm -rf ..",
        'rm -rf "$HOME"',
        "rm -rf ~/work",
        "rm -rf /usr /etc",
        "rm -rf ./build/../../../../home",
        "rm -rf ~ --help",
        "rm -rf /*",
        "rm -rf -- ~",
        "rm .env",
        "rm -rf --no-preserve-root /",
      ],
    },
  },
  {
    names: "rmdir",
    reads: NO_OTHERS,
    summary: "deletes empty folders",
    options: rows("--ignore-fail-on-non-empty; -p --parents; -v --verbose", GNU_HELP),
    operands: "delete+",
    examples: { ask: ["rmdir src/empty", "rmdir -p a/b/c"] },
  },
  {
    names: "unlink",
    reads: NO_OTHERS,
    summary: "deletes one file",
    options: GNU_HELP,
    operands: "delete",
    examples: { ask: ["unlink a.txt"], deny: ["unlink .env", "unlink ~/.bashrc"] },
  },
  {
    names: "shred",
    reads: NO_OTHERS,
    summary: "overwrites a file so that it cannot be recovered",
    options: rows(
      "-f --force; -n --iterations=text; --random-source=read; -s --size=text; -u -> write becomes delete",
      "--remove[=text] -> write becomes delete; -v --verbose; -x --exact; -z --zero; --help; --version",
    ),
    operands: "write+",
    examples: {
      ask: ["shred a.txt", "shred -u a.txt"],
      deny: ["shred /dev/sda", "shred .env", "shred -u ~/.ssh/id_rsa", "shred -n 1 -z /dev/nvme0n1"],
    },
  },
];
