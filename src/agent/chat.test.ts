import { describe, expect, it } from 'vitest';
import { turn } from '../../test/agent/turn.ts';
import { chatAgent } from './chat.ts';

const options = { name: 'haiku', url: 'https://x.example/v1', model: 'small', program: __filename };

describe('a chat endpoint as an agent', () => {
  it('answers single questions only, outside of the sandbox, with its key in the environment', () => {
    const agent = chatAgent({ ...options, key: { variable: 'SOME_KEY', value: 'k-1' } });
    expect(agent.oneShotOnly).toBe(true);
    const { argv, env, unconfined } = agent.launch(turn({ model: 'other' }));
    expect(argv.slice(1)).toEqual([__filename, 'https://x.example/v1', 'small']);
    expect(env).toEqual({ YARD_CHAT_KEY: 'k-1' });
    expect(unconfined).toBe(true);
  });

  it('cannot be used without the variable of its key or without its client', async () => {
    const keyed = (value: string | undefined) =>
      chatAgent({ ...options, key: { variable: 'SOME_KEY', value } }).check();
    expect(await keyed('k-1')).toMatchObject({ ok: true });
    const failure = { kind: 'provider-auth', variable: 'SOME_KEY' };
    for (const value of [undefined, '']) {
      expect(await keyed(value)).toMatchObject({ ok: false, failure });
    }
    expect(await chatAgent(options).check()).toMatchObject({ ok: true });
    const missing = chatAgent({ ...options, program: '/nowhere/client.js' });
    expect(await missing.check()).toMatchObject({ failure: { kind: 'agent-missing' } });
    expect(await chatAgent(options).probe()).toEqual({ signedIn: 'unknown' });
  });
});
