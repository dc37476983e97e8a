import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { askChat } from './request.ts';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
  server = undefined;
});

/** Address of a server on loopback that answers with `answer`. */
async function serving(
  answer: (body: string, request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const started = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => answer(body, request, response));
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/v1/chat`;
}

const asked = (url: string, ms?: number) =>
  askChat({ url, model: 'small', key: 'k-1', prompt: 'Hello?' }, ms);

describe('a question to a chat endpoint', () => {
  it('carries the prompt, the model and the key, and returns the text and the usage', async () => {
    const seen: unknown[] = [];
    const url = await serving((body, { headers, method }, response) => {
      seen.push(method, headers.authorization, JSON.parse(body));
      const usage = { prompt_tokens: 12, completion_tokens: 3, cost: 0.5 };
      response.end(JSON.stringify({ choices: [{ message: { content: 'NONE' } }], usage }));
    });
    expect(await asked(url)).toEqual({
      ok: true,
      text: 'NONE',
      usage: { input: 12, cacheRead: 0, cacheWrite: 0, output: 3, costUsd: 0.5 },
    });
    const messages = [{ role: 'user', content: 'Hello?' }];
    expect(seen).toEqual(['POST', 'Bearer k-1', { model: 'small', messages, stream: false }]);
  });

  it.each([
    [401, '{"error":{"message":"No such\\nkey"}}', 'status 401: No such key'],
    [500, '', 'status 500: no text'],
    [200, 'Welcome!', 'not a chat completion'],
    [200, '{"choices":[]}', 'not a chat completion'],
    [200, `{"x":"${'y'.repeat(5_000_000)}"}`, 'too long'],
  ])('says what is wrong with an answer of status %i', async (status, text, problem) => {
    const url = await serving((_body, _request, response) => {
      response.statusCode = status;
      response.end(text);
    });
    expect(await asked(url)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  it('does not follow a redirect with its key', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serving((_body, { url: path }, response) => {
      seen.push(path);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await asked(url)).toMatchObject({ ok: false });
    expect(seen).toEqual(['/v1/chat']);
  });

  it('fails after its time limit, and if no server listens', async () => {
    const url = await serving(() => {});
    expect(await asked(url, 50)).toEqual({ ok: false, problem: 'there was no answer within 0 s' });
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
    server = undefined;
    expect(await asked(url)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('cannot be reached'),
    });
  });
});

it('refuses a key that no header can have, without showing it', async () => {
  const key = 'sk-secret\nX-Extra: 1';
  const answer = await askChat({ url: 'http://127.0.0.1:9/', model: 'm', key, prompt: 'x' });
  expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('line break') });
  expect(JSON.stringify(answer)).not.toContain('sk-secret');
});
