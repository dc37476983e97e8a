import { describe, expect, it } from 'vitest';
import { childEnv, gitEnv, gitOptions } from './env.ts';

const hostile = {
  PATH: '/bin',
  HOME: '/somewhere',
  GIT_DIR: '/elsewhere/.git',
  GIT_WORK_TREE: '/elsewhere',
  GIT_INDEX_FILE: '/elsewhere/index',
  GIT_COMMON_DIR: '/elsewhere',
  GIT_PREFIX: 'sub/',
  GIT_AUTHOR_NAME: 'Somebody',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_PARAMETERS: "'a.b=c'",
  GIT_CONFIG_GLOBAL: '/somewhere/config',
  GIT_SSH_COMMAND: 'ssh -i key',
  GIT_SSL_CAINFO: '/somewhere/ca.pem',
  LC_MESSAGES: 'de_DE.UTF-8',
  LANGUAGE: 'de',
  CLAUDECODE: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  CODEX_SANDBOX: 'seatbelt',
  OPENCODE: '1',
  YARD_TOKEN: 'of another run',
  GEMINI_CLI: '1',
  CLAUDE_CODE_OAUTH_TOKEN: 'secret',
  CODEX_HOME: '/somewhere/codex',
  ANTHROPIC_API_KEY: 'key',
};

describe('the environment of our own git', () => {
  const env = gitEnv(hostile);

  it('drops all git variables except the config locations and how other machines are reached', () => {
    const left = Object.keys(env).filter((name) => name in hostile && name.startsWith('GIT_'));
    expect(left).toEqual(['GIT_CONFIG_GLOBAL', 'GIT_SSH_COMMAND', 'GIT_SSL_CAINFO']);
  });

  it('never asks, speaks English and takes no lock it can do without', () => {
    expect(env).toMatchObject({ GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' });
    expect(env).not.toHaveProperty('LC_MESSAGES');
    expect(env).not.toHaveProperty('LANGUAGE');
  });

  it('leaves the rest as it is', () => {
    expect(env).toMatchObject({ PATH: '/bin', HOME: '/somewhere' });
  });

  it('omits undefined variables', () => {
    expect(gitEnv({ NOTHING: undefined })).not.toHaveProperty('NOTHING');
  });
});

describe('the environment of agents and gates', () => {
  const env = childEnv(hostile);

  it('has nothing of git nor of the session of another agent', () => {
    expect(Object.keys(env).sort()).toEqual([
      'ANTHROPIC_API_KEY',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CODEX_HOME',
      'GIT_CONFIG_GLOBAL',
      'HOME',
      'LANGUAGE',
      'LC_MESSAGES',
      'PATH',
    ]);
  });

  it.each([
    ['Claude Code', 'CLAUDE_CODE_SESSION_ID CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_PID AI_AGENT'],
    ['Codex', 'CODEX_CI CODEX_THREAD_ID CODEX_SANDBOX_NETWORK_DISABLED CODEX_MANAGED_BY_NPM'],
    ['OpenCode', 'OPENCODE OPENCODE_PID'],
    ['Gemini CLI', 'GEMINI_CLI GEMINI_CLI_TRUST_WORKSPACE'],
  ])('has no trace of %s around us', (_agent, names) => {
    const around = Object.fromEntries(names.split(' ').map((name) => [name, '1']));
    expect(childEnv(around)).toEqual({});
  });

  it('has no address of the store, which may contain a password', () => {
    const around = {
      YARDMASTER_STORE: 'postgres://ada:open-sesame@db/yard',
      YARDMASTER_JOBS: '2',
      PGHOST: 'db',
    };
    expect(childEnv(around)).toEqual({ YARDMASTER_JOBS: '2', PGHOST: 'db' });
  });

  it('keeps sign-ins and settings of agents, which begin with the same words', () => {
    const own = {
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '9',
      CLAUDE_CONFIG_DIR: '/c',
      CODEX_API_KEY: 'k',
      OPENCODE_CONFIG: '/o.json',
      GEMINI_CLI_HOME: '/g',
    };
    expect(childEnv(own)).toEqual(own);
  });
});

describe('the options of our own git', () => {
  it('turn off hooks, maintenance, signing, the monitor, recorded resolutions and replaced objects', () => {
    const text = gitOptions.join(' ');
    for (const setting of [
      'core.hooksPath=/dev/null',
      'gc.auto=0',
      'maintenance.auto=false',
      'commit.gpgSign=false',
      'core.fsmonitor=false',
      'merge.autoStash=false',
      'rerere.enabled=false',
      'core.useReplaceRefs=false',
    ]) {
      expect(text).toContain(`-c ${setting}`);
    }
  });
});
