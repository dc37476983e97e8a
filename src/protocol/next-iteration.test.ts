import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuClock } from '../../test/rig/cpu-clock.ts';
import { isTaskId } from '../model/task.ts';
import { nextIn } from './follow-up.ts';

const block = (json: string): string => `\`\`\`next_iteration\n${json}\n\`\`\``;

describe('the tasks that should come next', () => {
  it.each<[string, string, readonly string[] | undefined]>([
    ['nothing at all', 'I am done.', undefined],
    ['a block of ids', block('["a", "b.1"]'), ['a', 'b.1']],
    ['a block over several lines', block('[\n  "a",\n  "b"\n]'), ['a', 'b']],
    ['an empty block of ids', block('[]'), []],
    ['a block that is no JSON', block('a, b'), undefined],
    ['a block with nothing in it', block(''), undefined],
    ['a block that is no array', block('{"a": 1}'), undefined],
    ['a block that is never closed', '```next_iteration\n["a"]', undefined],
    ['ids that are none, dropped', block('["a", 3, null, "b b", "../c", ["d"]]'), ['a']],
    ['only ids that are none', block('["b b"]'), []],
    ['an id twice', block('["a", "a"]'), ['a']],
    ['the first of two blocks', `${block('["a"]')}\n${block('["b"]')}`, ['a']],
    ['the first of two blocks, also a bad one', `${block('[')}\n${block('["b"]')}`, undefined],
    ['a block of another name', '```json\n["a"]\n```', undefined],
    ['an element', '<next_iteration>a, b</next_iteration>', ['a', 'b']],
    ['an element over lines', '<next_iteration>\na,\nb\n</next_iteration>', ['a', 'b']],
    ['an empty element', '<next_iteration></next_iteration>', []],
    ['an element that is never closed', '<next_iteration>a, b', undefined],
    ['an element within a sentence', 'Say <next_iteration>a</next_iteration>.', undefined],
    ['an element with more behind it', '<next_iteration>a</next_iteration> or so', undefined],
    ['an element that is shown', '```\n<next_iteration>a</next_iteration>\n```', undefined],
    [
      'the first of two elements',
      '<next_iteration>a</next_iteration>\n<next_iteration>b</next_iteration>',
      ['a'],
    ],
    [
      'a block before an element that stands first',
      `<next_iteration>a</next_iteration>\n${block('["b"]')}`,
      ['b'],
    ],
  ])('are read from %s', (_, text, ids) => {
    expect(nextIn(text)).toEqual(ids);
  });

  it('never throw, and are only ids', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.constantFrom(
        ...['```next_iteration', '```', '\n', '["a"]', '["a', '<next_iteration>', 'a, b'],
        ...['</next_iteration>', '~~~next_iteration', '~~~', '{}', ','],
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.boolean(), (pieces, apart) => {
        const ids = nextIn(pieces.join(apart ? '\n' : ''));
        expect(ids?.every(isTaskId) ?? true).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('are found in one pass, however many elements are not closed', () => {
    const spentMs = cpuClock();
    expect(nextIn('<next_iteration>\n'.repeat(100_000))).toBeUndefined();
    expect(spentMs()).toBeLessThan(2_000);
  });
});
