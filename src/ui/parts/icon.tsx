const paths = {
  home: 'M3 11l9-8 9 8M5 10v10h5v-6h4v6h5V10',
  clusters: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  explore: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16.5 16.5L21 21',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16.5 16.5L21 21',
  services: 'M4 5h16v5H4zM4 14h16v5H4zM8 7.5h.01M8 16.5h.01',
  workflow: 'M4 4h6v6H4zM14 14h6v6h-6zM10 7h7v7',
  machine: 'M3 5h18v11H3zM9 20h6M12 16v4',
  people: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-1a7 7 0 0 1 14 0v1M17 3.5a4 4 0 0 1 0 7M22 21v-1a7 7 0 0 0-4-6',
  audit: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  graph:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM18 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM6 21a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM8.300 6.500l7.400 4M8.300 17.500l7.400-4',
  good: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12.500l2.700 2.700L16 9.500',
  warn: 'M12 4l9.500 16h-19zM12 10v4.500M12 17.200v.1',
  bad: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9l6 6M15 9l-6 6',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5.500M12 7.600v.1',
  idle: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12h8',
  busy: 'M12 3a9 9 0 1 0 9 9',
  close: 'M5 5l14 14M19 5L5 19',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  columns: 'M4 4h16v16H4zM10 4v16M15 4v16',
  compare: 'M8 20V4M4 8l4-4 4 4M16 4v16M12 16l4 4 4-4',
  copy: 'M8 8h12v12H8zM16 8V4H4v12h4',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  next: 'M9 5l7 7-7 7',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.8.4-1 .9-1 1.700M12 16.800v.1',
  leave: 'M14 4h6v16h-6M4 12h11M11 8l4 4-4 4',
  add: 'M12 5v14M5 12h14',
  remove: 'M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14',
  edit: 'M4 20h4L20 8l-4-4L4 16z',
  terminal: 'M3 5h18v14H3zM7 10l3 2.500L7 15M12.500 15H17',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  logs: 'M4 6h16M4 10h10M4 14h16M4 18h8',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  key: 'M8 15.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM11.500 12H21M18 12v4M15 12v3',
  eye: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  label: 'M3 12V4h8l10 10-8 8zM7.500 8.500h.01',
  refresh: 'M20 11a8 8 0 1 0-2.300 6.200M20 5v6h-6',
} as const;

export type IconName = keyof typeof paths;

/** A picture beside a word. It says nothing by itself. */
export function Icon({ name, size = 16, className = '' }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      className={`icon ${className}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
