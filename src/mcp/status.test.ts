import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anAttempt, aRecord, aRun } from '../../test/report/fixtures.ts';
import { viewed } from '../../test/report/viewed.ts';
import type { Yard } from '../library/yard.ts';
import { ok } from '../model/failure.ts';
import { mcpServer } from './server.ts';
import { Session } from './session.ts';

/** A client of a project in which these tasks have failed, each as often as it is named. */
async function connected(...names: string[]) {
  const failed = names;
  let isOver = false;
  const view = () => {
    const records = ['a', 'b', 'c'].map((id) => {
      const number = failed.filter((name) => name === id).length;
      const failure = { kind: 'run-stopped' } as const;
      const attempt = anAttempt({ id: 'failed', failure }, { number });
      return number === 0
        ? aRecord(id)
        : aRecord(id, { id: 'failed', failure, run: 'r1' }, { attempt });
    });
    return viewed(records, aRun(), 9, { underWay: isOver ? [] : ['r1'] });
  };
  const begun = { seq: 2, type: 'run-started', run: 'r1' };
  const yard = {
    status: async () => ok(view()),
    async *events({ after }: { after?: number }) {
      yield ok(after === undefined ? [{ seq: 1 }] : [begun]);
    },
  };
  const session = new Session({
    open: async () => ok(yard as unknown as Yard),
    start: async () => ok({ output: '', ended: new Promise<number>(() => {}) }),
    mayApprove: false,
    version: '1',
  });
  const server = mcpServer(session);
  const client = new Client({ name: 'test-client', version: '1' });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one as never), client.connect(other)]);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const call = async (name: string, args: object = {}) => {
    const { structuredContent } = await client.callTool({ name, arguments: { ...args } });
    return structuredContent as { readonly waiting: boolean; readonly needsYou: object[] };
  };
  return {
    failed,
    run: () => call('run'),
    /** Answer to a client that waits at most this many seconds. */
    async waits(seconds: number) {
      const { waiting, needsYou } = await call('status', { wait_seconds: seconds });
      return { waiting, needsYou: needsYou.length };
    },
    end() {
      isOver = true;
    },
  };
}

describe('a status that waits', () => {
  it('ends at once for a task that needs a person, and for the same one only once', async () => {
    const client = await connected('a');
    expect(await client.waits(30)).toEqual({ waiting: false, needsYou: 1 });
    expect(await client.waits(0.1)).toEqual({ waiting: true, needsYou: 1 });
  });

  it('ends as soon as another task needs a person, or the same one again', async () => {
    const client = await connected('a');
    await client.waits(0);
    const waiting = client.waits(30);
    client.failed.push('b');
    expect(await waiting).toEqual({ waiting: false, needsYou: 2 });
    client.failed.push('b');
    expect(await client.waits(30)).toEqual({ waiting: false, needsYou: 2 });
  });

  it('does not end for what needed a person before the client started the run', async () => {
    const client = await connected('a');
    await client.run();
    expect(await client.waits(0.1)).toEqual({ waiting: true, needsYou: 1 });
  });

  it('ends with the run', async () => {
    const client = await connected('a');
    await client.waits(0);
    client.end();
    expect(await client.waits(30)).toEqual({ waiting: false, needsYou: 1 });
  });
});
