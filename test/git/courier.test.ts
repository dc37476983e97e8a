// Commits travel through a shared repository with real git.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { checkOut, createReplica, gitCourier } from '../../src/git/courier.ts';
import type { Git } from '../../src/port/git.ts';
import type { Courier } from '../../src/port/workers.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let hub: string;
let replica: string;
let gits: Git[];
let here: Courier;
let there: Courier;

beforeEach(async () => {
  repo = tempRepo();
  hub = join(repo.base, 'hub.git');
  replica = join(repo.base, 'replica');
  repo.git('init', '-q', '--bare', hub);
  await createReplica(replica, process.env);
  gits = [repo.root, replica].map((dir) => gitCli(dir));
  const [one, two] = [repo.root, replica].map((dir, at) => {
    const git = gits[at] as Git;
    return gitCourier({ git, dir, remote: hub, run: 'r1', env: process.env });
  });
  here = one as Courier;
  there = two as Courier;
});
afterEach(async () => {
  for (const git of gits) await git.close();
});

const shared = (): string => repo.gitIn(hub, 'for-each-ref', '--format=%(refname)').trim();

it('a commit that is sent here is there after it is fetched, with all of its files', async () => {
  const start = repo.git('rev-parse', 'HEAD').trim();
  await here.send([start, start]);
  await there.fetch([start]);
  await checkOut(replica, { commit: start, identity: 'A B <a@b.c>' }, process.env);
  expect(repo.gitIn(replica, 'status', '--porcelain')).toBe('');
  expect(repo.gitIn(replica, 'rev-parse', 'HEAD').trim()).toBe(start);
  expect(repo.gitIn(replica, 'config', 'user.email').trim()).toBe('a@b.c');
  expect(shared()).toBe(`refs/yard/shared/r1/${start}`);
});

it('what is kept has its own name there, and stays when the run is over', async () => {
  const start = repo.git('rev-parse', 'HEAD').trim();
  await here.send([start]);
  const kept = { ref: 'refs/yard/keep/r1/a-1.stray1', commit: start };
  await here.keep([kept]);
  await here.keep([kept]);
  await here.clear();
  expect(shared()).toBe(kept.ref);
});

it('sending again and creating the repository again change nothing', async () => {
  const start = repo.git('rev-parse', 'HEAD').trim();
  await here.send([start]);
  const late = gitCourier({
    git: gits[0] as Git,
    dir: repo.root,
    remote: hub,
    run: 'r1',
    env: process.env,
  });
  await late.send([start]);
  await createReplica(replica, process.env);
  await there.fetch([start]);
  await there.fetch([start]);
  expect(shared()).toBe(`refs/yard/shared/r1/${start}`);
});

it('a commit that nobody has sent, and a remote that is gone, are failures', async () => {
  const lost = there.fetch(['0123456789012345678901234567890123456789']);
  await expect(lost).rejects.toMatchObject({ failure: { kind: 'git-failed' } });
  const start = repo.git('rev-parse', 'HEAD').trim();
  const remote = join(repo.base, 'nowhere.git');
  const git = gits[0] as Git;
  const nowhere = gitCourier({ git, dir: repo.root, remote, run: 'r1', env: process.env });
  const sent = nowhere.send([start]);
  await expect(sent).rejects.toMatchObject({ failure: { kind: 'git-failed' } });
});

it('clearing removes what was sent for the run, and nothing else', async () => {
  const start = repo.git('rev-parse', 'HEAD').trim();
  repo.git('push', '-q', hub, `${start}:refs/heads/main`);
  await here.send([start]);
  await here.clear();
  expect(shared()).toBe('refs/heads/main');
  await here.clear();
});

it('several processes may send the same commit at the same time', async () => {
  const start = repo.git('rev-parse', 'HEAD').trim();
  const git = gits[0] as Git;
  const part = { git, dir: repo.root, remote: hub, run: 'r1', env: process.env };
  const couriers = Array.from({ length: 8 }, () => gitCourier(part));
  await Promise.all(couriers.map((one) => one.send([start])));
  expect(shared()).toBe(`refs/yard/shared/r1/${start}`);
});

it('all that was sent for a run can be fetched at once', async () => {
  const first = repo.git('rev-parse', 'HEAD').trim();
  repo.git('commit', '-q', '--allow-empty', '-m', 'second');
  const second = repo.git('rev-parse', 'HEAD').trim();
  await here.send([first, second]);
  await there.fetchAll();
  for (const commit of [first, second]) {
    expect(repo.gitIn(replica, 'cat-file', '-t', commit).trim()).toBe('commit');
  }
  await here.clear();
  await there.fetchAll();
});

/** Courier to a server that closes the first `refused` connections and never answers the others. */
async function silentServer(onSilence: () => void, refused = 0): Promise<Courier> {
  let calls = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    calls += 1;
    if (calls <= refused) socket.destroy();
    else onSilence();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  const remote = `git://127.0.0.1:${(server.address() as AddressInfo).port}/hub.git`;
  const git = gits[0] as Git;
  return gitCourier({ git, dir: repo.root, remote, run: 'r1', env: process.env });
}

const calls: readonly [string, (lost: Courier, signal: AbortSignal) => Promise<unknown>][] = [
  ['push', (lost, signal) => lost.send([repo.git('rev-parse', 'HEAD').trim()], signal)],
  [
    'push of work that stays',
    (lost, signal) => {
      const commit = repo.git('rev-parse', 'HEAD').trim();
      return lost.keep([{ ref: 'refs/yard/keep/r1/a-1', commit }], signal);
    },
  ],
  ['list of kept work', (lost, signal) => lost.kept(signal)],
  ['removal', (lost, signal) => lost.clear({ signal })],
];
for (const [name, call] of calls) {
  it(`a ${name} at a server that does not answer ends when it is told to`, async () => {
    const told = new AbortController();
    const lost = await silentServer(() => told.abort());
    const ended = { failure: { kind: 'git-failed' } };
    await expect(call(lost, told.signal)).rejects.toMatchObject(ended);
    await expect(call(lost, told.signal)).rejects.toMatchObject(ended);
  });
}

it('a removal at a server that does not answer ends after the time for one call', async () => {
  const lost = await silentServer(() => {});
  const ended = { failure: { kind: 'git-failed' } };
  await expect(lost.clear({ callMs: 200 })).rejects.toMatchObject(ended);
});

it('a push that the server refuses ends when it is told to, although the server is silent after that', async () => {
  const told = new AbortController();
  const lost = await silentServer(() => told.abort(), 1);
  const sent = lost.send([repo.git('rev-parse', 'HEAD').trim()], told.signal);
  await expect(sent).rejects.toMatchObject({ failure: { kind: 'git-failed' } });
  expect(told.signal.aborted).toBe(true);
});
