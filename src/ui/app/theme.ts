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

export function showTheme(): void {
  const theme = read();
  const wantsContrast = theme === 'system' && matchMedia('(prefers-contrast: more)').matches;
  document.documentElement.dataset['theme'] = wantsContrast ? 'contrast' : theme;
}
