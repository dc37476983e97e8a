// `kill -9` from outside, at any moment, while agents are at work: they go on, are taken over and are not started again.

import { expect, test } from 'vitest';
import { expectWhole, notesOf } from '../rig/crash.ts';
import { killedAtWork } from '../rig/taken-over.ts';
import { until } from '../rig.ts';

test('an agent that is at work when the engine dies is taken over at the next start', async () => {
  const project = await killedAtWork();
  expect(project.leftovers().processes.join()).toContain('agent.sh');
  const resumed = project.start('resume');
  await resumed.until('resumed');
  project.signal('go');
  expect(await resumed.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(project, 'starts')).toEqual(['a 1 1']);
  await expectWhole(project, ['a']);
});

test('what an agent finished while no engine was there is landed, and it is not started again', async () => {
  const project = await killedAtWork();
  project.signal('go');
  await until(() => notesOf(project, 'effects').length === 1, 'the end of the agent');
  expect(await project.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(project, 'starts')).toEqual(['a 1 1']);
  await expectWhole(project, ['a']);
});

test('of two that resume at the same time one goes on and the other says who does', async () => {
  const project = await killedAtWork();
  const both = [project.start('resume'), project.start('resume')];
  await until(() => both.some((child) => child.isOver()), 'the end of one of the two');
  const [refused, driving] = both[0]?.isOver() ? both : [...both].reverse();
  if (refused === undefined || driving === undefined) throw new Error('Two were started');
  const end = await refused.end();
  expect(end.code).toBe(3);
  expect(end.stderr).toContain(String(driving.pid));
  expect(driving.isOver()).toBe(false);
  project.signal('go');
  expect(await driving.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notesOf(project, 'starts')).toEqual(['a 1 1']);
  await expectWhole(project, ['a']);
});
