import { useState } from 'preact/hooks';
import type { AttributeMapping, AttributeSchema, DirectoryWithHealth } from '../../../client/generated/types.ts';
import { api, useAction, useRead } from '../../api.ts';
import { Status } from '../../parts/status.tsx';
import { ActionError, Empty, Failed, Loading, Outdated } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { countOf } from '../../parts/words.ts';
import { useMay, useSession } from '../../session.tsx';
import { SourceText } from './attribute-source.tsx';
import { ChangeActions } from './change-actions.tsx';
import { MappingSamples } from './mapping-samples.tsx';
import { RecomputeProgress } from './recompute-progress.tsx';
import { describeAttribute } from './schema-changes.ts';
import { SchemaDialog } from './schema-dialog.tsx';
import { type Source, SourceDialog } from './source-dialog.tsx';
import type { TabProps } from './tab-props.ts';

type Attribute = AttributeMapping['effective'][number];
/** What was edited here, by attribute. The rest is what others save meanwhile. */
type Edits = ReadonlyMap<string, Source>;

const everyMs = 5_000;

/** The attributes of the product, and where they come from in this directory. */
export function AttributesTab({ directory, reload: reloadDirectory }: TabProps) {
  const { id } = directory;
  const may = useMay();
  const { tenant, directory_id: only } = useSession();
  // A schema belongs to all tenants of a product.
  const maySetSchema = may('directories:write') && tenant === null && only === null;
  const { value, error, reload } = useRead((options) => api.attributes.getMapping(id, options), [id], { everyMs });
  const [edits, setEdits] = useState<Edits>(new Map());
  const [edited, setEdited] = useState<Attribute>();
  if (!value) return <div class="card">{error ? <Failed error={error} retry={reload} /> : <Loading />}</div>;
  const { attributes: stored, effective, recompute } = value.data;
  if (effective.length === 0)
    return (
      <div class="card">
        <Empty title="The product has no attributes">
          <p>Its attribute schema says which ones its users have.</p>
          {maySetSchema ? (
            <EditSchema product={directory.product} name="Add attributes" onSaved={reload} />
          ) : (
            <p>
              Whoever may change all tenants of the product sets it here, or with <code>rollcall mapping schema</code>.
            </p>
          )}
        </Empty>
      </div>
    );
  const attributes = merge(stored, edits);
  const request = { attributes };
  const apply = (attribute: Attribute, source: Source) => {
    setEdited(undefined);
    if (isSame(source, storedSource(stored, attribute.name))) setEdits(new Map([...edits].filter(([name]) => name !== attribute.name)));
    else setEdits(new Map([...edits, [attribute.name, source]]));
  };
  const saved = () => {
    setEdits(new Map());
    reload();
    reloadDirectory();
  };
  return (
    <>
      <Outdated error={error} />
      <RecomputeProgress recompute={recompute} />
      <MissingRequired directory={directory} />
      {maySetSchema && (
        <div class="actions">
          <EditSchema product={directory.product} name="Edit attributes" onSaved={saved} />
        </div>
      )}
      <div class="card">
        <Table
          label="Attributes"
          rows={effective}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Attribute', kind: 'name wide', cell: ({ name }) => name },
            { title: 'Type', cell: describeAttribute },
            {
              title: 'Source',
              cell: (attribute) =>
                edits.has(attribute.name) ? (
                  <span class="line">
                    <EditedSource source={edits.get(attribute.name)} /> <Status word="Not saved" tone="wait" />
                  </span>
                ) : (
                  <>
                    <SourceText source={attribute.source} /> {attribute.is_default && <span class="soft">(default)</span>}
                  </>
                ),
            },
            ...(may('directories:write')
              ? [
                  {
                    title: 'Actions',
                    cell: (attribute: Attribute) => (
                      <button
                        type="button"
                        class="button small"
                        aria-label={`Edit: ${attribute.name}`}
                        onClick={() => setEdited(attribute)}
                      >
                        Edit
                      </button>
                    ),
                  },
                ]
              : []),
          ]}
        />
      </div>
      <ChangeActions
        what="mapping"
        draft={JSON.stringify(request)}
        isChanged={edits.size > 0}
        preview={() => api.attributes.preview(id, request)}
        save={() => api.attributes.setMapping(id, request)}
        onSaved={saved}
        onDiscard={() => setEdits(new Map())}
      >
        {(preview) => <MappingSamples directoryId={id} preview={preview} />}
      </ChangeActions>
      {edited && (
        <SourceDialog
          attribute={edited}
          source={edits.has(edited.name) ? edits.get(edited.name) : storedSource(stored, edited.name)}
          onApply={(source) => apply(edited, source)}
          onCancel={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

type Stored = AttributeMapping['attributes'];

const storedSource = (stored: Stored, name: string): Source => (Object.hasOwn(stored, name) ? stored[name] : undefined);

const isSame = (one: Source, other: Source): boolean => JSON.stringify(one) === JSON.stringify(other);

const merge = (stored: Stored, edits: Edits): Stored =>
  Object.fromEntries(
    [...new Map<string, Source>([...Object.entries(stored), ...edits])].filter(
      (entry): entry is [string, NonNullable<Source> | null] => entry[1] !== undefined,
    ),
  );

/** Reads the schema when it is opened, so that it is the present one. */
function EditSchema({ product, name, onSaved }: { product: string; name: string; onSaved(): void }) {
  const read = useAction(() => api.attributes.getSchema({ product }));
  const [schema, setSchema] = useState<AttributeSchema>();
  const open = async () => {
    if (!read.isRunning) setSchema((await read.run())?.data);
  };
  const saved = () => {
    setSchema(undefined);
    onSaved();
  };
  return (
    <>
      {/* A disabled button would lose the focus, which the dialog gives back to it. */}
      <button type="button" class="button" onClick={() => void open()}>
        {name}
      </button>
      <ActionError error={read.error} />
      {schema && <SchemaDialog schema={schema} onSaved={saved} onCancel={() => setSchema(undefined)} />}
    </>
  );
}

const EditedSource = ({ source }: { source: Source }) =>
  source === undefined ? <span class="soft">Default</span> : <SourceText source={source} />;

/** Counted over all users, and only required attributes. A preview counts each attribute. */
function MissingRequired({ directory: { health } }: { directory: DirectoryWithHealth }) {
  const { users_missing_attributes: missing } = health;
  if (missing === 0) return null;
  return (
    <div class="note wait" role="status">
      <p>
        {missing > 10_000 ? 'More than 10,000 users lack' : countOf(missing, 'user lacks', 'users lack')} a required attribute. No user is
        rejected because of that. A preview shows which attributes are missing.
      </p>
    </div>
  );
}
