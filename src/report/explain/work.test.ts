import { describe, expect, it } from 'vitest';
import { allTamperings, allViolations } from '../../../test/report/any-work.ts';
import { failures } from '../../../test/report/failures.ts';
import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const explained = (failure: Failure): string => {
  const { what, why, do: remedy, details = [], exit } = explain(failure, 'search');
  return [what, ...details.map((line) => `- ${line}`), why, remedy, `(${exit})`].join('\n');
};

describe('work that is not let through', () => {
  it('names the commits that changed the files in conflict', () => {
    const target = 'c'.repeat(40);
    const what = (...lines: string[]) =>
      explain({ kind: 'conflict', files: ['a'], target, branch: 'b', changedBy: lines.join('\n') })
        .what;
    expect(what('1111111 one')).toBe('Conflicts with 1111111 in a.');
    expect(what('2222222 two', '1111111 one')).toBe(
      'Conflicts with the target in a, which 2222222 and 1111111 changed.',
    );
    expect(what('3333333 three', '2222222 two', '1111111 one')).toBe(
      'Conflicts with the target in a, which 3333333, 2222222 and others changed.',
    );
  });

  it('is explained, whatever is the matter with it', () => {
    const kinds = [
      'rules-broken',
      'tampered',
      'review-failed',
      'critique-unsettled',
      'target-taken',
      'delivery-failed',
      'approval-needed',
    ] as const;
    const text = kinds.map((kind) => explained(failures[kind])).join('\n\n');
    expect(text).toMatchInlineSnapshot(`
      "The work breaks 1 rule: a.test.ts is a test and was deleted: restore it.
      The rules come from the target; an attempt cannot change them for itself.
      Look at \`ym diff search\`, then type \`ym retry search\` to have an agent start over; the old work stays on its branch.
      (1)

      The git hook pre-commit was added, changed or removed.
      It changed while the agent was running, and an agent may only change its own worktree.
      Undo what you did not change yourself, read \`ym log search\`, then type \`ym retry search\`.
      (1)

      The agent codex gave no verdict: it printed no verdict.
      An answer that cannot be understood is neither approval nor rejection.
      Check the agent with \`ym doctor\` and read \`ym log search\`; yardmaster.yaml names the reviewers.
      (1)

      The task is still unclear after 3 rounds.
      - C1 major: What is a user here?
      Work on an unclear task is wasted, so none was started.
      Clarify the task in its source, then type \`ym retry search\`.
      (1)

      The agent of api moved the target itself, from aaaaaaa to bbbbbbb.
      The new commits were never tested, so nothing more lands on top of them.
      See \`git log aaaaaaa..bbbbbbb\`. Keep it, or move the branch back to aaaaaaa with git; then type \`ym resume\`.
      (1)

      Could not deliver the finished work as a pull request: gh: not signed in.
      The work is tested and kept; only the delivery failed.
      Check the remote with \`git push --dry-run\` and the sign-in with \`gh auth status\`, then type \`ym resume\`.
      (3)

      Waits for your approval: reviewers still want changes after 3 rounds.
      - F1 blocker src/a.ts:7: It drops errors
      - F2 minor: The name says little
      The work is kept; it lands only if you approve it.
      Look at \`ym diff search\`; then type \`ym approve search\` to let it land, or \`ym reject search "why"\` to send it back to its agent.
      (1)"
    `);
  });

  it.each([
    ['passed', /the gate passes with them/],
    ['no-test', /names none of them as failing/],
    ['other-tests', /^More fails than the tests that were written first: counts\.$/],
    ['too-many', /^So many tests fail that not all can be compared/],
  ] as const)('says why tests that were written first do not count: %s', (found, what) => {
    const last = { kind: 'gate-not-run', where: 'branch', cause: 'no shell' } as const;
    const explained = explain({ kind: 'tests-not-red', found, tests: ['counts'], last }, 'a');
    expect(explained.what).toMatch(what);
    expect(explained.details).toEqual(['The gate could not run on the branch: no shell.']);
    expect(explained.do).toContain('ym retry a');
  });

  it('tells of every rule that is broken, one by one', () => {
    const { what, details } = explain({ kind: 'rules-broken', violations: allViolations });
    expect(what).toBe(
      'The work breaks 14 rules: .github/ci.yml is protected (.github/**): leave it as it is, or let a person approve the change.',
    );
    expect(details).toHaveLength(allViolations.length - 1);
    expect(details?.at(-1)).toContain('src/c.ts has none of the changes');
  });

  it('tells the agent that came back too often of the rules as well', () => {
    const last = { kind: 'rules-broken', violations: allViolations.slice(0, 2) } as const;
    const { what, details } = explain({ kind: 'returned-too-often', times: 3, last });
    expect(what).toMatch(/^Not landed after 3 agent starts. Last failure: the work breaks 2 rules/);
    expect(details).toHaveLength(1);
  });

  it('tells of everything that was touched outside', () => {
    const { what, details = [] } = explain({ kind: 'tampered', found: allTamperings });
    expect([what, ...details]).toHaveLength(allTamperings.length);
  });

  it('offers to resolve a conflict, and shows what both sides did', () => {
    const { do: remedy, details } = explain(
      { ...failures.conflict, targetLog: 'abc1 rename\n\n', branchLog: 'def2 add\ndef3 more' },
      'search',
    );
    expect(remedy).toContain('`ym resolve search`');
    expect(remedy).toContain('`ym retry search`');
    expect(details).toEqual([
      'On the target: abc1 rename',
      'On the branch: def2 add',
      'On the branch: def3 more',
    ]);
    expect(explain(failures.conflict)?.details).toBeUndefined();
  });

  it.each([
    [{ exit: 7 }, 'failed (exit 7)', ''],
    [{ exit: -1 }, 'failed', ''],
    [
      { exit: -1, limit: { id: 'wall', value: 90_000 } },
      'did not finish within 1 m 30 s (`gate.timeout`)',
      ' raise `gate.timeout`,',
    ],
    [
      { exit: -1, limit: { id: 'output', value: 2 ** 20 } },
      'printed more than 1 MiB (`limits.output`) and was stopped',
      ' raise `limits.output`,',
    ],
  ] as const)('says how a command before a run ended: %j', (end, how, raise) => {
    const { what, do: remedy } = explain({ ...failures['run-refused'], ...end });
    expect(what).toBe(`\`sh ready.sh\` of \`run.before\` ${how}, so the run ends.`);
    expect(remedy).toContain(`Read /runs/before-1.out. Fix what it reports,${raise} or change`);
  });

  it('says of a target that was moved back that landed work is gone', () => {
    const { what, why } = explain({ ...failures['target-taken'], task: '' });
    expect(what).toBe('The target was moved back, from aaaaaaa to bbbbbbb.');
    expect(why).toContain('Landed work is missing from it');
  });

  it('says what is the matter when the task critique gave no verdict', () => {
    const failure = { ...failures['critique-unsettled'], findings: [], last: failures.other };
    expect(explain(failure).what).toBe('The task critique gave no verdict.');
  });

  it.each([
    ['branch', 'a branch', 'Fix what git complains about'],
    ['stack', 'a stack of pull requests', 'gh auth status'],
    ['pigeon', 'pigeon', 'gh auth status'],
  ])('names the way that is barred: %s', (how, name, remedy) => {
    const explained = explain({ kind: 'delivery-failed', how, cause: 'no' });
    expect(explained.what).toContain(`finished work as ${name}: no.`);
    expect(explained.do).toContain(remedy);
    expect(explained.exit).toBe(3);
  });
});

describe('work that waits for a person', () => {
  it('has all that is needed to decide on one screen', () => {
    const failure = {
      ...failures['approval-needed'],
      because: 'rules',
      violations: allViolations.slice(0, 1),
      found: allTamperings.slice(0, 1),
      last: failures['review-failed'],
    } as const;
    const { details = [], do: remedy } = explain(failure, 'search');
    expect(details.map((line) => line.slice(0, 24))).toEqual([
      'The agent codex gave no ',
      '.github/ci.yml is protec',
      'The git hook pre-commit ',
      'F1 blocker src/a.ts:7: I',
      'F2 minor: The name says ',
    ]);
    for (const command of ['ym diff search', 'ym approve search', 'ym reject search "why"']) {
      expect(remedy).toContain(`\`${command}\``);
    }
  });

  it('leaves out what does not fit the screen, and says how much', () => {
    const findings = Array.from({ length: 40 }, (_, at) => {
      return { id: `F${at}`, severity: 'note', text: 'so so' } as const;
    });
    const { details = [] } = explain({ ...failures['approval-needed'], findings });
    expect(details).toHaveLength(16);
    expect(details.at(-1)).toBe('and 25 more');
  });

  it.each([
    ['rules', 'it changes files that only you may approve'],
    ['tampering', 'something outside its worktree changed while its agent was running'],
    ['review-limit', 'reviewers still want changes after 1 round'],
    ['review-oscillates', 'reviewers keep asking for the same changes'],
    ['review-failed', 'a reviewer gave no verdict'],
    ['review-budget', 'the remaining budget does not cover another review'],
    ['asked-for', 'the config requires it'],
    ['new-in-a-later-version', 'the reason was not recorded'],
  ])('says why there must be one: %s', (because, inline) => {
    const failure = { kind: 'approval-needed', because, rounds: 1 } as unknown as Failure;
    expect(explain(failure).what).toBe(`Waits for your approval: ${inline}.`);
  });

  it('is not repeated in its own explanation', () => {
    const last = failures['approval-needed'];
    expect(explain({ ...failures['approval-needed'], last, findings: [] }).details).toBeUndefined();
  });

  it('says of a critic that fails what failed, and asks for no better words of the task', () => {
    const last: Failure = { kind: 'review-failed', reviewer: 'critic', cause: 'it was mute' };
    const unsettled: Failure = { kind: 'critique-unsettled', rounds: 1, findings: [], last };
    expect(explained(unsettled)).toMatchInlineSnapshot(`
      "The task critique gave no verdict.
      - The agent critic gave no verdict: it was mute.
      An answer that cannot be understood is neither approval nor rejection, so no work was started.
      Check the agent with \`ym doctor\` and read \`ym log search --critique\`, then type \`ym retry search\`.
      (1)"
    `);
    const findings = [{ id: 'C1', severity: 'major', text: 'Which users?' } as const];
    expect(explain({ ...unsettled, findings }, 'a')).toMatchObject({
      details: ['The agent critic gave no verdict: it was mute.', 'C1 major: Which users?'],
      do: expect.stringContaining('Clarify the task'),
    });
  });
});
