import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof themes)[number];

export const themeTitles: Record<Theme, string> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
  contrast: 'High contrast',
};

const key = 'drover-theme';
const listeners = new Set<() => void>();

const read = (): Theme => themes.find(one => one === localStorage.getItem(key)) ?? 'system';

export const useTheme = (): Theme =>
  useSyncExternalStore(listener => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, read);

export function setTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  showTheme();
  for (const listener of listeners) listener();
}

const moreContrast = matchMedia('(prefers-contrast: more)');

/** Shows the colours that somebody chose, and goes along when the system or another tab changes them. */
export function beginTheme(): void {
  showTheme();
  moreContrast.addEventListener('change', showTheme);
  window.addEventListener('storage', event => {
    if (event.key !== key) return;
    showTheme();
    for (const listener of listeners) listener();
  });
}

function showTheme(): void {
  const theme = read();
  const wantsContrast = theme === 'system' && moreContrast.matches;
  document.documentElement.dataset['theme'] = wantsContrast ? 'contrast' : theme;
}
