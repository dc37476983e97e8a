import { readEvents } from '../app/events.ts';
import { eventLine } from '../report/event/line.ts';
import { openProject } from '../wire/project.ts';
import { folderOf } from './open.ts';
import { printJson } from './output.ts';
import type { Call } from './parse.ts';
import { clockOffset, complain, screenOf } from './screen.ts';

/** Prints the log. The store is opened by the use case, because it may appear while the log is followed. */
export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  try {
    return await printed(call, project.value);
  } finally {
    await project.value.git.close();
  }
}

async function printed(call: Call, project: Parameters<typeof readEvents>[0]): Promise<number> {
  const { options } = call;
  const screen = screenOf(call);
  const how = { style: screen.style, width: screen.textWidth, offsetMin: clockOffset() };
  const reader = new AbortController();
  // Standard output is never closed; only its error shows that the reader is gone.
  process.stdout.once('error', () => reader.abort());
  const events = readEvents(project, {
    follow: options.flag('follow'),
    signal: reader.signal,
    run: options.text('run'),
    task: options.text('task'),
    after: options.number('after'),
    limit: options.number('limit'),
  });
  for await (const page of events) {
    if (reader.signal.aborted) break;
    if (!page.ok) return complain([page.failure]);
    if (options.flag('json')) for (const event of page.value) printJson(JSON.stringify(event));
    else {
      screen.lines(page.value.map((event) => eventLine(event, how)));
    }
    // A closed pipe is reported between two pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return 0;
}
