import { foldCase, isBelow, isWithin } from "../../path/index.ts";
import { listed, under } from "./listed.ts";

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
  ".config/starship.toml; .config/pip/pip.conf; .pip/pip.conf; library/preferences/com.apple.loginitems.plist",
  "library/preferences/com.apple.loginwindow.plist; library/preferences/loginwindow.plist",
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
  ".npm-global/bin",
  ".yarn/bin",
  ".poetry/bin",
  ".composer/vendor/bin",
  ".cabal/bin",
] as const;

/**
 * In a home folder: where people's tools and version managers keep programs. Who a program is follows from it (engine/programs.ts), and
 * what a folder in front of PATH brings (shell/words/variables.ts). INVARIANT: each is write-protected.
 */
export const TOOL_FOLDERS: readonly string[] = /* @__PURE__ */ [
  ...PROGRAM_FOLDERS,
  ...under(".local/share/", "fnm; mise/shims; mise/installs; pnpm"),
  ...listed(
    ".rustup/toolchains; .volta/bin; .volta/tools; .nvm/versions; .fnm; .nodenv/shims; .nodenv/versions; .pyenv/shims; .pyenv/versions",
    ".rbenv/shims; .rbenv/versions; .goenv/shims; .goenv/versions; .jenv/shims; .jenv/versions; .rvm/bin; .asdf/shims; .asdf/installs",
    ".sdkman/candidates; .sdkman/bin; .linuxbrew; .ghcup; .nix-profile; library/pnpm; .pyenv/bin; .rbenv/bin; .goenv/bin; .jenv/bin",
    ".nodenv/bin; .asdf/bin; .docker/bin",
  ),
];

/** A folder in which people's tools keep programs, or one below it. */
export const isToolFolder = (folder: string, home: string): boolean =>
  isBelow(folder, home) && TOOL_FOLDERS.some((name) => isWithin(foldCase(folder.slice(home.length + 1)), name));

/** In a home folder: folders from which programs are started, now or at the next login. */
export const STARTUP_FOLDERS: readonly string[] = /* @__PURE__ */ [
  ...under(".config/", "git; systemd; autostart; environment.d; fish; zsh; bash; nvim; direnv; husky; emacs"),
  ...under(".local/share/", "systemd; applications"),
  // macOS starts what lies here at login, on a key or a file of its kind, or loads it into its own programs.
  ...under(
    "library/",
    "launchagents; launchdaemons; services; quicklook; automator; scripts; workflows; shortcuts; spotlight; colorpickers; input methods",
  ),
  ...under(
    "library/",
    "preferencepanes; screen savers; internet plug-ins; keybindings; address book plug-ins; contextual menu items; widgets",
    "mail/bundles; audio/plug-ins; application scripts; application support/com.apple.backgroundtaskmanagementagent",
  ),
  ...TOOL_FOLDERS,
  ...listed(".ssh; .bashrc.d; .zshrc.d; .zsh; .oh-my-zsh; .vim; .emacs.d; .nvm/nvm.sh"),
];

/** Anywhere: system-wide places that run code later. */
export const STARTUP_PLACES: readonly string[] = /* @__PURE__ */ [
  ...under(
    "/etc/",
    "profile; profile.d; bash.bashrc; bashrc; zsh; zshrc; zshenv; environment; rc.local; init.d; systemd; ld.so.preload; cron.d",
    "cron.daily; cron.hourly",
  ),
  ...under(
    "/etc/",
    "cron.weekly; cron.monthly; crontab; sudoers; sudoers.d; pam.d; xdg/autostart; udev; zprofile; zlogin; paths; paths.d",
    "manpaths.d; periodic; launchd.conf; csh.cshrc",
  ),
  ...under(
    "/library/",
    "launchagents; launchdaemons; startupitems; security/securityagentplugins; privilegedhelpertools; services; scripts; quicklook",
    "input methods; internet plug-ins; preferencepanes; screen savers; spotlight; audio/plug-ins; apple/system/library/launchdaemons",
  ),
  "/var/spool/cron",
  "/var/at",
];
