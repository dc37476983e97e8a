import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isPerTask,
  type Piece,
  piecesOf,
  render,
  runTokens,
  type Template,
  type TokenValues,
  taskTokens,
} from './template.ts';

const tokens = [...runTokens, ...taskTokens];
const values = Object.fromEntries(tokens.map((token) => [token, `<${token}>`])) as TokenValues;

const names = (text: string): string[] => piecesOf(text).map(nameOf);

function nameOf(piece: Piece): string {
  switch (piece.id) {
    case 'text':
      return piece.text;
    case 'token':
      return `token ${piece.name}`;
    case 'include':
      return `include ${piece.path}`;
    case 'unclosed':
      return `unclosed in ${piece.line}`;
  }
}

const whole = (text: string): string => names(text).join('');

describe('a prompt file', () => {
  it('is text and tokens', () => {
    expect(names('Do {{task.id}} for {{ target }}.')).toEqual([
      'Do ',
      'token task.id',
      ' for ',
      'token target',
      '.',
    ]);
  });

  it('knows the line of every token', () => {
    const found = piecesOf('a\n\n{{x}}\n{{include: b}}').filter(({ id }) => id !== 'text');
    expect(found).toEqual([
      { id: 'token', name: 'x', line: 3 },
      { id: 'include', path: 'b', line: 4 },
    ]);
  });

  it.each([
    'a { single brace } and {another}',
    '{"a": {"b": {"c": 1}}}',
    "<p style={{ color: 'red', margin: 0 }}>",
    "<p style={{\n  color: 'red',\n}}>",
    '<p style={{ target: a,\n  b }}>',
    '<p {...{{ ...props }}}>',
    'empty {{}} and {{ }}',
    'closing }} only',
    '{{#if x}}',
    '{{{"a": 1}}}',
    'ends with {{',
    '',
    '\n\n',
  ])('leaves %j as it is', (text) => {
    expect(whole(text)).toBe(text);
  });

  it('writes two literal braces as four', () => {
    expect(whole('use {{{{ task.id }} here')).toBe('use {{ task.id }} here');
    expect(whole('{{{{{{{{')).toBe('{{{{');
  });

  it.each(['{{task.id', 'a {{ task.id }', '{{ task.id } and more', '{{include: b', '{{gate\n}}'])(
    'is found not to be closed: %j',
    (text) => {
      expect(names(text)).toContain('unclosed in 1');
    },
  );

  it.each([
    '{{task.titel}}',
    '{{ task id }}',
    '{{task-id}}',
    '{{x}}',
    '{{{x}}}',
    '{{_a}}',
    '{{task.title | upper}}',
    '{{gate()}}',
  ])('takes %j for a token, right or wrong', (text) => {
    expect(names(text).some((name) => name.startsWith('token '))).toBe(true);
  });

  it('never lets a known token through as text', () => {
    const piece = fc.oneof(
      fc.constantFrom('{', '{{', '}', '}}', ' ', '\n', ':', 'x', ...tokens),
      fc.constantFrom(...tokens.map((token) => `{{${token}}}`)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        fc.pre(!text.includes('{{{{'));
        for (const one of piecesOf(text)) {
          if (one.id !== 'text') continue;
          for (const token of tokens) expect(one.text).not.toContain(`{{${token}}}`);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a template', () => {
  const template = (...parts: Template['parts']): Template => ({ file: 'a.md', parts });

  it('is rendered with values, which are not parsed again', () => {
    const made = template('Do ', { token: 'task.body' }, ' in ', { token: 'worktree' });
    expect(render(made, { ...values, 'task.body': '{{run}} {{x}}' })).toBe(
      'Do {{run}} {{x}} in <worktree>',
    );
  });

  it.each(taskTokens)('is of one task with %s in it', (token) => {
    expect(isPerTask(template('a', { token }))).toBe(true);
  });

  it.each(runTokens)('is of all tasks with %s in it', (token) => {
    expect(isPerTask(template('a', { token }))).toBe(false);
  });
});
