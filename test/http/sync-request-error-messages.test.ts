import { describe, expect, it } from '@jest/globals';
import { type MessageRow, useApiErrors } from '../support/api-errors.ts';

/** The error messages of requests for syncs and authorizations. Other tests compare `code` and `field`. */

const errors = useApiErrors();
const { send } = errors;

describe('a request for a sync', () => {
  it.each<MessageRow>([
    [
      'POST {pushed}/sync',
      undefined,
      '400 invalid_request',
      'This directory is of type generic-scim-v2: only one of type google, entra or csv can be synced.',
    ],
    ['POST {off}/sync', undefined, '400 invalid_request', 'This directory is deactivated: activate it first.'],
    [
      'POST {unauthorized}/sync',
      undefined,
      '400 invalid_request',
      'This directory is not authorized yet: send an administrator to its authorization URL first.',
    ],
    ['POST {authorized}/sync?confirm=', undefined, '400 invalid_request confirm', 'confirm must name the run that is confirmed.'],
    [
      'POST {authorized}/sync?confirm={run}',
      undefined,
      '400 invalid_request confirm',
      'confirm must name a run that needs a confirmation.',
    ],
    ['POST {authorized}/sync?confirm={unknown}', undefined, '404 not_found', 'There is no run with this ID.'],
    ['POST {authorized}/syncs/{run}/cancel', undefined, '400 invalid_request', 'This run has already ended.'],
    [
      'POST {pushed}/google/authorization-url',
      {},
      '400 invalid_request',
      'This directory is of type generic-scim-v2: only one of type google or entra can be authorized.',
    ],
    [
      'POST {authorized}/google/exchange',
      { code: 'x', state: 'x' },
      '400 invalid_request state',
      'This state is invalid, or belongs to another directory. Start the authorization again.',
    ],
    ['POST {authorized}/google/exchange', {}, '400 invalid_request code', 'code is required.'],
    [
      'POST {authorized}/google/token',
      { access_token: '', refresh_token: 'x' },
      '400 invalid_request access_token',
      'access_token must not be empty.',
    ],
    [
      'POST {authorized}/google/token',
      { access_token: 'x', refresh_token: 'x', expiry_date: 'x' },
      '400 invalid_request expiry_date',
      'expiry_date must be a time in ms since 1970.',
    ],
    ['GET /api/scim/oauth/authorize', undefined, '400 invalid_request directory_id', 'directory_id is required.'],
    [
      'GET /api/scim/oauth/authorize?directoryId={unknown}',
      undefined,
      '404 not_found',
      'There is nothing to authorize here: the link is mistyped, or its directory was deleted.',
    ],
    [
      'GET /api/scim/oauth/authorize?directoryId={authorized}',
      undefined,
      '403 forbidden',
      'This directory is already authorized. To authorize it again, ask the person who sent you here for a new link.',
    ],
    [
      'GET /api/scim/oauth/authorize?directoryId={service}',
      undefined,
      '403 forbidden',
      'This directory is read by a service account and needs no authorization.',
    ],
    [
      'GET /api/scim/oauth/callback?error=access_denied',
      undefined,
      '400 invalid_request',
      'Access was not granted. Nothing was changed; begin again to grant it.',
    ],
    [
      'GET /api/scim/oauth/callback?error=server_error',
      undefined,
      '400 invalid_request',
      'Access was not granted (server_error). Nothing was changed.',
    ],
    [
      'GET /api/scim/oauth/callback?state=x&code=x',
      undefined,
      '400 invalid_request state',
      'This state is invalid, or belongs to another directory. Start the authorization again.',
    ],
    ['GET /api/scim/oauth/callback?code=x', undefined, '400 invalid_request state', 'state is required.'],
  ])('fails with its message: %s', async (line, body, error, message) => {
    expect(await send(line, body)).toEqual([error, message]);
  });
});
