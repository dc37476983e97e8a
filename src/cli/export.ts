import { extname, resolve } from 'node:path';
import { type ExportFormat, exportTasks } from '../app/export.ts';
import { ok, usage } from '../model/failure.ts';
import { counted } from '../report/format/amount.ts';
import { folderOf, withStore } from './open.ts';
import { printRaw } from './output.ts';
import type { Call } from './parse.ts';
import { listOptions } from './scope.ts';
import { confirm } from './screen.ts';

const endings: Readonly<Record<string, ExportFormat>> = {
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
};

export function exportAll(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const { options } = call;
    const out = options.text('out');
    const asked = options.text('format') as ExportFormat | undefined;
    const format = asked ?? (out === undefined ? 'json' : endings[extname(out).toLowerCase()]);
    if (format === undefined) {
      return usage(
        `the format for ${out} is unknown`,
        'Add --format json, yaml, markdown or mermaid, or use an ending such as .json, .yaml or .md.',
      );
    }
    const list = listOptions(call);
    if (!list.ok) return list;
    const exported = await exportTasks(opened, { format, ...list.value });
    if (!exported.ok) return exported;
    const { text, count } = exported.value;
    if (out === undefined) {
      printRaw(text);
      return ok(0);
    }
    await opened.writeFile(resolve(folderOf(call), out), text);
    return confirm(call, [`Wrote ${counted(count, 'task')} to ${out}`]);
  });
}
