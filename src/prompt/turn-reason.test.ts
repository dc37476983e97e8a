import { describe, expect, it } from 'vitest';
import type { TurnReason } from '../model/attempt.ts';
import { noEvidence } from '../model/evidence.ts';
import type { Failure } from '../model/failure.ts';
import type { Finding } from '../model/finding.ts';
import type { ReviewRound } from '../model/review.ts';
import { newTask } from '../model/task.ts';
import { type TurnReasonInput, turnReasonText } from './turn-reason.ts';

const signals = { complete: 'READY', giveUp: 'STOP' };
const coClaim = newTask({
  id: 'b',
  title: 'Fix the door',
  body: 'It squeaks.',
  checks: ['try the door'],
});
const text = (turnReason: TurnReason, more: Partial<TurnReasonInput> = {}): string =>
  turnReasonText(turnReason, { target: 'main', signals, coClaims: [], ...more });
const hurdle: Failure = { kind: 'provider-unreachable', agent: 'mine', message: 'no route' };

describe('the reason for a turn', () => {
  it('is the evidence for returned work', () => {
    const failure: Failure = { kind: 'no-changes', tail: '' };
    expect(text({ id: 'returned', failure })).toBe(
      '# Your work came back\n\nThe last turn changed nothing in the worktree.\n\nYour earlier work is still in the worktree: continue from there.',
    );
  });

  it('is the answer of a person, or that nobody answered', () => {
    const question = 'Which port?';
    expect(text({ id: 'answer', question, text: '8080' })).toContain(
      'You asked:\n\n```\nWhich port?\n```\n\nA person answers:\n\n```\n8080\n```',
    );
    const none = text({ id: 'answer', question, text: 'Nobody answered within 5m.', by: 'run' });
    expect(none).toContain('```\n\nNobody answered within 5m.\n\n');
    expect(none).not.toContain('A person');
  });

  it('says that a person worked there, and repeats the reason of the interrupted turn', () => {
    expect(text({ id: 'attached' })).toMatch(
      /^# A person worked in this worktree\n\n.*keep their changes/,
    );
    const before: TurnReason = { id: 'rejected', reason: 'Too slow.' };
    expect(text({ id: 'attached', before })).toContain(text(before));
  });

  it('names the failed tree, how to reproduce the failure, and what changed on the target', () => {
    const failure: Failure = {
      kind: 'gate-red',
      where: 'candidate',
      command: 'npm test',
      exit: 1,
      evidence: noEvidence,
      tail: 'expected 2',
      log: 'gate.log',
    };
    const about = { onto: 'abc', log: 'abc Rename total\n', stat: ' cart.js | 2 +-\n' };
    const said = text(
      { id: 'returned', failure },
      { merged: { ...about, id: 'clean', commit: 'm' } },
    );
    expect(said).toMatch(
      /main is merged into your branch, so this worktree is the tree that failed/,
    );
    expect(said).toMatch(/To reproduce it, run in this worktree:\n\n```\nnpm test\n```/);
    expect(said).toMatch(/landed on main since you started.*:\n\n```\nabc Rename total\n```/);
    expect(said).toMatch(/What that changed:\n\n```\n cart\.js \| 2 \+-\n```/);
  });

  it('says that a merge is in progress, lists its conflicts, and explains how to drop lines of others', () => {
    const failure: Failure = { kind: 'conflict', files: ['a'], target: 'abc', branch: 'x' };
    const about = { onto: 'abc', log: '', stat: '' };
    const merged = { ...about, id: 'conflicts', files: ['a', 'b'] } as const;
    const said = text({ id: 'returned', failure }, { merged });
    expect(said).toMatch(/merge of main .* is in progress [\s\S]*conflict markers.*:\n- a\n- b/);
    expect(said).toMatch(/`git merge --abort`/);
    expect(said).toMatch(/Yard-Dropped: src\/name\.ts/);
    const none = text(
      { id: 'returned', failure },
      { merged: { ...about, id: 'none', cause: 'x' } },
    );
    expect(none).toMatch(/main could not be merged into your branch: x\./);
  });

  it('explains each conflict without markers', () => {
    const failure: Failure = { kind: 'conflict', files: ['a', 'b'], target: 'abc', branch: 'x' };
    const unmarked = [
      { path: 'b', how: 'deleted-by-them' },
      { path: 'c', how: 'deleted-by-us' },
      { path: 'd.png', how: 'changed-by-both' },
    ] as const;
    const files = ['a', 'b', 'c', 'd.png'];
    const merged = { onto: 'abc', log: '', stat: '', id: 'conflicts', files, unmarked } as const;
    const said = text({ id: 'returned', failure }, { merged });
    expect(said).toContain('in the middle):\n- a\n\nThese');
    expect(said).toContain('- b: main deleted it, you changed it; the worktree has your version\n');
    expect(said).toContain('- c: you deleted it, main changed it; the worktree has the version of');
    expect(said).toContain('- d.png: both sides changed it');
  });

  it('asks to continue after a turn without a signal, and names the signals', () => {
    const said = text({ id: 'silent', times: 1, nudge: false });
    expect(said).toMatch(/^# Continue\n/);
    expect(said).toMatch(/print READY on a line of its own; .* print STOP/);
  });

  it('asks to finish, split or give up after several such turns', () => {
    const said = text({ id: 'silent', times: 5, nudge: true });
    expect(said).toMatch(/^# Finish now\n\n5 turns in a row/);
    expect(said).toMatch(
      /- Finish: commit your work.* READY\.\n- Split: .*file the rest as follow-up tasks.*READY\.\n- Give up: .*STOP\./,
    );
  });

  it('does not ask an executor to file tasks', () => {
    expect(text({ id: 'silent', times: 5, nudge: true }, { role: 'executor' })).not.toMatch(/file/);
  });

  it('names no signals for an agent without them', () => {
    const { signals: _signals, ...rest } = { signals, target: 'main', coClaims: [] };
    const said = [false, true].map((nudge) =>
      turnReasonText({ id: 'silent', times: 1, nudge }, rest),
    );
    expect(said.join()).not.toMatch(/print/);
  });

  it('lists the result of every claim, with the text of the claimed tasks', () => {
    const results = [
      { id: 'a', claimed: false, reason: 'another attempt works on it' },
      { id: 'b', claimed: true },
      { id: 'c', claimed: false },
    ];
    expect(text({ id: 'claims', results }, { coClaims: [coClaim] })).toBe(
      [
        '# Result of your claims',
        '',
        'You asked for more tasks:',
        '- a: not claimed (another attempt works on it)',
        '- b: claimed, it is yours',
        '- c: not claimed (it is not free)',
        '',
        '# Task b: Fix the door',
        '',
        'It squeaks.',
        '',
        'In addition to the commands above, these must succeed for this task:',
        '- try the door',
        '',
        'Continue with your own task and the claimed ones in this worktree. All of it lands together.',
      ].join('\n'),
    );
  });

  it('continues with the own task if nothing was claimed', () => {
    const said = text({ id: 'claims', results: [{ id: 'a', claimed: false }] });
    expect(said).toMatch(/Continue with your own task\.$/);
  });

  it('quotes the user’s answer safely', () => {
    const said = text({ id: 'answer', question: 'Which?', text: '```\nThe first.\n# Task x' });
    expect(said).toMatch(/You asked:\n\n```\nWhich\?\n```\n/);
    expect(said).toMatch(/A person answers:\n\n````\n```\nThe first\.\n# Task x\n````\n/);
  });

  const finding = (id: string, more: Partial<Finding> = {}): Finding => ({
    id,
    severity: 'major',
    file: 'src/a.ts',
    line: 3,
    text: 'Nothing tests it.',
    ...more,
  });
  const round = (number: number, ...findings: Finding[]): ReviewRound => ({
    round: number,
    commit: `c${number}`,
    votes: [{ reviewer: 'strict', verdict: 'needs-changes', findings }],
  });

  it('lists all findings, newest round first, and asks to fix only those', () => {
    const rounds = [
      round(1, finding('old')),
      round(2, finding('b', { severity: 'note' }), finding('a')),
    ];
    expect(text({ id: 'review', rounds })).toBe(
      [
        '# Your work was reviewed and needs changes',
        '',
        'Round 2:',
        '- a (major) src/a.ts:3: Nothing tests it.',
        '- b (note) src/a.ts:3: Nothing tests it.',
        '',
        'Fix only what was requested; make no other changes or improvements. Notes need no change. If a finding is wrong, leave the code as it is and explain why in your last message.',
        '',
        'Findings of earlier rounds. They should be fixed already; do not undo the fixes:',
        '',
        'Round 1:',
        '- old (major) src/a.ts:3: Nothing tests it.',
        '',
        'Your earlier work is still in the worktree: continue from there.',
      ].join('\n'),
    );
  });

  it('has the findings of all reviewers of a round', () => {
    const [one, two] = [round(1, finding('a')), round(1, finding('b'))];
    const both = { ...one, votes: [...one.votes, ...two.votes] };
    const said = text({ id: 'review', rounds: [both] });
    expect(said).toMatch(/Round 1:\n- a .*\n- b .*\n/);
    expect(said).not.toMatch(/earlier rounds/);
  });

  it('is bounded over all rounds', () => {
    const many = Array.from({ length: 50 }, (_, at) =>
      finding(`f${at}`, { text: 'x'.repeat(900) }),
    );
    const rounds = [1, 2, 3].map((number) => round(number, ...many));
    const said = text({ id: 'review', rounds });
    expect(said.length).toBeLessThan(26_000);
    expect(said.match(/- and \d+ more/g)).toHaveLength(3);
  });

  it('names the tests that were written first, and their files', () => {
    const said = text({ id: 'tests-red', tests: ['adds', 'counts'], files: ['test/a.test.js'] });
    expect(said).toMatch(/^# Make the tests pass\n\n.*as they should:\n- adds\n- counts\n\n/);
    expect(said).toMatch(/Leave these files exactly as they are.*:\n- test\/a\.test\.js$/);
  });

  it('quotes why a person rejected the work', () => {
    const said = text({ id: 'rejected', reason: '```\nNot like this.' });
    expect(said).toMatch(/^# A person rejected your work\n\nThe reason:\n\n````\n```\nNot like/);
    expect(said).toMatch(/Fix only what they name\./);
  });

  it('asks to continue after an interruption', () => {
    const said = text({ id: 'paused', failure: hurdle });
    expect(said).toMatch(
      /interrupted because the service could not be reached\. It was not your fault/,
    );
    expect(said).not.toContain('no route');
  });

  it('repeats the reason of the interrupted turn', () => {
    const before: TurnReason = { id: 'answer', question: 'Which?', text: 'The first.' };
    const said = text({ id: 'paused', failure: hurdle, before });
    expect(said).toMatch(/# Continue where you stopped[^#]*# The answer to your question/);
  });
});
