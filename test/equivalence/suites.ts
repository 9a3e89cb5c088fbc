import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { APT, groups, lists, NO_SOURCE, run, source } from "./debian.ts";

/** What became of each test, by its name. */
export type Results = ReadonlyMap<string, string>;

/** What a unit gave without Assent, and with it. */
export interface Outcome {
  readonly bare: Results;
  readonly others: readonly Results[];
}

/** Something that is run in one go. */
export interface Unit {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Suite {
  readonly name: string;
  /** What it comes from. */
  readonly from: string;
  /** Units of it; `all`, or those that touch files, processes, sockets, terminals, signals, locks. A text says what is missing here, and how to get it. */
  readonly units: (cache: string, all: boolean) => readonly Unit[] | string;
  /** Where the tests do what a preset asks about everywhere: hooks and configuration of repositories, files of a terabyte. */
  readonly preset?: "none";
  /** `place`: the folder it ran in. */
  readonly results: (stdout: string, place: string, unit: Unit) => Results;
  /** Where it brings a world of its own. */
  readonly compare?: (unit: Unit) => Promise<Outcome>;
}

/** This folder: it is run from a bundle. */
export const HERE = join(import.meta.dirname, "../../../test/equivalence");

function sample<T>(items: readonly T[], all: boolean, every: number): readonly T[] {
  return all ? items : items.filter((_, at) => at % every === 0);
}

/** Each file is a test, and its exit status what became of it. */
function files(name: string, paths: readonly string[], each: string, env: Readonly<Record<string, string>>): readonly Unit[] {
  const loop = `for f; do mkdir -p place; (cd place; ${each}) </dev/null >/dev/null 2>&1; echo "::$f $?"; rm -rf place; done`;
  return [...groups(paths, 12)].map((part, at) => ({ name: `${name} ${at + 1}`, command: ["sh", "-c", loop, "sh", ...part], env }));
}

const statuses = (stdout: string): Results =>
  new Map([...stdout.matchAll(/^::(\S+) (\d+)$/gm)].map(([, path = "", status = ""]) => [path.split("/").slice(-2).join("/"), status]));

/** What touches files, processes, signals, terminals, sockets, threads, locks; the others come with `--all`. */
const PYTHON_MODULES =
  "os posix posixpath pathlib shutil tempfile glob stat fileio file mmap tarfile zipfile mailbox fork1 wait3 wait4 popen pty " +
  "openpty resource threadsignals eintr cmd_line runpy subprocess signal select selectors poll epoll asyncore asynchat socket " +
  "socketserver ssl ftplib httpservers urllib2_localnet xmlrpc docxmlrpc poplib nntplib smtplib smtpd telnetlib imaplib thread " +
  "threading threading_local queue fcntl ioctl sqlite3 dbm dbm_dumb dbm_gnu dbm_ndbm shelve compileall py_compile largefile grp " +
  "pwd spwd getpass uuid logging faulthandler concurrent_futures cmd_line_script httplib urllib urllib2 urllib_response crypt " +
  "atexit sched time bufio io filecmp fileinput genericpath fileutils zipimport zipimport_support zipapp zipfile64 importlib " +
  "import imp pkg pkgutil modulefinder site sysconfig venv ensurepip multiprocessing_fork multiprocessing_forkserver " +
  "multiprocessing_spawn multiprocessing_main_handling file_eintr kqueue devpoll syslog wsgiref netrc smtpnet urllib2net " +
  "urllibnet locale utf8_mode c_locale_coercion readline curses launcher platform webbrowser pipes cgi gzip bz2 lzma linecache " +
  "tokenize unicode_file unicode_file_functions threadedtempfile gc gdb tracemalloc sys interpreters _xxsubinterpreters " +
  "distutils lib2to3 ctypes pydoc doctest trace pdb profile cprofile inspect warnings unittest robotparser http_cookiejar " +
  "exceptions random repl source_encoding getpath audit contextlib bdb timeout asyncio.test_base_events " +
  "asyncio.test_buffered_proto asyncio.test_context asyncio.test_events asyncio.test_futures asyncio.test_futures2 " +
  "asyncio.test_locks asyncio.test_pep492 asyncio.test_proactor_events asyncio.test_protocols asyncio.test_queues " +
  "asyncio.test_runners asyncio.test_selector_events asyncio.test_sendfile asyncio.test_server asyncio.test_sock_lowlevel " +
  "asyncio.test_ssl asyncio.test_sslproto asyncio.test_streams asyncio.test_subprocess asyncio.test_taskgroups " +
  "asyncio.test_tasks asyncio.test_threads asyncio.test_timeouts asyncio.test_transports asyncio.test_unix_events " +
  "asyncio.test_waitfor asyncio.test_windows_events asyncio.test_windows_utils " +
  "support regrtest script_helper embed cmd code_module cppext tools gettext mimetypes sax xml_etree_c uu wave sunau " +
  "aifc sndhdr imghdr univnewlines tabnanny pyclbr peg_generator clinic dtrace eof zoneinfo plistlib pickle marshal configparser " +
  "csv hashlib secrets traceback sundry frozen optparse argparse shlex timeit code finalization utf8source dynamic codecs email";

/** What takes minutes goes in parts, each with some of its classes. */
const PYTHON_PARTS: Readonly<Record<string, number>> = {
  concurrent_futures: 6,
  multiprocessing_fork: 6,
  multiprocessing_forkserver: 6,
  multiprocessing_spawn: 8,
  multiprocessing_main_handling: 3,
  threading: 3,
  largefile: 4,
  zipfile64: 2,
};

const python: Suite = {
  name: "CPython",
  from: "Debian libpython3.11-testsuite, with /usr/bin/python3",
  units: (cache, all) => {
    if (!existsSync("/usr/bin/python3")) return "there is no /usr/bin/python3 (apt-get install python3)";
    const version = execFileSync("/usr/bin/python3", ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"], {
      encoding: "utf8",
    }).trim();
    const root = join(cache, "python");
    const test = join(root, "test");
    if (!existsSync(join(test, "test_os.py"))) {
      lists(cache);
      mkdirSync(root, { recursive: true });
      run(root, "apt-get", [...APT(cache), "-q", "download", `libpython${version}-testsuite`]);
      const deb = readdirSync(root).find((name) => name.endsWith(".deb"));
      if (deb === undefined || !run(root, "dpkg", ["-x", deb, "unpacked"]))
        return `libpython${version}-testsuite cannot be had (needs apt-get and the network, on Debian)`;
      cpSync(`/usr/lib/python${version}/test`, test, { recursive: true });
      cpSync(join(root, `unpacked/usr/lib/python${version}/test`), test, { recursive: true });
    }
    const every = readdirSync(test).flatMap((name) => /^test_(\w+)(?:\.py)?$/.exec(name)?.[1] ?? []);
    // Some tests start Python without PYTHONPATH, and look for the others there.
    const env = { BIND: `${test}:/usr/lib/python${version}/test`, PYTHONDONTWRITEBYTECODE: "1" };
    const unit = (names: readonly string[]): Unit => ({
      name: names.map((name) => `test_${name}`).join(" "),
      command: [
        "sh",
        "-c",
        `for m; do timeout "$LIMIT" /usr/bin/python3 ${HERE}/python.py "$PWD/results" $m; done`,
        "sh",
        ...names.map((name) => `test_${name}`),
      ],
      env,
    });
    const own = PYTHON_MODULES.split(" ").filter((name) => every.includes(name.replace(/\..*/, "")));
    const parts = (name: string): readonly string[] => {
      const count = PYTHON_PARTS[name] ?? 1;
      return count === 1 ? [name] : Array.from({ length: count }, (_, at) => `${name}:${at + 1}/${count}`);
    };
    const others = every.filter((name) => !own.includes(name));
    return [...own.flatMap(parts).map((name) => unit([name])), ...(all ? [...groups(others, 10)].map(unit) : [])];
  },
  results: (_, place) => {
    const path = join(place, "results");
    if (!existsSync(path)) return new Map();
    const lines = readFileSync(path, "utf8").trim().split("\n");
    return new Map(lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line) as [string, string]])));
  },
};

const busybox: Suite = {
  name: "BusyBox",
  from: "Debian source package busybox, with /bin/busybox",
  units: (cache) => {
    const folder = source(cache, "busybox");
    if (folder === undefined) return NO_SOURCE;
    if (!existsSync("/bin/busybox")) return "there is no /bin/busybox (apt-get install busybox)";
    const tests = readdirSync(join(folder, "testsuite")).filter(
      (name) => name.endsWith(".tests") || !/\.|^(?:README|runtest|TODO)/.test(name),
    );
    const names = [...new Set(tests.map((name) => name.replace(/\.tests$/, "")))].filter((name) => name !== "all_sourcecode");
    const copy = `mkdir scripts b b/runtest-tempdir-links && cp ${folder}/scripts/echo.c scripts && cp -r ${folder}/testsuite t
cp ${folder}/debian/config/pkg/deb b/.config; ln -s /bin/busybox b/busybox; b/busybox --install -s b/runtest-tempdir-links
cd t && sed -i -e '/^rm -rf "$LINKSDIR"/d' -e 's/^for i in $implemented/for i in/' runtest && bindir=\${PWD%/t}/b exec ./runtest -v "$@"`;
    return [...groups(names, 8)].map((part) => ({ name: part.join(" "), command: ["sh", "-c", copy, "sh", ...part] }));
  },
  results: (stdout) =>
    new Map([...stdout.matchAll(/^(PASS|FAIL|SKIPPED|UNTESTED): (.*)$/gm)].map(([, what = "", name = ""]) => [name, what])),
};

const coreutils: Suite = {
  name: "coreutils",
  from: "Debian source package coreutils, with the machine's programs",
  preset: "none",
  units: (cache, all) => {
    const folder = source(cache, "coreutils");
    if (folder === undefined) return NO_SOURCE;
    const tests = join(folder, "tests");
    const kinds = [
      "chgrp",
      "chmod",
      "chown",
      "cp",
      "dd",
      "df",
      "du",
      "install",
      "ln",
      "ls",
      "misc",
      "mkdir",
      "mv",
      "readlink",
      "rm",
      "rmdir",
      "split",
      "tail-2",
      "touch",
    ];
    const paths = kinds.flatMap((kind) =>
      readdirSync(join(tests, kind))
        .filter((name) => name.endsWith(".sh"))
        .map((name) => join(tests, kind, name)),
    );
    const env = {
      srcdir: folder,
      abs_srcdir: folder,
      abs_top_srcdir: folder,
      VERSION: "9.1",
      CONFIG_HEADER: "/dev/null",
      SHELL: "/bin/sh",
      LC_ALL: "C",
    };
    // What init.sh takes for built is what the machine has.
    const owned = execFileSync("dpkg", ["-L", "coreutils"], { encoding: "utf8" });
    const programs = [...owned.matchAll(/\/bin\/(.+)$/gm)].map(([, name]) => name).join(" ");
    // init.sh wants to see a src folder beside it.
    return files("coreutils", sample(paths, all, 4), "mkdir -p src; timeout 200 bash $f 9>/dev/null", { ...env, built_programs: programs });
  },
  results: statuses,
};

const git: Suite = {
  name: "git",
  from: "Debian source package git, its helpers built, with them",
  preset: "none",
  units: (cache, all) => {
    const folder = source(cache, "git");
    if (folder === undefined) return NO_SOURCE;
    if (!existsSync(join(folder, "git"))) {
      const without = "TCLTK GETTEXT PERL PYTHON CURL EXPAT OPENSSL".split(" ").map((name) => `NO_${name}=1`);
      if (!run(folder, "make", ["-j2", "CFLAGS=-O0", ...without, "all"])) return "it cannot be built (needs gcc, make, zlib1g-dev)";
    }
    const tests = readdirSync(join(folder, "t")).filter((name) => /^t\d{4}-.*\.sh$/.test(name));
    const chosen =
      /^t(?:0001|0003|0021|0060|0300|1005|1050|1300|1400|1450|2004|2200|2400|3200|3404|3903|4201|5300|5500|5601|5700|6500|7001|7102|7400|7502)/;
    const names = all ? tests : tests.filter((name) => chosen.test(name));
    const env = { GIT_TEST_DEFAULT_HASH: "sha1", TEST_NO_MALLOC_CHECK: "1" };
    return names.map((name) => ({
      name,
      command: ["sh", "-c", `p=$PWD; cd ${folder}/t && exec sh ./${name} --root="$p/trash" --no-chain-lint`],
      env: { ...env, TEST_OUTPUT_DIRECTORY: "/tmp" },
    }));
  },
  results: (stdout, _, unit) =>
    new Map(
      [...stdout.matchAll(/^(ok|not ok) (\d+) - (.*)$/gm)].map(([, what = "", number = "", name = ""]) => {
        const [title = "", note = ""] = name.split(/ # /);
        return [`${unit.name} ${number} ${title}`, `${what}${/^skip/i.test(note) ? " skipped" : note.startsWith("TODO") ? " todo" : ""}`];
      }),
    ),
};

const perl: Suite = {
  name: "perl",
  from: "Debian source package perl, with /usr/bin/perl",
  units: (cache, all) => {
    const folder = source(cache, "perl");
    if (folder === undefined) return NO_SOURCE;
    // The tests look for modules in `../lib` alone: those that the machine's perl has.
    const lib = join(cache, "perl-lib");
    if (!existsSync(lib)) {
      mkdirSync(lib);
      const places = execFileSync("/usr/bin/perl", ["-e", 'print join "\\n", grep { m{^/usr/(?:lib|share)/} && -d } @INC'], {
        encoding: "utf8",
      });
      for (const place of places.split("\n")) cpSync(place, lib, { recursive: true, dereference: true, force: false });
    }
    const paths = ["io", "op"].flatMap((kind) =>
      readdirSync(join(folder, "t", kind))
        .filter((name) => name.endsWith(".t"))
        .map((name) => join(folder, "t", kind, name)),
    );
    const chosen =
      /\/io\/|\/op\/(?:fork|kill0|exec|stat|chdir|mkdir|glob|readline|alarm|die_exit|getpid|getppid|groups|lfs|magic|sselect|sleep|time|umask|utf8|filetest|chown|rename|symbolcache|sysio|threads|tie|write|select|dup)/;
    return files(
      "perl",
      all ? paths : paths.filter((path) => chosen.test(path)),
      `mkdir t; ln -s ${folder}/t/* t; ln -s ${lib} lib; cd t; rm -f perl; ln -s /usr/bin/perl perl; timeout 200 ./perl -I../lib \${f##*/t/}`,
      {
        PERL_CORE: "1",
      },
    );
  },
  results: statuses,
};

const node: Suite = {
  name: "Node",
  from: "Debian source package nodejs, with this Node",
  units: (cache, all) => {
    const folder = source(cache, "nodejs");
    if (folder === undefined) return NO_SOURCE;
    const parallel = join(folder, "test/parallel");
    const kinds = ["test-fs-", "test-child-process-", "test-net-", "test-dgram-", "test-cluster-", "test-http-"];
    const paths = kinds.flatMap((kind) =>
      sample(
        readdirSync(parallel).filter((name) => name.startsWith(kind) && name.endsWith(".js")),
        all,
        kind === "test-http-" ? 12 : 4,
      ).map((name) => join(parallel, name)),
    );
    return files("node", paths, `NODE_TEST_DIR=$PWD timeout 200 ${process.execPath} --expose-internals --no-warnings $f`, {});
  },
  results: statuses,
};

export const SUITES: readonly Suite[] = [python, busybox, coreutils, git, perl, node];
