import { describe, expect, it } from 'vitest';
import { aTask } from '../../test/report/fixtures.ts';
import type { Task } from '../model/task.ts';
import { learnFiles, predictedFiles } from './learned-files.ts';
import { Places } from './places.ts';

function change(title: string, files: readonly string[], more: Partial<Task> = {}) {
  return { task: aTask('t', { title, ...more }), files };
}

describe('learned files', () => {
  const past = [
    change('Extend the grammar', ['src/parser.ts', 'CHANGELOG.md']),
    change('Fix the grammar', ['src/parser.ts', 'CHANGELOG.md']),
    change('Fix the colors', ['src/style.css', 'CHANGELOG.md'], { labels: ['ui'] }),
    change('Fix the margins', ['src/style.css', 'CHANGELOG.md'], { labels: ['ui'] }),
    change('Fix a typo', ['README.md', 'CHANGELOG.md']),
  ];

  it('go with words and labels that tell tasks apart', () => {
    const learned = learnFiles(past, []);
    expect(learned?.byWord).toEqual({
      grammar: ['src/parser.ts'],
      'label:ui': ['src/style.css'],
    });
  });

  it('go with files that change in the same commit, unless they always change', () => {
    const commits = [
      ['src/a.ts', 'src/a.test.ts', 'CHANGELOG.md'],
      ['src/a.ts', 'src/a.test.ts', 'CHANGELOG.md'],
      ['src/b.ts', 'CHANGELOG.md'],
      ['src/c.ts', 'CHANGELOG.md'],
      Array.from({ length: 31 }, (_, at) => `many/${at}.ts`),
    ];
    expect(learnFiles([], commits)?.together).toEqual({
      'src/a.ts': ['src/a.test.ts'],
      'src/a.test.ts': ['src/a.ts'],
    });
    expect(learnFiles([], [])).toBeUndefined();
  });

  it('fit into the settings of a run however long the history is', () => {
    const commits = Array.from({ length: 2_000 }, (_, at) => [
      `src/folder/file-${at % 900}.ts`,
      `src/folder/file-${at % 900}.test.ts`,
    ]);
    const size = JSON.stringify(learnFiles([], commits)).length;
    expect(size).toBeGreaterThan(1_000);
    expect(size).toBeLessThan(12_000);
  });
});

describe('predicted files', () => {
  it('are those a task names, those of its words, and those that change together with them', () => {
    const learned = {
      byWord: { grammar: ['src/parser.ts'] },
      together: { 'src/parser.ts': ['src/lexer.ts'], 'src/api.ts': ['docs/api.md'] },
    };
    const task = aTask('t', { title: 'Grammar of the constructor', body: 'See src/api.ts.' });
    expect(predictedFiles(task, undefined)).toEqual(['src/api.ts']);
    expect(predictedFiles(task, learned)).toEqual([
      'src/api.ts',
      'src/parser.ts',
      'docs/api.md',
      'src/lexer.ts',
    ]);
  });
});

describe('places', () => {
  it('take a folder for everything below it, in both directions', () => {
    const places = new Places();
    places.add(['src/a/b.ts', 'docs/']);
    for (const name of ['src/a/b.ts', 'src/a/', 'src/', 'docs/', 'docs/x/y.md']) {
      expect(places.has(name), name).toBe(true);
    }
    for (const name of ['src/a', 'src/a/c.ts', 'src/b/', 'doc/', 'a/b.ts']) {
      expect(places.has(name), name).toBe(false);
    }
  });
});
