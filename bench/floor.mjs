// floor.mjs AGENT SLOTS TASK… inside the repository: the least that has to be done, and no product. A pool of worktrees
// that are reset between tasks, merges without a checkout, one queue for landing. It keeps no state, judges nothing,
// survives nothing.
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const [agent, slots, ...tasks] = process.argv.slice(2);
const root = process.cwd();
const run = promisify(execFile);

async function git(cwd, ...args) {
  const { stdout } = await run('git', args, { cwd, maxBuffer: 2 ** 26 });
  return stdout.trim();
}

function wait(command, args, cwd, task) {
  const env = { ...process.env, YARD_TASK: task };
  return new Promise((done) => {
    spawn(command, args, { cwd, env, stdio: 'ignore' }).on('close', done);
  });
}

let tip = await git(root, 'rev-parse', 'main');
let landing = Promise.resolve();

async function land(task, head) {
  const tree = await git(root, 'merge-tree', '--write-tree', tip, head);
  const parents = ['-p', tip, '-p', head];
  tip = await git(root, 'commit-tree', tree, ...parents, '-m', task);
  await git(root, 'update-ref', 'refs/heads/landing', tip);
}

async function slot(number) {
  const dir = join(`${root}.trees`, `slot-${number}`);
  await git(root, 'worktree', 'add', '-q', '--detach', dir, tip);
  for (let isFirst = true; tasks.length > 0; isFirst = false) {
    const task = tasks.shift();
    if (!isFirst) {
      await git(dir, 'reset', '-q', '--hard', tip);
      await git(dir, 'clean', '-fdq');
    }
    await wait('sh', [agent], dir, task);
    await wait('sh', ['-c', 'true'], dir, task);
    const head = await git(dir, 'rev-parse', 'HEAD');
    landing = landing.then(() => land(task, head));
    await landing;
  }
}

await Promise.all(Array.from({ length: Number(slots) }, (_, index) => slot(index + 1)));
await git(root, 'merge', '-q', '--ff-only', tip);
await git(root, 'update-ref', '-d', 'refs/heads/landing');
