import { describe, expect, it } from 'vitest';
import { loadTemplates } from './prompt-file.ts';

const load = (files: Record<string, string>, ...names: string[]) =>
  loadTemplates(names.length > 0 ? names : ['main.md'], (file) => files[file]);

/** Problems, one line each. */
const wrong = (files: Record<string, string>, ...names: string[]): string[] => {
  const loaded = load(files, ...names);
  if (loaded.ok) return [];
  return loaded.failure.map((failure) =>
    failure.kind === 'config-invalid'
      ? `${failure.file}:${failure.line ?? ''} ${failure.problem}`
      : failure.kind,
  );
};

describe('prompt files', () => {
  it('become templates in their order', () => {
    const files = { 'a.md': 'A {{run}}\n', 'b.md': 'B' };
    expect(load(files, 'a.md', 'b.md')).toEqual({
      ok: true,
      value: [
        { file: 'a.md', parts: ['A ', { token: 'run' }, '\n'] },
        { file: 'b.md', parts: ['B'] },
      ],
    });
    expect(loadTemplates([], () => undefined)).toEqual({ ok: true, value: [] });
  });

  it('include others, relative to themselves, without the line break at their end', () => {
    const files = {
      'p/main.md': 'Be:\n{{include: parts/kind.md}}\n{{ include : parts/kind.md }}!\n',
      'p/parts/kind.md': 'kind, {{include: ../../how.md}}\n',
      'how.md': 'to {{agent}}\r\n',
    };
    const loaded = load(files, 'p/main.md');
    expect(loaded.ok && loaded.value[0]?.parts).toEqual([
      'Be:\nkind, to ',
      { token: 'agent' },
      '\nkind, to ',
      { token: 'agent' },
      '!\n',
    ]);
  });

  it('may contain other braces', () => {
    const text = 'const a = {{{{b}}; <p style={{ color: \'red\' }}/> {"c":{"d":{}}}';
    const loaded = load({ 'main.md': text });
    expect(loaded.ok && loaded.value[0]?.parts).toEqual([text.replace('{{{{', '{{')]);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['no file', {}, ['main.md: the prompt file does not exist']],
    [
      'unknown tokens, all of them',
      { 'main.md': '{{task.titel}}\n\n{{worktree}} {{x}}' },
      ['main.md:1 there is no token {{task.titel}}', 'main.md:3 there is no token {{x}}'],
    ],
    [
      'a brace that is not closed',
      { 'main.md': 'a\n{{task.id' },
      ['main.md:2 {{ is not closed on the same line'],
    ],
    [
      'a file that does not exist',
      { 'main.md': 'a\n{{include: b.md}}' },
      ['main.md:2 it includes b.md, which does not exist'],
    ],
    ['an include of nothing', { 'main.md': '{{include: }}' }, ['main.md:1 it includes no file']],
    [
      'an absolute path',
      { 'main.md': '{{include: /etc/passwd}}' },
      ['main.md:1 it includes /etc/passwd by an absolute path'],
    ],
    [
      'a path out of the repository',
      {
        'docs/main.md': 'x\n{{include: ../../secret.md}}\n{{include: ../..foo.md}}',
        '..foo.md': 'y',
      },
      ['docs/main.md:2 it includes ../secret.md, which is outside the repository'],
    ],
    [
      'a circle',
      {
        'main.md': '{{include: b.md}}',
        'b.md': 'x\n{{include: ./c.md}}',
        'c.md': '{{include: b.md}}',
      },
      ['c.md:1 files include each other in a cycle: b.md → c.md → b.md'],
    ],
    [
      'a file that includes itself',
      { 'main.md': '{{include: main.md}}' },
      ['main.md:1 files include each other in a cycle: main.md → main.md'],
    ],
    [
      'what is wrong in an included file',
      { 'main.md': '{{include: b.md}}', 'b.md': '\n{{y}}' },
      ['b.md:2 there is no token {{y}}'],
    ],
  ])('tell what is wrong: %s', (_, files, problems) => {
    expect(wrong(files, Object.keys(files)[0] ?? 'main.md')).toEqual(problems);
  });

  it('report why a file cannot be used, and whether it was included', () => {
    const asked: [string, boolean][] = [];
    const loaded = loadTemplates(['main.md', 'odd.md'], (file, isIncluded) => {
      asked.push([file, isIncluded]);
      return file === 'main.md' ? '\n{{include: odd.md}}' : { problem: 'is odd' };
    });
    expect(loaded).toMatchObject({
      ok: false,
      failure: [
        { file: 'main.md', line: 2, problem: 'it includes odd.md, which is odd' },
        { file: 'odd.md', problem: 'the prompt file is odd' },
      ],
    });
    expect(asked).toEqual([
      ['main.md', false],
      ['odd.md', true],
      ['odd.md', false],
    ]);
  });

  it('list every known token in the remedy', () => {
    const loaded = load({ 'main.md': '{{taskid}}' });
    expect(!loaded.ok && loaded.failure[0]).toMatchObject({
      remedy: expect.stringMatching(/project, target, .*task\.id, .*worktree; write \{\{\{\{ for/),
    });
  });

  it('report a cycle also if the first file is named in another way', () => {
    expect(wrong({ 'a.md': '{{include: a.md}}' }, './a.md')).toHaveLength(1);
  });

  it('limit the depth of includes', () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`${n}.md`, `{{include: ${n + 1}.md}}`]),
    );
    expect(wrong(files, '0.md')).toEqual(['7.md:1 files include each other more than 8 deep']);
  });

  it('are bounded in size and number, and report it once', () => {
    const twice = (n: number) => `{{include: ${n}.md}}\n`.repeat(10);
    const many = { 'main.md': twice(1), '1.md': twice(2), '2.md': twice(3), '3.md': 'x' };
    expect(wrong(many)).toEqual([expect.stringMatching(/more than \d+ characters or 200 files/)]);
    const big = { 'main.md': '{{include: b.md}}\n{{include: b.md}}', 'b.md': 'x'.repeat(600_000) };
    expect(wrong(big)).toEqual([expect.stringMatching(/^main\.md:2 .*more than 1048576 char/)]);
  });

  it('are all checked, even if the first is invalid', () => {
    expect(wrong({ 'b.md': '{{y}}' }, 'a.md', 'b.md')).toHaveLength(2);
  });
});
