import { projectConfig } from '../app/config.ts';
import { daemonClient } from '../daemon/client.ts';
import { daemonPlace } from '../daemon/place.ts';
import { nextFirings } from '../daemon/schedule.ts';
import { ok, type Result } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import { type ScheduleRow, scheduleLines } from '../report/daemon/schedules.ts';
import { isoTime } from '../report/format/time.ts';
import { findPlace } from '../wire/place.ts';
import { openProject } from '../wire/project.ts';
import { version } from '../wire/version.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, complain, print, warn } from './screen.ts';

const shownTimes = 3;

/** Lists the schedules of a project and when they fire next. */
export async function run(call: Call): Promise<number> {
  const place = findPlace(folderOf(call));
  if (place === undefined) {
    const project = await settled(openProject(folderOf(call)));
    return project.ok ? 0 : complain([project.failure]);
  }
  const config = projectConfig({ root: place.root, env: process.env });
  if (!config.ok) return complain(config.failure);
  const now = Date.now();
  const rows: ScheduleRow[] = [];
  for (const [name, schedule] of Object.entries(config.value.schedules)) {
    const next = nextFirings(schedule, now, shownTimes) ?? [];
    const { cron, zone, task } = schedule;
    rows.push({ name, cron, zone: zone ?? 'local', title: task.title, next });
  }
  const followed = await isFollowed(place.root);
  if (!followed.ok) return complain([followed.failure]);
  if (rows.length > 0 && !followed.value) {
    warn(['no daemon follows this project; type `ym daemon start` here.']);
  }
  const schedules = rows.map((row) => ({ ...row, next: row.next.map(isoTime) }));
  const shown = print(call, { followed: followed.value, schedules }, (screen) =>
    scheduleLines(rows, clockOffset(), screen.style, screen.width),
  );
  return shown.ok ? shown.value : 0;
}

/** True if the daemon adds the tasks of this project's schedules. */
async function isFollowed(root: string): Promise<Result<boolean>> {
  const place = daemonPlace(process.env);
  const status = await daemonClient(place.socket, version()).ask({ ask: 'status' });
  return status.ok ? ok(status.value?.projects.includes(root) ?? false) : status;
}
