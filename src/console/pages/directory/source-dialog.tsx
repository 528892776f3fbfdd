import { useState } from 'preact/hooks';
import type { AttributeMapping, AttributeSource } from '../../../client/generated/types.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { type LetterCase, letterCases, toSource, toTyped, type TypedOrigin } from './attribute-source.tsx';

type Attribute = AttributeMapping['effective'][number];
/** Undefined: the default source, which is none unless the attribute is predefined. */
export type Source = AttributeSource | null | undefined;

interface SourceDialogProps {
  attribute: Pick<Attribute, 'name' | 'type'>;
  source: Source;
  onApply(source: Source): void;
  onCancel(): void;
}

const kinds = {
  default: 'The default source; none, unless the attribute is predefined',
  own: 'Paths and constants',
  none: 'No value',
};
type Kind = keyof typeof kinds;

const maxOrigins = 10;
const maxLength = 500;
const kindOf = (source: Source): Kind => (source === undefined ? 'default' : source === null ? 'none' : 'own');

/** Where the value of one attribute comes from. Nothing is saved yet. */
export function SourceDialog({ attribute: { name, type }, source, onApply, onCancel }: SourceDialogProps) {
  const [kind, setKind] = useState(kindOf(source));
  const [origins, setOrigins] = useState<TypedOrigin[]>(source ? toTyped(source) : [{ kind: 'path', text: '' }]);
  const [letterCase, setLetterCase] = useState(source?.case);
  const apply = () => onApply(kind === 'default' ? undefined : kind === 'none' ? null : toSource(origins, type, letterCase));
  const change = (place: number, changed: Partial<TypedOrigin>) =>
    setOrigins(origins.map((origin, other) => (other === place ? { ...origin, ...changed } : origin)));
  return (
    <ConfirmDialog title={`Source of ${name}`} confirm="Apply" onConfirm={apply} onCancel={onCancel}>
      <fieldset class="choices">
        <legend>Where the value comes from</legend>
        {(Object.keys(kinds) as Kind[]).map((one) => (
          <label class="check" key={one}>
            <input type="radio" name="source" checked={kind === one} onChange={() => setKind(one)} />
            {kinds[one]}
          </label>
        ))}
      </fieldset>
      {kind === 'own' && (
        <>
          {origins.map((origin, place) => (
            <div class="origin" key={place}>
              <label class="field">
                <span>Kind {place + 1}</span>
                <select
                  class="input"
                  value={origin.kind}
                  onChange={(event) => change(place, { kind: event.currentTarget.value as TypedOrigin['kind'] })}
                >
                  <option value="path">Path</option>
                  <option value="constant">Constant</option>
                </select>
              </label>
              <label class="field">
                <span>Value {place + 1}</span>
                <input
                  class="input"
                  value={origin.text}
                  required={origin.kind === 'path'}
                  maxLength={maxLength}
                  autocomplete="off"
                  spellcheck={false}
                  onInput={(event) => change(place, { text: event.currentTarget.value })}
                />
              </label>
              {origins.length > 1 && (
                <button
                  type="button"
                  class="button"
                  aria-label={`Remove source ${place + 1}`}
                  onClick={() => setOrigins(origins.filter((_, other) => other !== place))}
                >
                  Remove
                </button>
              )}
            </div>
          ))}
          <p class="soft">
            The first one that has a value is used. A path has the syntax of SCIM, such as <code>title</code> or{' '}
            <code>emails[type eq "work"].value</code>.
          </p>
          {origins.length < maxOrigins && (
            <div class="actions">
              <button type="button" class="button small" onClick={() => setOrigins([...origins, { kind: 'path', text: '' }])}>
                Add a source
              </button>
            </div>
          )}
          {type === 'string' && (
            <label class="field">
              <span>Letters</span>
              <select
                class="input"
                value={letterCase ?? ''}
                onChange={(event) => setLetterCase((event.currentTarget.value || undefined) as LetterCase | undefined)}
              >
                <option value="">As they are</option>
                {Object.entries(letterCases).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}
