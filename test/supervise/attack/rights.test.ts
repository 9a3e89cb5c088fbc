import { expect, it } from "vitest";
import { attack } from "./world.ts";

it("a file that lends its owner's rights is not made unasked, by chmod, open or mknod", async () => {
  const { out } = await attack({
    before: "cp /bin/true old; chmod 4755 old; mkdir shared",
    program: `cp /bin/true a; chmod 4755 a; cp /bin/true b; chmod g+s b; umask 0
python3 -c 'import os; os.open("c", os.O_CREAT | os.O_WRONLY, 0o4755)'
python3 -c 'import os; os.mknod("d", 0o104755)'
python3 -c 'import os; f = os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o4755); os.link("/proc/self/fd/%d" % f, "f", follow_symlinks=True)'
install -m 6755 /bin/true e; chmod 2775 shared && echo folder; chmod 755 b && echo plain; chmod 1777 shared && echo sticky`,
    after: "find . -perm /6000 -type f",
  });
  const [, after = ""] = out.split(/^status \d+$/m);
  expect(after.match(/^\.\/\w+$/gm)).toEqual(["./old"]);
  for (const word of ["folder", "plain", "sticky"]) expect(out).toMatch(new RegExp(`^${word}$`, "m"));
});
