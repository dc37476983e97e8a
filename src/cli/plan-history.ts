import { planVersion, planVersions } from '../app/plan-history.ts';
import { usage } from '../model/failure.ts';
import { dayTime } from '../report/format/time.ts';
import { importDiff, importDiffText } from '../report/run/import-diff.ts';
import { consentText, planHistoryText } from '../report/run/plan-history.ts';
import { type Outcome, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, print } from './screen.ts';

/** `ym plan history`: the versions of the plan, or what changed in one of them. */
export function showHistory(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store }): Promise<Outcome> => {
    const [, word, ...more] = call.args;
    if (more.length > 0 || (word !== undefined && !/^[1-9]\d{0,8}$/.test(word))) {
      const remedy = 'Type `ym plan history 3`; a folder of that name is `./history`.';
      return usage('`ym plan history` takes the number of one version', remedy);
    }
    const offset = clockOffset();
    if (word === undefined) {
      const versions = await planVersions(store);
      if (!versions.ok) return versions;
      return print(call, { versions: versions.value }, ({ style, width }) =>
        planHistoryText(versions.value, { style, width, offset }),
      );
    }
    const version = await planVersion(store, Number(word));
    if (!version.ok) return version;
    const { number, at, from, added, changed, canceled, proposal } = version.value;
    const diff = importDiff(added, changed, canceled);
    const origin = from.length === 0 ? '' : ` from ${from.join(', ')}`;
    const about = { number, at, from, proposal, diff };
    const verb = proposal === undefined ? 'stored' : 'proposed';
    return print(call, about, ({ width }) => [
      `Version ${number}, ${verb} ${dayTime(at, offset)}${origin}`,
      ...(proposal === undefined ? [] : [consentText(proposal)]),
      ...importDiffText(diff, width),
    ]);
  });
}
