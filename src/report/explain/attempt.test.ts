import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { settableKeys } from '../../config/keys.ts';
import { noEvidence } from '../../model/evidence.ts';
import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const text = (kind: Failure['kind']): string => {
  const { what, why, do: remedy, exit } = explain(failures[kind], 'search');
  return `${what}\n${why}\n${remedy}\n(${exit})`;
};

describe('a try that did not work out', () => {
  it('is explained: worktree-failed', () => {
    expect(text('worktree-failed')).toMatchInlineSnapshot(`
      "Could not create a worktree: No space left on device.
      Each attempt needs its own worktree.
      Free some disk space; \`ym prune\` lists what can be deleted. The run continues by itself, or with \`ym resume\`.
      (1)"
    `);
  });

  it('is explained: setup-failed', () => {
    expect(text('setup-failed')).toMatchInlineSnapshot(`
      "The setup command "npm ci" failed (exit 1).
      It printed: ENOTFOUND.
      Fix what this command reports, or change \`worktree.setup\` in yardmaster.yaml and commit that. \`ym verify\` runs it and the gate in a fresh worktree; \`ym resume\` continues a run that it has ended. The full output is in .git/yardmaster/runs/r1/attempts/search-1/setup-1.out.
      (3)"
    `);
  });

  it('is explained: worker-unfit', () => {
    expect(text('worker-unfit')).toMatchInlineSnapshot(`
      "The worker w1 answered with landed for capture.
      Nothing of that answer was stored, and the run gives this worker nothing more.
      End that worker, and start one with another \`--name\` and \`--dir\`.
      (3)"
    `);
  });

  it('is explained: workers-failed', () => {
    expect(text('workers-failed')).toMatchInlineSnapshot(`
      "The workers w1 and w2 each had an internal error with this task. The last one: TypeError: x is not a function.
      This is a bug in Yardmaster that the task triggers. It counts as a failure of the task, so the run does not lose one worker after the other.
      Please report it with the output of \`ym events --json\`, which has the whole error.
      (1)"
    `);
  });

  it('is explained: agent-not-started', () => {
    expect(text('agent-not-started')).toMatchInlineSnapshot(`
      "Could not start the agent "./agent.sh": EACCES.
      The program is missing or not executable.
      Check it with \`ym doctor\`.
      (1)"
    `);
  });

  it('is explained: agent-exited', () => {
    expect(text('agent-exited')).toMatchInlineSnapshot(`
      "The agent exited with status 3.
      It printed: two / three / four.
      Read \`ym log search\` for its full output.
      (1)"
    `);
  });

  it('is explained: agent-gave-up', () => {
    expect(text('agent-gave-up')).toMatchInlineSnapshot(`
      "The agent gave up: The API is not documented.
      It reported that it cannot do the task as described.
      Read \`ym log search\`; make the task clearer or smaller, then \`ym retry search\`.
      (1)"
    `);
  });

  it('is explained: agent-lost', () => {
    expect(text('agent-lost')).toMatchInlineSnapshot(`
      "The agent of turn 2 is gone: it is not running and left no exit status.
      It was killed, or the machine went down, while Yardmaster was not running.
      No action needed: the turn is repeated; \`ym log search\` shows its output.
      (1)"
    `);
  });

  it('is explained: no-changes', () => {
    expect(text('no-changes')).toMatchInlineSnapshot(`
      "The agent finished but made no changes.
      It printed: All is well already.
      Read \`ym log search\`. If nothing was left to do, type \`ym skip search\`; else it may be tried again.
      (1)"
    `);
  });

  it('is explained: limit-crossed', () => {
    expect(text('limit-crossed')).toMatchInlineSnapshot(`
      "The agent printed nothing for 15 m 00 s and was stopped.
      It printed nothing, so it may have hung.
      Read \`ym log search\`; the limit is \`limits.agent_idle\` in yardmaster.yaml.
      (1)"
    `);
  });

  it('is explained: gate-red', () => {
    expect(text('gate-red')).toMatchInlineSnapshot(`
      "\`npm test\` failed (exit 1) after merging with the target.
      It printed: 1 failed, 41 passed.
      Read .git/yardmaster/runs/r1/gate.log, or type \`ym log search --gate\`; \`ym diff search\` shows the work.
      (1)"
    `);
  });

  it('names the failing tests of a red gate, and shows their messages', () => {
    const evidence = {
      failures: ['adds', 'sorts', 'counts', 'prints'].map((name) => ({
        name: `total > ${name}`,
        message: `expected ${name}\n\n  at total.test.ts:3`,
      })),
      unlisted: 2,
      signs: [],
      head: '',
    };
    const log = `/state/${'deep/'.repeat(100)}gate.out`;
    const red = { ...failures['gate-red'], evidence, log };
    const { what, why, do: remedy, output } = explain(red, 'search');
    expect(what).toBe(
      '`npm test` failed (exit 1) after merging with the target: total > adds; total > sorts; total > counts; and 3 more.',
    );
    expect(why).toBe('total > adds: expected adds / at total.test.ts:3.');
    expect(remedy).toContain(log);
    expect(output?.slice(0, 3)).toEqual([
      'total > adds',
      '    expected adds',
      '      at total.test.ts:3',
    ]);
    expect(output?.at(-1)).toBe('and 2 more');
    const target = explain({ ...failures['target-red'], evidence });
    expect(target.what).toMatch(
      /^The target itself fails the gate at \w+: total > adds; .* and 3 more\.$/,
    );
    expect(target.output).toEqual(output);
  });

  it('is explained: command-missing', () => {
    expect(text('command-missing')).toMatchInlineSnapshot(`
      "The gate cannot run on the target: the command \`tsd\`, which \`npm test\` runs, was not found.
      The project's dependencies are probably not installed in the gate's worktree.
      Install what the gate needs with \`worktree.setup\` in yardmaster.yaml, for example \`npm ci\`. Check it with \`ym verify\`; \`ym resume\` continues a run that it has ended. The full output is in .git/yardmaster/runs/r1/gate.log.
      (3)"
    `);
  });

  it('says that the gate itself is missing only where its own first word is', () => {
    const own = explain({
      ...failures['command-missing'],
      command: 'CI=1 jusst test',
      missing: 'jusst',
    });
    expect(own.what).toBe('The gate cannot run on the target: command `jusst` not found.');
    expect(own.do).not.toContain('worktree.setup');
    const unknown = explain({ ...failures['command-missing'], missing: '' });
    expect(unknown.what).toContain('a command, which `npm test` runs, was not found');
  });

  it('suggests the set-up where a command is missing on a branch', () => {
    const evidence = { ...noEvidence, failures: [{ name: '`tsd` was not found', message: '' }] };
    const { what, do: remedy } = explain({ ...failures['gate-red'], exit: 127, evidence });
    expect(what).toContain('`tsd` was not found');
    expect(remedy).toContain('worktree.setup');
  });

  it('is explained: gate-not-run', () => {
    expect(text('gate-not-run')).toMatchInlineSnapshot(`
      "The gate could not run on the branch: npm is not installed.
      Work without a gate result never lands.
      Fix the cause and check the gate with \`ym verify\`; \`ym resume\` continues a run that it has ended. The commands are \`gate.commands\` in yardmaster.yaml.
      (3)"
    `);
  });

  it('is explained: conflict', () => {
    expect(text('conflict')).toMatchInlineSnapshot(`
      "Conflicts with main in src/a.ts, src/b.ts.
      The target and yard/r1/api-1 changed the same lines or files.
      See the work with \`ym diff search\`. Type \`ym resolve search\` to resolve it yourself, or \`ym retry search\` to start over from the new target; the old work stays on its branch.
      (1)"
    `);
  });

  it.each([
    ['agent', 'wall', 'limits.agent_wall'],
    ['agent', 'start', 'limits.agent_start'],
    ['agent', 'output', 'limits.output'],
    ['agent', 'linger', 'limits.agent_linger'],
    ['gate', 'wall', 'gate.timeout'],
    ['gate', 'output', 'limits.output'],
  ] as const)('names the key of the %s limit of kind %s', (phase, limit, key) => {
    const crossed = { kind: 'limit-crossed', phase, limit, value: 5000, tail: '' } as const;
    expect(explain(crossed).do).toContain(`\`${key}\``);
    expect(settableKeys.map((known) => known.key)).toContain(key);
  });

  it('names no key for a line that nobody could mean', () => {
    const value = 16 * 1024 * 1024;
    const explained = explain({
      kind: 'limit-crossed',
      phase: 'agent',
      limit: 'line',
      value,
      tail: '',
    });
    expect(explained.what).toBe('The agent printed a line of more than 16 MiB and was stopped.');
    expect(explained.do).toBe('Read `ym log ID`.');
  });

  it('is explained: agent-stuck', () => {
    expect(text('agent-stuck')).toMatchInlineSnapshot(`
      "The agent ended 6 turns without saying whether it is done.
      It was asked one last time and still did not say.
      Read \`ym log search\`; make the task clearer or smaller, then \`ym retry search\`. If a clean exit is enough, set \`done: exit\` for this agent.
      (1)"
    `);
  });

  it('is explained: claims-endless', () => {
    expect(text('claims-endless')).toMatchInlineSnapshot(`
      "The agent asked for more tasks 20 times and finished none.
      An attempt may ask for tasks only a limited number of times.
      Read \`ym log search\`; make the task clearer, then \`ym retry search\`.
      (1)"
    `);
  });

  it('is explained: question-open', () => {
    expect(text('question-open')).toMatchInlineSnapshot(`
      "Its agent asks: Which of the two formats is meant?
      It cannot continue without an answer; its conversation is kept until then.
      Type \`ym answer search "…"\`.
      (1)"
    `);
    const explained = explain({ kind: 'question-open', question: 'Tell me more' });
    expect(explained.what).toBe('Its agent asks: Tell me more.');
  });

  it('is explained: question-unanswered', () => {
    expect(text('question-unanswered')).toMatchInlineSnapshot(`
      "Nobody answered its agent within 30 m 00 s: Which of the two formats is meant?
      \`ask.on_timeout\` is \`block\`: the task is blocked after \`ask.timeout\`. Its work is kept on its branch.
      Put the answer into the task with \`ym edit search\` or \`ym tell search "…"\`, then type \`ym unblock search\`.
      (1)"
    `);
  });

  it('shortens the commit that a conflict is with', () => {
    const files = ['a'];
    const conflict = { kind: 'conflict', files, target: 'c'.repeat(40), branch: 'b' } as const;
    expect(explain(conflict).what).toBe('Conflicts with ccccccc in a.');
  });

  it('is explained: target-red', () => {
    expect(text('target-red')).toMatchInlineSnapshot(`
      "The target itself fails the gate at bbbbbbbbbbbb.
      It printed: FAIL src/a.test.ts.
      Read .git/yardmaster/runs/r1/verify.log, fix the target, check it with \`ym verify\`, then type \`ym resume\`. To let agents fix it, add \`--no-preflight\`.
      (1)"
    `);
  });

  it('says that the gate on the target crossed a limit of time', () => {
    const explained = explain({ ...failures['target-red'], limit: { id: 'wall', value: 3_000 } });
    expect(explained.what).toBe(
      'The target itself fails the gate at bbbbbbbbbbbb: the gate did not finish within 3 s.',
    );
    expect(explained.do).toContain('raise `gate.timeout` in yardmaster.yaml');
  });

  it('offers to skip the preflight only where that was in the way', () => {
    const explained = explain({ ...failures['target-red'], checked: 'blame' });
    expect(explained.do).not.toContain('--no-preflight');
  });

  it.each([
    ['Your local changes to the following files', 'Uncommitted changes', 'Commit or stash them'],
    ['The following untracked working tree files', 'Untracked files', 'Move them'],
  ])('names the files that are in the way first: %s', (begin, what, remedy) => {
    const cause = `error: ${begin} would be overwritten by merge:\n\tsrc/a.ts\n\tb c.txt\nAborting`;
    const explained = explain({ kind: 'checkout-in-the-way', dir: '/somewhere', cause });
    expect(explained.what).toBe(`${what} are in the way of landing: src/a.ts, b c.txt.`);
    expect(explained.do).toMatch(new RegExp(`^${remedy}.* in /somewhere;`));
  });

  it('is explained: checkout-locked, by a known process, an unknown one and another run', () => {
    const locked = failures['checkout-locked'];
    expect(explain(locked)).toMatchObject({
      what: expect.stringContaining('locked for 1 m 01 s by process 12'),
      do: expect.stringContaining('Let process 12 finish.'),
    });
    const { pid: _pid, ...unknown } = locked;
    expect(explain(unknown)).toMatchObject({
      why: expect.stringContaining('index.lock exists and is not ours'),
      do: expect.stringContaining('remove /somewhere/.git/index.lock'),
    });
    const ours = explain({ ...locked, isOurs: true });
    expect(ours.what).toContain('Process 12 of another run is updating');
    expect(ours.do).not.toContain('remove');
  });

  it('is explained: checkout-in-the-way', () => {
    expect(text('checkout-in-the-way')).toMatchInlineSnapshot(`
      "Could not update the target's checkout in /somewhere: local changes to src/a.ts.
      The target is checked out there, so its files must move together with the branch.
      Fix this in /somewhere; landing is retried automatically, or with \`ym resume\` if the run has ended.
      (1)"
    `);
  });

  it('is explained: interrupted', () => {
    expect(text('interrupted')).toMatchInlineSnapshot(`
      "Interrupted by ym stop --now.
      The agent was stopped before it finished. Any changes it made are kept, and this does not count as a failure.
      Type \`ym resume\` to continue.
      (4)"
    `);
  });

  it('is explained: parent-stuck', () => {
    expect(text('parent-stuck')).toMatchInlineSnapshot(`
      "Waits for api, which is failed.
      A task starts only after everything it depends on has landed, and api will not land without you.
      See \`ym why api\`; then \`ym retry api\`, or \`ym skip api\` to continue without it.
      (1)"
    `);
  });

  it('is explained: blocked-by-person', () => {
    expect(text('blocked-by-person')).toMatchInlineSnapshot(`
      "Blocked by a person: Waits for the wording.
      It was blocked with \`ym block\`.
      When it may continue, type \`ym unblock search\`.
      (1)"
    `);
  });

  it('is explained: canceled-by-person', () => {
    expect(text('canceled-by-person')).toMatchInlineSnapshot(`
      "Canceled by a person: no reason was given.
      It was canceled with \`ym cancel\`.
      If you want it after all, type \`ym retry search\`.
      (1)"
    `);
  });

  it('is explained: returned-too-often', () => {
    expect(text('returned-too-often')).toMatchInlineSnapshot(`
      "Not landed after 3 agent starts. Last failure: conflicts with main in a.
      The target and yard/r1/api-1 changed the same lines or files. The retries of this run are used up, so you have to decide.
      See the work with \`ym diff search\`. Type \`ym resolve search\` to resolve it yourself, or \`ym retry search\` to start over from the new target; the old work stays on its branch.
      (1)"
    `);
  });

  it('is explained: failed-too-often', () => {
    expect(text('failed-too-often')).toMatchInlineSnapshot(`
      "Failed 1 time. Last failure: the agent was killed by SIGKILL.
      It was not killed by Yardmaster. The system kills processes when memory runs out. It printed nothing. After this many failures in a row, a task is not retried until you decide.
      Read \`ym log search\` for its full output. Then type \`ym retry search\`.
      (1)"
    `);
  });

  it('is explained: internal', () => {
    expect(text('internal')).toMatchInlineSnapshot(`
      "Internal error: queue is empty.
      This is a bug in Yardmaster, not in your project or your agents.
      Please report it with the output of \`ym doctor --json\`; \`ym resume\` continues the run.
      (70)"
    `);
  });

  it('is explained: other', () => {
    expect(text('other')).toMatchInlineSnapshot(`
      "No reason was recorded.
      Nothing more was recorded.
      See \`ym log ID\` and \`ym doctor\`.
      (1)"
    `);
  });
});
