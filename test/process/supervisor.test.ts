// The real supervisor, by the suite of its port. What only real processes can do is in the files beside this one.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOf } from '../../src/process/identity.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { longLine, poem } from '../conformance/process-lines.ts';
import { type Act, type ProcessesRig, processesConformance } from '../conformance/processes.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { untilFile } from './scratch.ts';

const loop = 'while :; do sleep 0.02; done';
const long = `head -c ${longLine} /dev/zero | tr '\\0' x; echo`;

const scripts: Record<Exclude<Act, 'missing'>, string> = {
  hello: 'echo hello',
  seven: 'exit 7',
  brief: 'sleep 0.5',
  silent: 'exec sleep 60',
  'speaks-once': 'echo here; exec sleep 60',
  floods: 'exec yes',
  poem: `printf '%s' '${poem}'`,
  'two-parts': 'echo first; sleep 0.5; echo second',
  leaves: 'echo done; sleep 0.3; echo bye',
  blurts: `echo short; ${long}; echo after`,
  'long-line': `echo short; ${long}; echo after; exec sleep 60`,
  stays: 'echo work; echo done; exec sleep 60',
  chatters: 'echo done; while :; do echo more; sleep 0.02; done',
  parts: `for s in INT TERM; do trap "echo SIG$s; exit" $s; done; echo up; ${loop}`,
};

/** Starts another process and waits until it has noted its pid. */
const birth = `setsid sh -c 'trap "" INT TERM; echo $$ >>"$0.family"; ${loop}' "$0" &
  until [ -s "$0.family" ]; do sleep 0.01; done`;

async function realRig(): Promise<ProcessesRig> {
  const dir = tempFolder();
  const processes = supervisor({ killGraceMs: 500, followMs: 50 });
  const argv = (act: Act, before: string): string[] =>
    act === 'missing'
      ? ['no-such-agent']
      : ['/bin/sh', '-c', `${before}; ${scripts[act]}`, join(dir, 'count')];
  return {
    processes,
    dir,
    argv: (act) => argv(act, 'echo . >>"$0.starts"'),
    family: (act) => argv(act, birth),
    async survivors() {
      const pids = readFileSync(join(dir, 'count.family'), 'utf8').trim().split('\n').map(Number);
      return pids.filter((pid) => startOf(pid) !== undefined).length;
    },
    passing: (promise) => promise,
    begun: (spec) => untilFile(join(spec.dir, `${spec.name}.pid`)),
    starts() {
      const file = join(dir, 'count.starts');
      return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
    },
    another: () => supervisor({ killGraceMs: 500, followMs: 50 }),
    async close() {},
  };
}

processesConformance('the supervisor', realRig);
