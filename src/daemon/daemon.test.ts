import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { here } from '../wire/place.ts';
import { Daemon } from './daemon.ts';
import { StateFile } from './state-file.ts';

/** A daemon without runs that follows one project with this config. */
async function following(config: string): Promise<{ daemon: Daemon; root: string; log: string[] }> {
  const root = tempFolder();
  writeFileSync(join(root, 'yardmaster.yaml'), config);
  const opened = need(StateFile.open(join(root, 'state.json')));
  const { state } = opened;
  state.save({ projects: [root] });
  const log: string[] = [];
  const daemon = new Daemon({
    here: { ...here, env: {} },
    dir: join(root, 'daemon'),
    version: '1',
    state,
    config: { jobs: 1, spawnsPerTick: 1, drainMs: 0, priority: 'normal' },
    log: (line) => log.push(line),
    sentence: ({ kind }) => kind,
  });
  onTestFinished(async () => {
    daemon.stop('now');
    await daemon.ended;
  });
  return { daemon, root, log };
}

test('a reload reports the invalid config of a project without a run', async () => {
  const { daemon, root, log } = await following('nonsense\n');
  const file = join(root, 'yardmaster.yaml');
  expect(await daemon.answer({ ask: 'reload' })).toMatchObject({
    ok: true,
    value: { answer: 'reloaded', problems: [{ kind: 'config-invalid', file }] },
  });
  expect(log).toContain('reload: this file is ignored. config-invalid');
  writeFileSync(file, 'jobs: 2\n');
  expect(await daemon.answer({ ask: 'reload' })).toMatchObject({ value: { problems: [] } });
});
