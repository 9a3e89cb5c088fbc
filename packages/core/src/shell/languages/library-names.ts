import type { FileOperation } from "../../action/index.ts";
import type { ScriptLanguage } from "./library-tokens.ts";

/**
 * What functions of the standard libraries do with their arguments. One row a group of functions:
 *
 *     "os.remove os.unlink": "delete 0"            the first argument is deleted
 *     "shutil.move": "rename 0, write 1"
 *     "subprocess.run": "run 0"                    a command line, or a list of words
 *
 * `0..` are all arguments from there on; `tree` after an operation means all below; `mode N` opens by the mode in argument N;
 * `run`, `shell`, `argv N`, `code` start what they are given; `net` connects; `kill SIGNAL PID`; `cd` moves.
 */
export type LibraryEffect =
  | { readonly is: "file"; readonly operation: FileOperation; readonly from: number; readonly rest: boolean; readonly tree: boolean }
  | { readonly is: "open"; readonly from: number; readonly mode: number }
  | { readonly is: "run" | "shell" | "code" | "net" | "cd"; readonly from: number }
  /** Program and words: all arguments from there, lists opened. */
  | { readonly is: "argv"; readonly from: number; readonly program?: number }
  | { readonly is: "kill"; readonly signal: number; readonly pid: number };

const PYTHON = {
  "os.remove os.unlink os.rmdir os.removedirs": "delete 0",
  "shutil.rmtree": "delete 0 tree",
  "os.rename os.replace os.renames shutil.move": "rename 0, write 1",
  "os.mkdir os.makedirs": "mkdir 0",
  "os.chmod os.chown os.lchown os.lchmod os.utime os.setxattr os.removexattr os.chflags shutil.chown shutil.copymode shutil.copystat":
    "metadata 0",
  "os.symlink os.link": "link 0, write 1",
  "os.truncate os.mkfifo os.mknod": "write 0",
  "os.open": "read 0, write 0",
  "os.listdir os.scandir os.fwalk os.walk glob.glob glob.iglob": "list 0",
  "os.system os.popen commands.getoutput subprocess.getoutput subprocess.getstatusoutput asyncio.create_subprocess_shell": "shell 0",
  "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen pty.spawn": "run 0",
  "asyncio.create_subprocess_exec": "argv 0",
  "os.execv os.execve os.execvp os.execvpe os.posix_spawn os.posix_spawnp os.execl os.execle os.execlp os.execlpe": "exec 0",
  "os.spawnv os.spawnve os.spawnvp os.spawnvpe os.spawnl os.spawnle os.spawnlp os.spawnlpe": "exec 1",
  "os.kill os.killpg": "kill 1 0",
  "os.chdir os.chroot": "cd 0",
  "open io.open codecs.open gzip.open bz2.open lzma.open zipfile.ZipFile tarfile.open tarfile.TarFile wave.open": "mode 0 1",
  "io.FileIO": "mode 0 1",
  "fileinput.input fileinput.FileInput shelve.open dbm.open": "edit 0",
  "logging.FileHandler logging.basicConfig": "write 0",
  "libc.system libc.popen": "shell 0",
  "libc.unlink libc.remove libc.rmdir": "delete 0",
  "libc.open libc.fopen libc.creat libc.truncate": "read 0, write 0",
  "libc.rename": "rename 0, write 1",
  "libc.execl libc.execlp libc.execv libc.execvp": "exec 0",
  "timeit.timeit timeit.repeat timeit.Timer cProfile.run profile.run pdb.run pdb.runeval": "code 0, code 1",
  "linecache.getline linecache.getlines runpy.run_path sqlite3.connect": "read 0",
  "shutil.copy shutil.copy2 shutil.copyfile": "read 0, write 1",
  "shutil.copytree": "read 0 tree, write 1 tree",
  "shutil.make_archive": "write 0, read 2 tree",
  "shutil.unpack_archive": "read 0, write 1 tree",
  ["urllib.request.urlopen urllib.request.urlretrieve requests.get requests.post requests.put requests.delete " +
  "requests.head requests.patch httpx.get httpx.post http.client.HTTPConnection http.client.HTTPSConnection socket.create_connection"]:
    "net 0",
  "exec eval compile": "code 0",
};

const PYTHON_PATH = {
  "unlink rmdir": "delete self",
  "rename replace move": "rename self, write 0",
  "write_text write_bytes touch": "write self",
  "read_text read_bytes": "read self",
  mkdir: "mkdir self",
  "chmod lchmod": "metadata self",
  "symlink_to hardlink_to link_to": "link 0, write self",
  "iterdir glob rglob walk": "list self",
  copy: "read self, write 0",
  open: "mode self 0",
};

const NODE_FILES = {
  "fs.rm fs.rmdir fs.unlink": "delete 0",
  "fs.rename": "rename 0, write 1",
  "fs.writeFile fs.appendFile fs.truncate fs.createWriteStream": "write 0",
  "fs.readFile fs.createReadStream fs.openAsBlob": "read 0",
  "fs.open": "mode 0 1",
  "fs.readdir fs.opendir": "list 0",
  "fs.mkdir fs.mkdtemp": "mkdir 0",
  "fs.chmod fs.chown fs.lchown fs.lchmod fs.utimes fs.lutimes": "metadata 0",
  "fs.symlink fs.link": "link 0, write 1",
  "fs.copyFile": "read 0, write 1",
  "fs.cp": "read 0 tree, write 1 tree",
  // fs-extra, rimraf, del and trash carry these names.
  "fs-extra.remove fs-extra.emptyDir rimraf rimraf.rimraf del trash": "delete 0 tree",
  "fs-extra.move": "rename 0, write 1",
  "fs-extra.copy": "read 0 tree, write 1 tree",
  "fs-extra.outputFile fs-extra.writeJson fs-extra.outputJson": "write 0",
  "child_process.exec": "shell 0",
  "child_process.execFile child_process.spawn child_process.fork execa execa.execa": "argv 0",
  "process.kill": "kill 1 0",
  "process.chdir Deno.chdir": "cd 0",
  "Deno.remove": "delete 0 tree",
  "Deno.rename": "rename 0, write 1",
  "Deno.writeTextFile Deno.writeFile Deno.truncate Deno.create Bun.write": "write 0",
  "Deno.readTextFile Deno.readFile Deno.open Bun.file": "read 0",
  "Deno.copyFile": "read 0, write 1",
  "Deno.readDir": "list 0",
  "Deno.mkdir": "mkdir 0",
  "Deno.chmod Deno.chown": "metadata 0",
  "Deno.symlink Deno.link": "link 0, write 1",
  "Deno.Command": "argv 0",
  "Deno.run Bun.spawn": "run 0",
  "Deno.kill": "kill 1 0",
  "fetch http.get http.request https.get https.request axios.get axios.post axios": "net 0",
  Function: "code 0, code 1, code 2",
  "eval vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script": "code 0",
};

const PERL = {
  "unlink rmdir CORE::unlink": "delete 0..",
  "rmtree remove_tree File::Path::rmtree File::Path::remove_tree": "delete 0.. tree",
  "rename CORE::rename move mv File::Copy::move File::Copy::mv": "rename 0, write 1",
  "copy cp File::Copy::copy File::Copy::cp": "read 0, write 1",
  "mkdir mkpath make_path File::Path::mkpath File::Path::make_path": "mkdir 0",
  chmod: "metadata 1..",
  "chown utime": "metadata 2..",
  "symlink link": "link 0, write 1",
  truncate: "write 0",
  open: "read 1",
  opendir: "list 1",
  "system exec CORE::system CORE::exec": "run 0",
  kill: "kill 0 1",
  chdir: "cd 0",
  eval: "code 0",
  "do require": "read 0",
  sysopen: "read 1, write 1",
  get: "net 0",
  getstore: "net 0, write 1",
};

const RUBY = {
  "File.delete File.unlink Dir.rmdir Dir.delete Dir.unlink": "delete 0..",
  "File.rename FileUtils.mv FileUtils.move": "rename 0, write 1",
  "File.write File.binwrite IO.write IO.binwrite File.truncate File.mkfifo": "write 0",
  "File.read File.readlines File.foreach File.binread IO.read IO.readlines IO.foreach IO.binread load require_relative": "read 0",
  "File.open File.new Kernel.open open IO.sysopen": "mode 0 1",
  "File.symlink File.link FileUtils.ln FileUtils.ln_s FileUtils.ln_sf FileUtils.symlink FileUtils.link": "link 0, write 1",
  "File.chmod File.lchmod": "metadata 1..",
  "File.chown File.lchown File.utime": "metadata 2..",
  "FileUtils.chmod": "metadata 1",
  "FileUtils.chmod_R": "metadata 1 tree",
  "FileUtils.chown": "metadata 2",
  "FileUtils.chown_R": "metadata 2 tree",
  "Dir.mkdir FileUtils.mkdir FileUtils.mkdir_p FileUtils.makedirs FileUtils.mkpath": "mkdir 0",
  "Dir.chdir FileUtils.cd FileUtils.chdir": "cd 0",
  "Dir.entries Dir.children Dir.glob Dir.each_child Dir.foreach": "list 0",
  "FileUtils.rm FileUtils.rm_f FileUtils.remove FileUtils.remove_file FileUtils.safe_unlink FileUtils.rmdir": "delete 0",
  "FileUtils.rm_r FileUtils.rm_rf FileUtils.rmtree FileUtils.remove_dir FileUtils.remove_entry FileUtils.remove_entry_secure":
    "delete 0 tree",
  "FileUtils.cp FileUtils.copy FileUtils.copy_file FileUtils.install": "read 0, write 1",
  "FileUtils.cp_r FileUtils.copy_entry": "read 0 tree, write 1 tree",
  "FileUtils.touch": "write 0",
  ["system exec spawn Kernel.system Kernel.exec Kernel.spawn Process.spawn Process.exec IO.popen Open3.capture2 " +
  "Open3.capture2e Open3.capture3 Open3.popen2 Open3.popen2e Open3.popen3"]: "run 0",
  "Process.kill": "kill 0 1",
  "eval instance_eval class_eval Kernel.eval": "code 0",
  "URI.open Net::HTTP.get Net::HTTP.get_response Net::HTTP.post_form": "net 0",
};

const RUBY_PATH = {
  "delete unlink rmdir": "delete self",
  rmtree: "delete self tree",
  rename: "rename self, write 0",
  "write binwrite": "write self",
  "read binread readlines each_line": "read self",
  "mkdir mkpath": "mkdir self",
  chmod: "metadata self",
  "children entries each_child glob": "list self",
  open: "mode self 0",
};

/** `self` in the rows of methods. */
export const SELF = -1;

function readEffect(text: string): LibraryEffect[] {
  const [word = "", first = "", second = ""] = text.split(" ");
  const from = first === "self" ? SELF : Number.parseInt(first, 10);
  switch (word) {
    case "mode":
      return [{ is: "open", from, mode: Number(second) }];
    case "run":
    case "shell":
    case "code":
    case "net":
    case "cd":
      return [{ is: word, from }];
    case "argv":
      return [{ is: "argv", from }];
    case "exec":
      return [{ is: "argv", from: from + 1, program: from }];
    case "kill":
      return [{ is: "kill", signal: from, pid: Number(second) }];
    case "delete":
    case "rename":
    case "write":
    case "edit":
    case "read":
    case "list":
    case "mkdir":
    case "metadata":
    case "link":
      return [{ is: "file", operation: word, from, rest: first.endsWith(".."), tree: second === "tree" }];
    default:
      return [];
  }
}

function readRows(rows: Readonly<Record<string, string>>): ReadonlyMap<string, readonly LibraryEffect[]> {
  const read = new Map<string, readonly LibraryEffect[]>();
  for (const [names, effects] of Object.entries(rows))
    for (const name of names.split(" ")) read.set(name, effects.split(", ").flatMap(readEffect));
  return read;
}

type Library = ReadonlyMap<string, readonly LibraryEffect[]>;
const NOTHING: Library = new Map();

/** Functions by their full names, and methods of objects that stand for a path. */
export const FUNCTIONS: Readonly<Record<ScriptLanguage, Library>> = {
  python: readRows(PYTHON),
  javascript: readRows(NODE_FILES),
  perl: readRows(PERL),
  ruby: readRows(RUBY),
};
export const PATH_METHODS: Readonly<Record<ScriptLanguage, Library>> = {
  python: readRows(PYTHON_PATH),
  javascript: NOTHING,
  perl: NOTHING,
  ruby: readRows(RUBY_PATH),
};

const roots = (library: Library): ReadonlySet<string> => new Set([...library.keys()].map((name) => name.split(/[.:]/, 1)[0] ?? name));
const ROOTS: Readonly<Record<ScriptLanguage, ReadonlySet<string>>> = {
  python: roots(FUNCTIONS.python),
  javascript: roots(FUNCTIONS.javascript),
  perl: roots(FUNCTIONS.perl),
  ruby: roots(FUNCTIONS.ruby),
};

/** A name that a library of the language begins with: `os`, `open`, `File`. */
export const isLibrary = (language: ScriptLanguage, word: string): boolean => ROOTS[language].has(word);
