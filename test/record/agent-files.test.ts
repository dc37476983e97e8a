// Agents in the files of a run: models, tokens, pauses, co-claimed tasks.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runFiles } from '../../src/files/writer.ts';
import type { EventBody } from '../../src/model/event.ts';
import { agentStory } from '../report/agent-story.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { added, captured, failed, judged, ready, started, turn, turned } from './life.ts';
import { claimed, Project } from './project.ts';
import { attemptSchema, runSchema } from './published.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(dir, ...path), 'utf8'));

describe('The files of a run with agents', () => {
  it('contain usage, models and incidents', async () => {
    const project = new Project(dir);
    for (const { seq: _seq, at: _at, version: _version, ...body } of agentStory) {
      project.happens(body as EventBody);
      await project.files.flush();
      if (project.events.length > 6) runSchema.parse(json('r1', 'run.json'));
    }
    const run = json('r1', 'run.json');
    expect(run).toMatchObject({
      spend: {
        totals: { turns: 9, landed: 3, input: 2200, total: 25_520, costUsd: 0.3, priced: 2 },
        byModel: [
          { model: 'claude-opus-4-8', landed: 2 },
          { model: 'gpt-5', landed: 1 },
          { model: 'opus' },
          { model: null },
        ],
        byAgent: [{ agent: 'claude' }, { agent: 'codex' }, { agent: 'gemini' }],
      },
      silentTurns: 1,
      providerRetries: 2,
      pauses: { count: 1 },
      prefixes: [
        { agent: 'claude', variants: 2 },
        { agent: 'codex', variants: 1 },
      ],
      paused: { anthropic: { until: 600_000, failure: { kind: 'quota-exhausted' } } },
    });
    const api = json('r1', 'attempts', 'api-1', 'attempt.json');
    expect(api).toMatchObject({
      agent: 'claude',
      model: 'claude-opus-4-8',
      session: 's1',
      coClaims: ['schema'],
      spend: { turns: 3, total: 18_580 },
      outcome: 'landed',
    });
    attemptSchema.parse(api);
    expect(json('r1', 'attempts', 'slow-1', 'attempt.json')).not.toHaveProperty('spend');
  });

  it('count events of an earlier process', async () => {
    const bodies = agentStory.map(({ seq: _s, at: _a, version: _v, ...body }) => body as EventBody);
    const whole = new Project(dir);
    whole.happens(...bodies);
    await whole.files.flush();
    const once = json('r1', 'run.json');
    const cutShort = new Project(dir);
    cutShort.happens(...bodies.slice(0, 20));
    await cutShort.files.flush();
    cutShort.files = runFiles({
      dir,
      now: () => cutShort.now,
      past: [...cutShort.records.attempts.values()],
    });
    cutShort.happens(...bodies.slice(20));
    await cutShort.files.flush();
    expect(json('r1', 'run.json')).toEqual(once);
  });

  it('contain no tokens and models if no agent reports them', async () => {
    const project = new Project(dir);
    project.happens(added('a'), started('r'), claimed('r', 'a', 1), ready('r', 'a'));
    project.happens(turn('r', 'a'), turned('r', 'a'));
    await project.files.flush();
    for (const key of ['spend', 'paused', 'pauses', 'silentTurns', 'prefixes']) {
      expect(json('r', 'run.json')).not.toHaveProperty(key);
    }
  });

  it('count no slot time while the attempt is between turns', async () => {
    const project = new Project(dir);
    const signal = { id: 'nothing' } as const;
    const of = { run: 'r', id: 'a', attempt: 1 };
    project.happens(added('a'), started('r', 1), claimed('r', 'a', 1), ready('r', 'a'));
    // Its turns are from 50 to 60 and from 80 to 100.
    project.happens(turn('r', 'a'));
    project.happens({ ...of, type: 'turn-ended', turn: 1, result: { ok: true, tail: '', signal } });
    project.happens(added('b'));
    project.happens(turn('r', 'a', 2));
    project.happens({ ...of, type: 'agent-reported', turn: 2, call: { id: 'complete' } });
    project.happens({ ...of, type: 'turn-ended', turn: 2, result: { ok: true, tail: '', signal } });
    project.happens(captured('r', 'a'), judged('r', 'a'));
    await project.files.flush();
    expect(json('r', 'manifest.json')).toMatchObject({ slots: [{ ms: 10 + 20 }] });
  });

  it('count no slot time after work that violates a rule', async () => {
    const project = new Project(dir);
    const violations = [{ kind: 'protected-path', file: 'f', pattern: 'f' }] as const;
    project.happens(added('a'), started('r', 1), claimed('r', 'a', 1), ready('r', 'a'));
    project.happens(turn('r', 'a'), turned('r', 'a'));
    const work = captured('r', 'a');
    project.happens(work.type === 'work-captured' ? { ...work, violations } : work);
    // Its turn is from 50 to 60.
    project.happens(added('b'), added('c'), failed('r', 'a'));
    await project.files.flush();
    expect(json('r', 'manifest.json')).toMatchObject({ slots: [{ ms: 10 }] });
  });

  it('name the reasoning of a turn if one was chosen', async () => {
    const project = new Project(dir);
    project.happens(added('a'), added('b'), started('r'));
    const chosen = { ...turn('r', 'a'), model: 'large', reasoning: 'high' } as EventBody;
    project.happens(claimed('r', 'a', 1), ready('r', 'a'), chosen);
    project.happens(claimed('r', 'b', 2), ready('r', 'b'), turn('r', 'b', 1, 1, 2));
    await project.files.flush();
    const page = (id: string) => json('r', 'attempts', id, 'attempt.json');
    expect(page('a-1')).toMatchObject({ model: 'large', reasoning: 'high' });
    expect(page('b-1')).not.toHaveProperty('reasoning');
  });

  it('show an attempt that only filed tasks as planned', async () => {
    const project = new Project(dir);
    const of = { run: 'r', id: 'a', attempt: 1 };
    project.happens(added('a'), started('r'), claimed('r', 'a', 1), ready('r', 'a'));
    project.happens(turn('r', 'a'), turned('r', 'a'));
    project.happens({ ...of, type: 'work-planned', filed: ['b'] });
    await project.files.flush();
    const page = json('r', 'attempts', 'a-1', 'attempt.json');
    attemptSchema.parse(page);
    expect(page).toMatchObject({ outcome: 'planned', endedAt: 70 });
  });
});
