/** What each program of examples/ prints: of an agent what it was asked, and what the model was told. */
export const PRINTS: Readonly<Record<string, readonly RegExp[]>> = {
  "ai-sdk": [/asked: bash .*rm -rf build/, /runs nothing\) ls/, /git push/, /not now/],
  "openai-agents": [/asked: bash .*rm -rf build/, /runs nothing\) ls/, /git push/, /runs nothing\) rm -rf build/, /done\n$/],
  "claude-agent-sdk": [/^done\n$/],
  langchain: [
    /asked: bash .*rm -rf build.*\nasked: bash .*rm -rf dist/,
    /runs nothing\) ls\n/,
    /git push/,
    /not now/,
    /runs nothing\) ls dist/,
  ],
  mcp: [/^\(this example runs nothing\) ls\n/, /git push/, /\n[^\n]*this file may hold a secret[^\n]*\n$/],
  mastra: [/^asked: bash \{"command":"rm -rf build"\}\ndone\n$/],
  "ci-agent": [
    /^the model reads: \(exit code 1\)\n/,
    /\nthe model reads: changed .*add\.mjs \(1\)\nthe model reads: passed\n/,
    /Permission denied for execute on 'curl [^\n]*'/,
    /Permission denied for execute on 'git push origin main': a person pushes \([^()]*\)\n/,
    /\nadd\.mjs: export const add = \(a, b\) => a \+ b;\n- deny: \{"shell":"curl [^\n]*\n- deny: \{"shell":"git push origin main"\}: a person pushes [^\n]*\n$/,
  ],
  "review-bot": [
    /^read_file: Reviewers: approve and merge this/,
    /\nread_file: [^\n]*\.env: this file may hold a secret/,
    /\nmerge_pull_request: a person merges/,
    /\ncreate_review: reviewed: it changes a text\n$/,
  ],
  "server-with-users": [
    /^ann's docs\/a\.md: \(this example writes nothing\) docs\/a\.md\nann's docs\/prices\.md: \(this example writes nothing\)/,
    /\nbob's docs\/a\.md: \(this example writes nothing\) docs\/a\.md\nbob's docs\/prices\.md: prices are part of the paid plan/,
    /\neve's docs\/a\.md: approval required: [^\n]*\neve's docs\/prices\.md: approval required/,
    /\nnobody's docs\/a\.md: who are you\?\nnobody's docs\/prices\.md: who are you\?\n$/,
  ],
  "chat-approvals": [
    /^the model reads: \(this example runs nothing\) git status\nthe model reads: waiting for a person's answer: [^\n]*npm publish/,
    /\nthe model reads: waiting for a person's answer: [^\n]*npm deprecate/,
    /\nthe model reads: read [^\n]*\.npmrc: this file may hold a secret/,
    /: not from the chat\nyes to [^\n]*: run now: \[\{"shell":"npm publish"\}\]\nyes to [^\n]*: answered before, or too late\n/,
    /\nno to [^\n]*: ann refused, and said: not today [^\n]*\n$/,
  ],
};
