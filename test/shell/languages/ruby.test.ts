import { describe, expect, it } from "vitest";
import type { CodeFinding } from "../../../packages/core/src/shell/languages/finding.ts";
import { readRuby } from "../../../packages/core/src/shell/languages/ruby.ts";
import { workedSince } from "../../worked.ts";

const code = (detail: string): CodeFinding => ({ does: "code", language: "ruby", detail });

describe("harmless Ruby", () => {
  it.each([
    "puts 1",
    "puts 1 + 1",
    "puts 'a' * 3, \"b #{1 + 1}\"",
    "p [3, 1, 2].sort.map { |x| x * 2 }",
    "puts (1..10).select(&:even?).sum",
    "require 'json'; puts JSON.parse(STDIN.read)['version']",
    'require "json"\ndata = JSON.parse($stdin.read)\ndata.each do |k, v|\n  puts "#{k}: #{v}"\nend',
    "puts Time.now.strftime('%Y')",
    "puts RUBY_VERSION",
    "a = 1; b = a + 2; puts b if a == 1",
    "puts ENV['HOME']",
    "puts ARGV[0].to_s.upcase",
    "puts %w[a b].join(', ')",
    "h = Hash.new(0); 'abca'.each_char { |c| h[c] += 1 }; p h",
    "puts [1, 2].reduce(:+), [1, 2].inject(0) { |s, x| s + x }",
    "puts 'a,b'.split(/,/).first # system 'id'",
    "puts({ a: 1, b: 2 }.keys.inspect)",
    "puts 'system(1)'",
    "",
  ])("%j", (source) => expect(readRuby(source)).toEqual([]));
});

describe("Ruby that does more", () => {
  it.each<[string, CodeFinding[]]>([
    ["system 'id'", [code("uses system")]],
    ["puts `id`", [code("uses ```")]],
    ["puts %x(id)", [code("has a `%` that is not certainly an operator")]],
    ["exec('id')", [code("uses exec")]],
    ["puts File.read('a')", [{ does: "file", operation: "read", path: "a" }]],
    ["File.write('a', 'b')", [code("uses File.write")]],
    ["File.delete('a')", [code("uses File.delete")]],
    ["puts IO.read('|id')", [code("uses IO.read")]],
    ['puts "#{`id`}"', [code("has an expression inside a string that is not read")]],
    ['puts "#{system 1}"', [code("uses system")]],
    ["1.send(:system, 'id')", [code("calls the method send")]],
    ["['id'].each(&:system)", [code("uses the symbol :system")]],
    ["['id'].inject(:instance_eval)", [code("calls inject with a name")]],
    ["puts [1].reduce('instance_eval')", [code("calls reduce with a name")]],
    ["Kernel.system('id')", [code("uses Kernel.system")]],
    ["eval 'x'", [code("uses eval")]],
    ["open('|id')", [code("uses open")]],
    ["require 'open3'", [code("requires something that is not known")]],
    ["system = 1; system 'id'", [code("gives `system` another meaning")]],
    ["puts ENV['API_KEY']", [{ does: "environment" }]],
    ["puts ENV.to_h", [{ does: "environment" }]],
    ["$stdout = 1", [code("replaces $stdout")]],
    ["puts <<X\nid\nX", [code("has a `<<` that is not certainly an operator")]],
    ["puts /x/", [code("has a `/` that is not certainly an operator")]],
    ["class A; end", [code("uses class")]],
    ["def f; end", [code("uses def")]],
    ["1\n=begin\n=end", [code("has documentation or data in it")]],
    ["puts 'a", [code("has a string without its end")]],
    ["puts (1", [code("has brackets that do not match")]],
  ])("%j", (source, findings) => expect(readRuby(source)).toEqual(findings));

  it("is quick about hostile input", () => {
    const start = process.cpuUsage();
    for (const part of ["(", '"#{', "a.", "{ |a|", "/", "x = ", "p ", "%w[", "\n", ":a ", "puts 'a'\n"]) readRuby(part.repeat(8000));
    expect(workedSince(start)).toBeLessThan(30_000);
  });
});
