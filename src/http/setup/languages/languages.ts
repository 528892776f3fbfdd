import type { Context } from 'koa';
import { de } from './de.ts';
import { en, type Messages } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';

export const languages = { en, de, fr, es, ja } satisfies Record<string, Messages>;
export type Language = keyof typeof languages;
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', ja: '日本語' };
export const languageList = Object.keys(languageNames) as Language[];

/** `?lang=`, or what the browser prefers. `chosen` must be kept in the addresses of links and forms. */
export function readLanguage(ctx: Context): { language: Language; chosen: Language | undefined } {
  const chosen = languageList.find((language) => language === ctx.query['lang']);
  const preferred = ctx.acceptsLanguages(languageList);
  return { language: chosen ?? languageList.find((language) => language === preferred) ?? 'en', chosen };
}

/** A message with its placeholders replaced. The text is not escaped. */
export const fill = (message: string, values: Record<string, string> = {}): string =>
  message.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
