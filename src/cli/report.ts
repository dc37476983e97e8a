import { resolve } from 'node:path';
import { topFailures } from '../app/failures.ts';
import { reportOn } from '../app/report.ts';
import { failuresText } from '../report/failures/frequent-failures.ts';
import { counted } from '../report/format/amount.ts';
import { reportHtml } from '../report/html/run-report.ts';
import { folderOf, withStore } from './open.ts';
import { noteDetail } from './output.ts';
import type { Call } from './parse.ts';
import { clockOffset, confirm, print } from './screen.ts';

export function report(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const found = await reportOn(opened, call.args[0], {
      offsetMin: clockOffset(),
      onAttempt: (done, all) => noteDetail(`${done} of ${counted(all, 'attempt')} read`),
    });
    if (!found.ok) return found;
    const out = call.options.text('out') ?? `ym-report-${found.value.summary.run}.html`;
    const file = resolve(folderOf(call), out);
    const text = reportHtml(found.value);
    await opened.writeFile(file, text);
    const size = `${Math.ceil(text.length / 1024).toLocaleString('en-US')} KB`;
    return confirm(call, [`Wrote ${out} (${size}). Open it in a browser.`], { file });
  });
}

export function failures(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const found = await topFailures(opened);
    if (!found.ok) return found;
    const { attempts, failures: all } = found.value;
    return print(call, found.value, ({ style, width }) =>
      failuresText(all, attempts, style, width),
    );
  });
}
