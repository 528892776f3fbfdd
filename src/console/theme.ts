const key = 'rollcall.theme';
const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const readTheme = (): Theme => themes.find((theme) => theme === window.localStorage.getItem(key)) ?? 'system';

/** Without a choice, the browser's setting decides. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    window.localStorage.removeItem(key);
    delete document.documentElement.dataset['theme'];
  } else {
    window.localStorage.setItem(key, theme);
    document.documentElement.dataset['theme'] = theme;
  }
}

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length]!;
