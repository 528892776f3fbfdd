import type { Rollcall } from '../library/index.ts';
import { toResponse, type Response } from './response.ts';
import type { Directory } from './types.ts';

export interface Google {
  generateAuthorizationUrl(request: { directoryId: string }): Promise<Response<{ authorizationUrl: string }>>;
  getAccessToken(request: { directoryId: string; code: string; state?: string }): Promise<Response<Credentials>>;
  setToken(request: { directoryId: string; accessToken: string; refreshToken: string }): Promise<Response<Directory>>;
}

interface Credentials {
  access_token?: string | null;
  refresh_token?: string | null;
  expiry_date?: number | null;
}

export function createGoogle({ google }: Rollcall): Google {
  return {
    generateAuthorizationUrl: async (request) => toResponse(await google.generateAuthorizationUrl(request)),
    getAccessToken: async (request) => toResponse(await google.getAccessToken(request)),
    setToken: async (request) => toResponse(await google.setToken(request)),
  };
}
