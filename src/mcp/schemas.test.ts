import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maxChars, newTask } from './schemas.ts';

describe('the schema of a task', () => {
  it('takes the fields of a plan file', () => {
    const task = {
      title: 'Add a login',
      body: 'With a password.',
      after: ['database'],
      paths: ['src/login'],
      acceptance: ['A wrong password is refused'],
      checks: ['npm test'],
      priority: 0,
    };
    expect(newTask.parse(task)).toEqual(task);
  });

  it.each([{}, { title: 7 }, { title: 'a', priority: 5 }, { title: 'a', after: 'b' }])(
    'refuses %j',
    (task) => {
      expect(newTask.safeParse(task).success).toBe(false);
    },
  );

  it('explains every field that a model could misunderstand', () => {
    const { properties = {} } = z.toJSONSchema(newTask);
    const unexplained = Object.entries(properties).filter(
      ([, field]) => typeof field === 'boolean' || field.description === undefined,
    );
    expect(unexplained.map(([name]) => name)).toEqual(['type', 'labels']);
  });
});

describe('the length of an answer', () => {
  it('has a default and bounds', () => {
    expect(maxChars.parse(undefined)).toBe(20_000);
    expect(maxChars.safeParse(1).success).toBe(false);
    expect(maxChars.safeParse(1e9).success).toBe(false);
  });
});
