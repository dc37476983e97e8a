import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../../test/rig/temp-folder.ts';
import { Conversation, type ConversationOptions } from './conversation.ts';
import type { ClientEvent } from './event.ts';
import { invalidParams, methodNotFound } from './peer.ts';

let cwd: string;
let events: ClientEvent[];
beforeEach(() => {
  cwd = tempFolder();
  events = [];
});

const conversation = (files: ConversationOptions['files']): Conversation =>
  new Conversation({ cwd, files }, (event) => events.push(event));
const write = (files: ConversationOptions['files']) =>
  conversation(files).request('fs/write_text_file', { path: join(cwd, 'a.txt'), content: 'x' });
const leaveFor = (files: ConversationOptions['files'], kind: string) =>
  conversation(files).request('session/request_permission', {
    toolCall: { toolCallId: 't', title: kind, kind },
    options: [
      { optionId: 'yes', kind: 'allow_once' },
      { optionId: 'no', kind: 'reject_once' },
    ],
  });

it('an agent that works has its files written by the client', () => {
  expect(write('write')).toEqual({ result: {} });
  expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
});

it('an agent that reviews has nothing written, and a person can see that it wanted to', () => {
  expect(write('read')).toMatchObject({ error: { code: invalidParams } });
  expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  expect(events).toMatchObject([{ type: 'refused', method: 'fs/write_text_file' }]);
});

it('an agent that nothing holds in is offered no files at all', () => {
  expect(write('none')).toMatchObject({ error: { code: methodNotFound } });
});

it('a reviewer may only read', () => {
  const outcome = (optionId: string) => ({
    result: { outcome: { outcome: 'selected', optionId } },
  });
  expect(leaveFor('read', 'read')).toEqual(outcome('yes'));
  expect(leaveFor('read', 'execute')).toEqual(outcome('no'));
  expect(leaveFor('write', 'execute')).toEqual(outcome('yes'));
});
