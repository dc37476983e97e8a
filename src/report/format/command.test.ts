import { expect, it } from 'vitest';
import { commandText } from './command.ts';

it('quotes only words that a shell would change', () => {
  expect(commandText(['ym', 'tell', 'a-1', "it's $HOME", ''])).toBe(
    "ym tell a-1 'it'\\''s $HOME' ''",
  );
});
