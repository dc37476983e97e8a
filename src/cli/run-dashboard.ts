import { liveViews } from '../app/live.ts';
import type { Project } from '../app/ports.ts';
import type { Run } from '../app/run.ts';
import type { RunStep } from '../app/run-steps.ts';
import { ok } from '../model/failure.ts';
import { Dashboard } from './dashboard.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { type Progress, plainLines, removalText } from './progress.ts';
import { complain, type Screen } from './screen.ts';

/** The dashboard of a run that this process drives or follows. A person may switch to plain lines. */
export async function dashboardProgress(
  call: Call,
  screen: Screen,
  project: Project,
  run: Run,
): Promise<Progress> {
  const lines = plainLines(screen);
  const store = await project.openStore('read');
  if (!store.ok) {
    await complain([store.failure]);
    return lines;
  }
  const view = await liveViews(project, run);
  let news: RunStep[] = [];
  const drives = run.following === undefined;
  const dashboard = new Dashboard({ folder: folderOf(call), style: screen.style, drives });
  dashboard.open(view());
  const feed = {
    refresh: async () => ok(news.splice(0)),
    view,
    state: run.state,
    run: run.id,
  };
  dashboard.follow(feed, { ...project, store: store.value });
  let isDrawn = true;
  const ended = dashboard.ended.then(async (ending) => {
    if (ending === 'left') run.following?.leave();
    isDrawn = false;
    dashboard.close();
    await store.value.close();
    news = [];
  });
  return {
    on: (step) => {
      if (isDrawn) news.push(step);
      else lines.on(step);
    },
    say: (line) => (isDrawn ? dashboard.say(line) : lines.say(line)),
    removing: (removal, ms) => {
      if (isDrawn) dashboard.say(removalText(removal));
      else lines.removing(removal, ms);
    },
    async end() {
      await dashboard.program;
      dashboard.close();
      await ended;
    },
  };
}
