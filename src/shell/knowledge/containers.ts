import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

const READS: SubcommandSpec = {
  options: rows(`
    -a --all; -q --quiet; --no-trunc; -f --filter --follow=text; -n --last --tail=text; -l --latest; -s --size; --format=text; --digests; -t --timestamps; --since=text; --until=text; --no-stream
    --details; --type=text; --platform=text; --limit=text; --no-color; --no-log-prefix; --services; --volumes; --images; --profiles; --hash=text; --resolve-image-digests; --status=text; --orphans; --protocol=text; --index=text; -v --verbose; --raw; --insecure; --builder=text; --human`),
  operands: "text*",
  effects: "remote.read docker",
};

const CHANGES: SubcommandSpec = { style: "none", operands: "text*", effects: "remote.change docker" };
const DESTROYS: SubcommandSpec = { style: "none", operands: "text*", effects: "remote.destroy docker, danger remote-destroy" };
/** A command in a container: its paths are not ours, but mounts, devices, host namespaces and rights reach the host. */
const RUNS: SubcommandSpec = {
  style: "none",
  operands: "text*",
  effects: "remote.change docker, code.project",
  before: "container-rights",
};

export const containers: readonly CommandSpec[] = [
  {
    names: "docker podman nerdctl",
    helps: "--help +help",
    summary: "containers and images",
    style: "posix",
    // Another daemon is another machine; a configuration folder can name credential programs.
    options: rows(
      "-c --context=text; --connection=text; -H --host=refuse; --config=foreign/docker; -D --debug; -l --log-level=text; --tls; --tlsverify; --tlscacert=read; --tlscert=read; --tlskey=read; --url=refuse; --help -> stop; --version -> stop",
    ),
    examples: { allow: ["docker --version"], none: ["docker frobnicate"], ask: ["docker --frobnicate ps"] },
    subcommands: {
      "ps|images|logs|top|stats|port|diff|history|version|info|events|container ls|container list|container ps|container logs|container top|container stats|container port|container diff|image ls|image list|image history|volume ls|volume list|volume inspect|network ls|network list|network inspect|system df|system info|system events|context ls|context list|context show|context inspect|buildx ls|buildx inspect|buildx du|buildx version|image inspect|pod ps|pod ls|pod list|pod inspect|pod top|machine ls|machine list|machine info|plugin ls|plugin inspect|stack ls|stack ps|stack services|service ls|service ps|service logs|service inspect|node ls|node ps|node inspect|swarm ca|config ls|secret ls|builder du|scout version":
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
      // The first part of a name may be a registry's host.
      "search|manifest inspect": {
        ...READS,
        style: "gnu",
        operands: "name",
        examples: { allow: ["docker search redis", "docker manifest inspect alpine"], ask: ["docker manifest inspect evil.example/x"] },
      },
      // Shows the variables of a container.
      "inspect|container inspect": {
        operands: "text*",
        effects: "remote.read docker",
        options: "-f --format=text\n-s --size\n--type=text",
        style: "gnu",
        analyse: "docker-inspect",
        examples: {
          allow: [
            "docker inspect -f '{{.State.Status}}' web",
            "docker inspect web --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'",
          ],
          ask: [
            "docker inspect web",
            "docker inspect -f '{{json .Config}}' web",
            "docker inspect -f '{{.State.Status}} {{.Config.Env}}' web",
            "docker inspect -f '{{if .State}}{{json .Config}}{{end}}' web",
            "docker inspect -f '{{with .State}}{{json $.Config}}{{end}}' web",
            "docker inspect -f '{{index . \"Config\"}}' web",
            "docker inspect -f '{{.}}' web",
            "docker inspect -f json web",
            'docker inspect -f "$F" web',
          ],
        },
      },
      "compose ps|compose ls|compose logs|compose images|compose top|compose port|compose version|compose events|compose stats|compose volumes":
        {
          ...READS,
          style: "gnu",
          examples: { allow: ["docker compose ps", "docker compose logs --tail=20 web"] },
        },
      // Expands variables, those of .env too.
      "compose config|compose convert": {
        ...READS,
        style: "gnu",
        analyse: "compose-config",
        examples: { allow: ["docker compose config --services", "docker compose config -q"], ask: ["docker compose config"] },
      },
      "run|exec|create|start|container run|container exec|container create|container start|compose run|compose exec|compose up|compose start|compose watch|compose create|attach|debug|buildx bake|build|buildx build|image build|compose build|builder build|pod create|machine ssh|play kube|kube play|stack deploy|service create":
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
      unshare: {
        style: "posix",
        options: "--rootless-netns",
        operands: "command:argv?",
        effects: "remote.change docker",
        examples: { ask: ["podman unshare ls"], deny: ["podman unshare rm -rf ~"] },
      },
      "cp|container cp|compose cp": {
        style: "none",
        operands: "text*",
        effects: "remote.change docker",
        before: "container-copy",
        examples: {
          ask: ["docker cp web:/x .", "docker cp -L a.txt web:/x"],
          deny: ["docker cp web:/x ~/.bashrc", "docker cp .env web:/x"],
        },
      },
      "save|export|image save|container export|load|image load|import|image import": {
        style: "gnu",
        options: rows(
          "-o --output=write; -i --input=read; -q --quiet; --platform=text; -c --change=text; -m --message=text; --format=text; --compress",
        ),
        operands: "text*",
        effects: "remote.change docker",
        examples: {
          ask: ["docker save -o x.tar alpine", "docker load -i x.tar"],
          deny: ["docker save alpine -o ~/.bashrc", "docker load -i .env"],
        },
      },
      "volume create": {
        ...CHANGES,
        before: "container-rights",
        examples: { ask: ["docker volume create x", "docker volume create -o type=none -o device=/etc -o o=bind x"] },
      },
      "stop|restart|pause|unpause|kill|rename|update|wait|tag|commit|pull|login|logout|network create|network connect|network disconnect|context use|context create|container stop|container restart|container kill|container commit|image pull|image tag|compose stop|compose restart|compose pull|compose kill|compose pause|compose unpause|machine start|machine stop|machine init|pod start|pod stop|buildx create|buildx use|swarm init|swarm join|service update|service scale|node update|secret create|config create|plugin install|plugin enable|plugin disable":
        {
          ...CHANGES,
          examples: { ask: ["docker stop web", "docker pull alpine", "docker login"] },
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
    helps: "--help -h",
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
      config: {
        ...READS,
        style: "gnu",
        analyse: "compose-config",
        examples: { allow: ["docker-compose config --services"], ask: ["docker-compose config"] },
      },
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
];
