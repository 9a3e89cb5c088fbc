import { expect, test } from "vitest";
import { MAC_WORLD, verdictFor } from "./decide.ts";

/** What people and agents type on a Mac all day. */
const EVERYDAY = `
ls -la@ src
ls -lT | head -3
stat -f %z a.txt
stat -f '%Su %Sg %Sp' a.txt
stat -x a.txt
date -r 1700000000
date -v-1d +%Y-%m-%d
date -j -f %s 0 +%F
date -u +%FT%TZ
find . -maxdepth 2 -name '*.ts' -not -path './node_modules/*'
find -E . -regex '.*\\.(ts|js)'
grep -rn --include='*.ts' TODO src
grep -E 'a|b' a.txt
sed -n '1,5p' a.txt
sed -E 's/(a)/\\1b/' a.txt
awk '{print $1}' a.txt
tail -r a.txt
sort -u a.txt
du -sh src
du -hd1 src
df -h
ps aux
ps -ef
ps -Ao pid,ppid,comm
base64 -i a.txt
base64 -D -i a.txt
md5 a.txt
shasum -a 256 a.txt
tar tzf a.tgz
readlink -f a.txt
which -a node
sw_vers -productVersion
uname -m
sysctl -n hw.ncpu
vm_stat
system_profiler SPSoftwareDataType
defaults read com.apple.finder
plutil -p a.plist
mdfind -name a.txt -onlyin src
mdls a.txt
xattr -l a.txt
codesign -dv App.app
codesign --verify --deep --strict App.app
spctl --status
csrutil status
pmset -g
pmset -g batt
scutil --get ComputerName
scutil --dns
networksetup -listallhardwareports
tmutil status
tmutil listbackups
diskutil list
hdiutil info
launchctl list
xcode-select -p
xcrun --find clang
xcrun --show-sdk-path
swift --version
brew list
brew info node
brew --prefix
caffeinate -i ls
otool -L App
lipo -info App
nm App
vm_stat
top -l 1 -n 5
mktemp -d
mktemp -t build
script -q /dev/null ls
ls src | xargs -J % echo % end
security find-identity -v -p codesigning
dscl . -list /Users
dscl . -read /Users/u UniqueID
ifconfig en0
ipconfig getifaddr en0
nvram -p
sips -g pixelWidth a.png
plutil a.plist
plutil -convert json -o - a.plist
/usr/libexec/PlistBuddy -c Print a.txt
xattr a.txt
xattr -p com.apple.quarantine a.txt
codesign -vv App.app
nm -gU App
dwarfdump --uuid App
atos -o App 0x1
xcodebuild -version
xcrun simctl list devices
dscacheutil -q user
nvram boot-args
kextstat
kmutil showloaded
log show --last 5m
log show --predicate 'process == "x"' --style compact
vmmap 123
memory_pressure
top -l 1 -s 0 -o cpu -n 5
arch -x86_64 uname -m
arch -arm64 ls
jot 10
GetFileInfo a.txt
lsbom x.bom
sysctl kern.maxproc kern.osrelease
`;

/** What must never go ahead by itself. */
const HARMS = `
osascript -e 'do shell script "rm -rf ~"'
osascript evil.scpt
osascript -e 'tell application "System Events" to make login item at end with properties {path:"/tmp/x.app"}'
osascript -l JavaScript -e 'x'
open -a Terminal evil.command
open evil.app
open https://evil.example
open -b com.apple.Terminal x.sh
shortcuts run Evil
automator evil.workflow
launchctl load ~/Library/LaunchAgents/x.plist
launchctl bootstrap gui/501 x.plist
launchctl submit -l x -- ./evil
launchctl setenv PATH /tmp
launchctl unload -w /System/Library/LaunchDaemons/x.plist
defaults write com.apple.loginwindow LoginHook /tmp/x
defaults write -g x y
security find-generic-password -s x -w
security dump-keychain -d login.keychain
security add-trusted-cert -d x.cer
codesign -f -s - App.app
xattr -d com.apple.quarantine App.app
xattr -cr .
spctl --master-disable
csrutil disable
nvram boot-args=x
pmset -a sleep 0
scutil --set HostName x
networksetup -setwebproxy Wi-Fi evil 80
tmutil disable
tmutil delete /Volumes/x
diskutil eraseDisk APFS x disk2
hdiutil attach x.dmg
softwareupdate -i -a
dscl . -create /Users/x
dscl . -passwd /Users/u new
sysadminctl -addUser x
chflags -R nohidden ~
chflags uchg ~/.zshrc
pbpaste
pbpaste | sh
screencapture ~/x.png
plutil -replace a -string b ~/Library/LaunchAgents/x.plist
PlistBuddy -c 'Add :x string y' a.plist
/usr/libexec/PlistBuddy -c 'Add :x string y' ~/Library/LaunchAgents/x.plist
profiles install -path x.mobileconfig
installer -pkg x.pkg -target /
brew install evil
port install evil
pod install
xcodebuild build
swift run
ditto evil ~/Library/LaunchAgents
crontab x
kextload evil.kext
systemsetup -setremotelogin on
sqlite3 ~/Library/Messages/chat.db .dump
cp -R evil/ ~
sed -i '' 's/a/b/' ~/.zshrc
find -f ~ -- -delete
script -q /dev/null rm -rf ~
base64 -o ~/.zshrc -i a.txt
date -f %Y 2026
ps -E
tar -cf x.tar @.env
xargs -J % rm -rf % < a.txt
tccutil reset All
sudo -A ls
mdutil -E /
qlmanage -p .env
log erase --all
killall Finder
dwarfdump -o ~/.zshrc App
arch -arm64 rm -rf ~
arch -x86_64 -e A=b sh evil.sh
plutil -convert json a.plist
plutil -convert json -o ~/.zshrc a.plist
/usr/libexec/PlistBuddy -c Print -c 'Set :x y' a.txt
/usr/libexec/PlistBuddy -c Print ~/Library/LaunchAgents/missing.plist
xattr -lw a b a.txt
codesign -v -s - App.app
codesign -vs - App.app
codesign -dvfs - App.app
dwarfdump -out-file=/Users/u/.zshrc App
codesign -dv --entitlements ~/.zshrc App.app
stapler staple -v App.app
nvram boot-args=x boot-args
sysctl kern.maxproc:1
xcodebuild -version build
xcrun simctl spawn booted rm -rf ~
kmutil load -p evil.kext
memory_pressure -l critical
log collect --output ~/x
log config --mode level:debug
`;

/** Secrets of a Mac: reading them is denied, whichever way they are spelled. */
const SECRETS = [
  "~/Library/Keychains/login.keychain-db",
  "/Library/Keychains/System.keychain",
  "~/Library/Cookies/Cookies.binarycookies",
  "~/Library/Safari/History.db",
  "~/Library/Messages/chat.db",
  "~/Library/Mail/V10/x.mbox",
  '~/"Library/Application Support/Google/Chrome/Default/Cookies"',
  '~/"Library/Application Support/Google/Chrome/Default/Login Data"',
  '~/"Library/Application Support/Firefox/Profiles/x.default/logins.json"',
  '~/"Library/Application Support/BraveSoftware/Brave-Browser/Default/Cookies"',
  '~/"Library/Application Support/Microsoft Edge/Default/Login Data"',
  '~/"Library/Application Support/Arc/User Data/Default/Cookies"',
  '~/"Library/Application Support/1Password/x.sqlite"',
  '~/"Library/Group Containers/2BUA8C4S2C.com.1password/x.sqlite"',
  '~/"Library/Application Support/Bitwarden/data.json"',
  "~/Library/Containers/com.apple.Safari/Data/Library/Cookies/Cookies.binarycookies",
  '~/"Library/Group Containers/group.com.apple.notes/NoteStore.sqlite"',
  "~/Library/Accounts/Accounts4.sqlite",
  '~/"Library/Application Support/com.apple.TCC/TCC.db"',
  '~/"Library/Application Support/MobileSync/Backup/x/Manifest.db"',
  '~/"Library/Application Support/AddressBook/AddressBook-v22.abcddb"',
  "~/Library/Calendars/Calendar.sqlitedb",
  ".ENV",
  ".Env.Local",
  "/System/Volumes/Data/Users/u/.ssh/id_rsa",
  "/Users/U/.SSH/ID_RSA",
  '"/Volumes/Macintosh HD/Users/u/.ssh/id_rsa"',
  "/private/etc/master.passwd",
  "/.vol/16777220/12884901917",
  "/.VOL/16777220/2/.ssh/x",
  "/private/var/db/dslocal/nodes/Default/users/u.plist",
  "~/.AWS/credentials",
];

/** What runs later: writing there is denied, whichever way it is spelled. */
const LATER = [
  "~/Library/LaunchAgents/x.plist",
  "/Library/LaunchDaemons/x.plist",
  "/Library/LaunchAgents/x.plist",
  "~/library/launchagents/x.plist",
  "/System/Volumes/Data/Users/u/Library/LaunchAgents/x.plist",
  "/System/Volumes/Data/Library/LaunchDaemons/x.plist",
  '"/Volumes/Macintosh HD/Users/u/Library/LaunchAgents/x.plist"',
  "~/Library/Services/x.workflow/Contents/document.wflow",
  "~/Library/QuickLook/x.qlgenerator/Contents/Info.plist",
  "~/Library/Automator/x.action/Contents/Info.plist",
  "~/Library/Scripts/x.scpt",
  "~/Library/Workflows/x.workflow/document.wflow",
  "~/Library/Shortcuts/Shortcuts.sqlite",
  "~/Library/Preferences/com.apple.loginitems.plist",
  "~/Library/Preferences/com.apple.loginwindow.plist",
  '~/"Library/Application Support/com.apple.backgroundtaskmanagementagent/backgrounditems.btm"',
  '~/"Library/Application Scripts/com.apple.mail/x.scpt"',
  "~/Library/Mail/V10/MailData/SyncedRules.plist",
  '~/"Library/Input Methods/x.app/Contents/Info.plist"',
  "~/Library/PreferencePanes/x.prefPane/Contents/Info.plist",
  "~/Library/Spotlight/x.mdimporter/Contents/Info.plist",
  '~/"Library/Screen Savers/x.saver/Contents/Info.plist"',
  '~/"Library/Internet Plug-Ins/x.plugin/Contents/Info.plist"',
  "~/Library/ColorPickers/x.colorPicker/Contents/Info.plist",
  '~/"Library/Audio/Plug-Ins/HAL/x.driver/Contents/Info.plist"',
  "~/.zshrc",
  "~/.ZSHENV",
  "~/.zprofile",
  "~/.zlogin",
  "~/.bash_profile",
  "~/.config/fish/config.fish",
  ".Git/hooks/pre-commit",
  ".GIT/HOOKS/pre-commit",
  "/private/etc/zshrc",
  "/etc/paths.d/x",
  "/private/etc/pam.d/sudo",
  "/private/var/at/tabs/u",
  "/Library/StartupItems/x/x",
  '"/Library/Security/SecurityAgentPlugins/x.bundle/x"',
  "/Library/PrivilegedHelperTools/x",
  "/etc/periodic/daily/999.x",
];

const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

test.each(lines(EVERYDAY))("everyday: %s", (command) => {
  expect(verdictFor(command, MAC_WORLD).decision).toBe("allow");
});

test.each(lines(HARMS))("harm: %s", (command) => {
  expect(verdictFor(command, MAC_WORLD).decision).not.toBe("allow");
});

test.each(SECRETS)("secret: %s", (path) => {
  expect([`cat ${path}`, `cp ${path} x`, `base64 -i ${path}`].map((command) => verdictFor(command, MAC_WORLD).decision)).toEqual([
    "deny",
    "deny",
    "deny",
  ]);
});

test.each(LATER)("runs later: %s", (path) => {
  expect(
    [`cp a.txt ${path}`, `echo x > ${path}`, `base64 -i a.txt -o ${path}`].map((command) => verdictFor(command, MAC_WORLD).decision),
  ).toEqual(["deny", "deny", "deny"]);
});
