import type { Option } from './commands/row.ts';

export type Value = true | string | number | readonly string[];

/** The options of a call by name. Throws for an option that is not in the table or has another type. */
export class Options {
  readonly #types: ReadonlyMap<string, Option['type']>;
  readonly #values: ReadonlyMap<string, Value>;

  constructor(table: readonly Option[], values: ReadonlyMap<string, Value>) {
    this.#types = new Map(table.map(({ long, type }) => [long, type]));
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#value(name, 'boolean') === true;
  }

  text(name: string): string | undefined {
    const value = this.#value(name, 'string');
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.#value(name, 'number');
    return typeof value === 'number' ? value : undefined;
  }

  /** Empty if the option is absent. */
  list(name: string): readonly string[] {
    const value = this.#value(name, 'list');
    return Array.isArray(value) ? value : [];
  }

  #value(name: string, type: Option['type']): Value | undefined {
    const known = this.#types.get(name);
    if (known !== type) {
      throw new Error(`Option ${name} is read as ${type} and is ${known ?? 'not in the table'}`);
    }
    return this.#values.get(name);
  }
}
