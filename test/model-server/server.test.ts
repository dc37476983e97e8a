import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelApi } from './api.ts';
import { ask, framesOf, ways } from './ask.ts';
import type { Fault } from './fault.ts';
import { type Json, list, record, text } from './json.ts';
import { type ModelServer, startModelServer } from './server.ts';

const apis = Object.keys(ways) as ModelApi['name'][];
const prompt = { prompt: 'Do it.' };
const resetAt = Math.floor(Date.now() / 1000) + 3600;

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer({
    scripts: {
      play: {
        turns: [
          [
            { run: 'make it', say: 'I make it.' },
            { write: { path: 'a/b.txt', text: 'bee\n' } },
            { say: 'Made it.' },
          ],
          [{ say: 'Again.', usage: { input: 5 } }],
        ],
        where: [{ says: 'another', turns: [[{ say: 'Something else.' }]] }],
      },
    },
  });
});
afterEach(() => server.close());

/** The whole answer without its API around it. */
async function plain(api: ModelApi['name'], said: Parameters<typeof ask>[2]['said']) {
  const response = await ask(server, api, { said, stream: false });
  return JSON.stringify(await response.json());
}

describe.each(apis)('the scripted server as %s', (api) => {
  it('plays the step that the request has come to, however often it is asked', async () => {
    expect(await plain(api, [prompt])).toMatch(/I make it\..*make it/);
    expect(await plain(api, [prompt])).toMatch(/I make it\..*make it/);
    expect(await plain(api, [prompt, 'tool'])).toMatch(/a\/b\.txt.*bee/);
    expect(await plain(api, [prompt, 'tool', 'tool'])).toContain('Made it.');
    expect(await plain(api, [prompt, 'tool', 'tool', 'tool'])).toContain('Made it.');
    expect(await plain(api, [prompt, 'tool', prompt])).toContain('Again.');
    expect(await plain(api, [prompt, prompt, prompt])).toContain('Again.');
    expect(await plain(api, [{ prompt: 'do another thing' }, prompt])).toContain('Something else.');
  });

  it('streams what it gives in one piece, word by word', async () => {
    const response = await ask(server, api, { said: [prompt, 'tool', 'tool'] });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const frames = await framesOf(response);
    const said = frames.map((frame) => JSON.stringify(frame)).join('\n');
    expect(said).toMatch(/"Made "/);
    expect(said).toMatch(/"it\."/);
  });

  it('notes what it was asked, and reports the tokens it notes', async () => {
    const said = [prompt, 'tool', prompt] as const;
    const body = await (await ask(server, api, { said, stream: false })).json();
    const [entry] = server.journal.requests('k');
    expect(entry).toMatchObject({
      api,
      key: 'k',
      model: 'model-1',
      stream: false,
      prompts: ['Do it.', 'Do it.'],
      toolResults: 0,
      lastResult: expect.stringContaining('it ran'),
      answered: 'text',
      side: false,
    });
    expect(entry?.tools.length).toBeGreaterThan(0);
    expect(normal[api](body)).toEqual(server.journal.usage('k'));
    expect(server.journal.usage('k')).toMatchObject({ input: 5, cacheRead: 8003, output: 47 });
    expect(server.journal.turns('k')).toBe(2);
    expect(server.journal.usage('other').input).toBe(0);
  });

  it('reports the same tokens in a stream', async () => {
    const frames = await framesOf(await ask(server, api, { said: [prompt] }));
    expect(streamed[api](frames)).toEqual(server.journal.usage('k'));
  });

  it('answers what has no tools beside the script, for nothing', async () => {
    const body = await (await ask(server, api, { said: [prompt], bare: true })).text();
    expect(body).toMatch(/title/);
    expect(server.journal.requests()).toEqual([]);
    expect(server.journal.side()).toHaveLength(1);
    expect(server.journal.usage()).toMatchObject({ input: 0, output: 0 });
  });

  it.each([
    ['auth', 401],
    ['forbidden', 403],
    ['model', 404],
    ['bad-request', 400],
    ['too-long', 400],
    ['credit', 400],
    ['rate-limit', 429],
    ['server', 500],
    ['unavailable', 503],
    ['overloaded', 529],
  ] as const)('refuses with %s as status %i, in the shape of the vendor', async (id, status) => {
    server.script('bad', { turns: [[{ fault: { id } }]] });
    const response = await ask(server, api, { said: [prompt], scenario: 'bad' });
    const isOpenai = api === 'responses' || api === 'chat';
    expect(response.status).toBe(id === 'credit' && isOpenai ? 429 : status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
    expect(response.headers.get('retry-after')).toBeNull();
    expect(server.journal.requests()).toMatchObject([{ answered: id }]);
    expect(server.journal.usage().input).toBe(0);
  });

  it('says when to come back, after a rate limit and after a quota', async () => {
    const limit: Fault = { id: 'rate-limit', retryAfterS: 7 };
    server.script('limit', { turns: [[{ fault: limit }]] });
    server.script('quota', { turns: [[{ fault: { id: 'quota', resetAt } }]] });
    const limited = await ask(server, api, { said: [prompt], scenario: 'limit' });
    expect(`${limited.headers.get('retry-after')} ${await limited.text()}`).toMatch(
      api === 'gemini' ? /"retryDelay":"7s"/ : /^7 /,
    );
    const quota = await ask(server, api, { said: [prompt], scenario: 'quota' });
    expect(quota.status).toBe(429);
    const told = `${JSON.stringify(Object.fromEntries(quota.headers))}${await quota.text()}`;
    expect(told).toMatch(resets[api]);
  });

  it('fails by the number of the request, for each key by itself', async () => {
    server.script('flaky', {
      turns: [[{ say: 'Fine.' }]],
      faults: [
        { from: 1, times: 1, fault: { id: 'server' } },
        { from: 3, fault: { id: 'auth' } },
      ],
    });
    const statuses = async (key: string, times: number): Promise<number[]> => {
      const found: number[] = [];
      for (let n = 0; n < times; n += 1) {
        const response = await ask(server, api, { said: [prompt], scenario: 'flaky', key });
        await response.text();
        found.push(response.status);
      }
      return found;
    };
    expect(await statuses('a', 4)).toEqual([500, 200, 401, 401]);
    expect(await statuses('b', 2)).toEqual([500, 200]);
  });

  it('can break off in the middle of a stream', async () => {
    server.script('bad', { turns: [[{ fault: { id: 'cut' } }]] });
    const response = await ask(server, api, { said: [prompt], scenario: 'bad' });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('can fall silent before and within an answer, until it is closed', async () => {
    server.script('never', { turns: [[{ fault: { id: 'never' } }]] });
    server.script('stall', { turns: [[{ fault: { id: 'stall' } }]] });
    const never = ask(server, api, { said: [prompt], scenario: 'never' });
    const stall = await ask(server, api, { said: [prompt], scenario: 'stall' });
    expect(stall.status).toBe(200);
    const silent = Promise.allSettled([never, stall.text()]);
    await server.close();
    expect((await silent).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('can answer with what nobody understands, and with an error in a stream', async () => {
    for (const id of ['html', 'broken-frames', 'in-stream'] as const) {
      server.script(id, { turns: [[{ fault: { id } }]] });
    }
    const texts = ['html', 'broken-frames', 'in-stream'].map(async (scenario) => {
      const response = await ask(server, api, { said: [prompt], scenario });
      expect(response.status).toBe(200);
      return response.text();
    });
    const [html = '', broken = '', inStream = ''] = await Promise.all(texts);
    expect(html).toMatch(/<!doctype html>/);
    expect(() => JSON.parse(broken.split('\n')[0]?.slice('data: '.length) ?? '')).toThrow();
    expect(inStream).toMatch(/"error":\{.*Overloaded/);
  });
});

/** Tokens as the API reports them in one piece, in our words. */
const normal: Record<ModelApi['name'], (body: unknown) => object> = {
  messages: (body) => ({
    input: tokens(body, 'usage.input_tokens'),
    cacheRead: tokens(body, 'usage.cache_read_input_tokens'),
    cacheWrite: tokens(body, 'usage.cache_creation_input_tokens'),
    output: tokens(body, 'usage.output_tokens'),
    reasoning: 0,
  }),
  responses: (body) => openai(body, 'usage.input_tokens', 'usage.output_tokens'),
  chat: (body) => openai(body, 'usage.prompt_tokens', 'usage.completion_tokens'),
  gemini: (body) => {
    const cacheRead = tokens(body, 'usageMetadata.cachedContentTokenCount');
    const reasoning = tokens(body, 'usageMetadata.thoughtsTokenCount');
    return {
      input: tokens(body, 'usageMetadata.promptTokenCount') - cacheRead,
      cacheRead,
      cacheWrite: 0,
      output: tokens(body, 'usageMetadata.candidatesTokenCount') + reasoning,
      reasoning,
    };
  },
};

function openai(body: unknown, into: string, out: string): object {
  const cacheRead = tokens(body, `${into}_details.cached_tokens`);
  return {
    input: tokens(body, into) - cacheRead,
    cacheRead,
    cacheWrite: 0,
    output: tokens(body, out),
    reasoning: tokens(body, `${out}_details.reasoning_tokens`),
  };
}

function tokens(body: unknown, path: string): number {
  return Number(path.split('.').reduce<unknown>((found, field) => record(found)[field], body));
}

const streamed: Record<ModelApi['name'], (frames: readonly Json[]) => object> = {
  messages: (frames) => {
    const start = frames.find(({ type }) => type === 'message_start')?.message;
    const end = frames.find(({ type }) => type === 'message_delta')?.usage;
    return normal.messages({ usage: { ...record(record(start).usage), ...record(end) } });
  },
  responses: (frames) =>
    normal.responses(frames.find(({ type }) => type === 'response.completed')?.response),
  chat: (frames) => normal.chat(frames.find(({ usage }) => usage !== undefined)),
  gemini: (frames) => normal.gemini(frames.at(-1)),
};

/** The arguments of the only call in an answer of Responses. */
async function callIn(response: Response): Promise<{ item: Json; args: Json }> {
  const { output } = record(await response.json());
  const item = list(output).find(({ type }) => type === 'function_call') ?? {};
  return { item, args: record(JSON.parse(text(item.arguments))) };
}

const resets: Record<ModelApi['name'], RegExp> = {
  messages: new RegExp(`"anthropic-ratelimit-unified-reset":"${resetAt}"`),
  responses: new RegExp(`"type":"usage_limit_reached".*"resets_at":${resetAt}`),
  chat: /"retry-after":"3(?:600|59\d)"/,
  gemini: /"retryDelay":"3(?:600|59\d)s"/,
};

describe('the scripted server', () => {
  it('listens on the loopback interface only, on a port of its own', async () => {
    const other = await startModelServer();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(other.url).not.toBe(server.url);
    await other.close();
  });

  it('refuses what it has no script for, and keeps what is no model request apart', async () => {
    const lost = await ask(server, 'chat', { said: [prompt], scenario: 'nothing' });
    expect(lost.status).toBe(500);
    expect((await fetch(server.base('play'), { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${server.base('play')}/v1/models`)).status).toBe(200);
    expect((await fetch(`${server.base('play')}/telemetry`, { method: 'POST' })).status).toBe(404);
    expect(server.journal.requests()).toEqual([]);
    expect(server.journal.strays().map(({ status }) => status)).toEqual([500, 200, 200, 404]);
  });

  it('gives what a tool requires, in a group and by the names it goes by', async () => {
    const response = await ask(server, 'responses', { said: [prompt], stream: false });
    const { item, args } = await callIn(response);
    expect(item).toMatchObject({ name: 'exec_command', namespace: 'unix' });
    expect(args).toEqual({ cmd: 'make it', quick: false });
  });

  it('writes a file through the shell where there is no tool for it', async () => {
    const response = await ask(server, 'responses', { said: [prompt, 'tool'], stream: false });
    expect((await callIn(response)).args.cmd).toMatch(/cat > 'a\/b\.txt' <<'SCRIPTED_END'\nbee\n/);
  });

  it('adds the headers of a script to its refusals', async () => {
    const headers = { 'retry-after-ms': '1' };
    server.script('bad', { turns: [[{ fault: { id: 'server' } }]], headers });
    const response = await ask(server, 'chat', { said: [prompt], scenario: 'bad' });
    expect(response.headers.get('retry-after-ms')).toBe('1');
  });

  it('sees a prompt that stands beside the result of a tool', async () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: 'it ran' };
    const content = [result, { type: 'text', text: 'Go on.' }];
    const tools = [{ name: 'Bash', input_schema: {} }];
    const messages = [
      { role: 'user', content: 'Do it.' },
      { role: 'user', content },
    ];
    await fetch(`${server.base('play', 'k')}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages, tools }),
    });
    expect(server.journal.requests('k')).toMatchObject([
      { prompts: ['Do it.', 'Go on.'], toolResults: 0, lastResult: 'it ran' },
    ]);
  });

  it('says so where no tool fits', async () => {
    server.script('odd', { turns: [[{ run: 'x' }]] });
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'p' }],
      tools: [{ name: 'Fly' }],
    };
    const response = await fetch(`${server.base('odd')}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    expect(await response.text()).toContain('No tool was offered for: x');
  });
});
