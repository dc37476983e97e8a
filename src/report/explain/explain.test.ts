import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allFailures, failures } from '../../../test/report/failures.ts';
import { exitCodes } from '../../cli/commands/shared.ts';
import { commandNamed } from '../../cli/commands.ts';
import { parse } from '../../cli/parse.ts';
import { type Failure, failureFrom } from '../../model/failure.ts';
import { visible, visibleLine } from '../../model/visible.ts';
import { widthOf } from '../format/width.ts';
import { explain, oneLine } from './explain.ts';

describe('a task whose agent was not started', () => {
  it('names what was in the way of its run', () => {
    const explained = explain({ kind: 'run-stopped', last: failures['target-red'] });
    expect(explained.what).toMatch(
      /^No agent was started: .* The target itself fails the gate at bbbbbbbbbbbb\.$/,
    );
    expect(explained.do).toContain('ym verify');
    expect(explain(failures['run-stopped']).do).toBe('Type `ym resume` to continue.');
  });
});

describe('explaining', () => {
  it.each(allFailures)('says what, why and do in sentences: $kind', (failure) => {
    const { kind, what, why, do: remedy } = explain(failure);
    expect(kind).toBe(failure.kind);
    // A reason that would only say the same again is left out.
    const bare = ['usage', 'config-invalid', 'surroundings-broken', 'trouble'].includes(kind);
    expect(why === '').toBe(bare);
    for (const outputSentence of bare ? [what, remedy] : [what, why, remedy]) {
      expect(outputSentence).toMatch(/^\S.{8,}[.?!]$/);
      expect(outputSentence).not.toMatch(/undefined|\[object|\.\.$/);
    }
  });

  it.each(allFailures)(
    'names only commands that exist, with options that exist: $kind',
    (failure) => {
      const { do: remedy } = explain(failure, 'search');
      for (const [, line = ''] of remedy.matchAll(/`(ym [^`]+)`/g)) {
        const inline = line.split(' ').slice(1);
        const command = inline.find((word, at) => !word.startsWith('-') && inline[at - 1] !== '-C');
        if (inline.length === 2 && inline[0] === '-C') continue;
        expect(commandNamed(command ?? ''), line).toBeDefined();
        const parsed = parse([...inline, '--help']);
        expect(parsed.ok, line).toBe(true);
      }
    },
  );

  it('gives only exit codes that help names', () => {
    const known = exitCodes.map(([code]) => code);
    for (const failure of allFailures) expect(known).toContain(explain(failure).exit);
  });

  it('names the task where it knows it', () => {
    expect(explain(failures['gate-red'], 'search').do).toContain('ym log search --gate');
    expect(explain(failures['gate-red']).do).toContain('ym log ID --gate');
  });

  it('follows a chain of failures to its cause', () => {
    const deep: Failure = {
      kind: 'failed-too-often',
      times: 3,
      last: { kind: 'returned-too-often', times: 2, last: failures['no-changes'] },
    };
    expect(explain(deep).what).toBe(
      'Failed 3 times. Last failure: the agent finished but made no changes.',
    );
  });

  it.each([[null], ['old words'], [[1]], [undefined]])(
    'reads whatever stands where the last failure belongs: %j',
    (last) => {
      const odd = failureFrom({ kind: 'failed-too-often', times: 2, last });
      expect(explain(odd).what).toMatch(/^Failed 2 times. Last failure: \S/);
    },
  );

  it('gives up on a chain that does not end', () => {
    let deep: Failure = failures['no-changes'];
    for (let times = 1; times < 50; times += 1)
      deep = { kind: 'failed-too-often', times, last: deep };
    expect(explain(deep).what).toContain('nested too deeply');
  });

  it('keeps what others said on one line', () => {
    const esc = String.fromCharCode(27);
    const { why } = explain({
      kind: 'agent-exited',
      exit: 1,
      tail: `${esc}[2Jbad\r\n\nworse`,
    });
    expect(visible(why)).toBe('It printed: \\x1b[2Jbad / worse.');
  });

  it('shows no more of an output than fits a sentence', () => {
    const { why } = explain({ kind: 'agent-exited', exit: 1, tail: 'x'.repeat(5000) });
    expect(why.length).toBeLessThan(420);
    expect(why).toMatch(/…\.$/);
  });

  it('explains a kind that only a newer version knows', () => {
    const foreign = failureFrom({ kind: 'solar-flare', strength: 9 });
    expect(explain(foreign).what).toContain('solar-flare');
    expect(explain(failureFrom({ kind: 'constructor' })).what).toContain('constructor');
  });

  it('explains a record that lacks what its kind promises', () => {
    for (const { kind } of allFailures) {
      const { what, why, do: remedy } = explain(failureFrom({ kind }));
      expect([what, why, remedy].every((outputSentence) => outputSentence !== '')).toBe(true);
    }
  });
});

describe('one line', () => {
  it('is cut with an ellipsis where it is too long', () => {
    expect(oneLine(failures['no-changes'], 20)).toBe('The agent finished…');
  });

  it('is left alone where it fits', () => {
    expect(oneLine(failures['no-changes'], 60)).toBe('The agent finished but made no changes.');
  });

  it('never exceeds its width and counts characters, not bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 60 }),
        (message, width) => {
          const line = oneLine({ kind: 'agent-gave-up', message }, width);
          expect(widthOf(line)).toBeLessThanOrEqual(width);
          const whole = visibleLine(explain({ kind: 'agent-gave-up', message }).what);
          expect(line === whole || line.endsWith('…')).toBe(true);
        },
      ),
    );
  });

  it('keeps as many wide letters as there is room for', () => {
    expect(oneLine({ kind: 'other', message: '作業が失敗しました' }, 7)).toBe('作業が…');
  });
});
