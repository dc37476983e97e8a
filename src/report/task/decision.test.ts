import { expect, it } from 'vitest';
import { decidedText } from './decision.ts';

it.each([
  ['retry', 'is open again; the run continues with it'],
  ['answer', 'has its answer; the run continues with it'],
  ['cancel', 'is canceled'],
] as const)('says who continues after %s, if there is work to do', (kind, text) => {
  expect(decidedText(kind, 'the run continues with it')).toBe(text);
});
