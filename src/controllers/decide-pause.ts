/** The pause between two tries in what conditions say: it grows, so that an event, which is written once, leaves it out. */

/** What goes on, and how often one is tried. */
export const withPause = (what: string, pauseMs: number): string =>
  `${what}; one is tried every ${Math.ceil(pauseMs / 1000)} s`;

/** What stays true when the pause grows. */
export const withoutPause = (message: string): string =>
  message.replace(/; one is tried every \d+ s/, "; they are tried ever more slowly");
