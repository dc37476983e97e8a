import type { BlockedCause } from './state.ts';

/** Completes the sentence "it is …", for one task or several. Most urgent first. */
export const blockedTexts: Readonly<Record<BlockedCause, string>> = {
  answer: 'awaiting an answer',
  approval: 'awaiting approval',
  revision: 'awaiting approval of a revised plan',
  choice: 'awaiting a choice',
  failure: 'stuck',
  person: 'blocked by you',
  parent: 'behind others',
};

/** Causes of the state `blocked`, most urgent first. */
export const blockedCauses = Object.keys(blockedTexts) as readonly BlockedCause[];
