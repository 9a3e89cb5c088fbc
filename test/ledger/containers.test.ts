import { describe, expect, it } from "vitest";
import { place } from "./place.ts";

/** A container has what it is given of the host: that is judged, whoever allows `docker` (item 5 of J). */
const here = place({ ".env": "KEY=1", Dockerfile: "", "build/x": "" });

const LEAVES: readonly string[] =
  `docker run -v /:/h alpine ls; docker run -v/:/h alpine ls; docker run -itv /:/h alpine ls; docker run --volume=/home:/h alpine sh; docker run --volume /etc:/e alpine sh
docker run --mount type=bind,src=/,dst=/h alpine; docker run --mount=type=bind,source=/etc,target=/e alpine; docker run --mount 'type=bind,src=/,dst=/h,readonly' alpine; docker run -v ~:/h alpine; docker run -v $HOME:/h:ro alpine
docker run -v "$X":/h alpine; docker run -v ..:/h alpine; docker run -v ~/.m2:/root/.m2 maven; docker run -v /var/run/docker.sock:/var/run/docker.sock alpine; docker run -v /run/docker.sock:/d:ro alpine; docker run --volumes-from x alpine
docker run --privileged alpine; docker run --pid=host alpine; docker run --pid host alpine; docker run --ipc=host alpine; docker run --uts host alpine; docker run --userns=host alpine; docker run --cgroupns host alpine
docker run --device /dev/sda alpine; docker run --device=/dev/sda:/dev/sda alpine; docker run --cap-add=SYS_ADMIN alpine; docker run --cap-add ALL alpine; docker run --security-opt seccomp=unconfined alpine
docker run --security-opt=apparmor:unconfined alpine; docker create -v /:/h alpine; docker container run -v /:/h alpine; docker exec --privileged x sh; docker compose run -v /:/h web sh; docker build --allow security.insecure .
docker volume create -o type=none -o device=/etc -o o=bind x; docker volume create --opt device=/ x; docker service create --mount type=bind,src=/,dst=/h alpine; podman run -v /:/h alpine; podman run --rootfs / sh; nerdctl run -v /:/h alpine
docker-compose run -v /:/h web sh; docker run --rm -i -v / alpine; sudo docker run -v /:/h alpine; docker --context x run --privileged alpine; sh -c 'docker run -v /:/h alpine'`.split(
    /; |\n/,
  );

const DENIED: readonly string[] =
  `docker run -v ~/.ssh:/s alpine cat /s/id_rsa; docker run -v ~/.ssh:/s:ro alpine cat /s/id_rsa; docker cp .env x:/a; docker cp ~/.ssh x:/a; docker cp x:/a ~/.bashrc; docker cp x:/a ~/.ssh/authorized_keys
docker save x -o ~/.bashrc; docker load -i .env; docker build --output type=local,dest=/etc .; docker build -o ~ .; podman unshare rm -rf ~; docker run --env-file .env alpine; docker build --secret id=a,src=.env .`.split(
    /; |\n/,
  );

const EVERYDAY: readonly string[] =
  `docker run --rm hello-world; docker run -v $PWD:/w -w /w node npm test; docker run --rm -v "$(pwd)":/w alpine ls /w; docker run -v ./src:/w alpine; docker run -v data:/var/lib/x postgres; docker run -p 80:80 nginx
docker run -v /etc/localtime:/etc/localtime:ro alpine; docker run --network host alpine; docker run --pid=container:x alpine; docker run --cap-add NET_BIND_SERVICE alpine; docker run --security-opt no-new-privileges alpine
docker exec x pytest -v tests/a.py::b; docker exec -it x bash; docker build -t x .; docker build -o build .; docker cp x:/a .; docker cp a.txt x:/a; docker save -o x.tar x; docker volume create x; docker compose up -d; docker run --privileged=false alpine
docker run --gpus all -v $PWD/build:/data x; docker run --mount type=bind,src=$PWD,dst=/w alpine; docker run --mount type=volume,src=data,dst=/w alpine; docker run --runtime=nvidia x`.split(
    /; |\n/,
  );

describe("containers under rules that allow them", () => {
  it.each([...LEAVES, ...DENIED])("%s: held", (line) => {
    for (const allow of [["Bash(*)"], ["Bash(docker:*)", "Bash(podman:*)", "Bash(nerdctl:*)", "Bash(docker-compose:*)"]]) {
      here.user({ permissions: { allow } });
      expect(["ask", "deny"]).toContain(here.verdict(line).decision);
    }
    here.user({});
  });

  it.each(DENIED)("%s: refused", (line) => {
    expect(here.verdict(line).decision).toBe("deny");
  });

  it.each(EVERYDAY)("%s: allowed", (line) => {
    here.user({ permissions: { allow: ["Bash(docker:*)"] } });
    expect(here.verdict(line).decision).toBe("allow");
    here.user({});
  });
});
