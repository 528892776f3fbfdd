import type { RecordedRequest } from '../../../client/generated/types.ts';
import { api, useRead } from '../../api.ts';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { oneOf, statusTone } from '../../parts/records.ts';
import { Status } from '../../parts/status.tsx';
import { Empty } from '../../parts/states.tsx';
import { List } from '../../parts/table.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { Time } from '../../parts/time.tsx';
import { setQuery, useLocation } from '../../router.ts';
import type { TabProps } from './tab-props.ts';

/** As many as are kept. */
const keptRequests = 100;
/** The API lists requests with their bodies only, which may be large. */
const everyMs = 15_000;

const kinds = { failed: 'Failed', succeeded: 'Succeeded', writes: 'Changes' };
const isOfKind: Record<keyof typeof kinds, (request: RecordedRequest) => boolean> = {
  failed: ({ status }) => status >= 400,
  succeeded: ({ status }) => status < 400,
  writes: ({ method }) => method !== 'GET',
};

export function RequestsTab({ directory: { id } }: TabProps) {
  const kind = oneOf(useLocation().query.get('status'), kinds);
  const read = useRead((options) => api.directories.requests(id, { limit: keptRequests }, options), [id], { everyMs });
  const value = read.value && { ...read.value, data: kind ? read.value.data.filter(isOfKind[kind]) : read.value.data };
  return (
    <>
      <Filters>
        <ChoiceFilter name="status" label="Status" any="All requests" options={kinds} />
      </Filters>
      <p class="soft">The last {keptRequests} requests of the identity provider, newest first, without passwords.</p>
      <List
        label="SCIM requests"
        read={{ ...read, value }}
        keyOf={(request) => request.id}
        columns={[
          {
            title: 'Request',
            cell: (request) => (
              <>
                <code>
                  {request.method} {request.path}
                </code>
                <Details request={request} />
              </>
            ),
          },
          { title: 'Status', cell: ({ status }) => <Status word={String(status)} tone={statusTone(status)} /> },
          { title: 'When', cell: ({ at }) => <Time at={at} /> },
          { title: 'Took', kind: 'number', cell: ({ duration_ms: ms }) => `${ms.toLocaleString()} ms` },
        ]}
        empty={
          kind === undefined ? (
            <Empty title="The identity provider has sent nothing yet">
              <p>Enter the SCIM endpoint and the secret from the tab “Overview” at the identity provider, and test the connection there.</p>
            </Empty>
          ) : (
            <Empty title="No request matches">
              <button type="button" class="button" onClick={() => setQuery({ status: undefined })}>
                Show all requests
              </button>
            </Empty>
          )
        }
      />
    </>
  );
}

const bodyStates: Partial<Record<RecordedRequest['body_state'], string>> = {
  none: 'The request had no body.',
  truncated: 'Only the beginning of the body is kept.',
  unread: 'The body was not read.',
  redacted: 'The body is not kept.',
};

const Details = ({ request }: { request: RecordedRequest }) => (
  <>
    {request.detail && <p class="bad-text">{request.detail}</p>}
    {request.unknown_attributes.length > 0 && (
      <p class="soft">
        Without effect: <span class="isolated">{request.unknown_attributes.map(({ name }) => name).join(', ')}</span>
      </p>
    )}
    <details>
      <summary>Body</summary>
      <div class="stack">
        <TextBlock title="Request body" text={request.body} none={bodyStates[request.body_state] ?? 'Empty'} />
        {request.body && request.body_state !== 'complete' && <p class="soft">{bodyStates[request.body_state]}</p>}
        <p class="soft">
          {request.user_agent} · request <code>{request.request_id}</code>
        </p>
      </div>
    </details>
  </>
);
