import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { fieldNames } from '../config/source-mapping.ts';
import type { Task } from '../model/task.ts';
import { type Mapping, mappedKeys, readExport, readyMappings } from './mapping.ts';

const own: Mapping = {
  fields: {
    id: ['Key'],
    title: ['Name'],
    priority: ['Rank?'],
    after: ['Needs?'],
    status: ['State?'],
  },
  priorities: { Top: 0 },
  types: {},
  done: ['closed'],
  idPrefix: 'x-',
};

function read(text: string, mapping: Mapping, format: 'csv' | 'json' = 'csv'): readonly Task[] {
  const tasks = need(readExport(text, format, mapping, 'own'));
  return tasks;
}

function refused(text: string, mapping: Mapping, format: 'csv' | 'json' = 'csv') {
  const tasks = readExport(text, format, mapping, 'own');
  return tasks.ok ? [] : tasks.failure;
}

const ready = (name: string): Mapping => {
  const mapping = need(readyMappings[name]);
  return mapping;
};

describe('an export', () => {
  it('of Jira becomes tasks with priorities, labels, blockers and epics', () => {
    const text = [
      'Summary,Issue key,Issue Type,Status,Priority,Labels,Labels,Parent key,Description,Inward issue link (Blocks)',
      'Search,SHOP-1,Epic,To Do,Medium,,,,,',
      'Index,SHOP-2,Story,To Do,Highest,backend,search,SHOP-1,"First line',
      'second, line",SHOP-3',
      'Schema,SHOP-3,Task,Done,Low,,,SHOP-1,,',
      'Page,SHOP-4,Bug,In Progress,Low,,,SHOP-1,,SHOP-2',
    ].join('\r\n');
    expect(read(text, ready('jira'))).toMatchObject([
      { id: 'SHOP-1', title: 'Search', type: 'epic', after: [] },
      {
        id: 'SHOP-2',
        type: 'feature',
        priority: 0,
        labels: ['backend', 'search'],
        parent: 'SHOP-1',
        body: 'First line\nsecond, line',
        after: [],
      },
      { id: 'SHOP-4', type: 'bug', priority: 3, parent: 'SHOP-1', after: ['SHOP-2'] },
    ]);
  });

  it('of Linear splits lists in a cell, and leaves parents out that are not in the file', () => {
    const text = [
      '"ID","Title","Description","Status","Priority","Labels","Parent issue","Blocked by"',
      '"ENG-1","One","","Todo","Urgent","Bug, api","ENG-99",""',
      '"ENG-2","Two","","Backlog","No priority","","","ENG-1, ENG-3"',
      '"ENG-3","Three","","Canceled","Low","","",""',
    ].join('\n');
    const [one, two] = read(text, ready('linear'));
    expect(one).toMatchObject({ id: 'ENG-1', priority: 0, labels: ['Bug', 'api'] });
    expect(one).not.toHaveProperty('parent');
    expect(two).toMatchObject({ id: 'ENG-2', priority: 2, after: ['ENG-1'] });
  });

  it('as JSON may have its values in objects and lists', () => {
    const mapping: Mapping = {
      ...own,
      fields: { id: ['key'], title: ['fields.summary'], labels: ['fields.tags.name'] },
      idPrefix: '',
    };
    const row = { key: 'A-1', fields: { summary: 'Do it', tags: [{ name: 'x' }, { name: 'y' }] } };
    for (const value of [[row], { issues: [row] }]) {
      expect(read(JSON.stringify(value), mapping, 'json')).toMatchObject([
        { id: 'A-1', title: 'Do it', labels: ['x', 'y'] },
      ]);
    }
  });

  it('gives ids a prefix everywhere', () => {
    expect(read('Key,Name,Needs\n1,A,\n2,B,1\n', own)).toMatchObject([
      { id: 'x-1' },
      { id: 'x-2', after: ['x-1'] },
    ]);
  });

  it('is refused for a column that is not there, with those that are', () => {
    expect(refused('Key,Nmae,Rank\n1,A,Top\n', own)).toEqual([
      {
        line: 1,
        problem: 'there is no column "Name", which the mapping "own" names',
        remedy:
          'Did you mean "Nmae"? Columns here: Key, Nmae, Rank. Correct "sources.own.fields", or write "Name?" for a column that may be missing.',
      },
    ]);
  });

  it('is refused for a priority without a number, on its line', () => {
    expect(refused('Key,Name,Rank\n1,A,Top\n2,B,Bottom\n', own)).toEqual([
      {
        line: 3,
        problem: 'the priority "Bottom" is not known',
        remedy:
          'Add it to "sources.own.priorities" with a number from 0 (first) to 4 (last). Known: Top.',
      },
    ]);
  });

  it('is refused for a row without an id or with one that is used twice', () => {
    expect(refused('Key,Name\n,A\n', { ...own, idPrefix: '' })).toMatchObject([
      { line: 2, problem: '"id" (Key) is ""' },
    ]);
    expect(refused('Key,Name\n1,A\n1,B\n', own)).toMatchObject([
      { line: 3, problem: 'the id "x-1" is used a second time (first on line 2)' },
    ]);
  });

  it('is refused as JSON that is not a list of objects', () => {
    for (const text of ['{"tasks":[]}', '[1]', '"x"']) {
      expect(refused(text, own, 'json')).toMatchObject([
        { problem: 'it is not a list of objects' },
      ]);
    }
  });

  it('may be mapped to every key of a task in the config', () => {
    expect([...fieldNames].sort()).toEqual([...mappedKeys].sort());
  });
});
