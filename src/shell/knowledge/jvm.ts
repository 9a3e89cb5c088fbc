import { PROJECT_TOOL } from "./project-tool.ts";
import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// What comes with a JDK beside java, javac, javap, jar and jps.

export const jvm: readonly CommandSpec[] = [
  {
    names: "jstack jstat",
    upkeep: ["write /tmp/hsperfdata_*/**"],
    summary: "looks at a running Java program",
    style: "words",
    options: rows(
      "-l; -e; -gc; -gcutil; -gccapacity; -gccause; -gcnew; -gcold; -class; -compiler; -t; -h=number; -options -> stop; -help -> stop",
    ),
    operands: "number number? number?",
    examples: {
      allow: ["jstack 1234", "jstack -l 1234", "jstat -gc 1234 1000 5"],
      ask: ["jstat -gc evil.example", "jstack -F 1 2 3 4", "jstack -J-javaagent:x 1"],
    },
  },
  {
    names: "jcmd jmap jinfo jhsdb jconsole jvisualvm jmc visualvm",
    upkeep: ["write /tmp/hsperfdata_*/**"],
    summary: "looks at and changes a running Java program",
    style: "words",
    options: "-l -> stop\n-help -> stop",
    operands: "refuse*=x",
    effects: "process",
    examples: { allow: ["jcmd -l"], ask: ["jcmd 1 GC.heap_dump x", "jmap -dump:file=x 1", "jinfo -flag +X 1", "jcmd"] },
  },
  {
    names: "jdeps",
    upkeep: ["write /tmp/hsperfdata_*/**"],
    summary: "what class files depend on",
    style: "words",
    options: rows(
      "-s -summary; -v -verbose; -cp -classpath --class-path=listtree; -p=text; -R -recursive; -q -quiet; -version -> stop; -help -h -> stop",
      "# write: -dotoutput --generate-module-info",
    ),
    operands: "read+",
    analyse: "response-file",
    examples: { allow: ["jdeps -s a.jar"], ask: ["jdeps -dotoutput x a.jar", "jdeps @args"], deny: ["jdeps .env"] },
  },
  {
    names: "keytool",
    upkeep: ["write /tmp/hsperfdata_*/**"],
    summary: "key stores",
    style: "words",
    options: rows(
      "-list -> edit becomes read; -printcert; -printcertreq; -printcrl; -v; -rfc; -keystore=read; -storepass=text; -storetype=text; -alias=text; -file=certificate; -cacerts; -help -> stop",
      "# change: -genkey -genkeypair -import -importcert -delete -storepasswd -exportcert -providerclass -sslserver",
    ),
    operands: "",
    examples: {
      allow: ["keytool -list -cacerts"],
      ask: ["keytool -genkeypair -alias x -keystore k", "keytool -delete -alias x", "keytool -list -providerclass Evil"],
      deny: ["keytool -list -keystore ~/.ssh/id_rsa"],
    },
  },
  {
    names: "jstatd rmiregistry jlink jpackage jarsigner jmod jimage jrunscript jdb native-image jdeprscan jhat wsimport xjc serialver rmic",
    summary: "builds or runs Java",
    ...PROJECT_TOOL,
    examples: { none: ["jlink --output x", "jrunscript -e 'x'", "jarsigner a.jar x"] },
  },
  {
    names: "perldoc prove pod2text pod2html podchecker luac ri rdoc yard erd-doc hoogle haddock godoc pydoc-browser texdoc",
    summary: "documentation of modules, which may be loaded for it",
    ...PROJECT_TOOL,
    examples: { none: ["perldoc -f open", "prove", "luac -o x a.lua"] },
  },
  {
    names:
      "jp jmespath htmlq pup hxselect csvtool toml ugrep kdiff rg-all tset gparted massif kioclient dyld_info clip languagetool wordcount git-delta explainshell sloccount",
    summary: "found now and then; not told apart here",
    style: "none",
    operands: "code/other?=default read*",
    examples: { none: ["pup -f a.html", "ugrep x a.txt"], deny: ["htmlq a .env"] },
  },
];
