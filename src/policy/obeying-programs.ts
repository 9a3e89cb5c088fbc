/**
 * Known programs that do more in a project than their arguments say: they load its plugins, start a program or toolchain
 * that one of its files chooses, or take programs and hosts from its settings. `engine/obeyed-files.ts` says when.
 */
const OBEYING =
  " ansible ansible-config ansible-console ansible-doc ansible-galaxy ansible-inventory ansible-playbook ansible-pull ansible-vault " +
  "asdf bun bunx cargo composer corepack deno dotnet git git-lfs glab go hg jj kustomize mise node nodejs npm npx oxlint packer pip " +
  "pip3 pnpm pnpx poetry prettier proxychains proxychains4 python python3 rustc rustfmt rustup sentry-cli task terraform tofu " +
  "terragrunt tsc uv uvx valgrind yarn yarnpkg ";

/** A version manager starts another program of the name, as a file of the project says (asdf, mise, pyenv, rbenv, nodenv). */
const SHIM = /\/shims\//;

/** Whether a known program's behaviour hangs on files of the project in ways that its arguments do not show. */
export const obeysFiles = (program: string, resolved: string | undefined): boolean =>
  OBEYING.includes(` ${program} `) || /^python3?\.\d+$/.test(program) || (resolved !== undefined && SHIM.test(resolved));
