import type { JSX } from 'preact';
import { Raw, Sentence } from './text.tsx';

interface Failed {
  readonly what: string;
  readonly why: string;
  readonly do: string;
  readonly details?: readonly string[];
  readonly output?: readonly string[];
}

/** A failure: what happened, why, and what to do. */
export function Failure({ failure }: { readonly failure: Failed }): JSX.Element {
  const { what, why, details = [], output = [] } = failure;
  return (
    <div class="failure">
      <p class="what">
        <Sentence text={what} />
      </p>
      {why === '' ? null : (
        <p>
          <Sentence text={why} />
        </p>
      )}
      {details.length === 0 ? null : (
        <ul class="details">
          {details.map((line, at) => (
            <li key={at}>
              <Raw text={line} />
            </li>
          ))}
        </ul>
      )}
      {output.length === 0 ? null : (
        <pre class="output">
          <Raw text={output.join('\n')} />
        </pre>
      )}
      {failure.do === '' ? null : (
        <p class="do">
          <Sentence text={failure.do} />
        </p>
      )}
    </div>
  );
}
