import { expect, it } from 'vitest';
import { balanceWords } from './balance';

const SEATS = [
  ['blue', 'Blue patrol'],
  ['red', 'Red patrol'],
] as const;
const of = (blue: number, red: number, games = blue + red) => ({ games, won: { blue, red }, program: 'commander' });

it('says what share of the decided games each side won, in how many games', () => {
  expect(balanceWords(of(208, 192), SEATS)).toBe('52 : 48 over 400 games');
  // 72.5 and 27.5 are not 73 and 28.
  expect(balanceWords(of(29, 11), SEATS)).toBe('73 : 27 over 40 games, better for Blue patrol');
  expect(balanceWords(of(176, 204, 400), SEATS)).toBe('46 : 54 over 400 games, 5 % drawn');
});

it('says so where it is uneven', () => {
  expect(balanceWords(of(260, 140), SEATS)).toBe('65 : 35 over 400 games, better for Blue patrol');
  expect(balanceWords(of(240, 160), SEATS)).toBe('60 : 40 over 400 games');
});

it('says of three sides which of them wins much less or much more than a third', () => {
  const three = [...SEATS, ['jade', 'Jade crew']] as const;
  const between = (blue: number, red: number, jade: number) =>
    balanceWords({ games: blue + red + jade, won: { blue, red, jade }, program: 'commander' }, three);
  expect(between(16, 42, 42)).toBe('16 : 42 : 42 over 100 games, worse for Blue patrol');
  expect(between(50, 28, 22)).toBe('50 : 28 : 22 over 100 games, better for Blue patrol');
  expect(between(38, 32, 30)).toBe('38 : 32 : 30 over 100 games');
});

it('says nothing of what was not measured', () => {
  expect(balanceWords(null, SEATS)).toBe('');
  expect(balanceWords(undefined, SEATS)).toBe('');
  expect(balanceWords(of(0, 0, 3), SEATS)).toBe('');
});
