/** What a model costs, in US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** By the name of the model; `default` stands for every other one. */
export type Prices = Readonly<Record<string, Price>>;
