import { resolve } from 'node:path';
import type { Project } from '../app/ports.ts';
import { usage } from '../model/failure.ts';
import { visible } from '../model/visible.ts';
import { plain } from '../report/format/style.ts';
import type { Drawing } from '../report/graph/drawing.ts';
import { formatFor, type GraphFormat, render } from '../report/graph/render.ts';
import { folderOf, type Outcome } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, print, screenOf } from './screen.ts';

/** Prints a drawing, or writes it to the file of `--out`, in the format of `--format` or of the file's ending. */
export async function printDrawing(
  call: Call,
  drawing: Drawing,
  { writeFile }: Pick<Project, 'writeFile'>,
): Promise<Outcome> {
  const { options } = call;
  const out = options.text('out');
  const asked = options.text('format') as GraphFormat | undefined;
  const format = asked ?? (out === undefined ? 'ascii' : formatFor(out));
  if (out === undefined || options.flag('json')) {
    return print(call, drawing, ({ style, width }) =>
      render(drawing, format ?? 'ascii', style, width)
        .trimEnd()
        .split('\n'),
    );
  }
  if (format === undefined) {
    const remedy =
      'Add --format ascii, mermaid, dot, svg or html, or use an ending such as .md, .svg or .html.';
    return usage(`the format for ${out} is unknown`, remedy);
  }
  const file = resolve(folderOf(call), out);
  const text = render(drawing, format, plain, screenOf(call).width, file);
  await writeFile(file, visible(text));
  return confirm(call, [`Wrote ${out}`]);
}
