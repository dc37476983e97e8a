// The real agents as reviewers: their answer is heard, and they are held to reading.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseReview } from '../../../src/review/verdict.ts';
import { cliNames, eachCli } from '../../agents/clis.ts';
import { key, stage } from '../../agents/stage.ts';

const answer = [
  'I looked at it.',
  '',
  'FINDING no-test major src/a.ts:3 Nothing tests it.',
  '',
  'VERDICT: NEEDS_CHANGES',
].join('\n');

const look = { purpose: 'review', round: 1, prompt: 'Look at it.\n' } as const;

eachCli('a review', cliNames, (name) => {
  it('is answered in one turn, and words of the protocol say nothing in it', async () => {
    const said = `${answer}\n\n__DONE__`;
    const s = await stage(name, { turns: [[{ say: said }]] }, { sandbox: 'auto' });
    const { result, out } = await s.play(look);
    expect(result, out).toMatchObject({ ok: true, answer: said });
    expect(result).not.toHaveProperty('signal');
    expect(result).not.toHaveProperty('session');
    expect(result.usage?.output).toBeGreaterThan(0);
    expect(parseReview(result.answer ?? '')).toMatchObject({
      ok: true,
      verdict: 'needs-changes',
      findings: [{ id: 'no-test', file: 'src/a.ts', line: 3 }],
    });
    const [asked] = s.server.journal.requests(key);
    expect(asked?.prompts.map((prompt) => prompt.trim())).toEqual(['Look at it.']);
  });

  it('changes nothing, and comes to its answer nevertheless', async () => {
    const write = { write: { path: 'sly.txt', text: 'sly\n' } };
    const run = { run: 'echo sly > sly-too.txt', say: 'I fix it myself.' };
    // One that is not even offered a tool for it takes that for its answer.
    const steps = name === 'gemini' ? [{ say: answer }] : [run, write, { say: answer }];
    const s = await stage(name, { turns: [steps] }, { sandbox: 'auto' });
    const { result, out } = await s.play(look);
    expect(result, out).toMatchObject({ ok: true, answer });
    expect(readdirSync(s.worktree)).toEqual(['.git']);
    const offered = s.server.journal.requests(key).flatMap(({ tools }) => tools);
    if (name === 'gemini') expect(offered.join()).not.toMatch(/shell|write|replace/);
  });

  it('that its service cut short has no answer', async () => {
    const s = await stage(name, { turns: [[{ fault: { id: 'auth' } }]] }, { sandbox: 'auto' });
    const { result, out } = await s.play(look);
    expect(result, out).toMatchObject({ ok: false, failure: { kind: 'provider-auth' } });
    expect(result).not.toHaveProperty('answer');
  });
});

eachCli('a reviewer', ['claude', 'codex', 'opencode'], (name) => {
  it('can see what changed in files that it was not shown', async () => {
    const steps = [{ run: 'git diff --cached -- work.txt' }, { say: answer }];
    const s = await stage(name, { turns: [steps] }, { sandbox: 'auto' });
    writeFileSync(join(s.worktree, 'work.txt'), 'what was done\n');
    execFileSync('git', ['add', 'work.txt'], { cwd: s.worktree });
    const { result, out } = await s.play(look);
    expect(result, out).toMatchObject({ ok: true, answer });
    expect(s.server.journal.requests(key).at(-1)?.lastResult).toContain('+what was done');
  });
});
