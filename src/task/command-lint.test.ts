import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lintCommand, lintTasks } from './command-lint.ts';

const flawOf = (command: string): string =>
  lintCommand(command)
    .map(({ text }) => text)
    .join('; ');

describe('a check command with a flaw', () => {
  it.each([
    ['', 'always passes'],
    ['  # run the tests later', 'always passes'],
    ['[ "$(ls src | wc -l)" = "3" ]', 'print blanks'],
    ['test $(wc -l < a.txt) == 3', 'print blanks'],
    ['npm test 2>&1 >out.txt', 'errors do not go to the file'],
    ['grep -qv TODO src/a.ts', 'no line matches'],
    ['npm test && grep -q -v TODO src/a.ts', 'no line matches'],
    ['grep -c TODO a.ts && echo good', 'does not compare'],
    ['grep -c TODO a.ts || echo 0', 'prints two numbers'],
    ['grep TODO src/', 'reads files only'],
    ['! grep -q TODO .', 'reads files only'],
    ['python3 -c "  import app"', 'syntax error'],
    ["python3 -c '\n  import app\n  app.run()\n'", 'syntax error'],
  ])('%j is found', (command, text) => {
    expect(flawOf(command)).toContain(text);
  });

  it('comes with its fix, as a warning about its task', () => {
    expect(lintTasks([{ id: 'a', checks: ['npm test', 'grep -r x src/', 'grep x src/'] }])).toEqual(
      [
        {
          severity: 'warn',
          text: 'the check "grep x src/" of a searches a folder with `grep`, which reads files only',
          fix: { kind: 'advice', text: 'Add `-r`.' },
        },
      ],
    );
  });
});

describe('a check command without a flaw', () => {
  it.each([
    'npm test',
    '[ "$(ls src | wc -l)" -eq 3 ]',
    'npm test >out.txt 2>&1',
    '! grep -q TODO src/a.ts',
    'grep -v TODO src/a.ts',
    '[ "$(grep -c TODO a.ts)" -ge 3 ]',
    'grep -c TODO a.ts',
    'grep -rn TODO src/',
    'grep TODO src/a.ts',
    'grep "a/" src/a.ts',
    'git grep TODO src/',
    'echo "grep -qv x" > note.txt',
    'python3 -c "import app"',
    'python3 -c "\nimport app\nif app:\n  app.run()"',
    'sh gate.sh || exit 1',
  ])('%j is left alone', (command) => {
    expect(flawOf(command)).toBe('');
  });

  it('never makes the lint throw or take long', () => {
    const piece = fc.constantFrom(
      'grep',
      '-c',
      '"',
      "'",
      '\\',
      '&&',
      '||',
      '|',
      ';',
      ' ',
      '\n',
      'wc -l',
      '2>&1',
      '>',
      '(',
      ')',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }), (pieces) => {
        expect(Array.isArray(lintCommand(pieces.join('')))).toBe(true);
      }),
    );
    expect(flawOf('"'.repeat(20_000))).toBe('');
    expect(flawOf('wc -l '.repeat(5_000))).toBe('');
  });
});
