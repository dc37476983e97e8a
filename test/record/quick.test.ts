// Reads that do not open the whole store answer as the store does.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/port/store.ts';
import { quickStore } from '../../src/record/quick.ts';
import { describeStatus } from '../conformance/store-status.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject } from './run-folder.ts';

let place: TestProject;
beforeEach(() => {
  place = testProject();
});
afterEach(() => place.end());

it('A missing store counts as empty', async () => {
  const quick = quickStore(place.file);
  expect(need(await quick.ids('runs'))).toEqual([]);
  expect(need(await quick.status()).lastSeq).toBe(0);
});

describe('The quick store', () => {
  let store: Store;
  beforeEach(async () => {
    store = await place.open();
  });
  describeStatus(
    () => store,
    () => quickStore(place.file),
  );
});
