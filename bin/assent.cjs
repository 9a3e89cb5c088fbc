#!/usr/bin/env node
// The command `assent`: starts what is built in dist/, and builds it where a clone was installed without its own scripts
// (`npm install --ignore-scripts`). Every Node reads this file, so it is written in the JavaScript of old; dist/bin.cjs says
// which Node it needs. Hosts start that file, and never this one.
"use strict";
/* oxlint-disable no-var */
var fs = require("fs");
var path = require("path");

var root = path.join(__dirname, "..");
var built = path.join(root, "dist", "bin.cjs");
var script = path.join(root, "scripts", "build.mjs");

function fail(why) {
  process.stderr.write("assent: " + why + "\n");
  process.exit(1);
}

if (!fs.existsSync(built)) {
  if (!fs.existsSync(script)) fail("the installation is incomplete: install Assent again");
  if (parseInt(process.versions.node, 10) < 20) fail("Node.js 20 or newer is needed, and this is " + process.version);
  if (!fs.existsSync(path.join(root, "node_modules", "esbuild"))) fail("Assent is not built yet: run `npm install` in " + root);
  process.stderr.write("assent: building it once, which takes some seconds\n");
  var made = require("child_process").spawnSync(process.execPath, [script], { cwd: root, stdio: ["ignore", 2, 2] });
  if (made.status !== 0) fail("it could not be built: run `npm run build` in " + root);
}
require(built);
