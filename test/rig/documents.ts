// Names that a document lists.

/** Words in backquotes in the rows of the first table below a heading. */
export function namedIn(text: string, heading: string): readonly string[] {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const rows =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => /^\| \w/.test(line)) ?? [];
  return rows
    .slice(1)
    .flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ''));
}
