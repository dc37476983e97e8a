import { describe, expect, it } from 'vitest';
import { fits, versionIn } from './version.ts';

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

describe('a range', () => {
  const range = ['2.1.0', '2.10.0'] as const;

  it.each(['2.1.0', '2.1.325', '2.9.99', '2.9.0-beta.1'])('has %s', (version) => {
    expect(fits(version, range)).toBe(true);
  });

  it.each(['2.0.99', '2.10.0', '3.0.0', '1.99.0', 'x.y.z'])('has not %s', (version) => {
    expect(fits(version, range)).toBe(false);
  });
});
