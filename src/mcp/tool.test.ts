import {
  CLIENT_INFO_META_KEY,
  McpServer,
  type ServerContext,
  type ToolCallback,
} from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Yard } from '../library/yard.ts';
import { fail, ok } from '../model/failure.ts';
import { trouble } from '../model/trouble.ts';
import { Session } from './session.ts';
import { addTool, clientOf, refused } from './tool.ts';

const server = new McpServer({ name: 'test', version: '1' });

const request = (info: unknown): Pick<ServerContext, 'mcpReq'> => {
  const envelope = info === undefined ? {} : { [CLIENT_INFO_META_KEY]: info };
  return { mcpReq: { envelope } as unknown as ServerContext['mcpReq'] };
};

describe('the name of a client', () => {
  it('is what its request says', () => {
    expect(clientOf(server, request({ name: ' some-agent ', version: '1' }))).toBe('some-agent');
  });

  it.each([undefined, null, {}, { name: '' }, { name: 7 }, 'some-agent'])(
    'is unknown if the request says %j and no handshake came before',
    (info) => {
      expect(clientOf(server, request(info))).toBe('unknown client');
    },
  );
});

describe('a refusal', () => {
  it('has the form of every other failure', () => {
    expect(refused('It rains.', 'Wait.')).toEqual({
      ok: false,
      failure: { kind: 'usage', what: 'It rains.', why: '', do: 'Wait.' },
    });
  });
});

/** A session whose projects are only names, and the calls that it made. */
function session(fails = false) {
  const calls: string[] = [];
  const made = new Session({
    open: async (client) => {
      calls.push(`open ${client}`);
      if (fails) return fail({ kind: 'usage', what: 'No.', why: '', do: '' });
      const close = async () => void calls.push(`close ${client}`);
      return ok({ close } as unknown as Yard);
    },
    start: async () => ok({ output: '', ended: Promise.resolve(0) }),
    mayApprove: false,
    version: '1',
  });
  return { made, calls };
}

describe('a session', () => {
  it('opens the project once for each client, and closes all of them', async () => {
    const { made, calls } = session();
    const first = await made.yardOf('a');
    expect(await made.yardOf('a')).toEqual(first);
    await made.yardOf('b');
    await made.close();
    expect(calls).toEqual(['open a', 'open b', 'close a', 'close b']);
  });

  it('tries again to open a project that could not be opened', async () => {
    const { made, calls } = session(true);
    expect((await made.yardOf('a')).ok).toBe(false);
    expect((await made.yardOf('a')).ok).toBe(false);
    await made.close();
    expect(calls).toEqual(['open a', 'open a']);
  });
});

it('answers a call with the trouble that it met, and with a bug as a bug', async () => {
  const { made } = session();
  let thrown: Error = trouble('fire', { whose: 'machine', what: 'It burns.', do: 'Run.' });
  const none = z.object({});
  const spec = { title: 't', description: 'd', input: none, output: none, effect: 'read' } as const;
  let handle: ToolCallback<typeof none> | undefined;
  const registrar = {
    registerTool: (_name: string, _config: object, tool: typeof handle) => {
      handle = tool;
    },
  };
  const tool = { ...spec, run: () => Promise.reject(thrown) };
  addTool(registrar as unknown as McpServer, made, 'burn', tool);
  const call = () => handle?.({}, { ...request({ name: 'x' }) } as ServerContext);
  expect(await call()).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'It burns.\nRun.' }],
  });
  thrown = new Error('Unforeseen');
  expect(await call()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Internal error: Unforeseen') }],
  });
});
