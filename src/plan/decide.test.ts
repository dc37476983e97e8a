import { describe, expect, test } from 'vitest';
import { crash, owner, red, Story, task } from '../../test/story.ts';
import { noEvidence } from '../model/evidence.ts';
import { limits } from '../model/limits.ts';

describe('a run that nothing disturbs', () => {
  test('walks one task from claim to landing, one command after the other', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 });
    const of = { run: 'r1', id: 'a', attempt: 1 };
    expect(story.commands()).toEqual(['claim a 1']);
    story.tell({
      type: 'attempt-started',
      ...of,
      slot: 1,
      fence: 1,
      agent: 'scripted',
      branch: 'yard/r1/a-1',
    });
    expect(story.commands()).toEqual(['prepare a 1']);
    story.tell({
      type: 'worktree-ready',
      ...of,
      worktree: { id: 'w', dir: '/w' },
      base: 'base',
    });
    expect(story.commands()).toEqual(['begin-turn a 1']);
    story.turn('a');
    expect(story.commands()).toEqual(['run-turn a 1']);
    story.turnEnds('a', { ok: true, tail: '' });
    expect(story.commands()).toEqual(['capture a 1']);
    story.tell({ type: 'work-captured', ...of, commit: 'x', tree: 't', by: 'agent' });
    expect(story.commands()).toEqual(['begin-branch-gate a 1']);
    story.tell({ type: 'branch-gate-started', ...of, tree: 't', gateSlot: 0 });
    expect(story.commands()).toEqual(['judge-branch a 1']);
    story.judged('a', true);
    expect(story.commands()).toEqual(['build-candidate a']);
    story.built('a');
    expect(story.commands()).toEqual(['begin-gate c1']);
    story.gatesBegin();
    expect(story.commands()).toEqual(['judge-candidate c1']);
    story.candidateJudged(true);
    expect(story.commands()).toEqual(['land c1']);
    story.lands();
    expect(story.commands()).toEqual(['end-run drained']);
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    expect(story.commands()).toEqual([]);
  });

  test('gives a freed slot to the next task while a branch waits for the train', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1 });
    story.queued('a');
    expect(story.commands()).toEqual(['build-candidate a', 'claim b 1']);
  });

  test('takes the more important task first, then the one with the longest way behind it', () => {
    const story = new Story()
      .tasks(
        task('plain'),
        task('head'),
        task('tail', { after: ['head'] }),
        task('urgent', { priority: 0 }),
      )
      .start({ jobs: 3 });
    expect(story.commands()).toEqual(['claim urgent 1', 'claim head 1', 'claim plain 1']);
  });

  test('leaves tasks out of scope alone', () => {
    const story = new Story((candidate) => candidate.id === 'b').tasks(task('a'), task('b'));
    expect(story.start().commands()).toEqual(['claim b 1']);
  });

  test('waits with new attempts while the pool of worktrees is full', () => {
    const story = new Story().tasks(task('a'), task('b'), task('c')).start({ jobs: 1, pool: 2 });
    story.queued('a').queued('b');
    expect(story.commands()).toEqual(['build-candidate a']);
  });
});

describe('work that comes back', () => {
  test('a red branch goes back to its own agent with the evidence, before any new task', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1 });
    story.prepared('a').works('a').judged('a', false);
    expect(story.commands()).toEqual(['judge-target base', 'claim b 1']);
    story.targetJudged(true);
    expect(story.commands()).toEqual(['begin-turn a 1']);
    story.turn('a');
    expect(story.decide().commands[0]).toMatchObject({
      type: 'run-turn',
      turn: 2,
      turnReason: { id: 'returned', failure: red },
    });
  });

  test('a red candidate goes back to its agent, and the merge queue continues with the next', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 2 });
    story.queued('a', 1).queued('b', 2).built('a').candidateJudged(false).targetJudged(true);
    expect(story.commands()).toEqual(['merge-target a 1', 'build-candidate b']);
  });

  test('a target that is red itself ends the run and blames no task', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1 });
    story.prepared('a').works('a').judged('a', false).targetJudged(false);
    expect(story.commands()).toEqual(['give-up a 1']);
    const failure = {
      kind: 'target-red',
      commit: 'base',
      checked: 'blame',
      evidence: noEvidence,
      tail: '',
      log: '',
    } as const;
    const of = { run: 'r1', id: 'a', attempt: 1 };
    story.tell({ type: 'attempt-given-up', ...of, failure });
    story.tell({ type: 'attempt-failed', ...of, failure, kept: 'yard/r1/a-1' });
    expect(story.commands()).toEqual(['end-run environment']);
    expect(story.decide().commands).toMatchObject([
      { stop: { failure: { kind: 'target-red', commit: 'base' } } },
    ]);
    const untouched = { failures: 0, status: { id: 'open' }, starts: 0 };
    expect(story.task('a')).toMatchObject(untouched);
    story.tell(
      { type: 'run-ended', run: 'r1', stop: { reason: 'environment' } },
      { type: 'run-resumed', run: 'r1', owner: { pid: 2, startedAt: 'now', host: 'here' } },
    );
    expect(story.commands()).toEqual(['claim a 2']);
  });

  test('trouble that does not pass parks the train and brings the run to an orderly end', () => {
    const story = new Story().tasks(task('a'), task('b'), task('c')).start({ jobs: 2 });
    story.queued('a', 1).prepared('b', 2).turn('b', 2);
    const failure = { kind: 'target-missing', branch: 'main' } as const;
    const target = { run: 'r1', commit: 'x', tree: 't', gate: 'g' };
    story.tell({ type: 'target-judged', ...target, verdict: { id: 'not-run', failure } });
    expect(story.commands()).toEqual(['run-turn b 1']);
    story.turnEnds('b', { ok: true, tail: '' });
    const of = { run: 'r1', id: 'b', attempt: 1 };
    story.tell({ type: 'work-captured', ...of, commit: 'x', tree: 't', by: 'agent' });
    story.judged('b', true);
    expect(story.decide().commands).toEqual([
      { type: 'end-run', stop: { reason: 'environment', failure }, seen: { tip: 'base' } },
    ]);
    story.tell(
      { type: 'run-ended', run: 'r1', stop: { reason: 'environment', failure } },
      { type: 'run-resumed', run: 'r1', owner: { pid: 2, startedAt: 'now', host: 'here' } },
    );
    expect(story.commands()).toEqual(['build-candidate a', 'claim c 1']);
  });

  test('a target is judged once, and one that we landed ourselves is not judged at all', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1 }).targetJudged(true);
    story.prepared('a').works('a').judged('a', false);
    expect(story.commands()).toEqual(['begin-turn a 1']);
    const landed = new Story().tasks(task('a'), task('b')).start({ jobs: 1 }).landed('a');
    landed.prepared('b', 1, 'landing-a').works('b').judged('b', false);
    expect(landed.commands()).toEqual(['begin-turn b 1']);
  });

  test('after the last start it is given up, saved, and blocked with the reason', () => {
    const story = new Story().tasks(task('a'), task('child', { after: ['a'] }));
    story.start({ jobs: 1, retries: 1 }).targetJudged(true);
    story.prepared('a').works('a').judged('a', false).works('a').judged('a', false);
    expect(story.commands()).toEqual(['give-up a 1']);
    const of = { run: 'r1', id: 'a', attempt: 1 };
    story.tell({ type: 'attempt-given-up', ...of, failure: red });
    expect(story.commands()).toEqual(['save a 1']);
    story.tell({ type: 'attempt-failed', ...of, failure: red, kept: 'yard/r1/a-1' });
    expect(story.task('a').status).toEqual({
      id: 'blocked',
      failure: { kind: 'returned-too-often', times: 2, last: red },
    });
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('a candidate whose target was moved by someone else queues again', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 });
    story.queued('a').built('a').candidateJudged(true);
    story.tell({
      type: 'candidate-dropped',
      run: 'r1',
      candidate: 'c1',
      reason: { id: 'target-moved', to: 'other' },
    });
    expect(story.commands()).toEqual(['build-candidate a']);
  });

  test('a landing that is in the way waits, is tried again, and at last ends the run', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 });
    story.queued('a').built('a').candidateJudged(true);
    const failure = { kind: 'checkout-in-the-way', dir: '/user', cause: 'edits' } as const;
    const until = story.now + 100;
    story.tell({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until });
    expect(story.commands()).toEqual([]);
    expect(story.decide().wakeAt).toBe(until);
    story.now = until;
    expect(story.commands()).toEqual(['land c1']);
    const later = story.now + limits.machinePatienceMs * 2;
    story.tell({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until: later });
    story.now += limits.machinePatienceMs;
    expect(story.commands()).toEqual(['end-run environment']);
    story.tell(
      { type: 'run-ended', run: 'r1', stop: { reason: 'environment' } },
      { type: 'run-resumed', run: 'r1', owner: { pid: 2, startedAt: 'now', host: 'here' } },
    );
    expect(story.commands()).toEqual(['land c1']);
  });
});

describe('errors', () => {
  test('an attempt whose agent broke is saved, and the task starts afresh', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 });
    story.prepared('a').turn('a').turnEnds('a', { ok: false, failure: crash });
    expect(story.commands()).toEqual(['save a 1']);
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure: crash });
    expect(story.commands()).toEqual(['claim a 2']);
  });

  test('an attempt that never got to its agent counts as well', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, retries: 0 }).prepared('a');
    const failure = { kind: 'conflict', files: [], target: 't', branch: 'b' } as const;
    const of = { run: 'r1', id: 'a', attempt: 1 };
    story.tell({ type: 'attempt-given-up', ...of, failure });
    story.tell({ type: 'attempt-failed', ...of, failure });
    expect(story.task('a').status).toMatchObject({ id: 'blocked', failure: { last: failure } });
  });

  test('quarantines a task that failed too often in a row', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, retries: 9, slotErrors: 99 });
    story.errs('a').errs('a').errs('a');
    expect(story.task('a').status).toMatchObject({ id: 'quarantined', failure: { times: 3 } });
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('a slot with too many errors in a row takes no more work; a success in between counts from nothing', () => {
    const tasks = ['a', 'b', 'c', 'd', 'e'].map((id) => task(id));
    const story = new Story().tasks(...tasks).start({ jobs: 2, retries: 0, slotErrors: 2 });
    story.errs('a', 1).landed('b', 1).errs('c', 1);
    expect(story.commands()).toEqual(['claim d 1', 'claim e 1']);
    story.errs('d', 1);
    const claims = story.decide().commands.filter((command) => command.type === 'claim');
    expect(claims).toMatchObject([{ id: 'e', slot: 2 }]);
  });

  test('when every slot is closed the run stops, although tasks are ready', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1, slotErrors: 1 });
    story.errs('a');
    expect(story.commands()).toEqual(['end-run slot-errors']);
  });
});

describe('what a person says', () => {
  test('canceling a running task ends its agent and keeps its work', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).prepared('a').turn('a');
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: 'no' } });
    expect(story.commands()).toEqual(['run-turn a 1', 'interrupt a 1']);
    const failure = { kind: 'interrupted', by: 'a person' } as const;
    story.turnEnds('a', { ok: false, failure });
    expect(story.commands()).toEqual(['save a 1']);
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    expect(story.task('a').status.id).toBe('canceled');
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('canceling a queued task removes its branch from the merge queue', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1 }).queued('a');
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: 'no' } });
    expect(story.commands()).toEqual(['give-up a 1']);
  });

  test('skipping a task lets its children start', () => {
    const story = new Story().tasks(task('a'), task('b', { after: ['a'] })).start({ jobs: 1 });
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'skip', reason: 'done' } });
    expect(story.commands()).toEqual(['claim b 1']);
  });

  test('retrying wipes the slate of a quarantined task', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, retries: 9, slotErrors: 99 });
    story.errs('a').errs('a').errs('a');
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'retry' } });
    expect(story.commands()).toEqual(['claim a 4']);
  });

  test('asked to finish, it starts nothing new but lands what is under way', () => {
    const story = new Story().tasks(task('a'), task('b'), task('c')).start({ jobs: 3 });
    story.queued('a', 1).prepared('b', 2).turn('b', 2).prepared('c', 3);
    story.tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'Ctrl-C' });
    expect(story.commands()).toEqual(['run-turn b 1', 'build-candidate a']);
    story.built('a').candidateJudged(true).lands();
    story.turnEnds('b', { ok: true, tail: '' });
    expect(story.commands()).toEqual(['capture b 1']);
  });

  test('asked to end now, it halts all children, saves what they made, and stops', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 2 });
    story.queued('a', 1).prepared('b', 2).turn('b', 2);
    story.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'Ctrl-C' });
    expect(story.commands()).toEqual(['halt', 'run-turn b 1']);
    const failure = { kind: 'interrupted', by: 'Ctrl-C' } as const;
    story.turnEnds('b', { ok: false, failure });
    expect(story.commands()).toEqual(['halt', 'save b 1']);
    story.tell({ type: 'attempt-failed', run: 'r1', id: 'b', attempt: 1, failure });
    expect(story.commands()).toEqual(['halt', 'end-run canceled']);
  });

  test('asked to end now during a gate, it leaves the branch in the queue and no gate at work', () => {
    const story = new Story().tasks(task('a')).start().queued('a').built('a').gatesBegin();
    expect(story.task('a').attempt?.state.id).toBe('landing');
    story.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'Ctrl-C' });
    expect(story.commands()).toEqual(['halt', 'end-run canceled']);
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'canceled' } });
    expect(story.task('a').attempt?.state.id).toBe('queued');
    expect(story.record()).toMatchObject({ train: { candidates: [], runningGates: [] } });
    story.tell({ type: 'run-resumed', run: 'r1', owner });
    expect(story.commands()).toEqual(['build-candidate a']);
  });

  test('a resumed run continues what it had, and gives back the interrupted start', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 2, retries: 0 });
    story.queued('a', 1).prepared('b', 2).turn('b', 2);
    story.tell({ type: 'stop-asked', run: 'r1', how: 'now', by: 'Ctrl-C' });
    const failure = { kind: 'interrupted', by: 'Ctrl-C' } as const;
    story.turnEnds('b', { ok: false, failure });
    story.tell(
      { type: 'attempt-failed', run: 'r1', id: 'b', attempt: 1, failure },
      { type: 'run-ended', run: 'r1', stop: { reason: 'canceled' } },
      { type: 'run-resumed', run: 'r1', owner: { pid: 2, startedAt: 'now', host: 'here' } },
    );
    expect(story.commands()).toEqual(['build-candidate a', 'claim b 2']);
  });
});

describe('budgets', () => {
  test('attempts are reserved before they start', () => {
    const story = new Story().tasks(task('a'), task('b'), task('c'));
    story.start({ jobs: 3, maxAttempts: 2 });
    expect(story.commands()).toEqual(['claim a 1', 'claim b 1']);
    story.prepared('a', 1);
    expect(story.commands()).toEqual(['begin-turn a 1', 'claim b 1']);
  });

  test('a run whose attempts are used up lands what it has and stops', () => {
    const story = new Story().tasks(task('a'), task('b')).start({ jobs: 1, maxAttempts: 1 });
    story.queued('a');
    expect(story.commands()).toEqual(['build-candidate a']);
    story.built('a').candidateJudged(true).lands();
    expect(story.commands()).toEqual(['end-run max-attempts']);
  });

  test('a run that used its last attempt for its last task is drained', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, maxAttempts: 1 }).landed('a');
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('the wall budget ends what runs, and is known beforehand', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, wallMs: 500 });
    const deadline = story.now + 500;
    story.prepared('a').turn('a');
    expect(story.decide().wakeAt).toBe(deadline);
    story.now = deadline;
    expect(story.commands()).toEqual(['halt', 'run-turn a 1']);
  });
});
