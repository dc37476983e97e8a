import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';

interface World {
  readonly user?: string;
  readonly project?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function load({ user, project, env = {} }: World) {
  const files = new Map([
    ['/repo/yardmaster.yaml', project],
    ['/user.yaml', user],
  ]);
  const named = user === undefined ? {} : { YARDMASTER_USER_CONFIG: '/user.yaml' };
  const readFile = (path: string) => files.get(path);
  return loadConfig({ root: '/repo', env: { ...env, ...named }, flags: {}, readFile });
}

function storeOf(world: World): string | undefined {
  const loaded = load(world);
  return loaded.ok ? loaded.value.store : undefined;
}

function messages(world: World): readonly string[] {
  const loaded = load(world);
  if (loaded.ok) return [];
  return loaded.failure.map((failure) =>
    failure.kind === 'config-invalid' ? `${failure.problem} → ${failure.remedy}` : failure.kind,
  );
}

describe('the store', () => {
  it('is SQLite if nothing else is said', () => {
    expect(storeOf({})).toBe('sqlite');
  });

  it('is set by the project, by the user for all projects, or by a variable', () => {
    const project = 'store: postgres://ada@db/yard';
    expect(storeOf({ project })).toBe('postgres://ada@db/yard');
    expect(storeOf({ user: 'store: postgres://ada@db/all' })).toBe('postgres://ada@db/all');
    const env = { YARDMASTER_STORE: 'postgres://ada@db/now' };
    expect(storeOf({ project, env })).toBe('postgres://ada@db/now');
    expect(storeOf({ project, env: { YARDMASTER_STORE: 'sqlite' } })).toBe('sqlite');
  });

  it.each(['mysql://ada@db/yard', 'postgres', 'yard.db', 'postgres://ada@db/yard?schema=A-B', '7'])(
    'is refused: %s',
    (store) => {
      const [message] = messages({ env: { YARDMASTER_STORE: store } });
      expect(message).toBe(
        `"store" is "${store}" → Write sqlite, or postgres://USER@HOST/DATABASE; ?schema=NAME chooses another schema.`,
      );
    },
  );

  it('is refused without printing a password in it', () => {
    const store = 'postgres://ada:open-sesame@db/yard?schema=A-B&password=open-too';
    for (const world of [{ project: `store: ${store}` }, { env: { YARDMASTER_STORE: store } }]) {
      const [message = ''] = messages(world);
      expect(message).toContain('postgres://ada:[redacted]@db/yard');
      expect(message).not.toContain('open');
    }
  });

  it('has no password in the project’s file, which is committed', () => {
    const store = 'store: postgres://ada:open-sesame@db/yard';
    expect(messages({ project: store })).toEqual([
      '"store" contains a password, and this file is committed → Leave the password out, and put it into YARDMASTER_STORE, your own config file or ~/.pgpass.',
    ]);
    expect(storeOf({ user: store })).toBe('postgres://ada:open-sesame@db/yard');
    const env = { YARDMASTER_STORE: 'postgres://ada:open-sesame@db/yard' };
    expect(storeOf({ project: 'store: postgres://ada@db/yard', env })).toBe(env.YARDMASTER_STORE);
  });
});
