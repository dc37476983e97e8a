import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { judgeHistory, makeRepository } from '../app/demo.ts';
import { fail, ok, type Result, unwritable } from '../model/failure.ts';
import { openProject, probe } from '../wire/project.ts';
import { files, plan } from './demo/project.ts';
import { script } from './demo/script.ts';
import type { Call } from './parse.ts';
import * as runs from './run.ts';
import { complain, screenOf } from './screen.ts';
import { graph } from './see.ts';
import { interruptedBySignals } from './signals.ts';

/** Runs scripted agents on a generated project, at no cost. */
export async function run(call: Call): Promise<number> {
  const keep = call.options.text('keep');
  const made = makeFolder(keep);
  if (!made.ok) return complain([made.failure]);
  const home = made.value;
  const project = join(home, 'project');
  const screen = screenOf(call);
  const say = (line: string): void => screen.lines([line]);
  try {
    // The demo must neither use nor change the user's own settings.
    process.env.YARDMASTER_STATE_DIR = join(home, 'state');
    process.env.XDG_CONFIG_HOME = join(home, 'config');
    writeFileSync(join(home, 'script.json'), JSON.stringify(script, null, 2));
    writeFileSync(join(home, 'plan.yaml'), plan);
    const repository = await makeRepository({ probe }, project, files);
    if (!repository.ok) return complain([repository.failure]);
    say(`Created a small project with tests, and eight tasks for scripted agents, in ${project}`);
    say('Two tasks break each other, two conflict, one hangs, and three form a chain.');
    say('');
    const jobs = String(call.options.number('jobs') ?? 3);
    const how = call.options.flag('plain') ? ['--plain'] : [];
    const words = ['run', '../plan.yaml', '--jobs', jobs, ...how];
    const code = await ym(runs.run, words, project, call);
    if (code !== 0) return code;
    say('');
    await ym(graph, ['graph', 'last'], project, call);
    say('');
    const judged = await historyOf(project);
    if (!judged.ok) return complain([judged.failure]);
    const { green, values } = judged.value;
    say(`Checked again: of the ${values} commits that main has pointed at, ${green} are green.`);
    say('');
    if (keep === undefined) {
      say('The project is deleted now; keep it with `ym demo --keep DIR`.');
    } else {
      say(`The project is in ${project}; start exploring with \`ym why add-receipt\`.`);
    }
    say('Next, in your own repository: `ym init`.');
    return green === values ? 0 : 5;
  } finally {
    if (keep === undefined) rmSync(home, { recursive: true, force: true });
  }
}

async function historyOf(dir: string): ReturnType<typeof judgeHistory> {
  const project = await openProject(dir);
  if (!project.ok) return project;
  const { signal, release } = interruptedBySignals();
  const how = { branch: 'main', command: 'node --test', signal };
  const judged = await judgeHistory(project.value, how);
  release();
  await project.value.git.close();
  return judged;
}

async function ym(
  handler: (call: Call) => Promise<number>,
  words: readonly string[],
  cwd: string,
  call: Call,
): Promise<number> {
  const color = call.global.color ? [] : ['--no-color'];
  const parsed = call.parse(['-C', cwd, ...color, ...words]);
  return parsed.ok ? handler(parsed.value) : complain([parsed.failure]);
}

function makeFolder(keep: string | undefined): Result<string> {
  if (keep === undefined) return ok(mkdtempSync(join(tmpdir(), 'ym-demo-')));
  const dir = resolve(keep);
  if (existsSync(dir) && readdirSync(dir).length > 0) {
    const problem = `${dir} already exists and is not empty`;
    return fail({ kind: 'usage', problem, remedy: 'Give --keep a new folder.' });
  }
  try {
    mkdirSync(dirname(join(dir, 'x')), { recursive: true });
    return ok(dir);
  } catch (error) {
    return fail(unwritable(dir, error));
  }
}
