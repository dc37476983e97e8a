import { runNamed } from '../app/lookup.ts';
import { isBalanced, readLedger } from '../app/summary.ts';
import { ok } from '../model/failure.ts';
import { ledgerCounts, ledgerText } from '../report/run/ledger.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

/** Exit status 1 when something is lost. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const { store } = opened;
    const [name] = call.args;
    const named = name === undefined ? ok(undefined) : await runNamed(store, name);
    if (!named.ok) return named;
    const entries = await readLedger(opened, store, named.value?.id);
    if (!entries.ok) return entries;
    const balanced = isBalanced(entries.value);
    const screen = screenOf(call);
    if (call.options.flag('json')) {
      screen.json({ balanced, counts: ledgerCounts(entries.value), entries: entries.value });
    } else {
      screen.lines(ledgerText(entries.value, screen.style, screen.width));
    }
    return ok(balanced ? 0 : 1);
  });
}
