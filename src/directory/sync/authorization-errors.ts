import { AppError } from '../../errors.ts';

export const alreadyAuthorized = () =>
  new AppError(
    'forbidden',
    'This directory is already authorized. To authorize it again, ask the person who sent you here for a new link.',
  );

/** A consent binds a directory to an account for good, so a second consent cannot move it to another account. */
export const accountMismatch = () =>
  new AppError('forbidden', 'The consent was given for another tenant than the one of this directory. Nothing was changed.', {
    field: 'tenant',
  });

export const accountInUse = () =>
  new AppError(
    'forbidden',
    'This tenant is already connected to another directory. Ask the person who sent you here to set the ID of your tenant first.',
    { field: 'tenant' },
  );

export const accountNarrowed = (field: string) =>
  new AppError(
    'key_narrowed',
    'This API key is narrowed: it cannot set the tenant that a directory reads. Let an administrator give consent at entra_authorization_url.',
    { field },
  );

export const stateUnknown = () =>
  new AppError('invalid_request', 'This state is invalid, or belongs to another directory. Start the authorization again.', {
    field: 'state',
  });

export const stateUsed = (directoryId?: string) =>
  new AppError(
    'invalid_request',
    `This authorization was already used, ${directoryId === undefined ? '' : 'is for another directory, '}or took longer than ten minutes. Start it again.`,
    { field: 'state' },
  );

export const browserMismatch = () =>
  new AppError(
    'forbidden',
    'This authorization was started in another browser, or its cookie is gone. Nothing was changed. Open the link again in this browser, and allow it to set cookies.',
    { field: 'state' },
  );
