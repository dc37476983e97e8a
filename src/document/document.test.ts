import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parsed, Problem } from './document.ts';
import { readJson } from './json.ts';
import { readToml } from './toml.ts';
import { readYaml } from './yaml.ts';

function value(parsed: Parsed): unknown {
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.failure));
  return parsed.value.value;
}

function line(parsed: Parsed, ...path: PropertyKey[]): number | undefined {
  return parsed.ok ? parsed.value.lineOf(path) : undefined;
}

const problems = (parsed: Parsed): readonly Problem[] => (parsed.ok ? [] : parsed.failure);
const lines = (parsed: Parsed): unknown[] => problems(parsed).map((problem) => problem.line);

describe('readJson', () => {
  it('gives what the runtime gives, for all of JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
        const written = JSON.stringify(JSON.parse(text), undefined, indent);
        expect(value(readJson(written))).toEqual(JSON.parse(written));
      }),
    );
  });

  it('refuses what the runtime refuses, and nothing else', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:1ta\\ \n'))
      .map(([text, at, char]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + char + text.slice(cut + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        const isJson = (() => {
          try {
            JSON.parse(text);
            return true;
          } catch (error) {
            if (error instanceof SyntaxError) return false;
            throw error;
          }
        })();
        const onlyTwice = problems(readJson(text)).every(({ problem }) =>
          problem.includes('twice'),
        );
        expect(onlyTwice).toBe(isJson);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a comma too many', '[\n1,\n]', 3],
    ['a comment', '{\n// no\n}', 2],
    ['single quotes', "{\n'a': 1}", 2],
    ['an early end', '{"a":\n[1', 2],
    ['something behind it', '{}\n{}', 2],
    ['nothing at all', '', 1],
  ])('says on which line there is %s', (_, text, at) => {
    expect(lines(readJson(text))).toEqual([at]);
  });

  it('finds a key that stands twice in one object, but not in two', () => {
    expect(lines(readJson('{"a": 1,\n"b": {"a": 2},\n"a": 3}'))).toEqual([3]);
  });

  it('knows the line of every value', () => {
    const parsed = readJson('{\n"tasks": [\n{"id": "a"},\n{"id": "b",\n"after": [\n"a"]}]}');
    expect(line(parsed, 'tasks')).toBe(2);
    expect(line(parsed, 'tasks', 1)).toBe(4);
    expect(line(parsed, 'tasks', 1, 'after')).toBe(5);
    expect(line(parsed, 'tasks', 1, 'after', 0)).toBe(6);
    expect(line(parsed, 'tasks', 1, 'missing')).toBe(4);
  });
});

describe('readYaml', () => {
  it('knows the line of keys and items', () => {
    const parsed = readYaml('# top\ntasks:\n  - id: a\n    after:\n      - x\n      - y\n');
    expect(line(parsed, 'tasks')).toBe(2);
    expect(line(parsed, 'tasks', 0)).toBe(3);
    expect(line(parsed, 'tasks', 0, 'after', 1)).toBe(6);
    expect(line(parsed, 'tasks', 0, 'missing')).toBe(3);
  });

  it('reports all that is wrong, each with its line', () => {
    expect(lines(readYaml('a: 1\na: 2\nb: !odd x\nc: *gone\n'))).toEqual([2, 3, 4]);
  });

  it.each([
    ['a tab', 'a:\n\tb: 1\n', /tab/],
    ['an open bracket', 'a: [1\nb: 2\n', /cannot be read/],
    ['a second document', 'a: 1\n---\nb: 2\n', /second document/],
    ['an unquoted star', 'paths: [*.ts]\n', /refers to nothing/],
  ])('refuses %s', (_, text, said) => {
    expect(problems(readYaml(text))[0]?.problem).toMatch(said);
  });

  it('keeps the text of numbers that would be written differently', () => {
    expect(value(readYaml('[012, 1.10, 1e3, 12, 0x10, 99999999999999999999]'))).toEqual([
      '012',
      '1.10',
      '1e3',
      12,
      '0x10',
      '99999999999999999999',
    ]);
  });

  it('does not let aliases blow up', () => {
    let text = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n';
    for (let n = 1; n < 9; n += 1) {
      text += `a${n}: &a${n} [${Array(9)
        .fill(`*a${n - 1}`)
        .join(', ')}]\n`;
    }
    expect(problems(readYaml(text))[0]?.problem).toMatch(/aliases/);
  });

  it('survives nesting that no person would write', () => {
    expect(problems(readYaml('['.repeat(100_000)))).not.toEqual([]);
  });
});

describe('readToml', () => {
  it('says on which line it cannot go on', () => {
    const [problem] = problems(readToml('a = 1\nb = \n'));
    expect(problem?.line).toBe(2);
    expect(problem?.problem).toMatch(/^the TOML cannot be read \(.+\)$/);
  });

  it('knows the lines of tables and keys, also behind text that looks like them', () => {
    const parsed = readToml(
      '[[tasks]]\nid = "a"\nbody = """\n[[tasks]]\nid = "no"\n"""\n\n[[tasks]]\nid = "b"\nafter = ["a"]\n',
    );
    expect(line(parsed, 'tasks', 0, 'id')).toBe(2);
    expect(line(parsed, 'tasks', 1)).toBe(8);
    expect(line(parsed, 'tasks', 1, 'after', 0)).toBe(10);
  });

  it('finds what is inside an inline table at its key', () => {
    const parsed = readToml('x = 1\ntasks = [{ title = "a" }]\n');
    expect(line(parsed, 'tasks', 0, 'title')).toBe(2);
  });
});
