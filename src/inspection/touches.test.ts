import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchLimits } from '../model/batch.ts';
import { touchedIn } from './touches.ts';

const diff = (path: string, ...lines: readonly string[]): string =>
  [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, ...lines, ''].join('\n');

const head = '@@ -1,4 +1,5 @@';

describe('what a diff touches', () => {
  it.each<[string, string, string]>([
    ['a function', '+export async function total(prices) {', 'total'],
    ['a generator', '+function* ids() {', 'ids'],
    ['a class', '-export default class Basket extends Map {', 'Basket'],
    ['a type', '+export interface Price {', 'Price'],
    ['an arrow function', '+  const sum = (a, b) => a + b;', 'sum'],
    [
      'a typed arrow function',
      '+export const isOdd: (n: number) => boolean = (n) => n % 2 === 1;',
      'isOdd',
    ],
    ['Python', '+    def add(self, x):', 'add'],
    ['Go', '+func (s *Server) Listen(port int) error {', 'Listen'],
    ['Rust', '+pub(crate) fn parse(text: &str) -> Ast {', 'parse'],
    ['Java', '+public final class Till {', 'Till'],
    ['the head of a hunk', `${head} class Basket {`, 'Basket'],
    ['a method in the head of a hunk', `${head} public int total(List<Item> all) {`, 'total'],
  ])('has the name of %s', (_, line, name) => {
    const lines = line.startsWith('@@') ? [line, '+  x'] : [head, line];
    expect(touchedIn(diff('src/a.ts', ...lines))).toEqual([{ path: 'src/a.ts', symbols: [name] }]);
  });

  it.each([
    ['a call', '+  total(prices);'],
    ['a sentence', '+// The class of it is a function of time.'],
    ['a line that did not change', ' export function total() {'],
    ['a condition', `${head} if (isOpen(door)) {`],
  ])('has no name for %s', (_, line) => {
    const lines = line.startsWith('@@') ? [line, '+  x'] : [head, line];
    expect(touchedIn(diff('a.ts', ...lines))).toEqual([{ path: 'a.ts', symbols: [] }]);
  });

  it('names each file once, also added and deleted ones', () => {
    const added =
      'diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n';
    const gone =
      'diff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n';
    const text = diff('m', head, '+++ b/not-a-file', '--- also not') + added + gone;
    expect(touchedIn(text).map(({ path }) => path)).toEqual(['m', 'n', 'o']);
  });

  it('is bounded, whatever the text', () => {
    const many = Array.from({ length: 100 }, (_, at) =>
      diff(`f${at}`, head, ...Array.from({ length: 50 }, (_name, n) => `+function f${n}() {`)),
    ).join('');
    const touched = touchedIn(many);
    expect(touched).toHaveLength(batchLimits.touchedFiles);
    expect(touched[0]?.symbols).toHaveLength(batchLimits.touchedSymbols);
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.constantFrom('+++ b/x', '@@ -1 +1 @@ f(', '+class ', 'diff --git '),
          ),
        ),
        (lines) => {
          expect(touchedIn(lines.join('\n')).length).toBeLessThanOrEqual(batchLimits.touchedFiles);
        },
      ),
    );
  });
});
