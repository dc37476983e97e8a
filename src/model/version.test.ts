import { describe, expect, it } from 'vitest';
import { atLeast, inRange, versionIn } from './version.ts';

describe('the version a program prints', () => {
  it.each([
    ['2.1.325 (Claude Code)\n', '2.1.325'],
    ['codex-cli 0.166.0\n', '0.166.0'],
    ['1.18.33', '1.18.33'],
    ['0.62.0-nightly.3', '0.62.0-nightly.3'],
    ['warning: old config\nv3.0.1', '3.0.1'],
  ])('is found in %j', (text, version) => {
    expect(versionIn(text)).toBe(version);
  });

  it.each(['', 'usage: agent [options]', '12'])('is not found in %j', (text) => {
    expect(versionIn(text)).toBeUndefined();
  });
});

describe('a version', () => {
  it.each([
    ['3.51.2', false],
    ['3.51.3', true],
    ['3.53.0', true],
    ['4.0', true],
    ['3.9.9', false],
  ])('%s is at least 3.51.3: %s', (version, expected) => {
    expect(atLeast(version, '3.51.3')).toBe(expected);
  });
});

describe('a range', () => {
  const range = ['2.1.0', '2.10.0'] as const;

  it.each(['2.1.0', '2.1.325', '2.9.99', '2.9.0-beta.1'])('contains %s', (version) => {
    expect(inRange(version, range)).toBe(true);
  });

  it.each(['2.0.99', '2.10.0', '3.0.0', '1.99.0', 'x.y.z'])('does not contain %s', (version) => {
    expect(inRange(version, range)).toBe(false);
  });
});
