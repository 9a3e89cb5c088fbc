import { describe, expect, it } from "vitest";
import {
  isResolverSocket,
  judgeUnixBind,
  judgeUnixConnect,
  powerOf,
  type SocketDeps,
} from "../../../packages/supervisor/src/supervise/net/judge-socket.ts";
import { judged, type Written } from "../../policy/machine.ts";

const ENV = { SSH_AUTH_SOCK: "/tmp/mine/agent", DOCKER_HOST: "unix:///home/me/d.s" };

function deps(written: Written): SocketDeps {
  return {
    env: ENV,
    judge: (action) => {
      const [first] = judged([action], written).actions;
      if (first === undefined) throw new Error("no verdict");
      return first.verdict;
    },
  };
}

describe("sockets of the file system", () => {
  it.each<[what: string, path: string, own: boolean, written: Written, expected: RegExp]>([
    ["Docker", "/run/docker.sock", false, {}, /^ask powerful-socket/],
    ["Docker, writing everywhere allowed", "/run/docker.sock", false, { allow: ["Write(/**)"] }, /^ask powerful-socket/],
    ["Docker, granted", "/run/docker.sock", false, { allow: ["Write(/run/docker.sock)"] }, /^allow$/],
    ["Docker, denied", "/run/docker.sock", false, { allow: ["Write(/**)"], deny: ["Write(/run/docker.sock)"] }, /^deny$/],
    ["the agent, wherever it is", "/tmp/mine/agent", false, { allow: ["Write(/tmp/**)"] }, /^ask powerful-socket/],
    ["a stranger's", "/tmp/app.sock", false, {}, /^ask foreign-socket/],
    ["a stranger's, in a folder that may be written by a rule", "/tmp/app.sock", false, { allow: ["Write(/tmp/**)"] }, /^allow$/],
    ["a stranger's, permissive", "/home/me/repo/app.sock", false, { settings: { preset: "permissive" } }, /^ask foreign-socket/],
    ["the run's own", "/tmp/app.sock", true, {}, /^allow own-socket/],
    ["the run's own, denied", "/tmp/app.sock", true, { deny: ["Write(/tmp/app.sock)"] }, /^deny$/],
  ])("%s", (_, path, own, written, expected) => {
    const { verdict } = judgeUnixConnect(path, own, deps(written));
    expect([verdict.decision, verdict.builtin].filter((word) => word !== undefined && !word.startsWith("preset")).join(" ")).toMatch(
      expected,
    );
  });

  it.each([
    ["/run/docker.sock", /Docker/],
    ["/var/run/docker.sock", /Docker/],
    ["/home/me/d.s", /Docker/],
    ["/home/me/.docker/run/docker.sock", /Docker/],
    ["/run/user/1000/podman/podman.sock", /container/],
    ["/run/containerd/containerd.sock", /container/],
    ["/tmp/mine/agent", /ssh agent/],
    ["/tmp/ssh-XXab12/agent.4242", /key agent/],
    ["/run/user/1000/gnupg/S.gpg-agent", /GnuPG/],
    ["/run/user/1000/gnupg/S.gpg-agent.ssh", /key agent/],
    ["/run/user/1000/keyring/control", /password/],
    ["/run/user/1000/bus", /D-Bus/],
    ["/run/dbus/system_bus_socket", /D-Bus/],
    ["/run/systemd/private", /systemd/],
    ["/run/systemd/notify", /systemd/],
    ["/run/user/1000/systemd/private", /systemd/],
    ["/tmp/.X11-unix/X0", /desktop/],
    ["/run/user/1000/wayland-0", /desktop/],
    ["/tmp/tmux-1000/default", /terminal/],
    ["/var/lib/lxd/unix.socket", /virtual machine/],
    ["/run/postgresql/.s.PGSQL.5432", undefined],
    ["/tmp/app.sock", undefined],
  ])("%s: %s", (path, power) => {
    if (power === undefined) expect(powerOf(path, ENV)).toBeUndefined();
    else expect(powerOf(path, ENV)).toMatch(power);
  });

  it.each(["/run/nscd/socket", "/var/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve"])("%s is the resolver's", (path) =>
    expect(isResolverSocket(path)).toBe(true),
  );

  it("makes a socket where it may write", () => {
    const { action, verdict } = judgeUnixBind("/home/me/repo/x.sock", deps({ allow: ["Write(./**)"] }));
    expect(verdict.decision).toBe("allow");
    expect(action.call).toEqual({ name: "bind", args: ["/home/me/repo/x.sock", "0"] });
  });
});
