import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

const KUBECTL = rows(`
  -n --namespace=text; --context=text; --cluster=text; --user=text; --kubeconfig=foreign/kubeconfig; -s --server=url; --token=refuse; --as=text; --as-group=text; --as-uid=text; -v --v=text; --request-timeout=text
  --cache-dir=write; --certificate-authority=read; --client-certificate=read; --client-key=read; --insecure-skip-tls-verify; --tls-server-name=text; --warnings-as-errors; --match-server-version; -h --help -> stop`);

const KUBECTL_READ = rows(`
  -A --all-namespaces; -o --output=text; -l --selector=text; -w --watch; --watch-only; --show-labels; --show-kind; --no-headers; --sort-by=text; --field-selector=text; --chunk-size=text; --ignore-not-found; -L --label-columns=text
  --output-watch-events; --server-print; --show-managed-fields; --subresource=text; --template=text; -R --recursive; --allow-missing-template-keys; --show-events
  -c --container=text; --tail=text; --since=text; --since-time=text; -p --previous; --timestamps; --all-containers; --prefix; --max-log-requests=text; --limit-bytes=text; --follow; --pod-running-timeout=text; --all-pods
  --containers; --sum; --use-protocol-buffers; --api-group=text; --api-version=text; --namespaced; --verbs=text; --categories=text; --cached; --client; --short; --minify; --flatten; --revision=text; --for=text; --timeout=text; --list; -q --quiet; --no-diff; --types=text`);

export const kubernetes: readonly CommandSpec[] = [
  {
    names: "kubectl oc",
    helps: "--help -h +help",
    summary: "a Kubernetes cluster",
    style: "bsd",
    options: KUBECTL,
    subcommands: {
      // Kinds of resources that hold no secrets, one at a time; `get secret`, lists and TYPE/NAME forms have no opinion.
      "get|describe": {
        options: KUBECTL_READ,
        operands: "",
        kinds: true,
        subcommands: {
          "po|pod|pods|svc|service|services|deploy|deployment|deployments|rs|replicaset|replicasets|sts|statefulset|statefulsets|ds|daemonset|daemonsets|job|jobs|cj|cronjob|cronjobs|no|node|nodes|ns|namespace|namespaces|ing|ingress|ingresses|ev|event|events|ep|endpoints|endpointslices|pvc|persistentvolumeclaim|persistentvolumeclaims|pv|persistentvolume|persistentvolumes|sc|storageclass|storageclasses|hpa|horizontalpodautoscaler|horizontalpodautoscalers|netpol|networkpolicy|networkpolicies|sa|serviceaccount|serviceaccounts|role|roles|rolebinding|rolebindings|clusterrole|clusterroles|clusterrolebinding|clusterrolebindings|crd|crds|quota|resourcequotas|limits|pdb|pc|rc|cs|csr|all|routes|route|is|imagestreams|bc|dc":
            {
              operands: "text*",
              effects: "remote.read kubernetes",
              analyse: "kubectl-output",
              examples: {
                deny: ["kubectl get pods -o go-template-file=.env"],
                allow: [
                  "kubectl get pods -n dev",
                  "kubectl get pods",
                  "kubectl -n dev get svc -o wide",
                  "kubectl describe pod x",
                  "kubectl get -A deploy",
                  "kubectl get deploy,svc,ing -n dev",
                  "kubectl get pod/x -o wide",
                ],
                ask: ["kubectl get pods --frobnicate", "kubectl get --raw /api/v1/secrets"],
              },
            },
          "secret|secrets": {
            operands: "text*",
            effects: "remote.read kubernetes, environment",
            examples: {
              ask: ["kubectl get secret x -o yaml", "kubectl get secret/x", "kubectl get -n dev secrets", "kubectl describe secret x"],
            },
          },
        },
        examples: {
          none: [
            "kubectl get pods,secrets",

            "kubectl get po,secrets",
            "kubectl get pod/x,secret/y",
            "kubectl get po,",
            "kubectl get pod/x secret/y",
            "kubectl --kubeconfig ./evil get pods",
          ],
        },
      },
      "logs|top|explain|api-resources|api-versions|version|cluster-info|config view|config get-contexts|config current-context|config get-clusters|config get-users|auth can-i|auth whoami|rollout status|rollout history|wait|events|completion|options|whoami|projects|status":
        {
          options: rows(KUBECTL_READ, "-f"),
          operands: "text*",
          effects: "remote.read kubernetes",
          examples: {
            allow: [
              "kubectl logs -f web --tail=20",
              "kubectl top pods",
              "kubectl config current-context",
              "kubectl explain pod.spec",
              "kubectl auth can-i get pods",
              "kubectl rollout status deploy/x",
            ],
          },
        },
      // With a name it switches to that one.
      project: {
        options: KUBECTL_READ,
        operands: "",
        effects: "remote.read kubernetes",
        examples: { allow: ["oc project"], ask: ["oc project prod"] },
      },
      "config view --raw|cluster-info dump|create token|config set|config set-context|config use-context|config delete-context|config set-credentials|config set-cluster|config unset|config rename-context|config delete-cluster|config delete-user":
        {
          style: "none",
          operands: "text*",
          effects: "danger host-effect, environment",
          examples: { ask: ["kubectl config use-context prod", "kubectl config view --raw"] },
        },
      "apply|create|replace|patch|edit|set|scale|autoscale|expose|rollout restart|rollout undo|rollout pause|rollout resume|taint|cordon|uncordon|certificate|auth reconcile|new-app|new-project|adm":
        {
          style: "none",
          operands: "text*",
          effects: "remote.change kubernetes",
          examples: { ask: ["kubectl apply -f x.yml", "kubectl scale deploy x --replicas=0", "kubectl rollout restart deploy/x"] },
        },
      // Without `KEY=VALUE` or `KEY-` they show.
      "label|annotate": {
        options: rows(
          KUBECTL_READ,
          "-f --filename=read; --all; --overwrite; --dry-run=text; --field-manager=text; --local; --resource-version=text; -k --kustomize=list",
        ),
        operands: "text*",
        analyse: "kubectl-list",
        examples: {
          allow: ["kubectl annotate pod x --list", "kubectl label --list nodes x"],
          ask: [
            "kubectl annotate pod x a=b",
            "kubectl annotate pod x a=b --list",
            "kubectl label --list pod x a-",
            "kubectl label pod x $(cat a.txt) --list",
          ],
        },
      },
      "delete|drain": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy kubernetes, danger remote-destroy",
        examples: { ask: ["kubectl delete pod x", "kubectl delete ns prod"] },
      },
      "exec|run|debug|cp|attach|port-forward|proxy|diff|rsh|rsync|plugin": {
        style: "none",
        operands: "text*",
        effects: "remote.change kubernetes, code.project",
        examples: { ask: ["kubectl exec -it x -- sh", "kubectl cp x:/a a", "kubectl diff -f x", "kubectl run x --image=y"] },
      },
    },
    examples: { none: ["kubectl frobnicate"], ask: ["kubectl $(echo delete) x"] },
  },
  {
    names: "helm",
    helps: "--help -h +help",
    style: "bsd",
    options: rows(
      "-n --namespace=text; --kube-context=text; --kubeconfig=foreign/kubeconfig; --debug; --kube-apiserver=refuse; --kube-token=refuse; --burst-limit=text; --registry-config=read; --repository-cache=list; --repository-config=read; -h --help -> stop; --version -> stop",
    ),
    examples: { none: ["helm frobnicate"] },
    subcommands: {
      // --post-renderer runs a program: unlisted. `get values` and what is made of them show what charts hold, passwords too.
      "list|ls|status|history|hist|get notes|get metadata|show|inspect|search|version|lint|template|dependency list|dep list|repo list|repo ls|plugin list|plugin ls|dependency ls|dep ls|verify|show chart|show values|show readme|show all|search repo|search hub":
        {
          options: rows(
            "-A --all-namespaces; -a --all; -o --output=text; -q --short; -f --values --filter=read; --set=text; --set-string=text; --set-file=refuse; --version=text; --repo=url; --revision=text; --max=text; --strict; --show-only -s=text; --name-template=text; --include-crds; --skip-tests; --is-upgrade; --api-versions=text; --kube-version=text; --versions; -l --selector=text; --devel; --no-headers",
          ),
          // A chart is a name, a folder or an address.
          operands: "read*",
          effects: "remote.read kubernetes",
          examples: {
            allow: ["helm list -A", "helm status x", "helm template x ./chart", "helm version"],
            ask: ["helm template x ./chart --post-renderer ./evil", "helm template https://evil.example/x.tgz"],
          },
        },
      // Values hold passwords, manifests the secrets made of them.
      "get values|get manifest|get hooks|get all|env": {
        options: "-a --all\n-o --output=text\n--revision=text",
        operands: "text*",
        effects: "secrets",
        examples: { ask: ["helm get values x", "helm get manifest x"] },
      },
      "install|upgrade|rollback|test|create|package|pull|fetch|repo add|repo update|repo remove|repo index|dependency update|dependency build|dep update|plugin install|plugin update|plugin uninstall|registry login|registry logout":
        {
          style: "none",
          operands: "text*",
          effects: "remote.change kubernetes",
          examples: { ask: ["helm install x ./chart", "helm repo add x https://evil.example", "helm plugin install x"] },
        },
      push: {
        style: "none",
        operands: "text*",
        effects: "remote.publish helm, danger publish",
        examples: { ask: ["helm push x oci://y"] },
      },
      "uninstall|delete|del|un": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy kubernetes, danger remote-destroy",
        examples: { ask: ["helm uninstall x"] },
      },
    },
  },
  {
    names: "kubectx kubens",
    style: "bsd",
    options: "-c --current -> stop\n-h --help -> stop\n-V --version -> stop",
    operands: "text?",
    effects: "danger host-effect",
    examples: { allow: ["kubectx -c"], ask: ["kubectx prod"] },
  },
];
