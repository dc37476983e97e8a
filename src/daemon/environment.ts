import { ok, type Result, usage } from '../model/failure.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that let every program load code of a file. */
const loaders = ['LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES'];
/** Options of Node that load code of a file, or open a port through which code is loaded. */
const loading =
  /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--inspect\S*)(?=[\s=]|$)/;
export const storeVariable = 'YARDMASTER_STORE';

/** Options of Node as it reads them: quotes do not count, and an underscore is a hyphen. */
const plain = (options: string): string => options.replace(/["'\\]/g, '').replaceAll('_', '-');

/** The environment of a caller as its run gets it, and the names of the variables that it does not get. */
export function passedOn(env: Environment): {
  readonly env: Environment;
  readonly dropped: readonly string[];
} {
  const dropped = Object.entries(env)
    .filter(([name, value = '']) => {
      return loaders.includes(name) || (name === 'NODE_OPTIONS' && loading.test(plain(value)));
    })
    .map(([name]) => name);
  const rest = Object.entries(env).filter(([name]) => !dropped.includes(name));
  return { env: Object.fromEntries(rest), dropped };
}

/** The daemon reads the records of a run itself, so both must have the same store. */
export function checkStore(caller: Environment, own: Environment): Result<void> {
  if ((caller[storeVariable] ?? '') === (own[storeVariable] ?? '')) return ok(undefined);
  return usage(
    `${storeVariable} is not the same here and in the daemon`,
    `Write the address to your config file (\`store\`), restart the daemon with the same ${storeVariable}, or use \`--foreground\`.`,
  );
}

/** Only runs are handed to the daemon, by `ym run` and `ym resume`, perhaps with a folder. */
export function checkWords(words: readonly string[]): Result<void> {
  const [command] = words[0] === '-C' ? words.slice(2) : words;
  if (command === 'run' || command === 'resume') return ok(undefined);
  return usage(
    'only `ym run` and `ym resume` are handed to the daemon',
    'Type the command itself.',
  );
}
