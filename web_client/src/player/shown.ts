/** What a pushed notice looks like. */

/** The news as the server pushes it; see docs/players.md. */
export interface Pushed {
  event: string;
  text: string;
  waits?: readonly { match: string; title: string; side: string; turn: number }[];
  /** Of a deadline: the league, what it is called, and the fixture. */
  league?: string;
  name?: string;
  fixture?: number;
}

export interface Shown {
  title: string;
  body: string;
  /** A newer notice of the same tag takes the place of the older. */
  tag: string;
  /** Where a click leads. */
  path: string;
}

/** The notice that is shown. The link is made here: the address of this page is the one that its person uses. */
export function shownOf({ event, text, waits = [], league = '', name = '', fixture = 0 }: Pushed): Shown {
  if (event === 'deadline') {
    return {
      title: `A deadline nears: ${name}`,
      body: text.replace(/ https:\S*$/, ''),
      tag: `league-${league}-${fixture}`,
      path: `/#/league/${encodeURIComponent(league)}`,
    };
  }
  const [first] = waits;
  if (event !== 'your_turn' || !first) return { title: 'Underfire', body: text, tag: 'underfire', path: '/' };
  if (waits.length > 1) {
    const titles = [...new Set(waits.map(({ title }) => title))].join(', ');
    return { title: `${waits.length} decisions wait for you`, body: titles, tag: 'your-turn', path: '/' };
  }
  return {
    title: 'It is your turn',
    body: `${first.title}: ${first.side}, turn ${first.turn}`,
    tag: `match-${first.match}`,
    path: `/#/m/${encodeURIComponent(first.match)}`,
  };
}
