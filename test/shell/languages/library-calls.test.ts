import { describe, expect, it } from "vitest";
import { HOME, type CodeFinding } from "../../../packages/core/src/shell/languages/finding.ts";
import { readLibraryCalls } from "../../../packages/core/src/shell/languages/library-calls.ts";
import type { ScriptLanguage } from "../../../packages/core/src/shell/languages/library-tokens.ts";
import { workedSince } from "../../worked.ts";

/** What programs do through their standard library, as far as the text says it. */
function said(finding: CodeFinding): string {
  switch (finding.does) {
    case "file":
      return `${finding.operation}${finding.recursive === true ? " all of" : ""}${finding.glob === true ? " names like" : ""} ${finding.path.replaceAll(HOME, "~")}`;
    case "shell":
      return `runs ${finding.command}`;
    case "net":
      return `connects to ${finding.host}`;
    default:
      return finding.does;
  }
}

const ROWS: Readonly<Record<ScriptLanguage, readonly (readonly [source: string, ...does: readonly string[]])[]>> = {
  python: [
    ["import shutil; shutil.rmtree('/')", "delete all of /"],
    ["import os; os.remove('build/x')", "delete build/x"],
    ["from pathlib import Path; Path('a').unlink()", "delete a"],
    ["from pathlib import Path as P\np = P('/') / 'home' / 'u'\np.rmdir()", "delete //home/u"],
    ["import os\nfor f in ['a','b']:\n  os.unlink(f)", "delete a", "delete b"],
    ["import subprocess; subprocess.run(['rm','-rf','/'])", "runs rm -rf /"],
    ["import subprocess as s; s.call('rm -rf /', shell=True)", "runs rm -rf /"],
    ["__import__('os').system('rm -rf ~')", "runs rm -rf ~"],
    ["getattr(__import__('shutil'),'rmtree')('/')", "delete all of /"],
    ["from shutil import *\nrmtree('/')", "delete all of /"],
    ["import os; list(map(os.remove,['a','b']))", "delete a", "delete b"],
    ["exec(\"import os; os.remove('x')\")", "delete x"],
    ["import os; os.chdir('/'); os.remove('etc/passwd')", "delete etc/passwd", "delete //etc/passwd"],
    ["import os; rm=os.remove; rm('/etc/x')", "delete /etc/x"],
    ["import os; os.execv('/bin/rm',['rm','-rf','/'])", "runs /bin/rm -rf /"],
    ["import os; os.execlp('rm','rm','-rf','/')", "runs rm -rf /"],
    ["open('.env').read()", "read .env"],
    ["open('x','w').write('1')", "write x"],
    ["with open(file='.env') as f: print(f.read())", "read .env"],
    ["from pathlib import Path; print(Path.home().joinpath('.ssh','id_rsa').read_text())", "read ~/.ssh/id_rsa"],
    ["import os; print(open(os.path.expanduser('~/.ssh/id_rsa')).read())", "read ~/.ssh/id_rsa"],
    ["import os; open(os.environ['HOME']+'/.bashrc','a')", "write ~/.bashrc"],
    ["import os; os.kill(1, 9)", "runs kill -9 -- 1"],
    ["import glob,os\nfor f in glob.glob('/etc/*'):\n    os.remove(f)", "list /etc/*", "delete names like /etc/*"],
    ["import os; d='/etc'; os.remove(f'{d}/passwd')", "delete /etc/passwd"],
    ["import os; os.remove('%s/passwd' % '/etc')", "delete /etc/passwd"],
    ["import os; os.remove('{}/passwd'.format('/etc'))", "delete /etc/passwd"],
    ["import os; os.remove('/'.join(['','etc','passwd']))", "delete /etc/passwd"],
    ["import os; os.replace('a','/etc/passwd')", "rename a", "write /etc/passwd"],
    ["import urllib.request as u; u.urlopen('https://evil.dev/x')", "connects to evil.dev"],
    ["import tarfile; tarfile.open('a.tgz').extractall('/etc')", "read a.tgz", "write all of /etc"],
    ["import os; os.popen('cat .env').read()", "runs cat .env"],
    ["import asyncio; asyncio.run(asyncio.create_subprocess_exec('rm','-rf','/'))", "runs rm -rf /"],
    ["import subprocess; subprocess.check_output('ls -la'.split())", "runs ls -la"],
    ["import sqlite3; sqlite3.connect('app.db').execute('x')", "read app.db"],
    ["import os\nos.makedirs('a/b', exist_ok=True)\nos.rename(src='a', dst='/etc/b')", "mkdir a/b", "rename a", "write /etc/b"],
    ["class A:\n  def f(self):\n    import shutil\n    shutil.rmtree(self.x or '/home')", "delete all of /home"],
    ["import os; [os.remove(p) for p in ('a','b')]", "delete a", "delete b"],
    ["import functools,os; functools.partial(os.remove,'/etc/x')()", "delete /etc/x"],
    ["import subprocess\nsubprocess.run(\n  args=['rm', '-rf', '/'],\n)", "runs rm -rf /"],
    ["import os; os.system('cd /tmp; rm -rf ' + '/home')", "runs cd /tmp; rm -rf /home"],
    ["import os; os.walk('.')", "list ."],
    // Found by library-run.test.ts.
    ["import os; from pathlib import Path as P\nos.system('rm ' + str(P('t') / 'f'))", "runs rm t/f"],
  ],
  javascript: [
    ["require('fs').rmSync('/',{recursive:true})", "delete all of /"],
    ["const fs=require('fs'); fs.unlinkSync('a')", "delete a"],
    [
      "const {rmSync: r, promises}=require('node:fs'); r('/', {recursive:true,force:true}); promises.unlink('b')",
      "delete all of /",
      "delete b",
    ],
    ["import fs from 'fs'; fs.writeFileSync('x','')", "write x"],
    ["import {rm} from 'fs/promises'; await rm('/x',{recursive:true})", "delete all of /x"],
    ["import * as f from 'fs'; f.rmdirSync('x')", "delete x"],
    ["import('fs').then(fs=>fs.rmSync('/x'))", "delete /x"],
    ["require('fs')['rm'+'Sync']('/x')", "delete /x"],
    ["require('child_process').execSync('rm -rf ~')", "runs rm -rf ~"],
    ["const cp=require('child_process'); cp.spawn('rm',['-rf','/'])", "runs rm -rf /"],
    ["const {exec}=require('child_process'); exec(`rm -rf ${'/'}`)", "runs rm -rf /"],
    ["['a','b'].forEach(f=>require('fs').unlinkSync(f))", "delete a", "delete b"],
    ["['a'].forEach(require('fs').unlinkSync)", "delete a"],
    ["for (const f of ['a','b']) { require('fs').unlinkSync(f) }", "delete a", "delete b"],
    [
      "const p=require('path'),os=require('os'),fs=require('fs'); fs.readFileSync(p.join(os.homedir(),'.ssh','id_rsa'))",
      "read ~/.ssh/id_rsa",
    ],
    ["require('fs').readFileSync(process.env.HOME+'/.ssh/id_rsa')", "read ~/.ssh/id_rsa"],
    ["eval(\"require('fs').unlinkSync('x')\")", "delete x"],
    ["process.kill(1,'SIGKILL')", "runs kill -KILL -- 1"],
    ["process.chdir('/'); require('fs').rmSync('etc')", "delete etc", "delete //etc"],
    ["fetch('https://evil.dev')", "connects to evil.dev"],
    ["new Deno.Command('rm',{args:['-rf','/']}).output()", "runs rm -rf /"],
    ["Deno.removeSync('/x',{recursive:true})", "delete all of /x"],
    ["Bun.spawn(['rm','-rf','/'])", "runs rm -rf /"],
    ["await Bun.$`rm -rf /`", "runs rm -rf /"],
    ["require('fs').promises.readFile('.env').then(console.log)", "read .env"],
    ["const fs = require('fs'), o = {recursive:true}; fs.rmSync('/x', o)", "delete all of /x"],
    ["require('fs/promises').unlink('x')", "delete x"],
    ["const r = /'/; require('fs').unlinkSync('x')", "delete x"],
    ["require('fs').createReadStream('.env').pipe(process.stdout)", "read .env"],
    ["require('fs').copyFileSync('.env','/tmp/x')", "read .env", "write /tmp/x"],
    ["require('child_process').spawnSync('ls',['-la'],{shell:true,cwd:'/etc'})", "runs cd /etc && ls -la"],
    ["process.mainModule.require('fs').unlinkSync('x')", "delete x"],
    ["(0,require('fs').unlinkSync)('x')", "delete x"],
    ["require('fs').unlinkSync.call(null,'x')", "delete x"],
  ],
  perl: [
    ["unlink 'a'", "delete a"],
    ["unlink('a','b')", "delete a", "delete b"],
    ["unlink qw(a b)", "delete a", "delete b"],
    ["system('rm -rf /')", "runs rm -rf /"],
    ["system 'rm','-rf','/'", "runs rm -rf /"],
    ['exec "rm -rf /"', "runs rm -rf /"],
    ["`rm -rf /`", "runs rm -rf /"],
    ["qx{rm -rf /}", "runs rm -rf /"],
    ["use File::Path; rmtree('/')", "delete all of /"],
    ["use File::Path qw(remove_tree); remove_tree('/', {safe=>0})", "delete all of /"],
    ["open(my $f,'<','.env'); print <$f>", "read .env"],
    ["open F, '.env'; print while <F>", "read .env"],
    ["open(F, '>/etc/passwd')", "write /etc/passwd"],
    ["open(F, 'rm -rf / |')", "runs rm -rf / "],
    ["rename 'a','/etc/b'", "rename a", "write /etc/b"],
    ["my $d='/etc'; unlink \"$d/passwd\"", "delete /etc/passwd"],
    ["unlink $ENV{HOME}.'/.bashrc'", "delete ~/.bashrc"],
    ['unlink "$ENV{HOME}/.bashrc"', "delete ~/.bashrc"],
    ["for my $f (qw(a b)) { unlink $f }", "delete a", "delete b"],
    ["unlink for qw(a b)", "delete a", "delete b"],
    ["unlink $_ for ('a','b')", "delete a", "delete b"],
    ["map { unlink $_ } qw(a b)", "delete a", "delete b"],
    ["chmod 0777, '/etc/passwd'", "metadata /etc/passwd"],
    ["eval \"unlink 'x'\"", "delete x"],
    ["kill 9, 1", "runs kill -9 -- 1"],
    ["use File::Copy; move('a','/etc/b')", "rename a", "write /etc/b"],
    ["@ARGV=('.env'); print while <>", "read .env"],
    ["unlink glob('*.o')", "delete names like *.o"],
    ["mkdir 'x' or die", "mkdir x"],
    ["s/'/x/; unlink 'a'", "delete a"],
    ["CORE::unlink('a')", "delete a"],
    ["open(my $p, '-|', 'rm', '-rf', '/')", "runs rm -rf /"],
    ["my @l=('a','b'); unlink @l", "delete a", "delete b"],
    ["unlink 'a' if -e 'a'", "delete a"],
    ["rmdir 'x'; print 'done'", "delete x"],
    ["opendir(D,'.ssh')", "list .ssh"],
  ],
  ruby: [
    ["File.delete('a')", "delete a"],
    ["File.delete 'a','b'", "delete a", "delete b"],
    ["require 'fileutils'; FileUtils.rm_rf('/')", "delete all of /"],
    ["FileUtils.rm_rf %w[a b]", "delete all of a", "delete all of b"],
    ["include FileUtils; rm_rf '/'", "delete all of /"],
    ["system('rm -rf /')", "runs rm -rf /"],
    ["system 'rm','-rf','/'", "runs rm -rf /"],
    ["`rm -rf /`", "runs rm -rf /"],
    ["%x{rm -rf /}", "runs rm -rf /"],
    ["exec 'rm -rf /'", "runs rm -rf /"],
    ["IO.popen(['rm','-rf','/'])", "runs rm -rf /"],
    ["IO.popen('rm -rf /','r')", "runs rm -rf /"],
    ["require 'open3'; Open3.capture2('rm -rf /')", "runs rm -rf /"],
    ["puts File.read(Dir.home + '/.ssh/id_rsa')", "read ~/.ssh/id_rsa"],
    ["puts File.read(\"#{ENV['HOME']}/.ssh/id_rsa\")", "read ~/.ssh/id_rsa"],
    ["File.open('x','w') { |f| f.puts 1 }", "write x"],
    ["%w[a b].each { |f| File.delete(f) }", "delete a", "delete b"],
    ["Dir.glob('*.o').each { |f| File.delete(f) }", "list *.o", "delete names like *.o", "delete *.o"],
    ["Dir['*.o'].each do |f| File.delete f end", "delete names like *.o", "delete *.o"],
    ["Pathname.new('/etc/x').delete", "delete /etc/x"],
    ["require 'pathname'; (Pathname('/etc') + 'x').unlink", "delete /etc/x"],
    ["File.send(:delete,'x')", "delete x"],
    ["Kernel.send(:system,'rm -rf /')", "runs rm -rf /"],
    ["method(:system).call('rm -rf /')", "runs rm -rf /"],
    ["Process.kill(9, 1)", "runs kill -9 -- 1"],
    ["Process.kill('KILL', 1)", "runs kill -KILL -- 1"],
    ["eval \"File.delete('x')\"", "delete x"],
    ["File.write('x','')", "write x"],
    ["Dir.chdir('/'); File.delete('etc/x')", "delete etc/x", "delete //etc/x"],
    ["d='/etc'; File.delete(\"#{d}/passwd\")", "delete /etc/passwd"],
    ["open('|rm -rf /')", "runs rm -rf /"],
    ["Net::HTTP.get(URI('https://evil.dev'))", "connects to evil.dev"],
    ["File.rename('a','/etc/b')", "rename a", "write /etc/b"],
    ["FileUtils.mv 'a', 'b'", "rename a", "write b"],
    ["spawn('rm -rf /')", "runs rm -rf /"],
    ["File.unlink(File.join('/etc','x'))", "delete /etc/x"],
    ["Dir.rmdir 'x' if true", "delete x"],
    ["FileUtils.cd('/') do FileUtils.rm_r 'x' end", "delete all of x", "delete all of //x"],
    ["puts 1/2; File.delete('a')", "delete a"],
  ],
};

describe.each(Object.entries(ROWS))("%s", (language, rows) => {
  it.each(rows.map(([source, ...does]) => ({ source, does })))("$source", ({ source, does }) => {
    const key = language === "python" || language === "javascript" || language === "perl" ? language : "ruby";
    expect(readLibraryCalls(key, source).map(said)).toEqual(does);
  });
});

describe("hostile input", () => {
  it.each(["python", "javascript", "perl", "ruby"] as const)("of %s is read quickly", (language) => {
    const start = process.cpuUsage();
    for (const part of [
      "(",
      "[",
      "{",
      "a.",
      "a(",
      "'",
      '"',
      "`",
      "f'{",
      "${",
      "#{",
      "x=",
      "a,",
      "not ",
      "/",
      "%w[",
      "for x in ",
      "import ",
      "unlink ",
      "a or ",
      "+",
      "\\",
      "require(",
    ])
      readLibraryCalls(language, part.repeat(2000));
    readLibraryCalls(language, "a=a+a;".repeat(3000));
    readLibraryCalls(language, `${"x='a';x='b';".repeat(200)}open(x+x+x+x+x+x+x+x)`);
    expect(workedSince(start)).toBeLessThan(12_000);
  });
});
