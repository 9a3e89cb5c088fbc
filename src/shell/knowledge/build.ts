import { PROJECT_TOOL, VERSIONED_TOOL } from "./project-tool.ts";
import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/**
 * What compilers of this style share. -wrapper, -fplugin, -specs, -B and -Xclang -load run or choose programs, -save-temps, -fdump-,
 * -gsplit-dwarf and --coverage write more files: -f, -s and -B are listed by what is known inert.
 */
const COMPILES = `-o=write; -c; -S; -E; -fsyntax-only; -dM; -dD; -dN; -M; -MM; -MD; -MMD; -MP; -MF=write; -MT -MQ=text; -I -isystem -iquote -idirafter=list; -include -imacros=read; -L=list; -l=text; -D=text; -U=text
      -O[=text]; -g; -ggdb; -g3; -g0; -w; -Wall; -Wextra; -Werror; -Wpedantic; -pedantic; -pedantic-errors; -std=text; -ansi; -x=text; -v; -pipe; -pthread; -static; -shared; -fPIC; -fpic; -fPIE; -pie; -no-pie; -nostdlib; -nostdinc; -rdynamic; -march=text; -mtune=text; -mcpu=text; -m32; -m64; -Wno-unused; -Wconversion; -Wshadow; -Wno-error; -Wno-deprecated-declarations
      -fsanitize=text; -fno-omit-frame-pointer; -fno-exceptions; -fno-rtti; -flto; -fopenmp; -fvisibility=text; -fstack-protector-strong; -fdiagnostics-color[=text]; -fno-diagnostics-color; -funroll-loops; -fcolor-diagnostics; -ffast-math; -fno-common; -fwrapv
      -dumpmachine -> stop; -dumpversion -> stop; -print-search-dirs -> stop; -print-file-name=text; -print-prog-name=text; --help -> stop; --version -> stop`;

/** Builders and compilers. Even a dry run of make runs `$(shell …)` and recipes marked `+`. */
export const build: readonly CommandSpec[] = [
  {
    names: "make gmake bmake",
    reads: rows("LEX YACC RM TEX TANGLE WEAVE CTANGLE CWEAVE MAKEINFO TEXI2DVI LINT PC M2C CO GET OBJC F77 ARFLAGS=refuse; *=plain"),
    summary: "runs recipes of a Makefile",
    style: "gnu",
    // Targets decide what runs; `VAR=value` is in every recipe's text, where the shell expands it.
    options: rows(`
      -C --directory=dir; -f --file --makefile=read; -j --jobs[=text]; -n --just-print --dry-run --recon; -q --question; -k --keep-going; -s --silent --quiet; -B --always-make; -i --ignore-errors
      -I --include-dir=list; -l --load-average[=text]; -o --old-file --assume-old=text; -O --output-sync[=text]; -p --print-data-base; -r --no-builtin-rules; -R --no-builtin-variables; -S --no-keep-going; -t --touch
      -W --what-if --new-file --assume-new=text; -w --print-directory; --no-print-directory; --trace; --warn-undefined-variables; -d; --debug[=text]; -e --environment-overrides; -E --eval=foreign/make; -h --help -> stop; -v --version -> stop`),
    operands: "text*",
    effects: "code.project",
    analyse: "make-variables",
    examples: {
      allow: ["make --version"],
      none: [
        "make",
        "make -n",
        "make -j4 test",
        "make -C src all",
        "make VERBOSE=1 V=1 PREFIX=/usr/local install",
        "make test ARGS='-k foo'",
        "FOO=1 make",
        "make CC=clang",
      ],
      ask: [
        "make SHELL=./evil",
        "make --eval='$(shell rm x)'",
        "make test ARGS='; rm x'",
        "make X='$(shell id)'",
        "FOO='$(id)' make",
        "make CC=./evil",
        "make YACC=./evil",
      ],
    },
  },
  {
    names: "cmake",
    summary: "configures and builds as CMakeLists.txt says",
    style: "bsd",
    // Unlisted: -P, -E and -C run what is named, --install writes outside, --graphviz and --profiling-output write a file.
    options: rows(`
      -S=text; -B=text; -G=text; -D=text; -U=text; -W=text; -A=text; -T=text; -N; --fresh; --preset=text; --list-presets[=text]; --log-level=text; --log-context; --trace; --trace-expand; --warn-uninitialized; --debug-output
      --build=text; -j --parallel[=text]; --config=text; -t --target=text; --clean-first; --use-stderr; -v --verbose; -h --help -> stop; -version --version -> stop`),
    operands: "text*",
    effects: "code.project",
    examples: {
      allow: ["cmake --version"],
      none: [
        "cmake .",
        "cmake -B build -S .",
        "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug",
        "cmake --build build -j8 --target all",
      ],
      ask: ["cmake -P evil.cmake", "cmake -E rm x", "cmake --install build", "cmake -C evil.cmake .", "cmake --graphviz=src/app.ts ."],
    },
  },
  {
    names: "just task",
    summary: "task runners",
    style: "none",
    operands: "code/project?=default",
    subcommands: {
      // Only the names: parsing runs nothing.
      "--list|-l|--summary": { style: "none", operands: "", effects: "read justfile", examples: { allow: ["just --list", "task --list"] } },
      "--version": { style: "none", operands: "", examples: { allow: ["just --version"] } },
    },
    examples: { none: ["just build", "task x", "just"] },
  },
  {
    names: "ninja samu",
    summary: "runs build.ninja",
    ...VERSIONED_TOOL,
    examples: { allow: ["ninja --version"], none: ["ninja", "ninja -v", "ninja -n"] },
  },
  {
    names:
      "meson scons waf bazel bazelisk buck2 pants earthly dagger gradle gradlew mvn mvnw ant ctest cpack configure autoreconf autoconf automake aclocal libtool libtoolize bison flex m4 swig protoc buf thrift ragel xmake premake tup redo doit pyinvoke moon act",
    summary: "builders: project code",
    ...PROJECT_TOOL,
    examples: { none: ["mvn test", "gradle build", "bazel run x", "mvn -v"] },
  },
  {
    names: "gcc g++ cc c++ clang clang++ gcc-12 gcc-13 gcc-14 clang-15 clang-16 clang-17 clang-18 emcc em++ nvcc icc gfortran zig-cc",
    summary: "compilers",
    style: "words",
    options: rows(`
${COMPILES}`),
    operands: "read*",
    analyse: "compiler",
    examples: {
      allow: ["gcc --version", "gcc -v", "gcc -dumpmachine", "gcc -E -dM a.c", "gcc -M a.c", "clang -fsyntax-only a.c"],
      ask: [
        "gcc a.c",
        "gcc -o x a.c",
        "gcc -wrapper ./evil,x a.c",
        "gcc -fplugin=./evil.so a.c",
        "gcc -B. a.c",
        "gcc @args",
        "gcc -fsyntax-only @args",
        "gcc -Wl,-plugin,./evil.so a.c",
        "gcc -c a.c",
        "gcc -S a.c",
        "gcc -E -MD a.c",
        "gcc -fsyntax-only -MMD a.c",
        "gcc -E -MF deps -MD a.c",
        "gcc -save-temps -c a.c",
        "gcc -fdump-tree-all -fsyntax-only a.c",
        "gcc -E -o a.txt a.c",
        "gcc src/a.h",
        "gfortran -fsyntax-only a.f90",
        "gcc -I a.c",
        "gcc",
      ],
      deny: ["gcc -E .env", "gcc -c -o ~/.bashrc a.c", "gcc -E -MD -MF ~/.bashrc a.c"],
    },
  },
  {
    names: "tcc",
    summary: "a compiler that compiles whatever else it is asked",
    style: "words",
    options: rows(`
${COMPILES.replaceAll(" -> stop", "")}`),
    operands: "read*",
    analyse: "compiler",
    examples: {
      allow: ["tcc -v", "tcc -E a.c"],
      ask: ["tcc a.c", "tcc --version a.c", "tcc -v a.c", "tcc -run a.c"],
      deny: ["tcc -E .env"],
    },
  },
  {
    names: "cpp",
    summary: "the C preprocessor",
    style: "words",
    options: rows(`
      ${COMPILES}`),
    // cpp(1): the second operand is the output.
    operands: "read? write?",
    analyse: "preprocessor",
    examples: {
      allow: ["cpp a.c", "cpp -E a.c", "cpp --version", "cpp -I src a.c"],
      ask: ["cpp a.c b.txt", "cpp -E a.c b.txt", "cpp -MD a.c", "cpp -o b.txt a.c", "cpp a.c -P b.txt", "cpp @args"],
      deny: ["cpp .env", "cpp a.c ~/.bashrc"],
    },
  },
  {
    names: "ld ld.bfd ld.gold ld.lld lld mold windres dlltool",
    style: "words",
    options: rows(
      "-version -> stop; -help -> stop; -o -output=write; -Map -map=write; -plugin=foreign/library; -T -script=script/ld; -L=text; -l=text; -r; -shared; -static; -s; -g",
    ),
    operands: "read*",
    // What it makes when it is not told another name.
    effects: "write a.out",
    examples: { allow: ["ld --version"], ask: ["ld x.o", "ld -o app x.o"], deny: ["ld -o ~/.bashrc x.o", "ld -Map ~/.bashrc x.o"] },
  },
  {
    names: "as gas",
    style: "gnu",
    options: rows("--version -> stop; --help -> stop; -o=write; -I=list; -g; --32; --64; -v; -W"),
    operands: "read*",
    effects: "write a.out",
    examples: { allow: ["as --version"], ask: ["as", "as a.s", "as -o a.o a.s"], deny: ["as -o ~/.bashrc a.s"] },
  },
  {
    names: "ranlib",
    style: "gnu",
    options: rows("--version -> stop; --help -> stop; -D; -U; -t"),
    operands: "edit+",
    examples: { ask: ["ranlib x.a", "ranlib"], deny: ["ranlib ~/.bashrc"] },
  },
  {
    names: "strip llvm-strip",
    style: "gnu",
    options: rows(
      "--version -> stop; --help -> stop; -o=write; -s --strip-all; -g -S -d --strip-debug; --strip-unneeded; -x --discard-all; -X --discard-locals; -p --preserve-dates; -v --verbose; -w --wildcard; -K --keep-symbol=text; -N --strip-symbol=text; -R --remove-section=text",
    ),
    operands: "edit+",
    examples: { ask: ["strip", "strip a.out", "strip -o a.txt a.out"], deny: ["strip -o ~/.bashrc a.out", "strip ~/.bashrc"] },
  },
  {
    names: "objcopy llvm-objcopy",
    style: "gnu",
    options: rows(
      "--version -> stop; --help -> stop; -O --output-target=text; -I --input-target=text; -B --binary-architecture=text; -S --strip-all; -g --strip-debug; -j --only-section=text; -R --remove-section=text; --only-keep-debug; -p --preserve-dates; -v --verbose; --extract-dwo; --split-dwo=write; --add-gnu-debuglink=read",
    ),
    // Alone the first is changed in place.
    operands: "edit write?",
    examples: {
      ask: ["objcopy a.o", "objcopy a.o b.o", "objcopy -O binary a.o a.bin"],
      deny: ["objcopy a.o ~/.bashrc", "objcopy ~/.bashrc"],
    },
  },
  {
    names: "clang-format",
    style: "words",
    options: rows(
      "-i -> read becomes edit; -style=text; -n; -dry-run; -Werror; -assume-filename=text; -lines=text; -offset=text; -length=text; -sort-includes; -verbose; -fallback-style=text; -help -h -> stop; -version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["clang-format a.c", "clang-format --dry-run a.c"], ask: ["clang-format -i a.c"] },
  },
  {
    names: "clang-tidy cppcheck ccache sccache distcc bear include-what-you-use scan-build",
    ...PROJECT_TOOL,
    examples: { none: ["clang-tidy a.c", "ccache gcc a.c"] },
  },
  {
    names: "shellcheck",
    summary: "a linter of shell scripts that only reads",
    style: "bsd",
    options: rows(
      "-f --format=text; -s --shell=text; -e --exclude=text; -i --include=text; -S --severity=text; -a --check-sourced; -P --source-path=list",
      "-x --external-sources -> read becomes tree; -C --color[=text]; -W --wiki-link-count=text; -o --enable=text; --norc; --rcfile=read",
      "--list-optional -> stop; --extended-analysis=text; -h --help -> stop; -V --version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["shellcheck x.sh", "shellcheck -s sh -x x.sh"], deny: ["shellcheck .env", "shellcheck -a .env"] },
  },
  {
    names: "hadolint",
    summary: "a linter of Dockerfiles that only reads",
    style: "bsd",
    options: rows(
      "-f --format=text; -c --config=read; --ignore=text; --trusted-registry=text; --require-label=text; -t --failure-threshold=text; --error=text",
      "--warning=text; --info=text; --style=text; --no-fail; --no-color; --strict-labels; --disable-ignore-pragma; -V --verbose",
      "-h --help -> stop; -v --version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["hadolint Dockerfile", "hadolint -t error Dockerfile"], deny: ["hadolint .env", "hadolint -V .env"] },
  },
  {
    names: "yamllint",
    summary: "a linter of YAML that only reads",
    style: "bsd",
    options: rows(
      "-f --format=text; -c --config-file=read; -d --config-data=text; -s --strict; --no-warnings; --list-files",
      "-h --help -> stop; -v --version -> stop",
    ),
    operands: "tree*",
    examples: { allow: ["yamllint a.yml", "yamllint -s a.yml", "yamllint src"], deny: ["yamllint .env", "yamllint -s .env"] },
  },
  {
    names: "actionlint",
    summary: "a linter of workflows that only reads; by `-shellcheck` and `-pyflakes` it starts what they name",
    style: "words",
    options: rows(
      "-color; -no-color; -debug; -verbose; -oneline; -config-file=read; -format=text; -ignore=text; -stdin-filename=text; -h -help -> stop",
      "-version -> stop",
    ),
    operands: "read*",
    examples: { allow: ["actionlint a.yml", "actionlint -oneline"], ask: ["actionlint -shellcheck ./x a.yml"], deny: ["actionlint .env"] },
  },
];
