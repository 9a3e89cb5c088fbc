import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Modules of node's own that take milliseconds to load, and that most runs have no need of. */
const LAZY = ["child_process", "crypto", "dgram", "net", "readline/promises", "tty"];

/** esbuild: such a module is loaded when something of it is first used, and not with whoever names it. */
export const lazyBuiltins = {
  name: "lazy-builtins",
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(?:node:)?(?:${LAZY.join("|")})$`) }, ({ path, namespace }) =>
      namespace === "lazy-builtin" ? { path, external: true } : { path: path.replace(/^node:/, ""), namespace: "lazy-builtin" },
    );
    build.onLoad({ filter: /.*/, namespace: "lazy-builtin" }, ({ path }) => {
      const names = Object.keys(require(`node:${path}`)).filter((name) => /^[A-Za-z_]\w*$/.test(name));
      return { contents: `module.exports={${names.map((name) => `get ${name}(){return require("node:${path}").${name}}`).join(",")}};` };
    });
  },
};
