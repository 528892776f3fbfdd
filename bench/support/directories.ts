import { request } from 'undici';

export interface BenchDirectory {
  id: string;
  scimPath: string;
  secret: string;
}

export interface DirectoriesOptions {
  baseUrl: string;
  apiKey: string;
  count: number;
  webhookUrl?: string | undefined;
  product?: string;
}

/** Both sides use the same request. All directories have one tenant, because Polis mixes up tenants that are written concurrently. */
export async function createDirectories({
  baseUrl,
  apiKey,
  count,
  webhookUrl,
  product = 'bench',
}: DirectoriesOptions): Promise<BenchDirectory[]> {
  const created: BenchDirectory[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { statusCode, body } = await request(`${baseUrl}/api/v1/directory-sync`, {
      method: 'POST',
      headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        tenant: 'bench',
        product,
        name: `Bench ${number}`,
        ...(webhookUrl && { webhook_url: webhookUrl, webhook_secret: 'bench' }),
      }),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`Could not create a directory: ${statusCode} ${text}`);
    const { data } = JSON.parse(text) as { data: { id: string; scim: { path: string; secret: string } } };
    created.push({ id: data.id, scimPath: data.scim.path, secret: data.scim.secret });
  }
  return created;
}

export async function removeDirectories(directories: BenchDirectory[], { baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  for (const { id } of directories) {
    const { body } = await request(`${baseUrl}/api/v1/directory-sync/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Api-Key ${apiKey}` },
    });
    await body.dump();
  }
}
