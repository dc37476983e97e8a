import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import { missingCommand, OutputReader } from './evidence.ts';

function read(text: string) {
  const reader = new OutputReader();
  for (const line of text.split('\n')) reader.line(line);
  return reader.end();
}

describe('output of an unknown tool', () => {
  it('gives its first lines and the lines that look like failures, but no zero totals', () => {
    const quiet = Array.from({ length: 3_000 }, (_, n) => `step ${n} is done`);
    const text = ['begin', ...quiet, 'ERROR the till is shut', ...quiet, '0 errors'].join('\n');
    const { evidence } = read(text);
    expect(evidence.failures).toEqual([]);
    expect(evidence.signs).toEqual(['ERROR the till is shut']);
    expect(evidence.head).toMatch(/^begin\nstep 0/);
    expect(evidence.head.length).toBeLessThan(limits.evidenceHeadChars + 100);
  });

  it('keeps the first and the last of many such lines', () => {
    const { signs } = read(
      Array.from({ length: 5_000 }, (_, n) => `panic: number ${n}`).join('\n'),
    ).evidence;
    expect(signs).toHaveLength(limits.evidenceSigns);
    expect(signs[0]).toBe('panic: number 0');
    expect(signs.at(-1)).toBe('panic: number 4999');
  });

  it('ignores lines that a package manager adds', () => {
    expect(read('npm error code 1\nnpm ERR! Test failed.').evidence.signs).toEqual([]);
  });
});

describe('evidence from a large output', () => {
  const failing = (n: number): string =>
    `not ok ${n} - test ${n}\n  ---\n  error: |-\n${'    a long story\n'.repeat(60)}  ...`;

  it('is bounded, with the number of failures that are not listed', () => {
    const reader = new OutputReader();
    for (let n = 1; n <= 100; n += 1) for (const line of failing(n).split('\n')) reader.line(line);
    const { failures, unlisted } = reader.end().evidence;
    expect(failures).toHaveLength(limits.evidenceFailures);
    expect(unlisted).toBe(100 - limits.evidenceFailures);
    const chars = failures.reduce(
      (sum, { name, message }) => sum + name.length + message.length,
      0,
    );
    expect(chars).toBeLessThan(limits.evidenceChars * 1.5);
    expect(failures.every(({ message }) => /^(a long story\n)+\[…\]$/.test(message))).toBe(true);
  });

  it('finds the failure among megabytes of other lines', () => {
    const reader = new OutputReader();
    const quiet = (): void => {
      for (let n = 0; n < 5_000; n += 1) reader.line(`    debug ${n}: all is well`);
    };
    quiet();
    for (const line of ' FAIL  a.test.ts > adds\nError: no\n ❯ a.test.ts:1:1'.split('\n')) {
      reader.line(line);
    }
    reader.line('⎯⎯⎯⎯⎯⎯⎯[1/1]⎯');
    quiet();
    expect(reader.end().evidence.failures).toEqual([
      { name: 'a.test.ts > adds', message: 'Error: no\n ❯ a.test.ts:1:1' },
    ]);
  });

  it('cuts a very long line, and keeps a whole path on any other', () => {
    const path = `/srv/${'deep/'.repeat(40)}total.test.ts:3:7`;
    const { failures } = read(`${path}: error: ${'x'.repeat(10_000)}`).evidence;
    expect(failures[0]?.name).toBe(path);
    expect(failures[0]?.message.length).toBeLessThan(limits.evidenceLineChars + 10);
  });
});

describe('tests that fail with the same error', () => {
  it('are all named', () => {
    const text = ' FAIL  a.test.ts > one\n FAIL  a.test.ts > two\nError: no\n⎯⎯⎯⎯⎯⎯[1/1]⎯';
    expect(read(text).evidence.failures).toEqual([
      { name: 'a.test.ts > one', message: 'Fails with the same error as the next one.' },
      { name: 'a.test.ts > two', message: 'Error: no' },
    ]);
  });
});

describe('a command that was not found', () => {
  it.each([
    ['dash', 'sh: 1: tsd: not found', 'tsd'],
    ['dash with a path', 'sh: 1: ./node_modules/.bin/tsd: not found', './node_modules/.bin/tsd'],
    ['dash in a script', 'x.sh: 1: tsd: not found', 'tsd'],
    ['bash', 'bash: tsd: command not found', 'tsd'],
    ['bash with a line', 'bash: line 1: tsd: command not found', 'tsd'],
    ['bash in a script', 'x.sh: line 12: tsd: command not found', 'tsd'],
    ['bash with a path', 'bash: ./bin/tsd: No such file or directory', './bin/tsd'],
    ['a full path of the shell', '/bin/sh: 1: tsd: not found', 'tsd'],
    ['busybox', 'sh: tsd: not found', 'tsd'],
    ['busybox in a script', 'x.sh: line 1: tsd: not found', 'tsd'],
    ['zsh', 'zsh:1: command not found: tsd', 'tsd'],
    ['zsh in a script', 'x.sh:1: command not found: tsd', 'tsd'],
    ['yarn', 'command not found: tsd', 'tsd'],
    ['make', 'make: tsd: No such file or directory', 'tsd'],
    ['env', '/usr/bin/env: ‘tsd’: No such file or directory', 'tsd'],
    ['env without quotes of its own', "env: 'tsd': No such file or directory", 'tsd'],
  ])('is named by %s', (_shell, line, command) => {
    expect(missingCommand(line)).toBe(command);
  });

  it.each([
    'Error: module not found',
    'cat: notes.txt: No such file or directory',
    'GET /x: 404 not found',
    'FAIL: the till was not found',
  ])('is not read out of %j', (line) => {
    expect(missingCommand(line)).toBeUndefined();
  });
});
