import { describe, expect, test } from "vitest";
import { verdictAllowing, verdictFor } from "../shell/knowledge/decide.ts";
import { smallWorld } from "../shell/world.ts";

const DEVICES = smallWorld({
  files: {
    "/home/u/p": "directory",
    "/home/u/p/x": "file",
    "/dev": "directory",
    "/dev/sda": "file",
    "/dev/sda1": "file",
    "/dev/tty1": "file",
  },
});

const USES = [
  "dd if=x of=/dev/sda",
  "dd if=/dev/sda of=x",
  "dd if=x of=/dev/disk/by-id/ata-x",
  "dcfldd if=x of=/dev/sda",
  "ddrescue /dev/sda x",
  "mkfs.ext4 /dev/sdb1",
  "mkfs -t xfs /dev/sdb1",
  "mkfs.ext4 -l x /dev/sda",
  "blkdiscard -l 1G /dev/sda",
  "wipefs -a /dev/sda",
  "sgdisk --zap-all /dev/sda",
  "sgdisk -l backup /dev/sda",
  "shred /dev/nvme0n1",
  "flash_erase /dev/mtd0 0 0",
  "cp x /dev/sda",
  "cp /dev/sda x",
  "tee /dev/sda",
  "echo x > /dev/nvme0n1",
  ": > /dev/md/root",
  "exec 3> /dev/drbd0",
  "echo b > /proc/sysrq-trigger",
  "echo b | tee /proc/sysrq-trigger",
  "cat /dev/mem",
  "xxd /dev/kmem",
  "strings /proc/kcore",
  "head -c 512 /dev/sda1",
  "cat /dev/s[d]a",
  "echo x > /dev/sd?",
  "tar cf /dev/st0 x",
  "chmod 666 /dev/sda",
  "python3 -c \"open('/dev/sda', 'wb').write(b'x')\"",
  "sudo dd if=x of=/dev/sda",
  "D=/dev/sda; dd if=x of=$D",
  "echo /dev/sda | xargs cat",
] as const;

/** Wide patterns, by every kind of rule. */
const WIDE = [
  "Bash(*)",
  "Bash(dd:*)",
  "Bash(cat:*)",
  "Shell(dd ...)",
  "Read",
  "Write",
  "Delete",
  "Read(**)",
  "Read(/dev/**)",
  "Read(/dev/sd*)",
  "Edit(/dev/**)",
  "Edit(/dev/sd?)",
  "Write(/dev/{sda,sdb}*)",
  "Write(/proc/*)",
];

describe("a disk, the memory or another device, used directly", () => {
  test.each(USES.map((command) => [command]))("%s has a reason of its own", (command) => {
    const { decision, builtin, reason, help } = verdictFor(command, DEVICES);
    expect([decision, builtin]).toEqual(["deny", "danger.raw-device"]);
    expect(reason).not.toContain("secret");
    expect(JSON.stringify(help)).not.toContain("assent allow");
  });

  test.each(USES.map((command) => [command]))("%s is not allowed by a wide pattern", (command) => {
    const { decision, builtin } = verdictAllowing(command, WIDE, DEVICES);
    expect([decision, builtin]).toEqual(["deny", "danger.raw-device"]);
  });

  test.each([
    ["dd if=x of=/dev/sda", ["Edit(/dev/sda)"]],
    ["head -c 512 /dev/sda1", ["Read(/dev/sda1)"]],
  ] as const)("%s: whoever writes the very name may", (command, allow) => {
    expect(verdictAllowing(command, allow, DEVICES).decision).toBe("allow");
  });

  test.each([["mytool /dev/sda"], ["mytool --out=/dev/nvme0n1"], ["./flash.sh /dev/mmcblk0"]])("%s asks", (command) => {
    const { decision, builtin, reason } = verdictFor(command, DEVICES);
    expect([decision, builtin]).toEqual(["ask", "danger.raw-device"]);
    expect(reason).not.toContain("secret");
  });

  test.each([
    ["lsblk"],
    ["lsblk /dev/sda"],
    ["ls -l /dev/sda"],
    ["stat /dev/sda"],
    ["cat /dev/null"],
    ["head -c 16 /dev/urandom"],
    ["echo x > /dev/stderr"],
    ["cat /dev/tty*"],
    ["dd if=/dev/zero of=/dev/null bs=1M count=1"],
    ["cat /proc/cpuinfo"],
    ["df -h /"],
  ])("%s goes ahead", (command) => expect(verdictFor(command, DEVICES).decision).toBe("allow"));

  test.each([["mkfs.ext4 disk.img"], ["dd if=/dev/zero of=test.img bs=1M count=1"], ["fdisk -l /dev/sda"], ["mount /dev/sda1 /mnt"]])(
    "%s asks as before",
    (command) => expect(verdictFor(command, DEVICES)).toMatchObject({ decision: "ask" }),
  );
});
