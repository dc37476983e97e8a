/** Values of a key in the text of a git config, in order. Section and key in lower case; includes are not followed. */
export function settingsIn(text: string, section: string, key: string): readonly string[] {
  const found: string[] = [];
  for (const line of linesOf(text)) {
    if (line.section === section && line.key === key) found.push(line.value);
  }
  return found;
}

/** Branch keys that git and editors write by themselves. */
const NOTES = new Set(['merge', 'rebase', 'description', 'vscode-merge-base']);

/**
 * Git config without empty lines and without the branch entries that come and go with every new branch. An upstream
 * remote given by name counts as such an entry; the remotes themselves do not.
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
  /** Lower case, without the quoted subsection. */
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

/** Strips quotes and a trailing comment. */
function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:[#;].*)?$/.exec(value);
  if (quoted !== null) return (quoted[1] ?? '').replace(/\\(["\\])/g, '$1');
  return value.replace(/\s*[#;].*$/, '');
}
