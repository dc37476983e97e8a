import { describe, expect, it } from 'vitest';
import { list, quoted } from './wording.ts';

describe('foreign text', () => {
  it('is quoted so that it cannot end its quote', () => {
    expect(quoted('a')).toBe('```\na\n```');
    expect(quoted('``````\n')).toBe('```````\n``````\n```````');
  });

  it('is one line in a list', () => {
    expect(list('These:', ['a\n- b', ' c '])).toBe('These:\n- a - b\n- c');
  });
});
