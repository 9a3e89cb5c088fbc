import { describe, expect, it } from "vitest";
import { readVariable } from "../../../packages/core/src/shell/knowledge/environment.ts";

const HARMLESS: readonly (readonly [string, string | undefined])[] = [
  ["CI", "1"],
  ["DEBUG", "express:*"],
  ["NODE_ENV", "test"],
  ["FORCE_COLOR", "0"],
  ["NO_COLOR", "1"],
  ["TZ", "UTC"],
  ["LANG", "C"],
  ["LC_ALL", "C"],
  ["COLUMNS", "200"],
  ["TERM", "dumb"],
  ["RUST_BACKTRACE", "1"],
  ["RUST_LOG", "debug"],
  ["PYTHONDONTWRITEBYTECODE", "1"],
  ["PYTHONUNBUFFERED", "1"],
  ["GIT_PAGER", "cat"],
  ["PAGER", "cat"],
  ["PAGER", ""],
  ["GIT_EDITOR", "true"],
  ["GIT_AUTHOR_NAME", "Ada"],
  ["GIT_TERMINAL_PROMPT", "0"],
  ["GIT_OPTIONAL_LOCKS", "0"],
  ["AWS_PROFILE", "dev"],
  ["AWS_REGION", "eu-west-1"],
  ["NODE_OPTIONS", "--max-old-space-size=4096 --no-warnings"],
  ["GOFLAGS", "-mod=mod"],
  ["CARGO_TERM_COLOR", "never"],
  ["IFS", ","],
];

const CONTROLLING: readonly (readonly [string, string | undefined])[] = [
  ["LD_PRELOAD", "./evil.so"],
  ["LD_LIBRARY_PATH", "."],
  ["DYLD_INSERT_LIBRARIES", "x"],
  ["MallocLogFile", "/Users/u/.zshrc"],
  ["COMMAND_MODE", "legacy"],
  ["PATH", "./evil:/bin"],
  ["PATH", undefined],
  ["BASH_ENV", "./evil"],
  ["ENV", "./evil"],
  ["PS4", "$(evil)"],
  ["PROMPT_COMMAND", "evil"],
  ["IFS", "r"],
  ["IFS", undefined],
  ["BASH_FUNC_ls%%", "() { evil; }"],
  ["GIT_PAGER", "./evil"],
  ["GIT_PAGER", undefined],
  ["PAGER", "sh -c evil"],
  ["MANPAGER", "evil"],
  ["LESSOPEN", "|evil %s"],
  ["EDITOR", "evil"],
  ["GIT_SSH_COMMAND", "evil"],
  ["GIT_SSH", "evil"],
  ["GIT_CONFIG_COUNT", "1"],
  ["GIT_CONFIG_KEY_0", "core.pager"],
  ["GIT_DIR", "/tmp/x"],
  ["GIT_EXTERNAL_DIFF", "evil"],
  ["GIT_SOMETHING_NEW", "x"],
  ["PYTHONPATH", "."],
  ["PYTHONSTARTUP", "evil.py"],
  ["NODE_OPTIONS", "--require=./evil.js"],
  ["NODE_OPTIONS", "--max-old-space-size=1 --import ./evil.js"],
  ["NODE_OPTIONS", undefined],
  ["PERL5OPT", "-Mevil"],
  ["RUBYOPT", "-revil"],
  ["JAVA_TOOL_OPTIONS", "-javaagent:evil.jar"],
  ["RUSTC_WRAPPER", "./evil"],
  ["RUSTFLAGS", "-Clinker=./evil"],
  ["CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "./evil"],
  ["GOFLAGS", "-toolexec=./evil"],
  ["CC", "./evil"],
  ["MAKEFLAGS", "--eval=evil"],
  ["npm_config_script_shell", "./evil"],
  ["PIP_INDEX_URL", "https://evil.example"],
  ["RIPGREP_CONFIG_PATH", "./evil.rc"],
  ["TAR_OPTIONS", "--checkpoint-action=exec=evil"],
  ["FZF_DEFAULT_COMMAND", "evil"],
  ["KUBECONFIG", "./evil"],
  ["DOCKER_HOST", "ssh://evil"],
  ["AWS_CONFIG_FILE", "./evil"],
  ["OPENSSL_CONF", "./evil"],
  ["https_proxy", "http://evil"],
  ["HTTPS_PROXY", "http://evil"],
  ["SSL_CERT_FILE", "./evil"],
  ["HOME", "/tmp/evil"],
  ["XDG_CONFIG_HOME", "."],
  ["ASSENT_POLICY", "x"],
  ["SOME_TOOL_OPTIONS", "x"],
  ["FOO_OPTS", "x"],
  ["FOO_FLAGS", "x"],
  ["PLUGIN_PATH", "x"],
  ["FOO_COMMAND", "x"],
  ["MYCONFIG_FILE", "x"],
];

describe("readVariable", () => {
  it.each(HARMLESS)("%s=%s is harmless", (name, value) => {
    expect(readVariable(name, value)).toBe("harmless");
  });

  it.each(CONTROLLING)("%s=%s controls a program", (name, value) => {
    const found = readVariable(name, value);
    expect(typeof found === "object" ? found.controls : found).not.toBe("");
    expect(found).toBeTypeOf("object");
  });

  it("does not take inherited object properties for values", () => {
    expect(readVariable("constructor", "x")).toBe("unknown");
    expect(readVariable("__proto__", "x")).toBe("unknown");
  });
});
