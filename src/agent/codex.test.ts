import { describe, expect, it } from 'vitest';
import { turn } from '../../test/agent/turn.ts';
import type { Turn } from '../port/agent.ts';
import { codex } from './codex.ts';
import type { HarnessOptions, Json } from './harness.ts';

const options: HarnessOptions = { name: 'mine', args: [], sandbox: 'none' };

describe('the command line of codex', () => {
  const words = (more: Partial<Turn> = {}, own: Partial<HarnessOptions> = {}) =>
    codex.argv(turn(more), { ...options, ...own }).join(' ');
  const patient =
    '-c features.unbounded_connection_retries=false -c check_for_update_on_startup=false';
  const free = `--json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox ${patient}`;

  it('begins a conversation', () => {
    expect(words()).toBe(`exec ${free} -`);
  });

  it('goes on with one, by its id and never by the last one', () => {
    expect(words({ session: 'id-2' })).toBe(`exec resume ${free} id-2 -`);
  });

  it('has model and effort, and then the arguments of the profile', () => {
    expect(words({ model: 'm', reasoning: 'high' }, { args: ['--profile', 'p'] })).toBe(
      `exec ${free} -c model_reasoning_effort="high" -m m --profile p -`,
    );
  });

  it('uses its own sandbox, which may write what a commit needs', () => {
    const held = words({ worktree: '/nowhere' }, { sandbox: 'auto' });
    expect(held).toContain('-c sandbox_mode="workspace-write"');
    expect(held).toContain('-c sandbox_workspace_write.network_access=true');
    expect(held).toContain('-c sandbox_workspace_write.writable_roots=[]');
    expect(held).not.toContain('bypass');
  });

  it('only reads in a review, by its own sandbox, and keeps no conversation', () => {
    const look = { purpose: 'review', model: 'm' } as const;
    expect(words(look, { sandbox: 'auto' })).toBe(
      `exec --json --skip-git-repo-check --ephemeral -c sandbox_mode="read-only" ${patient} -m m -`,
    );
  });

  it('is read-only by its prompt alone without a sandbox', () => {
    expect(words({ purpose: 'review' })).toBe(
      `exec --json --skip-git-repo-check --ephemeral --dangerously-bypass-approvals-and-sandbox ${patient} -`,
    );
  });
});

describe('the sign-in of codex', () => {
  const signIn = (env: Record<string, string>, ...files: string[]) =>
    codex.signIn({ HOME: '/h', ...env }, (file) => files.includes(file));

  it('is a file or a variable, never its value', () => {
    expect(signIn({}, '/h/.codex/auth.json')).toEqual({
      signedIn: 'yes',
      signIn: '~/.codex/auth.json',
    });
    expect(signIn({ CODEX_HOME: '/c' }, '/c/auth.json')).toMatchObject({
      signIn: '/c/auth.json',
    });
    expect(signIn({ CODEX_API_KEY: 'secret' })).toEqual({
      signedIn: 'yes',
      signIn: 'CODEX_API_KEY',
    });
  });

  it('is missing, or unknown with a config file', () => {
    expect(signIn({})).toMatchObject({
      signedIn: 'no',
      remedy: expect.stringContaining('codex login'),
    });
    expect(signIn({}, '/h/.codex/config.toml')).toMatchObject({ signedIn: 'unknown' });
  });
});

describe('a stream of codex', () => {
  const heard = (given: Partial<Turn>, ...lines: Json[]) => {
    const reader = codex.read(turn(given), options);
    for (const line of lines) reader.line(line);
    return reader.facts();
  };
  const said = (text: string): Json => ({
    type: 'item.completed',
    item: { type: 'agent_message', text },
  });
  const used = { input_tokens: 100, cached_input_tokens: 60, cache_write_input_tokens: 10 };
  const completed: Json = { type: 'turn.completed', usage: { ...used, output_tokens: 7 } };

  it('counts input without cache reads and writes', () => {
    expect(heard({}, completed).usage).toEqual({
      input: 30,
      cacheRead: 60,
      cacheWrite: 10,
      output: 7,
    });
  });

  it('counts a resumed turn without the turns before', () => {
    const sessionUsage = { input: 20, cacheRead: 50, cacheWrite: 10, output: 3 };
    expect(heard({ session: 's', sessionUsage }, completed).usage).toEqual({
      input: 10,
      cacheRead: 10,
      cacheWrite: 0,
      output: 4,
    });
  });

  it('that ends without usage has none', () => {
    expect(heard({}, { type: 'turn.completed' })).toEqual({
      finalText: '',
      end: 'ok',
      denied: [],
    });
    expect(heard({}, { type: 'turn.failed' })).toMatchObject({ end: { kind: 'agent-error' } });
  });

  it('has the last message as its final text', () => {
    expect(heard({}, said('one'), said('two')).finalText).toBe('two');
  });

  it('has a session from its first line, or the one it goes on with', () => {
    expect(heard({}, { type: 'thread.started', thread_id: 't' }).session).toBe('t');
    expect(heard({ session: 's' }).session).toBe('s');
    expect(heard({}).session).toBeUndefined();
  });

  it('is not ended by warnings and retries', () => {
    const warning = { type: 'item.completed', item: { type: 'error', message: 'unauthorized' } };
    const retry = { type: 'error', message: 'Reconnecting... 1/5 (unexpected status 500)' };
    expect(heard({}, warning, retry).end).toBeUndefined();
    expect(heard({}, warning, retry, completed).end).toBe('ok');
  });
});

describe('a failure of codex before its turn', () => {
  const ended = {
    how: { id: 'exited', code: 1 },
    startedAt: 0,
    endedAt: 0,
    stragglers: 0,
  } as const;
  const diagnosed = (tail: string, more: Partial<Turn> = {}) =>
    codex.diagnose(turn(more), ended, tail, options);

  it('may be a conversation that is not there', () => {
    const tail = 'Error: thread/resume failed: no rollout found for thread id s (code -32600)';
    expect(diagnosed(tail, { session: 's' })).toMatchObject({ kind: 'session-lost', session: 's' });
    expect(diagnosed(tail)).toBeUndefined();
  });

  it('may be an error of the stream', () => {
    const line = JSON.stringify({ type: 'error', message: 'unexpected status 401 Unauthorized' });
    expect(diagnosed(`{"type":"turn.started"}\n${line}\n`)).toMatchObject({
      kind: 'provider-auth',
      status: 401,
    });
  });

  it('is not guessed from a retry, or from nothing', () => {
    const line = JSON.stringify({ type: 'error', message: 'Reconnecting... 2/5 (status 500)' });
    expect(diagnosed(line)).toBeUndefined();
    expect(diagnosed('Error loading config.toml: status 401')).toBeUndefined();
  });
});
