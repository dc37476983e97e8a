import { describe, expect, it } from 'vitest';
import { namesInStatus } from './status.ts';

describe('names in a status', () => {
  it('follow the two status letters, whatever they contain', () => {
    expect(namesInStatus(' M a.txt\0?? b c\n.txt\0A  d -> e\0')).toEqual([
      'a.txt',
      'b c\n.txt',
      'd -> e',
    ]);
  });

  it('are both of a file that was renamed or copied', () => {
    expect(namesInStatus('R  new\0old\0 C two\0one\0 M a\0')).toEqual([
      'new',
      'old',
      'two',
      'one',
      'a',
    ]);
  });

  it('are none in a clean one', () => {
    expect(namesInStatus('')).toEqual([]);
  });
});
