import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Programs that replace a file by its compressed form: the operand is deleted and a new file appears beside it. The
// analyser `compress` adds that new file: the name with the suffix on, or off when decompressing.
const REPLACES = rows(
  "-c --stdout --to-stdout -> delete becomes read, deletetree becomes tree; -k --keep -> delete becomes read, deletetree becomes tree; -d --decompress --uncompress",
  "-f --force; -q --quiet; -v --verbose; -t --test -> delete becomes read, deletetree becomes tree; -h --help -> stop; -V --version -> stop; -L --license -> stop; -1..-9",
  "--fast; --best; -z --compress",
);

export const archives: readonly CommandSpec[] = [
  {
    names: "tar gtar bsdtar",
    summary: "packs and unpacks archives",
    // The analyser does the whole of it: the bundled first word (`tar xzf a.tgz`) and its values; the mode (-t lists, -d
    // compares, -x writes unknown names below -C or the working directory, -c -r -u read trees and write -f, -A, --delete
    // change -f); `-C DIR` for the operands after it; `-f HOST:FILE` (a remote); -P (names anywhere); -T (names in a file).
    options: rows(
      "-A --catenate --concatenate; -c --create; --delete; -d --diff --compare; -r --append; --test-label; -t --list; -u --update; -x --extract --get; --check-device",
      "-g --listed-incremental=edit; -G --incremental; --hole-detection=text; --ignore-failed-read; --level=text; --no-check-device; --no-seek; -n --seek; --occurrence[=text]",
      "--sparse-version=text; -S --sparse; --add-file=text; -C --cd --directory=text; --exclude=text; --exclude-backups; --exclude-caches; --exclude-caches-all",
      "--exclude-caches-under; --exclude-ignore=read; --exclude-ignore-recursive=read; --exclude-tag=text; --exclude-tag-all=text; --exclude-tag-under=text; --exclude-vcs",
      "--exclude-vcs-ignores; --no-null; --no-recursion; --no-unquote; --no-verbatim-files-from; --null; --recursion; -T --files-from=refuse; --unquote; --verbatim-files-from",
      "-X --exclude-from=read; --anchored; --ignore-case; --no-anchored; --no-ignore-case; --no-wildcards; --no-wildcards-match-slash; --wildcards; --wildcards-match-slash",
      "--keep-directory-symlink; --keep-newer-files; -k --keep-old-files; --no-overwrite-dir; --one-top-level[=text]; --overwrite; --overwrite-dir",
      "--recursive-unlink -> danger delete-recursive; --remove-files -> danger delete-recursive; --skip-old-files; -U --unlink-first; -W --verify; --ignore-command-error",
      "--no-ignore-command-error; -O --to-stdout; --to-command=shell; --atime-preserve[=text]; --clamp-mtime; --delay-directory-restore; --group=text; --group-map=read",
      "--mode=text; --mtime=text; -m --touch; --no-delay-directory-restore; --no-same-owner; --no-same-permissions; --numeric-owner; --owner=text; --owner-map=read",
      "-p --preserve-permissions --same-permissions; --same-owner; --sort=text; -s --preserve-order --same-order; --acls; --no-acls; --no-selinux; --no-xattrs; --selinux",
      "--xattrs; --xattrs-exclude=text; --xattrs-include=text; --force-local; -f --file=text; -F --info-script --new-volume-script=shell; -L --tape-length=read; -M --multi-volume",
      "--rmt-command=shell; --rsh-command=shell; --volno-file=edit; -b --blocking-factor=text; -B --read-full-records; -i --ignore-zeros; --record-size=text; -H --format=read",
      "--old-archive --portability; --pax-option=text; --posix; -V --label=text; -a --auto-compress; -I --use-compress-program=shell; -j --bzip2; -J --xz; --lzip; --lzma; --lzop",
      "--no-auto-compress; --zstd; -z --gzip --gunzip --ungzip; -Z --compress --uncompress; --backup[=text]; --hard-dereference; -h --dereference; -K --starting-file=text",
      "--newer-mtime=text; -N --newer --after-date=text; --one-file-system; -P --absolute-names; --strip-components=text; --checkpoint[=text]; --full-time; --index-file=write",
      "-l --check-links; --no-quote-chars=text; --quote-chars=text; --quoting-style=text; -R --block-number; --show-defaults -> stop; --show-omitted-dirs",
      "--show-snapshot-field-ranges -> stop; --show-transformed-names --show-stored-names; --totals[=text]; --utc; -v --verbose; --warning=text; -w --interactive --confirmation; -o",
      "-? --help -> stop; --usage -> stop; --version -> stop; --restrict; --checkpoint-action=refuse; --transform --xform=refuse; --suffix=refuse",
    ),
    analyse: "tar",
    examples: {
      allow: ["tar tf a.tar", "tar -tzvf a.tgz", "tar --list --file=a.tar", "tar tf a.tar src/x", "tar xOf a.tar a.txt", "tar --help"],
      ask: [
        "tar xzf a.tgz",
        "tar -xf a.tar -C src",
        "tar czf a.tgz src",
        "tar -cf a.tar a.txt b.txt",
        "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='sh -c evil'",
        "tar -cf a.tar -T list",
        "tar xPf a.tar",
        "tar cf a.tar --remove-files src",
        "tar -c -f host:/a.tar src",
        "tar rf a.tar b.txt",
      ],
      // What the program named does is its own question.
      none: [
        "tar tf a.tar -I './evil'",
        "tar xf a.tar --to-command=./evil",
        "tar xf a.tar --to-com ./evil",
        "tar tf a.tar -F ./evil",
        "tar tIf ./evil a.tar",
      ],
      deny: [
        "tar tf a.tar -I 'rm -rf ~'",
        "tar cf a.tar .env",
        "tar czf a.tgz -C ~ .ssh",
        "tar cf ~/.bashrc src",
        "tar xf a.tar --to-command='rm -rf ~'",
      ],
    },
  },
  {
    names: "zip",
    summary: "packs files",
    // The archive gets `.zip` when it has no suffix. `-T` runs unzip on it.
    options: rows(
      "-r --recurse-paths -> read becomes tree; -j --junk-paths; -q --quiet; -v --verbose; -u --update; -f --freshen; -g --grow; -l --to-crlf; -ll --from-crlf; -o --latest-time",
      "-0; -1; -2; -3; -4; -5; -6; -7; -8; -9; -x --exclude=text; -i --include=text; -n --suffixes=text; -y --symlinks; -X --strip-extra; -D --no-dir-entries; -e --encrypt",
      "-m --move -> read becomes delete, tree becomes deletetree; -d --delete -> read becomes text; -T --test; -F --fix; -FF --fixfix; -A --adjust-sfx; -J --junk-sfx; -sf --show-files",
      "-t --from-date=text; -tt --before-date=text; -Z --compression-method=text; -O --output-file --out=write; -FS --filesync; -P --password=text; -TT --unzip-command=shell",
      "-h --help -> stop; -L --license -> stop; -db --display-bytes; -dc --display-counts; -dd --display-dots; -dg --display-globaldots; -s --split-size=text",
      "# names from elsewhere: -@ --names-stdin -b --temp-path",
    ),
    operands: "archive:edit read*",
    examples: {
      ask: [
        "zip a.zip a.txt",
        "zip -r a.zip src",
        "zip -T -TT './evil' a.zip a.txt",
        "zip -rm a.zip src",
        "zip -d a.zip x",
        "zip a.zip -@ < list",
      ],
      deny: ["zip a.zip .env", "zip -r keys.zip ~/.ssh", "zip -TT 'rm -rf ~' -T a.zip a.txt"],
    },
  },
  {
    names: "unzip",
    summary: "unpacks zip archives",
    // The analyser: unless it only looks, it writes names that the archive holds below -d or the working directory.
    options: rows(
      "-l; -t; -p; -c; -v; -z; -Z; -f; -u; -T; -x=text; -d=text; -n; -o; -q; -qq; -j; -a; -aa; -b; -B; -U; -UU; -C; -L; -V; -X; -K; -W; -O=text; -I=text; -P=text; -h -> stop; -hh -> stop; -1; -2; -s; -m",
      "--help -> stop",
      "# pipes to a pager, keeps absolute names: -M -:",
    ),
    operands: "read text*",
    analyse: "unzip",
    examples: {
      allow: ["unzip -l a.zip", "unzip -p a.zip a.txt", "unzip -t a.zip", "unzip -v a.zip"],
      ask: ["unzip a.zip", "unzip -o a.zip -d src", "unzip -qq a.zip x y", "unzip -o -x a.zip -d src", "unzip -P a.zip"],
      deny: ["unzip -l .env", "unzip a.zip -d ~/.ssh"],
    },
  },
  {
    names: "zipgrep",
    summary: "looks through what is in a zip archive",
    options: rows("-i; -h; -l; -n; -v; -c; -w; -q; -s; -x; -E; -F"),
    operands: "pattern:text read text*",
    examples: { allow: ["zipgrep foo a.zip", "zipgrep -il foo a.zip '*.md'"], deny: ["zipgrep foo .env"] },
  },
  {
    names: "zipinfo funzip",
    summary: "looks into zip archives",
    options: rows("-1; -2; -s; -m; -l; -v; -h; -t; -z; -C; -T; -U"),
    operands: "read text*",
    examples: { allow: ["zipinfo -1 a.zip"], deny: ["zipinfo .env"] },
  },
  {
    names: "gzip gunzip pigz unpigz",
    summary: "compresses in place",
    options: rows(
      "-l --list -> delete becomes read, deletetree becomes tree; -n --no-name; -N --name; -r --recursive -> delete becomes deletetree, read becomes tree; --rsyncable; --synchronous",
      "-a --ascii; -p --processes=text; -S --suffix=refuse",
      REPLACES.replace("-z --compress", ""),
    ),
    operands: "delete*",
    analyse: "compress",
    examples: {
      allow: ["gzip -c a.txt", "gzip -l a.gz", "gunzip -c a.gz", "gzip -dc < a.gz", "gunzip -t a.gz"],
      ask: ["gzip a.txt", "gzip -k a.txt", "gunzip a.gz", "gzip -9 -v a.txt", "gzip -r src"],
      deny: ["gzip .env", "gzip -c .env", "gunzip ~/.bashrc.gz", "gzip -kc ~/.ssh/id_rsa"],
    },
  },
  {
    names: "bzip2 bunzip2 xz unxz lzma unlzma lzip lz4 unlz4 compress uncompress",
    summary: "compresses in place",
    options: rows(
      REPLACES,
      "-s --small; -l --list -> delete becomes read; -e --extreme; -T --threads=number; -H --long-help -> stop; -C --check=text; -F --format=text; -M --memlimit=text; --no-sparse",
      "--single-stream; --ignore-check; -Q --no-warn; --robot; --info-memory -> stop; --memlimit-compress=text; --memlimit-decompress=text; --block-size=text",
      "# name the output or files: -S --suffix --files --files0",
    ),
    operands: "delete*",
    analyse: "compress",
    examples: {
      allow: ["xz -l a.xz", "bzip2 -dc a.bz2", "xz -c a.txt"],
      ask: ["xz a.txt", "bunzip2 a.bz2", "bzip2 -k a.txt", "xz --files=list"],
      deny: ["xz .env", "bzip2 -c .env"],
    },
  },
  {
    names: "zstd unzstd zstdmt pzstd",
    summary: "compresses, keeping the original",
    options: rows(
      "-o=write; -k --keep; --rm -> read becomes delete; -d --decompress --uncompress; -D=read; -f --force; -h -> stop; -H --help -> stop; -V --version -> stop; -c --stdout; -v --verbose; -q --quiet",
      "--progress; --no-progress; -r -> read becomes tree; --asyncio; --no-asyncio; --check; --no-check; --ultra; --fast[=text]; --adapt[=text]; --long[=text]; --patch-from=read",
      "-T[=number]; --threads=text; --single-thread; --auto-threads=text; -B[=number]; --rsyncable; --exclude-compressed; --stream-size=text; --size-hint=text; --no-dictID",
      "--format=text; -l --list; -t --test; -M[=number]; --memory=text; --sparse; --no-sparse; --pass-through; --no-pass-through; -1..-9; -z --compress",
      "# name files, or write elsewhere: --filelist --output-dir-flat --output-dir-mirror --trace --train -b",
    ),
    operands: "read*",
    analyse: "compress",
    examples: {
      allow: ["zstd -dc a.zst", "zstd -l a.zst"],
      ask: ["zstd a.txt", "zstd -19 --rm a.txt", "zstd -d a.zst -o c.txt", "zstd -d -f -T a.zst", "zstd --size-hint a.txt"],
      deny: ["zstd .env", "zstd a.txt -o ~/.bashrc", "zstd -c .env"],
    },
  },
  {
    names: "zcat gzcat bzcat bz2cat lz4cat",
    summary: "prints compressed files",
    options: rows(
      "-f --force; -q --quiet; -v --verbose; -k --keep; -s --small; -r; -h --help -> stop; -V --version -> stop; -L --license -> stop",
    ),
    operands: "read*",
    examples: { allow: ["zcat a.gz", "zcat a.gz b.gz | head"], deny: ["zcat -f .env"] },
  },
  {
    names: "xzcat lzcat lzmacat",
    summary: "prints files compressed by xz",
    options: rows("-f --force; -q --quiet; -v --verbose; -k --keep; -T --threads=text; -h --help -> stop; -V --version -> stop"),
    operands: "read*",
    examples: { allow: ["xzcat a.xz", "xzcat -T 0 a.xz"], deny: ["xzcat -f .env", "xzcat -T 1 .env"] },
  },
  {
    names: "zstdcat",
    summary: "prints files compressed by zstd",
    // `-T#` takes what is attached only.
    options: rows(
      "-f --force; -q --quiet; -v --verbose; -k --keep; -T[=number]; --threads=number; -h -H --help -> stop; -V --version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["zstdcat a.zst", "zstdcat -T0 a.zst"], deny: ["zstdcat ~/.ssh/id_rsa", "zstdcat -f -T ~/.ssh/id_rsa"] },
  },
  {
    names: "zdiff zcmp bzdiff bzcmp xzdiff xzcmp",
    summary: "compares compressed files",
    options: rows("-u; -c; -q --brief; -i; -w; -b; -B; -s; --help -> stop; --version -> stop"),
    operands: "read read?",
    examples: { allow: ["zdiff -u a.gz b.gz"], deny: ["zdiff a.gz .env"] },
  },
  {
    names: "7z 7za 7zr 7zz",
    summary: "packs and unpacks archives",
    // Switches may stand anywhere and look like `-pSECRET`: only bare listing is understood.
    style: "posix",
    options: "-h -> stop\n--help -> stop",
    subcommands: {
      "l|t": {
        options: rows("-slt; -ba; -bd; -y; -r"),
        operands: "read text*",
        // `@FILE` is a list of names.
        analyse: "response-file",
        examples: { allow: ["7z l a.7z", "7z t a.7z"], ask: ["7z l a.7z @list"], deny: ["7z l .env"] },
      },
      "i|b": { operands: "", examples: { allow: ["7z i"] } },
      "x|e|a|u|d|rn": { operands: "refuse+", examples: { ask: ["7z x a.7z", "7z a a.7z src", "7z x a.7z -osrc"] } },
    },
    examples: { none: ["7z nonsense a.7z"] },
  },
  {
    names: "ar llvm-ar gcc-ar",
    summary: "static libraries",
    style: "none",
    // --plugin loads a library, `@FILE` holds more arguments; the first word is what to do.
    analyse: "archive",
    examples: {
      allow: ["ar t lib.a", "ar tv lib.a", "ar -t lib.a", "ar p lib.a x.o", "ar --version"],
      ask: [
        "ar rcs lib.a x.o",
        "ar x lib.a",
        "ar d lib.a x.o",
        "ar -q lib.a x.o",
        "ar s lib.a",
        "ar rb x.o lib.a y.o",
        "ar t lib.a --plugin ./evil.so",
        "ar --plugin ./evil.so t lib.a",
        "ar t lib.a @args",
        "ar lib.a",
        "ar",
      ],
      deny: ["ar p .env", "ar rcs ~/.bashrc x.o"],
    },
  },
  {
    names: "cpio",
    summary: "packs and unpacks archives; names come from its input",
    options: rows(
      "-t --list; -v --verbose; -I=read; --quiet; -n --numeric-uid-gid; --only-verify-crc; -? --help -> stop; --usage -> stop; --version -> stop",
    ),
    operands: "text*",
    examples: {
      allow: ["cpio -t -I a.cpio", "cpio -tv < a.cpio"],
      ask: ["cpio -idm < a.cpio", "find src | cpio -o", "cpio -p x"],
      deny: ["cpio -t < .env"],
    },
  },
];
