import { daemonLimits } from '../model/daemon.ts';
import { key } from './key.ts';
import { choice, duration, whole } from './values.ts';

const ofUser = 'read from your own config file and the environment';

/** Keys of the daemon; see docs/daemon.md. */
export const daemonKeys = {
  daemon: {
    jobs: key('daemon.jobs', whole(1, daemonLimits.jobsMax), {
      default: daemonLimits.jobsDefault,
      doc: `Agents of all projects together that run at the same time under the daemon; ${ofUser}`,
    }),
    spawnsPerTick: key('daemon.spawns_per_tick', whole(1, daemonLimits.spawnsPerTickMax), {
      default: daemonLimits.spawnsPerTickDefault,
      doc: `Agents of all projects together that may start within one second under the daemon; ${ofUser}`,
    }),
    drainMs: key('daemon.drain', duration, {
      default: daemonLimits.drainDefaultMs,
      doc: `Time that agents have to finish their turns after \`ym daemon stop\`; ${ofUser}`,
    }),
    priority: key('daemon.priority', choice(['high', 'normal', 'low']), {
      default: 'normal',
      doc: 'Share of the slots that the runs of this project get from the daemon: `high` is twice and `low` half of `normal`',
    }),
  },
} as const;
