import { describe, expect, it } from 'vitest';
import { parseWait, waitsText, waitText } from './wait.ts';

describe('a wait', () => {
  it.each([
    ['pull 12', { for: 'pull', number: 12 }, 'pull request #12'],
    ['pull #12', { for: 'pull', number: 12 }, 'pull request #12'],
    ['until 2026-12-01', { for: 'until', at: Date.UTC(2026, 11, 1) }, '2026-12-01'],
    [
      'until 2026-12-01T09:30+01:00',
      { for: 'until', at: Date.UTC(2026, 11, 1, 8, 30) },
      '2026-12-01T09:30+01:00',
    ],
    ['until 2024-02-29', { for: 'until', at: Date.UTC(2024, 1, 29) }, '2024-02-29'],
    ['file dist/a b.js', { for: 'file', path: 'dist/a b.js' }, 'the file dist/a b.js'],
    [
      'command curl -f "$URL" | grep ok',
      { for: 'command', command: 'curl -f "$URL" | grep ok' },
      'the command `curl -f "$URL" | grep ok`',
    ],
  ])('is read: %s', (text, wait, words) => {
    expect(parseWait(text)).toEqual(wait);
    expect(waitText(text)).toBe(words);
  });

  it.each([
    '',
    'pull',
    'pull 0',
    'pull x',
    'pull 1234567890',
    'pulls 12',
    'until tomorrow',
    'until 2026-02-30',
    'until 2026-13-01',
    'until 2026-12-01T09:30',
    'until 2026-12-01T29:30Z',
    'file ',
    'file a\nb',
    'command a\nb',
    'command \u0000',
  ])('is refused: %j', (text) => {
    expect(parseWait(text)).toBeUndefined();
  });

  it('is named together with others, and as it is if a newer version wrote it', () => {
    expect(waitsText(['pull 1', 'moon full'])).toBe('pull request #1 and moon full');
  });
});
