// A child that does nothing, without and in each kind of sandbox. Bundled by bench/sandbox.mjs.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { harnesses } from '../src/agent/harnesses.ts';
import { cachePlaces, secretPlaces } from '../src/config/keys.ts';
import { noState } from '../src/port/sandbox.ts';
import { supervisor } from '../src/process/supervisor.ts';
import { findBubblewrap } from '../src/sandbox/probe.ts';
import { confineWith, type SandboxSettings } from '../src/sandbox/sandbox.ts';

/** Starts the child once, and gives the wall time until its end is recorded. */
export type Start = (round: number) => Promise<number>;

/** None without bubblewrap. */
export function starts(dir: string, proxy: string): Readonly<Record<string, Start>> {
  const bwrap = findBubblewrap(process.env.PATH);
  if (bwrap === undefined) return {};
  const [home, work] = [join(dir, 'home'), join(dir, 'slot')];
  for (const folder of [home, work]) mkdirSync(folder, { recursive: true });
  const write: SandboxSettings = {
    mode: 'write',
    bwrap,
    home,
    repository: join(dir, 'repo/.git'),
    root: join(dir, 'repo'),
    hidden: secretPlaces,
    writable: cachePlaces,
    variables: [],
    gateNetwork: true,
    gateUserns: false,
    hosts: [],
    proxy: [process.execPath, proxy],
    programs: [process.execPath, proxy],
    agents: Object.values(harnesses).map((harness) => harness.state({ HOME: home })),
  };
  const strict = { ...write, mode: 'strict' } as const;
  const listed = { ...strict, hosts: ['api.example.com'] };
  const start =
    (name: string, settings?: SandboxSettings, argv = ['/bin/true']): Start =>
    async (round) => {
      const children = supervisor(settings === undefined ? {} : { confine: confineWith(settings) });
      const begin = performance.now();
      const { how } = await children.run({
        dir: join(dir, 'turn'),
        name: `${name}-${round}`,
        argv,
        cwd: work,
        env: { PATH: process.env.PATH ?? '', HOME: home },
        limits: { wallMs: 60_000, outputBytes: 1_000_000 },
        confined: { role: 'agent', state: noState, variables: [] },
      });
      const ms = performance.now() - begin;
      if (how.id !== 'exited' || how.code !== 0) throw new Error(`${name}: ${JSON.stringify(how)}`);
      return ms;
    };
  return {
    none: start('none'),
    write: start('write', write),
    strict: start('strict', strict),
    'strict with hosts': start('listed', listed),
    'none, `node -e 0` as the child': start('node', undefined, [process.execPath, '-e', '0']),
  };
}
