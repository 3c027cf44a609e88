import { describe, expect, it } from 'vitest';
import type { FixtureView, LeagueView, Standing } from '../lib/protocol';
import { allPlayed, overWords, playedWords, waitingWords } from './ending';

const [ANN, BEN] = ['aa', 'bb'];
const fixture = (number: number, more: Partial<FixtureView> = {}): FixtureView => ({
  number,
  round: number,
  players: [ANN, BEN],
  scenario: 'ridge',
  state: 'over',
  outcome: 'won',
  winner: ANN,
  ...more,
});
const standing = (rank: number, player: string): Standing => ({
  rank,
  player,
  played: 1,
  won: 1,
  drawn: 0,
  lost: 0,
  points: 3,
  tie_breaks: [],
  form: 'W',
  inflicted: 0,
  suffered: 0,
  luck: 0,
  lucky: 0,
});
const league = (more: Partial<LeagueView> = {}): LeagueView => ({
  id: 'l',
  terms: { name: 'Ridge League', edition: 'fad', scenarios: ['ridge'], format: 'swiss', rounds: 2 },
  state: 'runs',
  organisers: [[ANN, 'Ann']],
  made_at: 0,
  players: [ANN, BEN].map((key) => ({ key, name: key === ANN ? 'Ann' : 'Ben', force: null, total: 1 })),
  fixtures: [fixture(1), fixture(2)],
  round: 2,
  rounds: 2,
  you: BEN,
  ...more,
});

describe('what follows when there is no match to play', () => {
  it('is the next round, as long as there is one', () => {
    const before = league({ round: 1, fixtures: [fixture(1)] });
    expect(allPlayed(before)).toBe(false);
    expect(waitingWords(before)).toBe(
      'You have no match to play now. The organiser begins the next round once this one is over.',
    );
  });

  it('is the end once the last round has begun', () => {
    const last = league({ fixtures: [fixture(1), fixture(2, { state: 'played' })] });
    expect(allPlayed(last)).toBe(false);
    expect(waitingWords(last)).toBe(
      'You have no match to play now. This is the last round: the organiser ends the league once it is over.',
    );
  });

  it('is the end when all rounds are played: for players by the organiser, who is told so', () => {
    expect(waitingWords(league())).toBe('All rounds are played. The organiser ends the league.');
    expect(playedWords(league({ you: ANN }))).toBe('All rounds are played. You can end the league now.');
    expect(playedWords(league({ state: 'over' }))).toBe('');
  });

  it('is told of turns in a campaign on a map, whose last turn ends after its battles', () => {
    const terms = { ...league().terms, format: 'map' as const };
    const map = (phase: 'rest' | 'battles'): LeagueView => league({ terms, map: { phase } as LeagueView['map'] });
    expect(waitingWords(map('rest'))).toBe('All turns are played. The organiser ends the league.');
    expect(waitingWords(map('battles'))).toContain('This is the last turn');
    expect(waitingWords(league({ terms, rounds: 0 }))).toContain('begins the next turn');
  });

  it('is never an end by itself where players challenge each other', () => {
    expect(allPlayed(league({ terms: { ...league().terms, format: 'ladder' }, round: 0, rounds: 0 }))).toBe(false);
  });
});

describe('a league that is over', () => {
  const over = { state: 'over' as const, standings: [standing(1, ANN), standing(2, BEN)] };
  it('names the champion, who stands alone at the top', () => {
    expect(overWords(league(over))).toBe('The league is over. Ann is its champion.');
    expect(overWords(league({ ...over, you: ANN }))).toBe('The league is over. You are its champion.');
  });

  it('has none if several share the first place, or nothing was played', () => {
    const none = 'The league is over: nothing more is played.';
    expect(overWords(league({ ...over, standings: [standing(1, ANN), standing(1, BEN)] }))).toBe(none);
    expect(overWords(league({ ...over, fixtures: [fixture(1, { outcome: 'void', winner: '' })] }))).toBe(none);
  });
});
