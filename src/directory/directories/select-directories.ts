import { isId } from '../../ids.ts';
import { noDirectoryMatches } from '../errors.ts';
import type { DirectorySelector, DirectoryStore } from './ports.ts';

/** The directories that a query may read: at least one. */
export async function selectDirectories(directories: Pick<DirectoryStore, 'findIds'>, selector: DirectorySelector): Promise<string[]> {
  const found = 'directoryId' in selector && !isId(selector.directoryId) ? [] : await directories.findIds(selector);
  if (found.length === 0) throw noDirectoryMatches();
  return found;
}
