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
      "help|version": { operands: "", examples: { allow: ["cargo help"] } },
      metadata: {
        options: CARGO_READ,
        operands: "",
        effects: "remote.read crates",
        analyse: "cargo-config",
        examples: { allow: ["cargo metadata --no-deps --format-version 1"] },
      },
      "build|b|check|c|test|t|run|r|bench|doc|d|clippy|rustc|rustdoc|fix|miri|nextest|expand|llvm-cov|tarpaulin|insta|watch|make|xtask": {
        ...BUILDS,
        examples: { none: ["cargo check", "cargo test -q", "cargo build --release", "cargo clippy -- -D warnings", "cargo fix --lib"] },
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
      "show|toolchain list|target list|component list|which|override list|check|doc --path|help": {
        options: "-v --verbose\n--toolchain=text\n--installed\n-q",
        operands: "text*",
        effects: "remote.read rust",
        examples: { allow: ["rustup show", "rustup target list --installed"] },
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
      "build|test|run|vet|generate|tool|fix|bug|telemetry": {
        ...BUILDS,
        examples: { none: ["go build ./...", "go test ./...", "go run .", "go vet ./...", "go build -toolexec=./evil"] },
      },
      clean: {
        style: "words",
        options:
          "-n\n-x\n-i\n-r\n-cache -> delete ~/.cache/go-build\n-testcache -> delete ~/.cache/go-build\n-modcache -> delete ~/go/pkg/mod\n-fuzzcache",
        operands: "text*",
        effects: "delete .",
        examples: { ask: ["go clean", "go clean -modcache"] },
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
      "bundler rake rspec rubocop rails irbrc composer phpunit phpstan psalm artisan mix rebar3 stack cabal sbt lein flutter pub swiftc xcodebuild pod fastlane zig dub nimble opam dune spago pulp purs shards vcpkg conan",
    summary: "package managers and test runners of other languages",
    ...PROJECT_TOOL,
    examples: { none: ["rspec", "mix test", "flutter test"] },
  },
  {
    names: "dotnet",
    summary: ".NET",
    ...VERSIONED_TOOL,
    subcommands: {
      // `--version` and `--info` start the SDK, which global.json may take from the project.
      "--list-sdks|--list-runtimes": { style: "none", operands: "", examples: { allow: ["dotnet --list-sdks"] } },
    },
    examples: { none: ["dotnet build", "dotnet --info", "dotnet"] },
  },
];
