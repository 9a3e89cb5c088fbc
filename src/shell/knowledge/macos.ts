import { PROJECT_TOOL } from "./project-tool.ts";
import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

// macOS.

/** What is not known to look. */
const CHANGES: SubcommandSpec = { style: "none", operands: "text*", effects: "system settings, danger host-effect" };

export const macos: readonly CommandSpec[] = [
  {
    names: "defaults",
    otherwise: "host-effect",
    summary: "settings of programs",
    style: "none",
    subcommands: {
      "read|read-type|domains|find|help|-currentHost read": {
        style: "none",
        operands: "text*",
        examples: { allow: ["defaults read com.apple.finder", "defaults domains"] },
      },
      export: {
        style: "none",
        operands: "text write",
        examples: { allow: ["defaults export com.apple.finder -"], ask: ["defaults export x out.plist"] },
      },
      "write|delete|delete-all|rename|import|-currentHost write|-currentHost delete": {
        style: "none",
        operands: "text*",
        effects: "system settings, danger host-effect",
        examples: { ask: ["defaults write com.apple.loginwindow LoginHook /tmp/x", "defaults delete com.apple.dock"] },
      },
    },
    examples: { ask: ["defaults -host x read y"] },
  },
  {
    names: "plutil",
    summary: "property lists",
    style: "words",
    options: rows(
      "-lint -> edit becomes read; -p -> edit becomes read; -s; -o=write; -e=text; -r; -help -> stop",
      "# change the file: -insert -replace -remove -create -convert without -o",
    ),
    operands: "edit*",
    examples: {
      allow: ["plutil -lint a.plist", "plutil -p a.plist"],
      ask: [
        "plutil -convert json a.plist",
        "plutil -replace a -string b a.plist",
        "plutil -lint -convert json a.plist",
        "plutil -convert json -o x a.plist",
      ],
      deny: ["plutil -p .env"],
    },
  },
  {
    names: "system_profiler ioreg",
    summary: "describes the machine",
    style: "words",
    options: rows(
      "-json; -xml; -detailLevel=text; -listDataTypes -> stop; -nospawn; -l; -w=number; -r; -n=text; -c=text; -p=text; -d=number; -timeout=number; -usage -> stop",
    ),
    operands: "text*",
    examples: { allow: ["system_profiler SPHardwareDataType", "system_profiler -json SPSoftwareDataType", "ioreg -l"] },
  },
  {
    names: "security",
    otherwise: "host-effect",
    summary: "keychains and certificates",
    style: "posix",
    subcommands: {
      "find-identity|list-keychains|default-keychain|login-keychain|help|error|verify-cert|show-keychain-info|list-smartcards|cms": {
        options: rows("-v; -p=text; -s=refuse; -d=text; -c=text"),
        operands: "text*",
        examples: { allow: ["security find-identity -v -p codesigning", "security list-keychains"], ask: ["security list-keychains -s x"] },
      },
      "find-generic-password|find-internet-password|find-certificate|find-key|dump-keychain|export|export-smartcard|get-identity-preference":
        {
          style: "none",
          operands: "text*",
          effects: "environment",
          examples: { ask: ["security find-generic-password -w -s x", "security dump-keychain -d", "security export -k x"] },
        },
      "add-generic-password|add-internet-password|delete-generic-password|delete-internet-password|delete-certificate|delete-keychain|create-keychain|import|add-certificates|add-trusted-cert|remove-trusted-cert|set-keychain-settings|set-key-partition-list|unlock-keychain|lock-keychain|authorizationdb|execute-with-privileges|trust-settings-import|set-identity-preference":
        {
          style: "none",
          operands: "text*",
          effects: "system keychain, danger host-effect",
          examples: {
            ask: [
              "security add-trusted-cert -d x.cer",
              "security delete-keychain login.keychain",
              "security execute-with-privileges /bin/rm x",
            ],
          },
        },
    },
    examples: { ask: ["security -i"] },
  },
  {
    names: "codesign spctl stapler notarytool altool productsign pkgbuild productbuild",
    summary: "signs and checks signatures",
    style: "words",
    options: rows(
      "-dv -d -display -> writetree becomes read; -dvv -> writetree becomes read; -dvvv -> writetree becomes read; -verify -> writetree becomes read; -v -verbose[=text]; -deep; -strict; -entitlements=text; -xml; -a -assess -> writetree becomes read; -t -type=text; -status -> stop",
      "# change: -s -f -remove-signature --add --disable --master-disable",
    ),
    operands: "writetree*=.",
    examples: {
      allow: ["codesign -dv App.app", "spctl --status", "codesign --verify --deep App.app"],
      ask: ["codesign -s - App.app", "spctl --master-disable"],
    },
  },
  {
    names: "mdfind mdls",
    summary: "Spotlight",
    style: "words",
    options: rows("-name=text; -onlyin=listtree; -count; -0; -literal; -interpret; -raw; -nullMarker=text; -attr=text; -live=refuse"),
    operands: "text*",
    effects: "listtree /",
    examples: { allow: ["mdfind -name x", "mdls a.txt"], ask: ["mdfind -s x"] },
  },
  {
    names: "xattr",
    summary: "extended attributes",
    style: "gnu",
    options: rows("-l; -p; -r -> metadata becomes metatree; -s; -v; -x; -w -> metadata becomes metadata; -d; -c; -h -> stop"),
    operands: "metadata*",
    examples: { ask: ["xattr -d com.apple.quarantine a.app", "xattr a.txt"], deny: ["xattr -cr ~", "xattr -cr ."] },
  },
  {
    names: "textutil ditto lipo install_name_tool strip-dylib actool ibtool iconutil tiffutil afconvert avconvert pl-convert",
    summary: "converts or copies",
    style: "words",
    options: "-help -> stop",
    operands: "refuse*",
    effects: "write .",
    examples: { ask: ["textutil -convert html a.rtf", "ditto a ~/b", "lipo -create a b -output c"] },
  },
  {
    names: "screencapture",
    summary: "a picture of the screen",
    style: "gnu",
    operands: "write*=x.png",
    effects: "terminal",
    examples: { ask: ["screencapture x.png", "screencapture -x x.png"], deny: ["screencapture ~/.bashrc"] },
  },
  {
    names: "scutil airport",
    summary: "network settings",
    style: "words",
    options: rows("-get=text -> stop; -dns -> stop; -proxy -> stop; -nwi -> stop; -I -> stop; -s -> stop; -help -> stop"),
    operands: "refuse*=x",
    effects: "system network, danger host-effect",
    examples: {
      allow: ["scutil --get ComputerName", "scutil --dns"],
      ask: ["scutil --set HostName x", "scutil"],
    },
  },
  {
    names: "networksetup",
    otherwise: "host-effect",
    summary: "network settings",
    style: "none",
    // Names may be written in any case; those listed are the manual's.
    subcommands: {
      "-get*|-list*|-is*|-show*|-printcommands|-version|-help": {
        style: "none",
        operands: "text*",
        examples: {
          allow: [
            "networksetup -listallhardwareports",
            "networksetup -getdnsservers Wi-Fi",
            "networksetup -getinfo Wi-Fi",
            "networksetup -getairportnetwork en0",
          ],
        },
      },
      "*|-*": {
        style: "none",
        operands: "text*",
        effects: "system network, danger host-effect",
        examples: {
          ask: ["networksetup -setdnsservers Wi-Fi 6.6.6.6", "networksetup -setairportpower en0 off", "networksetup -frobnicate"],
        },
      },
    },
    examples: { allow: ["networksetup -version"] },
  },
  {
    names: "tmutil",
    otherwise: "host-effect",
    style: "none",
    subcommands: {
      "listbackups|latestbackup|listlocalsnapshots|destinationinfo|status|version|machinedirectory|isexcluded|help": {
        style: "none",
        operands: "text*",
        examples: { allow: ["tmutil listbackups", "tmutil status"] },
      },
      "delete|deletelocalsnapshots|disable|enable|restore|startbackup|stopbackup|addexclusion|removeexclusion|setdestination|removedestination|thinlocalsnapshots|inheritbackup|associatedisk|localsnapshot|compare":
        {
          style: "none",
          operands: "text*",
          effects: "system backup, danger host-effect",
          examples: { ask: ["tmutil delete x", "tmutil disable"] },
        },
    },
    examples: { allow: ["tmutil"], ask: ["tmutil frobnicate"] },
  },
  {
    names: "pkgutil",
    style: "words",
    options: rows(
      "-pkgs[=text]; -pkg-info=text; -files=text; -file-info=list; -check-signature=read; -regexp; -v; -help -> stop",
      "# change: --forget --unlink --expand --flatten --extract",
    ),
    operands: "",
    examples: { allow: ["pkgutil --pkgs", "pkgutil --files com.x"], ask: ["pkgutil --forget com.x", "pkgutil --expand a.pkg out"] },
  },
  {
    names: "installer bless kextload kextunload kmutil sysadminctl createhomedir spindump dtrace dtruss fs_usage sc_usage",
    summary: "changes the machine",
    style: "words",
    options: "-help -> stop",
    operands: "refuse*=x",
    effects: "system settings, danger host-effect",
    examples: { ask: ["installer -pkg x.pkg -target /", "kextload ./evil.kext", "sysadminctl -addUser x"] },
  },
  {
    names: "hdiutil",
    otherwise: "host-effect",
    summary: "disk images",
    style: "words",
    subcommands: {
      "info|plugins|help": {
        style: "words",
        options: "-plist",
        operands: "",
        examples: { allow: ["hdiutil info", "hdiutil info -plist"], ask: ["hdiutil info -frobnicate"] },
      },
      "imageinfo|verify|isencrypted|checksum": {
        style: "words",
        options: "-plist\n-format\n-checksum\n-quiet\n-verbose\n-type=text",
        operands: "read+",
        examples: {
          allow: ["hdiutil verify x.dmg", "hdiutil imageinfo -plist x.dmg"],
          ask: ["hdiutil verify"],
          deny: ["hdiutil imageinfo .env"],
        },
      },
      "*|-*": {
        style: "none",
        operands: "text*",
        effects: "system mounts, danger host-effect",
        examples: {
          ask: [
            "hdiutil attach x.dmg",
            "hdiutil create -srcfolder src x.dmg",
            "hdiutil convert x.dmg -format UDRW -o y",
            "hdiutil frobnicate",
          ],
        },
      },
    },
    examples: { allow: ["hdiutil plugins"] },
  },
  {
    names: "diskutil",
    otherwise: "host-effect",
    summary: "disks and volumes",
    style: "words",
    subcommands: {
      "list|info|activity|listFilesystems|listfilesystems|apfs list|apfs listUsers|apfs listusers|apfs listCryptoUsers|apfs listSnapshots|apfs listVolumeGroups|ap list|appleRAID list|appleraid list|ar list|coreStorage list|corestorage list|cs list|cs info|coreStorage info|image list|image info":
        {
          style: "words",
          options: "-plist\n-all\n-internal\n-external\n-physical\n-virtual",
          operands: "text*",
          examples: { allow: ["diskutil list", "diskutil info -plist disk0", "diskutil apfs list"], ask: ["diskutil list -frobnicate"] },
        },
      "*|-*": {
        style: "none",
        operands: "text*",
        effects: "system mounts, danger host-effect",
        examples: {
          ask: ["diskutil unmount disk2", "diskutil apfs addVolume disk1 APFS x", "diskutil frobnicate", "diskutil eraseEverything list"],
        },
      },
      "eraseDisk|eraseVolume|reformat|eraseOptical|zeroDisk|randomDisk|secureErase|partitionDisk|addPartition|splitPartition|mergePartitions|resizeVolume|apfs deleteVolume|apfs deleteContainer|apfs deleteVolumeGroup|apfs eraseVolume|apfs deleteSnapshot|appleRAID delete|coreStorage delete":
        {
          style: "none",
          operands: "text*",
          effects: "system mounts, danger host-effect",
          examples: { ask: ["diskutil eraseDisk APFS x disk2", "diskutil apfs deleteVolume disk1s5", "diskutil secureErase 0 disk2"] },
        },
    },
    examples: { allow: ["diskutil activity"] },
  },
  {
    names: "profiles",
    otherwise: "host-effect",
    summary: "configuration profiles",
    style: "none",
    subcommands: {
      "list|show|status|validate|help|version|-L|-P|-C|-p|-H": {
        style: "words",
        options: "-type=text\n-user=text\n-all\n-verbose\n-v\n-output=refuse",
        operands: "text*",
        examples: {
          allow: ["profiles list", "profiles show -type configuration", "profiles status -type enrollment", "profiles -P"],
          ask: ["profiles show -output x"],
        },
      },
      "*|-*": {
        style: "none",
        operands: "text*",
        effects: "system settings, danger host-effect",
        examples: { ask: ["profiles install -path x.mobileconfig", "profiles remove -all", "profiles -D", "profiles frobnicate"] },
      },
    },
    examples: { allow: ["profiles -L"] },
  },
  {
    names: "softwareupdate",
    otherwise: "host-effect",
    summary: "updates of the system",
    style: "none",
    subcommands: {
      "-l|--list|--list-full-installers|--history|--dump-state|-h|--help": {
        style: "gnu",
        options: "-a --all\n--include-config-data\n--product-types=text\n--force\n--no-scan",
        operands: "",
        examples: {
          allow: ["softwareupdate -l", "softwareupdate --list --no-scan"],
          ask: ["softwareupdate -l -i x", "softwareupdate --list --install"],
        },
      },
      "*|-*": {
        ...CHANGES,
        examples: { ask: ["softwareupdate -ia", "softwareupdate --fetch-full-installer", "softwareupdate --schedule off"] },
      },
    },
    examples: { allow: ["softwareupdate --history"] },
  },
  {
    names: "csrutil nvram systemsetup fdesetup dseditgroup",
    otherwise: "host-effect",
    summary: "shows and changes settings of the machine",
    style: "none",
    subcommands: {
      "status|list|isactive|supportsauthrestart|haspersonalrecoverykey|hasinstitutionalrecoverykey|authenticated-root status|-p|-xp|-o read|-o checkmember|-gettimezone|-getdate|-gettime|-getcomputername|-getlocalsubnetname|-getremotelogin|-getremoteappleevents|-getsleep|-getcomputersleep|-getdisplaysleep|-getharddisksleep|-getusingnetworktime|-getnetworktimeserver|-getstartupdisk|-getwakeonnetworkaccess|-getrestartfreeze|-listtimezones|-liststartupdisks|-help|help":
        {
          style: "none",
          operands: "text?",
          examples: { allow: ["nvram -p", "fdesetup status", "systemsetup -gettimezone"] },
        },
      "*|-*": {
        ...CHANGES,
        examples: {
          ask: [
            "nvram x=y",
            "systemsetup -setremotelogin on",
            "csrutil disable",
            "fdesetup disable",
            "nvram -c",
            "dseditgroup -o edit -a me admin",
          ],
        },
      },
    },
    examples: { allow: ["csrutil status"] },
  },
  {
    names: "mdutil",
    otherwise: "host-effect",
    summary: "Spotlight's index",
    style: "none",
    subcommands: {
      "-s|-sa|-as|-sv": {
        style: "none",
        operands: "text*",
        examples: { allow: ["mdutil -s /"], ask: ["mdutil -E /", "mdutil -i off /", "mdutil -s -E /"] },
      },
      "-s -*|-sa -*|-as -*|*|-*": { ...CHANGES, examples: { ask: ["mdutil -p /"] } },
    },
    examples: { allow: ["mdutil -sa"] },
  },
  {
    names: "xcrun",
    summary: "runs a tool of Xcode",
    style: "posix",
    options: rows(
      "--sdk -sdk=text; --toolchain -toolchain=text; -f --find -find -> command becomes text; -r --run -run; -n --no-cache; --show-sdk-path -> stop; --show-sdk-version -> stop; --show-sdk-platform-path -> stop; --show-sdk-build-version -> stop; --version -> stop; -h --help -> stop",
    ),
    operands: "command:argv?=true",
    examples: {
      allow: ["xcrun --find clang", "xcrun --show-sdk-path", "xcrun --sdk macosx ls"],
      none: ["xcrun simctl erase all", "xcrun ./evil"],
      deny: ["xcrun rm -rf ~"],
    },
  },
  {
    names: "xcode-select",
    style: "posix",
    options: "-p --print-path -> stop\n-v --version -> stop\n-h --help -> stop",
    operands: "",
    effects: "system settings, danger host-effect",
    examples: { allow: ["xcode-select -p"], ask: ["xcode-select -s /x", "xcode-select --install"] },
  },
  {
    names: "simctl xctrace instruments devicectl",
    summary: "simulators and recordings",
    ...PROJECT_TOOL,
    examples: { none: ["simctl erase all", "xctrace record --launch -- ls"] },
  },
];
