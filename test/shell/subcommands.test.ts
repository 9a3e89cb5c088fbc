import { describe, expect, test } from "vitest";
import { verdictAllowing } from "./knowledge/decide.ts";
import { HELP_FORMS, unlistedBy } from "./subcommands/help.ts";

// The programs with most subcommands. What destroys, publishes or gives rights, and what none of their tables lists, holds against
// a rule that allows the whole program.

const HELD: Readonly<Record<string, string>> = {
  docker:
    "frobnicate|model rm x|-D frobnicate|volume frobnicate|compose alpha publish x|compose -p x frobnicate|swarm leave --force|trust revoke x|" +
    "builder prune -af|--context p volume rm x|buildx rm x|scout frobnicate|image prune -a",
  "docker-compose": "frobnicate|-f a.yml frobnicate|down -v|-p x down|rm -f|push|-f a.yml push|--env-file e frobnicate|publish x|alpha viz",
  kubectl:
    "frobnicate|-n x frobnicate|evict x|certificate2 x|drain n|delete pod x|replace --force -f x|apply -f x --prune|apply --prune=true -f x|" +
    "create token x|-n x create rolebinding y|create -n x clusterrolebinding y|delete pvc --all",
  helm: "frobnicate|-n x frobnicate|plugin frobnicate|plugin install x|plugin update x|uninstall x|-n x delete y|push x y|registry frobnicate|del x|repo frobnicate",
  terraform:
    "frobnicate|-chdir=x frobnicate|state frobnicate|state push x|-chdir=x state push y|taint x|force-unlock x|destroy|apply -destroy|state rm x|" +
    "workspace delete x|cloud frobnicate|stacks x",
  aws:
    "frobnicate x|--profile p frobnicate x|ecr batch-delete-image x|ec2 release-address x|ec2 revoke-security-group-ingress x|iam create-access-key|" +
    "--region r iam attach-user-policy|iam put-role-policy|route53 change-resource-record-sets|rds reset-db-parameter-group|ssm frobnicate|rds delete-db-instance x",
  gcloud:
    "frobnicate|--project p frobnicate|projects set-iam-policy x y|projects add-iam-policy-binding x|app versions stop x|compute frobnicate|" +
    "iam service-accounts keys create k|--quiet sql databases delete x|kms keys versions destroy 1|secrets versions destroy 1|storage rm -r gs://x",
  gh:
    "frobnicate|-R o/r repo frobnicate|copilot x|pr merge 1 --admin|pr merge --squash --admin 1|ssh-key add k|gpg-key add k|repo deploy-key add k|" +
    "repo delete x|repo edit --visibility public|extension install x|release delete x|cache delete --all",
  npm:
    "frobnicate|--silent frobnicate|stage publish|token create|token revoke x|owner add me x|dist-tag add x@1 latest|dist-tags rm x latest|access grant x|" +
    "team destroy x|org rm x y|hook rm x|unpublish x|deprecate x y",
  pnpm: "unpublish x|deprecate x y|-r unpublish x|dist-tag add x@1 latest|dist-tag rm x y|owner add me x|access set x|team destroy x|org rm x|publish|-r publish",
  cargo: "publish|yank x|owner --add x|-q publish|+nightly publish|publish --allow-dirty|yank --undo x|owner --remove x|clean|-Z x publish",
  psql:
    "-c 'drop table x'|-qc 'truncate x'|--command='drop schema x cascade'|-d db -c 'delete from x'|-c 'drop database x' db|-tAc 'drop view x'|" +
    "-c 'select 1; drop table x'|-U u -c 'drop table x'|db -c 'truncate table x'|-c 'DROP TABLE x'",
  prisma:
    "migrate reset|migrate reset --force|--schema x migrate reset|db push --force-reset|db push --accept-data-loss|db execute --file x|db execute --stdin|" +
    "db --schema x execute|platform project delete|platform environment delete --x",
  rails:
    "db:drop|db:reset|db:purge|db:drop:all|db:schema:load|db:migrate:reset|db:truncate_all|db:seed:replant|db:setup|db:drop RAILS_ENV=production",
  supabase:
    "frobnicate|db frobnicate|db reset|db reset --linked|migration down|projects delete x|orgs create x|functions delete x|stop --no-backup|" +
    "secrets unset x|storage rm x|branches delete x|functions deploy x",
};

describe.each(Object.entries(HELD))("under a rule that allows all of %s", (program, lines) => {
  test.each(lines.split("|").map((line) => [`${program} ${line}`]))("%s", (line) =>
    expect(verdictAllowing(line, [`Bash(${program}:*)`]).decision).toBe("ask"),
  );
});

test.each([
  ["docker stop web"],
  ["docker compose up -d"],
  ["docker volume --help"],
  ["kubectl apply -f a.yml"],
  ["kubectl get crontabs"],
  ["kubectl get crontabs.stable.example.com -n x"],
  ["kubectl describe mykind x"],
  ["kubectl rollout undo deploy/x"],
  ["helm upgrade x ./chart"],
  ["helm plugin uninstall x"],
  ["terraform apply -auto-approve"],
  ["terraform state mv a b"],
  ["aws s3 cp a.txt s3://b"],
  ["aws ec2 run-instances"],
  ["gcloud run deploy x"],
  ["gh pr create --fill"],
  ["gh pr merge 1 --squash"],
  ["npm install x"],
  ["npm test"],
  ["npm t"],
  ["npm run build"],
  ["npm stars"],
  ["pnpm vitest run"],
  ["cargo nextest run"],
  ["prisma migrate deploy"],
  ["rails db:migrate"],
  ["rails my:task"],
  ["supabase db push"],
])("and what only changes goes ahead: %s", (line) =>
  expect(verdictAllowing(line, [`Bash(${line.split(" ")[0] ?? ""}:*)`]).decision).toBe("allow"),
);

test.each([
  ["docker frobnicate", "Bash(docker frobnicate:*)"],
  ["kubectl ctx prod", "Bash(kubectl ctx:*)"],
  ["gh copilot suggest x", "Bash(gh copilot:*)"],
])("a rule that names the subcommand lets it ahead: %s", (line, rule) => expect(verdictAllowing(line, [rule]).decision).toBe("allow"));

describe("the help of installed programs names no subcommand that the tables do not", () => {
  test.each(HELP_FORMS.map((form) => [form.program, form] as const))("%s", { timeout: 600_000 }, (_, form) => {
    expect(unlistedBy(form)).toEqual([]);
  });
});
