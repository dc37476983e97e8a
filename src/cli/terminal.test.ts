import type { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FullScreen } from './terminal.ts';

const esc = '\u001b';
const leave = `${esc}[?2004l${esc}[?7h${esc}[?25h${esc}[?1049l`;

const events: EventEmitter = process;

let written: string[];
let raw: boolean[];
let screen: FullScreen;

beforeEach(() => {
  written = [];
  raw = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const { stdin } = process;
  vi.spyOn(stdin, 'resume').mockReturnValue(stdin);
  vi.spyOn(stdin, 'pause').mockReturnValue(stdin);
  Object.assign(stdin, { setRawMode: (isRaw: boolean) => raw.push(isRaw) });
  screen = new FullScreen({ onKeys: () => {}, onResize: () => {} }, { TERM: 'xterm' });
  screen.open();
});

afterEach(() => {
  screen.end();
  vi.restoreAllMocks();
  Reflect.deleteProperty(process.stdin, 'setRawMode');
});

/** Bytes that the terminal gets for a frame. */
const drawn = (...lines: readonly string[]): string => {
  written = [];
  screen.draw(lines);
  return written.join('');
};

test('only the lines that have changed are written, in one piece', () => {
  expect(drawn('head', 'first', 'second')).toContain(`${esc}[2;1Hfirst`);
  const changed = drawn('head', 'first', 'other');
  expect(changed).toContain(`${esc}[3;1Hother`);
  expect(changed).not.toMatch(/head|first/);
  expect(written).toHaveLength(1);
  expect(drawn('head', 'first', 'other')).toBe('');
  screen.clear();
  expect(drawn('head', 'first', 'other')).toMatch(/head.*first.*other/);
});

test.each([
  ['a crash', () => events.emit('uncaughtExceptionMonitor', new Error('x'))],
  ['its end', () => screen.end()],
])('the terminal is restored once after %s, and nothing is drawn any more', (_, stop) => {
  written = [];
  stop();
  expect(written.join('')).toContain(leave);
  expect(raw).toEqual([true, false]);
  expect(drawn('late')).toBe('');
  screen.end();
  expect(written).toEqual([]);
});

test('a terminal that is closed leaves no listeners behind', () => {
  const names = ['exit', 'uncaughtExceptionMonitor', 'SIGTSTP', 'SIGCONT', 'SIGQUIT'];
  const counts = () => names.map((name) => events.listenerCount(name));
  const open = counts();
  screen.end();
  expect(counts()).toEqual(open.map((count) => count - 1));
});
