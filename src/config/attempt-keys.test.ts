import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';

function load(text: string) {
  return loadConfig({
    root: '/repo',
    env: {},
    flags: {},
    cores: 8,
    readFile: (path) => (path === '/repo/yardmaster.yaml' ? text : undefined),
  });
}

describe('attempts in the config', () => {
  it('are read for a run and for types of tasks, where agents alone say how many', () => {
    const text =
      'attempts: { best_of: 3, agents: [claude, codex], choose: person, chooser: codex, wait: 20m, by_type: { bug: 2, ui: { agents: [claude, codex, gemini], choose: auto } } }\n';
    expect(load(text)).toMatchObject({
      ok: true,
      value: {
        attempts: {
          best_of: 3,
          agents: ['claude', 'codex'],
          choose: 'person',
          chooser: 'codex',
          waitMs: 1_200_000,
          byType: {
            bug: { best_of: 2 },
            ui: { best_of: 3, agents: ['claude', 'codex', 'gemini'], choose: 'auto' },
          },
        },
      },
    });
  });

  it.each([
    ['attempts: { best_of: 9 }', 'Give a whole number from 1 to 8.'],
    ['attempts: { agents: [clod] }', 'Known agents: claude'],
    [
      'attempts: { by_type: { bug: { best_off: 2 } } }',
      'Give a number from 1 to 8, or a map such as',
    ],
    ['attempts: { by_type: { bug: many } }', 'Give a number from 1 to 8, or a map such as'],
    ['attempts: 3', 'Write a map such as { best_of: 3, agents: [claude, codex, gemini] }.'],
  ])('are refused: %s', (text, remedy) => {
    const loaded = load(`${text}\n`);
    expect(loaded).toMatchObject({
      ok: false,
      failure: [{ kind: 'config-invalid', remedy: expect.stringContaining(remedy) }],
    });
  });
});
