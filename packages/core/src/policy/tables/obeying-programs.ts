/**
 * Known programs that do more in a project than their arguments say: they load its plugins, start a program or toolchain
 * that one of its files chooses, read other files that a file names, or take programs and hosts from its settings.
 * `engine/obeyed-files.ts` says when.
 */
const OBEYING =
  " ack ack-grep actionlint ansible asdf az biome black bun bunx c++ cargo cc circo clang clang++ clang-format codespell composer " +
  "corepack cpp deno docker docker-compose dot dotnet duckdb em++ emcc fdp ffmpeg ffprobe g++ gcc gersemi gfortran git git-lfs " +
  "glab go gobjdump hadolint hg hlint icc identify info isort jira jj just kustomize llvm-objdump magick man mise " +
  "mlr neato nerdctl node nodejs npm npx nvcc objdump osage oxfmt oxlint packer pandoc patchwork pdm perf pip pipx pnpm pnpx " +
  "podman podman-compose poetry prettier proxychains pulumi pycodestyle pydocstyle python ruff rust-analyzer rustc " +
  "rustdoc rustfmt rustup sentry-cli serverless sfdp shellcheck sls stylua svn swiftformat taplo task tcc terraform terragrunt tofu tsc " +
  "twopi typos uv uvx valgrind wrangler xmldiff xmllint xmlstarlet xq yamllint yarn yarnpkg zig-cc ";

const SHIM = /\/(?:shims|\.volta\/bin)\//;

/** A version manager starts another program of the name, as a file of the project says (asdf, mise, pyenv, rbenv, nodenv, volta). */
export const isShim = (resolved: string | undefined): boolean => resolved !== undefined && SHIM.test(resolved);

/** Of `python3.12`, `gcc-13`, `proxychains4`, `ansible-playbook`. */
const KIND = /(?<=^ansible)-.*|-?\d+(?:\.\d+)*$/;

/** Whether a known program's behaviour hangs on files of the project in ways that its arguments do not show. */
export const obeysFiles = (program: string, resolved: string | undefined): boolean =>
  OBEYING.includes(` ${program.replace(KIND, "")} `) || isShim(resolved);
