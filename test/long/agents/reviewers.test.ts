// One real agent works and another one reviews, in a run of the built program.
import { expect, it } from 'vitest';
import { agentPool, complete, work } from '../../agents/agent-pool.ts';
import { withClis } from '../../agents/clis.ts';
import { fileOf, promptOf, startsOf } from '../../rig/one-shots.ts';

const wanted = 'FINDING no-end major a.txt:1 The last line is missing.\n\nVERDICT: NEEDS_CHANGES';

withClis('claude works and codex reviews', ['claude', 'codex'], () => {
  it('fixes in its own conversation what a reviewer found that remembers nothing', async () => {
    const { project: y, server } = await agentPool({
      tasks: [{ id: 'a', title: 'write two lines' }],
      scripts: {
        claude: {
          turns: [
            [{ run: work }, { say: complete }],
            [{ run: 'echo end >> a.txt' }, { say: complete }],
          ],
        },
        codex: {
          turns: [[{ run: 'echo sly > sly.txt; cat a.txt' }, { say: `I looked.\n\n${wanted}` }]],
          where: [
            {
              says: 'Findings of the last review',
              turns: [[{ run: 'cat a.txt' }, { say: 'Fixed.\n\nVERDICT: APPROVED' }]],
            },
          ],
        },
      },
      config: { review: { agent: 'codex' } },
    });
    const run = await y.ym('run', y.plan);
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);
    expect(await startsOf(y)).toEqual([
      'a turn 1',
      'a review 1 codex',
      'a turn 2',
      'a review 2 codex',
    ]);
    expect(y.show('a.txt')).toBe('done\nend\n');
    const landed = y.git('ls-tree', '--name-only', 'main').trim().split('\n');
    expect(landed).toEqual(['a.txt', 'gate.sh', 'names', 'yardmaster.yaml']);

    const worked = server.journal.requests('claude').at(-1);
    expect(worked?.prompts).toHaveLength(2);
    expect(worked?.prompts[0]).toContain('write two lines');
    expect(worked?.prompts[1]).toContain('- no-end (major) a.txt:1: The last line is missing.');
    const looked = server.journal.requests('codex');
    expect(looked.every(({ prompts }) => prompts.length === 1)).toBe(true);
    expect(looked.at(-1)?.lastResult).toContain('end');
    expect(promptOf(y, 'a', 'review-2-codex')).toContain('- no-end (major)');
    const { result, answer } = JSON.parse(fileOf(y, 'a', 'review-2-codex.json'));
    expect(result).toMatchObject({ ok: true, verdict: 'approved' });
    expect(answer).toContain('Fixed.');

    const { spend } = JSON.parse((await y.ym('summary', '--json')).stdout);
    for (const name of ['claude', 'codex']) {
      const { input, output } = server.journal.usage(name);
      expect(spend.byAgent).toContainEqual(
        expect.objectContaining({ agent: name, turns: 2, input, output }),
      );
    }
  }, 120_000);
});

withClis('claude and a person', ['claude'], () => {
  it('goes on with its conversation where work waited longer than its worktree', async () => {
    const { project: y, server } = await agentPool({
      tasks: ['a', 'b'].map((id) => ({ id, title: `write ${id}` })),
      scripts: {
        claude: {
          turns: [
            [{ run: work }, { say: complete }],
            [{ run: 'echo end >> "$YARD_TASK.txt"' }, { say: complete }],
          ],
        },
      },
      config: { review: { person: true }, jobs: 1, worktree: { pool: 1 } },
    });
    expect((await y.ym('run', y.plan)).code).toBe(1);
    for (const id of ['a', 'b']) {
      expect(await y.ym('reject', id, 'The last line is missing.')).toMatchObject({ code: 0 });
    }
    expect((await y.ym('resume')).code).toBe(1);
    expect(await y.ym('approve', 'a', 'b')).toMatchObject({ code: 0, stderr: '' });
    const run = await y.ym('resume');
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);
    for (const id of ['a', 'b']) {
      expect(y.show(`${id}.txt`)).toBe('done\nend\n');
      const last = server.journal
        .requests('claude')
        .findLast(({ prompts }) => prompts[0]?.includes(`write ${id}`));
      expect(last?.prompts).toHaveLength(2);
      expect(last?.prompts[1]).toContain('The last line is missing.');
    }
  }, 120_000);
});
