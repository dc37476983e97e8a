import { changeSlots, type SlotsChanged, type SlotWish } from '../app/slots.ts';
import { fullStatus } from '../app/status.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { counted } from '../report/format/amount.ts';
import { slotLines } from '../report/status/status.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, print } from './screen.ts';

export function run(call: Call): Promise<number> {
  const wish = wishOf(call);
  const mode = wish.ok && wish.value === undefined ? 'read' : 'write';
  return withStore(call, mode, async (opened) => {
    if (!wish.ok) return wish;
    const name = call.options.text('run');
    if (wish.value !== undefined) {
      const changed = await changeSlots(opened, wish.value, name);
      if (!changed.ok) return changed;
      const { id: run, settings } = changed.value.run;
      const value = { run, jobs: settings.jobs, change: changed.value.change };
      return confirm(call, [effectOf(changed.value)], value);
    }
    const status = await fullStatus(opened, name);
    if (!status.ok) return status;
    const { run, slots } = status.value;
    const jobs = run.state === 'none' ? 0 : run.jobs;
    return print(
      call,
      { run: run.state === 'none' ? undefined : run.id, jobs, slots },
      (screen) => {
        const lines = slotLines(status.value, opened.clock.now(), screen.style, screen.width);
        return lines.length > 0 ? lines : ['No run is active here.'];
      },
    );
  });
}

/** The change that the call asks for; undefined if it only shows the slots. */
export function wishOf({
  args,
  options,
}: Pick<Call, 'args' | 'options'>): Result<SlotWish | undefined> {
  const [word] = args;
  const [pause, resume] = [options.number('pause'), options.number('resume')];
  const given = [word, pause, resume].filter((one) => one !== undefined).length;
  if (given > 1) {
    const remedy = 'Give a number, --pause N or --resume N.';
    return usage('`ym slots` makes one change at a time', remedy);
  }
  if (pause !== undefined) return ok({ id: 'pause', slot: pause });
  if (resume !== undefined) return ok({ id: 'resume', slot: resume });
  if (word === undefined) return ok(undefined);
  const count = /^[+-]?\d{1,3}$/.test(word) ? Number(word) : Number.NaN;
  if (Number.isNaN(count)) {
    return usage(
      `"${word}" is not a number of slots`,
      'Type `ym slots 6`, `ym slots +1` or `ym slots -1`.',
    );
  }
  return ok(/^[+-]/.test(word) ? { id: 'by', count } : { id: 'number', jobs: count });
}

function effectOf({ run, change }: SlotsChanged): string {
  switch (change.id) {
    case 'number': {
      const own = run.slots.filter(({ worker }) => worker === undefined).length;
      const note = own > change.jobs ? ' Agents in removed slots finish their turns.' : '';
      return `Run ${run.id} has ${counted(change.jobs, 'slot')} from now on.${note}`;
    }
    case 'pause':
      return `Slot ${change.slot} is paused: nothing new starts there, and an agent at work there finishes its turn. \`ym slots --resume ${change.slot}\` resumes it.`;
    case 'resume':
      return `Slot ${change.slot} takes work again.`;
  }
}
