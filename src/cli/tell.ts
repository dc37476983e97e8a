import { readingTime, tellAgent } from '../app/decide.ts';
import { asPerson } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';
import { textArgument } from './stdin.ts';

export function run(call: Call): Promise<number> {
  return asPerson(call, async (opened) => {
    const [id = '', word = ''] = call.args;
    // Refused before a person types the message.
    const before = await readingTime(opened, id);
    if (!before.ok) return before;
    const text = await textArgument(word, 'the message');
    if (!text.ok) return text;
    const read = await tellAgent(opened, id, text.value);
    return read.ok ? confirm(call, [`${id}: its agent reads this ${read.value}.`]) : read;
  });
}
