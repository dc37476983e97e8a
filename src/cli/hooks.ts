import { listHooks, tryHooks } from '../app/hook-list.ts';
import { ok, usage } from '../model/failure.ts';
import { hooksText, triesText } from '../report/run/hooks.ts';
import { type Outcome, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print, warn } from './screen.ts';

export function run(call: Call): Promise<number> {
  const [action = 'list', point, stray] = call.args;
  const name = call.options.text('hook');
  return withStore(call, 'read', async (opened): Promise<Outcome> => {
    const extra = action === 'test' ? stray : (point ?? (name && '--hook'));
    if (extra !== undefined) return usage(`"${extra}" is unexpected`, 'See `ym hooks --help`.');
    if (action === 'test') {
      if (point === undefined) return usage('`test` takes a point', 'See `ym hooks --help`.');
      const tried = await tryHooks(opened, point, name);
      if (!tried.ok) return tried;
      const tries = { point, ...tried.value };
      print(call, tries, () => triesText(tries));
      // A test that tried nothing has not succeeded.
      return ok(tries.tried.length > 0 && tries.tried.every((one) => one.ok) ? 0 : 1);
    }
    const found = await listHooks(opened);
    if (!found.ok) return found;
    const { hooks, warnings, uncommitted } = found.value;
    if (!call.global.quiet) warn(warnings);
    return print(call, { hooks, uncommitted }, ({ style, width }) =>
      hooksText({ hooks, uncommitted }, style, width, clockOffset()),
    );
  });
}
