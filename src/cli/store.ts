import { type Moved, migrateStore, type StoreInfo, storeInfo } from '../app/store.ts';
import { type Result, usage } from '../model/failure.ts';
import { counted } from '../report/format/amount.ts';
import { openProject } from '../wire/project.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain, confirm, print } from './screen.ts';

export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  try {
    const done = await act(call, project.value);
    if (done.ok) return done.value;
    return complain([done.failure]);
  } finally {
    await project.value.git.close();
  }
}

async function act(call: Call, project: Parameters<typeof storeInfo>[0]): Promise<Result<number>> {
  const to = call.options.text('to');
  if (call.args[0] !== 'migrate') {
    if (to !== undefined) return usage('`--to` belongs to migrate', 'See `ym store --help`.');
    const info = await storeInfo(project);
    return info.ok ? print(call, info.value, () => infoLines(info.value)) : info;
  }
  if (to === undefined) return usage('`migrate` needs `--to`', 'See `ym store --help`.');
  const moved = await migrateStore(project, to);
  return moved.ok ? confirm(call, movedLines(moved.value), moved.value) : moved;
}

function infoLines({ store, format, events, bytes }: StoreInfo): readonly string[] {
  if (format === 0) return [`${store} (not created yet)`];
  const size = `${Math.max(1, Math.round(bytes / 1024)).toLocaleString('en-US')} KiB`;
  return [store, `${counted(events, 'event')}, ${size}, format ${format}`];
}

function movedLines(moved: Moved): readonly string[] {
  const { from, to, events, hash, isOverridden, hasPassword } = moved;
  return [
    `Moved ${counted(events, 'event')} from ${from} to ${to}; the logs are identical (sha256 ${hash.slice(0, 12)}).`,
    'yardmaster.yaml names the new store. Commit it. The old store is kept, and nothing is written to it any more.',
    ...(hasPassword
      ? [
          'The password was not written: put it into ~/.pgpass (mode 600), or the whole address into YARDMASTER_STORE.',
        ]
      : []),
    ...(isOverridden ? ['Set YARDMASTER_STORE to the new address, or unset it.'] : []),
  ];
}
