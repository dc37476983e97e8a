// The real supervisor, by the suite of its port. What only real processes can do is in the files beside this one.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { supervisor } from '../../src/process/supervisor.ts';
import { type Act, type ProcessesRig, processesConformance } from '../conformance/processes.ts';
import { scratch, untilFile } from './scratch.ts';

const scripts: Record<Exclude<Act, 'missing'>, string> = {
  hello: 'echo hello',
  seven: 'exit 7',
  brief: 'sleep 0.5',
  silent: 'exec sleep 60',
  'speaks-once': 'echo here; exec sleep 60',
  floods: 'exec yes',
};

async function realRig(): Promise<ProcessesRig> {
  const { dir, remove } = scratch();
  const processes = supervisor({ killGraceMs: 500, followMs: 50 });
  return {
    processes,
    dir,
    argv(act) {
      if (act === 'missing') return ['no-such-agent'];
      return ['/bin/sh', '-c', `echo . >>"$0.starts"; ${scripts[act]}`, join(dir, 'count')];
    },
    passing: (promise) => promise,
    begun: (spec) => untilFile(join(spec.dir, `${spec.name}.pid`)),
    starts() {
      const file = join(dir, 'count.starts');
      return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
    },
    another: () => supervisor({ killGraceMs: 500, followMs: 50 }),
    async close() {
      remove();
    },
  };
}

processesConformance('the supervisor', realRig);
