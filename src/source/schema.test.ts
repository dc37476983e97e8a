import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromJSONSchema, type z } from 'zod';
import { planJsonSchema, planSchema } from './schema.ts';

describe('the JSON Schema of a plan file', () => {
  const published = readFileSync(new URL('../../schemas/plan.json', import.meta.url), 'utf8');
  const schema = fromJSONSchema(JSON.parse(published) as z.core.JSONSchema.BaseSchema);

  it('is what `node scripts/schemas.mjs` writes', () => {
    expect(planJsonSchema()).toBe(published);
  });

  it.each([
    [{ tasks: [] }, true],
    [{ tasks: [{ title: 'Do it', after: 'a', checks: 'npm test', attempts: 3 }] }, true],
    [{ tasks: [{ title: 'Do it', after: ['a', 7], attempts: { best_of: 2 } }] }, true],
    [{ tasks: [{ title: 'Do it', priority: 'P1', wait: ['pull 3'] }] }, true],
    [{}, false],
    [{ tasks: {} }, false],
    [{ tasks: [{ id: 'a' }] }, false],
    [{ tasks: [{ title: 'Do it', afetr: 'a' }] }, false],
    [{ tasks: [{ title: 'Do it', priority: 9 }] }, false],
  ])('says of %j what the reader of plan files says', (plan, isRight) => {
    expect(schema.safeParse(plan).success).toBe(isRight);
    expect(planSchema.safeParse(plan).success).toBe(isRight);
  });

  it('takes a plain list of tasks, as the reader does', () => {
    expect(schema.safeParse([{ title: 'Do it' }]).success).toBe(true);
    expect(schema.safeParse([{ id: 'a' }]).success).toBe(false);
  });
});
