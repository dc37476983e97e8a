import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { storeSetting } from './store-setting.ts';

describe('the store of a project', () => {
  let root: string;
  let user: string;
  beforeEach(() => {
    root = tempFolder();
    user = join(root, 'user.yaml');
    writeFileSync(user, '');
  });

  const project = (text: string): void => writeFileSync(join(root, 'yardmaster.yaml'), text);
  const setting = (env: Record<string, string> = {}) =>
    storeSetting(root, { YARDMASTER_USER_CONFIG: user, ...env });
  const shown = async (env?: Record<string, string>): Promise<string> => {
    const found = need(await setting(env));
    return found.kind === 'sqlite' ? 'sqlite' : found.shown;
  };

  it('is SQLite without any config', async () => {
    expect(await shown()).toBe('sqlite');
  });

  it('is SQLite if no file mentions it, even if the config is wrong elsewhere', async () => {
    project('jobs: many\nprompts: [restore.md]\n');
    expect(await shown()).toBe('sqlite');
  });

  it.each([
    'store: postgres://ada@db/yard\n',
    '{"jobs": 2, "store": "postgres://ada@db/yard"}\n',
    "jobs: 2\n'store' : postgres://ada@db/yard\n",
  ])('is what the project says: %j', async (text) => {
    project(text);
    expect(await shown()).toBe('postgres://ada@db/yard');
  });

  it('is what the user says, unless the project or a variable says something else', async () => {
    writeFileSync(user, 'store: postgres://ada:open-sesame@db/mine\n');
    expect(await shown()).toBe('postgres://ada@db/mine');
    project('store: postgres://ada@db/ours\n');
    expect(await shown()).toBe('postgres://ada@db/ours');
    const env = { YARDMASTER_STORE: 'postgres://ada:x@db/now?schema=shop' };
    expect(await shown(env)).toBe('postgres://ada@db/now?schema=shop');
    expect(await shown({ YARDMASTER_STORE: 'sqlite' })).toBe('sqlite');
  });

  it('is SQLite if the word is only in a comment', async () => {
    project('# store: see docs\njobs: 2\n');
    expect(await shown()).toBe('sqlite');
  });

  it('is unknown if the config that names it is wrong', async () => {
    project('store: mysql://db/yard\n');
    expect(await setting()).toMatchObject({ ok: false, failure: { kind: 'config-invalid' } });
  });

  it('is SQLite if a file cannot be read: those who need the config report it', async () => {
    mkdirSync(join(root, 'yardmaster.yaml'));
    expect(await shown()).toBe('sqlite');
  });
});
