import { describe, expect, it } from "vitest";
import { type ContainerOptions, openContainer } from "@assent/library/sdk";
import { containerContract } from "./container-contract.ts";

containerContract("podman");
containerContract("docker");

describe("wrong options of openContainer", () => {
  it.each<readonly [object, string]>([
    [{}, "image"],
    [{ image: "" }, "image"],
    [{ image: "--privileged" }, "image"],
    [{ image: "a", cwd: "work" }, "cwd"],
    [{ image: "a", mounts: { src: "/work" } }, "mounts"],
    [{ image: "a", mounts: { "/a:/b": "/work" } }, "mounts"],
    [{ image: "a", imge: "b" }, "image"],
    [{ image: "a", timeout: "1" }, "timeout"],
  ])("%j", async (options, named) => {
    await expect(openContainer(options as ContainerOptions)).rejects.toThrow(named);
  });
});
