// Whatever the shape in which work lands, the target gets exactly the trees that were judged.
import { expect, test } from 'vitest';
import { commit, type TestProject, testProject, touch, waitFor, write } from '../../rig.ts';
import { gatesOf, notingGate, staged } from './barrier.ts';
import { expectNoHalfDoneMerge } from './half-done.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Six branches of two commits each; one of them, `late`, merges the target before it lands. */
function styled(style: string): TestProject {
  const work = (id: string) => [
    [
      touch(`at-${id}`),
      ...ids.map((other) => waitFor(`at-${other}`)),
      write(`${id}.txt`, 'one\n'),
      commit(`First step of ${id}`),
      write(`${id}.txt`, 'one\ntwo\n'),
      commit(`Second step of ${id}`),
    ],
  ];
  return testProject({
    files: { 'gate.sh': notingGate, 'list.txt': 'start\n' },
    tasks: [...ids.map((id) => ({ id })), { id: 'late', priority: 4 }],
    script: {
      ...Object.fromEntries(ids.map((id) => [id, work(id)])),
      late: [[write('names/late', ''), commit('Before'), { mergeTarget: { branch: 'main' } }]],
    },
    config: {
      gate: { commands: ['sh gate.sh'], branch: 'never' },
      train: { style },
      jobs: 6,
    },
  });
}

/** Trees that a gate found green, in this run. */
async function greenTrees(y: TestProject): Promise<ReadonlySet<string>> {
  const judged = (await y.events()).flatMap((event) =>
    event.type === 'candidate-judged' && event.verdict.id === 'passed' ? [event.tree] : [],
  );
  return new Set(judged);
}

test.each([
  ['squash', 1],
  ['rebase', 2],
])(
  '%s keeps the history straight, with a trailer for each task and a balanced ledger',
  async (style, commits) => {
    const y = styled(style);
    const before = y.tip();
    expect(await y.ymWith(staged(y), 'run', y.plan)).toMatchObject({ code: 0, stderr: '' });
    expect(y.git('rev-list', '--merges', `${before}..main`)).toBe('');
    expect(y.landings()).toEqual(Object.fromEntries([...ids, 'late'].map((id) => [id, 1])));
    expect(Number(y.git('rev-list', '--count', `${before}..main`))).toBe(ids.length * commits + 1);
    if (style === 'rebase') {
      const subjects = y.git('log', '--format=%s', `${before}..main`).split('\n');
      for (const id of ids) expect(subjects).toContain(`First step of ${id}`);
    }
    for (const id of ids) expect(y.show(`${id}.txt`)).toBe('one\ntwo\n');
    const green = await greenTrees(y);
    const { values, red } = y.reflogGreen();
    expect(red).toEqual([]);
    for (const value of values.slice(1)) expect(green).toContain(y.tip(`${value}^{tree}`));
    const ledger = await y.ym('ledger', '--json');
    expect(ledger.code).toBe(0);
    expect(JSON.parse(ledger.stdout)).toMatchObject({
      balanced: true,
      counts: { landed: ids.length + 1, lost: 0 },
    });
    expect(gatesOf(y).length).toBeLessThan(ids.length + 1);
    expect(y.git('status', '--porcelain')).toBe('');
    expectNoHalfDoneMerge(y);
  },
);
