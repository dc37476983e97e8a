import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine, shortened } from '../model/visible.ts';
import { inBlock, inCode } from './body.ts';

const text = fc.string({
  unit: fc.constantFrom('`', '``````', 'a', ' ', '\n', '\r', '@b', '🚂', '\0'),
});

describe('foreign text', () => {
  it('is cut without half a character at its end', () => {
    expect(shortened('abc', 3)).toBe('abc');
    expect(shortened('abcd', 3)).toBe('ab…');
    expect(shortened('a🚂b', 3)).toBe('a…');
    expect(shortened('abcd', 0)).toBe('…');
  });

  it('becomes one line in which everything is visible', () => {
    expect(oneLine(' a\r\n\tb\0\u202e c\u2028d ')).toBe('a b\\x00\\u202e c\\u2028d');
  });

  it('stays code whatever backticks it contains', () => {
    expect(inCode('npm test')).toBe('`npm test`');
    expect(inCode('a `b` c')).toBe('`` a `b` c ``');
    expect(inCode('``')).toBe('``` `` ```');
    expect(inCode(' \n ')).toBe('` `');
  });

  it('stays in its block whatever fences it contains', () => {
    expect(inBlock('\n\n  a\r\nb\n\n')).toBe('```text\n  a\nb\n```');
    expect(inBlock('```\n@you\n```')).toBe('````text\n```\n@you\n```\n````');
  });

  it('is enclosed in marks that it does not contain', () => {
    fc.assert(
      fc.property(text, (some) => {
        const code = inCode(some);
        const marks = /^`+/.exec(code)?.[0] ?? '';
        expect(code).not.toContain('\n');
        const runs = code.slice(marks.length, -marks.length).match(/`+/g) ?? [];
        expect(runs.every((run) => run.length !== marks.length)).toBe(true);
        expect(code.endsWith(marks)).toBe(true);
      }),
    );
  });

  it('cannot end its block', () => {
    fc.assert(
      fc.property(text, (some) => {
        const lines = inBlock(some).split('\n');
        const fence = lines.at(-1) ?? '';
        expect(lines[0]).toBe(`${fence}text`);
        const inner = lines.slice(1, -1);
        expect(inner.every((line) => !line.includes(fence))).toBe(true);
      }),
    );
  });

  it('keeps the marks around it short', () => {
    expect(inCode('`'.repeat(1_000)).length).toBeLessThan(100);
    expect(inBlock('`'.repeat(1_000)).length).toBeLessThan(100);
  });
});
