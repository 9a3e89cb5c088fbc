import { confineLauncher, shellPrefix } from "@assent/core/action";
import { type Machine, residentFolder } from "@assent/guard/state";
import { besideProgram, CALLER, ensureLauncher, programWith, runWords, type WrittenLauncher } from "./confine-launcher.ts";
import type { LauncherArchitecture } from "./launcher.ts";
import { assigned, type Program, starts } from "./program.ts";

/**
 * What a host starts around every command, where it starts all of them through one program: it asks what its hook said of the command
 * (`assent shell`), and becomes the shell that runs it as it is, or the run that confines it. `shell-prefix.x64.s` and
 * `shell-prefix.arm64.s` are its source (a test assembles and compares).
 */
const CODE: Readonly<Record<LauncherArchitecture, string>> = {
  x64:
    "4c8b24244c8d6c24084f8d74e5084d89f1488d35d60200004983fc020f85a70100004d8b6d0831c949833cce00740548ffc1ebf4488d415048c1e003" +
    "4829c44883e4f04989e74883ec1031dbe8c601000089dd498b3e4983c6084885ff741c8a073c5f740a0c203c6172e83c7a77e480374049893cdf48ff" +
    "c3ebd849c704df0000000048ffc34d8d34dfe8650100004d8d24dfe85c010000bf1141000031f631d24531d24531c0b8380000000f054885c00f84b5" +
    "0000000f88fe0000004989c04c89c7498d77f031d24531d2b83d0000000f054883f8fc74e74885c00f88d9000000418b47f0257fff0000488d3de901" +
    "0000742f488d3dea0100003d000b000074213d000a00000f85db000000498b3c244c89e64c89fab83b0000000f05e998000000498b04ef4885c07407" +
    "803040ffc5ebf049893c24488d05970100004989442408488d058e01000049894424104d896c241849c7442420000000004c89e64c89cab83b000000" +
    "0f05eb4fbf01000000be09000000b89d0000000f05488d3d47010000be00000800b8020000000f0589c731f6b8210000000f0585c07810498b3e4c89" +
    "f64c89fab83b0000000f05bf7f000000b83c0000000f05488d3570000000ba56000000eb0c488d35b8000000ba43000000bf02000000b8010000000f" +
    "05bf7d000000eb05bf7e000000b8e70000000f05e81e000000488d05d8000000498904df4d896cdf0849c744df10000000004883c303c3803e007412" +
    "498934df48ffc348ffc6807eff0075f7ebe948ffc6c3617373656e743a207468697320636f6d6d616e6420776173206e6f7420737461727465642c20" +
    "6265636175736520417373656e7420636f756c64206e6f742062653b2072756e3a20617373656e7420646f63746f720a617373656e743a2074686973" +
    "20737461727473206120636f6d6d616e6420617320417373656e7420736179733a20636c617564652d7368656c6c20434f4d4d414e440a2f6465762f" +
    "6e756c6c002d63002d2d002f62696e2f62617368002f62696e2f7a736800",
  arm64:
    "f30340f9f4230091950e138bb5220091f90315aac11800107f0a00f1210f0054940640f9020080d2a07a62f8600000b442040091fdffff1740440191" +
    "00fc41d300ec7cd3e2030091420000cbf60302aa424000d15f000091170080d27c000094fa0317aaa38640f8c30100b4600040391f7c0171c0000054" +
    "02001b325f84017123ffff545fe80171e8feff5400001a5260000039c37a37f8f7060091f2ffff17df7a37f8f7060091d50e178b5f000094d80e178b" +
    "5d000094202288d2010080d2020080d2030080d2040080d2881b80d2010000d4000600b4e008f8b7f30300aae00313aac14200d1020080d2030080d2" +
    "882080d2010000d41f1000b120ffff54a007f8b7c0025fb8e1ef9f520000010a4410003080010034441000701f002c71200100541f002871a1070054" +
    "000340f9e10318aae20316aaa81b80d2010000d42d000014c07a7af8c00000b40100403921001a52010000395a070091faffff17040300f9600d0070" +
    "000700f9400d0050000b00f9140f00f91f1300f9e00304aae10318aae20319aaa81b80d2010000d419000014200080d2210180d2e81480d2010000d4" +
    "600c8092010b00300201a0d2030080d2080780d2010000d4c00000b4010080d2020080d2080380d2010000d4c000f8b7a00240f9e10315aae20316aa" +
    "a81b80d2010000d4e00f80d2a80b80d2010000d4e1030010c20a80d20300001421060050620880d2400080d2080880d2010000d4a00f80d202000014" +
    "c00f80d2c80b80d2010000d4fb031eaa08000094c20e178b00070050400000f9540400f95f0800f9f70e009160035fd620004039c0000034c17a37f8" +
    "f706009120144038e0ffff35faffff1721040091c0035fd6617373656e743a207468697320636f6d6d616e6420776173206e6f742073746172746564" +
    "2c206265636175736520417373656e7420636f756c64206e6f742062653b2072756e3a20617373656e7420646f63746f720a617373656e743a207468" +
    "697320737461727473206120636f6d6d616e6420617320417373656e7420736179733a20636c617564652d7368656c6c20434f4d4d414e440a2f6465" +
    "762f6e756c6c002d63002d2d002f62696e2f62617368002f62696e2f7a736800",
};

/** What hosts start in the place of commands, where they do: the files, below home. */
export const commandPrograms = (home: string): readonly string[] => [confineLauncher(home), shellPrefix(home, "claude")];

/** The routine, as bytes. */
export const shellPrefixCode = (architecture: LauncherArchitecture): Buffer => Buffer.from(CODE[architecture], "hex");

/** The file: the routine, then the variables, the words of what is asked, and the words of what confines. */
export function shellPrefixProgram(
  architecture: LauncherArchitecture,
  agent: string,
  program: Program,
  machine: Pick<Machine, "home" | "env">,
  better?: { readonly client: string; readonly front: string; readonly spare: string },
): Buffer {
  const bin = `${program.folder}/bin.cjs`;
  // The variables stand in the environment already: `env` changes nothing, where no judge that stays answers.
  const first = better === undefined ? [] : [better.client, `${residentFolder(machine)}/`, "/usr/bin/env"];
  const lists = [
    [...assigned(machine), CALLER],
    [...first, program.node, bin, "shell", agent],
    [...runWords(program, machine, better ?? { front: undefined, spare: undefined }), "="],
  ];
  return programWith(architecture, shellPrefixCode(architecture), Buffer.alloc(0), lists);
}

export function ensureShellPrefix(agent: string, machine: Machine, program: Program): WrittenLauncher {
  const file = (name: "ask" | "front" | "spare"): string => besideProgram(program, machine, name);
  const better = { client: file("ask"), front: file("front"), spare: file("spare") };
  const made = (architecture: LauncherArchitecture, using?: typeof better): Buffer =>
    shellPrefixProgram(architecture, agent, program, machine, using);
  return ensureLauncher(machine, shellPrefix(machine.home, agent), (architecture) => made(architecture), {
    made: (architecture) => made(architecture, better),
    starts: () => Object.values(better).every((file) => starts(file)),
  });
}
