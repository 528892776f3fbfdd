import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { type Directory, pulledType } from '../directories/directory.ts';
import { directoryNotFound } from '../errors.ts';
import type { DirectoryStore } from '../ports.ts';

/** `purpose` completes the message for a directory that is pushed: it cannot be `synced`. */
export async function findPulledDirectory(
  directories: Pick<DirectoryStore, 'get'>,
  directoryId: string,
  purpose: 'synced' | 'authorized',
): Promise<Directory & { google: NonNullable<Directory['google']> }> {
  const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
  if (!directory) throw directoryNotFound();
  if (!directory.google)
    throw new AppError('invalid_request', `This directory is of type ${directory.type}: only one of type ${pulledType} can be ${purpose}.`);
  return { ...directory, google: directory.google };
}
