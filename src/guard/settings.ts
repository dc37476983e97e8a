/** Values of a key in the text of a git config, in their order, by names in lower case. Includes are not followed. */
export function settingsIn(text: string, section: string, key: string): readonly string[] {
  const found: string[] = [];
  for (const line of linesOf(text)) {
    if (line.section === section && line.key === key) found.push(line.value);
  }
  return found;
}

/** What git and editors note about branches without being asked: where a branch came from and what it is about. */
const NOTES = new Set(['merge', 'rebase', 'description', 'vscode-merge-base']);

/**
 * The text of a git config without empty lines and without the notes that come and go with every new branch. A branch
 * that follows a remote by its name is such a note too; the remotes themselves are not.
 */
export function withoutBranchNotes(text: string): string {
  return [...linesOf(text)].flatMap((line) => (isNote(line) ? [] : [line.text])).join('\n');
}

function isNote({ section, key, value, text }: Line): boolean {
  if (text.trim() === '') return true;
  if (section !== 'branch' || text.endsWith('\\')) return false;
  if (key === undefined) return onlyHeader.test(text);
  return NOTES.has(key) || (key === 'remote' && /^[\w-][\w.-]*$/.test(value));
}

interface Line {
  readonly text: string;
  /** In lower case, without the part in quotation marks. */
  readonly section: string;
  readonly key?: string;
  readonly value: string;
}

const header = /^\s*\[\s*([\w.-]+)\s*(?:"(?:[^"\\]|\\.)*")?\s*\]\s*(.*)$/;
const onlyHeader = /^\s*\[[^\]]*\]\s*$/;
const setting = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*?))?\s*$/;

function* linesOf(text: string): Generator<Line> {
  let section = '';
  for (const line of text.split('\n')) {
    const head = header.exec(line);
    if (head !== null) section = (head[1] ?? '').toLowerCase();
    const rest = head === null ? line : (head[2] ?? '');
    const found = setting.exec(rest);
    yield {
      text: line,
      section,
      ...(found === null ? {} : { key: (found[1] ?? '').toLowerCase() }),
      value: unquoted(found?.[2] ?? ''),
    };
  }
}

/** A value without a comment behind it, and without quotation marks around it. */
function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:[#;].*)?$/.exec(value);
  if (quoted !== null) return (quoted[1] ?? '').replace(/\\(["\\])/g, '$1');
  return value.replace(/\s*[#;].*$/, '');
}
