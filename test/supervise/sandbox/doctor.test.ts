import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { assent, DIST } from "../../scratch.ts";
import { confined, workshop } from "./confined.ts";

const shop = workshop();
afterAll(shop.remove);
const place = { home: shop.folder, project: join(shop.folder, "project") };
mkdirSync(place.project);

const bin = join(DIST, "bin.cjs");

describe("assent doctor", () => {
  it("says what supervision finds here, a line each", () => {
    const { status, stdout, stderr } = assent(place, ["doctor"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [supervision = "", agents = ""] = stdout.trimEnd().split("\n\n");
    expect(agents).toMatch(/^agents\n/);
    const lines = supervision.split("\n");
    expect(lines[0]).toBe("supervision");
    expect(lines.slice(1, -1).map((line) => line.slice(0, 8))).toEqual(lines.slice(1, -1).map(() => "  ok    "));
    expect(lines.at(-1)).toBe("  `assent run` has all it needs");
    // Aligned: the third column begins at one place.
    expect(new Set(lines.slice(1, -1).map((line) => /^ {2}ok {4}.*? {2,}(?=\S)/.exec(line)?.[0].length)).size).toBe(1);
  });

  it("says it in JSON", () => {
    const ids =
      "landlock listener wait-killable sync-wake-up addfd-send read-memory pidfd-open pidfd-getfd ptrace openat2 file-system proc state try".split(
        " ",
      );
    const checks = ids.map((id) => ({ id, ok: true }));
    expect(JSON.parse(assent(place, ["doctor", "--json"]).stdout)).toMatchObject({ v: 1, ok: true, supervision: { ok: true, checks } });
  });

  it("names what is missing under another supervisor, and fails", async () => {
    const report = await confined([process.execPath, bin, "doctor"], {
      folder: shop.folder,
      nobody: false,
      env: { NO_COLOR: "1", HOME: shop.folder },
    });
    expect(report.status >> 8).toBe(1);
    const off = report.output.split("\n").filter((line) => /^ {2}(?:off|less) /.test(line));
    expect(off).toEqual([
      expect.stringMatching(/system call listener +taken: another supervisor .*: no call can be asked about$/),
      expect.stringMatching(/less +sharing descriptors +refused \(pidfd_getfd\).*: programs cannot pass open files/),
      expect.stringMatching(/checking what was started +refused \(EPERM\)/),
    ]);
    expect(report.output).toContain("`assent run` refuses to start here");
  });

  it("says where records cannot be kept, which a run refuses without", () => {
    const env = { XDG_STATE_HOME: join(bin, "nowhere") };
    const doctor = assent(place, ["doctor"], "", env);
    expect(doctor.status).toBe(1);
    // Since Node 22 statSync of a path through a file finds nothing there, where Node 20 says ENOTDIR.
    expect(doctor.stdout).toMatch(
      /off +folder of records +\S+ (?:cannot be used: ENOTDIR|is not a directory): a run keeps its records there; set XDG_STATE_HOME/,
    );
    expect(doctor.stdout).toMatch(
      /less +room +\S+ (?:cannot be used: ENOTDIR|is not a directory)\n +what would go ahead sandboxed is asked/,
    );
    expect(assent(place, ["run", "-P", "--", "true"], "", env)).toMatchObject({ status: 125 });
  });

  it.each([[["doctor", "--nope"]], [["doctor", "extra"]]])("refuses %j", (args) => {
    expect(assent(place, args).status).toBe(2);
  });
});
