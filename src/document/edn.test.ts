import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parsed } from './document.ts';
import { readEdn } from './edn.ts';
import { readJsonLines } from './json-lines.ts';

function value(parsed: Parsed): unknown {
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.failure));
  return parsed.value.value;
}

const problem = (parsed: Parsed): unknown => (parsed.ok ? undefined : parsed.failure[0]);

describe('readEdn', () => {
  it.each([
    ['{:a 1, :b "x"}', { a: 1, b: 'x' }],
    ['{:difficulty :medium :ns/key sym}', { difficulty: 'medium', 'ns/key': 'sym' }],
    ['[1 -2 +3 4N 1.5 2M 1e3]', [1, -2, 3, 4, 1.5, 2, 1000]],
    ['[true false nil]', [true, false, null]],
    ['#{:a :b}', ['a', 'b']],
    ['(a b)', ['a', 'b']],
    ['#inst "2026-01-01"', '2026-01-01'],
    ['{:at #uuid #inst "x" :b [#tag {:c 1}]}', { at: 'x', b: [{ c: 1 }] }],
    ['[1 #_ 2 3 #_{:a [1]} #_ #_ 4 5]', [1, 3]],
    ['#_ gone 1 #_ gone ; the end', 1],
    ['; first\n[1 ; one\n 2]', [1, 2]],
    ['"a\\n\\t\\"\\\\ \\u00e9 ü\nline"', 'a\n\t"\\ é ü\nline'],
    ['[\\a \\newline \\space \\u0041 \\( ]', ['a', '\n', ' ', 'A', '(']],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['{"s" 1 2 3 [4] 5}', { s: 1, '2': 3, '[4]': 5 }],
    ['{}', {}],
    ['', undefined],
    [' , ; nothing', undefined],
  ])('reads %s', (text, expected) => {
    expect(value(readEdn(text))).toEqual(expected);
  });

  it.each([
    ['{:a 1\n :a 2}', 2, 'the same key is given twice'],
    ['{:a\n 1\n :b}', 3, 'this key has no value'],
    ['[1\n{:a 2]', 2, '"]" closes nothing that is open'],
    ['{:a\n [1', 2, 'what begins here is not complete'],
    ['\n"abc', 2, 'the string is not closed'],
    ['"a\n\\frac \\q"', 2, 'the string has "\\\\q", which is no known escape'],
    ['[1 #_]', 1, '"]" closes nothing that is open'],
    ['1\n2', 2, 'a second value begins here'],
    ['[1\n1/2]', 2, 'the EDN cannot be read at "1/2]"'],
    ['[#"regex"]', 1, 'the EDN cannot be read at "#\\"regex\\"]"'],
    ['@x', 1, 'the EDN cannot be read at "@x"'],
    ['['.repeat(200), 1, 'the nesting is too deep'],
    ['#a '.repeat(200), 1, 'the nesting is too deep'],
  ])('refuses %j with its line', (text, line, what) => {
    expect(problem(readEdn(text))).toMatchObject({ line, problem: what });
  });

  it('knows the line of every value, and of a key that of its name', () => {
    const parsed = readEdn('; x\n{:a\n 1\n :b [1\n #_ 2\n {:c 3}]}');
    const line = (...path: PropertyKey[]) => (parsed.ok ? parsed.value.lineOf(path) : undefined);
    expect([line(), line('a'), line('b'), line('b', 0), line('b', 1), line('b', 1, 'c')]).toEqual([
      2, 2, 4, 4, 6, 6,
    ]);
    expect(line('missing')).toBe(2);
  });

  it('reads what is written from any JSON value', () => {
    const edn = (data: unknown): string => {
      if (data === null) return 'nil';
      if (Array.isArray(data)) return `[${data.map(edn).join(' ')}]`;
      if (typeof data !== 'object') return JSON.stringify(data);
      return `{${Object.entries(data)
        .map(([key, inner]) => `${JSON.stringify(key)} ${edn(inner)}`)
        .join(', ')}}`;
    };
    // Whole numbers beyond the safe ones stay texts, so they are not part of this.
    const exact = (_: string, data: unknown): unknown =>
      Number.isInteger(data) && !Number.isSafeInteger(data) ? 0 : data;
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const plain: unknown = JSON.parse(JSON.stringify(data), exact);
        expect(value(readEdn(edn(plain)))).toEqual(plain);
      }),
    );
  });

  it('answers every text with a value or a problem', () => {
    const token = fc.constantFrom(...'{}[]()"\\#_:;ab1/. \n'.split(''), '#_', '#{', 'nil', ':k');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        const parsed = readEdn(tokens.join(''));
        expect(parsed.ok || parsed.failure.length > 0).toBe(true);
      }),
    );
  });
});

describe('readJsonLines', () => {
  it('reads one value per line and knows their lines', () => {
    const parsed = readJsonLines('{"a":1}\n\n{"a":2}\r\n');
    expect(value(parsed)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(parsed.ok && [parsed.value.lineOf([0, 'a']), parsed.value.lineOf([1])]).toEqual([1, 3]);
  });

  it('reports every broken line', () => {
    const parsed = readJsonLines('{"a":1}\n{"a":\n{"a":1,"a":2}\n<<<<<<< HEAD\n=======\n');
    expect(parsed.ok ? [] : parsed.failure).toMatchObject([
      { line: 2, problem: 'the JSON ends too early' },
      { line: 3, problem: 'the same key is given twice' },
      { line: 4, problem: 'git left a merge conflict here' },
      { line: 5, problem: 'git left a merge conflict here' },
    ]);
  });
});
