/** The colours of pictures, and what lies behind them. */
export const STYLE = `<style>
.b{fill:#f7f7f5;stroke:#d9d8d4}.t{fill:#23262b}.m{fill:#6a6f78}.r{fill:#b3261e}.g{fill:#1b7a3d}.y{fill:#8a5a00}.c{fill:#0b6e8a}.x{fill:#fff;stroke:#c9c8c4}.w{font-weight:700}
@media (prefers-color-scheme:dark){.b{fill:#16181c;stroke:#2d3138}.t{fill:#e4e6ea}.m{fill:#9aa1ac}.r{fill:#ff8a80}.g{fill:#7fd99a}.y{fill:#f0c060}.c{fill:#6cc7e0}.x{fill:#20242a;stroke:#3a404a}}
text{white-space:pre;font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
</style>`;

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const frame = (width: number, height: number, title: string, body: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title).replaceAll('"', "&quot;")}">${STYLE}\n` +
  `<rect class="b" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>\n${body}\n</svg>\n`;

const CHAR = 8.43;
const LINE = 20;
const COLUMNS = 100;

/** What is written on a terminal, its colours kept: SGR codes are read, all other sequences are left out. */
export function terminalSvg(command: string, output: string): string {
  const lines = [`$ ${command}`, ...output.replace(/\n+$/, "").split("\n")].flatMap((line) =>
    wrap(line.replace(/^.*\r(?!$)/, "").replace(/\r$/, "")),
  );
  let state = "t";
  const rows = lines.map((line, at) => {
    const spans: string[] = [];
    // oxlint-disable-next-line no-control-regex -- it is what a terminal is told
    for (const piece of line.split(/(\u001b\[[0-9;?]*[A-Za-z])/)) {
      // oxlint-disable-next-line no-control-regex -- it is what a terminal is told
      const [, codes] = /^\u001b\[([0-9;]*)m$/.exec(piece) ?? [];
      if (codes !== undefined) state = styled(state, codes);
      else if (!piece.startsWith("\u001b") && piece !== "") spans.push(`<tspan class="${state}">${escape(piece)}</tspan>`);
    }
    return `<text x="16" y="${28 + at * LINE}">${spans.join("")}</text>`;
  });
  return frame(Math.ceil(32 + COLUMNS * CHAR), 28 + lines.length * LINE, `assent: ${command}`, rows.join("\n"));
}

const COLOURS: Readonly<Record<string, string>> = { "31": "r", "32": "g", "33": "y", "34": "c", "36": "c", "90": "m", "2": "m" };

function styled(before: string, codes: string): string {
  let state = before;
  for (const code of codes.split(";")) {
    if (code === "" || code === "0") state = "t";
    else if (code === "1") state = `${state} w`;
    else if (code === "22") state = state.replace(" w", "").replace(/^m$/, "t");
    else if (code === "39") state = state.includes(" w") ? "t w" : "t";
    else state = `${COLOURS[code] ?? "t"}${state.includes(" w") ? " w" : ""}`;
  }
  return state;
}

/** Rows of a terminal of a hundred columns; sequences take none. */
function wrap(line: string): readonly string[] {
  const rows: string[] = [];
  let row = "";
  let width = 0;
  // oxlint-disable-next-line no-control-regex -- it is what a terminal is told
  for (const piece of line.match(/\u001b\[[0-9;?]*[A-Za-z]|[\s\S]/gu) ?? []) {
    if (!piece.startsWith("\u001b")) {
      if (width === COLUMNS) {
        rows.push(row);
        row = "    ";
        width = 4;
      }
      width += 1;
    }
    row += piece;
  }
  return [...rows, row];
}

/** Rows of boxes, each with its name, from the top to the bottom. */
export function boxesSvg(title: string, rows: readonly (readonly [title: string, boxes: readonly string[]])[]): string {
  const width = 880;
  const parts: string[] = [`<text class="m" x="20" y="30">${escape(title)}</text>`];
  let y = 52;
  for (const [name, boxes] of rows) {
    parts.push(`<text class="t w" x="20" y="${y + 25}">${escape(name)}</text>`);
    let x = 240;
    for (const box of boxes) {
      const w = Math.ceil(box.length * CHAR + 24);
      if (x + w > width - 16) {
        x = 240;
        y += 46;
      }
      parts.push(
        `<rect class="x" x="${x}" y="${y}" width="${w}" height="38" rx="6"/><text class="c" x="${x + 12}" y="${y + 24}">${escape(box)}</text>`,
      );
      x += w + 10;
    }
    y += 60;
  }
  return frame(width, y + 4, title, parts.join("\n"));
}
