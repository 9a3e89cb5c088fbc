/**
 * What programs do that no command line says, and why nobody needs to be told of it. Reviewed by hand: a new entry needs a
 * reason, and is as narrow as it can be. Everything else that a prediction does not cover is a mistake in the tables.
 */
import type { FileOperation, NetAction, World } from "@assent/core/action";
import { baseName, isWithin } from "@assent/core/path";
import { bindPattern, matchesSegments, matchesText, pathPattern } from "@assent/core/pattern";
import type { ScratchPlace } from "./place.ts";
import { covering, type Prediction } from "./predict.ts";

/** Programs that a program is made of. */
export interface ProgramPart {
  /** Names of the program that starts them. */
  readonly of: string;
  /** Names of what it starts, or folders that end in a slash. */
  readonly starts: string;
  /** What its words, joined by blanks, begin with. */
  readonly words?: string;
  readonly why: string;
}

export const PARTS: readonly ProgramPart[] = [
  {
    of: "git git-*",
    starts: "git /usr/lib/git-core/ /usr/libexec/git-core/ git-lfs",
    why: "git(1) is made of programs of its own, which it starts by name",
  },
  { of: "git", starts: "sh", words: "sh -c git-upload-pack '", why: "a remote that is a folder is read by a program of git's own" },
  { of: "git", starts: "git-upload-pack", why: "a remote that is a folder is read by a program of git's own" },
  {
    of: "git-submodule git-bisect git-request-pull git-filter-branch git-mergetool git-instaweb git-web--browse",
    starts: "basename sed gettext envsubst uname tr sort dirname",
    why: "parts of git that are shell scripts; git-sh-setup(1)",
  },
  { of: "git-lfs gh ag tig delta lazygit cloc", starts: "git", why: "asks git about the repository" },
  { of: "gunzip zcat uncompress zgrep zdiff zcmp zless zmore znew gzexe", starts: "gzip", why: "scripts of gzip" },
  {
    of: "zgrep zegrep zfgrep xzgrep xzegrep xzfgrep bzgrep bzegrep bzfgrep zstdgrep lzgrep",
    starts: "grep sed gzip bzip2 xz zstd lzip",
    why: "scripts that decompress for grep(1)",
  },
  {
    of: "zdiff zcmp xzdiff xzcmp bzdiff bzcmp",
    starts: "diff cmp gzip xz bzip2 mktemp rm sed",
    why: "scripts that decompress for diff(1), cmp(1)",
  },
  { of: "zless xzless bzless zmore xzmore bzmore lzless", starts: "less more gzip xz bzip2", why: "scripts that decompress for a pager" },
  { of: "zipgrep", starts: "basename sed unzip egrep grep", why: "a script of unzip(1) that looks through what it unpacks" },
  { of: "zcmp", starts: "zdiff", why: "a script of gzip" },
  { of: "zdiff xzdiff", starts: "expr", why: "a script that takes names apart" },
  { of: "less", starts: "sh bash xz gzip bzip2", why: "LESSOPEN, which xzless(1) and zless(1) set for it" },
  { of: "bzless bzmore", starts: "sed stty", why: "a script that asks the terminal how it is set" },
  { of: "batcat bat", starts: "less", why: "shows what it prints in a pager" },
  { of: "xvfb-run", starts: "awk stty getopt cat mktemp sed rm", why: "a shell script" },
  { of: "gcc-ar gcc-nm gcc-ranlib gcc-ar-* gcc-nm-* gcc-ranlib-*", starts: "ar nm ranlib", why: "the same with the compiler's plugin" },
  { of: "pg_dumpall", starts: "sh pg_dump", why: "asks the program that it starts for its version" },
  { of: "kubetail", starts: "basename kubectl xargs grep echo awk head tr sed", why: "a shell script around kubectl" },
  { of: "egrep fgrep", starts: "grep", why: "scripts of grep" },
  { of: "sdiff diff3 colordiff wdiff", starts: "diff", why: "shows what diff(1) finds" },
  {
    of: "man",
    starts: "preconv tbl eqn nroff col groff zsoelim manconv apropos whatis lexgrog locale",
    why: "a manual page is set by the programs of groff(1)",
  },
  { of: "nroff groff", starts: "groff troff grotty tbl eqn preconv locale soelim", why: "groff(1) is made of programs" },
  { of: "dpkg apt apt-cache apt-mark apt-get apt-config", starts: "dpkg-query dpkg dpkg-deb", why: "dpkg(1) is made of programs" },
  { of: "tar bsdtar", starts: "gzip bzip2 xz zstd lzip lzma lzop compress", why: "decompresses what it reads" },
  { of: "go", starts: "gcc git", why: "asks which compiler there is, and what is built from which commit" },
  { of: "cargo", starts: "rustc", why: "asks the compiler about itself" },
  { of: "cargo", starts: "lsb_release getconf", why: "says what it runs on beside its version" },
  { of: "rpm", starts: "sort sed awk", why: "its alias `--last` is a pipe of these" },
  { of: "diff", starts: "pr", why: "`-l` prints through pr(1)" },
  { of: "man", starts: "iconv", why: "sets pages in another encoding" },
  { of: "perf", starts: "man", why: "its help is its manual pages" },
  { of: "pip pip3", starts: "lsb_release uname rustc ldd", why: "says in its requests what it runs on" },
  {
    of: "gcc cc c99 c89 g++ c++ cpp gcc-* g++-* cpp-*",
    starts: "cc1 cc1plus as collect2 ld lto-wrapper",
    why: "the stages of the compiler",
  },
  {
    of: "go doc",
    starts: "/usr/lib/go/ /usr/share/go/ /usr/lib/go-1.19/ /usr/lib/go-1.22/ /usr/lib/go-1.24/",
    why: "the go command is made of tools",
  },
  {
    of: "gcloud bq gsutil",
    starts: "readlink dirname uname tput python3 bash",
    why: "shell scripts that find the folder of the SDK and its Python",
  },
  { of: "lsb_release", starts: "getopt cut tr", why: "a shell script" },
  { of: "service", starts: "*", why: "service(8) asks each of the system's own init scripts for its status" },
  {
    of: "pee mispipe hyperfine watch ag rpm parallel",
    starts: "sh bash",
    why: "starts the commands it is given through a shell; what that starts is looked at by itself",
  },
  {
    of: "parallel",
    starts: "ps perl hostname lscpu sleep false tput echo rm",
    why: "GNU parallel finds out what the machine can do",
  },
  { of: "jruby", starts: "java dirname readlink uname cat expr ls", why: "a shell script that starts Java's virtual machine" },
  { of: "*", starts: "gdnc gpbs make_services", why: "GNUstep's programs (its `say`, its `mdfind`) start its own servers" },
  { of: "lxc-attach", starts: "lxc-attach", why: "starts itself anew from memory (CVE-2019-5736)" },
  { of: "info", starts: "sh", words: "sh -c gzip -d < /usr/share/info/", why: "decompresses its own pages" },
  { of: "ldd", starts: "/lib64/ /lib/ /usr/lib/", why: "ldd(1) starts the dynamic loader" },
  { of: "git", starts: "man", why: "git help shows manual pages" },
  { of: "npm", starts: "man", why: "npm help shows manual pages" },
  { of: "yq tomlq xq", starts: "jq", why: "filters of jq(1) over other formats" },
  { of: "valgrind valgrind.bin", starts: "valgrind.bin /usr/libexec/valgrind/", why: "valgrind(1) is made of programs" },
  { of: "collect2", starts: "ld", why: "links for the compiler" },
  { of: "gdb", starts: "iconv", why: "asks which character sets there are" },
  { of: "cloc", starts: "pwd", why: "asks where it is" },
  { of: "bash", starts: "id", why: "the system's /etc/profile, which a login shell reads" },
];

/** Reading below these is how programs work; policies that close some of it speak about the words of a command. */
export interface Upkeep {
  readonly below: string;
  readonly why: string;
}

const SYSTEM: readonly Upkeep[] = [
  { below: "/usr", why: "programs, libraries, locales and their data" },
  { below: "/lib", why: "libraries" },
  { below: "/lib64", why: "libraries" },
  { below: "/bin", why: "programs" },
  { below: "/etc", why: "the system's configuration; what is secret there is judged by itself" },
  { below: "/proc", why: "what the kernel says about processes" },
  { below: "/sys", why: "what the kernel says about the machine" },
  { below: "/dev", why: "harmless devices: others are not there" },
  { below: "/var/lib", why: "data of installed programs; what is secret there is judged by itself" },
  { below: "/var/cache", why: "what installed programs keep to be faster" },
  { below: "/opt", why: "installed programs" },
];

/**
 * Files of the user or the project that a program reads because it is that program. `$git`: the repository's own folder;
 * `$root`: the names in `/`; `$tracked`: files of the project that the repository tracks; `$project`: any file of it;
 * `$folder`: the names in its folders; `$cwd`: those in the working folder; `$listed`: what the command is predicted to list.
 */
export interface OwnFile {
  readonly of: string;
  readonly reads: readonly string[];
  readonly why: string;
}

const OWN_FILES: readonly OwnFile[] = [
  { of: "bash sh zsh", reads: ["$folder"], why: "finds out what a pattern means: names only" },
  { of: "find", reads: ["$folder"], why: "opens the folder it is started in, to come back to it (fts(3))" },
  { of: "node", reads: ["**/package.json"], why: "which kind of module a file is" },
  { of: "go", reads: ["~/.netrc"], why: "its login where modules come from" },
  { of: "git git-*", reads: ["~/.gitconfig", "~/.config/git/**", "$git/**"], why: "its configuration and the repository it works in" },
  {
    of: "git git-*",
    reads: ["$tracked", "**/.gitignore", "**/.gitattributes", "**/.mailmap"],
    why: "what it tracks, which everyone has who has the repository",
  },
  { of: "git git-*", reads: ["$folder"], why: "looks for files that it does not track, by name" },
  { of: "rg ag fd fdfind tokei cloc", reads: ["~/.gitconfig", "~/.config/git/**", "$git/info/exclude"], why: "which files git ignores" },
  { of: "tree", reads: ["**/.gitignore"], why: "which files git ignores" },
  {
    of: "tree",
    reads: ["$listed"],
    why: "--gitignore takes a file in place of a folder for a list of names to leave out; nothing of it is printed",
  },
  {
    of: "bat batcat",
    reads: ["$git/**", "**/.gitignore", "~/.gitconfig", "~/.config/git/**"],
    why: "which lines of the file it shows are changed; libgit2 runs nothing",
  },
  { of: "coredumpctl journalctl", reads: ["/var/log/journal", "/var/log/journal/**"], why: "what it is there to show" },
  { of: "boxes", reads: ["~"], why: "looks for its configuration by name" },
  { of: "nix-shell nix-build dist", reads: ["/tmp"], why: "makes a folder of its own there" },
  { of: "dvips", reads: ["~"], why: "looks for its configuration by name" },
  {
    of: "exa eza lsd",
    reads: ["$folder", "**/.gitignore", "$git/**", "~/.gitconfig", "~/.config/git/**"],
    why: "which files git ignores or has changed",
  },
  { of: "vulture yapf3 yapf", reads: ["setup.cfg", "pyproject.toml", ".style.yapf"], why: "its configuration" },
  { of: "shfmt", reads: ["**/.editorconfig"], why: "its configuration" },
  { of: "rustfmt cargo-fmt", reads: ["**/rustfmt.toml", "**/.rustfmt.toml", "**/Cargo.toml"], why: "its configuration, the manifest" },
  { of: "poetry", reads: ["**/pyproject.toml", "**/poetry.toml", "**/poetry.lock"], why: "its configuration and the project's" },
  { of: "blkid", reads: ["$listed"], why: "says only what kind of file system is in it" },
  { of: "isort autopep8", reads: ["setup.cfg", "pyproject.toml", ".editorconfig", "tox.ini"], why: "its configuration" },
  {
    of: "lslogins",
    reads: ["/var/log/wtmp", "/var/log/lastlog", "/var/log/btmp"],
    why: "who was there when; root alone may read the last",
  },
  { of: "xargs", reads: ["$root"], why: "opens it to see whether O_CLOEXEC works" },
  { of: "openrc", reads: ["/run/openrc/**"], why: "inxi(1) asks it which kind of start the system has" },
  { of: "inxi", reads: ["/var/log", "/home", "/run", "$root"], why: "names of disks and of what lies on them" },
  { of: "rsync", reads: ["$listed"], why: "with -c: says only whether files are the same" },
  { of: "nim", reads: ["$root"], why: "looks for its configuration on the way up" },
  { of: "gh", reads: ["~/.config/gh/**"], why: "its login" },
  { of: "docker podman docker-compose", reads: ["~/.docker/**"], why: "its configuration and login" },
  {
    of: "docker docker-compose podman-compose",
    reads: ["docker-compose.y*ml", "docker-compose.override.y*ml", "compose.y*ml", "compose.override.y*ml"],
    why: "the project's file; where it takes in something from outside, the line is asked about",
  },
  { of: "docker", reads: ["~/.kube/config"], why: "which clusters its stack commands may speak to" },
  { of: "docker-compose", reads: ["~/.netrc"], why: "its login where images come from" },
  { of: "df", reads: ["$listed"], why: "opens what it is asked about so that it is mounted, and reads nothing of it" },
  { of: "codespell pycodestyle pydocstyle flake8", reads: ["setup.cfg", "pyproject.toml", "tox.ini"], why: "its configuration" },
  { of: "kubectl helm k9s", reads: ["~/.kube/**"], why: "its configuration and login" },
  { of: "aws", reads: ["~/.aws/**"], why: "its configuration and login" },
  { of: "npm npx pnpm yarn", reads: ["~/.npmrc", "~/.npm/**"], why: "its configuration and login" },
  { of: "svn", reads: ["~/.subversion/**"], why: "its configuration" },
  {
    of: "bash sh dash",
    reads: ["~/.profile", "~/.bash_profile", "~/.bash_login"],
    why: "a login shell reads them; an agent may not change them",
  },
  {
    of: "python* pip pip3",
    reads: ["**/site-packages/**", "**/dist-packages/**"],
    why: "packages installed for it, wherever it is installed",
  },
  { of: "man", reads: ["**/man/**"], why: "manual pages, wherever their programs are installed" },
  { of: "lsof", reads: ["$root"], why: "names of what is mounted" },
  { of: "*", reads: ["$cwd"], why: "opens the folder it works in, to come back to it; the names in it are not secret" },
  {
    of: "file cloc tokei scc sync git",
    reads: ["$listed"],
    why: "looks into what it is told to look at, and says only what kind it is or how much; the tables call that listing",
  },
  {
    of: "sha*sum md5sum b2sum cksum shasum sum",
    reads: ["$project"],
    why: "with -c: says only whether the files that a list names are as they were",
  },
  { of: "git", reads: ["~/remote.git/**"], why: "a remote that is a folder" },
  { of: "git-upload-pack", reads: ["~/remote.git/**"], why: "a remote that is a folder" },
  {
    of: "npm npx pnpm yarn",
    reads: ["package.json", "package-lock.json", "node_modules/**", "~/.gitconfig"],
    why: "what the project and its packages are called",
  },
  {
    of: "pip pip3 python3 python",
    reads: ["~/.netrc", "~/.cache", "~/.config/pip/**", "~/.pip/**"],
    why: "its configuration, and its login at the index",
  },
  {
    of: "cargo",
    reads: ["~/.gitconfig", "~/.cargo/**", "Cargo.toml", "Cargo.lock", ".cargo/**", "$folder"],
    why: "its configuration and the project's manifest; which targets there are",
  },
  {
    of: "go",
    reads: ["go.mod", "go.sum", "go.work", "**/*.go", "**/*.c", "**/*.h", "**/*.cpp", "$folder"],
    why: "what packages there are, and what they import",
  },
  { of: "pytest py.test", reads: ["pyproject.toml", "setup.cfg", "pytest.ini", "tox.ini"], why: "its configuration" },
  {
    of: "black ruff rg ag fd fdfind",
    reads: ["**/.gitignore", "**/.ignore", "**/.rgignore", "**/.fdignore", "pyproject.toml"],
    why: "which files are to be left out",
  },
  { of: "terraform tofu", reads: ["$folder"], why: "looks for its files by name" },
];

/** Interpreters: what one of these does for a program of which it is a part, that program does. */
export const SPEAKS_FOR: ReadonlySet<string> = new Set(["sh", "bash", "dash", "perl", "python3", "ruby", "node", "env"]);

/** Everything that these start is theirs. */
export const WHOLE: ReadonlySet<string> = new Set(["service"]);

/** What a program changes that is nobody's: writes that the tables cannot name, for they depend on who runs it. */
export interface OwnChange {
  readonly of: string;
  readonly changes: readonly string[];
  readonly why: string;
}

const OWN_CHANGES: readonly OwnChange[] = [
  { of: "tidy", changes: ["$read"], why: "opens what it checks for writing, to set its times as they were" },
  { of: "man", changes: ["/var/cache/man/**"], why: "keeps set pages where it may, which is as root" },
  { of: "*", changes: ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom"], why: "a harmless device" },
  {
    of: "sqlite3",
    changes: ["$read"],
    why: "opens a database for writing whatever it does with it; what it does is in its SQL, which is read",
  },
  {
    of: "*",
    changes: ["/usr/**/__pycache__", "/usr/**/__pycache__/**"],
    why: "Python keeps compiled modules beside their sources where it may, which is as root",
  },
  { of: "*", changes: ["/var/lib/libuuid/clock.txt"], why: "libuuid(3) keeps the time, so that no identifier is made twice" },
  { of: "*", changes: ["/tmp/hsperfdata_*", "/tmp/hsperfdata_*/**"], why: "Java's virtual machine counts what it does" },
  { of: "lslogins", changes: ["/etc/.pwd.lock"], why: "lckpwdf(3): so that nobody changes the users meanwhile" },
  { of: "ipython ipython3", changes: ["~/.ipython", "~/.ipython/**"], why: "the folder of its own" },
  { of: "inxi", changes: ["~/.inxi", "~/.inxi/**"], why: "the folder of its own" },
  { of: "virtualenv", changes: ["~/.local", "~/.local/share"], why: "the folder of its own" },
  { of: "service", changes: ["/run/*"], why: "an init script of the system's that was asked for its status" },
  {
    of: "flatpak",
    changes: ["~/.local", "~/.local/share", "~/.local/share/flatpak", "~/.local/share/flatpak/**"],
    why: "the folder of its own",
  },
  { of: "nvim", changes: ["~/.cache/nvim"], why: "the folder of its own" },
  { of: "neofetch mkdir", changes: ["~/.config/neofetch"], why: "the folder of its configuration" },
  { of: "dnf dnf-3 yum", changes: ["/var/log/dnf*.log", "/var/log/hawkey.log"], why: "its logs, whatever it is asked" },
  { of: "rpm dnf dnf-3 yum", changes: ["~/.rpmdb", "~/.rpmdb/**"], why: "the database of what is installed, where there is none" },
  { of: "pm-suspend mkdir", changes: ["/run/pm-utils", "/run/pm-utils/**"], why: "the place of its lock, as root" },
  { of: "mplayer", changes: ["~/.mplayer"], why: "the folder of its configuration" },
  { of: "kitty", changes: ["~/.config/kitty"], why: "the folder of its configuration" },
  { of: "caddy", changes: ["~/.step"], why: "the folder of a library's configuration" },
  { of: "stap", changes: ["~/.systemtap"], why: "the folder of its own" },
  { of: "yad", changes: ["~/.config/yad.conf", "~/.config/yad.conf.*"], why: "writes its configuration where there is none" },
  { of: "glances", changes: ["/tmp/glances-*.log"], why: "its log" },
  { of: "wget2", changes: ["/tmp/*_lck_*"], why: "so that no two write what it remembers of hosts at once" },
  { of: "dpkg-preconfigure", changes: ["/var/cache/debconf/**"], why: "opens the database of settings whatever it is asked, as root" },
  { of: "net", changes: ["/run/samba/**"], why: "the place in which Samba's programs find each other, as root" },
  { of: "dehydrated mkdir", changes: ["/var/lib/dehydrated/**"], why: "the folder of its accounts, which is the system's" },
  {
    of: "say mdfind mdls open make_services",
    changes: ["~/GNUstep", "~/GNUstep/**", "/root/GNUstep", "/tmp/GNUstepSecure*"],
    why: "GNUstep's programs of these names: the folder of their settings",
  },
  { of: "pacman", changes: ["/var/lib/pacman", "/var/lib/pacman/**"], why: "the database of what is installed, where there is none" },
  {
    of: "apt apt-get aptitude",
    changes: ["/var/lib/dpkg/lock", "/var/lib/dpkg/lock-frontend", "/var/lib/apt/lists/lock", "/var/cache/apt/archives/lock"],
    why: "so that no two work at once, as root",
  },
  { of: "aptitude", changes: ["/tmp/aptitude-*"], why: "its place for temporary files, which is left where it is ended" },
  { of: "pipx", changes: ["~/.local", "~/.local/share", "~/.local/share/pipx", "~/.local/pipx/**"], why: "folders of its own" },
  { of: "poetry", changes: ["~/.config/pypoetry"], why: "the folder of its settings" },
  {
    of: "zypper",
    changes: ["/var/log/zypper.log", "/var/tmp/zypp.*", "/run/zypp.pid", "zypper"],
    why: "its log, its lock, and folders of its own whatever it is asked",
  },
  {
    of: "nix nix-*",
    changes: ["~/.nix-defexpr", "~/.nix-profile", "~/.*.nix-profile", "/nix", "/nix/**"],
    why: "its store and the folder of its own, where there are none",
  },
  { of: "isql", changes: ["~/.odbc.ini", "/root/.odbc.ini"], why: "unixODBC makes the user's list of sources where there is none" },
  { of: "npx", changes: ["~/.npm"], why: "the folder of its own" },
  { of: "mpv", changes: ["~/.config/mpv"], why: "the folder of its configuration" },
  {
    of: "ffplay",
    changes: ["/tmp/pulse-*", "~/.config/pulse", "/root/.cache", "/root/.cache/mesa_shader_cache"],
    why: "what sound and picture are played through",
  },
  { of: "iptables* ip6tables*", changes: ["/run/xtables.lock"], why: "so that no two work at once" },
  { of: "ansible*", changes: ["~/.ansible", "~/.ansible/**"], why: "the folder of its own" },
  { of: "lftp", changes: ["~/.local", "~/.local/share", "~/.local/share/lftp", "~/.config/lftp"], why: "folders of its own" },
  { of: "rclone", changes: ["~/.config", "~/.config/rclone"], why: "the folder of its configuration" },
  { of: "btrfs", changes: ["$read"], why: "opens what it asks the kernel about for writing, too, and writes nothing" },
  {
    of: "podman",
    changes: [
      "/var/lib/containers",
      "/var/lib/containers/**",
      "~/.config/containers",
      "~/.local",
      "~/.local/share",
      "~/.local/share/containers/**",
    ],
    why: "its own store and settings, where there are none",
  },
  { of: "podman", changes: ["/run/user/*", "/tmp/podman-run-*"], why: "the folder of its own where it keeps what is running" },
  {
    of: "lv* vg* pv* dm* lvm fsadm",
    changes: ["/dev/mapper", "/dev/mapper/**"],
    why: "the place of the device mapper's own nodes, where there is none",
  },
  {
    of: "dot fc-list weasyprint",
    changes: ["/var/cache/fontconfig", "/var/cache/fontconfig/**"],
    why: "fontconfig keeps its cache where it may, which is as root",
  },
  {
    of: "libreoffice soffice soffice.bin unoconv fwupdtool",
    changes: ["~/.cache/dconf"],
    why: "dconf(7): the folder in which settings are watched",
  },
];

/** Files that a program gives another name without a word of the line that says so. */
const OWN_LINKS: readonly { readonly of: string; readonly links: readonly string[]; readonly why: string }[] = [
  { of: "git git-*", links: ["**/objects/**"], why: "a clone of a folder shares its objects, which nobody writes again" },
];

/** Sockets that say nothing to anybody. */
const OWN_SOCKETS: readonly { readonly of: string; readonly host: string; readonly why: string }[] = [
  { of: "kubectl", host: "localhost", why: "without a configuration it takes this machine for the cluster" },
  { of: "androiddump", host: "localhost", why: "tshark(1) asks for devices of Android, which a server on this machine lists" },
  { of: "fuser", host: "localhost", why: "getaddrinfo(3) sorts addresses by connecting datagram sockets, which sends nothing" },
];

const words = (text: string): readonly string[] => text.split(" ");

/** Names, with `*` for any part. */
const isOf = (program: string, of: string): boolean => words(of).some((one) => matchesText(one, program));

/** Looks things up in the tables of `known.ts`. Each answer is the reason, or undefined. */
export class Habits {
  readonly #place: ScratchPlace;
  readonly #world: World;

  readonly #predictions: readonly Prediction[];

  constructor(place: ScratchPlace, world: World, predictions: readonly Prediction[]) {
    this.#place = place;
    this.#predictions = predictions;
    this.#world = world;
  }

  /** Why a program may start another that no prediction names. */
  part(parent: string, path: string, argv: readonly string[]): string | undefined {
    const name = baseName(path);
    const called = baseName(argv[0] ?? "");
    const said = [called, ...argv.slice(1)].join(" ");
    const isPart = (one: string): boolean => (one.endsWith("/") ? path.startsWith(one) : one === name || one === called || one === "*");
    return PARTS.find((part) => isOf(parent, part.of) && words(part.starts).some(isPart) && said.startsWith(part.words ?? ""))?.why;
  }

  /** Why a program may read a file that no prediction names. */
  look(program: string, operation: "read" | "list", path: string): string | undefined {
    const { base, temp } = this.#place;
    if (!isWithin(path, base) && !isWithin(path, temp)) {
      const system = SYSTEM.find(({ below }) => isWithin(path, below));
      if (system !== undefined) return system.why;
    }
    const of = OWN_FILES.find((own) => isOf(program, own.of) && own.reads.some((pattern) => this.#isRead(pattern, operation, path)));
    return of?.why;
  }

  /** Why it may change something that no prediction names. */
  change(program: string, operation: FileOperation, path: string): string | undefined {
    const isChanged = (pattern: string): boolean =>
      pattern === "$read" ? operation === "edit" && covering(this.#predictions, "read", path) !== undefined : this.#matches(pattern, path);
    return OWN_CHANGES.find(({ of, changes }) => isOf(program, of) && changes.some(isChanged))?.why;
  }

  /** Why it may give a file another name. */
  link(program: string, path: string): string | undefined {
    return OWN_LINKS.find(({ of, links }) => isOf(program, of) && links.some((pattern) => this.#matches(pattern, path)))?.why;
  }

  socket(program: string, { host }: NetAction): string | undefined {
    return OWN_SOCKETS.find((own) => isOf(program, own.of) && own.host === host)?.why;
  }

  #isRead(pattern: string, operation: "read" | "list", path: string): boolean {
    if (pattern === "$root") return path === "/";
    if (pattern === "$cwd") return operation === "list" && path === this.#world.canonical(this.#world.cwd);
    if (pattern === "$project") return operation === "read" && isWithin(path, this.#place.project);
    if (pattern === "$listed") return operation === "read" && covering(this.#predictions, "list", path) !== undefined;
    if (pattern === "$tracked") return operation === "read" && isWithin(path, this.#place.project) && this.#world.tracked(path) === true;
    if (pattern === "$folder") return operation === "list" && isWithin(path, this.#place.project);
    return this.#matches(pattern, path);
  }

  #matches(pattern: string, path: string): boolean {
    const { home, project, temp } = this.#place;
    // Wherever its folder of temporary files lies.
    const usual = isWithin(path, temp) ? `/tmp${path.slice(temp.length)}` : path;
    const parsed = pathPattern(pattern.replace(/^\$git/, ".git"));
    if (!parsed.ok) throw new Error(`a wrong pattern in known.ts: ${pattern}`);
    return matchesSegments(bindPattern(parsed.value, { home, project, fold: false }), usual.slice(1).split("/"));
  }
}
