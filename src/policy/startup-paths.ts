import { listed } from "./listed.ts";

/**
 * What runs code later, as data: changing it is persistence. `path-class.ts` compiles it.
 * Names are lower case, as in `protected-paths.ts`.
 */

/** In a home folder: files that run code when a shell, an editor or a login starts. */
export const STARTUP_FILES: readonly string[] = /* @__PURE__ */ listed(
  ".bashrc; .bash_profile; .bash_login; .bash_logout; .bash_aliases; .profile; .zshrc; .zshenv; .zprofile; .zlogin; .zlogout; .kshrc; .mkshrc",
  ".cshrc; .tcshrc; .login; .logout; .inputrc; .xprofile; .xinitrc; .xsession; .xsessionrc; .pam_environment; .gitconfig; .hgrc; .vimrc",
  ".gvimrc; .exrc; .emacs; .tmux.conf; .screenrc; .gdbinit; .lldbinit; .irbrc; .pryrc; .rprofile; .psqlrc; .sqliterc; .curlrc; .wgetrc",
  ".mailcap; .forward; .procmailrc; .yarnrc; .yarnrc.yml; .bunfig.toml; .cargo/config; .cargo/config.toml; .cargo/env; .config/user-dirs.dirs",
  ".config/starship.toml; .config/pip/pip.conf; .pip/pip.conf",
);

/** In a home folder: what is there is started by whoever types its name. People install into these all day. */
export const PROGRAM_FOLDERS = [
  "bin",
  ".local/bin",
  ".cargo/bin",
  "go/bin",
  ".bun/bin",
  ".deno/bin",
  ".dotnet/tools",
  ".krew/bin",
] as const;

/** In a home folder: folders from which programs are started, now or at the next login. */
export const STARTUP_FOLDERS = [
  ".ssh",
  ".config/git",
  ".config/systemd",
  ".local/share/systemd",
  ".config/autostart",
  ".config/environment.d",
  ".config/fish",
  ".config/zsh",
  ".config/bash",
  ".config/nvim",
  ".config/direnv",
  ".config/husky",
  ".bashrc.d",
  ".zshrc.d",
  ".zsh",
  ".oh-my-zsh",
  ".vim",
  ".emacs.d",
  ".config/emacs",
  ".local/share/applications",
  "library/launchagents",
  "library/launchdaemons",
  // Tool folders and version-manager shims: they stand on PATH.
  ...PROGRAM_FOLDERS,
  ".rustup/toolchains",
  ".volta/bin",
  ".volta/tools",
  ".nvm/versions",
  ".nvm/nvm.sh",
  ".fnm",
  ".local/share/fnm",
  ".nodenv/shims",
  ".nodenv/versions",
  ".pyenv/shims",
  ".pyenv/versions",
  ".rbenv/shims",
  ".rbenv/versions",
  ".rvm/bin",
  ".asdf/shims",
  ".asdf/installs",
  ".local/share/mise/shims",
  ".local/share/mise/installs",
  ".local/share/pnpm",
  ".sdkman/candidates",
  ".linuxbrew",
] as const;

/** Anywhere: system-wide places that run code later. */
export const STARTUP_PLACES = [
  "/etc/profile",
  "/etc/profile.d",
  "/etc/bash.bashrc",
  "/etc/bashrc",
  "/etc/zsh",
  "/etc/zshrc",
  "/etc/zshenv",
  "/etc/environment",
  "/etc/rc.local",
  "/etc/init.d",
  "/etc/systemd",
  "/etc/ld.so.preload",
  "/etc/cron.d",
  "/etc/cron.daily",
  "/etc/cron.hourly",
  "/etc/cron.weekly",
  "/etc/cron.monthly",
  "/etc/crontab",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/pam.d",
  "/etc/xdg/autostart",
  "/etc/udev",
  "/var/spool/cron",
  "/var/at",
  "/library/launchagents",
  "/library/launchdaemons",
  "/library/startupitems",
] as const;
