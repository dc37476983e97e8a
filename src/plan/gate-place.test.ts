import { expect, test } from 'vitest';
import { gatePlace } from './gate-place.ts';

const plain = { id: 'w1', gates: 3, labels: ['big'], busy: 0 };
const gpu = { id: 'w2', gates: 1, labels: ['gpu', 'big'], busy: 0 };

test('a gate runs on the worker with the most room, and here if none has room', () => {
  expect(gatePlace([gpu, plain], [])).toEqual({ worker: 'w1' });
  expect(gatePlace([gpu, { ...plain, busy: 2 }], [])).toEqual({ worker: 'w2' });
  expect(gatePlace([{ ...gpu, busy: 1 }], [])).toBe('here');
  expect(gatePlace([], [])).toBe('here');
});

test('a gate that needs labels runs on a worker that has all of them, and waits while it is busy', () => {
  expect(gatePlace([plain, gpu], ['gpu', 'big'])).toEqual({ worker: 'w2' });
  expect(gatePlace([plain, { ...gpu, busy: 1 }], ['gpu'])).toBe('wait');
});

test('a gate that needs labels runs here if no worker that has them runs gates', () => {
  expect(gatePlace([plain, { ...gpu, gates: 0 }], ['gpu'])).toBe('here');
  expect(gatePlace([plain, gpu], ['gpu', 'arm'])).toBe('here');
});
