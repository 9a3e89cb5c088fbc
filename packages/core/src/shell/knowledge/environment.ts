import { ASKED_VARIABLES } from "../../policy/index.ts";
import { GRAMMARS, wordsOf } from "./reads.ts";

/**
 * Environment variables. Unknown is unknown: a variable that reaches a known program is harmless only when it stands in
 * the list below with such a value, or when the program's entry says what it does with it (`reads`, see packages/core/knowledge/README.md).
 * `STEERING` names what is code for many programs, or redirects what they trust: no allow rule for a program covers those.
 */

interface VariableGroup {
  readonly steers: string;
  /** Names separated by spaces; `*` stands for anything. */
  readonly names: string;
  /** The shell and every program look at it: set for whatever comes, it is a question at once. */
  readonly everywhere?: true;
  /** It is guessed of the name's form. */
  readonly guessed?: true;
  /** Those who read them do not tell capital letters from small ones. */
  readonly folds?: true;
}

interface Harmless {
  /** Completes "such a value is more than …". */
  readonly why: string;
  /** The C library of every program looks at it. */
  readonly everyone?: true;
  readonly names: string;
  readonly value: RegExp;
}

const oneOf = (...values: readonly string[]): RegExp =>
  new RegExp(`^(?:${values.map((value) => value.replaceAll(/[.+*?^$(){}|[\]\\]/g, "\\$&")).join("|")})$`);
const JAVA_MEMORY = "-X(?:mx|ms|ss)\\d+[kmgKMG]?";

/** Names that do no harm to any known program, with the values of which that is true. The first row that names a variable counts. */
const HARMLESS: readonly Harmless[] = [
  { why: "an automaton is at work", names: "CI CONTINUOUS_INTEGRATION", value: /^[\w.-]*$/ },
  {
    why: "which of its settings an application takes",
    names: "NODE_ENV RAILS_ENV RACK_ENV MIX_ENV APP_ENV FLASK_ENV",
    value: GRAMMARS.word,
  },
  { why: "how much is logged", names: "DEBUG VERBOSE LOG_LEVEL LOGLEVEL RUST_LOG", value: GRAMMARS.filter },
  { why: "how much is logged", names: "RUST_BACKTRACE RUST_LIB_BACKTRACE TF_CPP_MIN_LOG_LEVEL SYSTEMD_LOG_LEVEL", value: GRAMMARS.word },
  { why: "colour", names: "NO_COLOR", value: GRAMMARS.any },
  {
    why: "colour",
    names: "FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM SYSTEMD_COLORS ANSIBLE_NOCOLOR PIP_NO_COLOR PY_COLORS",
    value: GRAMMARS.word,
  },
  { why: "colour", names: "LS_COLORS GREP_COLOR GREP_COLORS JQ_COLORS EXA_COLORS", value: GRAMMARS.colours },
  { why: "the terminal's kind and size", names: "TERM TERM_PROGRAM", value: GRAMMARS.word, everyone: true },
  { why: "the terminal's kind and size", names: "COLUMNS LINES", value: GRAMMARS.number },
  { everyone: true, why: "a time zone", names: "TZ", value: GRAMMARS.zone },
  { everyone: true, why: "a locale", names: "LANG LANGUAGE LC_*", value: GRAMMARS.locale },
  { why: "how numbers and times are shown", names: "BLOCK_SIZE LS_BLOCK_SIZE DU_BLOCK_SIZE DF_BLOCK_SIZE BLOCKSIZE", value: GRAMMARS.word },
  { why: "how numbers and times are shown", names: "TIME_STYLE", value: /^(?:(?:posix-)?(?:full-iso|long-iso|iso|locale)|\+[%\w: -]*)?$/ },
  { why: "how numbers and times are shown", names: "TIMEFORMAT", value: /^[%\w:.,= \\-]*$/ },
  {
    why: "how names are shown",
    names: "QUOTING_STYLE",
    value: oneOf("", "literal", "shell", "shell-always", "shell-escape", "c", "escape", "locale"),
  },
  { why: "a time that builds take for now", names: "SOURCE_DATE_EPOCH", value: GRAMMARS.number },
  {
    why: "how many work at once, and with how much memory",
    names: `GOMAXPROCS OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS RAYON_NUM_THREADS UV_THREADPOOL_SIZE MALLOC_ARENA_MAX
      CARGO_BUILD_JOBS CMAKE_BUILD_PARALLEL_LEVEL TMOUT`,
    value: GRAMMARS.number,
  },
  { why: "how many work at once, and with how much memory", names: "TOKENIZERS_PARALLELISM", value: GRAMMARS.flag },
  {
    why: "which of the processors work",
    names: "CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES",
    value: /^(?:all|none|[\d,-]*)$/,
  },
  { why: "nobody is there to answer", names: "DEBIAN_FRONTEND", value: oneOf("noninteractive", "readline", "dialog", "teletype", "") },
  {
    why: "nobody is there to answer",
    names: "GIT_TERMINAL_PROMPT PIP_NO_INPUT TF_INPUT TF_IN_AUTOMATION GH_PROMPT_DISABLED npm_config_yes",
    value: GRAMMARS.flag,
  },
  {
    why: "nothing is reported to a maker, and no newer version looked for",
    names: `DO_NOT_TRACK NEXT_TELEMETRY_DISABLED DOTNET_CLI_TELEMETRY_OPTOUT HOMEBREW_NO_AUTO_UPDATE PIP_DISABLE_PIP_VERSION_CHECK
      NO_UPDATE_NOTIFIER npm_config_update_notifier ASTRO_TELEMETRY_DISABLED GATSBY_TELEMETRY_DISABLED STORYBOOK_DISABLE_TELEMETRY
      HF_HUB_DISABLE_TELEMETRY`,
    value: GRAMMARS.flag,
  },
  {
    why: "how the interpreter shows and checks",
    names: `PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8 PYTHONFAULTHANDLER PYTHONDEVMODE PYTHONASYNCIODEBUG PYTHONNOUSERSITE
      PYTHONSAFEPATH`,
    value: GRAMMARS.word,
  },
  { why: "how the interpreter shows and checks", names: "PYTHONHASHSEED", value: GRAMMARS.word },
  { why: "how the interpreter shows and checks", names: "PYTHONIOENCODING", value: /^[\w-]*(?::[a-z]+)?$/ },
  {
    // A category with a dot is a module that is loaded (warnings.py).
    why: "how the interpreter shows and checks",
    names: "PYTHONWARNINGS",
    value: /^(?:(?:default|error|always|module|once|ignore)(?:::(?:[A-Z][a-z]+)*Warning)?(?:,|$))*$/,
  },
  { why: "which account and region of those configured", names: "AWS_PROFILE", value: GRAMMARS.word },
  { why: "which account and region of those configured", names: "AWS_REGION AWS_DEFAULT_REGION", value: /^[a-z\d-]*$/ },
  { why: "how results are shown", names: "AWS_DEFAULT_OUTPUT", value: oneOf("", "json", "text", "table", "yaml", "yaml-stream") },
  { why: "for which machine is built", names: "GOOS GOARCH GOARM GOAMD64 GO111MODULE", value: GRAMMARS.word },
  { why: "for which machine is built", names: "CGO_ENABLED", value: GRAMMARS.flag },
  { why: "which module mode go works in", names: "GOFLAGS", value: wordsOf("-mod=(?:mod|vendor|readonly)|-v|-count=\\d+|-race|-trimpath") },
  { why: "no other toolchain is fetched", names: "GOTOOLCHAIN", value: oneOf("local") },
  {
    why: "who a commit names, and when",
    names: "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_REFLOG_ACTION",
    value: GRAMMARS.text,
  },
  {
    why: "how git shows and waits",
    names: "GIT_OPTIONAL_LOCKS GIT_NO_LAZY_FETCH GIT_ADVICE GIT_FLUSH GIT_LITERAL_PATHSPECS GIT_CURL_VERBOSE",
    value: GRAMMARS.flag,
  },
  { why: "how git shows and waits", names: "GIT_PROGRESS_DELAY", value: GRAMMARS.number },
  { why: "how git shows and waits", names: "GIT_MERGE_AUTOEDIT", value: oneOf("no", "0", "false") },
  { why: "git looks for repositories no further up", names: "GIT_CEILING_DIRECTORIES", value: GRAMMARS.plain },
  // A number above 1 is a descriptor, a path a file that is written (git(1)).
  {
    why: "git tells on stderr what it does",
    names: "GIT_TRACE GIT_TRACE_PERFORMANCE GIT_TRACE_SETUP GIT_TRACE_CURL GIT_TRACE_PACKET GIT_TRACE2",
    value: oneOf("", "0", "1", "2", "true", "false"),
  },
  { why: "less configuration", names: "GIT_CONFIG_NOSYSTEM", value: oneOf("1", "true") },
  { why: "less configuration", names: "GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM RIPGREP_CONFIG_PATH", value: oneOf("/dev/null") },
  { why: "less configuration", names: "RIPGREP_CONFIG_PATH NODE_OPTIONS LESSOPEN", value: oneOf("") },
  {
    why: "output is not paged",
    names: "PAGER GIT_PAGER MANPAGER GH_PAGER AWS_PAGER BAT_PAGER DELTA_PAGER SYSTEMD_PAGER GLAB_PAGER PSQL_PAGER",
    value: oneOf("cat", ""),
  },
  { why: "no proxy", names: "http_proxy https_proxy all_proxy ftp_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY", value: oneOf("") },
  { why: "this machine is reached without a proxy", names: "no_proxy NO_PROXY", value: /^(?:localhost|127\.0\.0\.1|::1|,)*$/ },
  { why: "no browser is started", names: "BROWSER", value: oneOf("none", "true", "false", "echo", ":") },
  {
    why: "which of the browsers tests start",
    names: "CHROME_BIN CHROME_PATH CHROMIUM_BIN FIREFOX_BIN PUPPETEER_EXECUTABLE_PATH PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH",
    value: /^(?:\/usr\/bin\/(?:chromium(?:-browser)?|google-chrome(?:-stable)?|firefox(?:-esr)?))?$/,
  },
  { why: "no browser is fetched", names: "CYPRESS_INSTALL_BINARY PLAYWRIGHT_BROWSERS_PATH", value: oneOf("0") },
  { why: "where windows are shown", names: "DISPLAY", value: /^(?::\d+(?:\.\d+)?)?$/ },
  { why: "where windows are shown", names: "WAYLAND_DISPLAY", value: /^(?:wayland-\d+)?$/ },
  { why: "no bus is reached", names: "DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS", value: oneOf("", "/dev/null", "disabled:") },
  { why: "which of the versions installed", names: "PYENV_VERSION RBENV_VERSION NODENV_VERSION", value: GRAMMARS.number },
  { why: "where windows are shown", names: "QT_QPA_PLATFORM", value: oneOf("offscreen", "minimal", "xcb", "wayland") },
  { why: "no agent has keys", names: "SSH_AUTH_SOCK", value: oneOf("") },
  {
    why: "which of the system's shells",
    names: "SHELL",
    value: oneOf("/bin/sh", "/bin/bash", "/usr/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/zsh"),
  },
  { why: "what the shell shows of itself, and where it splits words", names: "PS1", value: /^[\w@:#>. -]*(?:\$ ?)?$/ },
  {
    why: "which system's Java",
    names: "JAVA_HOME",
    value: /^\/(?:usr\/lib\/jvm|usr\/java|Library\/Java\/JavaVirtualMachines)\/(?!\.)[\w.+-]+(?:\/Contents\/Home)?\/?$/,
  },
  { why: "how the compiler warns and optimises", names: "CFLAGS CXXFLAGS CPPFLAGS", value: GRAMMARS.compiling },
  {
    why: "which checks a sanitizer makes",
    names: "ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS MSAN_OPTIONS",
    value: new RegExp(
      `^(?:(?:${[
        String.raw`detect_\w+|halt_on_error|abort_on_error|symbolize|print_\w+|verbosity|strict_\w+|check_\w+|alloc\w+`,
        String.raw`second_deadlock_stack|history_size|exitcode|allocator_may_return_null`,
      ].join("|")})=\\d+(?::|$))*$`,
    ),
  },
  { why: "modules are fetched from nowhere", names: "GOPROXY", value: oneOf("off") },
  { why: "large files stay pointers", names: "GIT_LFS_SKIP_SMUDGE", value: GRAMMARS.flag },
  { why: "how git's ssh asks and waits", names: "GIT_SSH_COMMAND", value: /^ssh(?: -o (?:BatchMode=yes|ConnectTimeout=\d+))*$/ },
  { why: "how the interpreter shows and checks", names: "NODE_NO_WARNINGS", value: GRAMMARS.flag },
  { why: "types are not checked", names: "TS_NODE_TRANSPILE_ONLY TS_NODE_FILES TS_NODE_LOG_ERROR", value: GRAMMARS.flag },
  { why: "no plugin is loaded by itself", names: "PYTEST_DISABLE_PLUGIN_AUTOLOAD", value: oneOf("1", "true") },
  { why: "which of the tests' workers this is", names: "JEST_WORKER_ID VITEST_POOL_ID VITEST_WORKER_ID", value: GRAMMARS.number },
  {
    why: "what the package manager shows, and asks of the network",
    names: `UV_NO_PROGRESS UV_OFFLINE UV_FROZEN UV_LOCKED UV_NO_CACHE UV_NO_SYNC UV_SYSTEM_PYTHON UV_NO_CONFIG POETRY_NO_INTERACTION
      POETRY_VIRTUALENVS_CREATE POETRY_VIRTUALENVS_IN_PROJECT HOMEBREW_NO_INSTALL_CLEANUP HOMEBREW_NO_ENV_HINTS
      HOMEBREW_NO_ANALYTICS COREPACK_ENABLE_DOWNLOAD_PROMPT`,
    value: GRAMMARS.flag,
  },
  {
    why: "how containers are shown and built",
    names: "DOCKER_CLI_HINTS DOCKER_SCAN_SUGGEST COMPOSE_MENU COMPOSE_IGNORE_ORPHANS COMPOSE_STATUS_STDOUT",
    value: GRAMMARS.flag,
  },
  { why: "how containers are shown and built", names: "COMPOSE_PROGRESS COMPOSE_ANSI COMPOSE_PROJECT_NAME", value: GRAMMARS.word },
  { why: "how containers are shown and built", names: "COMPOSE_PROFILES", value: /^[\w,.-]*$/ },
  {
    why: "how containers are shown and built",
    names: "COMPOSE_HTTP_TIMEOUT COMPOSE_PARALLEL_LIMIT DOCKER_CLIENT_TIMEOUT",
    value: GRAMMARS.number,
  },
  { why: "for which machine is built", names: "DOCKER_DEFAULT_PLATFORM", value: /^(?:[a-z0-9]+\/[a-z0-9]+(?:\/v\d)?)?$/ },
  {
    why: "how much is logged",
    names: "TF_LOG TF_LOG_CORE TF_LOG_PROVIDER",
    value: oneOf("", "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF", "JSON"),
  },
  // As `-var NAME=VALUE`: what the project's files make of it is theirs.
  { why: "what a project's own files ask for", names: "TF_VAR_*", value: GRAMMARS.any },
  { why: "colour", names: "ANSIBLE_FORCE_COLOR", value: GRAMMARS.flag },
  { why: "colour", names: "BAT_THEME", value: GRAMMARS.word },
  { why: "colour", names: "BAT_STYLE", value: /^[\w,+-]*$/ },
  { why: "which repository is asked about", names: "GH_REPO", value: /^[\w-][\w.-]*\/[\w.-]+$/ },
  // Only known at run time it may be any secret, on its way to a service.
  { why: "as whom a service is asked", names: "GH_TOKEN GITHUB_TOKEN GITLAB_TOKEN NPM_TOKEN NODE_AUTH_TOKEN HF_TOKEN", value: /^\w*$/ },
  {
    why: "what is checked",
    names: "SHELLCHECK_OPTS",
    value: wordsOf(
      [
        "(?:-e|--exclude=)(?: )?(?:SC)?\\d+(?:,(?:SC)?\\d+)*|-e|(?:SC)?\\d+(?:,(?:SC)?\\d+)*|-s|-S|-f",
        "(?:--(?:shell|severity|format)=)?(?:sh|bash|dash|ksh|error|warning|info|style|gcc|tty|json1?|checkstyle|diff|quiet)",
      ].join("|"),
    ),
  },
  { why: "nothing is edited", names: "GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL", value: oneOf("true", ":", "cat") },
  { why: "no password is asked for", names: "GIT_ASKPASS SSH_ASKPASS", value: oneOf("true", "/bin/true", "echo", "") },
  { why: "how less shows", names: "LESS", value: oneOf("-R", "-F", "-FR", "-FRX", "FRX", "-FX", "FX", "R", "F", "") },
  { why: "what the shell shows of itself, and where it splits words", names: "PS4", value: oneOf("+ ", "") },
  { why: "what the shell shows of itself, and where it splits words", names: "IFS", value: oneOf("", ",", ":", ";", "/", "\n", " \t\n") },
  {
    why: "what the shell shows of itself, and where it splits words",
    names: "HISTSIZE HISTCONTROL OPTIND OPTERR SECONDS RANDOM",
    value: GRAMMARS.word,
  },
  { why: "what the shell shows of itself, and where it splits words", names: "REPLY HISTTIMEFORMAT", value: GRAMMARS.any },
  { why: "how much the package manager says", names: "npm_config_loglevel NPM_CONFIG_LOGLEVEL", value: GRAMMARS.word },
  {
    why: "how much the package manager says and asks of the network",
    names: `npm_config_color npm_config_progress npm_config_fund npm_config_audit npm_config_offline npm_config_prefer_offline
      npm_config_dry_run PIP_QUIET PIP_NO_CACHE_DIR CARGO_NET_OFFLINE`,
    value: GRAMMARS.flag,
  },
  { why: "packages run no scripts", names: "npm_config_ignore_scripts", value: oneOf("true", "1") },
  {
    why: "how cargo shows and builds",
    names: "CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN CARGO_TERM_VERBOSE CARGO_INCREMENTAL",
    value: GRAMMARS.word,
  },
  { why: "how docker builds and shows", names: "DOCKER_BUILDKIT COMPOSE_DOCKER_CLI_BUILD BUILDKIT_PROGRESS", value: GRAMMARS.word },
  { why: "which of the system's compilers builds", names: "CC CXX", value: oneOf("cc", "gcc", "clang", "c++", "g++", "clang++") },
  // Flags that only size, time or warn.
  {
    why: "how node warns, and how much memory it takes",
    names: "NODE_OPTIONS",
    value: wordsOf(
      `--(?:${[
        "max-old-space-size=\\d+|max-semi-space-size=\\d+|no-warnings|no-deprecation|trace-warnings|trace-deprecation",
        "enable-source-maps|experimental-vm-modules|stack-trace-limit=\\d+|unhandled-rejections=\\w+|dns-result-order=\\w+",
      ].join("|")})`,
    ),
  },
  { why: "how make goes on and shows", names: "MAKEFLAGS", value: wordsOf("-j\\d*|-s|-k|--silent|--no-print-directory") },
  { why: "how much memory Java takes", names: "MAVEN_OPTS JAVA_TOOL_OPTIONS _JAVA_OPTIONS JAVA_OPTS", value: wordsOf(JAVA_MEMORY) },
  {
    why: "how much memory Java takes",
    names: "GRADLE_OPTS",
    value: wordsOf(`${JAVA_MEMORY}|-Dorg\\.gradle\\.(?:daemon|parallel|caching)=(?:true|false)`),
  },
  {
    why: "how tests are shown",
    names: "PYTEST_ADDOPTS",
    value: wordsOf("-q|-v|-vv|-x|-s|--tb=\\w+|--color=\\w+|--no-header|--maxfail=\\d+|-ra"),
  },
  {
    why: "how the compiler warns and optimises",
    names: "RUSTFLAGS",
    value: wordsOf("-Dwarnings|-Awarnings|-D|-A|-W|warnings|-Cdebuginfo=\\d|-Copt-level=\\w"),
  },
];

/** What each group steers; the first group that names a variable gives the reason. */
const STEERING: readonly VariableGroup[] = [
  {
    everywhere: true,
    steers: "the loader runs code it names in every program",
    names: `LD_* DYLD_* GLIBC_TUNABLES GCONV_PATH GETCONF_DIR LOCPATH NLSPATH I18NPATH TZDIR MALLOC_* Malloc* TERMINFO TERMINFO_DIRS TERMCAP
      TERMPATH NCURSES_*`,
  },
  {
    everywhere: true,
    steers: "it decides which programs names stand for",
    names: "PATH PATHEXT CDPATH fpath FPATH MODULE_PATH module_path MANPATH INFOPATH",
  },
  {
    everywhere: true,
    steers: "the shell runs or expands it",
    names: `BASH_ENV ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS BASH_FUNC_* BASH_LOADABLES_PATH BASH_XTRACEFD IFS
      GLOBIGNORE EXECIGNORE FIGNORE ZDOTDIR SHELL HISTFILE INPUTRC POSH_* NULLCMD READNULLCMD`,
  },
  {
    everywhere: true,
    steers: "it moves where programs look for their configuration, state and temporary files",
    names: `HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR TMPDIR TMP TEMP
      USERPROFILE APPDATA LOCALAPPDATA ASSENT_*`,
  },
  {
    everywhere: true,
    steers: "with it programs tell options and operands apart in another way",
    names: "POSIXLY_CORRECT _POSIX* __GNU_* COMMAND_MODE",
  },
  {
    everywhere: true,
    steers: "agents and their hooks take settings and names from it",
    names: [...ASKED_VARIABLES, "MCP_AUTO_APPROVE"].join(" "),
  },
  {
    everywhere: true,
    steers: "it switches the hooks of repositories off",
    names: "HUSKY HUSKY_SKIP_HOOKS LEFTHOOK PRE_COMMIT_ALLOW_NO_CONFIG",
  },
  {
    steers: "a program is started from it",
    names: `PAGER *_PAGER *PAGER LESS LESSOPEN LESSCLOSE LESSEDIT LESSKEY* MORE EDITOR VISUAL *_EDITOR *EDITOR BROWSER *_BROWSER *_COMMAND
      *_CMD *_ASKPASS *ASKPASS *_SHELL *_WRAPPER *_LAUNCHER *_RUNNER *_HELPER *_HOOK *_HOOKS FCEDIT SUDO_* DIFFPROG MERGETOOL
      TEXEDIT OPENER TERMINAL CARGO_TARGET_*`,
  },
  { steers: "git takes configuration, programs or another repository from it", names: "GIT_*" },
  {
    steers: "the interpreter loads code from it",
    names: `PYTHON* PERL* RUBY* GEM_* BUNDLE_* NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_*
      NODE_V8_COVERAGE TS_NODE_* TSX_* DENO_* BUN_* LUA_* PHP_* PHPRC TCLLIBPATH R_* JULIA_* GUILE_* ERL_* ELIXIR_* CLASSPATH JAVA_*
      JDK_* _JAVA_* JVM_* GROOVY* SCALA* KOTLIN* DOTNET_* CORECLR_* COMPLUS_* VIMINIT EXINIT GVIMINIT MYVIMRC VIM VIMRUNTIME
      EMACSLOADPATH`,
  },
  {
    steers: "the build runs programs or flags from it",
    names: `CC CXX CPP LD AR AS NM RANLIB STRIP FC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS MAKE MAKE* MFLAGS GNUMAKEFLAGS RUSTC* RUSTDOC*
      RUSTFLAGS RUSTUP_* CARGO* GOFLAGS GOENV GOPATH GOROOT GOBIN GOPROXY GOPRIVATE GONO* GOSUMDB GOINSECURE GOTOOLCHAIN GOTOOLDIR
      GOCACHE* GOMODCACHE GOTMPDIR GOWORK GOEXPERIMENT GODEBUG GOVCS GOAUTH GCCGO CGO_* CMAKE_* NINJA_* MAVEN_* MVN_* GRADLE_* ANT_*
      SBT_* BAZEL* PKG_CONFIG* COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH CPATH OBJC_INCLUDE_PATH DEPENDENCIES_OUTPUT
      SUNPRO_DEPENDENCIES C_INCLUDE_PATH CPLUS_INCLUDE_PATH DISTCC_* CCACHE_* PROTOC`,
  },
  {
    // @npmcli/config and yarn's rc.js fold the names.
    folds: true,
    steers: "the package manager takes its registry, configuration or scripts from it",
    names: "npm_config_* pnpm_config_* yarn_*",
  },
  {
    steers: "the package manager takes its registry, configuration or scripts from it",
    names: `npm_* pnpm_* NPM_* YARN_* PNPM_* COREPACK_* PIP_* PIPX_* UV_* POETRY_* CONDA_* MAMBA_* VIRTUAL_ENV HOMEBREW_* NIX_* COMPOSER_*
      MISE_* ASDF_* VOLTA_* NVM_*`,
  },
  {
    steers: "tests and linters load code from it",
    names: "PYTEST_* JEST_* VITEST_* ESLINT_* MYPY* PRETTIER_* COVERAGE_* TOX_* NOX_* PRE_COMMIT_*",
  },
  {
    steers: "the tool reads options from it, which can run programs",
    names: `RIPGREP_CONFIG_PATH ACKRC ACK_* TAR_OPTIONS GREP_OPTIONS GZIP GZIP_OPT BZIP2 BZIP XZ_* ZSTD_* ZIPOPT UNZIP ZIPINFO MANOPT
      FZF_* BAT_* DELTA_* AG_* FD_* JQ_* RSYNC_* CVS_RSH RSH TAPE PARALLEL PARALLEL_* PSQLRC MYSQL_* MYSQLRC SQLITE_* CURL_HOME
      WGETRC NETRC SCREENRC TMUX TMUX_* GNUPGHOME GPG_* SSH_* SVN_* HG* OPENSSL_* RANDFILE GROFF_* TEXINPUTS TEXMF* MAGICK_* GS_*
      GVBINDIR PANDOC_* SYSTEMD_* JUST_* COWPATH GDK_* GTK_* QT_* G_* GIO_* GST_* GSETTINGS_* XML_CATALOG_FILES SGML_CATALOG_FILES
      XMLLINT_* MAGIC LIBMOUNT_* BLKID_* SIMPLE_BACKUP_SUFFIX VERSION_CONTROL WORDLIST AWKPATH AWKLIBPATH MAWK_* GAWK_* QLOGDIR
      FONTCONFIG_* GLAMOUR_STYLE`,
  },
  {
    steers: "the client reaches another service or runs credential programs from it",
    names: `KUBECONFIG KUBE* KUBECTL_* HELM_* DOCKER_* CONTAINER_HOST CONTAINERS_* COMPOSE_* BUILDX_* BUILDKIT_* PODMAN_* AWS_* GOOGLE_*
      CLOUDSDK_* GCLOUD_* AZURE_* ARM_* TF_* TERRAFORM_* VAULT_* CONSUL_* NOMAD_* GH_* GITHUB_* GITLAB_* GLAB_* ANSIBLE_* PGHOST
      PGHOSTADDR PGPASSFILE PGSERVICE* PGSYSCONFDIR PG_* REDISCLI_*`,
  },
  {
    steers: "connections go elsewhere or trust another certificate",
    names: `KRB5* SASL_* LDAP* NSS_* P11_* PKCS11_* GNUTLS_* NIS_PATH *_proxy *_PROXY proxy SSL_CERT_* *CA_BUNDLE *_CA_CERTS
      CURL_CA_BUNDLE SSLKEYLOGFILE HOSTALIASES RES_OPTIONS LOCALDOMAIN RESOLV_* *_ENDPOINT *_ENDPOINT_URL *_REGISTRY`,
  },
  {
    steers: "a part of the build or of the tests is started from it, or kept code read from it",
    names: `AUTOCONF AUTOHEADER AUTOM4TE AUTOMAKE* ACLOCAL* autom4te_* LIBTOOLIZE AUTOPOINT M4 LEX YACC FLEX BISON* NINJA MESON* CMAKE
      NODE NODE_BINARY *_BINARY *_BIN *_EXE *_COMPILER HOST_CC HOST_CXX HOST_AR TARGET_CC TARGET_CXX TARGET_AR CC_* CXX_* AR_* JAVA
      JAVACMD MVNW_* GOPACKAGESDRIVER GO_LDSO GYP_* BINDGEN_* LLVM_* CLANG_* RUSTFMT TORCH_HOME TORCH_EXTENSIONS_DIR TORCHINDUCTOR_*
      TRITON_* NUMBA_* CUPY_* BOOTSNAP_* BABEL_CACHE_PATH NODE_COMPILE_CACHE NODE_REDIRECT_WARNINGS NODE_ICU_DATA
      ELECTRON_RUN_AS_NODE ELECTRON_OVERRIDE_* ELECTRON_MIRROR PRISMA_QUERY_* PRISMA_SCHEMA_* PRISMA_ENGINES_* PRISMA_FMT_*
      TURBO_API TURBO_REMOTE_* NX_CLOUD_* NX_CACHE_* NX_PLUGIN* LEFTHOOK_* USE_BAZEL_VERSION ZIG_* STACK_ROOT STACK_YAML CABAL_*
      OPAM* HEX_* REBAR_* MIX_ARCHIVES MIX_INSTALL_DIR NUGET_* MSBuild* COR_* WINE* QEMU_* FAKEROOT* FAKED_* FAKECHROOT_* PROOT_*
      VALGRIND_* IRBRC PRYRC BYEBUGRC RAKEOPT *RC_FILE MATPLOTLIBRC *_CMD_ARGS *_MIRROR *_DOWNLOAD_HOST BAZELISK_* SHARP_* *_PYPI_*
      RBENV_* PYENV_* NODENV_* GOENV_* JENV_* SDKMAN_*`,
  },
  {
    steers: "drivers and displays are loaded or reached by it",
    names: `VK_* __EGL_* __GLX_* OCL_ICD_* LIBGL_* LIBVA_* VDPAU_* DBUS_* DISPLAY XAUTHORITY ICEAUTHORITY WAYLAND_DISPLAY ODBC* TNS_ADMIN
      FREETDS* *_PLUGIN_DIR XTABLES_* IPTABLES_* TC_LIB_DIR SCREENDIR STY MAILRC MAILCAPS`,
  },
  {
    steers: "a file that it names is written",
    names: "GCOV_PREFIX* GOCOVERDIR CPUPROFILE HEAPPROFILE GDBHISTFILE GDB_HISTFILE LESSHISTFILE",
  },
  {
    steers: "its name says that it changes where a program looks or what it runs",
    guessed: true,
    names: `*_OPTIONS *OPTS *_OPT *FLAGS *PATH *_RC *CONFIG* *_PRELOAD *_PLUGIN *_PLUGINS *_EXEC *_PROGRAM *_INTERPRETER *_LOADER *_HOME
      *_STARTUP`,
  },
];

const matcher = (names: string): ((name: string) => boolean) => {
  const words = names.split(/\s+/).filter((word) => word !== "");
  const exact = new Set(words.filter((word) => !word.includes("*")));
  const patterns = words.filter((word) => word.includes("*"));
  return (name) => exact.has(name) || patterns.some((pattern) => matchesName(pattern, name));
};

/** `*` at the start, the end or both. */
export function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern === name;
  const core = pattern.replace(/^\*/, "").replace(/\*$/, "");
  if (name.length < core.length) return false;
  if (pattern.startsWith("*")) return pattern.endsWith("*") ? name.includes(core) : name.endsWith(core);
  return name.startsWith(core);
}

/** A longer value than this fits no grammar: nobody writes one. */
const LONGEST_VALUE = 1000;

/** `value` is undefined when it is only known at run time. */
export const fits = (grammar: RegExp, value: string | undefined): boolean =>
  value === undefined ? grammar === GRAMMARS.any : value.length <= LONGEST_VALUE && grammar.test(value);

let harmless: readonly (readonly [(name: string) => boolean, Harmless])[] | undefined;
let steering: readonly (readonly [(name: string) => boolean, VariableGroup])[] | undefined;

/** What is known of a variable whatever program gets it. */
export type Variable =
  | "harmless"
  | "unknown"
  /** `unfit`: harmless with other values than this one. */
  | { readonly steers: string; readonly everywhere: boolean; readonly unfit?: true; readonly guessed?: true };

/** Whether a variable with this value is harmless to every known program, or what it steers. */
export function readVariable(name: string, value: string | undefined): Variable {
  harmless ??= HARMLESS.map((row) => [matcher(row.names), row]);
  const rows = harmless.filter(([named]) => named(name)).map(([, row]) => row);
  if (rows.some((row) => fits(row.value, value))) return "harmless";
  steering ??= STEERING.map((group) => [matcher(group.names), group]);
  const found = steering.find(([named, { folds }]) => named(folds === true ? name.toLowerCase() : name))?.[1];
  if (found !== undefined)
    return { steers: found.steers, everywhere: found.everywhere === true, ...(found.guessed === true ? { guessed: true } : {}) };
  const [row] = rows;
  if (row === undefined) return "unknown";
  return { steers: `such a value may be more than ${row.why}`, everywhere: false, ...(row.everyone === true ? {} : { unfit: true }) };
}

/** All names that stand here by themselves. */
export const VARIABLE_NAMES: readonly string[] = [
  ...new Set([...HARMLESS, ...STEERING].flatMap(({ names }) => names.split(/\s+/).filter((name) => !name.includes("*")))),
  "LC_ALL",
  "LC_CTYPE",
  "LC_MESSAGES",
  "TF_VAR_x",
];

/** Variables that name code of the project to its own code, or what is built of it: lists of folders, files or modules. */
const CODE_PATHS = matcher(
  `PYTHONPATH NODE_PATH RUBYLIB PERL5LIB CLASSPATH PYTEST_PLUGINS COVERAGE_FILE COVERAGE_RCFILE COVERAGE_PROCESS_START
  TS_NODE_PROJECT BUNDLE_GEMFILE VIRTUAL_ENV CARGO_TARGET_DIR GOCACHE GOTMPDIR GOMODCACHE GOCOVERDIR LLVM_PROFILE_FILE
  GCOV_PREFIX MATPLOTLIBRC`,
);

/** True for a variable that only says where the code that a program runs finds more of it. */
export const namesCode = (name: string): boolean => CODE_PATHS(name);
