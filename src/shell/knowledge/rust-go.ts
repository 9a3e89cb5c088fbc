import { PROJECT_TOOL, VERSIONED_TOOL } from "./project-tool.ts";
import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

/** Building runs build scripts, procedural macros and test code. */
const BUILDS: SubcommandSpec = { style: "none", operands: "text*", effects: "code.project" };

const CARGO_READ = rows(
  "-p --package=text; --manifest-path=read; --format-version=text; --no-deps; --features=text; --all-features; --no-default-features; --workspace; -e --edges=text; -i --invert=text; -d --duplicates; --depth=text; --prefix=text; --no-dedupe; --target=text; -f --format=text; --limit=text; --registry=text; --filter-platform=text; --charset=text; --message-format=text",
);

export const rustGo: readonly CommandSpec[] = [
  {
    names: "cargo",
    helps: "--help -h +help",
    before: "rust-toolchain",
    summary: "builds Rust projects",
    style: "bsd",
    // `+toolchain` comes first; `--config` can name a runner; aliases and cargo-* programs are other subcommands.
    options: rows(
      "-V --version -> stop; --list -> stop; --explain=text -> stop; -v --verbose; -q --quiet; --color=text; --locked; --offline; --frozen; -C=dir; -Z=foreign/cargo; --config=foreign/cargo; +stable; +nightly; +beta; -h --help -> stop",
    ),
    // Whatever asks for the dependencies brings the lock file up to date, as git its index.
    upkeep: ["write ~/.cargo/registry/**", "write ~/.cargo/.package-cache", "write ~/.rustup/settings.toml", "write Cargo.lock"],
    examples: { allow: ["cargo --version"], none: ["cargo evil-plugin"] },
    subcommands: {
      "locate-project|pkgid|verify-project|search|read-manifest": {
        options: CARGO_READ,
        operands: "text*",
        effects: "remote.read crates",
        examples: { allow: ["cargo --version", "cargo search serde", "cargo pkgid"] },
      },
      // They ask the compiler about itself, and `.cargo/config.toml` may name another one (`cargo-config`, analyser).
      "tree|info": {
        options: CARGO_READ,
        operands: "text*",
        effects: "remote.read crates",
        analyse: "cargo-config",
        examples: { allow: ["cargo tree -d"] },
      },
      // `help NAME` asks the program cargo-NAME.
      "help|version": { operands: "", examples: { allow: ["cargo help"], ask: ["cargo help evil-plugin"] } },
      metadata: {
        options: CARGO_READ,
        operands: "",
        effects: "remote.read crates",
        analyse: "cargo-config",
        examples: { allow: ["cargo metadata --no-deps --format-version 1"] },
      },
      // Programs of their own.
      "clippy|miri|nextest|expand|llvm-cov|tarpaulin|insta|watch|make|xtask": {
        ...BUILDS,
        helps: "",
        examples: { none: ["cargo clippy -- -D warnings", "cargo nextest run", "cargo expand --help"], ask: ["cargo help nextest"] },
      },
      "build|b|check|c|test|t|run|r|bench|doc|d|rustc|rustdoc|fix": {
        ...BUILDS,
        examples: {
          none: ["cargo check", "cargo test -q", "cargo build --release", "cargo c", "cargo fix --lib"],
          allow: ["cargo help build", "cargo test --help"],
        },
      },
      fmt: {
        options: "--check\n--all\n-p --package=text\n--message-format=text",
        analyse: "cargo-fmt",
        examples: {
          allow: ["cargo fmt --check", "cargo fmt --all -- --check"],
          ask: ["cargo fmt", "cargo fmt --all", "cargo fmt -- --check --config-path=x", "cargo fmt -- src/a.rs"],
        },
      },
      "add|remove|rm|update|init|new|generate-lockfile|vendor|fetch|install|uninstall": {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.read crates, write Cargo.lock",
        examples: { ask: ["cargo add serde", "cargo install x", "cargo update"] },
      },
      clean: {
        options: rows(
          "-p --package=text; --release; --profile=text; --target=text; --target-dir=deletetree; -n --dry-run; --doc; --manifest-path=read",
        ),
        operands: "",
        effects: "deletetree target",
        examples: { ask: ["cargo clean"], deny: ["cargo clean --target-dir ~"] },
      },
      "publish|package": {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.publish crates, danger publish",
        examples: { ask: ["cargo publish", "cargo publish --dry-run"] },
      },
      "yank|owner": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy crates, danger remote-destroy",
        examples: { ask: ["cargo yank x@1"] },
      },
      "login|logout": { style: "none", operands: "text*", effects: "remote.change crates", examples: { ask: ["cargo login"] } },
    },
  },
  {
    names: "rustc",
    before: "rust-toolchain",
    style: "gnu",
    options: rows(
      "-V --version -> stop; -vV -> stop; -v --verbose; -h --help -> stop; --explain=text -> stop; --print=text; --target=text",
      "-o=write; --out-dir=writetree; --emit=text; --crate-type=text; --crate-name=text; --edition=text; -O; -g; --test; -L=list; -l=text; -A --allow=text; -W --warn=text; -D --deny=text; -F --forbid=text",
      "--cfg=text; --check-cfg=text; --cap-lints=text; --error-format=text; --color=text; --extern=text; # choose programs: -C --codegen -Z --sysroot",
    ),
    operands: "read?",
    analyse: "rustc",
    examples: {
      allow: ["rustc --version", "rustc -vV", "rustc --explain E0382", "rustc --print sysroot", "rustc --print=cfg"],
      ask: [
        "rustc --print cfg=x",
        "rustc --print sysroot x.rs",
        "rustc --print link-args x.rs",
        "rustc x.rs",
        "rustc --edition 2021 x.rs -o x",
        "rustc --emit=metadata=x.rmeta x.rs",
        "rustc --edition x.rs",
        "rustc --out-dir src x.rs",
        "rustc",
        "rustc -C linker=./evil x.rs",
      ],
    },
  },
  {
    names: "rustfmt",
    before: "rust-toolchain",
    style: "gnu",
    options: rows(
      "--check -> edit becomes read; --edition=text; -q --quiet; -v --verbose; --emit=refuse; --config-path=read; --color=text; -l --files-with-diff; -h --help -> stop; -V --version -> stop",
    ),
    operands: "edit*",
    examples: { allow: ["rustfmt --check a.rs", "rustfmt --version"], ask: ["rustfmt a.rs"] },
  },
  {
    names: "rustup",
    style: "bsd",
    options: "-v --verbose\n-q --quiet\n-h --help -> stop\n-V --version -> stop",
    examples: { allow: ["rustup --version"] },
    subcommands: {
      "show|toolchain list|target list|component list|which|override list|check|doc --path|help|completions|dump-testament|show active-toolchain|show home|show profile":
        {
          options: "-v --verbose\n--toolchain=text\n--installed\n-q",
          operands: "text*",
          effects: "remote.read rust",
          examples: { allow: ["rustup show", "rustup target list --installed", "rustup completions bash", "rustup completions zsh cargo"] },
        },
      "install|update|default|toolchain install|toolchain uninstall|toolchain link|target add|target remove|component add|component remove|override set|override unset|self update|self uninstall|uninstall|set|set profile":
        {
          style: "none",
          operands: "text*",
          effects: "remote.read rust, system packages",
          examples: { ask: ["rustup update", "rustup target add x"] },
        },
      run: {
        style: "posix",
        options: "--install",
        operands: "text command:argv",
        effects: "code.project",
        examples: { none: ["rustup run nightly ls"], deny: ["rustup run nightly rm -rf ~"] },
      },
    },
  },
  {
    names: "go",
    summary: "builds Go programs",
    style: "words",
    options: "-C=dir\n-h -help -> stop",
    // It asks git about the state of the working tree, and git refreshes its index then.
    upkeep: ["write ~/.cache/go-build/**", "write ~/go/pkg/mod/**", "write $git/index", "write $git/index.lock"],
    examples: { allow: ["go"], none: ["go frobnicate"] },
    subcommands: {
      "version|help": { style: "words", options: "-m\n-v", operands: "text*", examples: { allow: ["go version", "go help build"] } },
      env: {
        style: "words",
        options: "-json\n-changed\n-w -> danger host-effect\n-u -> danger host-effect",
        operands: "text*",
        examples: { allow: ["go env", "go env GOPATH"], ask: ["go env -w GOFLAGS=-toolexec=./evil"] },
      },
      // -toolexec, -exec, -vettool are left unlisted.
      list: {
        style: "words",
        options: rows(
          "-m; -json[=text]; -f=text; -u; -deps; -e; -test; -versions; -mod=text -> edit go.mod, edit go.sum; -tags=text; -find",
        ),
        operands: "text*",
        // It asks git about the module's repository.
        effects: "remote.read go, repository",
        examples: {
          allow: ["go list ./...", "go list -m all", "go list -f '{{.Dir}}' ./..."],
          ask: ["go list -toolexec=./evil ./...", "go list -mod=mod ./...", "cd /tmp && go list ./..."],
        },
      },
      doc: {
        style: "words",
        options: "-all\n-u\n-src\n-short\n-c\n-cmd",
        operands: "text*",
        effects: "remote.read go",
        examples: { allow: ["go doc fmt.Println"] },
      },
      "mod graph|mod why|mod verify": {
        style: "words",
        options: "-m\n-go=text",
        operands: "text*",
        effects: "remote.read go",
        examples: { allow: ["go mod graph", "go mod why -m x"] },
      },
      "mod tidy|mod init|mod download|mod edit|mod vendor|get|install|work init|work use|work sync|work edit": {
        style: "none",
        operands: "text*",
        effects: "remote.read go, write go.mod, write go.sum",
        examples: { ask: ["go mod tidy", "go get x", "go install x@latest"] },
      },
      fmt: { style: "words", options: "-n -> drop out\n-x", operands: "out:writetree*=.", examples: { ask: ["go fmt ./..."] } },
      build: {
        style: "words",
        // -toolexec and -overlay stay unlisted; what else steers the compiler and the linker is the project's own build.
        options: rows(
          "-o=write; -v; -x; -n; -a; -race; -msan; -asan; -cover; -trimpath; -mod=text; -tags=text; -p=number; -work; -buildvcs[=text]; -buildmode=text; -ldflags=code/go-flags; -gcflags=code/go-flags; -asmflags=code/go-flags; -pgo=read; -json",
        ),
        operands: "text*",
        effects: "code.project",
        analyse: "go-build",
        examples: {
          none: ["go build ./...", "go build -v ./...", "go build ./cmd/a ./cmd/b"],
          ask: ["go build", "go build .", "go build -o bin/app ./cmd/app", "go build -race main.go", "go build -toolexec=./evil ./..."],
          deny: ["go build -o ~/.bashrc ."],
        },
      },
      // Alone it lists the tools.
      tool: {
        style: "none",
        operands: "code/project? text*",
        idle: true,
        examples: { allow: ["go tool"], none: ["go tool evil", "go tool -n evil"] },
      },
      "tool dist list|tool dist version": {
        style: "words",
        options: "-json\n-broken",
        operands: "",
        examples: { allow: ["go tool dist list"], none: ["go tool dist build"] },
      },
      "test|run|vet|generate|fix|bug|telemetry": {
        ...BUILDS,
        examples: { none: ["go test ./...", "go run .", "go vet ./...", "go test -toolexec=./evil ./..."] },
      },
      clean: {
        style: "words",
        // With -n it only says what it would do, but for -testcache.
        options: "-n\n-x\n-i\n-r\n-cache\n-testcache -> delete ~/.cache/go-build\n-modcache\n-fuzzcache",
        operands: "text*",
        analyse: "go-clean",
        examples: {
          ask: ["go clean", "go clean -modcache", "go clean -x -cache", "go clean -n -testcache", "go clean -n=false"],
          allow: ["go clean -n", "go clean -n -cache ./..."],
        },
      },
    },
  },
  {
    names: "gofmt gofumpt goimports",
    style: "words",
    options: rows(
      "-l; -d; -e; -s; -r=text; -w -> tree becomes writetree; -local=text; -cpuprofile=write; -h -help -> stop; -version --version -> stop",
    ),
    // A folder is walked.
    operands: "tree*",
    walks: "*.go",
    examples: { allow: ["gofmt -l a.go", "gofmt -d a.go", "gofmt -l ."], ask: ["gofmt -w a.go", "gofmt -w ."], deny: ["gofmt .env"] },
  },
  {
    names:
      "golangci-lint staticcheck gopls dlv ginkgo mage air wire mockgen goreleaser revive gosec cargo-watch cargo-nextest wasm-pack trunk bacon",
    summary: "tools that build the project's code",
    ...PROJECT_TOOL,
    examples: { none: ["golangci-lint run", "staticcheck ./...", "golangci-lint --version"] },
  },
  {
    names: "gem",
    upkeep: ["write ~/.local/share/gem/specs/**"],
    summary: "Ruby packages",
    style: "bsd",
    options: rows("-V --verbose; -q --quiet; --silent; --backtrace; --norc; -h --help -> stop; -v --version -> stop"),
    examples: { allow: ["gem --version"], none: ["gem exec x"], ask: ["gem --config-file=evil list"] },
    subcommands: {
      "list|search|outdated|which|contents|dependency|info|environment|env": {
        options: rows(
          "-l --local; -r --remote; -b --both; -a --all; -i --installed; -d --details; --no-details; --versions; --no-versions; -e --exact; --prerelease; --no-prerelease",
        ),
        operands: "text*",
        effects: "remote.read rubygems",
        examples: {
          allow: ["gem list", "gem list --local", "gem env", "gem which json", "gem search rails -e"],
          ask: ["gem list --source https://evil.example"],
        },
      },
      "install|i|update|uninstall|pristine|cleanup|fetch|unpack|build": {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.read rubygems, system packages",
        examples: { ask: ["gem install rails", "gem build x.gemspec"] },
      },
      "push|yank|owner|signin|signout": {
        style: "none",
        operands: "text*",
        effects: "remote.publish rubygems, danger publish",
        examples: { ask: ["gem push x.gem", "gem yank x"] },
      },
    },
  },
  {
    names: "ghc",
    summary: "Haskell compiler",
    ...VERSIONED_TOOL,
    examples: { allow: ["ghc --version"], none: ["ghc x.hs"] },
  },
  {
    names:
      "bundler rake rspec rubocop rails irbrc phpunit phpstan psalm artisan mix rebar3 stack cabal sbt lein flutter pub swiftc xcodebuild pod fastlane zig dub nimble opam dune spago pulp purs shards vcpkg conan",
    summary: "package managers and test runners of other languages",
    ...PROJECT_TOOL,
    examples: { none: ["rspec", "mix test", "flutter test"] },
  },
  {
    names: "composer",
    summary: "PHP packages; plugins in vendor run whatever it is asked",
    style: "bsd",
    upkeep: ["write ~/.cache/composer/**"],
    options: rows(
      "-q --quiet; -v -vv -vvv --verbose; -n --no-interaction; --ansi; --no-ansi; --profile; --no-plugins; --no-scripts; --no-cache; -d --working-dir=dir; -h --help -> stop, code.project; -V --version -> stop, code.project",
    ),
    subcommands: {
      "show|info|audit|outdated|licenses|depends|why|prohibits|why-not|fund|suggests|search|status|check-platform-reqs|about|list|help|diagnose":
        {
          options: rows(
            "-a --all; -i --installed; -l --latest; -o --outdated; -m --minor-only; -D --direct; -t --tree; -f --format=text; -N --name-only; -P --path; -A --available; -s --self; --locked; --platform; --no-dev; -M --major-only; -p --patch-only; --strict; --ignore=text; --abandoned=text; -r --recursive; --only-name; --only-vendor; --type=text; --lock; --by-package; --by-suggestion",
          ),
          operands: "text*",
          effects: "remote.read packages",
          analyse: "composer-plugins",
          examples: {
            allow: ["composer audit", "composer show --tree", "composer outdated --no-plugins", "composer why x/y"],
            ask: ["composer show --frobnicate"],
          },
        },
      "install|update|require|remove|create-project|dump-autoload|dumpautoload|run-script|exec|global|config|init|reinstall|self-update|selfupdate|clear-cache|archive|bump|validate|browse":
        {
          style: "none",
          operands: "text*",
          effects: "code.project",
          examples: { none: ["composer install", "composer require x/y", "composer global require x/y"] },
        },
    },
    examples: { none: ["composer evil", "composer --version"] },
  },
  {
    names: "dotnet",
    summary: ".NET",
    ...VERSIONED_TOOL,
    subcommands: {
      // `--version` and `--info` start the SDK, which global.json may take from the project.
      "--list-sdks|--list-runtimes": { style: "none", operands: "", examples: { allow: ["dotnet --list-sdks"] } },
      "--info|--version|--help|-h|help|sdk check|nuget list source|tool list|tool search|workload list|workload search|new list|new search|nuget locals all --list":
        {
          style: "none",
          operands: "text*",
          effects: "remote.read nuget",
          analyse: "dotnet-config",
          examples: {
            allow: ["dotnet --info", "dotnet --version", "dotnet tool list -g", "dotnet new list"],
            none: ["dotnet list package", "dotnet nuget why x"],
          },
        },
    },
    examples: { none: ["dotnet build", "dotnet"] },
  },
];
