/** Line drawings on a field of 24 by 24, by name. */
export const ICONS = {
  roll: 'M5 5h14v14H5z M9 9h.01 M15 9h.01 M12 12h.01 M9 15h.01 M15 15h.01',
  move: 'M4 18 C8 18 8 8 13 8 H20 M16 4 L20 8 L16 12',
  fire: 'M12 3v4 M12 17v4 M3 12h4 M17 12h4 M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8',
  assault: 'M5 4 L15 14 M19 4 L9 14 M13 16 L17 12 M7 12 L11 16 M16 15 L20 19 M8 15 L4 19',
  morale: 'M6 21V4 M6 5 C10 2 13 8 19 5 V13 C13 16 10 10 6 13',
  loss: 'M6 6 L18 18 M18 6 L6 18',
  turn: 'M12 3a9 9 0 1 0 9 9 M12 7v5l3 3 M17 3 L21 3 L21 7 M21 3 L16 8',
  deploy: 'M12 3v11 M8 10 L12 14 L16 10 M5 19h14',
  end: 'M7 4h10v5a5 5 0 0 1-10 0z M12 14v4 M8 20h8 M7 6H4c0 3 1 4 3 4 M17 6h3c0 3-1 4-3 4',
  seat: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8 M4 21c1-5 4-7 8-7s7 2 8 7',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  back: 'M9 14 L4 9 L9 4 M4 9h10a6 6 0 0 1 0 12h-3',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18 M12 7v5l3 3',
  offer: 'M4 9h15 M15 5 L19 9 L15 13 M20 16H5 M9 12 L5 16 L9 20',
  menu: 'M4 7h16 M4 12h16 M4 17h16',
  close: 'M6 6 L18 18 M18 6 L6 18',
  down: 'M6 9 L12 15 L18 9',
  zoom: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13 M15.5 15.5 L20 20 M10.5 8v5 M8 10.5h5',
  copy: 'M9 9h11v11H9z M5 15H4V4h11v1',
  link: 'M9 15 L15 9 M10.5 6.5 L13 4a4.5 4.5 0 0 1 7 7l-2.5 2.5 M13.5 17.5 L11 20a4.5 4.5 0 0 1-7-7l2.5-2.5',
  book: 'M4 5c3-1.5 6-1 8 1v14c-2-2-5-2.5-8-1z M20 5c-3-1.5-6-1-8 1v14c2-2 5-2.5 8-1z',
  eye: 'M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7 M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  question: 'M8.5 9a3.5 3.5 0 1 1 5 3.200c-1 .6-1.5 1.200-1.5 2.300 M12 18h.01',
  save: 'M12 4v11 M7 11 L12 16 L17 11 M4 20h16',
  check: 'M5 12.5 L10 17.5 L19 7',
  key: 'M8 8a5 5 0 1 0 4 8l2-2h3v-3h3V7h-4l-4.500 4 M7.500 14.500h.01',
  phone: 'M7 3h10v18H7z M11 18h2',
  play: 'M7 4 L19 12 L7 20z',
  pause: 'M8 5v14 M16 5v14',
  low: 'M7 3h10 M7 21h10 M8 3c0 5 8 5 8 9s-8 4-8 9 M16 3c0 5-8 5-8 9s8 4 8 9',
  away: 'M3 3 L21 21 M4 9.500a12 12 0 0 1 4-2.500 M20 9.500a12 12 0 0 0-8-3.500 M8 14a6 6 0 0 1 3-1.500 M12 18h.01',
  flag: 'M6 21V4 M6 5h12l-3 4 3 4H6',
  mute: 'M4 9v6h4l5 4V5L8 9z M17 9l4 6 M21 9l-4 6',
  sound: 'M4 9v6h4l5 4V5L8 9z M16 9a4 4 0 0 1 0 6 M18.500 6.500a8 8 0 0 1 0 11',
  more: 'M5 12h.01 M12 12h.01 M19 12h.01',
  text: 'M6 3h9l4 4v14H6z M9 11h6 M9 15h6',
} as const;

export type IconName = keyof typeof ICONS;

/** The icon for a kind of story; a kind from a newer server gets a plain one. */
export const iconOf = (kind: string): IconName => (kind in ICONS ? (kind as IconName) : 'turn');
