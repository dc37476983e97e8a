import { describe, expect, it } from 'vitest';
import { cpuClock } from '../../test/rig/cpu-clock.ts';
import { countAt, finalText, jsonOf, listAt, numberAt, objectAt, textAt } from './stream.ts';

describe('a line of a stream', () => {
  it('is any JSON object', () => {
    expect(jsonOf('{"a":1,"type":"x"}')).toEqual({ a: 1, type: 'x' });
    expect(jsonOf('  {"a":1}\r')).toEqual({ a: 1 });
  });

  it.each(['', 'Reconnecting…', '[1]', '1', 'null', '"{"', '{"half":', '{} trailing'])(
    'that is %j is passed over',
    (line) => expect(jsonOf(line)).toBeUndefined(),
  );
});

describe('a field', () => {
  const json = {
    text: 'a',
    number: 2,
    endless: Number.POSITIVE_INFINITY,
    minus: -1,
    huge: 1e308,
    object: { x: 1 },
    list: [{ y: 1 }, 2, null, [3], { z: 2 }],
    nothing: null,
  };

  it('is returned if it has the right type', () => {
    expect(textAt(json, 'text')).toBe('a');
    expect(numberAt(json, 'number')).toBe(2);
    expect(objectAt(json, 'object')).toEqual({ x: 1 });
    expect(listAt(json, 'list')).toEqual([{ y: 1 }, { z: 2 }]);
    expect(countAt(json, 'number')).toBe(2);
  });

  it('is undefined otherwise', () => {
    expect(textAt(json, 'number')).toBeUndefined();
    expect(textAt(undefined, 'text')).toBeUndefined();
    expect(numberAt(json, 'text')).toBeUndefined();
    expect(numberAt(json, 'endless')).toBeUndefined();
    expect(numberAt(json, 'huge')).toBeUndefined();
    expect(objectAt(json, 'nothing')).toBeUndefined();
    expect(objectAt(json, 'list')).toBeUndefined();
    expect(listAt(json, 'object')).toEqual([]);
    expect(countAt(json, 'minus')).toBe(0);
    expect(countAt(json, 'huge')).toBe(0);
    expect(countAt(json, 'none')).toBe(0);
  });
});

describe('the final message', () => {
  it('is put together from pieces, and begins again', () => {
    const said = finalText();
    said.add('one ');
    said.add('two');
    expect(said.text()).toBe('one two');
    said.restart();
    expect(said.text()).toBe('');
    said.restart('three');
    expect(said.text()).toBe('three');
  });

  it('is bounded: its end is kept, from the beginning of a line', () => {
    const said = finalText(8);
    said.add('12345\n67890\nabc');
    expect(said.text()).toBe('abc');
    said.restart('1\n2345678');
    expect(said.text()).toBe('2345678');
    said.restart('x'.repeat(50));
    expect(said.text()).toBe('x'.repeat(8));
  });

  it('never shows the end of a long line as a line', () => {
    const said = finalText(32);
    said.add(`do not print ${'.'.repeat(40)} COMPLETE\nreally`);
    expect(said.text()).toBe('really');
  });

  it('keeps 64 KB of a flood, without holding it up', () => {
    const said = finalText();
    const spentMs = cpuClock();
    for (let n = 0; n < 500_000; n += 1) said.add('a line of a flood\n');
    expect(spentMs()).toBeLessThan(3000);
    expect(said.text().length).toBeGreaterThan(63 * 1024);
    expect(said.text().length).toBeLessThanOrEqual(64 * 1024);
  });
});
