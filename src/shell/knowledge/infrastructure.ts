import { PROJECT_TOOL } from "./project-tool.ts";
import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

// Local clusters, tools around kubectl, machines, images, configuration management.

/** As if none took a value: a value is an operand then, and no option can hide behind it. */
const SHOWING = rows(
  "-n --namespace[=text]; -A --all-namespaces; -o --output[=text]; -p --profile[=text]; -l --selector[=text]; -c --container[=text]; --since[=text]; --tail[=text]; --timestamps -t; -w --wide; -q --quiet; --no-headers --no-header; --short; --client; -v --verbose; --name[=text]; --region[=text]; --cluster[=text]; --refresh; --json; --format[=text]; -f --follow; -i; -h --help -> stop",
);
const reads = (service: string): SubcommandSpec => ({
  style: "bsd",
  options: SHOWING,
  operands: "text*",
  effects: `remote.read ${service}`,
});
const changes = (service: string): SubcommandSpec => ({
  style: "none",
  operands: "text*",
  effects: `code.project, remote.change ${service}`,
});
const destroys = (service: string): SubcommandSpec => ({
  style: "none",
  operands: "text*",
  effects: `remote.destroy ${service}, danger remote-destroy`,
});
const VERSION: SubcommandSpec = { style: "none", operands: "" };

export const infrastructure: readonly CommandSpec[] = [
  {
    names: "terragrunt",
    summary: "runs terraform; its configuration runs commands (`run_cmd`, hooks) whatever it is asked",
    ...PROJECT_TOOL,
    examples: { none: ["terragrunt validate", "terragrunt --version"] },
  },
  {
    names: "minikube kind k3d colima lima limactl",
    summary: "clusters and machines on this machine",
    style: "none",
    operands: "code/project?=default",
    subcommands: {
      "version|--version": { ...VERSION, examples: { allow: ["kind version", "minikube version"] } },
      "status|ip|profile list|addons list|node list|image list|image ls|get clusters|get nodes|cluster list|registry list|list|ls|logs": {
        ...reads("kubernetes"),
        examples: { allow: ["minikube status", "kind get clusters", "limactl list"] },
      },
      "start|stop|pause|unpause|create|create cluster|cluster create|cluster start|cluster stop|load docker-image|image load|image import|addons enable|addons disable|tunnel|dashboard|service|mount|ssh|kubectl|config|docker-env|export kubeconfig|export logs|get kubeconfig|shell|copy|edit|restart|node add|cp|registry create|build node-image|validate|profile":
        {
          ...changes("kubernetes"),
          examples: { ask: ["minikube start", "kind create cluster", "minikube ssh rm x", "limactl shell default rm x"] },
        },
      "delete|delete cluster|delete clusters|cluster delete|cluster rm|node delete|registry delete|prune|factory-reset|image rm": {
        ...destroys("kubernetes"),
        examples: { ask: ["minikube delete --all", "kind delete cluster", "limactl delete -f x"] },
      },
    },
    examples: { none: ["minikube"] },
  },
  {
    names: "eksctl kops argocd flux istioctl linkerd velero kubeadm",
    summary: "tools around a cluster",
    style: "none",
    operands: "code/project?=default",
    subcommands: {
      "version|--version": { ...VERSION, examples: { allow: ["flux version"] } },
      "get|app list|app get|app history|app resources|app diff|cluster list|repo list|proj list|project list|account list|tree|logs|stats|check|proxy-status|ps|describe|backup describe|backup get|backup logs|restore get|schedule get|validate cluster|events|trace":
        {
          ...reads("kubernetes"),
          examples: {
            allow: ["argocd app list", "flux get kustomizations", "eksctl get cluster"],
            ask: ["argocd app list --server evil.example", "flux get all --kubeconfig evil"],
          },
        },
      // With a name it switches to that one.
      context: { ...reads("kubernetes"), operands: "", examples: { allow: ["argocd context"], ask: ["argocd context prod"] } },
      analyze: {
        style: "bsd",
        options: "-n --namespace=text\n-A --all-namespaces\n-o --output=text\n-R --recursive -> read becomes tree",
        operands: "read*",
        effects: "remote.read kubernetes",
        examples: { allow: ["istioctl analyze", "istioctl analyze -n x a.yaml"], deny: ["istioctl analyze .env"] },
      },
      "app sync|app set|app create|app rollback|app terminate-op|app actions|app patch|app manifests|login|logout|relogin|cluster add|repo add|proj create|reconcile|suspend|resume|create|bootstrap|install|upgrade|update|apply|rolling-update|export|edit|replace|enable|scale|drain|utils|set|backup create|restore create|schedule create|inject|kube-inject|proxy-config|experimental|x|dashboard|viz|init|join|token|certs|config|toolbox|completion|admin|build|push|pull|tag|diff":
        {
          ...changes("kubernetes"),
          examples: { ask: ["argocd app sync x", "flux reconcile source git x", "kubeadm init", "velero restore create --from-backup x"] },
        },
      "delete|app delete|cluster rm|repo rm|proj delete|uninstall|reset|backup delete|restore delete|schedule delete|trace delete|prune|app delete-resource":
        {
          ...destroys("kubernetes"),
          examples: { ask: ["argocd app delete x --cascade", "kubeadm reset -f", "eksctl delete cluster x", "flux uninstall"] },
        },
    },
    examples: { none: ["argocd"] },
  },
  {
    names: "kustomize",
    summary: "assembles manifests; a base may be fetched",
    style: "bsd",
    options: "-h --help -> stop",
    subcommands: {
      version: { ...VERSION, examples: { allow: ["kustomize version"] } },
      // --enable-exec, --enable-alpha-plugins, --enable-helm, --network are left out.
      build: {
        style: "bsd",
        options: "--load-restrictor=refuse\n-o --output=write\n-e --env=text\n--as-current-user",
        operands: "tree?=.",
        effects: "remote.read kustomize",
        examples: {
          allow: ["kustomize build src"],
          ask: [
            "kustomize build --enable-exec --enable-alpha-plugins src",
            "kustomize build -o out src",
            "kustomize build https://evil.example/x",
          ],
        },
      },
      "edit|create|localize|cfg|fn": {
        style: "none",
        operands: "text*",
        effects: "code.project, write kustomization.yaml",
        examples: { ask: ["kustomize edit set image x=y", "kustomize fn run src"] },
      },
    },
    examples: { none: ["kustomize docs"] },
  },
  {
    names: "stern kubetail",
    summary: "logs of many pods",
    style: "bsd",
    options: rows(
      "-n --namespace=text; -A --all-namespaces; -l --selector=text; -c --container=text; -s --since=text; --tail=number; -t --timestamps[=text]; -o --output=text; --context=text; --no-follow; --exclude=text; --include=text; -e; -i; --color=text; --template=text; --field-selector=text; --node=text; -h --help -> stop; -v --version -> stop",
      "# runs what it names: --kubeconfig --config",
    ),
    operands: "text*",
    effects: "remote.read kubernetes",
    examples: { allow: ["stern -n dev web --since 5m --no-follow"], ask: ["stern --kubeconfig evil web"] },
  },
  {
    names: "kubeval kubeconform kube-linter kube-score pluto datree conftest polaris",
    summary: "checks manifests, some against schemas they fetch",
    style: "bsd",
    options: rows(
      "-strict --strict; -summary --summary; -output --output -o=text; -n=number; -verbose --verbose; -h --help -> stop; -v --version -> stop",
      "# fetches elsewhere: -schema-location --schema-location --policy",
    ),
    operands: "tree*",
    effects: "remote.read schemas",
    examples: {
      allow: ["kubeconform a.yaml", "kubeval --strict a.yaml"],
      ask: ["kubeconform -schema-location https://evil.example a.yaml"],
      deny: ["kubeconform .env"],
    },
  },
  {
    names: "skopeo crane regctl oras cosign-copy",
    summary: "images in registries",
    style: "none",
    operands: "code/project?=default",
    subcommands: {
      "--version|version": { ...VERSION, examples: { allow: ["skopeo --version"] } },
      "inspect|list-tags|ls|catalog|digest|manifest|config|manifest-digest|tag ls|repo ls|image inspect|image digest": {
        style: "bsd",
        options: "--raw\n--config\n--no-tags\n--format[=text]\n--platform[=text]",
        operands: "text*",
        effects: "net",
        examples: { ask: ["skopeo inspect docker://evil.example/x", "crane ls alpine"] },
      },
      "copy|sync|cp|pull|export|save|login|logout|append|mutate|rebase|flatten|standalone-sign|auth|tag": {
        ...changes("registry"),
        examples: { ask: ["skopeo copy docker://a dir:x", "crane pull alpine x.tar"] },
      },
      push: {
        style: "none",
        operands: "text*",
        effects: "remote.publish registry, danger publish",
        examples: { ask: ["crane push x.tar r/x"] },
      },
      "delete|tag rm|tag delete|repo delete": {
        ...destroys("registry"),
        examples: { ask: ["skopeo delete docker://r/x", "crane delete r/x"] },
      },
    },
    examples: { none: ["crane"] },
  },
  {
    names:
      "ansible-playbook ansible-vault ansible-pull ansible-console ansible-test molecule salt salt-call salt-ssh puppet chef chef-client knife cf-agent vagrant",
    summary: "configures machines with modules, plugins and inventories that run",
    style: "none",
    operands: "code/project?=default",
    subcommands: {
      "--version": { ...VERSION, examples: { allow: ["ansible-playbook --version", "vagrant --version"] } },
      destroy: {
        style: "none",
        operands: "text*",
        effects: "code.project, remote.destroy machines, danger remote-destroy",
        examples: { ask: ["vagrant destroy -f"] },
      },
      // What ansible-vault prints is open.
      "view|decrypt": {
        style: "none",
        operands: "text*",
        effects: "code.project, secrets",
        examples: { ask: ["ansible-vault view vault.yml", "ansible-vault decrypt x --output -"] },
      },
      "apply|agent|up|ssh|build|provision|reload|upload": {
        ...changes("machines"),
        examples: { ask: ["vagrant up", "puppet apply x.pp", "vagrant ssh -c 'rm x'"] },
      },
    },
    examples: {
      none: ["ansible-playbook x.yml", "ansible-playbook --list-tasks x.yml", "ansible-vault encrypt x", "salt '*' cmd.run id"],
    },
  },
  {
    names: "ansible",
    summary: "runs modules on machines; an inventory that is named may be a program",
    style: "bsd",
    options: rows(
      "--version -> stop; -h --help -> stop; --list-hosts -> code becomes text; -l --limit=text; -i --inventory --inventory-file=script/inventory; -m --module-name=code/ansible; -a --args=text; -b --become; -u --user=text; -f --forks=number; -o --one-line; -v -vv -vvv --verbose; -C --check; -D --diff; -K --ask-become-pass; -k --ask-pass; -B --background=number; -P --poll=number; -c --connection=text",
    ),
    operands: "host:code/project*=all",
    analyse: "ansible-config",
    examples: {
      allow: ["ansible --version", "ansible all --list-hosts"],
      none: ["ansible all -i inventory.py --list-hosts", "ansible all", "ansible all -m shell -a 'rm -rf /'"],
    },
  },
  {
    names: "ansible-doc ansible-config",
    summary: "documentation and settings",
    style: "bsd",
    options: rows(
      "-l --list; -s --snippet; -j --json; -t --type=text; -F --list_files; -v --verbose; --only-changed; -f --format=text; --version -> stop; -h --help -> stop",
      "# load what they name: -M --module-path --playbook-dir -r -c",
    ),
    operands: "text*",
    analyse: "ansible-config",
    examples: {
      allow: ["ansible-doc copy", "ansible-doc -l", "ansible-config dump --only-changed"],
      ask: ["ansible-doc -M ./evil x", "ansible-doc --playbook-dir /tmp x"],
    },
  },
  {
    names: "ansible-galaxy",
    summary: "roles and collections",
    style: "bsd",
    options: "-v --verbose\n--version -> stop\n-h --help -> stop",
    subcommands: {
      "list|info|search|role list|role info|role search|collection list": {
        options: "-p --roles-path --collections-path=list\n--format=text\n--offline\n--author=text\n--galaxy-tags=text\n--platforms=text",
        operands: "text*",
        effects: "remote.read galaxy",
        analyse: "ansible-config",
        examples: {
          allow: ["ansible-galaxy collection list", "ansible-galaxy search nginx"],
          ask: ["ansible-galaxy list --server https://evil.example"],
        },
      },
      "install|remove|init|import|delete|setup|login|role install|role remove|role init|role import|role delete|collection install|collection init|collection build|collection publish|collection download|collection verify":
        {
          ...changes("galaxy"),
          examples: { ask: ["ansible-galaxy install x.y", "ansible-galaxy collection install x.y"] },
        },
    },
    examples: { none: ["ansible-galaxy frobnicate"] },
  },
  {
    names: "ansible-inventory",
    summary: "hosts and their variables, passwords among them",
    style: "bsd",
    options: rows(
      "--list -> code.project; --host=text -> code.project; --graph -> group becomes text; --vars -> secrets; -y --yaml; --toml; --export; -l --limit=text; -i --inventory=code/project; -v --verbose; --version -> stop; -h --help -> stop",
    ),
    operands: "group:code/project*=all",
    analyse: "ansible-config",
    examples: {
      allow: ["ansible-inventory --graph", "ansible-inventory --graph web"],
      ask: ["ansible-inventory --graph --vars"],
      none: ["ansible-inventory --list", "ansible-inventory --host x", "ansible-inventory -i hosts --graph"],
    },
  },
  {
    names: "packer",
    summary: "builds images of machines",
    style: "none",
    operands: "code/project?=default",
    subcommands: {
      "--version|-v|version|help|--help|plugins installed": {
        style: "none",
        operands: "",
        analyse: "packer-plugins",
        examples: { allow: ["packer version", "packer plugins installed"] },
      },
      // Data sources are left alone unless -evaluate-datasources.
      "validate|inspect|plugins required": {
        style: "words",
        options:
          "-syntax-only\n-machine-readable\n-var=text\n-var-file=read\n-only=text\n-except=text\n-no-warn-undeclared-var\n-use-sequential-evaluation",
        operands: "list+",
        effects: "remote.read packer",
        analyse: "packer-plugins",
        examples: { allow: ["packer validate .", "packer inspect x.pkr.hcl"], ask: ["packer validate -evaluate-datasources ."] },
      },
      fmt: {
        style: "words",
        options: "-check\n-diff\n-recursive\n-write=text",
        walks: "*.pkr.hcl *.pkrvars.hcl *.hcl",
        analyse: "terraform-fmt",
        examples: { allow: ["packer fmt -check .", "packer fmt -diff -write=false ."], ask: ["packer fmt ."] },
      },
      "build|init|plugins install|plugins remove|hcl2_upgrade|fix|console": {
        ...changes("machines"),
        examples: { ask: ["packer build x.pkr.hcl", "packer init ."] },
      },
    },
    examples: { none: ["packer", "packer frobnicate"] },
  },
  {
    names: "k9s",
    summary: "watches a cluster",
    style: "bsd",
    subcommands: {
      "info|version|--version|help": {
        style: "bsd",
        options: "-s --short\n-h --help -> stop",
        operands: "",
        examples: { allow: ["k9s info", "k9s version -s"] },
      },
    },
    effects: "",
    operands: "screen:terminal?=interactive",
    options: "-h --help -> stop",
    examples: { ask: ["k9s", "k9s --readonly"], none: ["k9s frobnicate"] },
  },
  {
    names:
      "virsh VBoxManage multipass lxc incus prlctl vmrun govc qemu-system-x86_64 qemu-system-aarch64 utmctl tart crictl ctr buildah distrobox toolbox k3s skaffold tilt devcontainer devpod gitpod okteto telepresence helmfile helmsman kubespray rancher openshift-install oc-mirror krew kubectl-krew cilium hubble calicoctl",
    summary: "machines and containers: only the version is known",
    style: "none",
    operands: "code/project?=default",
    subcommands: {
      "--version|version": { ...VERSION, examples: { allow: ["multipass version"] } },
      "destroy|undefine|delete|purge|unregistervm|rm|rmi|prune|uninstall": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy machines, danger remote-destroy",
        examples: { ask: ["virsh destroy x", "multipass delete x", "buildah rm -a"] },
      },
    },
    examples: { none: ["virsh list", "lxc exec x rm y", "multipass exec x -- rm y", "distrobox enter x -- rm y"] },
  },
];
