import type { MappingPreview } from '../../../client/generated/types.ts';
import { Fact, Facts } from '../../parts/page.tsx';
import { countOf } from '../../parts/words.ts';
import { SampleUser } from './sample-user.tsx';

interface MappingSamplesProps {
  directoryId: string;
  preview: MappingPreview;
}

/** What a mapping gives to real users, and what it does not find. */
export function MappingSamples({ directoryId, preview: { checked, missing, samples } }: MappingSamplesProps) {
  const lacking = Object.entries(missing);
  return (
    <>
      {lacking.length > 0 && (
        <section class="block" aria-label="Missing values">
          <header>
            <h3>Missing, of {countOf(checked, 'user')}</h3>
          </header>
          <Facts>
            {lacking.map(([name, count]) => (
              <Fact key={name} name={name}>
                {countOf(count, 'user')} without a value
              </Fact>
            ))}
          </Facts>
        </section>
      )}
      {samples.map(({ id, custom_attributes: next, present_attributes: present }) => (
        <section class="block" key={id} aria-label={`User ${id}`}>
          <header>
            <h3>
              <SampleUser directoryId={directoryId} userId={id} />
            </h3>
          </header>
          <Facts>
            {[...new Set([...Object.keys(next), ...Object.keys(present ?? {})])].map((name) => (
              <Fact key={name} name={name}>
                <Value value={next[name]} />
                {textOf(next[name]) !== textOf(present?.[name]) && (
                  <span class="soft">
                    now <Value value={present?.[name]} />
                  </span>
                )}
              </Fact>
            ))}
          </Facts>
        </section>
      ))}
    </>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

const Value = ({ value }: { value: unknown }) =>
  value === undefined ? <span class="soft">no value</span> : <span class="isolated">{textOf(value)}</span>;
