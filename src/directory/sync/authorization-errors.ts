import { AppError } from '../../errors.ts';

export const alreadyAuthorized = () =>
  new AppError(
    'forbidden',
    'This directory is already authorized. To authorize it again, ask the person who sent you here for a new link.',
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

export const otherBrowser = () =>
  new AppError(
    'forbidden',
    'This authorization was started in another browser, or its cookie is gone. Nothing was changed. Open the link again in this browser, and allow it to set cookies.',
    { field: 'state' },
  );
