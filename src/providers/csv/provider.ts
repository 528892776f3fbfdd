import type { FileKind, FileReader } from '../../directory/files/ports.ts';
import {
  type DirectoryProvider,
  type DirectorySource,
  ProviderError,
  type ProviderPage,
  type ProviderUser,
  type UploadedFiles,
} from '../../directory/sync/provider.ts';
import { type Cells, toGroup, toUser } from './records.ts';

const rowsPerPage = 200;
const partsPerPage = 4;

/** Files that were uploaded. Everything that they say has been checked by then, and lies in Postgres. */
export function createCsvProvider(reader: FileReader): DirectoryProvider {
  return {
    selectedBy: 'other files',
    checkSetup: () => noConsent,
    authorizationUrl() {
      throw new ProviderError('rejected', noConsent);
    },
    exchangeCode: () => Promise.reject(new ProviderError('rejected', noConsent)),
    open: ({ upload }) => createFileSource(reader, upload),
  };
}

const noConsent = 'A directory of type csv needs no consent: upload its files.';

function createFileSource(reader: FileReader, upload: UploadedFiles | undefined): DirectorySource {
  const found = new Map<FileKind, Promise<string | undefined>>();
  const list = async (kind: FileKind, toItem: (cells: Cells) => ProviderUser, after = ''): Promise<ProviderPage<ProviderUser>> => {
    const { directoryId } = assertUploaded(upload);
    const file = await find(kind);
    const rows = file === undefined ? [] : await reader.listRows(directoryId, file, after, rowsPerPage);
    return {
      items: rows.map(({ cells }) => toItem(cells)),
      listed: rows.length,
      ...(rows.length === rowsPerPage && { nextPageToken: rows.at(-1)!.externalId }),
    };
  };
  return {
    listUsers: ({ pageToken }) => list('users', toUser, pageToken),
    listGroups: ({ pageToken }) => list('groups', toGroup, pageToken),
    async listMembers(group, { pageToken = '0' }) {
      const { directoryId } = assertUploaded(upload);
      const file = await find('members');
      const parts = file === undefined ? [] : await reader.listMembers(directoryId, file, group, Number(pageToken), partsPerPage);
      const items = parts.flatMap(({ userIds }) => userIds.map((externalId) => ({ externalId })));
      return {
        items,
        listed: items.length,
        ...(parts.length === partsPerPage && { nextPageToken: String(parts.at(-1)!.line) }),
      };
    },
  };

  function find(kind: FileKind): Promise<string | undefined> {
    const { directoryId, setId } = assertUploaded(upload);
    const finding = found.get(kind) ?? reader.findFile(directoryId, setId, kind);
    found.set(kind, finding);
    return finding;
  }
}

function assertUploaded(upload: UploadedFiles | undefined): UploadedFiles {
  if (!upload) throw new ProviderError('rejected', 'The files are gone. Upload them again.');
  return upload;
}
