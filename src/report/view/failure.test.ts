import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { type Failure, failureFrom } from '../../model/failure.ts';
import { explain } from '../explain/explain.ts';
import { failureView } from './failure.ts';

describe('a failure for programs', () => {
  it('has its sentences and its kind, but no exit status', () => {
    const view = failureView(failures['gate-red'], 'api');
    const { exit: _exit, ...explained } = explain(failures['gate-red'], 'api');
    expect(view).toEqual(explained);
  });

  it('says by a word why a person has to approve, and what happened last', () => {
    const last = failures['review-failed'];
    const failure: Failure = { kind: 'approval-needed', because: 'review-failed', last };
    expect(failureView(failure, 'api')).toMatchObject({
      kind: 'approval-needed',
      because: 'review-failed',
      last: { kind: 'review-failed' },
    });
    expect(failureView({ kind: 'approval-needed', because: 'rules' })).not.toHaveProperty('last');
  });

  it('names the cause at the end of a chain', () => {
    const inner: Failure = { kind: 'failed-too-often', times: 2, last: failures['no-changes'] };
    const outer: Failure = { kind: 'returned-too-often', times: 3, last: inner };
    expect(failureView(outer).last).toEqual({ kind: 'no-changes' });
  });

  it('is made of whatever a store holds', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (because, last) => {
        const stored = failureFrom({ kind: 'approval-needed', because, last });
        const view = failureView(stored);
        expect(['string', 'undefined']).toContain(typeof view.because);
        expect(['string', 'undefined']).toContain(typeof view.last?.kind);
      }),
    );
  });
});
