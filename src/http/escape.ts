const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, between tags and in quoted attributes. */
export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter]!);
