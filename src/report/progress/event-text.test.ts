import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { logOf } from '../../../test/report/fixtures.ts';
import { task } from '../../../test/story.ts';
import type { Failure } from '../../model/failure.ts';
import { eventText } from './progress.ts';

describe('the sentence of an event', () => {
  it('says what happened, without what to do about it', () => {
    const cause = 'error: Your local changes would be overwritten:\n\tsrc/a.ts\nAborting';
    const failure: Failure = { kind: 'checkout-in-the-way', dir: '/somewhere', cause };
    const [event] = logOf({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until: 1 });
    const text = event === undefined ? '' : eventText(event);
    expect(text).toMatch(/^waits .* in the way of landing/);
    expect(text).not.toContain('; do ');
  });

  it('is the name of an event that a run prints nothing for', () => {
    const [event] = logOf({ type: 'task-added', task: task('api') });
    expect(event === undefined ? '' : eventText(event)).toBe('task added api');
  });

  it('calls a variant that was not chosen superseded', () => {
    const of = { type: 'attempt-failed', run: 'r1', id: 'api', attempt: 1 } as const;
    const [event] = logOf({ ...of, failure: failures.superseded });
    expect(event === undefined ? '' : eventText(event)).toMatch(/^superseded api /);
  });

  it('has the verdict of a gate that passed', () => {
    const verdict = { id: 'passed', ms: 5 } as const;
    const of = { run: 'r1', candidate: 'c1', tree: 't', gate: 'g', cached: false } as const;
    const [event] = logOf({ type: 'candidate-judged', ...of, verdict });
    expect(event === undefined ? '' : eventText(event)).toBe('candidate judged: passed');
  });

  it('is one line for any event', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        for (const event of events) expect(eventText(event)).toMatch(/^[^\n]+$/);
      }),
      { numRuns: 40 },
    );
  });
});
