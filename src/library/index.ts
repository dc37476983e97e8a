/** Entry of the library: `import { openYard } from 'yardmaster'`. */
export { openYard } from './open-yard.ts';
export type * from './yard.ts';
