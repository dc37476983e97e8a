import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory, folded } from '../../../test/report/agent-story.ts';
import { anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { fits } from '../../../test/report/fits.ts';
import { anAttempt, aRecord, aRun, endedPhase } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { noInk, plain } from '../format/style.ts';
import type { PauseView } from '../view/standstill.ts';
import { statusText } from './status.ts';
import { fallbackText, pauseText, untilText, waitLines } from './waiting.ts';

const shown = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`;
const { tasks, run } = folded(agentStory);
const now = 45_500;

describe('status of a run with real agents', () => {
  it('says who is paused, who stands in, what was spent, and who waits for what', () => {
    const view = viewed(tasks, run, now);
    expect(shown(statusText(view, { now, offsetMin: -60 }, plain, 100))).toMatchInlineSnapshot(`
      "
      Run r1  running  38 s  → main
      ✓ 3 landed  ■ 1 awaiting an answer  ▶ 1 working  ○ 1 ready
      anthropic paused until 01:10: quota; 1 task waits
      codex works instead of claude: 3 more successes, then claude is tried again
      Spent 25.5k tokens, $0.30; left 2.0M tokens, $19.70

      Slots
        slot  phase       for  try        agent   task  title
           1  idle
           2  idle
           3  working  500 ms  1, turn 2  gemini  slow  Do slow

      Waiting
        query  asks    3 s          Which of the two formats is meant?
          └─ ym answer query "…"
        docs   pauses  until 01:10  The quota of claude is used up until 1970-01-01 00:10 UTC.

      Next: ym answer query "…"
      "
    `);
  });

  it('names co-claimed tasks under the attempt that carries them', () => {
    const early = folded(agentStory.filter(({ seq }) => seq <= 15));
    const text = shown(
      statusText(viewed(early.tasks, early.run, 16_000), { now: 16_000 }, plain, 90),
    );
    expect(text).toMatch(/schema +claimed +by api/);
    expect(text).toMatch(/1, turn 3 +claude opus +api/);
  });

  it('shows no agents where all slots have the one of the run', () => {
    const attempt = anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 });
    const view = viewed([aRecord('api', undefined, { attempt })], aRun(), 5);
    expect(shown(statusText(view, { now: 5 }, plain, 90))).not.toContain('agent');
  });

  it('says that the run is about to end, and why', () => {
    const trouble = failures['setup-failed'];
    const ending = { ...aRun(), phase: { id: 'running', trouble } } as const;
    const text = shown(statusText(viewed([], ending, 5), { now: 5 }, plain, 120));
    expect(text).toMatch(/nothing new starts, and the run is about to end: .*npm/);
  });

  it('says which steps are paused, with one line for each cause', () => {
    const failure = failures['git-failed'];
    const pause = { failure, since: 0, until: 4_005, times: 3 };
    const pausedSteps = { 'capture a 1': pause, 'capture b 1': pause };
    const held = aRun({ pausedSteps });
    const text = statusText(viewed([aRecord('a')], held, 5), { now: 5 }, plain, 300).join('\n');
    expect(text).toContain(
      '2 steps paused: a ref or a lock is in the way; next try in 4 s. Git printed: fatal: cannot lock ref.',
    );
    const low = aRun({ pausedSteps: { gate: pause, start: { failure, since: 0, times: 1 } } });
    const all = statusText(viewed([aRecord('a')], low, 5), { now: 5 }, plain, 100).join('\n');
    expect(all).toContain('nothing new starts: a ref or a lock is in the way');
  });

  it('asks for what a person has to do before anything else', () => {
    const pause = { failure: failures['provider-auth'], since: 0, times: 1 };
    const held = aRun({ accounts: { paused: { claude: pause } } });
    const hint = statusText(viewed([aRecord('a')], held, 5), { now: 5 }, plain, 300).at(-1);
    expect(hint).toMatch(/^Next: Start `claude`/);
    const attempt = anAttempt({ id: 'asking', question: 'Which?', since: 0 });
    const asking = [aRecord('api', undefined, { attempt })];
    const over = aRun({ phase: endedPhase(5, 'question') });
    const lines = statusText(viewed(asking, over, 5), { now: 5 }, plain, 90);
    expect(lines[0]).toContain('stopped: an agent waits for an answer');
    expect(lines.at(-1)).toBe('Next: ym answer api "…", then ym resume');
  });
});

describe('status of work that waits for a person', () => {
  const failure = failures['approval-needed'];
  const state = { id: 'awaiting', commit: 'c', tree: 't', since: 0, failure } as const;
  const waiting = [aRecord('api', undefined, { attempt: anAttempt(state) })];

  it('says why and what to type', () => {
    const lines = statusText(viewed(waiting, aRun(), 5000), { now: 5000 }, plain, 100);
    expect(shown(lines)).toMatchInlineSnapshot(`
      "
      Run r1  running  5 s  → main
      ■ 1 awaiting approval

      Slots
        slot  phase  for  try  task  title
           1  idle
           2  idle

      Waiting
        api  awaits  5 s  Waits for your approval: reviewers still want changes after 3 rounds.
          └─ ym diff api, then ym approve api or ym reject api "…"

      Next: ym why api, then ym approve api or ym reject api "…"
      "
    `);
  });

  it('asks for the decision first, and to go on after it where the run has ended', () => {
    const over = aRun({ phase: endedPhase(5, 'question') });
    const hint = statusText(viewed(waiting, over, 5), { now: 5 }, plain, 200).at(-1);
    expect(hint).toBe('Next: ym why api, then ym approve api or ym reject api "…", then ym resume');
  });
});

describe('a pause in words', () => {
  const pause: PauseView = {
    account: 'claude',
    reason: 'quota',
    since: 0,
    until: 50_700_000,
    waiting: 3,
    what: '',
    do: '',
  };

  it('says until when, why and who waits', () => {
    expect(pauseText(pause, { now: 0, offsetMin: 0 })).toBe(
      'claude paused until 14:05: quota; 3 tasks wait',
    );
  });

  it('leaves out the waiting tasks if there are none, and the time if it is unknown', () => {
    const { until: _until, ...held } = pause;
    expect(pauseText({ ...held, reason: 'sign-in', waiting: 0 }, { now: 0 })).toBe(
      'claude paused until you act: sign-in',
    );
  });

  it('names the day of a time that is far away', () => {
    const until = 3 * 24 * 3600_000;
    expect(untilText(until, { now: 0, offsetMin: 0 })).toBe('until 1970-01-04 00:00');
    expect(untilText(until, { now: 0 })).toBe('for 3 d 0 h more');
  });

  it('says when the own agent gets its trial', () => {
    const view = { agent: 'codex', instead: 'claude', left: 1 };
    expect(fallbackText(view)).toBe(
      'codex works instead of claude: 1 more success, then claude is tried again',
    );
    expect(fallbackText({ ...view, left: 0 })).toBe(
      'codex works instead of claude: claude is tried next',
    );
  });
});

describe('what waits', () => {
  it('is counted where it does not fit, with questions first', () => {
    const turnReason = { id: 'silent', times: 1, nudge: false } as const;
    const many = Array.from({ length: 20 }, (_, at) =>
      aRecord(`t${at}`, undefined, { attempt: anAttempt({ id: 'between-turns', turnReason }) }),
    );
    const attempt = anAttempt({ id: 'asking', question: 'Which?', since: 0 });
    const view = viewed([...many, aRecord('last', undefined, { attempt })], aRun(), 5);
    const lines = waitLines(view, { now: 5 }, plain, 90);
    expect(lines[0]).toMatch(/^last +asks/);
    expect(lines[1]).toContain('ym answer last "…"');
    expect(lines.at(-1)).toBe('and 9 more: ym tasks');
  });

  it('is never wider than the terminal and lets no question write to it', () => {
    const esc = String.fromCharCode(27);
    fc.assert(
      fc.property(anyRecords, fc.string(), fc.integer({ min: 12, max: 90 }), (some, q, width) => {
        const question = `${esc}[2J${q}\n`;
        const attempt = anAttempt({ id: 'asking', question, since: 0 });
        const view = viewed([...some, aRecord('q', undefined, { attempt })], aRun(), 9000);
        for (const line of waitLines(view, { now: 9000 }, plain, width)) {
          expect(fits(line, width)).toBe(true);
          expect(noInk.shown(line)).not.toMatch(/[\n\r]/);
          expect(noInk.shown(line)).not.toContain(esc);
        }
      }),
    );
  });
});
