import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import { always, groups } from './commands/row.ts';
import { exitCodes, globalOptions } from './commands/shared.ts';
import { commandNamed, commands } from './commands.ts';

const promised =
  'init add edit split rm import export tasks show plan run runs status events why log diff summary ledger graph stop store resume retry cancel ' +
  'report failures hooks ' +
  'approve reject review resolve choose compare try ' +
  'slots skip block unblock answer tell ui notes attach prune doctor config verify demo completions help agent skill mcp where watch daemon schedule worker workers';

describe('the command table', () => {
  it('has every command once', () => {
    const names = commands.map(({ name }) => name);
    expect([...names].sort()).toEqual(promised.split(' ').sort());
  });

  it.each(['approve', 'cancel', 'choose', 'try', 'ui', 'watch'])(
    'lets only a person use %s',
    (name) => {
      expect(commandNamed(name)?.decides).toBe(always);
    },
  );

  it.each(commands)('says what $name does in an imperative line without a period', ({ line }) => {
    expect(line).toMatch(/^[A-Z][a-z]+ .*[^.]$/);
    expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each(commands)('documents every argument and option of $name', ({ args, options }) => {
    for (const { doc } of [...args, ...options]) expect(doc).toMatch(/^[A-Z].*[^.]$/);
    for (const { name } of args) expect(name).toMatch(/^[A-Z]+$/);
    for (const { long } of options) expect(long).toMatch(/^[a-z][a-z-]*$/);
  });

  it.each(commands)('gives no option of $name the name of another', ({ options }) => {
    const all = [...options, ...globalOptions];
    const longs = all.map(({ long }) => long);
    const shorts = all.flatMap(({ short }) => (short === undefined ? [] : [short]));
    expect(new Set(longs).size).toBe(longs.length);
    expect(new Set(shorts).size).toBe(shorts.length);
  });

  it.each(commands)(
    'puts required arguments of $name first and a repeatable one last',
    ({ args }) => {
      const required = args.map((arg) => arg.required);
      expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
      expect(args.slice(0, -1).some(({ repeatable }) => repeatable === true)).toBe(false);
    },
  );

  it.each(commands)('shows two different examples of $name', ({ name, examples }) => {
    expect(examples[0].line).not.toBe(examples[1].line);
    for (const { line, text } of examples) {
      expect(line.startsWith(`ym ${name}`)).toBe(true);
      expect(text).not.toMatch(/\.$/);
    }
  });

  it('uses every group', () => {
    for (const group of groups) {
      expect(commands.some((row) => row.group === group)).toBe(true);
    }
  });

  it('prints JSON from every command that only reads data', () => {
    const readers = [
      'tasks',
      'show',
      'plan',
      'status',
      'why',
      'workers',
      'summary',
      'graph',
      'ledger',
      'where',
      'doctor',
    ];
    for (const name of readers) {
      const longs = commandNamed(name)?.options.map(({ long }) => long);
      expect(longs, name).toContain('json');
    }
  });

  it('keeps to the limits of the program', () => {
    const jobs = commandNamed('run')?.options.find(({ long }) => long === 'jobs');
    expect(jobs).toMatchObject({ min: limits.jobsMin, max: limits.jobsMax });
    expect(jobs).toMatchObject({ default: expect.stringContaining(`${limits.jobsDefault}`) });
    const retries = commandNamed('run')?.options.find(({ long }) => long === 'retries');
    expect(retries).toMatchObject({ default: String(limits.retriesDefault) });
  });

  it('names the exit codes in order', () => {
    expect(exitCodes.map(([code]) => code)).toEqual([0, 1, 2, 3, 4, 5, 70]);
  });

  it('knows no command by another name', () => {
    expect(commandNamed('toString')).toBeUndefined();
    expect(commandNamed('Run')).toBeUndefined();
  });
});

it.each(commands)('$name has code that can be loaded', async ({ load }) => {
  expect(await load()).toBeTypeOf('function');
});
