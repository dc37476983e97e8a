import { describe, expect, it } from 'vitest';
import { type Profile, plainProfile } from '../config/profile.ts';
import { redactorFor, secretsIn } from './config.ts';

const command = (env: Readonly<Record<string, string>>): Profile => ({
  use: 'command',
  command: ['agent'],
  done: 'exit',
  prompt: 'stdin',
  env,
});

describe('the secrets of a project', () => {
  it('are what is configured for any agent, and what the environment calls so', () => {
    const agents = {
      one: command({ LOGIN: 'value-one' }),
      two: command({ OTHER: 'value-two', MODE: 'fast' }),
      actor: { use: 'scripted', script: 'script.json', done: 'exit', env: {} },
      coder: { ...plainProfile('codex'), env: { CODEX_API_KEY: 'value-four' } },
    } as const;
    const env = { SOME_TOKEN: 'value-three', LANG: 'en_GB.UTF-8' };
    expect([...secretsIn({ agents }, env)].sort()).toEqual([
      'value-four',
      'value-one',
      'value-three',
      'value-two',
    ]);
  });

  it('include the values of the headers that telemetry sends, without their names', () => {
    const env = { OTLP: 'authorization=Basic%20abcdefgh,x-team=longer-name' };
    const config = { agents: {}, telemetry: { headersEnv: 'OTLP' } };
    const secrets = secretsIn(config, env);
    expect(secrets).toEqual(expect.arrayContaining(['Basic%20abcdefgh', 'longer-name']));
    expect(secrets).not.toContain('authorization');
  });

  it('include the passwords in the address of the store, as they are and as they are written there', () => {
    const store = 'postgres://ada:open%20sesame@db/yard?sslpassword=second-one';
    const secrets = secretsIn({ agents: {}, store }, {});
    expect(secrets).toEqual(expect.arrayContaining(['open sesame', 'second-one']));
    expect(secretsIn({ agents: {}, store: 'sqlite' }, {})).toEqual([]);
    const shown = redactorFor({ agents: {}, store }, {});
    expect(shown.whole('login with open sesame, or open%20sesame')).toBe(
      'login with [redacted], or [redacted]',
    );
  });

  it('are taken out of what is shown', () => {
    const shown = redactorFor({ agents: { one: command({ LOGIN: 'value-one' }) } }, {});
    expect(shown.whole('it says value-one twice: value-one')).toBe(
      'it says [redacted] twice: [redacted]',
    );
  });

  it('are the tokens of all agents as well', () => {
    const shown = redactorFor({ agents: {} }, {});
    expect(shown.whole(`it has yard:r:t:1:${'0a'.repeat(32)}`)).toBe('it has [redacted]');
  });
});
