import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortLine, visible, visibleJson, visibleLine } from './visible.ts';

const esc = String.fromCharCode(27);
const bell = String.fromCharCode(7);
const hidden = /[^\P{Cc}\n\t]|[\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200b\u200c\ufeff]/u;

describe('text from outside', () => {
  it.each([
    ['plain words', 'plain words'],
    [`${esc}[1;31mred${esc}[0m`, '\\x1b[1;31mred\\x1b[0m'],
    [`${esc}[2J`, '\\x1b[2J'],
    [`${esc}]0;title${bell}after`, '\\x1b]0;title\\x07after'],
    ['one\ntwo\tthree', 'one\ntwo\tthree'],
    ['ends\r\nlike this', 'ends\nlike this'],
    ['evil\rgood', 'evil\\rgood'],
    ['nul\0', 'nul\\x00'],
    ['c1\u009b31m', 'c1\\x9b31m'],
    ['right\u202eleft\u2066', 'right\\u202eleft\\u2066'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['line\u2028break', 'line\\u2028break'],
    ['soft\u00adhyphen', 'soft\\xadhyphen'],
    ['filler\u3164', 'filler\\u3164'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['selector\ufe0f\u{e0100}', 'selector\\ufe0f\\u{e0100}'],
    ['half\ud800', 'half\\ud800'],
    ['mark\ufdd0', 'mark\\ufdd0'],
    ['a\u200db', 'a\\u200db'],
    ['Grüße 作業 👩‍💻 ❤️ 👍🏽 🏳️‍🌈 1️⃣', 'Grüße 作業 👩‍💻 ❤️ 👍🏽 🏳️‍🌈 1️⃣'],
  ])('%j is shown as %j', (given, wanted) => {
    expect(visible(given)).toBe(wanted);
  });

  it('is shown the same with and without the tables of Unicode', () => {
    const other = '\u{1f642}';
    const chars = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
    expect(chars.filter((char) => visible(char) + other !== visible(char + other))).toEqual([]);
  });

  it('hides nothing, whatever comes in, and does not change a second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = visible(text);
        expect(once).not.toMatch(hidden);
        expect(visible(once)).toBe(once);
        expect(visibleLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it('means the same to a program that reads it as JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = visibleJson(JSON.stringify({ text }, undefined, 2));
        expect(json).not.toMatch(hidden);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });

  it('is one short line where there is room for one', () => {
    expect(shortLine(` a\r\n\tb\0\u202e c\u2028d `, 80)).toBe('a b\\x00\\u202e c\\u2028d');
    expect(shortLine('far too long', 6)).toBe('far t…');
    expect(shortLine('作業👍👍', 4)).toBe('作業…');
  });
});
