// What an agent finds around it: a fresh home with the settings it needs to talk to the scripted server and to nobody
// else, and to fail fast where the server fails it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliName } from './clis.ts';

export interface Surroundings {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export interface Wishes {
  /** Base URL of the scripted server for each agent that will run. */
  readonly bases: Partial<Readonly<Record<CliName, string>>>;
  /** How often an agent asks again by itself. */
  readonly retries?: number;
  /** Signed in with a subscription instead of a key, where the agent knows the difference. */
  readonly subscription?: boolean;
}

/** The model that each agent asks for where the test names none; the server answers to any. */
export const models: Readonly<Record<CliName, string>> = {
  claude: 'claude-sonnet-5-5',
  codex: 'scripted-model',
  opencode: 'scripted/large',
  gemini: 'gemini-2.5-pro',
};

/** Whatever is not on this machine goes through a proxy that is not there. */
const proxy = 'http://127.0.0.1:9';
const direct = '127.0.0.1,localhost';
const loopbackOnly = {
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  http_proxy: proxy,
  https_proxy: proxy,
  NO_PROXY: direct,
  no_proxy: direct,
};

/** In a folder of its own unless the test has one. */
export function surroundings(
  wishes: Wishes,
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'ym-agents-'))),
): Surroundings {
  const home = join(dir, 'home');
  const tmp = join(dir, 'tmp');
  for (const folder of [home, tmp]) mkdirSync(folder);
  const { claude, codex, opencode, gemini } = wishes.bases;
  const retries = wishes.retries ?? 0;
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: tmp,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TZ: 'UTC',
    ...loopbackOnly,
    ...(claude === undefined ? {} : claudeEnv(claude, retries, wishes.subscription ?? false)),
    ...(codex === undefined ? {} : codexHome(home, codex, retries)),
    ...(opencode === undefined ? {} : opencodeEnv(home, opencode)),
    ...(gemini === undefined ? {} : geminiHome(home, gemini, retries)),
  };
  return { dir, env, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }) };
}

type Env = Readonly<Record<string, string>>;

function claudeEnv(base: string, retries: number, subscription: boolean): Env {
  return {
    ANTHROPIC_BASE_URL: base,
    ...(subscription
      ? { CLAUDE_CODE_OAUTH_TOKEN: 'scripted-token' }
      : { ANTHROPIC_API_KEY: 'scripted-key' }),
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}

function codexHome(home: string, base: string, retries: number): Env {
  mkdirSync(join(home, '.codex'));
  writeFileSync(
    join(home, '.codex', 'config.toml'),
    `model = "${models.codex}"
model_provider = "scripted"
check_for_update_on_startup = false
[features]
plugins = false
apps = false
remote_plugin = false
plugin_discovery_prefetch = false
unbounded_connection_retries = false
shell_snapshot = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${base}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
stream_idle_timeout_ms = 60000
`,
  );
  return { SCRIPTED_KEY: 'scripted-key' };
}

function opencodeEnv(home: string, base: string): Env {
  const noModels = join(home, 'models.json');
  writeFileSync(noModels, '{}');
  const limit = { context: 400_000, output: 8000 };
  const cost = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
  const config = {
    autoupdate: false,
    share: 'disabled',
    permission: 'allow',
    enabled_providers: ['scripted'],
    model: 'scripted/large',
    small_model: 'scripted/small',
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${base}/v1`, apiKey: 'scripted-key' },
        models: { large: { tool_call: true, limit, cost }, small: { limit } },
      },
    },
  };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    // Its own list has thousands of models, which it checks at each start for about 2.5 s of processor time.
    OPENCODE_MODELS_PATH: noModels,
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
  };
}

function geminiHome(home: string, base: string, retries: number): Env {
  mkdirSync(join(home, '.gemini'));
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      maxAttempts: retries + 1,
    },
  };
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
  return { GEMINI_API_KEY: 'scripted-key', GOOGLE_GEMINI_BASE_URL: base };
}
