/** One line of a diff as it is shown. `file` is the index of its file. */
export type DiffRow = { readonly file: number; readonly text: string } & (
  | { readonly kind: 'file' | 'hunk' | 'note' }
  | { readonly kind: 'context'; readonly old: number; readonly new: number }
  | { readonly kind: 'added'; readonly new: number }
  | { readonly kind: 'removed'; readonly old: number }
);

interface DiffFile {
  readonly path: string;
  /** Its former path, if it was renamed. */
  readonly from?: string;
  readonly change: 'added' | 'deleted' | 'renamed' | 'changed';
  readonly added: number;
  readonly removed: number;
  /** Index of its first row. */
  readonly row: number;
}

export interface Diff {
  readonly files: readonly DiffFile[];
  readonly rows: readonly DiffRow[];
}

interface Draft {
  path: string;
  from?: string;
  change: DiffFile['change'];
  added: number;
  removed: number;
  readonly row: number;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Reads what `git diff` prints. Total: text that is no diff becomes notes. The counts of a hunk decide which lines
 * belong to it, so that no content of a file is taken for a header.
 */
export function parseDiff(text: string): Diff {
  const reader = new Reader();
  for (const line of linesOf(text)) reader.read(line);
  return { files: reader.files, rows: reader.rows };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

class Reader {
  readonly files: Draft[] = [];
  readonly rows: DiffRow[] = [];
  #oldAt = 0;
  #newAt = 0;
  #oldLeft = 0;
  #newLeft = 0;

  read(line: string): void {
    if (this.#oldLeft > 0 || this.#newLeft > 0) this.#content(line);
    else if (line.startsWith('diff --git ')) this.#startFile(line);
    else this.#header(line);
  }

  get #file(): number {
    return Math.max(0, this.files.length - 1);
  }

  #content(line: string): void {
    const file = this.#file;
    const draft = this.files.at(-1);
    const text = line.slice(1);
    switch (line[0]) {
      case '+':
        this.rows.push({ kind: 'added', file, text, new: this.#newAt });
        this.#newAt += 1;
        this.#newLeft -= 1;
        if (draft !== undefined) draft.added += 1;
        return;
      case '-':
        this.rows.push({ kind: 'removed', file, text, old: this.#oldAt });
        this.#oldAt += 1;
        this.#oldLeft -= 1;
        if (draft !== undefined) draft.removed += 1;
        return;
      case '\\':
        this.rows.push({ kind: 'note', file, text: line });
        return;
      default:
        this.rows.push({ kind: 'context', file, text, old: this.#oldAt, new: this.#newAt });
        this.#oldAt += 1;
        this.#newAt += 1;
        this.#oldLeft -= 1;
        this.#newLeft -= 1;
    }
  }

  #startFile(line: string): void {
    const path = pathOfHead(line);
    this.files.push({ path, change: 'changed', added: 0, removed: 0, row: this.rows.length });
    this.rows.push({ kind: 'file', file: this.#file, text: path });
  }

  #header(line: string): void {
    const draft = this.files.at(-1);
    const hunk = hunkHead.exec(line);
    if (hunk !== null) {
      this.#oldAt = Number(hunk[1]);
      this.#newAt = Number(hunk[3]);
      this.#oldLeft = Number(hunk[2] ?? 1);
      this.#newLeft = Number(hunk[4] ?? 1);
      this.rows.push({ kind: 'hunk', file: this.#file, text: line });
    } else if (draft === undefined || !fileHeader(draft, line)) {
      this.rows.push({ kind: 'note', file: this.#file, text: line });
    }
    if (draft !== undefined) this.rows[draft.row] = fileRow(this.#file, draft);
  }
}

function fileRow(file: number, { path, from }: Draft): DiffRow {
  return { kind: 'file', file, text: from === undefined ? path : `${from} → ${path}` };
}

/** Takes a header line of a file into its draft; false for a line that a reader should see. */
function fileHeader(draft: Draft, line: string): boolean {
  if (/^(?:index |similarity index |--- )/.test(line)) return true;
  if (line.startsWith('new file mode ')) draft.change = 'added';
  else if (line.startsWith('deleted file mode ')) draft.change = 'deleted';
  else if (line.startsWith('rename from ')) draft.from = unquoted(line.slice(12));
  else if (line.startsWith('rename to ')) {
    draft.path = unquoted(line.slice(10));
    draft.change = 'renamed';
  } else if (line.startsWith('+++ ')) {
    if (line !== '+++ /dev/null') draft.path = withoutSide(unquoted(line.slice(4)));
  } else return false;
  return true;
}

/** `diff --git a/x b/x` names the path twice; a renamed file has lines of its own that name both. */
function pathOfHead(line: string): string {
  const names = line.slice('diff --git '.length);
  const quoted = /"((?:[^"\\]|\\.)*)"$/.exec(names);
  if (quoted !== null) return withoutSide(unquoted(quoted[0]));
  return withoutSide(names.slice(Math.floor(names.length / 2) + 1));
}

function withoutSide(path: string): string {
  return path.replace(/^[ab]\//, '').replace(/\t$/, '');
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** Git quotes a path with unusual characters as C does, byte for byte. */
function unquoted(path: string): string {
  if (!path.startsWith('"')) return path;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part, octal, sign] of path
    .slice(1, -1)
    .matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g) as Iterable<[string, string?, string?]>) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...encoder.encode(sign === undefined ? part : (escapes[sign] ?? sign)));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
