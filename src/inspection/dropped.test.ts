import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import { droppedLines, namedAsDropped, type Resolved } from './dropped.ts';

const from = 'const a = 1;\nexport default a;\n';
const to = 'const a = 1;\nconst theirs = 2;\nexport default a;\n';

/** Lines that are told of one file. */
function told(file: Omit<Resolved, 'path'>, elsewhere: readonly string[] = []): readonly string[] {
  const violations = droppedLines({ files: [{ path: 'a.js', ...file }], elsewhere, named: [] });
  return violations.flatMap((violation) =>
    violation.kind === 'lines-dropped' ? violation.lines : [],
  );
}

describe('droppedLines', () => {
  it('names lines that the target gained and the resolution lost', () => {
    const result = 'const a = 1;\nconst ours = 3;\nexport default a;\n';
    expect(
      droppedLines({ files: [{ path: 'a.js', from, to, result }], elsewhere: [], named: [] }),
    ).toEqual([{ kind: 'lines-dropped', file: 'a.js', lines: ['const theirs = 2;'] }]);
  });

  it('names all of them where the file itself is gone', () => {
    expect(told({ from, to })).toEqual(['const theirs = 2;']);
    expect(told({ to: 'new one\nnew two\n' })).toEqual(['new one', 'new two']);
  });

  it.each([
    ['both sides kept', 'const a = 1;\nconst ours = 3;\nconst theirs = 2;\n'],
    ['the target taken as it is', to],
    ['other indentation', '  const theirs=2;\n'],
    ['a comma where it was the last entry', 'const theirs = 2,\n'],
    ['both sides joined on one line', 'const theirs = 2, ours = 3;\n'],
  ])('finds nothing dropped with %s', (_name, result) => {
    expect(told({ from, to, result })).toEqual([]);
  });

  it('lets lines move to another file of the work', () => {
    const result = 'const ours = 3;\n';
    expect(told({ from, to, result }, ['export const b = 1;\n  const theirs = 2;\n'])).toEqual([]);
  });

  it('asks for a line as often as the target added it', () => {
    const twice = 'await settle();\nawait settle();\n';
    expect(told({ from: '', to: twice, result: 'await settle();\n' })).toEqual(['await settle();']);
  });

  it('does not ask for what is too short to mean something, or only brackets', () => {
    expect(told({ from: '', to: '}\n});\nabc\n\n  ]);\n', result: '' })).toEqual([]);
  });

  it('excuses files that the work names, and only these', () => {
    const files = [
      { path: 'a.js', from, to, result: '' },
      { path: 'b.js', from, to, result: '' },
    ];
    const violations = droppedLines({ files, elsewhere: [], named: ['a.js'] });
    expect(violations).toMatchObject([{ file: 'b.js' }]);
  });

  it('tells no more lines than a person reads, and none of them whole where it is long', () => {
    const many = Array.from({ length: 100 }, (_, at) => `line number ${at} ${'x'.repeat(500)}`);
    const lines = told({ from: '', to: many.join('\n'), result: '' });
    expect(lines).toHaveLength(limits.droppedTold);
    expect(lines.every((line) => line.length <= limits.violationLineChars)).toBe(true);
  });

  it('finds nothing in any resolution that holds all lines of the target', () => {
    const text = fc.array(fc.string()).map((all) => all.join('\n'));
    fc.assert(
      fc.property(text, text, text, (before, target, ours) => {
        expect(told({ from: before, to: target, result: `${target}\n${ours}` })).toEqual([]);
      }),
    );
  });
});

describe('namedAsDropped', () => {
  it('reads the paths of all trailers', () => {
    const messages =
      'Merge main\n\nYard-Dropped: src/a b.js \nyard-dropped: c.js\n\nMore\n\nYard-Dropped:\n';
    expect(namedAsDropped(messages)).toEqual(['src/a b.js', 'c.js']);
    expect(namedAsDropped('We dropped Yard-Dropped: x')).toEqual([]);
  });
});
