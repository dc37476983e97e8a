import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import { type PullContent, pullBody, pullTitle } from './body.ts';

/** GitHub's limit for the text of a pull request. */
const bodyCharsMax = 65_536;

const work: PullContent = {
  task: {
    id: 'add-total',
    title: 'Add a total',
    body: 'Sum up the lines.\n\nDone means: `npm test`.',
  },
  coClaims: ['add-tax'],
  run: 'r1',
  attempt: 2,
  agent: 'claude',
  model: 'sonnet',
  gate: ['npm test', 'npm run lint'],
  verdict: { id: 'passed', ms: 12_400 },
  reviews: [
    {
      round: 1,
      commit: 'c1',
      votes: [
        {
          reviewer: 'codex',
          verdict: 'needs-changes',
          findings: [{ id: 'F1', severity: 'major', text: 'off by one' }],
        },
      ],
    },
    { round: 2, commit: 'c2', votes: [{ reviewer: 'codex', verdict: 'approved', findings: [] }] },
  ],
  changes: { files: ['src/a.ts', 'src/b.ts'], count: 2, added: 1_200, removed: 3 },
  usage: { input: 1_000, cacheRead: 20_000, cacheWrite: 0, output: 500, costUsd: 0.42 },
};

const without = (...keys: readonly (keyof PullContent)[]): PullContent =>
  Object.fromEntries(
    Object.entries(work).filter(([key]) => !keys.includes(key as keyof PullContent)),
  ) as unknown as PullContent;

describe('the text of a pull request', () => {
  it('has the request, the verdicts and the cost, and ends with trailers', () => {
    expect(pullBody(work)).toBe(`Task \`add-total\`, with \`add-tax\`: \`Add a total\`

## Asked for

\`\`\`text
Sum up the lines.

Done means: \`npm test\`.
\`\`\`

## Evidence

- Gate passed in 12 s: \`npm test\`, \`npm run lint\`
- Review: 2 rounds
  - Round 1, \`codex\`: wants changes (1 finding)
  - Round 2, \`codex\`: approved
- Files changed: 2, 1,200 lines added, 3 removed
  - \`src/a.ts\`
  - \`src/b.ts\`

## Cost

21,500 tokens, $0.42

Yard-Task: add-total
Yard-Task: add-tax
Yard-Run: r1
Yard-Attempt: 2
Yard-Agent: claude
Yard-Model: sonnet
`);
  });

  it('says what is unknown', () => {
    const body = pullBody(without('coClaims', 'model', 'verdict', 'reviews', 'changes', 'usage'));
    expect(body).toContain('Task `add-total`: `Add a total`');
    expect(body).toContain('- Gate not run: `npm test`, `npm run lint`');
    expect(body).toContain('- Review: none');
    expect(body).toContain('- Files changed: not counted');
    expect(body).toContain('The agents reported no usage.');
    expect(body).not.toContain('Yard-Model');
  });

  it('says that the cost is unknown if only tokens are known', () => {
    const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };
    expect(pullBody({ ...work, usage })).toContain('2 tokens, cost unknown');
  });

  it('never calls a failed gate passed', () => {
    expect(pullBody({ ...work, verdict: { id: 'failed' } })).toContain('- Gate **failed**: ');
    expect(pullBody({ ...work, verdict: { id: 'not-run' } })).toContain('**could not be run**');
    const none = pullBody({ ...work, gate: [], verdict: { id: 'passed', ms: 20 } });
    expect(none).toContain('- Gate passed in less than a second: no command');
  });

  it('has the title if the task has no body', () => {
    const body = pullBody({ ...work, task: { ...work.task, body: ' \n' } });
    expect(body).toContain('```text\nAdd a total\n```');
  });

  it('mentions nobody and closes no issue, whatever foreign text says', () => {
    const words = 'Fixes #12, ask @octocat <img src=x> [x](http://y)';
    const body = pullBody({
      ...work,
      task: { id: 'a', title: words, body: `${words}\n\`\`\`\n${words}` },
      gate: [words],
      changes: { files: [words], count: 1, added: 1, removed: 1 },
      agent: words,
      model: words,
    });
    const said = body.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '').replace(/`[^`\n]*`/g, '');
    expect(said).not.toMatch(/[@<>[\]]|#\d/);
  });

  it('names the first files and counts the rest', () => {
    const files = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const body = pullBody({ ...work, changes: { files, count: 900, added: 1, removed: 1 } });
    expect(body).toContain(`f${limits.pullListed - 1}`);
    expect(body).not.toContain(`f${limits.pullListed}\``);
    expect(body).toContain(`- and ${900 - limits.pullListed} more`);
  });

  it('never exceeds the forge’s limit, and always ends with its trailers', () => {
    const long = fc
      .constantFrom('`', 'a', '\n', '🚂', '`a', '\n```\n')
      .chain((unit) => fc.nat(60_000).map((times) => unit.repeat(times)));
    const list = fc.tuple(long, fc.nat(80)).map(([text, count]) => Array<string>(count).fill(text));
    fc.assert(
      fc.property(long, long, list, list, (title, body, gate, files) => {
        const votes = gate.map((reviewer) => ({
          reviewer,
          verdict: 'approved' as const,
          findings: [],
        }));
        const text = pullBody({
          ...work,
          task: { id: 'a', title, body },
          coClaims: gate.map((_, index) => `coClaim-${index}`.padEnd(80, 'x')),
          agent: title,
          gate,
          reviews: [{ round: 1, commit: 'c', votes }],
          changes: { files, count: files.length, added: 0, removed: 0 },
        });
        expect(text.length).toBeLessThanOrEqual(bodyCharsMax);
        expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^(?:Yard-[A-Z][a-z]+: .*\n?)+$/);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the title of a pull request', () => {
  it('is the id and the title of the task, on one line', () => {
    expect(pullTitle({ task: { id: 'a', title: ' Do\nthis ', body: '' } })).toBe('a: Do this');
  });

  it('is cut to the forge’s limit, but keeps the id', () => {
    const title = pullTitle({ task: { id: 'a', title: '🚂'.repeat(400), body: '' } });
    expect(title.length).toBeLessThanOrEqual(limits.pullTitleChars);
    expect(title).toMatch(/^a: 🚂+…$/u);
  });
});
