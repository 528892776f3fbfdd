import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { AttributeSchema, AttributeSchemaRequest } from '../../../client/generated/types.ts';
import { api, useAction } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { announce } from '../../parts/toasts.tsx';
import { describeSchemaChange } from './schema-changes.ts';

type Stored = AttributeSchema['attributes'];
type Type = Stored[number]['type'];

/** A row of the form. An empty type: the attribute is predefined, and has the type of its name. */
interface Typed {
  key: number;
  name: string;
  type: Type | '';
  isList: boolean;
  isRequired: boolean;
}

interface SchemaDialogProps {
  schema: AttributeSchema;
  onSaved(): void;
  onCancel(): void;
}

const types: Record<Type | '', string> = {
  '': 'Predefined',
  string: 'String',
  number: 'Number',
  boolean: 'Boolean',
  date: 'Date',
  object: 'Object',
};
const maxAttributes = 50;
const namePattern = '[a-z][a-z0-9_]{0,63}';

const toTyped = (attributes: Stored): Typed[] =>
  attributes.map(({ name, type, multi_valued: isList, required: isRequired }, key) => ({ key, name, type, isList, isRequired }));

const toRequested = (rows: Typed[]): AttributeSchemaRequest['attributes'] =>
  rows.map(({ name, type, isList, isRequired }) => ({ name, ...(type !== '' && { type, multi_valued: isList }), required: isRequired }));

/** Edits the attributes of a product. What changes is shown before it is saved, because it concerns every directory of the product. */
export function SchemaDialog({ schema: { product, attributes: stored }, onSaved, onCancel }: SchemaDialogProps) {
  const [rows, setRows] = useState(() => toTyped(stored));
  const [nextKey, setNextKey] = useState(stored.length);
  const [isReviewing, setIsReviewing] = useState(false);
  const [isOutdated, setIsOutdated] = useState(false);
  const save = useAction(() => api.attributes.setSchema({ product, attributes: toRequested(rows) }));
  const former = useAction(() => api.attributes.getSchema({ product }));
  const form = useRef<HTMLDivElement>(null);
  const focused = useRef<string | undefined>(undefined);
  // A button that is removed loses the focus: what comes after it takes it.
  useLayoutEffect(() => {
    if (focused.current === undefined) return;
    form.current?.querySelector<HTMLElement>(`[data-action="${focused.current}"]`)?.focus();
    focused.current = undefined;
  });
  const change = (key: number, changed: Partial<Typed>) => setRows(rows.map((row) => (row.key === key ? { ...row, ...changed } : row)));
  const remove = (place: number) => {
    const rest = rows.filter((_, other) => other !== place);
    const next = rest[Math.min(place, rest.length - 1)];
    focused.current = next ? `remove:${next.key}` : 'add';
    setRows(rest);
  };
  const add = () => {
    focused.current = `name:${nextKey}`;
    setRows([...rows, { key: nextKey, name: '', type: '', isList: false, isRequired: false }]);
    setNextKey(nextKey + 1);
  };
  const changes = describeSchemaChange(stored, toRequested(rows));
  const confirm = async () => {
    if (!isReviewing) return setIsReviewing(true);
    const present = await former.run();
    if (!present) return undefined;
    // The whole schema is replaced, so what others have saved meanwhile would be lost.
    if (JSON.stringify(present.data.attributes) !== JSON.stringify(stored)) return setIsOutdated(true);
    if (!(await save.run())) return undefined;
    announce('Saved the attributes.');
    return onSaved();
  };
  // Each dialog has its key, so that a second Enter on "Review" is not one on "Save".
  if (isReviewing)
    return (
      <ConfirmDialog
        key="review"
        title="Save the attributes?"
        confirm="Save"
        isRunning={save.isRunning || former.isRunning || isOutdated || changes.length === 0}
        error={save.error ?? former.error}
        onConfirm={() => void confirm()}
        onCancel={isOutdated ? onCancel : () => setIsReviewing(false)}
      >
        {changes.length === 0 ? (
          <p>Nothing has changed.</p>
        ) : (
          <ul class="stack">
            {changes.map((text) => (
              <li key={text} class="isolated">
                {text}
              </li>
            ))}
          </ul>
        )}
        <p>
          All directories of the product <strong class="isolated">{product}</strong> have these attributes. Their users are computed in the
          background, and each user who changes gets a user.updated.
        </p>
        {isOutdated && (
          <div class="note bad" role="alert">
            <p>Somebody else has changed the attributes. Cancel, and edit them again.</p>
          </div>
        )}
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog key="edit" title="Attributes of the product" confirm="Review" onConfirm={() => void confirm()} onCancel={onCancel}>
      <p class="soft">
        Users of the product <span class="isolated">{product}</span> have these in <code>custom_attributes</code>. A predefined attribute,
        such as <code>job_title</code>, needs only its name.
      </p>
      <div class="stack" ref={form}>
        {rows.map(({ key, name, type, isList, isRequired }, place) => (
          <div role="group" aria-label={`Attribute ${place + 1}`} class="attribute" key={key}>
            <label class="field">
              <span>Name {place + 1}</span>
              <input
                class="input"
                data-action={`name:${key}`}
                value={name}
                required
                pattern={namePattern}
                title="1 to 64 characters from a-z, 0-9 and _, beginning with a letter"
                maxLength={64}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => change(key, { name: event.currentTarget.value })}
              />
            </label>
            <label class="field">
              <span>Type {place + 1}</span>
              <select class="input" value={type} onChange={(event) => change(key, { type: event.currentTarget.value as Typed['type'] })}>
                {Object.entries(types).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
            <div class="line">
              {type !== '' && (
                <label class="check">
                  <input type="checkbox" checked={isList} onChange={() => change(key, { isList: !isList })} />
                  List {place + 1}
                </label>
              )}
              <label class="check">
                <input type="checkbox" checked={isRequired} onChange={() => change(key, { isRequired: !isRequired })} />
                Required {place + 1}
              </label>
              <button
                type="button"
                class="button small"
                data-action={`remove:${key}`}
                aria-label={`Remove attribute ${place + 1}`}
                onClick={() => remove(place)}
              >
                Remove
              </button>
            </div>
          </div>
        ))}
        {rows.length < maxAttributes && (
          <div class="actions">
            <button type="button" class="button small" data-action="add" onClick={add}>
              Add an attribute
            </button>
          </div>
        )}
      </div>
    </ConfirmDialog>
  );
}
