import { expect, test } from "vitest";
import { verdictFor, verdictUnderBroadAllow } from "./decide.ts";

test.each([
  "docker rm --help",
  "docker run --help",
  "docker container --help",
  "docker container rm --help",
  "docker help rm",
  "docker system prune --help",
  "docker compose down --help",
  "podman rm --help",
  "docker-compose up --help",
  "kubectl delete --help",
  "kubectl exec -h",
  "kubectl help apply",
  "helm uninstall -h",
  "helm help upgrade",
  "terraform apply -help",
  "terraform destroy --help",
  "az group delete --help",
  "git push -h",
  "git clean -h",
  "git stash drop -h",
  "npm publish --help",
  "npm dist-tag --help",
  "npm run --help",
  "gh pr --help",
  "gh pr create --help",
  "gh api --help",
  "gh help repo delete",
  "glab mr create --help",
  "pip install --help",
  "pip help install",
  "uv run --help",
  "uv pip install -h",
  "apt install --help",
  "systemctl reboot --help",
])("only help is printed: %s", (command) => {
  expect(verdictFor(command).decision).toBe("allow");
});

test.each([
  "docker rm --help web",
  "docker rm web --help",
  "docker run alpine --help",
  "docker exec web --help",
  "docker evil --help",
  "docker evil rm --help",
  "docker help evil",
  "docker -H ssh://evil rm --help",
  "docker rm $(cat a.txt)",
  "docker $(cat a.txt) --help",
  "docker rm -h",
  "kubectl evil --help",
  "kubectl exec pod -- --help",
  "kubectl delete pod --help-me",
  "helm evil -h",
  "terraform apply -auto-approve -help=false",
  "git evil -h",
  "git rm -h .",
  "git gui -h",
  "git instaweb -h",
  "git -C /tmp/evil push -h",
  "git -c alias.push='!rm -rf ~' push -h",
  "npm run build --help",
  "npm exec evil --help",
  "npm evil --help",
  "npm --node-options=--require=./evil.js run --help",
  "gh evil --help",
  "gh pr evil --help",
  "pip install x --help",
  "uv run evil.py --help",
  "yarn add --help",
  "pnpm add --help",
  "cargo evil --help",
  "apt install x -o y=z --help",
])("more may happen: %s", (command) => {
  expect(verdictFor(command).decision).not.toBe("allow");
});

test.each(["black .", "isort .", "ruff format", "ruff format .", "ruff check --fix .", "gofmt -w .", "terraform fmt -diff"])(
  "whoever may write in the project may format it, its .git is not what a walk for sources opens: %s",
  (command) => {
    expect(verdictFor(command).decision).toBe("ask");
    expect(verdictUnderBroadAllow(command).decision).toBe("allow");
  },
);

test.each(["black .git/hooks/pre-commit", "gofmt -w .git/config", "ruff format ~/.ssh/id_rsa", "black ~/.bashrc"])(
  "a protected file that is named, or a walk of unknown names: %s",
  (command) => {
    expect(verdictUnderBroadAllow(command).decision).not.toBe("allow");
  },
);

test.each(["helm repo ls", "fd --format '{}' x", "gh run list --status failure", "ip l sh", "ip n ls", "apt list -u", "journalctl -b -1"])(
  "only looks: %s",
  (command) => {
    expect(verdictFor(command).decision).toBe("allow");
  },
);

test.each([
  // The program's own `-v` is another option behind a subcommand, or none.
  "git stash drop -v",
  "git stash clear --version",
  "git filter-branch -v",
  "npm publish -v",
  "pip install -V",
  "yarn publish -v",
  "apt install -v",
  "systemctl stop --version",
  "git gc -v",
  "git prune-packed -v",
  "git worktree prune -v",
  "helm repo rm x",
  "fd --format '{}' x -x rm -rf ~",
  "gh run delete 5",
  "ip l s eth0 down",
  "ip n del 10.0.0.1 dev eth0",
  "apt install -u x",
  "aptitude -u",
  "journalctl -b -1 --vacuum-time=1s",
])("the dangerous sibling: %s", (command) => {
  expect(verdictFor(command).decision).not.toBe("allow");
});
