import { describe, expect, it } from 'vitest';
import { allTamperings, allViolations } from '../../../test/report/any-work.ts';
import { failures } from '../../../test/report/fixtures.ts';
import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const told = (failure: Failure): string => {
  const { what, why, do: remedy, details = [], exit } = explain(failure, 'search');
  return [what, ...details.map((line) => `- ${line}`), why, remedy, `(${exit})`].join('\n');
};

describe('work that is not let through', () => {
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
    const text = kinds.map((kind) => told(failures[kind])).join('\n\n');
    expect(text).toMatchInlineSnapshot(`
      "The work breaks 1 rule: a.test.ts is a test and was deleted: bring it back.
      The rules are those of the target; no work can change them for itself.
      Look at \`ym diff search\`, then type \`ym retry search\` to let an agent start afresh; the old work stays on its branch.
      (1)

      The git hook pre-commit was planted, changed or taken away.
      It happened while the agent worked, and an agent has no business outside of its own worktree.
      Put right what you did not do yourself, read \`ym log search\`, then type \`ym retry search\`.
      (1)

      The agent codex came to no verdict: it printed no verdict.
      What cannot be understood is neither an approval nor a refusal.
      Check the agent with \`ym doctor\` and read \`ym log search\`; yardmaster.yaml names who looks.
      (1)

      What the task asks for is still not clear after 3 rounds.
      - C1 major: What is a user here?
      Work on a task that nobody understands is work for nothing, so none was started.
      Make the task clearer where it came from, then type \`ym retry search\`.
      (1)

      The agent of api moved the target by itself, from aaaaaaa to bbbbbbb.
      Nobody judged what is there now, so nothing more lands on top of it.
      See \`git log aaaaaaa..bbbbbbb\`. Keep it, or move the branch back to aaaaaaa with git; then type \`ym resume\`.
      (1)

      The finished work could not be handed over as a pull request: gh: not signed in.
      It is judged and kept; only the way to whoever takes it is barred.
      Check the remote with \`git push --dry-run\` and the sign-in with \`gh auth status\`, then type \`ym resume\`.
      (3)

      Waits for a person's approval: reviewers still want changes after 3 rounds.
      - F1 blocker src/a.ts:7: It drops errors
      - F2 minor: The name says little
      The work is kept; it lands only if you approve it.
      Look at \`ym diff search\`; then type \`ym approve search\` to let it land, or \`ym reject search "why"\` to send it back to its agent.
      (1)"
    `);
  });

  it('tells of every rule that is broken, one by one', () => {
    const { what, details } = explain({ kind: 'rules-broken', violations: allViolations });
    expect(what).toBe(
      'The work breaks 10 rules: .github/ci.yml is protected (.github/**): leave it as it is, or let a person approve the change.',
    );
    expect(details).toHaveLength(allViolations.length - 1);
    expect(details?.at(-1)).toContain('src/c.ts lost lines');
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
    expect(explain(failures.conflict)).not.toHaveProperty('details');
  });

  it('says of a target that was moved back that landed work is gone', () => {
    const { what, why } = explain({ ...failures['target-taken'], task: '' });
    expect(what).toBe('The target was moved back, from aaaaaaa to bbbbbbb.');
    expect(why).toContain('not part of it any more');
  });

  it('says what is the matter where nobody came to a verdict on the task', () => {
    const failure = { ...failures['critique-unsettled'], findings: [], last: failures.other };
    expect(explain(failure).what).toBe('Nobody came to a verdict on what the task asks for.');
  });

  it.each([
    ['branch', 'a branch', 'Fix what git complains about'],
    ['stack', 'a stack of pull requests', 'gh auth status'],
    ['pigeon', 'pigeon', 'gh auth status'],
  ])('names the way that is barred: %s', (how, name, remedy) => {
    const told = explain({ kind: 'delivery-failed', how, cause: 'no' });
    expect(told.what).toContain(`handed over as ${name}: no.`);
    expect(told.do).toContain(remedy);
    expect(told.exit).toBe(3);
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
      'The agent codex came to ',
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
    ['rules', 'it changes what only a person may let through'],
    ['tampering', 'things outside of its worktree changed while its agent worked'],
    ['review-limit', 'reviewers still want changes after 1 round'],
    ['review-oscillates', 'reviewers ask for the same things again and again'],
    ['review-failed', 'a reviewer came to no verdict'],
    ['review-budget', 'the budget leaves no room for another review'],
    ['asked-for', 'the config asks for one'],
    ['new-in-a-later-version', 'the record does not say why'],
  ])('says why there must be one: %s', (because, words) => {
    const failure = { kind: 'approval-needed', because, rounds: 1 } as unknown as Failure;
    expect(explain(failure).what).toBe(`Waits for a person's approval: ${words}.`);
  });

  it('does not tell of itself twice', () => {
    const last = failures['approval-needed'];
    expect(explain({ ...failures['approval-needed'], last, findings: [] }).details).toBeUndefined();
  });

  it('says of a critic that fails what failed, and asks for no better words of the task', () => {
    const last: Failure = { kind: 'review-failed', reviewer: 'critic', cause: 'it was mute' };
    const unsettled: Failure = { kind: 'critique-unsettled', rounds: 1, findings: [], last };
    expect(told(unsettled)).toMatchInlineSnapshot(`
      "Nobody came to a verdict on what the task asks for.
      - The agent critic came to no verdict: it was mute.
      What cannot be understood is neither an approval nor a refusal, so no work was started.
      Check the agent with \`ym doctor\` and read \`ym log search --critique\`, then type \`ym retry search\`.
      (1)"
    `);
    const findings = [{ id: 'C1', severity: 'major', text: 'Which users?' } as const];
    expect(explain({ ...unsettled, findings }, 'a')).toMatchObject({
      details: ['The agent critic came to no verdict: it was mute.', 'C1 major: Which users?'],
      do: expect.stringContaining('Make the task clearer'),
    });
  });
});
