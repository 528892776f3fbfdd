import type { RecordedRequest } from '../../../client/generated/types.ts';
import { api, useRead } from '../../api.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { oneOf, statusTone } from '../../parts/records.ts';
import { Status } from '../../parts/status.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { List } from '../../parts/table.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { Time } from '../../parts/time.tsx';
import { setQuery, useLocation } from '../../router.ts';
import type { TabProps } from './tab-props.ts';

/** As many as are kept. */
const keptRequests = 100;
/** As many as are kept about a user. */
const keptPerUser = 50;
const everyMs = 15_000;

const kinds = { failed: 'Failed', succeeded: 'Succeeded', writes: 'Changes' };
const queryOf = (kind: keyof typeof kinds | undefined) => (kind === 'writes' ? ({ writes: 'true' } as const) : { status: kind });

export function RequestsTab({ directory: { id } }: TabProps) {
  const { query } = useLocation();
  const kind = oneOf(query.get('status'), kinds);
  const user = query.get('user') ?? '';
  const read = useRead(
    (options) =>
      api.directories.requests(id, { limit: keptRequests, include_body: 'false', ...queryOf(kind), ...(user !== '' && { user }) }, options),
    [id, user, kind],
    { everyMs },
  );
  return (
    <>
      <Filters>
        <TextFilter name="user" label="User: whole ID, user name, email or external ID" />
        <ChoiceFilter name="status" label="Status" any="All requests" options={kinds} />
      </Filters>
      <p class="soft">
        {user === ''
          ? `The last ${keptRequests} requests of the identity provider, newest first, without passwords.`
          : `The last ${keptPerUser} requests about the user, newest first, also those that failed to create it. Bodies are kept of the last ${keptRequests} requests of the directory.`}
      </p>
      <List
        label="SCIM requests"
        read={read}
        keyOf={(request) => request.id}
        columns={[
          {
            title: 'Request',
            cell: (request) => (
              <>
                <code>
                  {request.method} {request.path}
                </code>
                <Details directoryId={id} request={request} />
              </>
            ),
          },
          { title: 'Status', cell: ({ status }) => <Status word={String(status)} tone={statusTone(status)} /> },
          { title: 'When', cell: ({ at }) => <Time at={at} /> },
          { title: 'Took', kind: 'number', cell: ({ duration_ms: ms }) => `${ms.toLocaleString()} ms` },
        ]}
        empty={
          kind === undefined && user === '' ? (
            <Empty title="The identity provider has sent nothing yet">
              <p>Enter the SCIM endpoint and the secret from the tab “Overview” at the identity provider, and test the connection there.</p>
            </Empty>
          ) : (
            <Empty title="No request matches">
              <button type="button" class="button" onClick={() => setQuery({ status: undefined, user: undefined })}>
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
  expired: `The body is not kept any more: the request is not among the last ${keptRequests} of the directory.`,
};

const hasBody = ({ body_state: state }: RecordedRequest) => state === 'complete' || state === 'truncated';

/** The list has no bodies: one is read when somebody opens it. */
function Details({ directoryId, request }: { directoryId: string; request: RecordedRequest }) {
  return (
    <>
      {request.detail && <p class="bad-text">{request.detail}</p>}
      {request.unknown_attributes.length > 0 && (
        <p class="soft">
          Without effect: <span class="isolated">{request.unknown_attributes.map(({ name }) => name).join(', ')}</span>
        </p>
      )}
      <Disclosure title="Body">
        <div class="stack">
          {hasBody(request) ? <Body directoryId={directoryId} request={request} /> : <p class="soft">{bodyStates[request.body_state]}</p>}
          <p class="soft">
            {request.user_agent && `${request.user_agent} · `}request <code>{request.request_id}</code>
          </p>
        </div>
      </Disclosure>
    </>
  );
}

function Body({ directoryId, request }: { directoryId: string; request: RecordedRequest }) {
  const { value, error, reload } = useRead(
    (options) => api.directories.request(directoryId, request.id, options),
    [directoryId, request.id],
  );
  if (error?.code === 'not_found') return <p class="soft">{bodyStates.expired}</p>;
  if (error) return <Failed error={error} retry={reload} />;
  if (!value) return <Loading />;
  return (
    <>
      <TextBlock title="Request body" text={value.data.body} none="Empty" />
      {request.body_state !== 'complete' && <p class="soft">{bodyStates[request.body_state]}</p>}
    </>
  );
}
