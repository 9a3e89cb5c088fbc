import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, linkSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "./debian.ts";
import type { Results, Suite, Unit } from "./suites.ts";

const GO_PACKAGES = [
  "os",
  "os/exec",
  "os/signal",
  "net",
  "os/user",
  "io/ioutil",
  "path/filepath",
  "internal/poll",
  "net/http/httptest",
  "syscall",
];

/** Each package's tests, compiled before, in a copy of its folder. */
export const go: Suite = {
  name: "Go",
  from: "Debian golang-src, with the machine's go",
  units: (cache) => {
    let root = "";
    try {
      root = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
    } catch {
      return "there is no go (apt-get install golang)";
    }
    const folder = join(cache, "go");
    mkdirSync(folder, { recursive: true });
    return GO_PACKAGES.flatMap((name): readonly Unit[] => {
      const binary = join(folder, `${name.replaceAll("/", "-")}.test`);
      if (!existsSync(binary) && !run(folder, "go", ["test", "-c", "-o", binary, name])) return [];
      const start = `cp -rL ${root}/src/${name} p && cd p && exec timeout "$LIMIT" ${binary} -test.v -test.short`;
      return [{ name, command: ["sh", "-c", start], env: { GOROOT: root, GOFLAGS: "-mod=mod", GOPROXY: "off" } }];
    });
  },
  results: (stdout, _, { name }) =>
    new Map([...stdout.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm)].map(([, what = "", test = ""]) => [`${name} ${test}`, what])),
};

const file = (path: string, text: string): string => `mkdir -p "$(dirname ${path})"; cat > ${path} <<'END_OF_FILE'\n${text}\nEND_OF_FILE\n`;
const crate = (name: string, more: string): string =>
  file(`${name}/Cargo.toml`, `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n${more}`);

/** A workspace with a program, a library, a macro, a script that makes code, examples, benches and tests. */
const WORKSPACE =
  file(
    "Cargo.toml",
    '[workspace]\nmembers = ["app", "lib", "mac"]\nexclude = ["fresh", "other", "v", "inst"]\nresolver = "2"\n[profile.release]\nlto = "thin"',
  ) +
  crate("lib", '[features]\nfast = []\n[[example]]\nname = "show"') +
  file(
    "lib/src/lib.rs",
    "//! Adds.\n\n/// Adds two numbers.\n///\n/// ```\n/// assert_eq!(lib::add(1, 2), 3);\n/// ```\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}",
  ) +
  file("lib/examples/show.rs", 'fn main() {\n    println!("{}", lib::add(2, 2));\n}') +
  file(
    "lib/tests/files.rs",
    'use std::{fs, net, os::unix::net as unix, process, thread};\n\n#[test]\nfn files() {\n    let d = std::env::temp_dir().join(format!("t{}", process::id()));\n    fs::create_dir(&d).unwrap();\n    fs::write(d.join("a"), "x").unwrap();\n    fs::rename(d.join("a"), d.join("b")).unwrap();\n    unix::UnixListener::bind(d.join("s")).unwrap();\n    fs::remove_dir_all(d).unwrap();\n}\n\n#[test]\nfn child() {\n    assert_eq!(process::Command::new("echo").arg("x").output().unwrap().stdout, b"x\\n");\n}\n\n#[test]\nfn sockets() {\n    let l = net::TcpListener::bind("127.0.0.1:0").unwrap();\n    let a = l.local_addr().unwrap();\n    let t = thread::spawn(move || net::TcpStream::connect(a).is_ok());\n    l.accept().unwrap();\n    assert!(t.join().unwrap());\n}\n\n#[test]\n#[ignore]\nfn fails() {\n    panic!("as it should");\n}',
  ) +
  crate("mac", "[lib]\nproc-macro = true") +
  file(
    "mac/src/lib.rs",
    'use proc_macro::TokenStream;\n\n#[proc_macro]\npub fn five(_: TokenStream) -> TokenStream {\n    "5u32".parse().unwrap()\n}',
  ) +
  crate("app", '[dependencies]\nlib = { path = "../lib" }\nmac = { path = "../mac" }') +
  file(
    "app/build.rs",
    'use std::{env, fs, path::Path};\n\nfn main() {\n    let out = env::var("OUT_DIR").unwrap();\n    fs::write(Path::new(&out).join("made.rs"), "pub const MADE: u32 = 7;").unwrap();\n    println!("cargo:rerun-if-changed=build.rs");\n}',
  ) +
  file(
    "app/src/main.rs",
    'mod made {\n    include!(concat!(env!("OUT_DIR"), "/made.rs"));\n}\n\nfn main() {\n    println!("{} {}", lib::add(mac::five!(), made::MADE), std::env::args().count());\n}',
  );

/** One after the other in the same folder, in three parts of which each begins anew. */
const DAY: readonly string[] = [
  "cargo new -q --vcs none fresh --lib && ls fresh && cargo init -q --vcs none --name other other && cat other/src/main.rs",
  "cargo build --manifest-path fresh/Cargo.toml && cargo run -q --manifest-path other/Cargo.toml",
  "rm -r fresh other; cargo generate-lockfile && cargo fetch && cargo tree",
  "cargo metadata --format-version 1 --no-deps | wc -l; cargo pkgid -p lib; cargo locate-project --workspace | wc -l",
  "cargo check --workspace --all-targets",
  "cargo build",
  "cargo run -q -- a b",
  "cargo test --workspace --no-run 2>&1 | wc -l; cargo test -q --workspace | grep -c 'test result: ok'",
  "cargo test -q -p lib -- --ignored | grep -c panicked",
  "cargo test -q --doc -p lib | grep -c ok",
  "cargo run -q -p lib --example show --features fast",
  "cargo bench -q -p lib | grep -c 'test result'",
  "touch lib/src/lib.rs && cargo build -j2 --offline --locked && ls target/debug | sort",
  "cargo clippy -q --workspace --all-targets -- -D warnings",
  "cargo fmt --all -- --check; cargo fmt && cargo fmt --check",
  "echo 'fn bad( {' >> lib/src/lib.rs; cargo build -q 2>&1 | grep -c '^error'; sed -i '$d' lib/src/lib.rs; cargo check -q",
  "cargo fix -q --allow-no-vcs --lib -p lib; cargo add -q --path lib -p mac && grep lib mac/Cargo.toml && cargo remove -q lib -p mac; cargo check -q",
  "cargo doc -q --workspace --no-deps && ls target/doc | sort",
  "cargo build -q --release && target/release/app x",
  "cargo rustc -q -p app -- --emit=asm && ls target/debug/deps/*.s | wc -l; cargo rustdoc -q -p lib",
  "cargo package -q -p lib --allow-dirty --offline && ls target/package | grep crate; cargo vendor -q v >/dev/null; ls v | wc -l",
  "cargo install -q --path app --root inst --offline && inst/bin/app; cargo install --list --root inst; cargo uninstall -q app --root inst; ls inst/bin | wc -l",
  "cargo build -q & cargo check -q & wait; CARGO_TARGET_DIR=t2 cargo build -q && t2/debug/app; rm -r t2",
  "CARGO_INCREMENTAL=0 RUSTFLAGS=-Ccodegen-units=1 cargo build -q && cargo clean -q -p lib && cargo clean -q && ls",
  "rustc -O --crate-type lib -o l.rlib lib/src/lib.rs && ls l.rlib; rustc --test -o t lib/src/lib.rs && ./t -q | grep -c ok; rustup show active-toolchain 2>/dev/null | wc -l",
];

const LEFT = "find . -name .git -prune -o -name target -prune -o -printf '%P %y %m\\n' | sort";
const PARTS = [DAY.slice(0, 8), DAY.slice(8, 17), DAY.slice(17)];

const steady = (text: string): string => text.replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, "TIME").replaceAll(/-[0-9a-f]{16}\b/g, "-HASH");

export const cargo: Suite = {
  name: "cargo",
  from: "a day of cargo without a network (test/equivalence/toolchains.ts)",
  units: (cache) => {
    const rustup = process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup");
    const proxy = join(process.env["CARGO_HOME"] ?? join(homedir(), ".cargo"), "bin/rustup");
    if (!existsSync(proxy)) return "there is no rustup with cargo";
    // rustup's own programs are one under several names; the toolchains stand where every user may read them.
    const bin = join(cache, "rustup");
    if (!existsSync(bin)) {
      mkdirSync(bin);
      copyFileSync(proxy, join(bin, "rustup"));
      for (const name of ["cargo", "rustc", "rustdoc", "cargo-clippy", "clippy-driver", "cargo-fmt", "rustfmt"])
        linkSync(join(bin, "rustup"), join(bin, name));
    }
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      BIND: `${rustup}:/opt`,
      RUSTUP_HOME: "/opt",
      CARGO_NET_OFFLINE: "true",
      CARGO_TERM_COLOR: "never",
    };
    return PARTS.map((lines, at) => {
      const steps = [...lines, LEFT].map((line) => `echo '@@'; (${line}) 2>&1; echo "@@ $?"`).join("\n");
      return { name: `a day, part ${at + 1}`, command: ["bash", "-c", `${WORKSPACE}${steps}`], env };
    });
  },
  results: (stdout, place, { name: part }): Results =>
    new Map(
      [...stdout.matchAll(/^@@\n([^]*?)^@@ (\d+)$/gm)].flatMap(([, output = "", status = ""], at): readonly [string, string][] => {
        const name = PARTS[Number(part.at(-1)) - 1]?.[at] ?? `what is left of ${part}`;
        return [
          [`${name} · status`, status],
          [`${name} · output`, steady(output.replaceAll(place, "."))],
        ];
      }),
    ),
};
