import type { World } from "@assent/core/action";

/** A small machine for tests: a project, a home, a temp folder, programs in /usr/bin, and these files. */
export function smallWorld(changes: Partial<World> & { readonly files?: Readonly<Record<string, "file" | "directory">> } = {}): World {
  const { files = {}, ...rest } = changes;
  return {
    cwd: "/home/u/p",
    home: "/home/u",
    projectRoot: "/home/u/p",
    temp: ["/tmp", "/var/tmp"],
    foldsCase: false,
    platform: "linux",
    env: () => undefined,
    canonical: (path) => path,
    kind: (path) => files[path] ?? "missing",
    lookup: (name) => ({ path: `/usr/bin/${name}`, trusted: true }),
    trustedProgram: (path) => /^\/(?:usr\/)?(?:(?:local\/)?s?bin|libexec)\/[^/]+$/.test(path),
    find: (root, wanted) => ({
      found: Object.keys(files).find((path) => (path === root || path.startsWith(`${root === "/" ? "" : root}/`)) && wanted(path)),
      complete: true,
    }),
    tracked: () => true,
    names: (directory) =>
      Object.keys(files)
        .filter((path) => path.slice(0, path.lastIndexOf("/")) === directory)
        .map((path) => path.slice(path.lastIndexOf("/") + 1)),
    ...rest,
  };
}
