import { Cron } from 'croner';
import { describe, expect, it } from 'vitest';
import { isCron } from './daemon-keys.ts';

function isReadable(text: string): boolean {
  try {
    new Cron(text, { paused: true }).stop();
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

const good = [
  '0 2 * * 1-5',
  '*/15 * * * *',
  '10-20/5 0,12 * * *',
  '0 0 L * *',
  '0 0 LW * *',
  '0 0 15W,16 * *',
  '0 0 L,15 * *',
  '0 0 * jan-mar MON',
  '0 0 * * 5L',
  '0 0 * * MON#2',
  '0 0 * * 7',
  '0 0 ? * ?',
  '@daily',
  '@midnight',
];
const bad = [
  '0 0 LW,15W * *',
  '0 0 * * */8',
  '70 * * * *',
  '0 24 * * *',
  '0 0 0 * *',
  '0 0 32W * *',
  '0 0 * 13 *',
  '0 0 * foo *',
  '0 0 * * 8',
  '0 0 * * 1#6',
  '30-10 * * * *',
  '*/70 * * * *',
  '*/0 * * * *',
  '5/10 * * * *',
  '1,,2 * * * *',
  '1- * * * *',
  '1-2-3 * * * *',
  '*/2/2 * * * *',
  '0 0 * *',
  '0 0 * * * *',
  '@reboot',
  'daily',
  '',
];

describe('a cron expression', () => {
  it.each(good)('is accepted, and understood by what computes the times: %s', (text) => {
    expect([isCron(text), isReadable(text)]).toEqual([true, true]);
  });

  it.each(bad)('is refused: %s', (text) => {
    expect(isCron(text)).toBe(false);
  });

  it('with any value of a field is accepted if what computes the times understands it', () => {
    const values = [
      '0',
      '1',
      '7',
      '8',
      '12',
      '13',
      '23',
      '24',
      '31',
      '32',
      '59',
      '60',
      '*/12',
      '*/60',
      '2-9',
    ];
    for (const value of values) {
      for (let at = 0; at < 5; at += 1) {
        const text = ['0', '0', '*', '*', '*'].with(at, value).join(' ');
        expect([text, isCron(text)]).toEqual([text, isReadable(text)]);
      }
    }
  });
});
