/**
 * Known programs that do more in a project than their arguments say: they load its plugins, start a program or toolchain
 * that one of its files chooses, read other files that a file names, or take programs and hosts from its settings.
 * `engine/obeyed-files.ts` says when.
 */
const OBEYING =
  " ansible asdf bun bunx c++ cargo cc clang clang++ composer corepack cpp deno dotnet em++ emcc ffmpeg ffprobe g++ gcc gfortran " +
  "git git-lfs glab go hg icc identify jj kustomize man mise node nodejs npm npx nvcc oxlint packer pandoc pip pnpm pnpx poetry " +
  "prettier proxychains python rustc rustfmt rustup sentry-cli task terraform tofu terragrunt tsc uv uvx valgrind yarn yarnpkg zig-cc ";

/** A version manager starts another program of the name, as a file of the project says (asdf, mise, pyenv, rbenv, nodenv). */
const SHIM = /\/shims\//;

/** Of `python3.12`, `gcc-13`, `proxychains4`, `ansible-playbook`. */
const KIND = /(?<=^ansible)-.*|-?\d+(?:\.\d+)*$/;

/** Whether a known program's behaviour hangs on files of the project in ways that its arguments do not show. */
export const obeysFiles = (program: string, resolved: string | undefined): boolean =>
  OBEYING.includes(` ${program.replace(KIND, "")} `) || (resolved !== undefined && SHIM.test(resolved));
