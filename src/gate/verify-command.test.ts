import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifyCommand, wordsOf } from './verify-command.ts';

const stack = { command: 'cargo test', from: 'Cargo.toml' };

describe('the end-of-run verify command', () => {
  test('comes from the config, else the gate, else the stack', () => {
    const all = { config: 'b', gate: ['c'], stack };
    expect(verifyCommand(all)).toEqual({ command: 'b', from: 'the config' });
    expect(verifyCommand({ gate: ['c'], stack })).toEqual({ command: 'c', from: 'the gate' });
    expect(verifyCommand({ gate: [], stack })).toEqual(stack);
  });

  test('is skipped with a reason if none is found', () => {
    expect(verifyCommand({ gate: [] })).toEqual({
      reason: 'there is no gate, and no file at the repository root shows how to run the tests',
    });
  });

  test('is the last of the gate, which is its most thorough', () => {
    expect(verifyCommand({ gate: ['npm run lint', 'npm test'] })).toMatchObject({
      command: 'npm test',
    });
  });

  test.each([
    'cd app && npm test',
    'CI=1 npm test',
    'npm test | tee log',
    'test "$A" = b',
    'test ! -e red',
    'for f in *; do x; done',
    'cat <<END\nx\nEND',
    'cd app',
  ])('is not a command of the gate that only a shell understands: %s', (command) => {
    expect(verifyCommand({ gate: ['npm run lint', command] })).toMatchObject({
      command: 'npm run lint',
    });
    expect(verifyCommand({ gate: [command], stack })).toEqual(stack);
    expect(verifyCommand({ gate: [command] })).toMatchObject({
      reason: expect.stringContaining('needs a shell'),
    });
  });

  test('is the configured command, whatever it looks like', () => {
    expect(verifyCommand({ config: 'echo "a b"', gate: [] })).toMatchObject({
      command: 'echo "a b"',
    });
  });

  test('is not an empty word of a person', () => {
    expect(verifyCommand({ config: ' ', gate: ['x'] })).toMatchObject({ command: 'x' });
  });

  test('always has a word to start with', () => {
    const text = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(text, fc.array(fc.string()), (config, gate) => {
        const found = verifyCommand({
          config,
          gate,
        });
        if ('command' in found) expect(wordsOf(found.command).length).toBeGreaterThan(0);
        else expect(found.reason).not.toBe('');
      }),
    );
  });
});

test('the arguments of a command are separated by whitespace', () => {
  expect(wordsOf('  go test\t./...\n')).toEqual(['go', 'test', './...']);
});
