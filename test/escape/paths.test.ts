import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { buffer, bytes, calls, result, sh, step, typed } from "./harness/program.ts";
import { escapes, type Row } from "./harness/suite.ts";
import { AT, O } from "./harness/syscalls.ts";
import type { World } from "./harness/world.ts";

const CREATE = O.creat | O.wronly;
/** Names of files in O that try to say something else than what they are, as bytes. */
const NASTY: Readonly<Record<string, Buffer>> = {
  newline: Buffer.from("a\nb"),
  clear: Buffer.from("\u001B[2J\u001B[H"),
  override: Buffer.from("\u202Egnp.exe"),
  invalid: Buffer.from([0x61, 0xff, 0xfe, 0x62]),
  quotes: Buffer.from(`a, write), open(_)"`),
  spaces: Buffer.from(" "),
  pattern: Buffer.from("**"),
};

/** l0 → T, l1 → l0, … */
const chain = (world: World): void => {
  symlinkSync("/srv/O/f", world.at("$W/l0"));
  for (let at = 1; at <= 41; at++) symlinkSync(`l${at - 1}`, world.at(`$W/l${at}`));
};

const repository = (world: World): void => {
  for (const folder of ["hooks", "objects", "refs"]) mkdirSync(world.at(`$W/.git/${folder}`), { recursive: true });
  writeFileSync(world.at("$W/.git/HEAD"), "ref: refs/heads/main\n");
};

const rows: readonly Row[] = [
  { number: "1", title: "a new file in O", program: sh(`t new 'echo x > $O/new'`, { new: "refused" }), refused: ["open"] },
  {
    number: "1b",
    title: "a new file in O, as a typed line says it",
    program: typed(`t new 'echo x > $O/new'; t touch 'touch $O/new2'; t rm 'rm -f $T'`, {
      new: "refused",
      touch: "refused",
      rm: "refused",
    }),
    refused: ["open"],
  },
  {
    number: "1a",
    title: "a new file in O, by every spelling of its path",
    program: calls(
      step("w", "works", "openat", AT.cwd, "$W", O.path),
      step("o", "works", "openat", AT.cwd, "$O", O.rdonly | O.directory),
      step("dirfd", "refused", "openat", result("o"), "n1", CREATE, 0o644),
      step("dotdot", "refused", "openat", result("w"), "../O/n2", CREATE, 0o644),
      step("relative", "refused", "open", "../O/n3", CREATE, 0o644),
      step("slashes", "refused", "open", "//srv//.//O//n4", CREATE, 0o644),
      step("cwd", "refused", "open", "/proc/self/cwd/../O/n5", CREATE, 0o644),
      step("root", "refused", "open", "/proc/self/root/srv/O/n6", CREATE, 0o644),
      step("thread", "refused", "open", "/proc/thread-self/root/srv/O/n7", CREATE, 0o644),
      step("fd", "refused", "open", "/proc/self/fd/4/n8", CREATE, 0o644),
      step("dev-fd", "refused", "open", "/dev/fd/4/n9", CREATE, 0o644),
      step("creat", "refused", "creat", "$O/n10", 0o644),
      step("fchdir", "works", "fchdir", result("o")),
      step("here", "refused", "open", "n11", CREATE, 0o644),
      step("in-w", "works", "open", "../W/n12", CREATE, 0o644),
    ),
  },
  {
    number: "3",
    title: "a link of W to T is written through",
    program: sh(`ln -s $T $W/l; t write 'echo x > $W/l'`, { write: "refused" }),
    refused: ["open"],
    check: ({ events }) =>
      events.some(({ outcome, call }) => outcome === "refused" && call.name === "open" && call.args[0] === "/srv/O/f")
        ? []
        : ["the record does not show the file that the link leads to"],
  },
  {
    number: "3a",
    title: "links to folders, links to nothing, links in the middle",
    setUp: (world) => {
      symlinkSync("/srv/O", world.at("$W/folder"));
      symlinkSync("../O/new2", world.at("$W/nothing"));
      symlinkSync("/proc/self/cwd/../O/f", world.at("$W/magic"));
      symlinkSync("loop2", world.at("$W/loop"));
      symlinkSync("loop", world.at("$W/loop2"));
    },
    program: calls(
      step("folder", "refused", "open", "$W/folder/new1", CREATE, 0o644),
      step("nothing", "refused", "open", "$W/nothing", CREATE, 0o644),
      step("magic", "refused", "open", "$W/magic", O.wronly | O.trunc),
      step("loop", "ELOOP", "open", "$W/loop", CREATE, 0o644),
      step("unlink", "refused", "unlink", "$W/folder/d/g"),
      step("mkdir", "refused", "mkdir", "$W/folder/new3", 0o755),
      step("slash", "refused", "mkdir", "$W/folder/new4/", 0o755),
      step("rename", "refused", "rename", "$W/f", "$W/folder/new5"),
      step("link-itself", "works", "unlink", "$W/folder"),
    ),
  },
  {
    number: "5",
    title: "41 links are too many, 40 are not",
    setUp: chain,
    program: calls(
      step("forty", "works", "open", "$W/l39", O.rdonly),
      step("forty-one", "ELOOP", "open", "$W/l40", O.rdonly),
      step("more", "ELOOP", "open", "$W/l41", O.rdonly),
      step("nofollow", "ELOOP", "open", "$W/l0", O.rdonly | O.nofollow),
      step("alive", "works", "open", "$W/alive", CREATE, 0o644),
    ),
  },
  {
    number: "5a",
    title: "a hard link to T is made in W and written",
    program: sh(`t link 'ln $T $W/h'; t write 'echo x > $W/h'; t content 'grep -q orig $T'`, {
      link: "refused",
      write: "any",
      content: ["failed", "ok"],
    }),
    refused: ["link"],
  },
  {
    number: "7",
    title: "a hard link to the secret from before",
    setUp: (world) => linkSync(world.at("$S/key"), world.at("$W/hk")),
    program: sh(`t read 'cat $W/hk'; t copy 'cp $W/hk $W/copy'; t again 'cat $W/copy'`, {
      read: "hidden",
      copy: ["ok", "any"],
      again: ["ok", "any"],
    }),
  },
  {
    number: "7a",
    title: "names of the secret made in the run: a hard link, a move, a move of its folder",
    unchanged: ["$O"],
    program: sh(
      `t link 'ln $S/key $W/k1'; t read1 'cat $W/k1'; t move 'mv $S/key $W/k2'; t read2 'cat $W/k2'; t folder 'mv $S $W/s'; t read3 'cat $W/s/*'`,
      { link: ["ok", "any"], read1: "hidden", move: ["ok", "any"], read2: "hidden", folder: ["ok", "any"], read3: ["any", "hidden"] },
    ),
  },
  {
    number: "9",
    title: "W/f and T change places",
    program: calls(step("exchange", "refused", "renameat2", AT.cwd, "$W/f", AT.cwd, "$T", 2)),
    refused: ["rename"],
  },
  {
    number: "9a",
    title: "rename and link, with either path in O and every flag",
    setUp: (world) => {
      for (const name of ["a", "b", "c", "d", "e"]) writeFileSync(world.at(`$W/${name}`), name);
      mkdirSync(world.at("$W/folder"));
    },
    program: calls(
      step("o", "works", "openat", AT.cwd, "$O", O.path),
      step("noreplace", "EEXIST", "renameat2", AT.cwd, "$W/a", AT.cwd, "$W/b", 1),
      step("noreplace-new", "refused", "renameat2", AT.cwd, "$W/a", result("o"), "n1", 1),
      step("replace", "refused", "rename", "$W/b", "$T"),
      step("out", "refused", "rename", "$O/d/g", "$W/g"),
      step("over-folder", "refused", "renameat", AT.cwd, "$W/folder", result("o"), "empty"),
      step("link", "refused", "link", "$W/c", "$O/n2"),
      step("linkat", "refused", "linkat", AT.cwd, "$W/c", result("o"), "n3", 0),
      step("link-of", "refused", "linkat", result("o"), "f", AT.cwd, "$W/h", 0),
      step("symlink", "refused", "symlink", "/anything", "$O/n4"),
      step("symlinkat", "refused", "symlinkat", "anything", result("o"), "n5"),
      step("invalid", "EINVAL", "renameat2", AT.cwd, "$W/d", AT.cwd, "$W/e", 1 | 2),
      step("own", "works", "renameat2", AT.cwd, "$W/d", AT.cwd, "$W/e", 2),
    ),
    refused: ["rename", "link", "symlink"],
  },
  {
    number: "9b",
    title: "files without a name are given one",
    program: calls(
      step("in-o", "refused", "open", "$O", O.tmpfile | O.wronly, 0o644),
      step("in-w", "works", "open", "$W", O.tmpfile | O.rdwr, 0o644),
      step("fd", "works", "dup", result("in-w")),
      step("out", "refused", "linkat", AT.cwd, "/proc/self/fd/4", AT.cwd, "$O/n1", AT.symlinkFollow),
      step("own", "works", "linkat", AT.cwd, "/proc/self/fd/4", AT.cwd, "$W/n2", AT.symlinkFollow),
    ),
  },
  {
    number: "11",
    title: "the folder of protected hooks is moved away and back",
    setUp: repository,
    program: sh(
      `t away 'mv $W/.git $W/g2'; t hook 'printf "#!/bin/sh\\n" > $W/g2/hooks/pre-commit && chmod +x $W/g2/hooks/pre-commit'
       t back 'mv $W/g2 $W/.git'; [ -e $W/.git/hooks/pre-commit ] && echo hooked yes || echo hooked no`,
      { away: ["ok", "any"], hook: ["ok", "any"], back: ["ok", "any"], hooked: ["yes", "no"] },
    ),
  },
  {
    number: "11a",
    title: "a repository with hooks is made under another name and put in place, whole or hooks only",
    setUp: repository,
    program: sh(
      `mkdir -p $W/x/hooks; printf '#!/bin/sh\\n' > $W/x/hooks/pre-commit; chmod +x $W/x/hooks/pre-commit
       t hooks 'rm -r $W/.git/hooks && mv $W/x/hooks $W/.git/hooks'
       [ -e $W/.git/hooks/pre-commit ] && echo hooked yes || echo hooked no
       t link 'rm -rf $W/.git/hooks && mkdir -p $W/x/h2 && ln -s $W/x/h2 $W/.git/hooks && echo x > $W/.git/hooks/pre-push'`,
      { hooks: ["ok", "any"], hooked: ["yes", "no"], link: ["ok", "any"] },
    ),
  },
  {
    number: "13",
    title: "file names that lie",
    setUp: (world) => {
      for (const name of Object.values(NASTY)) writeFileSync(Buffer.concat([Buffer.from(`${world.at("$O")}/`), name]), "nasty");
    },
    program: calls(
      ...Object.entries(NASTY).flatMap(([label, name]) => [
        step(label, "refused", "open", bytes("/srv/O/", name), O.wronly | O.trunc),
        step(`${label}-read`, "works", "open", bytes("/srv/O/", name), O.rdonly),
        step(`${label}-own`, "works", "open", bytes("/srv/W/", name), CREATE, 0o644),
      ]),
    ),
    refused: ["open"],
    check: ({ stderr, stdout, world }) => [
      // eslint-disable-next-line no-control-regex
      ...(/[\u0000-\u0008\u000B-\u001F\u007F\u202E]/.test(stderr + stdout) ? ["control characters are printed"] : []),
      ...(execFileSync("ls", [world.at("$W")], { encoding: "latin1" }).includes("a\u00FF\u00FEb")
        ? []
        : ["a name that is no UTF-8 was changed"]),
    ],
  },
  {
    number: "13a",
    title: "a rule says exactly these bytes",
    setUp: (world) => mkdirSync(world.at("$O/d2")),
    allow: ["Write(/srv/O/d2/a\nb)", "Write(/srv/O/d2/x y)"],
    unchanged: ["$S", "$O/d"],
    program: calls(
      step("newline", "works", "open", bytes("/srv/O/d2/a\nb"), CREATE, 0o644),
      step("space", "works", "open", "$O/d2/x y", CREATE, 0o644),
      step("no-newline", "refused", "open", "$O/d2/a b", CREATE, 0o644),
      step("longer", "refused", "open", bytes("/srv/O/d2/a\nb2"), CREATE, 0o644),
      step("invalid", "refused", "open", bytes("/srv/O/d2/x y", 0xff), CREATE, 0o644),
      step("two", "refused", "open", "$O/d2/x  y", CREATE, 0o644),
    ),
  },
  {
    number: "15",
    title: "other spellings on a file system that folds case",
    // Not every kernel can; there the names are simply different, and absent.
    prelude:
      "mkdir /srv/F; mount -t tmpfs -o casefold=utf8-12.1.0,mode=777 tmpfs /srv/F 2>/dev/null || mount -t tmpfs -o mode=777 tmpfs /srv/F; chattr +F /srv/F 2>/dev/null || :; mkdir -m 777 /srv/F/Secret; cp /srv/home/S/key /srv/F/Secret/Key; chmod 666 /srv/F/Secret/Key",
    deny: ["Read(/srv/F/Secret/**)"],
    program: sh(
      `t upper 'cat /srv/F/SECRET/KEY'; t mixed 'cat /srv/F/sEcReT/kEy'; cd /srv/F/SECRET; t here 'cat KEY'; t exact 'cat /srv/F/Secret/Key'`,
      { upper: ["any", "hidden"], mixed: ["any", "hidden"], here: ["any", "hidden"], exact: "hidden" },
    ),
  },
  {
    number: "15a",
    title: "errors are those of the kernel",
    setUp: (world) => symlinkSync("nothing", world.at("$W/dangling")),
    program: calls(
      step("file-as-folder", "ENOTDIR", "open", "$W/f/x", O.rdonly),
      step("missing", "ENOENT", "open", "$W/no/x", CREATE, 0o644),
      step("empty", "ENOENT", "open", "", O.rdonly),
      step("long-name", "ENAMETOOLONG", "open", `$W/${"x".repeat(256)}`, CREATE, 0o644),
      step("long-path", "ENAMETOOLONG", "open", `/${"x/".repeat(2100)}`, O.rdonly),
      step("pointer", "EFAULT", "open", 1, O.rdonly),
      step("high-pointer", "EFAULT", "open", -4096, O.rdonly),
      step("dirfd", "EBADF", "openat", 77, "x", O.rdonly),
      step("slash", "ENOTDIR", "open", "$W/f/", O.rdonly),
      step("new-slash", "EISDIR", "open", "$W/new/", CREATE, 0o644),
      step("folder", "EISDIR", "open", "$W", O.wronly),
      step("not-empty", "ENOTEMPTY", "rmdir", "/srv/W/.."),
      step("dot", "EINVAL", "rmdir", "$W/."),
      step("root", "same", "rmdir", "/"),
      step("mkdir", "EEXIST", "mkdir", "$W/f", 0o755),
      step("mkdir-dangling", "EEXIST", "mkdir", "$W/dangling", 0o755),
      step("unlink-folder", "same", "unlink", "$W"),
      step("unlink-missing", "ENOENT", "unlink", "$W/none"),
      step("rename-missing", "ENOENT", "rename", "$W/none", "$W/x"),
      step("into-itself", ["EINVAL", /^(?:EINVAL|EACCES|EPERM)$/], "rename", "/srv/W", "/srv/W/x"),
      step("cwd-file", "ENOTDIR", "chdir", "$W/f"),
      step("link-folder", "EPERM", "link", "$W/../W", "$W/y"),
      step("readlink", "EINVAL", "readlink", "$W/f", buffer("b"), 64),
    ),
  },
];

escapes("A. Paths and links", rows);
