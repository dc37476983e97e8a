// Form of the Markdown files.
import { posix } from 'node:path';
import type { Problem, TextFile } from './files.ts';

/** The lines with fenced blocks and inline code blanked, so that examples are not taken for text. */
function prose(text: string): string[] {
  let fence: string | undefined;
  return text.split('\n').map((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
    } else return line.replace(/`[^`]*`/g, '');
    return '';
  });
}

export function titleProblems({ path, text }: TextFile): Problem[] {
  const titles = prose(text).flatMap((line, index) => (/^# \S/.test(line) ? [index + 1] : []));
  const [first, second] = titles;
  if (!/^# \S/.test(text) || first !== 1) {
    return [{ file: path, line: 1, say: 'does not start with a title; make its first line "# …"' }];
  }
  if (second === undefined) return [];
  return [{ file: path, line: second, say: 'has a second title; make it "## …"' }];
}

const LINK = /\]\(\s*<?([^)<>\s]+)>?(?:\s+"[^"]*")?\s*\)|^\s*\[[^\]]+\]:\s+<?([^\s<>]+)>?/g;

/** Relative links to files that are not there. `exists` takes a path from the root. */
export function linkProblems(file: TextFile, exists: (path: string) => boolean): Problem[] {
  return prose(file.text).flatMap((line, index) =>
    [...line.matchAll(LINK)].flatMap((found) => {
      const link = found[1] ?? found[2] ?? '';
      if (/^(?:[a-z][a-z\d+.-]*:|#|\/\/)/i.test(link)) return [];
      const bare = decodeURIComponent(link.replace(/[#?].*$/, ''));
      const target = bare.startsWith('/')
        ? bare.slice(1)
        : posix.normalize(posix.join(posix.dirname(file.path), bare));
      if (exists(target)) return [];
      const say = `links to ${link}, which does not exist; correct the link or add the file`;
      return [{ file: file.path, line: index + 1, say }];
    }),
  );
}
