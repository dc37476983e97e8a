// Reviews: who looks at work before it queues, and what they and the agent are told.
import { expect, test } from 'vitest';
import {
  approves,
  fileOf,
  filesOf,
  noThree,
  noTwo,
  partOf,
  promptOf,
  reviewed,
  startsOf,
  wants,
} from '../rig/one-shots.ts';
import { print, touch } from '../rig.ts';

test('work that is approved lands, after one turn and one look', async () => {
  const y = reviewed([[touch('looked'), approves]]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(await startsOf(y)).toEqual(['a turn 1', 'a review 1 reader']);
  expect(y.landings()).toEqual({ a: 1 });
  const prompt = promptOf(y, 'a', 'review-1-reader');
  expect(prompt).toMatch(/^# Task a: Say hello$/m);
  expect(prompt).toContain('+one');
  expect(prompt).not.toContain('Findings of the last review');
});

test('the agent hears of all rounds, the next reviewer of the last one alone, and what is fixed lands', async () => {
  const y = reviewed([
    [print('Nearly.'), ...wants(noTwo)],
    wants(noThree, 'tone minor - Rather short.'),
    [print('FINDING tone minor - Rather short.'), approves],
  ]);
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('a.txt')).toBe('one\ntwo\nthree\n');
  expect((await y.task('a')).attempts).toBe(1);
  const looks = [1, 2, 3].flatMap((round) => [`a turn ${round}`, `a review ${round} reader`]);
  expect(await startsOf(y)).toEqual(looks);

  const fixing = promptOf(y, 'a', 'turn-3');
  expect(fixing).toContain('# Your work was reviewed and needs changes');
  expect(fixing).toMatch(
    /Round 2:\n- no-three \(blocker\) a\.txt: There is no third line\.\n- tone/,
  );
  expect(fixing).toMatch(/Round 1:\n- no-two \(major\) a\.txt:1: There is no second line\./);
  expect(promptOf(y, 'a', 'turn-2')).not.toContain('no-three');

  const before = (round: number): string =>
    partOf(promptOf(y, 'a', `review-${round}-reader`), 'Findings of the last review');
  expect(before(1)).toBe('');
  expect(before(2)).toMatch(/- no-two[\s\S]*$/);
  expect(before(3)).toMatch(/- no-three[\s\S]*- tone/);
  expect(promptOf(y, 'a', 'review-3-reader')).not.toContain('no-two');

  const files = filesOf(y, 'a', /^review-.*\.json$/);
  expect(files).toEqual(['review-1-reader.json', 'review-2-reader.json', 'review-3-reader.json']);
  expect(JSON.parse(fileOf(y, 'a', 'review-1-reader.json'))).toEqual({
    schema: 1,
    task: 'a',
    attempt: 1,
    round: 1,
    kind: 'review',
    agent: 'reader',
    again: 1,
    result: {
      ok: true,
      verdict: 'needs-changes',
      findings: [
        {
          id: 'no-two',
          severity: 'major',
          file: 'a.txt',
          line: 1,
          text: 'There is no second line.',
        },
      ],
    },
    answer: `Nearly.\nFINDING ${noTwo}\nVERDICT: NEEDS_CHANGES`,
    files: ['a.txt'],
  });
  expect(run.stdout).toContain(
    'reader wants changes: no-two major a.txt:1: There is no second line',
  );
  const why = (await y.ym('why', 'a')).stdout;
  expect(why).toContain('round 2: reader wants changes: no-three blocker a.txt');
  expect(why).toContain('round 3: reader approves: tone minor: Rather short');
  expect((await y.ym('summary')).stdout).toContain('3 rounds (1 approved, 2 wanted changes)');
});
