#!/usr/bin/env node
// The client of a chat-completions endpoint: sends standard input as one question and prints the answer. Usage goes to
// standard error, so that the answer is all of standard output.
import { readFileSync } from 'node:fs';
import { askChat, chatKeyVariable } from './request.ts';

async function exitCode(): Promise<number> {
  const [url = '', model = ''] = process.argv.slice(2);
  const key = process.env[chatKeyVariable];
  const answer = await askChat({ url, model, key, prompt: readFileSync(0, 'utf8') });
  if (!answer.ok) {
    process.stderr.write(`${answer.problem}\n`);
    return 1;
  }
  if (answer.usage !== undefined) {
    process.stderr.write(`${JSON.stringify({ type: 'usage', ...answer.usage })}\n`);
  }
  process.stdout.write(`${answer.text}\n`);
  return 0;
}

// Remains the exit status if the process ends before the answer because no work is pending. That is a bug.
process.exitCode = 70;
void exitCode().then((code) => {
  process.exitCode = code;
});
