import { chooseVariant } from '../app/choose.ts';
import { nextStep, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened) => {
    const [id = '', which = ''] = call.args;
    const chosen = await chooseVariant(opened, id, which, call.options.text('reason'));
    if (!chosen.ok) return chosen;
    const { variant, willContinue } = chosen.value;
    return confirm(call, [`${variant} is chosen for ${id}; ${nextStep(willContinue)}`]);
  });
}
