import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

const READS: SubcommandSpec = {
  options: rows(`
    -a --all; -q --quiet; --no-trunc; -f --filter --follow=text; -n --last --tail=text; -l --latest; -s --size; --format=text; --digests; -t --timestamps; --since=text; --until=text; --no-stream
    --details; --type=text; --platform=text; --limit=text; --no-color; --no-log-prefix; --services; --volumes; --images; --profiles; --hash=text; --resolve-image-digests; --status=text; --orphans; --protocol=text; --index=text; -v --verbose; --raw; --insecure; --builder=text; --human -H`),
  operands: "text*",
  effects: "remote.read docker",
};

const CHANGES: SubcommandSpec = { style: "none", operands: "text*", effects: "remote.change docker" };
const DESTROYS: SubcommandSpec = { style: "none", operands: "text*", effects: "remote.destroy docker, danger remote-destroy" };
/** A command in a container: its paths are not ours, but mounts, devices, host namespaces and rights reach the host. */
const RUNS: SubcommandSpec = { style: "none", operands: "text*", effects: "remote.change docker, code.project" };

const KUBECTL = rows(`
  -n --namespace=text; --context=text; --cluster=text; --user=text; --kubeconfig=foreign/kubeconfig; -s --server=url; --token=refuse; --as=text; --as-group=text; --as-uid=text; -v --v=text; --request-timeout=text
  --cache-dir=write; --certificate-authority=read; --client-certificate=read; --client-key=read; --insecure-skip-tls-verify; --tls-server-name=text; --warnings-as-errors; --match-server-version; -h --help -> stop`);

const KUBECTL_READ = rows(`
  -A --all-namespaces; -o --output=text; -l --selector=text; -w --watch; --watch-only; --show-labels; --show-kind; --no-headers; --sort-by=text; --field-selector=text; --chunk-size=text; --ignore-not-found; -L --label-columns=text
  --output-watch-events; --server-print; --show-managed-fields; --subresource=text; --template=text; -R --recursive; --allow-missing-template-keys; --show-events
  -c --container=text; --tail=text; --since=text; --since-time=text; -p --previous; --timestamps; --all-containers; --prefix; --max-log-requests=text; --limit-bytes=text; --follow; --pod-running-timeout=text; --all-pods
  --containers; --sum; --use-protocol-buffers; --api-group=text; --api-version=text; --namespaced; --verbs=text; --categories=text; --cached; --client; --short; --minify; --flatten; --revision=text; --for=text; --timeout=text; --list; -q --quiet; --no-diff; --types=text`);

export const containers: readonly CommandSpec[] = [
  {
    names: "docker podman nerdctl",
    summary: "containers and images",
    style: "posix",
    // Another daemon is another machine; a configuration folder can name credential programs.
    options: rows(
      "-c --context=text; --connection=text; -H --host=refuse; --config=foreign/docker; -D --debug; -l --log-level=text; --tls; --tlsverify; --tlscacert=read; --tlscert=read; --tlskey=read; --url=refuse; --help -> stop; --version -> stop",
    ),
    examples: { allow: ["docker --version"], none: ["docker frobnicate"], ask: ["docker --frobnicate ps"] },
    subcommands: {
      "ps|images|logs|top|stats|port|diff|history|version|info|events|search|container ls|container list|container ps|container logs|container top|container stats|container port|container diff|image ls|image list|image history|volume ls|volume list|volume inspect|network ls|network list|network inspect|system df|system info|system events|context ls|context list|context show|context inspect|manifest inspect|buildx ls|buildx inspect|buildx du|buildx version|image inspect|pod ps|pod ls|pod list|pod inspect|pod top|machine ls|machine list|machine info|plugin ls|plugin inspect|stack ls|stack ps|stack services|service ls|service ps|service logs|service inspect|node ls|node ps|node inspect|swarm ca|config ls|secret ls|builder du|scout version":
        {
          ...READS,
          style: "gnu",
          examples: {
            allow: [
              "docker ps",
              "docker ps -a --format '{{.Names}}'",
              "docker images -q",
              "docker logs -n 50 web",
              "docker logs --tail=50 web",
              "docker version",
              "docker info",
              "docker --context prod ps",
              "podman ps",
            ],
            ask: ["docker -H ssh://evil ps", "docker ps --frobnicate"],
          },
        },
      // Shows the variables of a container.
      "inspect|container inspect": {
        ...READS,
        style: "gnu",
        effects: "remote.read docker, environment",
        examples: { ask: ["docker inspect web"] },
      },
      "compose ps|compose ls|compose logs|compose images|compose top|compose port|compose version|compose events|compose stats|compose volumes":
        {
          ...READS,
          style: "gnu",
          examples: { allow: ["docker compose ps", "docker compose logs --tail=20 web"] },
        },
      // Expands variables, those of .env too.
      "compose config|compose convert": { ...READS, style: "gnu", effects: "environment", examples: { ask: ["docker compose config"] } },
      "run|exec|create|start|container run|container exec|container create|container start|compose run|compose exec|compose up|compose start|compose watch|compose create|attach|debug|buildx bake|build|buildx build|image build|compose build|builder build|pod create|machine ssh|play kube|kube play|unshare|stack deploy|service create":
        {
          ...RUNS,
          examples: {
            ask: [
              "docker run alpine ls",
              "docker run -v /:/h alpine rm -rf /h",
              "docker exec -it web sh",
              "docker compose up -d",
              "docker build .",
              "docker run --privileged --pid=host alpine",
            ],
          },
        },
      "stop|restart|pause|unpause|kill|rename|update|wait|tag|commit|import|load|save|export|cp|pull|login|logout|network create|network connect|network disconnect|volume create|context use|context create|container stop|container restart|container kill|container cp|container commit|container export|image pull|image tag|image load|image save|image import|compose stop|compose restart|compose pull|compose kill|compose pause|compose unpause|compose cp|machine start|machine stop|machine init|pod start|pod stop|buildx create|buildx use|swarm init|swarm join|service update|service scale|node update|secret create|config create|plugin install|plugin enable|plugin disable":
        {
          ...CHANGES,
          examples: { ask: ["docker stop web", "docker pull alpine", "docker cp web:/x .", "docker login"] },
        },
      "push|image push|compose push|compose publish|buildx imagetools create|manifest push|trust sign": {
        style: "none",
        operands: "text*",
        effects: "remote.publish docker, danger publish",
        examples: { ask: ["docker push me/x"] },
      },
      "rm|rmi|container rm|container prune|image rm|image prune|volume rm|volume prune|network rm|network prune|system prune|system reset|builder prune|buildx prune|buildx rm|compose down|compose rm|pod rm|pod prune|machine rm|context rm|stack rm|service rm|node rm|secret rm|config rm|swarm leave|plugin rm":
        {
          ...DESTROYS,
          examples: {
            ask: [
              "docker rm -f web",
              "docker system prune -af",
              "docker compose down -v",
              "docker --context prod rm -f x",
              "docker volume rm x",
            ],
          },
        },
    },
  },
  {
    names: "docker-compose podman-compose",
    style: "posix",
    options: rows(
      "-f --file=read; -p --project-name=text; --profile=text; --env-file=read; --project-directory=list; -H --host=refuse; --verbose; --no-ansi; --ansi=text; -h --help -> stop; -v --version -> stop",
    ),
    examples: { allow: ["docker-compose --version"] },
    subcommands: {
      "ps|ls|logs|images|top|port|version|events": {
        ...READS,
        style: "gnu",
        examples: { allow: ["docker-compose ps", "docker-compose -f a.yml logs"] },
      },
      config: { ...READS, style: "gnu", effects: "environment", examples: { ask: ["docker-compose config"] } },
      "up|run|exec|start|create|build|watch": { ...RUNS, examples: { ask: ["docker-compose up -d"] } },
      "stop|restart|pull|kill|pause|unpause|scale": { ...CHANGES, examples: { ask: ["docker-compose stop"] } },
      "down|rm": { ...DESTROYS, examples: { ask: ["docker-compose down -v"] } },
      push: {
        style: "none",
        operands: "text*",
        effects: "remote.publish docker, danger publish",
        examples: { ask: ["docker-compose push"] },
      },
    },
  },
  {
    names: "kubectl oc",
    summary: "a Kubernetes cluster",
    style: "bsd",
    options: KUBECTL,
    subcommands: {
      // Kinds of resources that hold no secrets, one at a time; `get secret`, lists and TYPE/NAME forms have no opinion.
      "get|describe": {
        options: KUBECTL_READ,
        operands: "",
        subcommands: {
          "po|pod|pods|svc|service|services|deploy|deployment|deployments|rs|replicaset|replicasets|sts|statefulset|statefulsets|ds|daemonset|daemonsets|job|jobs|cj|cronjob|cronjobs|no|node|nodes|ns|namespace|namespaces|ing|ingress|ingresses|ev|event|events|ep|endpoints|endpointslices|pvc|persistentvolumeclaim|persistentvolumeclaims|pv|persistentvolume|persistentvolumes|sc|storageclass|storageclasses|hpa|horizontalpodautoscaler|horizontalpodautoscalers|netpol|networkpolicy|networkpolicies|sa|serviceaccount|serviceaccounts|role|roles|rolebinding|rolebindings|clusterrole|clusterroles|clusterrolebinding|clusterrolebindings|crd|crds|quota|resourcequotas|limits|pdb|pc|rc|cs|csr|all|routes|route|is|imagestreams|bc|dc":
            {
              operands: "text*",
              effects: "remote.read kubernetes",
              examples: {
                allow: [
                  "kubectl get pods -n dev",
                  "kubectl get pods",
                  "kubectl -n dev get svc -o wide",
                  "kubectl describe pod x",
                  "kubectl get -A deploy",
                ],
                ask: ["kubectl get pods --frobnicate", "kubectl get --raw /api/v1/secrets"],
              },
            },
          "secret|secrets": {
            operands: "text*",
            effects: "remote.read kubernetes, environment",
            examples: { ask: ["kubectl get secret x -o yaml", "kubectl get -n dev secrets", "kubectl describe secret x"] },
          },
        },
        examples: {
          none: ["kubectl get pods,secrets", "kubectl get secret/x", "kubectl get pod/x secret/y", "kubectl --kubeconfig ./evil get pods"],
        },
      },
      "logs|top|explain|api-resources|api-versions|version|cluster-info|config view|config get-contexts|config current-context|config get-clusters|config get-users|auth can-i|auth whoami|rollout status|rollout history|wait|events|completion|options|whoami|projects|project|status":
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
      "config view --raw|cluster-info dump|create token|config set|config set-context|config use-context|config delete-context|config set-credentials|config set-cluster|config unset|config rename-context|config delete-cluster|config delete-user":
        {
          style: "none",
          operands: "text*",
          effects: "danger host-effect, environment",
          examples: { ask: ["kubectl config use-context prod", "kubectl config view --raw"] },
        },
      "apply|create|replace|patch|edit|set|label|annotate|scale|autoscale|expose|rollout restart|rollout undo|rollout pause|rollout resume|taint|cordon|uncordon|certificate|auth reconcile|new-app|new-project|adm":
        {
          style: "none",
          operands: "text*",
          effects: "remote.change kubernetes",
          examples: { ask: ["kubectl apply -f x.yml", "kubectl scale deploy x --replicas=0", "kubectl rollout restart deploy/x"] },
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
    style: "bsd",
    options: rows(
      "-n --namespace=text; --kube-context=text; --kubeconfig=foreign/kubeconfig; --debug; --kube-apiserver=refuse; --kube-token=refuse; --burst-limit=text; --registry-config=read; --repository-cache=list; --repository-config=read; -h --help -> stop",
    ),
    examples: { none: ["helm frobnicate"] },
    subcommands: {
      // --post-renderer runs a program: unlisted. `get values` shows what charts hold, passwords too.
      "list|ls|status|history|hist|get manifest|get notes|get hooks|get metadata|show|inspect|search|version|lint|template|dependency list|dep list|repo list|plugin list|verify|show chart|show values|show readme|show all|search repo|search hub":
        {
          options: rows(
            "-A --all-namespaces; -a --all; -o --output=text; -q --short; -f --values --filter=read; --set=text; --set-string=text; --set-file=text; --version=text; --repo=url; --revision=text; --max=text; --strict; --show-only -s=text; --name-template=text; --include-crds; --skip-tests; --is-upgrade; --api-versions=text; --kube-version=text; --versions; -l --selector=text; --devel; --no-headers",
          ),
          operands: "text*",
          effects: "remote.read kubernetes",
          examples: {
            allow: ["helm list -A", "helm status x", "helm template x ./chart", "helm version"],
            ask: ["helm template x ./chart --post-renderer ./evil"],
          },
        },
      "get values|get all|env": {
        options: "-a --all\n-o --output=text\n--revision=text",
        operands: "text*",
        effects: "environment",
        examples: { ask: ["helm get values x"] },
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
  {
    names:
      "k9s minikube kind k3d k3s kops eksctl skaffold tilt stern kubeadm istioctl linkerd argocd flux velero crictl ctr buildah skopeo crane colima lima limactl vagrant multipass distrobox toolbox lxc incus virsh VBoxManage qemu-system-x86_64 ansible ansible-playbook ansible-galaxy ansible-vault packer devcontainer",
    summary: "clusters, images and machines: only version and help are known",
    style: "none",
    operands: "code/project?=default",
    subcommands: { "--version|version": { style: "none", operands: "", examples: { allow: ["kind version"] } } },
    examples: { allow: ["minikube version", "ansible --version"], none: ["minikube start", "ansible-playbook x.yml", "vagrant ssh -c ls"] },
  },
];
