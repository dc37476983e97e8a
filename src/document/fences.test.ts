import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuClock } from '../../test/rig/cpu-clock.ts';
import { blocksNamed, fenced, fenceTracker } from './fences.ts';

const lines = (...all: string[]): string => all.join('\n');

describe('a text with code fences', () => {
  it('is split into prose and code blocks', () => {
    expect(fenced(lines('before  ', '```ts', 'let a;', '', '```', 'after'))).toEqual({
      outside: ['before', 'after'],
      blocks: [{ info: 'ts', text: 'let a;\n' }],
    });
  });

  it.each([
    ['marks of the other kind', '~~~', '```', '~~~'],
    ['fewer marks', '````', '```', '````'],
    ['marks with an info text, but fewer', '````md', '```ts', '````'],
  ])('keeps %s within a block', (_, open, inner, close) => {
    const { outside, blocks } = fenced(lines(open, inner, 'code', inner, close, 'after'));
    expect(outside).toEqual(['after']);
    expect(blocks).toHaveLength(1);
    expect(blocks[0]?.text).toBe(lines(inner, 'code', inner));
  });

  it('ends a block with more marks than it began with', () => {
    expect(fenced(lines('```', 'code', '`````', 'after')).outside).toEqual(['after']);
  });

  it('takes no block from fences that are indented like code, or hold code within a line', () => {
    expect(fenced(lines('    ```', 'said', '    ```')).blocks).toEqual([]);
    expect(fenced(lines('```code``` is what it says', 'said')).outside).toHaveLength(2);
  });

  it('has no block that is never closed, and no prose after it', () => {
    expect(fenced(lines('before', '```', 'code'))).toEqual({ outside: ['before'], blocks: [] });
  });

  it('has no block that is shown in a text cut within another, and goes on behind it', () => {
    expect(fenced(lines('let a;', '```', 'said?', '```text', 'shown', '```', 'said'))).toEqual({
      outside: ['let a;', 'said'],
      blocks: [],
    });
  });

  it.each([
    ['as many marks', '```md', '```follow_up', '```', '```'],
    ['more marks inside', '```md', '````follow_up', '````', '```'],
    ['fewer marks inside', '````md', '```follow_up', '```', '````'],
    ['other marks outside', '~~~md', '```follow_up', '```', '~~~'],
    ['other marks inside', '```md', '~~~follow_up', '~~~', '```'],
    ['tildes in tildes', '~~~', '~~~follow_up', '~~~', '~~~'],
    ['an outer fence without a word', '```', '```follow_up', '```', '```'],
    ['fences that are indented', '   ```md', '  ```follow_up', '  ```', '   ```'],
  ])('never takes a block out of another: %s', (_, open, inner, innerEnd, end) => {
    const { outside, blocks } = fenced(lines('a', open, inner, '["x"]', innerEnd, end, 'b'));
    expect(blocksNamed(blocks, 'follow_up')).toEqual([]);
    expect(outside).toEqual(['a', 'b']);
  });

  it('hides what stands in a block by either way to read it', () => {
    const { outside } = fenced(lines('```md', '```x', '```', 'between', '```', 'shown', '```'));
    expect(outside).toEqual([]);
  });

  it('reads lines that end as on Windows', () => {
    expect(fenced('a\r\n```x\r\nb\r\n```\r\nc')).toEqual({
      outside: ['a', 'c'],
      blocks: [{ info: 'x', text: 'b' }],
    });
  });

  it('never loses or doubles a line that is in no block', () => {
    const line = fc.constantFrom('said', '', '```', '````', '~~~', '```ts', '~~~ sh', '    ```');
    fc.assert(
      fc.property(fc.array(line), (all) => {
        const { outside, blocks } = fenced(all.join('\n'));
        const inside = blocks.reduce((sum, { text }) => sum + text.split('\n').length, 0);
        expect(outside.length + inside).toBeLessThanOrEqual(
          Math.max(1, all.length + blocks.length),
        );
        for (const said of outside) expect(said).toMatch(/^( {4}```|said|)$/);
      }),
    );
  });

  it('takes no longer, however many fences there are', () => {
    const text = '```x\n'.repeat(200_000);
    const spentMs = cpuClock();
    fenced(text);
    expect(spentMs()).toBeLessThan(2_000);
  });
});

describe('blocks by name', () => {
  it('go by the first word of the info text', () => {
    const blocks = ['a', 'a b', 'ab', ''].map((info) => ({ info, text: '' }));
    expect(blocksNamed(blocks, 'a').map(({ info }) => info)).toEqual(['a', 'a b']);
  });
});

describe('a fence tracker', () => {
  it('tells which lines are inside a block, up to its closing fence', () => {
    const isCode = fenceTracker();
    const text = ['a', '```ts', '```js', '~~~', '````', '```', '```b``` c', 'd'];
    expect(text.map(isCode)).toEqual([false, false, true, true, true, false, true, true]);
  });
});
