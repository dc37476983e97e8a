import { expect, it } from 'vitest';
import { commentText } from './actions.ts';

it('makes one message of comments on lines, by file and line', () => {
  const at = { side: 'new', code: 'return  x;' } as const;
  const text = commentText(
    [
      { ...at, path: 'b.ts', line: 3, text: 'Why?' },
      { ...at, path: 'a.ts', line: 20, text: ' Name it. ' },
      { ...at, path: 'a.ts', line: 4, side: 'old', text: 'Keep this.' },
    ],
    'Almost done.',
  );
  expect(text).toBe(
    [
      'Almost done.',
      'a.ts:4 (line that was removed)\n> return  x;\nKeep this.',
      'a.ts:20\n> return  x;\nName it.',
      'b.ts:3\n> return  x;\nWhy?',
    ].join('\n\n'),
  );
});
