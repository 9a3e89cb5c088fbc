import { printCall } from "../action/index.ts";
import type { Face, FaceOptions, Shown } from "./face.ts";
import { readKeys } from "./keys.ts";
import { printable } from "./printable.ts";
import type { Device } from "./tty.ts";
import type { Answer } from "./types.ts";
import { place, shorten, who } from "./wording.ts";

const CHOICES = [
  "a allow once, s allow what is like it in this run, t allow this process and what it starts, p allow always by a rule,",
  "d deny, D deny always by a rule, ? tell me more, q end the run",
];
const LONGEST = 4000;

/** Lines for terminals that can only print (TERM=dumb): a letter and Enter, and nothing is ever redrawn. */
export class LineFace implements Face {
  readonly #device: Device;
  readonly #options: FaceOptions;
  #shown: Shown | undefined;
  #typed = "";
  /** What a line answers: the question itself, or which rule. */
  #asks: "choice" | "allow" | "deny" = "choice";

  constructor(device: Device, options: FaceOptions) {
    this.#device = device;
    this.#options = options;
  }

  begin(shown: Shown): void {
    this.#shown = shown;
    this.#asks = "choice";
    const { question, alike, waiting } = shown;
    const where = alike.length === 0 ? undefined : place([question, ...alike], this.#options.home);
    this.#print(
      "",
      `${who(question)} wants to ${printable(question.what, 1000)}`,
      ...(alike.length === 0 ? [] : [`... and ${alike.length} more like this${where === undefined ? "" : ` in ${where}`}`]),
      ...CHOICES,
      ...(waiting === 0 ? [] : [`(${waiting} more waiting)`]),
    );
    this.#again();
  }

  update(): boolean {
    return false;
  }

  resized(): void {
    // What is printed stays.
  }

  early(): void {
    this.#print("", "What was typed before this question was shown is ignored.");
    this.#again();
  }

  input(text: string): Answer | undefined {
    for (const key of readKeys(text).keys) {
      if (key.is === "interrupt") return this.#ended({ answer: "quit" });
      if (key.is === "end-of-input") return this.#ended({ answer: "deny", scope: "once" });
      if (key.is === "enter") {
        this.#device.write("\r\n");
        const answer = this.#line(this.#typed.trim());
        if (answer !== undefined) return answer;
        this.#again();
      } else if (key.is === "backspace" && this.#typed !== "") {
        const chars = [...this.#typed];
        this.#typed = chars.slice(0, -1).join("");
        this.#device.write("\b \b");
      } else if (key.is === "char" && this.#typed.length < LONGEST && printable(`.${key.text}`) === `.${key.text}`) {
        this.#typed += key.text;
        this.#device.write(key.text);
      }
    }
    return undefined;
  }

  end(record: string | undefined): void {
    if (this.#shown !== undefined) this.#print(...(record === undefined ? ["", "(the question is void)"] : [record]));
    this.#shown = undefined;
  }

  #ended(answer: Answer): Answer {
    this.#device.write("\r\n");
    return answer;
  }

  #line(line: string): Answer | undefined {
    if (this.#asks !== "choice") return this.#rule(line, this.#asks);
    switch (line) {
      case "a":
        return { answer: "allow", scope: "once" };
      case "s":
        return { answer: "allow", scope: "session" };
      case "t":
        return { answer: "allow", scope: "tree" };
      case "":
      case "d":
        return { answer: "deny", scope: "once" };
      case "q":
        return { answer: "quit" };
      case "?":
        this.#more();
        return undefined;
      case "p":
      case "D":
        this.#asks = line === "p" ? "allow" : "deny";
        this.#print(`A rule that ${this.#asks === "allow" ? "allows" : "denies"} it always:`);
        this.#shown?.question.proposals.forEach(({ rule, covers }, at) =>
          this.#print(`${at + 1}  ${printable(rule)}  (${printable(covers, 200)})`),
        );
        return undefined;
      default:
        this.#print("That is none of the letters.", ...CHOICES);
        return undefined;
    }
  }

  #rule(line: string, effect: "allow" | "deny"): Answer | undefined {
    if (line === "") {
      this.#asks = "choice";
      return undefined;
    }
    const rule = /^\d+$/.test(line) ? this.#shown?.question.proposals[Number(line) - 1]?.rule : line;
    const wrong = rule === undefined ? "there is no rule of that number" : this.#options.checkRule(rule, effect);
    if (rule !== undefined && wrong === undefined) return { answer: effect, scope: "always", rule };
    this.#print(printable(wrong ?? "", 400));
    return undefined;
  }

  #more(): void {
    if (this.#shown === undefined) return;
    const { question, alike } = this.#shown;
    const program = ({ pid, argv }: { readonly pid: number; readonly argv: readonly string[] }): string =>
      `${pid} ${printable(argv.join(" "), 400)}`;
    this.#print(
      `call: ${printCall(question.call)}`,
      `asked because: ${printable(question.reason)}`,
      ...(question.rule === undefined
        ? []
        : [`rule: ${printable(question.rule.text)} ${printable(question.rule.file)}:${question.rule.line}`]),
      ...(question.help === undefined ? [] : [`help: ${printable(question.help)}`]),
      `process: ${program(question.process)}`,
      `in folder: ${printable(shorten(question.cwd, this.#options.home))}`,
      ...question.ancestry.map((parent) => `started by: ${program(parent)}`),
      ...alike.slice(0, 10).map(({ what }) => `and also: ${printable(what, 400)}`),
    );
  }

  #again(): void {
    this.#typed = "";
    this.#device.write(this.#asks === "choice" ? "answer [d]: " : "number, or the text of a rule; empty goes back: ");
  }

  #print(...lines: readonly string[]): void {
    this.#device.write(lines.map((line) => `${line}\r\n`).join(""));
  }
}
