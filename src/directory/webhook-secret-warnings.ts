const recommendedLength = 16;

export interface Warning {
  code: 'short_webhook_secret';
  field: string;
  message: string;
}

/** Polis takes a secret of any length, and so do we; a short one can be guessed from a signed webhook. */
export function findWebhookSecretWarnings(field: string, secret: string | undefined): Warning[] {
  const { length } = secret?.replace(/^whsec_/, '') ?? '';
  if (!secret || length >= recommendedLength) return [];
  return [
    {
      code: 'short_webhook_secret',
      field,
      message: `${field} has ${length} characters: whoever sees a signed webhook can guess it. Use at least ${recommendedLength}, or leave it out to have one made.`,
    },
  ];
}
