/**
 * Environment variables that are code, or that redirect what a program trusts, and the ones that are neither.
 * A variable not listed and not caught by a pattern is a name some script chose for itself: harmless.
 */

interface Group {
  readonly steers: string;
  /** Names separated by spaces; `*` stands for anything. */
  readonly names: string;
}

/** Harmless whatever the value, although a pattern below would catch some. */
const HARMLESS = `
  CI DEBUG VERBOSE NODE_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TZ LANG LANGUAGE LC_* COLUMNS LINES TERM
  RUST_BACKTRACE RUST_LOG PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONWARNINGS
  AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT GOOS GOARCH CGO_ENABLED GOMAXPROCS GO111MODULE
  GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
  GIT_COMMITTER_DATE GIT_TRACE_PERFORMANCE GIT_LITERAL_PATHSPECS GIT_ICASE_PATHSPECS GIT_MERGE_AUTOEDIT GIT_REFLOG_ACTION
  GIT_NO_LAZY_FETCH GIT_ADVICE GIT_FLUSH GIT_PROGRESS_DELAY GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_CEILING_DIRECTORIES
  SKIP PRE_COMMIT_ALLOW_NO_CONFIG NEXT_TELEMETRY_DISABLED DO_NOT_TRACK DOTNET_CLI_TELEMETRY_OPTOUT HOMEBREW_NO_AUTO_UPDATE
  npm_config_loglevel npm_config_yes npm_config_color npm_config_progress npm_config_fund npm_config_audit npm_config_update_notifier
  npm_config_offline npm_config_prefer_offline npm_config_dry_run npm_config_ignore_scripts NPM_CONFIG_LOGLEVEL
  PIP_NO_INPUT PIP_DISABLE_PIP_VERSION_CHECK PIP_QUIET PIP_NO_COLOR PIP_NO_CACHE_DIR CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN
  CARGO_TERM_VERBOSE CARGO_NET_OFFLINE CARGO_INCREMENTAL CARGO_BUILD_JOBS GREP_COLOR GREP_COLORS LS_COLORS CLICOLOR JQ_COLORS QUOTING_STYLE
  TIME_STYLE BLOCK_SIZE POSIXLY_CORRECT DEBIAN_FRONTEND SYSTEMD_COLORS SYSTEMD_LOG_LEVEL TIMEFORMAT TMOUT SOURCE_DATE_EPOCH
  MALLOC_ARENA_MAX OMP_NUM_THREADS TOKENIZERS_PARALLELISM TF_CPP_MIN_LOG_LEVEL TF_IN_AUTOMATION TF_INPUT
  HISTSIZE HISTCONTROL HISTTIMEFORMAT OPTIND OPTERR REPLY SECONDS RANDOM`;

/** Harmless with exactly these values. */
const HARMLESS_VALUES: Readonly<Record<string, string>> = {
  GIT_PAGER: "cat|",
  PAGER: "cat|",
  MANPAGER: "cat|",
  GH_PAGER: "cat|",
  AWS_PAGER: "cat|",
  BAT_PAGER: "cat|",
  DELTA_PAGER: "cat|",
  SYSTEMD_PAGER: "cat|",
  GIT_EDITOR: "true|:|cat",
  GIT_SEQUENCE_EDITOR: "true|:|cat",
  EDITOR: "true|:|cat",
  VISUAL: "true|:|cat",
  GIT_CONFIG_NOSYSTEM: "1|true",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_ASKPASS: "true|/bin/true|echo|",
  SSH_ASKPASS: "true|/bin/true|echo|",
  LESS: "-R|-F|-FR|-FRX|FRX|-FX|FX|R|F|",
  PS4: "+ |",
  IFS: "|,|:|;|/|\n| \t\n",
  GIT_TRACE: "1|2|0|true|false|",
  GIT_CURL_VERBOSE: "1|0",
  GOTOOLCHAIN: "local",
  GOFLAGS: "-mod=mod|-mod=vendor|-mod=readonly|",
  NODE_OPTIONS: "",
  LESSOPEN: "",
  RIPGREP_CONFIG_PATH: "|/dev/null",
  ANSIBLE_NOCOLOR: "1",
};

/** Safe when every word of the value is one of these: flags that only size or time things. */
const HARMLESS_WORDS: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS:
    /^--(max-old-space-size=\d+|max-semi-space-size=\d+|no-warnings|no-deprecation|trace-warnings|trace-deprecation|enable-source-maps|experimental-vm-modules|stack-trace-limit=\d+|unhandled-rejections=\w+|dns-result-order=\w+)$/,
  MAKEFLAGS: /^(-j\d*|-s|-k|--silent|--no-print-directory)$/,
  MAVEN_OPTS: /^-X(mx|ms|ss)\d+[kmgKMG]?$/,
  JAVA_TOOL_OPTIONS: /^-X(mx|ms|ss)\d+[kmgKMG]?$/,
  _JAVA_OPTIONS: /^-X(mx|ms|ss)\d+[kmgKMG]?$/,
  GRADLE_OPTS: /^(-X(mx|ms|ss)\d+[kmgKMG]?|-Dorg\.gradle\.(daemon|parallel|caching)=(true|false))$/,
  PYTEST_ADDOPTS: /^(-q|-v|-vv|-x|-s|--tb=\w+|--color=\w+|--no-header)$/,
  RUSTFLAGS: /^(-Dwarnings|-Awarnings|-D|-A|-W|warnings|-Cdebuginfo=\d|-Copt-level=\w)$/,
};

/** What each group steers; the first group that names a variable gives the reason. */
const STEERING: readonly Group[] = [
  {
    steers: "the loader runs code it names in every program",
    names: "LD_* DYLD_* GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH MALLOC_CHECK_ TERMINFO TERMINFO_DIRS TERMCAP",
  },
  {
    steers: "it decides which programs names stand for",
    names: "PATH PATHEXT CDPATH fpath FPATH MODULE_PATH module_path MANPATH INFOPATH",
  },
  {
    steers: "the shell runs or expands it",
    names:
      "BASH_ENV ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS BASH_FUNC_* BASH_LOADABLES_PATH BASH_XTRACEFD IFS GLOBIGNORE EXECIGNORE FIGNORE ZDOTDIR SHELL HISTFILE INPUTRC POSH_* NULLCMD READNULLCMD",
  },
  {
    steers: "it moves where programs look for their configuration, state and temporary files",
    names:
      "HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR TMPDIR TMP TEMP USERPROFILE APPDATA LOCALAPPDATA CODEX_HOME ASSENT_*",
  },
  { steers: "agents and their hooks take settings and names from it", names: "CLAUDE_* MCP_AUTO_APPROVE" },
  { steers: "it switches the hooks of repositories off", names: "HUSKY HUSKY_SKIP_HOOKS LEFTHOOK" },
  {
    steers: "a program is started from it",
    names:
      "PAGER *_PAGER *PAGER LESS LESSOPEN LESSCLOSE LESSEDIT LESSKEY* MORE EDITOR VISUAL *_EDITOR *EDITOR BROWSER *_BROWSER *_COMMAND *_CMD *_ASKPASS *ASKPASS *_SHELL *_WRAPPER *_LAUNCHER *_RUNNER *_HELPER *_HOOK *_HOOKS FCEDIT SUDO_* DIFFPROG MERGETOOL TEXEDIT OPENER TERMINAL CARGO_TARGET_*",
  },
  { steers: "git takes configuration, programs or another repository from it", names: "GIT_*" },
  {
    steers: "the interpreter loads code from it",
    names:
      "PYTHON* PERL5* PERL_* PERLLIB RUBY* GEM_* BUNDLE_* NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_* NODE_V8_COVERAGE TS_NODE_* TSX_* DENO_* BUN_* LUA_* PHP_* PHPRC TCLLIBPATH R_* JULIA_* GUILE_* ERL_* ELIXIR_* CLASSPATH JAVA_* JDK_* _JAVA_* JVM_* GROOVY* SCALA* KOTLIN* DOTNET_* CORECLR_* COMPLUS_* VIMINIT EXINIT GVIMINIT MYVIMRC VIM VIMRUNTIME EMACSLOADPATH",
  },
  {
    steers: "the build runs programs or flags from it",
    names:
      "CC CXX CPP LD AR AS NM RANLIB STRIP FC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS MAKE MAKE* MFLAGS GNUMAKEFLAGS RUSTC* RUSTDOC* RUSTFLAGS RUSTUP_* CARGO* GOFLAGS GOENV GOPATH GOROOT GOBIN GOPROXY GOPRIVATE GONO* GOSUMDB GOINSECURE GOTOOLCHAIN GOTOOLDIR GOCACHE* GOMODCACHE GOTMPDIR GOWORK GOEXPERIMENT GODEBUG GOVCS GOAUTH GCCGO CGO_* CMAKE_* NINJA_* MAVEN_* MVN_* GRADLE_* ANT_* SBT_* BAZEL* PKG_CONFIG* COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH DISTCC_* CCACHE_* PROTOC",
  },
  {
    steers: "the package manager takes its registry, configuration or scripts from it",
    names:
      "npm_* NPM_* YARN_* PNPM_* COREPACK_* PIP_* PIPX_* UV_* POETRY_* CONDA_* MAMBA_* VIRTUAL_ENV HOMEBREW_* NIX_* COMPOSER_* MISE_* ASDF_* VOLTA_* NVM_*",
  },
  {
    steers: "tests and linters load code from it",
    names: "PYTEST_* JEST_* VITEST_* ESLINT_* MYPY* PRETTIER_* COVERAGE_* TOX_* NOX_* PRE_COMMIT_*",
  },
  {
    steers: "the tool reads options from it, which can run programs",
    names:
      "RIPGREP_CONFIG_PATH ACKRC ACK_* TAR_OPTIONS GREP_OPTIONS GZIP GZIP_OPT BZIP2 BZIP XZ_* ZSTD_* ZIPOPT UNZIP ZIPINFO MANOPT FZF_* BAT_* DELTA_* AG_* FD_* JQ_* RSYNC_* CVS_RSH RSH TAPE PARALLEL PARALLEL_* PSQLRC MYSQL_* MYSQLRC SQLITE_* CURL_HOME WGETRC NETRC SCREENRC TMUX TMUX_* GNUPGHOME GPG_* SSH_* SVN_* HG* OPENSSL_* RANDFILE GROFF_* TEXINPUTS TEXMF* MAGICK_* GS_* GVBINDIR PANDOC_* SYSTEMD_* JUST_* COWPATH GDK_* GTK_* QT_*",
  },
  {
    steers: "the client reaches another service or runs credential programs from it",
    names:
      "KUBECONFIG KUBE* KUBECTL_* HELM_* DOCKER_* CONTAINER_HOST CONTAINERS_* COMPOSE_* BUILDX_* BUILDKIT_* PODMAN_* AWS_* GOOGLE_* CLOUDSDK_* GCLOUD_* AZURE_* ARM_* TF_* TERRAFORM_* VAULT_* CONSUL_* NOMAD_* GH_* GITHUB_* GITLAB_* GLAB_* ANSIBLE_* PGHOST PGHOSTADDR PGPASSFILE PGSERVICE* PGSYSCONFDIR PG_* REDISCLI_*",
  },
  {
    steers: "connections go elsewhere or trust another certificate",
    names:
      "*_proxy *_PROXY proxy SSL_CERT_* *CA_BUNDLE *_CA_CERTS CURL_CA_BUNDLE SSLKEYLOGFILE HOSTALIASES RES_OPTIONS LOCALDOMAIN RESOLV_* *_ENDPOINT *_ENDPOINT_URL *_REGISTRY",
  },
  {
    steers: "its name says that it changes where a program looks or what it runs",
    names:
      "*_OPTIONS *OPTS *_OPT *FLAGS *PATH *_RC *CONFIG* *_PRELOAD *_PLUGIN *_PLUGINS *_EXEC *_PROGRAM *_INTERPRETER *_LOADER *_HOME *_STARTUP",
  },
];

const matcher = (names: string): ((name: string) => boolean) => {
  const words = names.split(/\s+/).filter((word) => word !== "");
  const exact = new Set(words.filter((word) => !word.includes("*")));
  const patterns = words.filter((word) => word.includes("*"));
  return (name) => exact.has(name) || patterns.some((pattern) => matches(pattern, name));
};

/** `*` at the start, the end or both. */
function matches(pattern: string, name: string): boolean {
  const core = pattern.replace(/^\*/, "").replace(/\*$/, "");
  if (name.length < core.length) return false;
  if (pattern.startsWith("*")) return pattern.endsWith("*") ? name.includes(core) : name.endsWith(core);
  return name.startsWith(core);
}

let isHarmless: ((name: string) => boolean) | undefined;
let steering: readonly (readonly [(name: string) => boolean, string])[] | undefined;

/**
 * Whether setting a variable for a command is harmless, or what it steers.
 * `value` is undefined when it is only known at run time.
 */
export function readVariable(name: string, value: string | undefined): "harmless" | { readonly steers: string } {
  isHarmless ??= matcher(HARMLESS);
  if (isHarmless(name)) return "harmless";
  if (value !== undefined) {
    const accepted = Object.hasOwn(HARMLESS_VALUES, name) ? HARMLESS_VALUES[name] : undefined;
    if (accepted?.split("|").includes(value) === true) return "harmless";
    const word = Object.hasOwn(HARMLESS_WORDS, name) ? HARMLESS_WORDS[name] : undefined;
    if (word !== undefined && value.split(/\s+/).every((one) => one === "" || word.test(one))) return "harmless";
  }
  steering ??= STEERING.map((group) => [matcher(group.names), group.steers]);
  const found = steering.find(([named]) => named(name));
  return found === undefined ? "harmless" : { steers: found[1] };
}
