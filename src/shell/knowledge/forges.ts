import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

/** Clients of code hosts: GitHub and GitLab. */
export const forges: readonly CommandSpec[] = [
  {
    names: "gh",
    helps: "--help +help",
    summary: "GitHub",
    style: "bsd",
    options: rows("-R --repo=text; --help -> stop; --version -> stop"),
    subcommands: {
      "pr list|pr view|pr status|pr diff|pr checks|issue list|issue view|issue status|release list|release view|repo list|repo view|run list|run view|workflow list|workflow view|gist list|gist view|label list|cache list|secret list|variable list|variable get|issue develop --list|agent-task list|agent-task view|codespace view|codespace ports|codespace logs|cs view|cs ports|cs logs|repo license view|repo gitignore view|repo autolink view|search code|search commits|search issues|search prs|search repos|extension list|extension search|alias list|org list|project list|project view|project item-list|project field-list|ruleset list|ruleset view|ruleset check|status|ssh-key list|gpg-key list|attestation trusted-root|codespace list|cs list|repo deploy-key list|repo autolink list|repo license list|repo gitignore list|help|version|completion|auth status":
        {
          // -t of `auth status` shows the token: not listed. -w opens a browser.
          options: rows(`
          -L --limit=text; -s --state=text; --status=text; -a --assignee=text; -A --author=text; -B --base=text; -H --head=text; -l --label=text; -S --search=text; -q --jq=text; --json=text; --template=text; -c --comments; --name-only; --patch; --color=text
          --required; --watch; --fail-fast; -i --interval=text; -b --branch=text; --workflow=text; -e --event=text; -u --user=text; -j --job=text; --log; --log-failed; --exit-status; -v --verbose; --attempt=text; -y --yaml; -r --ref=text; --raw; -f --filename --files
          -m --milestone=text; --mention=text; --app=text; -d --draft; --archived; --fork; --source; --no-archived; --language=text; --topic=text; --visibility=text; --sort=text; -O --order=text; -o --owner=text; --org=text; --env=text; --created=text; --updated=text; --merged; --closed=text; --is=text; --in=text; --match=text; --conflict-status; --key=text; --exclude-drafts; --exclude-pre-releases; --format=text; --name=text; --size=text; --number=text; --extension=text; --include-prs; --review=text; --checks=text; -h --hostname=text; --active; -n`),
          operands: "text*",
          effects: "remote.read github",
          examples: {
            allow: [
              "gh pr list",
              "gh issue view 5",
              "gh pr view 1",
              "gh pr diff 3",
              "gh run view 1 --log-failed",
              "gh -R o/r pr list",
              "gh release list",
              "gh pr list --json number,title -q '.[].title'",
              "gh auth status",
              "gh search code x",
            ],
            ask: ["gh pr view 1 --web-evil", "gh auth status --show-token"],
          },
        },
      "config get|config list": {
        options: "-h --host=text",
        operands: "text?",
        analyse: "secret-key",
        examples: { allow: ["gh config get editor", "gh config list"], ask: ["gh config get oauth_token -h github.com"] },
      },
      // An artifact may be an image in any registry.
      "attestation verify": {
        options: rows(
          "-o --owner=text; -R --repo=text; --format=text; -q --jq=text; --signer-workflow=text; --predicate-type=text; -b --bundle=read",
        ),
        operands: "read",
        effects: "remote.read github",
        examples: { allow: ["gh attestation verify a.txt -o me"], ask: ["gh attestation verify oci://evil.example/x -o me"] },
      },
      // `gh-api` (analyser): a read only with GET, given or implied: no -X other, no -f, -F, --input; graphql only with a query that has no mutation.
      api: {
        options: rows(`
          -X --method=word; -f --raw-field=word; -F --field=word; -H --header=text; --input=read; -i --include; -q --jq=text; -t --template=text; --paginate; --slurp; --cache=text; -p --preview=text; --silent; --verbose; --hostname=host`),
        operands: "word",
        analyse: "gh-api",
        examples: {
          allow: [
            "gh api repos/o/r/issues",
            "gh api user",
            "gh api -X GET search/issues -f q=x",
            "gh api repos/o/r --jq .name --paginate",
            "gh api graphql -f query='query { viewer { login } }'",
          ],
          ask: [
            "gh api -X DELETE /repos/o/r",
            "gh api repos/o/r/issues -f title=x",
            "gh api --input x.json repos/o/r",
            "gh api graphql -f query='mutation { x }'",
            "gh api --method=patch repos/o/r",
            "gh api -XPOST x",
          ],
        },
      },
      "auth token|auth git-credential": { style: "none", operands: "text*", effects: "environment", examples: { ask: ["gh auth token"] } },
      "pr create|pr comment|pr edit|pr merge|pr close|pr reopen|pr ready|pr review|pr lock|pr unlock|pr update-branch|issue create|issue comment|issue edit|issue close|issue reopen|issue transfer|issue pin|issue unpin|issue lock|issue unlock|issue develop|repo create|repo edit|repo fork|repo rename|repo sync|repo set-default|repo unarchive|repo deploy-key add|repo autolink create|label create|label edit|label clone|workflow run|workflow enable|workflow disable|run rerun|run cancel|run watch|secret set|variable set|gist edit|gist rename|project create|project edit|project close|project copy|project item-add|project item-create|project item-edit|project field-create|project link|project unlink|ssh-key add|gpg-key add|codespace create|codespace ssh|codespace edit|codespace stop|codespace cp|cs ssh|cs create":
        {
          style: "none",
          operands: "text*",
          effects: "remote.change github",
          examples: { ask: ["gh pr create --fill", "gh pr merge 1", "gh issue comment 1 -b x", "gh workflow run x", "gh run watch"] },
        },
      "release create|release upload|release edit|gist create|repo archive|extension create": {
        style: "none",
        operands: "read*",
        effects: "remote.publish github, danger publish",
        examples: { ask: ["gh release create v1", "gh gist create a.txt"], deny: ["gh gist create .env", "gh release upload v1 .env"] },
      },
      "repo delete|issue delete|release delete|release delete-asset|gist delete|label delete|secret delete|secret remove|variable delete|run delete|cache delete|project delete|project item-delete|project item-archive|project field-delete|codespace delete|cs delete|ssh-key delete|gpg-key delete|repo deploy-key delete|repo autolink delete":
        {
          style: "none",
          operands: "text*",
          effects: "remote.destroy github, danger remote-destroy",
          examples: { ask: ["gh repo delete o/r --yes", "gh release delete v1"] },
        },
      "pr checkout|co|repo clone|release download|run download|gist clone|attestation download": {
        style: "none",
        operands: "text*",
        effects: "remote.read github, code.project, write .",
        examples: { ask: ["gh pr checkout 1", "gh repo clone o/r"] },
      },
      "auth login|auth logout|auth refresh|auth setup-git|auth switch|config set|config clear-cache|alias set|alias delete|alias import|extension install|extension upgrade|extension remove|extension exec":
        {
          style: "none",
          operands: "text*",
          effects: "danger host-effect, code.project",
          examples: { ask: ["gh alias set x '!rm -rf ~'", "gh auth login", "gh extension install o/x"] },
        },
    },
    examples: { none: ["gh frobnicate", "gh copilot suggest x"] },
  },
  {
    names: "glab",
    helps: "--help",
    summary: "GitLab",
    style: "bsd",
    options: "-R --repo=text\n--help -> stop\n--version -> stop",
    examples: { allow: ["glab --version"] },
    subcommands: {
      "mr list|mr view|mr diff|issue list|issue view|ci list|ci status|ci view|ci get|repo list|repo view|repo search|release list|release view|label list|variable list|pipeline list|pipeline status|user events|config get|alias list|schedule list|snippet list":
        {
          options: rows(
            "-P --per-page=text; -p --page=text; -a --assignee=text; --author=text; -l --label=text; -m --milestone=text; -F --output=text; -c --comments; -s --state=text; -A --all; -b --branch=text; --closed; --merged; --search=text; --raw; --color=text",
          ),
          operands: "text*",
          effects: "remote.read gitlab",
          examples: { allow: ["glab mr list", "glab issue view 1"] },
        },
      "mr create|mr merge|mr close|mr update|mr note|mr approve|issue create|issue close|issue note|issue update|ci run|ci retry|ci cancel|variable set|label create|repo create|repo fork|api":
        { style: "none", operands: "text*", effects: "remote.change gitlab", examples: { ask: ["glab mr create", "glab api projects"] } },
      "repo delete|issue delete|mr delete|release delete|variable delete|label delete": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy gitlab, danger remote-destroy",
        examples: { ask: ["glab repo delete x"] },
      },
      "release create|release upload": {
        style: "none",
        operands: "text*",
        effects: "remote.publish gitlab, danger publish",
        examples: { ask: ["glab release create v1"] },
      },
    },
  },
];
