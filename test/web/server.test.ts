// The web server over real HTTP, on a real store.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awaiting } from '../rig/past.ts';
import { testProject } from '../rig.ts';
import { serve, startedWith, token } from './rig.ts';

const waiting = ['branches', 'kept', 'worktrees', 'state'] as const;

describe('without a store', () => {
  it('shows an empty project, and creates no store', async () => {
    const y = testProject();
    const web = await serve(y);
    expect(await web.read('/api/view')).toMatchObject({
      seq: 0,
      run: { state: 'none' },
      tasks: [],
    });
    expect(await web.read('/api/inbox')).toMatchObject({ items: [] });
    expect(await web.read('/api/events')).toEqual({ events: [] });
    expect(y.has('.git/yardmaster/yard.db')).toBe(false);
  });

  it('shows the store as soon as there is one', async () => {
    const y = testProject();
    const web = await serve(y);
    const stream = await web.stream('/api/stream');
    expect((await stream.next('view'))?.data).toMatchObject({ tasks: [] });
    await y.ym('add', 'First');
    // The store exists a moment before its first event.
    let tasks: unknown[] = [];
    while (tasks.length === 0) tasks = ((await stream.next())?.data.tasks as unknown[]) ?? [];
    expect(tasks).toMatchObject([{ id: 'first' }]);
  });
});

describe('a view', () => {
  it('is what `ym status --json --all` prints', async () => {
    const y = testProject({ leaves: waiting });
    await awaiting(y, 'a', 'b');
    const web = await serve(y);
    const { seq: _seq, last: _last, ...view } = await web.read('/api/view');
    const status = await y.ym('status', '--json', '--all');
    expect(view).toEqual(JSON.parse(status.stdout));
  });
});

describe('a stream', () => {
  it('sends the view, then what changes, and after a reconnect what was missed', async () => {
    const y = testProject({ leaves: waiting });
    await awaiting(y, 'a', 'b');
    const web = await serve(y);
    const stream = await web.stream('/api/stream');
    const first = await stream.next('view');
    expect(first?.data).toMatchObject({ needsYou: [{ task: 'a', kind: 'approval' }] });
    await y.ym('skip', 'b');
    const change = await stream.next('change');
    expect(change?.data).toMatchObject({ tasks: [{ id: 'b', state: 'skipped' }], graph: true });
    expect((await stream.next('events'))?.data).toMatchObject({
      events: [{ type: 'task-decided', tasks: ['b'] }],
    });
    stream.close();
    const again = await web.stream('/api/stream', { 'last-event-id': first?.id ?? '' });
    expect((await again.next())?.data).toEqual(change?.data);
  });

  it('loses no event that another request has read', async () => {
    const y = testProject();
    await y.ym('add', 'First');
    const web = await serve(y);
    const stream = await web.stream('/api/stream');
    await stream.next('view');
    for (const title of ['Second', 'Third']) {
      await web.act({ kind: 'add', title });
      await web.read('/api/graph');
    }
    const seen: unknown[] = [];
    while (seen.length < 2) {
      const { events = [] } = (await stream.next('events'))?.data ?? {};
      seen.push(...(events as { tasks: unknown[] }[]).flatMap(({ tasks }) => tasks));
    }
    expect(seen).toEqual(['second', 'third']);
  });

  it('begins with the whole view after the server was started again', async () => {
    const y = testProject();
    await y.ym('add', 'First');
    const web = await serve(y);
    const stream = await web.stream('/api/stream');
    const { id = '' } = (await stream.next('view')) ?? {};
    await web.close();
    expect((await stream.next('bye'))?.event).toBe('bye');
    const second = await serve(y);
    const again = await second.stream('/api/stream', { 'last-event-id': id });
    expect((await again.next())?.event).toBe('view');
  });

  it('begins again if the store is replaced', async () => {
    const y = testProject();
    await y.ym('add', 'First');
    const web = await serve(y);
    const stream = await web.stream('/api/stream');
    await stream.next('view');
    const dir = join(y.root, '.git/yardmaster');
    renameSync(dir, `${dir}-old`);
    await y.ym('add', 'Other');
    const tasks = (await stream.next('view'))?.data.tasks as readonly { readonly id: string }[];
    expect(tasks.map(({ id }) => id)).not.toContain('first');
  });
});

describe('an action', () => {
  it('adds, edits and cancels tasks like the commands, and says which', async () => {
    const y = testProject();
    const web = await serve(y);
    const added = await web.act({ kind: 'add', title: "It's new", fields: { priority: 1 } });
    expect(added.json()).toMatchObject({
      command: "ym add 'It'\\''s new' --priority 1",
      task: { id: 'it-s-new' },
    });
    await web.act({ kind: 'add', title: 'Second' });
    const edited = await web.act({
      kind: 'edit',
      task: 'second',
      changes: { after: ['it-s-new'] },
    });
    expect(edited.json()).toMatchObject({ command: 'ym edit second --after it-s-new' });
    const cycle = await web.act({ kind: 'edit', task: 'it-s-new', changes: { after: ['second'] } });
    expect(cycle.status).toBe(422);
    expect(cycle.json()).toMatchObject({ error: { what: expect.any(String) } });
    expect((await web.act({ kind: 'cancel', task: 'second', reason: 'no' })).json()).toMatchObject({
      command: 'ym cancel second --reason no',
    });
    expect((await y.task('second')).state).toBe('canceled');
    const { events } = await web.read<{ events: object[] }>('/api/events?task=second&limit=1');
    expect(events).toMatchObject([{ type: 'task-decided', by: 'Test Person', via: 'ui' }]);
    expect((await web.act({ kind: 'slots', slots: 3 })).json()).toMatchObject({
      error: { what: 'No run is active here.' },
    });
  });

  it('decides about work that waits, and refuses what nobody asked for', async () => {
    const y = testProject({ leaves: waiting });
    await awaiting(y, 'a', 'b');
    const web = await serve(y);
    const inbox = await web.read<{ items: object[] }>('/api/inbox');
    expect(inbox.items).toMatchObject([
      { task: 'a', kind: 'approval', evidence: { attempt: 1, proof: [] } },
    ]);
    const story = await web.read('/api/tasks/a');
    expect(story).toMatchObject({ attemptHistory: [{ number: 1, turns: [{ turn: 1 }] }] });
    expect(story.may).toEqual(expect.arrayContaining(['approve', 'reject', 'comment']));
    const none = await web.act({ kind: 'answer', task: 'a', text: 'yes' });
    expect(none.json()).toMatchObject({
      error: { what: expect.stringContaining('waits for no answer') },
    });
    const said = await web.act({
      kind: 'comment',
      task: 'a',
      attempt: 1,
      comments: [{ path: 'x.js', line: 2, side: 'new', code: 'let x', text: 'Use const.' }],
    });
    expect(said.json()).toMatchObject({ command: expect.stringContaining('ym reject a') });
    const [last] = (await y.events()).slice(-1);
    expect(last).toMatchObject({
      decision: { kind: 'reject', reason: expect.stringContaining('x.js:2') },
    });
  });

  it('chooses a variant only of a task that has some', async () => {
    const y = testProject();
    await y.ym('add', 'First');
    const web = await serve(y);
    const answer = await web.act({ kind: 'choose', task: 'first', variant: '1' });
    expect(answer.json()).toMatchObject({ error: { what: 'Task first has no variants.' } });
    expect((await web.ask('/api/tasks/first/variants')).status).toBe(422);
  });

  it('starts a run as a process of its own', async () => {
    const y = testProject();
    await y.ym('add', 'A', '--label', 'ui');
    const web = await serve(y);
    const answer = await web.act({ kind: 'run', only: ['a'], slots: 2 });
    expect(answer.json()).toMatchObject({ command: 'ym run --only a --jobs 2' });
    expect(startedWith.at(-1)).toEqual(['run', '--only', 'a', '--jobs', '2']);
    const labeled = await web.act({ kind: 'run', labels: ['ui'] });
    expect(labeled.json()).toMatchObject({ command: 'ym run --label ui' });
    const count = startedWith.length;
    expect((await web.act({ kind: 'run', labels: ['no-such'] })).status).toBe(422);
    expect((await web.act({ kind: 'run', only: ['no-such'] })).status).toBe(404);
    expect(startedWith).toHaveLength(count);
  });

  it('edits parent, checks and attempts as ym edit does', async () => {
    const y = testProject();
    await y.ym('add', 'Search', '--type', 'epic');
    await y.ym('add', 'A');
    const web = await serve(y);
    const attempts = { best_of: 3, agents: ['x', 'y'] };
    const changes = { parent: 'search', checks: ['make'], attempts };
    const answer = await web.act({ kind: 'edit', task: 'a', changes });
    expect(answer.json()).toMatchObject({
      command: 'ym edit a --parent search --check make --best-of 3 --agents x --agents y',
      task: changes,
    });
  });

  it.each([
    ['no JSON', 'kind=add', 422],
    ['an unknown kind', { kind: 'erase' }, 422],
    ['a missing field', { kind: 'reject', task: 'a' }, 422],
    ['an unknown task', { kind: 'retry', task: 'zzz' }, 404],
    ['an empty text', { kind: 'tell', task: 'a', text: ' ' }, 422],
  ])('with %s is refused in sentences', async (_what, body, status) => {
    const y = testProject();
    const web = await serve(y);
    const headers = { 'content-type': 'application/json' };
    const answer = await web.ask('/api/actions', { body, headers });
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({
      error: { what: expect.any(String), do: expect.any(String) },
    });
  });
});

describe('a run', () => {
  it('has a report that is a page of its own, without scripts and of another origin', async () => {
    const y = testProject({ leaves: waiting });
    await awaiting(y, 'a', 'b');
    const web = await serve(y);
    const { status, text, headers } = await web.ask('/api/report?run=last&offset=-60');
    expect(status).toBe(200);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain('by ym report');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-anc/);
    expect(policy).not.toContain('allow-');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await web.ask('/api/report', { headers: link })).status).toBe(403);
    expect((await web.ask('/api/report?run=none')).status).toBe(404);
    expect((await web.ask('/api/report?offset=x')).status).toBe(422);
  });
});

describe('metrics', () => {
  it('are served in the text format of Prometheus, with the token only', async () => {
    const y = testProject();
    await y.ym('add', 'Something');
    const web = await serve(y);
    expect((await web.ask('/metrics')).text).toContain('yardmaster_tasks{state="ready"} 1\n');
    expect((await web.ask('/metrics', { headers: { authorization: '' } })).status).toBe(401);
  });
});

describe('several projects', () => {
  it('are served by one server, by their ids', async () => {
    const [y, z] = [testProject(), testProject()];
    await z.ym('add', 'Elsewhere');
    const web = await serve(y, { others: [z] });
    const { projects } = await web.read<{ projects: { id: string }[] }>('/api/projects');
    expect(projects).toMatchObject([{ counts: {} }, { counts: { ready: 1 } }]);
    const view = await web.read(`/api/view?project=${projects[1]?.id}`);
    expect(view).toMatchObject({ tasks: [{ id: 'elsewhere' }] });
    expect((await web.ask('/api/view?project=none')).status).toBe(422);
  });
});

describe('the page', () => {
  it('is served without the token, compressed, and never from outside its folder', async () => {
    const y = testProject();
    const page = join(y.base, 'page');
    mkdirSync(page);
    writeFileSync(join(page, 'index.html'), '<!doctype html><title>x</title>');
    writeFileSync(join(y.base, 'secret.txt'), 'secret');
    const web = await serve(y, { page });
    const stranger = { authorization: '' };
    const index = await web.ask('/task/a', { headers: stranger });
    expect(index).toMatchObject({ status: 200, text: '<!doctype html><title>x</title>' });
    const etag = index.headers.etag ?? '';
    const same = await web.ask('/', { headers: { ...stranger, 'if-none-match': etag } });
    expect(same.status).toBe(304);
    const zipped = await web.ask('/', { headers: { ...stranger, 'accept-encoding': 'gzip' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/x.js']) {
      expect(await web.ask(path, { headers: stranger })).toMatchObject({ status: 404 });
    }
  });

  it('takes the token of the printed address once, as a cookie', async () => {
    const web = await serve(testProject());
    const entered = await web.ask(`/?token=${token}`, { headers: { authorization: '' } });
    expect(entered).toMatchObject({ status: 303, headers: { location: '/' } });
    const [cookie = ''] = entered.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    const headers = { authorization: '', cookie: cookie.split(';')[0] ?? '' };
    expect((await web.ask('/api/view', { headers })).status).toBe(200);
    const wrong = await web.ask('/?token=wrong', { headers: { authorization: '' } });
    expect(wrong.headers['set-cookie']).toBeUndefined();
  });
});

describe('a request', () => {
  it('without or with a wrong token gets no data', async () => {
    const web = await serve(testProject());
    const paths = ['/api/view', '/api/stream', '/api/tails', '/api/report', '/api/nothing'];
    for (const path of [...paths, '/metrics']) {
      expect((await web.ask(path, { headers: { authorization: '' } })).status).toBe(401);
      expect((await web.ask(path, { headers: { authorization: 'Bearer no' } })).status).toBe(401);
    }
  });

  it.each([
    ['a foreign host', { host: 'evil.example' }, 403],
    ['a foreign origin', { origin: 'http://evil.example' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['no JSON', { 'content-type': 'text/plain' }, 415],
  ])('of %s is refused, and changes nothing', async (_what, headers, status) => {
    const y = testProject();
    const web = await serve(y);
    const answer = await web.ask('/api/actions', { body: { kind: 'add', title: 'x' }, headers });
    expect(answer.status).toBe(status);
    expect(await web.read('/api/view')).toMatchObject({ tasks: [] });
  });

  it('that is too large is refused', async () => {
    const web = await serve(testProject());
    const body = { kind: 'add', title: 'x', fields: { body: 'x'.repeat(2_000_000) } };
    expect((await web.act(body)).status).toBe(413);
    const chunked = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
    const answer = await web.ask('/api/actions', { body: JSON.stringify(body), headers: chunked });
    expect(answer.status).toBe(413);
  });

  it('with a method or path that does not exist is refused in sentences', async () => {
    const web = await serve(testProject());
    expect(await web.ask('/api/view', { method: 'DELETE' })).toMatchObject({ status: 405 });
    expect((await web.ask('/api/actions')).headers.allow).toBe('POST');
    const missing = await web.ask('/api/nothing');
    expect(missing.status).toBe(404);
    expect(missing.json()).toMatchObject({ error: { kind: 'unknown-path' } });
    expect((await web.ask('/api/events?before=x')).status).toBe(422);
  });

  it('gets headers that forbid scripts, frames, guesses and storage', async () => {
    const web = await serve(testProject());
    const { headers } = await web.ask('/api/view');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});
