import { describe, expect, test } from 'vitest';
import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const probe = (last: Failure, model?: string) =>
  explain({
    kind: 'probe-failed',
    agent: 'codex',
    last,
    model,
  });
const provider = { agent: 'codex', message: 'no such thing' };

describe('a model probe that failed', () => {
  test('names agent, model and reason, and where the model is set', () => {
    expect(probe({ kind: 'model-unknown', ...provider, model: 'gpt-9' }, 'gpt-9')).toEqual({
      kind: 'probe-failed',
      what: 'The model probe of codex:gpt-9 failed. codex does not know the model "gpt-9".',
      why: 'It reported: no such thing.',
      do: 'Change it where it is set: `model.default`, `model.by_type`, `model.by_priority`, `agents.codex.model`, or a label or the text of a task. `ym doctor --models` asks again.',
      exit: 3,
    });
  });

  test('without an answer in time gives the time', () => {
    const last = { kind: 'limit-crossed', phase: 'agent', limit: 'wall', tail: '' } as const;
    const { what, do: remedy } = probe({ ...last, value: 60_000 });
    expect(what).toBe('The model probe of codex failed. It did not answer within 1 m 00 s.');
    expect(remedy).toContain('Start the program of codex by hand');
  });

  const hour = Date.UTC(2026, 0, 2, 15, 0);
  const remedies: readonly (readonly [Failure, string])[] = [
    [{ kind: 'provider-auth', ...provider }, 'Type `codex login`. '],
    [{ kind: 'provider-billing', ...provider }, 'Add credit at the service, or let another agent'],
    [{ kind: 'quota-exhausted', ...provider, resetAt: hour }, 'Wait until 2026-01-02 15:00 UTC, '],
    [{ kind: 'quota-exhausted', ...provider }, 'Wait, or let another agent work: `ym config set'],
    [{ kind: 'provider-rate-limit', ...provider }, 'Wait a little, or let another agent work'],
    [{ kind: 'agent-missing', agent: 'codex', binary: 'codex' }, 'Install'],
  ];
  test.each(remedies)('says what to do about %j', (last, remedy) => {
    const explained = probe(last);
    expect(explained.do.startsWith(remedy), explained.do).toBe(true);
    expect(explained.do).toContain('`ym doctor --models` asks again.');
    // There is no task and no run yet.
    expect(explained.do).not.toMatch(/ym (?:retry|resume|log)/);
    expect(explained.exit).toBe(3);
  });
});
