const recommendedLength = 16;

export interface Warning {
  code: 'short_webhook_secret';
  field: string;
  message: string;
}

/** A secret may have any length, as in Polis, but a short one can be guessed from a signed webhook. */
export function findWebhookSecretWarnings(field: string, secret: string | undefined): Warning[] {
  const length = lengthIfShort(secret);
  if (length === undefined) return [];
  return [
    {
      code: 'short_webhook_secret',
      field,
      message: `${field} has ${length} characters: it can be guessed from a signed webhook. Use at least ${recommendedLength}, or leave it out to have one created.`,
    },
  ];
}

/** The operator's secret comes from a setting, and is never generated. */
export function findOperatorSecretWarnings(secret: string | undefined): string[] {
  const length = lengthIfShort(secret);
  if (length === undefined) return [];
  return [`WEBHOOK_SECRET has ${length} characters: it can be guessed from a signed webhook. Use at least ${recommendedLength}.`];
}

function lengthIfShort(secret: string | undefined): number | undefined {
  const { length } = secret?.replace(/^whsec_/, '') ?? '';
  return secret && length < recommendedLength ? length : undefined;
}
