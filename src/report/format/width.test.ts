import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { colors, shown } from '../../../test/report/ink.ts';
import { graphemesOf, widthOf } from './width.ts';

const samples = [
  '',
  'plain words',
  'Grüße',
  'e\u0301',
  '作業が失敗しました',
  '한국어',
  'ｆｕｌｌ',
  '👍',
  '👍🏽',
  '👩‍💻',
  '❤️',
  '1️⃣',
  '🇨🇭',
  '✓ ✗ ◐ ↺ ⊘ ⋯ ▶ ■ ○ · » ⇒ ↷ ‼ ◇ ◈ ◎',
  '█▓▒░▁▂▃▄▅▆▇',
  '├─╰╯┤┼┴│└─ … → ⟳ ┄ ═ ▸',
  'ไทย',
  'हिन्दी',
];

describe('the width of text', () => {
  it.each(samples)('of %j is what terminals make of it', (text) => {
    expect(widthOf(text)).toBeGreaterThanOrEqual(stringWidth(text));
    if (!/[\u0900-\u097f]/.test(text)) expect(widthOf(text)).toBe(stringWidth(text));
  });

  it('is the same for plain text with and without the fast path', () => {
    const chars = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
    expect(chars.filter((char) => widthOf(char) + 2 !== widthOf(`${char}作`))).toEqual([]);
  });

  it('counts no colors', () => {
    expect(widthOf(colors.red('作業'))).toBe(4);
  });

  it('is never taken for less than it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(widthOf(text)).toBeGreaterThanOrEqual(stringWidth(shown(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it('is the sum of its signs, which make up the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const signs = graphemesOf(text);
        expect(signs.map((sign) => sign.text).join('')).toBe(text);
      }),
    );
  });
});
