import { describe, expect, it } from 'vitest';
import { Options } from './parse.ts';

const options = new Options(
  [
    { long: 'json', type: 'boolean', doc: 'Print JSON' },
    { long: 'agent', type: 'string', value: 'NAME', doc: 'Agent' },
    { long: 'jobs', type: 'number', value: 'N', min: 1, max: 16, doc: 'Jobs' },
    { long: 'only', type: 'list', value: 'ID', doc: 'Tasks' },
    { long: 'epic', type: 'list', value: 'NAME', doc: 'Epics' },
  ],
  new Map<string, true | string | number | readonly string[]>([
    ['json', true],
    ['agent', 'mine'],
    ['jobs', 3],
    ['only', ['a', 'b']],
  ]),
);

describe('options of a call', () => {
  it('are read by name and type', () => {
    expect(options.flag('json')).toBe(true);
    expect(options.text('agent')).toBe('mine');
    expect(options.number('jobs')).toBe(3);
    expect(options.list('only')).toEqual(['a', 'b']);
  });

  it('are empty where a list was not given', () => {
    expect(options.list('epic')).toEqual([]);
  });

  it('may not be read as another type', () => {
    expect(() => options.text('jobs')).toThrow('Option jobs is read as string and is number');
    expect(() => options.list('agent')).toThrow('agent');
  });

  it('may not be read when the table does not have them', () => {
    expect(() => options.flag('toString')).toThrow('not in the table');
  });
});
