import { expect, it } from 'vitest';
import { KeyReader } from './keys.ts';

const read = (...chunks: readonly string[]) => {
  const reader = new KeyReader();
  const keys = chunks.flatMap((chunk) => reader.push(chunk));
  return [...keys, ...reader.flush()];
};

it('arrows of both kinds, letters and control characters are keys', () => {
  expect(read('\u001b[A\u001bOBq\r\u007f\u0003é')).toEqual([
    { name: 'up' },
    { name: 'down' },
    { text: 'q' },
    { name: 'enter' },
    { name: 'backspace' },
    { name: 'ctrl-c' },
    { text: 'é' },
  ]);
});

it('a sequence may arrive in pieces, and an escape character alone is a key', () => {
  expect(read('\u001b', '[', 'A')).toEqual([{ name: 'up' }]);
  expect(read('\u001b')).toEqual([{ name: 'escape' }]);
  expect(read('\u001b\u001b[A')).toEqual([{ name: 'escape' }, { name: 'up' }]);
  expect(read('\u001b[')).toEqual([]);
});

it('unknown sequences are nothing, and the wheel is a key', () => {
  expect(read('\u001b[99~\u001b[<64;10;5M\u001b[<65;10;5M\u001b[<0;1;1M')).toEqual([
    { name: 'wheel-up' },
    { name: 'wheel-down' },
  ]);
});

it('a paste is one text on one line, and no key in it acts', () => {
  expect(read('\u001b[200~one\ntwo q\u001b[201~x')).toEqual([{ text: 'one two q' }, { text: 'x' }]);
});
