import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../port/agent.ts';
import { type AcpAgentOptions, acpAgent } from './acp.ts';

const agent = (more: Partial<AcpAgentOptions> = {}) =>
  acpAgent({
    name: 'mine',
    command: ['my-agent', 'acp'],
    args: ['--quiet'],
    program: 'dist/acp-client.js',
    sandbox: 'auto',
    root: '/repo',
    base: { PATH: '/nowhere' },
    ...more,
  });

const turn = (more: Partial<Turn> = {}): Turn => ({
  subject: 'T-1',
  run: 'run-1',
  attempt: 1,
  turn: 1,
  prompt: 'SECRET',
  worktree: '/tree',
  newSession: '5d4f0a52-9c1e-4f9b-8a38-3a4c1b0de001',
  ...more,
});

const program = resolve('dist/acp-client.js');

describe('the start of an ACP agent', () => {
  it('is that of our client, which starts the agent', () => {
    const { argv, endSignal } = agent().launch(turn());
    expect(argv).toEqual([
      process.execPath,
      program,
      '--files',
      '--',
      'my-agent',
      'acp',
      '--quiet',
    ]);
    expect(endSignal).toBe('SIGTERM');
  });

  it('names conversation, model and level so that none of them is taken for a flag', () => {
    const { argv } = agent({ startMs: 5_000 }).launch(
      turn({ session: '-s-1', model: '--model', reasoning: 'high' }),
    );
    expect(argv.slice(2, argv.indexOf('--'))).toEqual([
      '--session=-s-1',
      '--model=--model',
      '--reasoning=high',
      '--files',
      '--start-ms=5000',
    ]);
  });

  it('signs in where the agent needs that, and passes the model where the command has a place', () => {
    const preset = agent({ auth: 'some_login', args: ['--model', '{model}'] });
    const { argv } = preset.launch(turn({ model: 'big' }));
    expect(argv.slice(2)).toEqual([
      ...['--auth=some_login', '--files', '--'],
      ...['my-agent', 'acp', '--model', 'big'],
    ]);
    expect(preset.launch(turn()).argv).not.toContain('--model');
  });

  it('has its own variables in a one-shot call', () => {
    const asking = agent({ reviewEnv: { MODE: 'ask' } });
    expect(asking.launch(turn({ purpose: 'review' })).env).toMatchObject({ MODE: 'ask' });
    expect(asking.launch(turn()).env).not.toHaveProperty('MODE');
  });

  it('leaves files to the agent without a sandbox', () => {
    expect(agent({ sandbox: 'none' }).launch(turn()).argv).not.toContain('--files');
  });

  it('has the client refuse changes in a review, without a session', () => {
    for (const sandbox of ['auto', 'none'] as const) {
      const { argv } = agent({ sandbox }).launch(turn({ purpose: 'review', session: 's-1' }));
      expect(argv.slice(2, argv.indexOf('--'))).toEqual(['--read-only']);
    }
  });

  it('gives the environment of the profile and of the turn', () => {
    const { env } = agent({ env: { KEY: 'value' } }).launch(turn());
    expect(env).toMatchObject({ KEY: 'value', YARD_TASK: 'T-1', YARD_WORKTREE: '/tree' });
  });
});

describe('a missing ACP agent', () => {
  it('may be the client', async () => {
    const checked = await agent({ program: '/no/client.js' }).check();
    expect(checked).toEqual({
      ok: false,
      failure: { kind: 'agent-missing', agent: 'mine', binary: '/no/client.js' },
    });
  });

  it('may be the agent', async () => {
    const checked = await agent({ program: process.execPath }).check();
    expect(checked).toMatchObject({
      ok: false,
      failure: { kind: 'agent-missing', agent: 'mine', binary: 'my-agent' },
    });
  });

  it('may not speak the protocol, which a probe reports with the command to try', async () => {
    const health = await agent({
      // Ends at once and says nothing of what was asked, as a program that is no agent does.
      program: '/dev/null',
      root: process.cwd(),
    }).probe();
    expect(health).toEqual({
      supported: 'version 1 of the Agent Client Protocol',
      fits: false,
      signedIn: 'unknown',
      remedy: 'Try by hand: my-agent acp --quiet',
    });
  });
});
