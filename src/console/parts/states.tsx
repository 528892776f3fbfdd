import type { ComponentChildren } from 'preact';
import type { ClientError } from '../../client/result.ts';
import { textOf } from './error-text.ts';

export const Loading = () => (
  <div class="state" role="status">
    <p>Loading …</p>
  </div>
);

/** Says what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="state">
    <strong>{title}</strong>
    {children}
  </div>
);

export const Failed = ({ error, retry }: { error: ClientError; retry?: () => void }) => (
  <div class="state" role="alert">
    <strong>{error.code === 'not_found' ? 'Not found' : 'This could not be loaded'}</strong>
    <p>{textOf(error)}</p>
    {error.requestId && (
      <p>
        Request <code>{error.requestId}</code>
      </p>
    )}
    {retry && (
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    )}
  </div>
);

/** What a button or a form could not do. */
export const ActionError = ({ error }: { error: ClientError | undefined }) =>
  error ? (
    <div class="note bad" role="alert">
      <p>{textOf(error)}</p>
    </div>
  ) : null;

/** What is shown was read before, and could not be read again. */
export const Outdated = ({ error }: { error: ClientError | undefined }) =>
  error ? (
    <div class="note wait" role="status">
      <p>This may be outdated: {textOf(error)}</p>
    </div>
  ) : null;
